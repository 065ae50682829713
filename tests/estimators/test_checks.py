"""scikit-learn's own checks, over every estimator and what it is made for."""

import pickle

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron
from rosenblatt.rules import RULES

# Every class with its ways that differ most in `make test`, all the others in `make test-all`.
QUICK_RULES = ("margin_perceptron",)
ESTIMATORS = [
    *(Perceptron(answer=answer) for answer in ("last", "voted")),
    Perceptron(answer="pocket", multi_class="coupled"),
    PassiveAggressive(),
    *(HalfSpace(rule) for rule in QUICK_RULES),
]
OTHER_WAYS = [
    *(Perceptron(answer=answer) for answer in ("averaged", "pocket")),
    *(Perceptron(answer=answer, multi_class="coupled") for answer in ("last", "averaged", "voted")),
    *(PassiveAggressive(variant=variant) for variant in ("PA", "PA-II")),
    *(HalfSpace(rule) for rule in RULES if rule not in QUICK_RULES),
]
ORDER = (
    "the result depends on the order of rows: a weight of 2 is one visit, not two (as sklearn.linear_model.Perceptron)"
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


def expected(estimator):
    return EXPECTED


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=False)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(OTHER_WAYS, expected_failed_checks=expected, xfail_strict=False)
def test_scikit_learns_checks_of_other_ways(estimator, check):
    check(estimator)


iris = load_iris(as_frame=True)
cancer = load_breast_cancer(as_frame=True)
quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_clone_has_the_parameters_and_not_the_fit(estimator):
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "classes_")


@quiet
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("online", [False, True])
def test_pickle_keeps_the_answers_and_goes_on_learning(estimator, online):
    X, y = iris.data.to_numpy(), iris.target.to_numpy()
    model = clone(estimator).set_params(max_iter=5, random_state=0)
    if online and hasattr(model, "partial_fit"):
        model.partial_fit(X[::2], y[::2])
    else:
        model.fit(X[::2], y[::2])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    for one in (model, again) if hasattr(model, "partial_fit") else ():
        one.learn_one(X[1], int(y[1]))
        one.partial_fit(X[1::2], y[1::2])
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


def test_pickle_after_dicts():
    model = Perceptron()
    for x, label in [({"a": 1.0, "b": 2.0}, "no"), ({"a": -1.0}, "yes"), ({"c": 3.0}, "no")]:
        model.learn_one(x, label)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.learn_one({"d": 1.0, "a": 5.0}, "yes")
    probes = [{"a": 1.0}, {"d": 1.0}, {"c": -1.0}, {"z": 1.0}]
    assert [model.predict_one(x) for x in probes] == [again.predict_one(x) for x in probes]


@quiet
def test_pipeline_and_cross_validation():
    pipeline = make_pipeline(StandardScaler(), Perceptron(answer="averaged", random_state=0))
    assert cross_val_score(pipeline, cancer.data, cancer.target).mean() > 0.95
    assert pipeline.fit(iris.data, iris.target).score(iris.data, iris.target) > 0.8
    assert pipeline[:-1].get_feature_names_out().tolist() == list(iris.data.columns)


@quiet
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    grid = {"C": [0.01, 1.0], "variant": ["PA-I", "PA-II"], "answer": ["last", "averaged"]}
    search = GridSearchCV(PassiveAggressive(random_state=0, max_iter=10), grid, n_jobs=n_jobs, cv=3)
    search.fit(iris.data.to_numpy(), iris.target)
    assert search.best_score_ > 0.9
    rules = GridSearchCV(HalfSpace(random_state=0, max_iter=5), {"rule": list(RULES)}, n_jobs=n_jobs, cv=2)
    assert len(rules.fit(iris.data.to_numpy(), iris.target).cv_results_["params"]) == len(RULES)


@quiet
def test_calibration_and_several_outputs():
    X, y = StandardScaler().fit_transform(cancer.data), cancer.target
    calibrated = CalibratedClassifierCV(Perceptron(answer="averaged", random_state=0)).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1) and calibrated.score(X, y) > 0.95
    both = MultiOutputClassifier(Perceptron(random_state=0)).fit(X, np.stack([y, 1 - y], axis=1))
    assert (both.predict(X)[:, 0] != both.predict(X)[:, 1]).mean() > 0.9


@quiet
@pytest.mark.parametrize("library", [pandas, polars])
def test_frames_keep_the_names_of_their_features(library):
    frame = library.DataFrame({name: iris.data[name].to_numpy() for name in iris.data.columns})
    model = Perceptron(random_state=0, max_iter=5).fit(frame, iris.target.to_numpy())
    assert model.feature_names_in_.tolist() == list(iris.data.columns)
    model.partial_fit(frame, iris.target.to_numpy())
    assert model.predict(frame).shape == (150,)
    assert model.predict_one(frame.to_numpy()[0]) == model.predict(frame)[0]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename({"sepal length (cm)": "other"}) if library is polars
                      else frame.rename(columns={"sepal length (cm)": "other"}))  # fmt: skip


@quiet
@pytest.mark.parametrize("library", [pandas, polars])
def test_labels_may_be_a_column_of_a_frame(library):
    labels = library.Series(["a" if t else "b" for t in iris.target])
    model = Perceptron(random_state=0).fit(iris.data.to_numpy(), labels)
    assert model.classes_.tolist() == ["a", "b"] and model.score(iris.data.to_numpy(), labels) == 1.0


def test_the_warning_is_one_and_says_what_to_do():
    with pytest.warns(ConvergenceWarning, match="raise max_iter") as caught:
        Perceptron("last", max_iter=2, random_state=0).fit(iris.data.to_numpy(), iris.target)
    assert len(caught) == 1 and caught[0].filename == __file__
