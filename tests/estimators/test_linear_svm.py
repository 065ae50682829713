"""LinearSVM beside independent solvers, and its duality gap beside the truth."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from rosenblatt import LinearSVM, load, regularization_path, save

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
    seen = []
    together = LinearSVM(**settings).fit(scipy.sparse.csr_matrix(iris[0]), iris[1], on_epoch=seen.append)
    assert together.objective_ == pytest.approx(sparse.objective_, rel=1e-5) and len(seen) == together.n_iter_
    threads = LinearSVM(n_jobs=2, **settings).fit(scipy.sparse.csr_matrix(iris[0]), iris[1])
    np.testing.assert_array_equal(threads.coef_, sparse.coef_)
    ten = np.repeat(iris[0], 2, axis=0), np.arange(300) % 7  # seven half-spaces: more than one unit
    one, two = (
        LinearSVM(max_iter=7, n_jobs=n, random_state=1, lam=1e-2, tol=1e-12) for n in (1, 2)
    )  # fmt: skip
    with pytest.warns(ConvergenceWarning, match="at most"):
        one.fit(*ten)
    with pytest.warns(ConvergenceWarning):
        two.fit(*ten)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_bytes_and_float32():
    pixels = np.random.default_rng(0).integers(0, 256, (200, 20), np.uint8)
    y = pixels[:, 0] > pixels[:, 1]
    for kind in (np.uint8, np.float32, np.float64):
        model = LinearSVM(lam=1.0, tol=1e-5, random_state=0).fit(pixels.astype(kind), y)
        assert model.coef_.dtype == (np.float64 if kind is np.float64 else np.float32)
        assert model.objective_ == pytest.approx(
            LinearSVM(lam=1.0, tol=1e-7, random_state=0).fit(pixels.astype(float), y).objective_, rel=1e-4
        )


def test_pegasos_comes_near():
    exact = LinearSVM(lam=1e-2, tol=1e-6).fit(X, Y)
    with pytest.warns(ConvergenceWarning):
        last = LinearSVM(lam=1e-2, solver="pegasos", max_iter=200, random_state=0).fit(X, Y)
    near = objective(last.coef_[0], last.intercept_[0], 1e-2, "hinge", False)
    assert exact.objective_ <= near < 1.1 * exact.objective_
    assert not hasattr(last, "duality_gap_")


def test_the_conversion_table():
    """lam, C and alpha of the docs are the same problem."""
    lam = 1e-2
    ours = LinearSVM(lam=lam, tol=1e-7, regularize_intercept=True).fit(X, Y)
    theirs = LinearSVC(C=1 / (2 * lam * N), loss="hinge", tol=1e-8, max_iter=10**6).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    sgd = SGDClassifier(alpha=2 * lam, max_iter=2000, tol=None, average=True, random_state=0).fit(X, Y)
    free = LinearSVM(lam=lam, tol=1e-7).fit(X, Y)
    assert objective(sgd.coef_[0], sgd.intercept_[0], lam, "hinge", False) == pytest.approx(free.objective_, rel=1e-2)


def test_early_figures_warm_start_and_path():
    model = LinearSVM(lam=1e-3, tol=1e-6).fit(X[::2], Y[::2], eval_set=(X[1::2], Y[1::2]))
    assert np.isfinite(model.trace_["test_error"]).all() and model.trace_["gap"][-1] == model.duality_gap_
    path = regularization_path(LinearSVM(tol=1e-6), X, Y, [1e-1, 1e-3, 1e-2])
    assert path.lams.tolist() == [1e-1, 1e-2, 1e-3]
    for one in path:
        fresh = LinearSVM(lam=one.lam, tol=1e-6).fit(X, Y)
        assert one.objective_ == pytest.approx(fresh.objective_, rel=1e-5)
        assert not one.warm_start


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_warm_start_ends_at_the_optimum_of_what_is_asked_now(monkeypatch, loss, scaled):
    """Whatever was asked before: another lam, another loss, other weights; and however its dual is taken over."""
    if not scaled:  # beyond its bounds, and where rows weigh nothing now
        monkeypatch.setattr(
            LinearSVM, "_earlier_dual", lambda self, costs, task: (vars(self).get("_dual") or (None,) * 3)[::2]
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
        ({"solver": "sgd"}, "solver must be one of"),
        ({"tol": 0}, "tol must be"),
        ({"tol": None}, "tol must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"answer": "averaged"}, "answer must be 'last'"),
        ({"solver": "pegasos", "loss": "squared_hinge"}, "needs loss='hinge'"),
    ],
)
def test_bad_parameters_get_a_sentence_and_leave_the_fit(settings, told):
    model = LinearSVM(lam=1e-2).fit(X, Y)
    answers = model.predict(X)
    with pytest.raises(ValueError, match=told) as caught:
        model.set_params(**settings).fit(X, Y)
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(LinearSVM.predict(model.set_params(answer="last"), X), answers)


def test_numbers_beyond_floats_are_refused_or_said():
    with pytest.raises(ValueError, match="NaN"):
        LinearSVM().fit([[np.nan], [1.0]], [0, 1])
    with pytest.warns(ConvergenceWarning, match="beyond the range"):
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
