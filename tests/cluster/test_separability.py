"""Separability at the workers agrees with one machine, and its proofs hold."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import separability

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402


def rows(gap: float, n: int = 900, width: int = 8, seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, width))
    y = np.where(X @ np.ones(width) > 0.0, "up", "down")
    X += gap * np.where(y == "up", 1.0, -1.0)[:, None]
    return X, y


@pytest.mark.parametrize("gap", [0.5, 0.01, -0.01, -0.5])
@pytest.mark.parametrize("intercept", [True, False])
def test_verdict_and_margin_are_those_of_one_machine(client, gap, intercept) -> None:
    X, y = rows(gap)
    collection, labels = da.from_array(X, chunks=(100, 8)), da.from_array(y.astype("U4"), chunks=100)
    found = cluster.separability(collection, labels, intercept, client=client)
    expected = separability(X, y, intercept)
    assert bool(found) == bool(expected) and found.verdict == expected.verdict
    if expected:
        assert found.margin <= expected.margin_upper and expected.margin <= found.margin_upper
        assert found.margin >= 0.98 * found.margin_upper
        assert found.radius == expected.radius and found.mistake_bound >= 0.98 * expected.mistake_bound
        assert len(found.rows) < 900
    proof = found.verify(collection.rechunk((250, 8)), labels.rechunk(250), client=client)
    assert proof and "exact arithmetic" in proof.reason


def test_sparse_rows_and_several_classes(client) -> None:
    random = np.random.default_rng(1)
    X = scipy.sparse.random_array((200, 12), density=0.4, rng=random, format="csr")
    scores = X @ random.normal(size=(12, 3))
    y = scores.argmax(axis=1)
    y[:5] = 0
    blocks = [dask.delayed(X[start : start + 40]) for start in range(0, 200, 40)]
    labels = [dask.delayed(y[start : start + 40]) for start in range(0, 200, 40)]
    found, expected = cluster.separability(blocks, labels, client=client), separability(X, y)
    assert len(found) == 6
    for (a, b), verdict in found.items():
        one = expected.rest[b] if a == "the rest" else expected.pairs[a, b]
        assert verdict.verdict == one.verdict and verdict.verify(blocks, labels, client=client)


def test_other_rows_and_other_claims_do_not_verify(client) -> None:
    X, y = rows(0.1)
    collection, labels = da.from_array(X, chunks=(300, 8)), da.from_array(y.astype("U4"), chunks=300)
    found = cluster.separability(collection, labels, client=client)
    for claim in ({"margin": 2 * found.margin}, {"mistake_bound": 1}, {"radius": 0.1}):
        assert not dataclasses.replace(found, **claim).verify(collection, labels, client=client)
    far = int(np.setdiff1d(np.arange(900), found.rows)[0])
    X[far] = -50.0 if y[far] == "up" else 50.0  # a row outside the working set, on the wrong side
    other = da.from_array(X, chunks=(300, 8))
    assert not found.verify(other, labels, client=client)
    assert not cluster.separability(other, labels, client=client)
    assert not found.verify(collection[:600], labels[:600], client=client)
