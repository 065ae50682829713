"""A search gives the scores of separate fits with the fold as sample weights; bad input gets a sentence."""

import signal
import threading
import time

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rosenblatt import (
    HalfSpace,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    search,
)  # fmt: skip
from rosenblatt.engine.online.stopping import interrupt_flag
from rosenblatt.rules import RULES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DIGITS, NUMBERS = load_digits(return_X_y=True)
DIGITS, NUMBERS = DIGITS[::3], NUMBERS[::3]
IRIS, KINDS = load_iris(return_X_y=True)
CS = [1e-5, 1e-3, 0.1]


def separate(learner, setting, X, y, folds, weights=None, scoring=None):
    """The scores of fits of their own."""
    scores = []
    for train, test in folds:
        mask = np.zeros(len(y))
        mask[train] = 1.0 if weights is None else weights[train]
        model = clone(learner).set_params(**setting).fit(X, y, sample_weight=mask)
        judge = (lambda m, X, y: m.score(X, y)) if scoring is None else get_scorer(scoring)
        scores.append(judge(model, X[test], y[test]))
    return scores


def assert_separate(found, learner, X, y, cv=3, **options):
    folds = list(StratifiedKFold(cv).split(X, y)) if isinstance(cv, int) else cv
    for setting, scores in zip(found.params, found.fold_scores, strict=True):
        assert scores.tolist() == separate(learner, setting, X, y, folds, **options), setting


