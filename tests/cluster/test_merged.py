"""Merged in a fixed tree: the solutions of one machine, within 1e-9."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from rosenblatt import GaussianDiscriminant, LeastSquares, load, save

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROWS, WIDTH = 2100, 7


def rows(seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(ROWS, WIDTH)) @ random.normal(size=(WIDTH, WIDTH)) + 100.0 * random.normal(size=WIDTH)
    return X, random


def close(found, expected) -> bool:
    return bool(np.abs(found - expected).max() <= 1e-9 * np.abs(expected).max())


def sparse_blocks(X):
    return [dask.delayed(scipy.sparse.csr_matrix)(X[start : start + 100]) for start in range(0, len(X), 100)]


@pytest.mark.parametrize("model", [LeastSquares(), LeastSquares(lam=0.3), LeastSquares(fit_intercept=False)])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_least_squares_is_that_of_one_machine(client, model, layout) -> None:
    X, random = rows()
    y = X @ random.normal(size=WIDTH) + random.normal(size=ROWS)
    weights = random.integers(0, 4, ROWS).astype(float)
    collection = da.from_array(X, chunks=(100, WIDTH)) if layout == "dense" else sparse_blocks(X)
    found = cluster.fit(
        model, collection, da.from_array(y, chunks=100), sample_weight=da.from_array(weights, chunks=100), client=client
    )
    expected = clone(model).fit(X, y, weights)
    assert close(found.coef_, expected.coef_) and abs(found.intercept_ - expected.intercept_) <= 1e-7
    assert found.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    assert found.stop_reason_ == "converged" and "condition number" in found.trace_.note
    assert cluster.score(found, da.from_array(X, chunks=(100, WIDTH)), y, client=client) == pytest.approx(
        found.score(X, y)
    )


def test_several_targets_and_dependent_columns(client, tmp_path) -> None:
    X, random = rows()
    X = np.column_stack([X, X[:, 0]])
    Y = X @ random.normal(size=(WIDTH + 1, 3))
    found = cluster.fit(LeastSquares(), da.from_array(X, chunks=(100, WIDTH + 1)), Y, client=client)
    expected = LeastSquares().fit(X, Y)
    assert found.coef_.shape == (3, WIDTH + 1) and close(found.coef_, expected.coef_)
    save(found, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), found.predict(X))


def test_far_from_the_origin_no_digits_are_lost(client) -> None:
    X, random = rows()
    X += 1e6
    y = (X - 1e6) @ random.normal(size=WIDTH)
    found = cluster.fit(LeastSquares(), da.from_array(X, chunks=(100, WIDTH)), y, client=client)
    assert np.abs(found.coef_ - LeastSquares().fit(X, y).coef_).max() < 1e-9


@pytest.mark.parametrize("model", [GaussianDiscriminant(), GaussianDiscriminant(shrinkage=0.2)])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_discriminants_are_those_of_one_machine(client, model, layout, n_classes, tmp_path) -> None:
    X, random = rows()
    X -= X.mean(axis=0)
    y = (X[:, :n_classes] + random.normal(size=(ROWS, n_classes))).argmax(axis=1)
    order = np.argsort(y, kind="stable")[::-1]  # partitions without some of the classes
    X, y = X[order], y[order]
    weights = random.integers(0, 4, ROWS).astype(float)
    collection = da.from_array(X, chunks=(100, WIDTH)) if layout == "dense" else sparse_blocks(X)
    found = cluster.fit(
        model, collection, da.from_array(y, chunks=100), sample_weight=da.from_array(weights, chunks=100), client=client
    )
    expected = clone(model).fit(X, y, weights)
    for name in ("coef_", "intercept_", "means_", "covariance_", "priors_"):
        assert close(getattr(found, name), getattr(expected, name)), name
    assert found.rank_ == expected.rank_ and "condition number" in found.trace_.note
    save(found, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), found.predict(X))


def test_refusals_say_what_to_use(client) -> None:
    X = da.ones((4, 2), chunks=(2, 2))
    with pytest.raises(ValueError, match="use a number"):
        cluster.fit(GaussianDiscriminant(shrinkage="auto"), X, [0, 1, 0, 1], client=client)
    with pytest.raises(ValueError, match="use solver='exact'"):
        cluster.fit(LeastSquares(solver="sgd"), X, [0, 1, 0, 1], client=client)
    with pytest.raises(ValueError, match="one of 'auto', 'merged'"):
        cluster.fit(LeastSquares(), X, [0, 1, 0, 1], client=client, method="relay")
