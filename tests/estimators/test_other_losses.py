"""LeastSquares and Streamed."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.preprocessing import StandardScaler

from rosenblatt import GradientDescent, LeastSquares, PairProducts, Perceptron, Streamed
from rosenblatt.sources import digits

CANCER = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(CANCER[0]), CANCER[1]
diabetes = load_diabetes(return_X_y=True)


# ---------------------------------------------------------------------- least squares


@pytest.mark.parametrize("lam", [0.0, 1e-4, 1e-2])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_exact_least_squares_is_scikit_learns(lam, sparse, intercept):
    rows, y = scipy.sparse.csr_matrix(diabetes[0]) if sparse else diabetes[0], diabetes[1]
    c = np.random.default_rng(0).uniform(0, 2, len(y))
    peer = LinearRegression(fit_intercept=intercept)
    if lam:
        peer = Ridge(alpha=2 * lam * c.sum(), fit_intercept=intercept, tol=1e-12)
    peer.fit(diabetes[0], y, c)
    ours = LeastSquares(lam=lam, fit_intercept=intercept).fit(rows, y, c)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict(rows), peer.predict(diabetes[0]), rtol=1e-6)


def test_large_matrices_are_solved_by_their_products(monkeypatch):
    from rosenblatt.closed_form import least_squares

    whole = LeastSquares(lam=1e-3).fit(*diabetes).coef_
    monkeypatch.setattr(least_squares, "WHOLE", 0)
    for rows in (diabetes[0], scipy.sparse.csr_matrix(diabetes[0])):
        np.testing.assert_allclose(LeastSquares(lam=1e-3).fit(rows, diabetes[1]).coef_, whole, rtol=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("solver", "near"),
    [("svrg", 1e-6), ("batch", 1e-6), (GradientDescent(schedule="1/sqrt(t)"), 1e-2)],
)
def test_steps_come_to_the_exact_answer(solver, near):
    rows = StandardScaler().fit_transform(diabetes[0])
    exact = LeastSquares(lam=0.1).fit(rows, diabetes[1])
    model = LeastSquares(lam=0.1, solver=solver, tol=0, max_iter=500, random_state=0)
    model.fit(rows, diabetes[1])
    assert exact.objective_ <= model.objective_ * (1 + 1e-12) and model.objective_ <= exact.objective_ * (1 + near)


@pytest.mark.parametrize("lam", [0.0, 1e-3])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_batches_add_up_to_one_fit(lam, intercept, sparse):
    rows, y = diabetes
    rows = 100 * rows + 1000.0 * (intercept and not sparse)  # far from the origin
    c = np.random.default_rng(0).uniform(0, 2, len(y))
    both = np.column_stack([y, y**2])
    for targets in (y, both):
        whole = LeastSquares(lam=lam, fit_intercept=intercept).fit(rows, targets, c)
        model = LeastSquares(lam=lam, fit_intercept=intercept)
        for part in np.array_split(np.arange(len(y)), [3, 50, 51, 300]):
            batch = scipy.sparse.csr_matrix(rows[part]) if sparse else rows[part]
            model.partial_fit(batch, targets[part], c[part])
        np.testing.assert_allclose(model.predict(rows), whole.predict(rows), rtol=1e-9)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-9, atol=1e-9 * np.abs(whole.coef_).max())
        assert model.objective_ == pytest.approx(whole.objective_, rel=1e-9) and model.n_iter_ == 5


def test_partial_fit_and_bad_input():
    rows, y = diabetes
    model = LeastSquares().partial_fit(rows[:20], y[:20])
    before = model.coef_.copy()
    for wrong, sentence in (
        (lambda: model.partial_fit(rows[:, :3], y), "expecting 10 features"),
        (lambda: model.partial_fit(rows, np.column_stack([y, y])), "1 targets as before"),
        (lambda: model.partial_fit(rows, y, -np.ones(len(y))), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=sentence):
            wrong()
    np.testing.assert_array_equal(model.coef_, before)
    model.fit(rows, y)
    assert not hasattr(model, "_scatter")
    model.partial_fit(rows[:20], y[:20])  # begins anew
    np.testing.assert_array_equal(model.coef_, before)


def test_several_targets_constant_features_and_divergence():
    two = np.column_stack([diabetes[1], -diabetes[1]])
    model = LeastSquares().fit(diabetes[0], two)
    np.testing.assert_allclose(model.coef_[0], -model.coef_[1])
    assert model.predict(diabetes[0]).shape == two.shape
    constant = LeastSquares().fit(np.column_stack([diabetes[0], np.full(len(two), 3.0)]), diabetes[1])
    assert abs(constant.coef_[-1]) < 1e-9  # a constant feature gets no weight
    with pytest.warns(ConvergenceWarning, match="Lower learning_rate"):
        diverged = LeastSquares(solver=GradientDescent(learning_rate=1e3)).fit(1e3 * diabetes[0], diabetes[1])
    assert diverged.stop_reason_ == "diverged" and np.isfinite(diverged.coef_).all()
    with pytest.raises(ValueError, match="solver must be one of"):
        LeastSquares(solver="magic").fit(*diabetes)


# ---------------------------------------------------------------------- streamed features


def test_streamed_is_the_learner_on_all_mapped_rows():
    split = digits()
    rows = (split.X_train / 16).astype(np.float32)
    pairs = PairProducts(300, random_state=0)
    streamed = Streamed(pairs, Perceptron("averaged"), max_iter=2, shuffle=False).fit(rows, split.y_train)
    whole = Perceptron("averaged")
    for _ in range(2):
        whole.partial_fit(pairs.fit_transform(rows), split.y_train)
    np.testing.assert_array_equal(streamed.decision_function(rows), whole.decision_function(pairs.transform(rows)))
    with pytest.raises(AttributeError, match="partial_fit"):
        Streamed(pairs, LinearRegression()).fit(rows, split.y_train)


def test_a_rate_that_only_overshoots_is_not_called_converged():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.warns(ConvergenceWarning, match="Lower learning_rate"):
        model = LeastSquares(solver=GradientDescent(batch_size=None, learning_rate=2.5)).fit(
            rows, rows @ [1.0, 2.0, 3.0]
        )
    assert model.stop_reason_ == "diverged" and model.objective_ == model.trace_["loss"].min()


def test_streamed_gives_every_row_its_weight(monkeypatch):
    monkeypatch.setattr("rosenblatt.estimators.streamed.BLOCK_BYTES", 200)  # a few rows a block
    rows, weights = X[:40], np.arange(40) % 4 / 2.0
    pairs, y = PairProducts(5, random_state=0), Y[:40]
    streamed = Streamed(pairs, Perceptron("averaged"), max_iter=1, shuffle=False).fit(rows, y, weights)
    whole = Perceptron("averaged").partial_fit(pairs.fit_transform(rows), y, sample_weight=weights)
    np.testing.assert_allclose(streamed.learner_.coef_, whole.coef_, rtol=1e-12)
    unweighted = Perceptron("averaged").partial_fit(pairs.transform(rows), y)
    assert not np.allclose(unweighted.coef_, whole.coef_)