@pytest.mark.parametrize("layout", ["uint8", "float64", "csr"])
@pytest.mark.parametrize("answer", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("classes", [2, 10])
def test_the_scores_of_separate_fits(layout, answer, classes, monkeypatch):
    monkeypatch.setattr("rosenblatt.estimators.search_run.Run._pays", lambda self, group: True)
    X = scipy.sparse.csr_array(DIGITS.astype(np.float32)) if layout == "csr" else DIGITS.astype(layout)
    y = NUMBERS if classes == 10 else NUMBERS > 4
    learner = PassiveAggressive(answer=answer, max_iter=3, random_state=0)
    found = search(X, y, learner, {"C": CS}, 3)
    assert found.fused_ == (found.fold_scores.size if answer in ("last", "averaged") else 0)
    assert_separate(found, learner, X, y)


@pytest.mark.parametrize("few", [True, False])
def test_law_the_same_bits_for_any_number_of_threads_and_any_tile(few, monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.threads.WORTH_A_THREAD", 1)  # little work is spread as well
    if few:
        monkeypatch.setattr("rosenblatt.estimators.search_run.TILE_BYTES", 1)
        monkeypatch.setattr("rosenblatt.estimators.search_run.LEAST_LANES", 12)
    learner, grid = PassiveAggressive(max_iter=2, random_state=0), {"C": CS, "answer": ["auto", "last", "pocket"]}
    found = [search(DIGITS, NUMBERS, learner, grid, 3, n_jobs=jobs) for jobs in (1, 2, 16)]
    for other in found[1:]:
        assert other.fold_scores.tobytes() == found[0].fold_scores.tobytes()
        assert other.best_.coef_.tobytes() == found[0].best_.coef_.tobytes()


def test_settings_that_can_not_learn_together_are_fitted_one_by_one():
    learner = PassiveAggressive(max_iter=2, random_state=0)
    grid = [
        {"C": CS, "answer": ["last", "averaged", "pocket"], "max_iter": [1, 3]},
        {"variant": ["PA", "PA-II"], "shuffle": [False]},
        {"multi_class": ["coupled"], "class_weight": [None, "balanced", {0: 2.0}]},
    ]
    found = search(DIGITS, NUMBERS, learner, grid, 3)
    assert 0 < found.fused_ < found.fold_scores.size
    assert_separate(found, learner, DIGITS, NUMBERS)


@pytest.mark.parametrize(
    "apart",
    [
        {"class_weight": [None, {1: 9.0}]},
        {"random_state": [0, 1]},
        {"fit_intercept": [True, False]},
        {"shuffle": [True, False]},
        {"max_iter": [1, 4]},
        {"tol": [None, 1.0]},
        {"regularize_intercept": [False, True]},
    ],
    ids=lambda apart: next(iter(apart)),
)
def test_settings_that_differ_in_more_than_the_rules_parameters_keep_to_their_own(apart, monkeypatch):
    monkeypatch.setattr("rosenblatt.estimators.search_run.Run._pays", lambda self, group: True)
    ((name, values),) = apart.items()
    if name == "regularize_intercept":
        rows, learner = (
            scipy.sparse.csr_array(IRIS.astype(np.float32)),
            HalfSpace("pegasos", max_iter=9, random_state=0, answer="last"),
        )
        grid = {"params": [{"lam": lam} for lam in (0.03, 3.0)], **apart}
    else:
        rows, learner = IRIS, PassiveAggressive(max_iter=9, random_state=0, answer="last")
        grid = {"C": [1e-3, 0.1], **apart}
    monkeypatch.setattr("rosenblatt.engine.online.stopping.FEW_ROWS", 1)  # tol counts for any number of rows
    monkeypatch.setattr("rosenblatt.engine.online.stopping.EXAMPLES_WAITED", 1)
    found = search(rows, KINDS, learner, grid, 3)
    assert found.fused_ == found.fold_scores.size
    first = np.array([setting[name] == values[0] for setting in found.params])
    assert (found.fold_scores[first] != found.fold_scores[~first]).any()  # it does make a difference
    assert_separate(found, learner, rows, KINDS)


def test_weights_and_scorers_and_splitters():
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 4, len(NUMBERS)).astype(float)
    cv = ShuffleSplit(3, random_state=0)
    learner = PassiveAggressive(max_iter=2, random_state=0, class_weight="balanced")
    found = search(DIGITS, NUMBERS, learner, {"C": CS}, cv, scoring="f1_macro", sample_weight=weights)
    assert found.fused_ == 9
    assert_separate(
        found, learner, DIGITS, NUMBERS, list(cv.split(DIGITS)), weights=weights, scoring="f1_macro"
    )  # fmt: skip
    groups = rng.integers(0, 5, len(NUMBERS))
    found = search(DIGITS, NUMBERS, learner, {"C": CS}, GroupKFold(3), groups=groups)
    assert_separate(found, learner, DIGITS, NUMBERS, list(GroupKFold(3).split(DIGITS, NUMBERS, groups)))


@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_a_setting_that_diverges_is_the_one_that_diverges_alone():
    X, y = IRIS, KINDS
    learner = HalfSpace("margin_perceptron", max_iter=2, random_state=0)
    grid = {"learning_rate": [0.1, 1e307], "theta": [0.0, 1.0, 2.0, 3.0, 4.0]}
    found = search(X, y, learner, grid, 3)
    assert found.fused_ == 15
    for setting, scores in zip(found.params, found.fold_scores, strict=True):
        alone = HalfSpace("margin_perceptron", setting, max_iter=2, random_state=0)
        assert scores.tolist() == separate(alone, {}, X, y, list(StratifiedKFold(3).split(X, y)))


def test_a_rule_by_its_name_and_its_parameters():
    found = search(IRIS, KINDS, "pegasos", {"lam": [1e-3, 1e-2, 0.1], "max_iter": [5]}, 3, random_state=3)
    assert found.best_.rule == "pegasos" and found.best_.params == {"lam": found.best_params_["lam"]}
    again = search(IRIS, KINDS, RULES["pegasos"], {"lam": [1e-3, 1e-2, 0.1], "max_iter": [5]}, 3, random_state=3)
    np.testing.assert_array_equal(found.fold_scores, again.fold_scores)


def test_pipelines_are_fitted_on_the_rows_of_the_fold():
    pipe = make_pipeline(StandardScaler(), PassiveAggressive(max_iter=3, random_state=0))
    grid = {"C": CS, "standardscaler__with_mean": [True, False]}
    found = search(IRIS, KINDS, pipe, grid, 3)
    assert found.fused_ == found.fold_scores.size
    names = {"C": "passiveaggressive__C"}
    peer = GridSearchCV(pipe, {names.get(name, name): values for name, values in grid.items()}, cv=3).fit(IRIS, KINDS)
    by_setting = {str(sorted(p.items())): n for n, p in enumerate(peer.cv_results_["params"])}
    for setting, scores in zip(found.params, found.fold_scores, strict=True):
        n = by_setting[str(sorted((names.get(k, k), v) for k, v in setting.items()))]
        assert scores.tolist() == [peer.cv_results_[f"split{fold}_test_score"][n] for fold in range(3)]
    assert found.best_.predict(IRIS).shape == KINDS.shape


def test_other_learners_work_too():
    found = search(IRIS, KINDS, SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-2]}, 3)
    peer = GridSearchCV(SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-2]}, cv=3).fit(IRIS, KINDS)
    np.testing.assert_array_equal(found.mean_scores, peer.cv_results_["mean_test_score"])
    assert found.best_params_ == peer.best_params_ and found.fused_ == 0
    svm, kernel = LinearSVM(random_state=0), KernelPerceptron(kernel="rbf", max_iter=3, random_state=0)
    for learner, grid in ((svm, {"lam": [1e-3, 0.1]}), (kernel, {"answer": ["last", "averaged"]})):
        found = search(IRIS, KINDS, learner, grid, 3)
        assert_separate(found, learner, IRIS, KINDS)


