"""Several classes on sparse rows: the first passes are made together, the rest apart."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM
from rosenblatt.engine.svm import epochs as coordinate_run


@pytest.fixture
def rows() -> tuple[scipy.sparse.csr_array, np.ndarray]:
    generator = np.random.default_rng(3)
    y = generator.integers(0, 5, 400)
    dense = generator.normal(size=(400, 60)) * (generator.random((400, 60)) < 0.2)
    dense[np.arange(400), y] += 1.0
    return scipy.sparse.csr_array(dense), y


def objective(model: LinearSVM, X: scipy.sparse.csr_array, y: np.ndarray, lam: float) -> float:
    signs = np.where(y[:, None] == model.classes_[None, :], 1.0, -1.0)
    short = np.maximum(0.0, 1.0 - signs * (X @ model.coef_.T + model.intercept_))
    return lam * float((model.coef_**2).sum()) + float(short.mean(axis=0).sum())


def fitted(rows: tuple, **parameters: object) -> LinearSVM:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVM(lam=1e-3, random_state=0, **parameters).fit(*rows)


@pytest.mark.parametrize("max_iter", [1, 2, coordinate_run.TOGETHER, coordinate_run.TOGETHER + 1, 9, 1000])
def test_the_gap_is_a_true_bound_wherever_the_passes_end(rows, max_iter: int) -> None:
    best = fitted(rows, tol=1e-7, max_iter=20_000)
    assert best.stop_reason_ == "converged"
    model = fitted(rows, max_iter=max_iter)
    reached = objective(model, *rows, 1e-3)
    assert model.n_iter_ <= max_iter
    assert model.objective_ == pytest.approx(reached, rel=1e-9)
    assert 0 <= reached - objective(best, *rows, 1e-3) + 1e-7 <= model.duality_gap_ + 2e-7


def test_dense_rows_have_the_same_optimum(rows) -> None:
    X, y = rows
    sparse = fitted(rows, tol=1e-6, max_iter=20_000)
    dense = fitted((X.toarray(), y), tol=1e-6, max_iter=20_000)
    assert objective(sparse, X, y, 1e-3) == pytest.approx(objective(dense, X, y, 1e-3), rel=3e-6)


def test_time_that_is_up_in_the_passes_together_keeps_a_proven_model(rows) -> None:
    model = fitted(rows, time_limit=1e-9)
    assert model.stop_reason_ == "time_limit"
    assert model.n_iter_ == 1
    assert objective(model, *rows, 1e-3) == pytest.approx(model.objective_, rel=1e-9)


def test_many_weights_go_apart_from_the_start(rows, monkeypatch: pytest.MonkeyPatch) -> None:
    together = fitted(rows, tol=1e-6)
    monkeypatch.setattr(coordinate_run, "MOST_WEIGHTS", 0)
    apart = fitted(rows, tol=1e-6)
    assert apart.objective_ == pytest.approx(together.objective_, rel=3e-6)
    assert not np.array_equal(apart.coef_, together.coef_)  # or the passes together never happened
