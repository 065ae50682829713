"""LinearSVM beside independent solvers, and its duality gap beside the truth."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from rosenblatt import HalfSpace, LinearSVM, load, save
from rosenblatt.engine import threads as engine_threads
from rosenblatt.engine.gradient import products
from rosenblatt.engine.svm import proximal

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[::2], Y[::2]
N = len(Y)


def objective(w, b, lam, loss, regularized, X=X, y=Y, c=None):
    short = np.maximum(0, 1 - np.where(y == np.unique(y)[1], 1, -1) * (X @ w + b))
    penalty = w @ w + (b * b if regularized else 0)
    return lam * penalty + np.average(short if loss == "hinge" else short**2, weights=c)


def independent(lam, loss, regularized):
    """The least objective, by libsvm, LIBLINEAR or scipy."""
    C = 1 / (2 * lam * N)
    if regularized:
        peer = LinearSVC(C=C, loss=loss, tol=1e-8, max_iter=10**6, dual=True, random_state=0).fit(X, Y)
        return objective(peer.coef_[0], peer.intercept_[0], lam, loss, True)
    if loss == "hinge":
        peer = SVC(kernel="linear", C=C, tol=1e-7).fit(X, Y)
        return objective(peer.coef_[0], peer.intercept_[0], lam, loss, False)
    signs = np.where(Y == 1, 1, -1)

    def slope(v):
        pull = -2 * np.maximum(0, 1 - signs * (X @ v[:-1] + v[-1])) * signs / N
        return np.append(2 * lam * v[:-1] + X.T @ pull, pull.sum())

    start = np.zeros(X.shape[1] + 1)
    found = minimize(lambda v: objective(v[:-1], v[-1], lam, loss, False), start, jac=slope, method="L-BFGS-B",
                     options={"maxiter": 10**5, "maxfun": 10**5, "ftol": 1e-14, "gtol": 1e-9})  # fmt: skip
    return float(found.fun)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("regularized", [False, True])
@pytest.mark.parametrize("lam", [1e-1, 1e-3, 1e-4])
def test_the_objective_is_that_of_an_independent_solver(loss, regularized, lam):
    model = LinearSVM(lam=lam, loss=loss, regularize_intercept=regularized, tol=1e-6, max_iter=10_000).fit(X, Y)
    ours = objective(model.coef_[0], model.intercept_[0], lam, loss, regularized)
    assert model.stop_reason_ == "converged"
    assert model.objective_ == pytest.approx(ours, rel=1e-12)
    assert ours == pytest.approx(independent(lam, loss, regularized), rel=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize(("fit_intercept", "regularized"), [(True, False), (True, True), (False, False)])
@given(seed=st.integers(0, 10**6), passes=st.integers(1, 12), power=st.floats(-4, 0))
@settings(max_examples=15)
def test_the_gap_is_a_true_bound_however_early_it_stops(loss, fit_intercept, regularized, seed, passes, power):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(60, 4)) + random.normal(size=4)
    y = np.where(rows[:, 0] + random.normal(size=60) > rows[:, 0].mean(), "b", "a")
    c = random.integers(0, 3, 60).astype(float)
    if len(set(y[c > 0])) < 2:
        return
    settings = {"lam": 10**power, "loss": loss, "fit_intercept": fit_intercept, "regularize_intercept": regularized}
    early = LinearSVM(max_iter=passes, tol=1e-12, random_state=seed, **settings).fit(rows, y, c)
    end = LinearSVM(max_iter=5000, tol=1e-9, **settings).fit(rows, y, c)
    value = objective(early.coef_[0], early.intercept_[0], 10**power, loss, regularized, rows, y, c)
    assert early.objective_ == pytest.approx(value, rel=1e-10)
    assert early.objective_ - early.duality_gap_ <= end.objective_ * (1 + 1e-9)
    assert end.duality_gap_ <= 1e-6 * end.objective_ and end.objective_ <= early.objective_ * (1 + 1e-9)


def test_coef_is_the_sum_of_the_support_vectors():
    model = LinearSVM(lam=1e-2).fit(X, Y)
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, rtol=1e-9, atol=1e-12)
    assert 0 < len(model.support_) < N
    margins = np.where(Y == 1, 1, -1) * model.decision_function(X)
    assert set(np.flatnonzero(margins < 0.99)) <= set(model.support_)
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-9)  # the intercept is free


def test_a_weight_is_a_repetition_and_zero_is_the_row_left_out():
    c = np.random.default_rng(0).integers(0, 3, N)
    weighted = LinearSVM(lam=1e-2, tol=1e-9).fit(X, Y, c)
    repeated = LinearSVM(lam=1e-2, tol=1e-9).fit(np.repeat(X, c, axis=0), np.repeat(Y, c))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-3, atol=1e-5)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)


iris = load_iris(return_X_y=True)


def test_several_classes_are_each_against_the_rest():
    model = LinearSVM(lam=1e-2, tol=1e-6).fit(*iris)
    alone = [LinearSVM(lam=1e-2, tol=1e-6).fit(iris[0], iris[1] == k) for k in range(3)]
    assert model.objective_ == pytest.approx(sum(one.objective_ for one in alone), rel=1e-5)
    for k in range(3):
        np.testing.assert_allclose(model.coef_[k], alone[k].coef_[0], atol=0.02)


@pytest.mark.parametrize("intercept", [False, True])
def test_dense_and_sparse_rows_and_threads_agree(intercept):
    settings = {"lam": 1e-3, "regularize_intercept": intercept, "random_state": 0, "tol": 1e-6}
    dense = LinearSVM(**settings).fit(*iris)
    sparse = LinearSVM(**settings).fit(scipy.sparse.csr_matrix(iris[0]), iris[1])
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=0.02)
    assert dense.objective_ == pytest.approx(sparse.objective_, rel=1e-5)
    for n_jobs in (1, 2, 16):
        threads = LinearSVM(n_jobs=n_jobs, **settings).fit(scipy.sparse.csr_matrix(iris[0]), iris[1])
        np.testing.assert_array_equal(threads.coef_, sparse.coef_)


@pytest.mark.parametrize("sparse", [False, True])
def test_threads_and_watchers_change_no_bit(monkeypatch, sparse):
    """Passes and Newton's method, classes and rows spread over 1, 2 and 16 threads, with and without a watcher."""
    monkeypatch.setattr(engine_threads, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(products, "BLOCK", 500)
    rows = np.random.default_rng(0).normal(size=(300, 6)) * [1, 1, 1, 1, 1, 100]
    rows = scipy.sparse.csr_array(rows) if sparse else rows
    settings = {"random_state": 1, "lam": 1e-4, "tol": 1e-7}
    for y in (np.arange(300) % 7, np.arange(300) % 2):
        one = LinearSVM(n_jobs=1, **settings).fit(rows, y)
        seen = []
        for n_jobs in (1, 2, 16):
            other = LinearSVM(n_jobs=n_jobs, **settings).fit(
                rows, y, eval_set=(rows, y), on_epoch=seen.append, record="train_error"
            )
            np.testing.assert_array_equal(one.coef_, other.coef_)
            np.testing.assert_array_equal(one.intercept_, other.intercept_)
            assert other.duality_gap_ == one.duality_gap_
        assert len(seen) == 3 * one.n_iter_


def test_each_class_has_the_bits_of_its_own_fit():
    rows, y = np.repeat(iris[0], 2, axis=0), np.arange(300) % 3
    together = LinearSVM(random_state=0, lam=1e-2).fit(rows, y)
    for k in range(3):
        np.testing.assert_array_equal(together.coef_[k], LinearSVM(random_state=0, lam=1e-2).fit(rows, y == k).coef_[0])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("shape", [(200, 5), (40, 1500)])
@pytest.mark.parametrize("intercept", ["free", "regularized", "none"])
def test_newtons_method_alone_finds_the_optimum_whatever_the_columns_are_scaled_by(loss, shape, intercept):
    random = np.random.default_rng(0)
    reach = 3 if shape[1] < 100 else 1  # beyond the number of rows, columns are known by scalar products alone
    rows = random.normal(size=shape) * 10.0 ** random.uniform(-reach, reach, shape[1])
    signs = np.where(random.random(shape[0]) < 0.5, 1.0, -1.0)
    costs = random.integers(0, 3, shape[0]) / 10
    X = proximal.coordinates(rows if shape[1] < 100 else scipy.sparse.csr_array(rows), 1)
    alpha, v = proximal.solve(
        X, signs, costs, np.zeros(shape[0]), 0.0, squared=loss != "hinge", intercept=intercept, tol=1e-6
    )
    w, b = rows.T @ (alpha * signs), v[-1]
    short = np.maximum(0.0, 1 - signs * (rows @ w + b))
    penalty, dual = w @ w, alpha.sum() - w @ w / 2
    if intercept == "regularized":
        penalty, dual = penalty + b * b, dual - (alpha @ signs) ** 2 / 2
    if loss == "hinge":
        primal = penalty / 2 + costs @ short
        assert (alpha >= 0).all() and (alpha <= costs).all()
    else:
        primal = penalty / 2 + costs @ short**2
        dual -= (alpha[costs > 0] ** 2 / costs[costs > 0]).sum() / 4
    assert abs(primal - dual) <= 1e-4 * primal
    assert intercept != "free" or abs(alpha @ signs) <= 1e-6 * alpha.sum()


UNSCALED = {
    "breast cancer": load_breast_cancer, "wine": load_wine,
    "pima": lambda **_: small("pima-indians-diabetes.csv"),
    "banknote": lambda **_: small("banknote_authentication.csv"),
}  # fmt: skip


def small(name):
    path = Path(os.environ.get("ROSENBLATT_DATA", "")) / "small" / name
    if not path.exists():
        pytest.skip(f"{name} is not on this machine")
    table = np.loadtxt(path, delimiter=",")
    return table[:, :-1], table[:, -1]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", UNSCALED)
def test_defaults_are_not_behind_on_unscaled_columns(name):
    """Within a point of LinearSVC with its defaults, and at the proven minimum."""
    rows, y = UNSCALED[name](return_X_y=True)
    model = LinearSVM(random_state=0).fit(rows, y)
    assert model.stop_reason_ == "converged" and model.duality_gap_ <= 1e-4 * model.objective_
    ours = cross_val_score(LinearSVM(random_state=0), rows, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    theirs = cross_val_score(LinearSVC(random_state=0), rows, y, cv=StratifiedKFold(5, shuffle=True, random_state=0))
    assert ours.mean() >= theirs.mean() - 0.01


@pytest.mark.parametrize("sparse", [False, True])
def test_a_gap_near_the_rounding_of_floats_is_reached_on_few_rows(sparse):
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(40, 3))
    X[X < 0.8] = 0.0
    y = (4 * rng.uniform(size=40)).astype(int)
    model = LinearSVM(tol=1e-13, random_state=0).fit(scipy.sparse.csr_matrix(X) if sparse else X, y)
    assert model.stop_reason_ == "converged" and model.n_iter_ < 200


def test_few_active_rows_do_not_keep_newtons_method_waiting():
    assert LinearSVM(lam=0.01, tol=1e-8, random_state=0).fit(X, Y).n_iter_ < 200


def margin_rows(n=40_000):
    """Short rows of small whole numbers: thousands of them are exactly at the margin."""
    random = np.random.default_rng(0)
    rows = random.integers(0, 3, (n, 22)).astype(np.float64)
    return rows, rows[:, :4].sum(axis=1) + random.integers(-2, 3, n) > 4


@pytest.mark.parametrize("lam", [0.1, None])
def test_many_rows_at_the_margin_do_not_freeze_it(lam):
    model = LinearSVM(lam=lam, random_state=0).fit(*margin_rows())
    assert model.stop_reason_ == "converged" and model.duality_gap_ <= 1e-4 * model.objective_


@pytest.mark.parametrize("newton", [False, True])
def test_time_limits_and_ctrl_c_are_heeded_within_a_second(monkeypatch, newton):
    monkeypatch.setattr(proximal, "price", lambda *_: 0.0 if newton else np.inf)
    rows, y = margin_rows()
    LinearSVM(tol=0.5).fit(rows, y)  # compiled before the time runs
    start = time.monotonic()
    model = LinearSVM(lam=1e-7, tol=1e-13, time_limit=0.3, max_iter=10**6, random_state=0).fit(rows, y)
    assert model.stop_reason_ == "time_limit" and time.monotonic() - start < 5  # 1.3 on a quiet machine
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model.set_params(time_limit=60).fit(rows, y)
    assert model.stop_reason_ == "interrupted" and model.objective_ - model.duality_gap_ <= 1.0


def test_bytes_and_float32():
    pixels = np.random.default_rng(0).integers(0, 256, (200, 20), np.uint8)
    y = pixels[:, 0] > pixels[:, 1]
    for kind in (np.uint8, np.float32, np.float64):
        model = LinearSVM(lam=1.0, tol=1e-5, random_state=0).fit(pixels.astype(kind), y)
        assert model.coef_.dtype == (np.float64 if kind is np.float64 else np.float32)
        assert model.objective_ == pytest.approx(
            LinearSVM(lam=1.0, tol=1e-7, random_state=0).fit(pixels.astype(float), y).objective_, rel=1e-4
        )


def test_the_conversion_table():
    """lam, C and alpha of the docs are the same problem."""
    lam = 1e-2
    ours = LinearSVM(lam=lam, tol=1e-7, regularize_intercept=True).fit(X, Y)
    theirs = LinearSVC(C=1 / (2 * lam * N), loss="hinge", tol=1e-8, max_iter=10**6).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    sgd = SGDClassifier(alpha=2 * lam, max_iter=2000, tol=None, average=True, random_state=0).fit(X, Y)
    free = LinearSVM(lam=lam, tol=1e-7).fit(X, Y)
    assert objective(sgd.coef_[0], sgd.intercept_[0], lam, "hinge", False) == pytest.approx(free.objective_, rel=1e-2)


def test_early_figures_and_warm_starts():
    model = LinearSVM(lam=1e-3, tol=1e-6).fit(X[::2], Y[::2], eval_set=(X[1::2], Y[1::2]))
    assert np.isfinite(model.trace_["test_error"]).all() and model.trace_["gap"][-1] == model.duality_gap_
    model = LinearSVM(tol=1e-6, warm_start=True)
    for lam in (1e-1, 1e-2, 1e-3):
        fresh = LinearSVM(lam=lam, tol=1e-6).fit(X, Y)
        assert model.set_params(lam=lam).fit(X, Y).objective_ == pytest.approx(fresh.objective_, rel=1e-5)


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_warm_start_ends_at_the_optimum_of_what_is_asked_now(monkeypatch, loss, scaled):
    """Whatever was asked before: another lam, another loss, other weights; and however its dual is taken over."""
    if not scaled:  # beyond its bounds, and where rows weigh nothing now
        monkeypatch.setattr(
            LinearSVM, "_earlier_dual", lambda self, costs, task: (vars(self).get("_dual") or ([None], 0, [0.0]))[::2]
        )
    random = np.random.default_rng(1)
    before, now, lam = random.integers(0, 3, N), random.integers(0, 3, N), 0.1
    for first in ({"lam": 1e-2, "loss": "hinge"}, {"lam": 1e-2, "loss": "squared_hinge"}):
        model = LinearSVM(**first, warm_start=True, random_state=0).fit(X, Y, before)
        model.set_params(lam=lam, loss=loss, tol=1e-6).fit(X, Y, now)
        w, b = model.coef_[0], model.intercept_[0]
        fresh = LinearSVM(lam=lam, loss=loss, tol=1e-6, random_state=0).fit(X, Y, now)
        assert model.objective_ == pytest.approx(fresh.objective_, rel=1e-5)
        assert model.objective_ - model.duality_gap_ <= fresh.objective_  # what is proven holds
        short = np.maximum(0.0, 1.0 - np.where(model.classes_[1] == Y, 1, -1) * (X @ w + b))
        losses = short if loss == "hinge" else short**2
        assert lam * w @ w + losses @ now / now.sum() == pytest.approx(model.objective_, rel=1e-9)


def test_it_goes_on_learning_and_is_saved(tmp_path):
    model = LinearSVM(lam=1e-2).fit(X[:200], Y[:200])
    before = model.score(X, Y)
    model.partial_fit(X[200:], Y[200:])
    assert model.score(X, Y) > before - 0.03
    save(model, tmp_path / "svm.safetensors")
    again = load(tmp_path / "svm.safetensors")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.duality_gap_ == model.duality_gap_


@pytest.mark.parametrize("learner", [LinearSVM(), HalfSpace("pegasos")])
def test_sparse_imbalanced_batches_teach_more_than_an_intercept(learner):
    random = np.random.default_rng(0)
    rows = (random.random((40_000, 50)) < 0.1).astype(np.float64)
    scores = rows @ random.normal(size=50)
    y = scores > np.quantile(scores, 0.97)
    learner = clone(learner)
    for start in range(0, 40_000, 1000):
        learner.partial_fit(rows[start : start + 1000], y[start : start + 1000])
    sgd = SGDClassifier(random_state=0)
    for start in range(0, 40_000, 1000):
        sgd.partial_fit(rows[start : start + 1000], y[start : start + 1000], [False, True])
    assert abs(learner.intercept_[0]) < 20
    ours, theirs = balanced_accuracy_score(y, learner.predict(rows)), balanced_accuracy_score(y, sgd.predict(rows))
    assert ours > 0.8 and ours > theirs - 0.05


def test_constant_features_and_identical_rows():
    model = LinearSVM(lam=1e-2).fit(np.column_stack([X[:, 0], np.zeros(N), np.full(N, 7.0)]), Y)
    assert model.coef_[0, 1] == 0.0 and abs(model.coef_[0, 2]) < 1e-6
    assert LinearSVM(lam=1e-2).fit(np.ones((4, 2)), [0, 0, 0, 1]).predict([[1.0, 1.0]]).tolist() == [0]
    assert LinearSVM(lam=1e-2).fit(np.zeros((4, 2)), [0, 0, 0, 1]).predict([[0.0, 0.0]]).tolist() == [0]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"lam": 0}, "lam must be a finite number above 0"),
        ({"lam": "x"}, "lam must be"),
        ({"loss": "log"}, "loss must be one of"),
        ({"tol": 0}, "tol must be"),
        ({"tol": None}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
    ],
)
def test_bad_parameters_get_a_sentence_and_leave_the_fit(settings, told):
    model = LinearSVM(lam=1e-2).fit(X, Y)
    answers = model.predict(X)
    with pytest.raises(ValueError, match=told) as caught:
        model.set_params(**settings).fit(X, Y)
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(model.predict(X), answers)