@pytest.mark.filterwarnings("ignore:The precomputed kernel is not known")
def test_precomputed_kernels_and_frames_and_lists_and_other_sparse_formats():
    kernel = IRIS @ IRIS.T
    ours = search(kernel, KINDS, KernelPerceptron("precomputed", max_iter=2, random_state=0), {"max_iter": [2, 3]}, 3)
    same = search(IRIS, KINDS, KernelPerceptron("linear", max_iter=2, random_state=0), {"max_iter": [2, 3]}, 3)
    np.testing.assert_array_equal(ours.fold_scores, same.fold_scores)
    theirs = search(kernel, KINDS, SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, 3)
    peer = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, cv=3).fit(kernel, KINDS)
    np.testing.assert_array_equal(theirs.mean_scores, peer.cv_results_["mean_test_score"])
    learner = PassiveAggressive(max_iter=2, random_state=0)
    plain = search(IRIS, KINDS, learner, {"C": CS}, 3)
    frame = polars.DataFrame(IRIS, schema=["a", "b", "c", "d"])
    for X in (IRIS.tolist(), frame, pandas.DataFrame(frame.to_dict(as_series=False)), np.asfortranarray(IRIS)):
        found = search(X, KINDS.tolist(), learner, {"C": CS}, 3)
        np.testing.assert_array_equal(found.fold_scores, plain.fold_scores)
        found.best_.predict(X)
    assert search(frame, KINDS, learner, {"C": CS}, 3).best_.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert_separate(search(scipy.sparse.coo_array(IRIS), KINDS, learner, {"C": CS}, 3), learner,
                    scipy.sparse.csr_array(IRIS), KINDS)  # fmt: skip


