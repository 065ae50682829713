"""scikit-learn's own checks, over every learner that minimises a loss or has a closed form."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    GaussianDiscriminant,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    Perceptron,
    RadialFeatures,
    SigmoidNeuron,
    Streamed,
)

ORDER = "the result depends on the order of rows: a weight of 2 is one visit, not two"
BY_ORDER = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}
# Learners that come to the same minimum in whatever order the rows are visited.
TO_THE_END = [
    LinearSVM(tol=1e-13),  # the check compares to 1e-7, the default stops at a relative gap of 1e-4
    LogisticRegression(),
    SigmoidNeuron(),
    LeastSquares(),
    GaussianDiscriminant(),
    Layer("tanh"),
]
OTHER_WAYS = [
    LinearSVM(loss="squared_hinge", regularize_intercept=True, tol=1e-13),
    LogisticRegression(multi_class="ovr", lam=1e-2),
    LogisticRegression(penalty="l1", lam=1e-2),
    LeastSquares(lam=1e-3),
]
BY_STEPS = [
    LogisticRegression(solver="sgd", max_iter=20),
    LogisticRegression(solver="svrg", max_iter=20),
    LeastSquares(solver="sgd", max_iter=20),
    Layer("threshold"),
    Streamed(PairProducts(5, random_state=0), Perceptron(random_state=0)),
]
quiet = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The number of unique classes is greater"),
    pytest.mark.filterwarnings("ignore:Classes differ in a direction in which no class varies"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning"),
]
pytestmark = quiet


@parametrize_with_checks(TO_THE_END)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHER_WAYS)
def test_scikit_learns_checks_of_other_ways(estimator, check):
    check(estimator)


@parametrize_with_checks([PairProducts(3), RadialFeatures()])
def test_scikit_learns_checks_of_feature_maps(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(BY_STEPS, expected_failed_checks=lambda estimator: BY_ORDER, xfail_strict=False)
def test_scikit_learns_checks_of_stepwise_learners(estimator, check):
    check(estimator)