def test_numbers_beyond_floats_are_refused_or_said():
    with pytest.raises(ValueError, match="NaN"):
        LinearSVM().fit([[np.nan], [1.0]], [0, 1])
    with pytest.warns(ConvergenceWarning, match="beyond the range of floats"):
        model = LinearSVM().fit([[1e200], [-1e200]], [0, 1])
    assert model.stop_reason_ == "diverged" and np.isfinite(model.coef_).all()


def test_repeated_features_of_sparse_rows_are_added_up():
    data, indices, starts = [1.0, 1.0, -2.0, 0.5, 0.5], [0, 0, 0, 0, 0], [0, 2, 3, 5]
    twice = scipy.sparse.csr_array((data, indices, starts), shape=(3, 1))
    once = LinearSVM(lam=0.1, tol=1e-8).fit([[2.0], [-2.0], [1.0]], [1, 0, 1])
    model = LinearSVM(lam=0.1, tol=1e-8).fit(twice, [1, 0, 1])
    np.testing.assert_allclose(model.coef_, once.coef_, rtol=1e-4)
    assert model.objective_ == pytest.approx(once.objective_, rel=1e-7)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_run_that_ends_too_early_is_no_worse_than_no_weights(loss, n_classes):
    """Labels by chance and hardly any prior: the first passes overshoot."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(80, 3)) * 1000, random.integers(0, n_classes, 80)
        model = LinearSVM(lam=1e-8, loss=loss, max_iter=1, random_state=0).fit(X, y)
        short = 0.0
        for k, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
            margins = np.where(y == (1 if n_classes == 2 else k), 1, -1) * (X @ w + b)
            missing = np.maximum(0.0, 1.0 - margins)
            short += 1e-8 * w @ w + np.mean(missing if loss == "hinge" else missing**2)
        assert model.objective_ == pytest.approx(short, rel=1e-9)
        assert short <= len(model.coef_) and 0 <= model.duality_gap_ <= short * (1 + 1e-12)


@pytest.mark.parametrize("regularized", [False, True])
def test_the_objective_is_that_of_the_float32_weights_that_are_handed_out(regularized):
    rows = X.astype(np.float32)
    model = LinearSVM(lam=1e-3, regularize_intercept=regularized).fit(rows, Y)
    coef, intercept = model.coef_[0].astype(np.float64), float(model.intercept_[0])
    assert model.coef_.dtype == np.float32
    value = objective(coef, intercept, 1e-3, "hinge", regularized, rows.astype(np.float64), Y, np.ones(N))
    assert model.objective_ == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_column_of_nan_is_refused(loss):
    with pytest.raises(ValueError, match="row 0, column 1 has nan"):
        LinearSVM(loss=loss).fit(np.c_[np.arange(4.0), np.full(4, np.nan)], [0, 0, 1, 1])