def test_the_result_is_a_frame_and_the_shape_that_scikit_learn_has():
    found = search(IRIS, KINDS, PassiveAggressive(max_iter=2, random_state=0), [{"C": CS}, {"variant": ["PA"]}], 3)
    frame = found.scores
    assert frame.columns == ["C", "variant", "mean", "std", "rank", "fold_1", "fold_2", "fold_3"]
    assert frame["C"].to_list() == [*CS, None] and frame["variant"].to_list() == [None, None, None, "PA"]
    np.testing.assert_allclose(frame["mean"], found.fold_scores.mean(axis=1))
    results = found.cv_results_
    np.testing.assert_array_equal(results["split1_test_score"], found.fold_scores[:, 1])
    assert results["param_variant"].mask.tolist() == [True, True, True, False]
    best = results["rank_test_score"].tolist().index(1)
    assert found.best_index_ == best and found.best_score_ == found.mean_scores.max()
    assert "4 settings on 3 folds" in repr(found)


def test_the_best_is_refitted_on_all_rows():
    learner = PassiveAggressive(max_iter=2, random_state=0)
    found = search(DIGITS, NUMBERS, learner, {"C": CS}, 3, n_jobs=2)
    alone = clone(learner).set_params(**found.best_params_).fit(DIGITS, NUMBERS)
    np.testing.assert_array_equal(found.best_.coef_, alone.coef_)
    assert found.best_.n_jobs is None
    without = search(DIGITS, NUMBERS, learner, {"C": CS}, 3, refit=False)
    assert without.best_ is None


def test_a_seed_is_drawn_once_for_all_fits():
    found = search(IRIS, KINDS, PassiveAggressive(max_iter=2), {"C": [1.0, 1.0, 1.0]}, 3)
    assert (found.fold_scores == found.fold_scores[0]).all()
    seed = found.best_.random_state
    again = search(IRIS, KINDS, PassiveAggressive(max_iter=2), {"C": [1.0]}, 3, random_state=seed)
    np.testing.assert_array_equal(again.fold_scores[0], found.fold_scores[0])
    named = search(IRIS, KINDS, PassiveAggressive(max_iter=2), {"random_state": [0, 1]}, 3)
    assert_separate(named, PassiveAggressive(max_iter=2), IRIS, KINDS)


def test_the_estimator_and_the_rows_stay_as_they_are():
    learner = PassiveAggressive(max_iter=2)
    X, before = DIGITS.copy(), repr(learner.get_params())
    search(X, NUMBERS, learner, {"C": CS}, 3)
    assert repr(learner.get_params()) == before and not hasattr(learner, "classes_")
    np.testing.assert_array_equal(X, DIGITS)


def test_progress(capsys):
    told = []
    search(DIGITS, NUMBERS, PassiveAggressive(max_iter=2, random_state=0), {"C": CS, "answer": ["last", "pocket"]}, 3,
           on_progress=told.append, verbose=1)  # fmt: skip
    assert told == sorted(told) and told[-1] == pytest.approx(1.0)
    assert "6 settings on 3 folds: 100 %" in capsys.readouterr().out


def press_after(seconds):
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_before_anything_is_done_interrupts(jobs):
    learner = PassiveAggressive(max_iter=10**6, random_state=0, C=1.0)
    search(DIGITS, NUMBERS, learner, {"C": CS, "max_iter": [1]}, 3, n_jobs=jobs)
    started = time.perf_counter()
    press_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        search(DIGITS % 3, NUMBERS, learner, {"C": CS}, 3, n_jobs=jobs)
    assert time.perf_counter() - started < 60


