"""scikit-learn's own checks on the kernel perceptron."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import KernelPerceptron

ESTIMATORS = [KernelPerceptron()]
OTHER_WAYS = [
    KernelPerceptron(answer="voted", drop_after=100),
    KernelPerceptron(answer="averaged", multi_class="coupled"),
    KernelPerceptron(answer="pocket", budget=200, max_iter=10),
    KernelPerceptron(gamma=0.01, n_jobs=1),
]
ORDER = (
    "the result depends on the order of rows: a weight of 2 is one visit, not two (as sklearn.linear_model.Perceptron)"
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The precomputed kernel is not known")
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED, xfail_strict=False)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The precomputed kernel is not known")
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(OTHER_WAYS, expected_failed_checks=lambda estimator: EXPECTED, xfail_strict=False)
def test_scikit_learns_checks_of_other_ways(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The precomputed kernel is not known")
def test_search_pipeline_and_pairwise_splits():
    X, y = load_iris(return_X_y=True)
    model = KernelPerceptron(answer="averaged", max_iter=20, random_state=0)
    search = GridSearchCV(model, {"gamma": [0.1, 1.0, "scale", None], "kernel": ["rbf", "polynomial"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.93
    assert cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean() > 0.9
    matrix = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    given = cross_val_score(model.set_params(kernel="precomputed"), matrix, y)
    named = cross_val_score(model.set_params(kernel="rbf", gamma=0.5), X, y)
    np.testing.assert_allclose(given, named)