@pytest.mark.filterwarnings("always::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_keeps_the_settings_that_are_done():
    learner = PassiveAggressive(random_state=0)
    search(DIGITS, NUMBERS, learner, {"C": CS, "max_iter": [1]}, 3)
    grid = [{"C": CS, "max_iter": [1]}, {"C": CS, "max_iter": [10**6]}]
    press_after(0.5)
    with pytest.warns(ConvergenceWarning, match="interrupted after 3 of 6"):
        found = search(DIGITS % 3, NUMBERS, learner, grid, 3, refit=False)
    assert found.interrupted_ and np.isnan(found.fold_scores[3:]).all() and found.best_index_ < 3


@pytest.mark.filterwarnings("always::sklearn.exceptions.ConvergenceWarning")
def test_ctrl_c_between_folds_compares_by_those_that_are_done(monkeypatch):
    learner = PassiveAggressive(max_iter=2, random_state=0)
    whole = search(DIGITS, NUMBERS, learner, {"C": CS}, 5, refit=False)
    assert whole.fused_ == 5 * len(CS)  # all settings learn together, fold after fold

    presses = iter([signal.raise_signal])

    def press(done):
        if done > 0.39:
            next(presses, int)(signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="interrupted after 2 of 5 folds"):
        found = search(DIGITS, NUMBERS, learner, {"C": CS}, 5, refit=False, on_progress=press)
    done = whole.fold_scores[:, :2]
    assert np.array_equal(found.fold_scores[:, :2], done) and found.folds_compared.tolist() == [0, 1]
    assert found.best_index_ == done.mean(axis=1).argmax()
    assert np.array_equal(found.scores["mean"], done.mean(axis=1)) and "nan" not in repr(found)


def test_scores_that_are_all_nan_are_a_result():
    found = search(IRIS, KINDS, Perceptron(max_iter=2), {"answer": ["last"]}, 3, scoring=lambda *_: np.nan, refit=False)
    assert np.isnan(found.mean_scores).all() and found.folds_compared.tolist() == [0, 1, 2]


def test_ctrl_c_in_the_last_moment_of_a_fit_ends_a_search():
    class Forgetful(LogisticRegression):
        def fit(self, X, y, **options):
            with interrupt_flag():
                signal.raise_signal(signal.SIGINT)
            return super().fit(X, y, **options)

    with pytest.raises(KeyboardInterrupt, match="anything to compare"):
        search(DIGITS, NUMBERS, Forgetful(max_iter=2), {"lam": [0.1, 0.01]}, 3)


BAD = [
    ({"grid": {}}, "at least one parameter"),
    ({"grid": []}, "at least one parameter"),
    ({"grid": {"C": []}}, "for parameter 'C' need to be a non-empty sequence"),
    ({"grid": {"C": 1.0}}, "for parameter 'C' needs to be a list"),
    ({"grid": "C"}, "is not a dict"),
    ({"grid": {"c": [1.0]}}, "Invalid parameter 'c' for estimator PassiveAggressive"),
    ({"grid": {"max_itr": [1]}}, "Invalid parameter 'max_itr'"),
    ({"grid": {"C": [-1.0]}}, "C must be a finite number above 0"),
    ({"cv": 1}, "n_splits=2 or more"),
    ({"cv": 151}, "n_splits=151 greater than the number of samples"),
    ({"cv": []}, "at least one fold"),
    ({"cv": [(np.arange(40), np.arange(40, 60))]}, "at least 2 classes"),
    ({"cv": [(np.arange(150), np.arange(0))]}, "rows to score"),
    ({"cv": [([0, 0, 149], [1])]}, "repeats"),
    ({"estimator": 3}, "estimator must be a learner"),
    ({"estimator": PassiveAggressive}, "estimator must be a learner"),
    ({"estimator": "pegassos"}, "rule must be one of"),
    ({"X": np.full((150, 2), np.nan)}, "NaN"),
    ({"y": np.zeros(150)}, "at least 2 classes"),
    ({"y": KINDS[:9]}, "same number of rows|inconsistent"),
    ({"scoring": "acuracy"}, "acuracy"),
    ({"scoring": ["accuracy", "f1_macro"]}, "compared by one"),
    ({"scoring": {"f1": "f1_macro"}}, "compared by one"),
    ({"sample_weight": np.ones(3)}, "sample_weight"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_input_gets_a_sentence(change, sentence):
    arguments = {"X": IRIS, "y": KINDS, "estimator": PassiveAggressive(max_iter=1), "grid": {"C": CS}, "cv": 3}
    with pytest.raises((TypeError, ValueError), match=sentence):
        search(**(arguments | change))
