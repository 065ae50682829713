"""Iterative parameter mixing: the mean of what the partitions learn."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron, load, save

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROWS, PARTS = 40, 4


def rows(n_classes: int, gap: float = 0.0):
    random = np.random.default_rng(0)
    X = random.normal(size=(PARTS * ROWS, 6))
    y = X[:, :n_classes].argmax(axis=1)
    X[np.arange(len(y)), y] += gap
    return X, y


def plainly(X, y, n_classes: int, rounds: int):
    """Iterative parameter mixing in plain numpy: (last weights, averaged weights, mixture-weighted mistakes)."""
    rows, count = np.column_stack([X, np.ones(len(X))]), 1 if n_classes == 2 else n_classes
    start, lifetime, seen, mixed = np.zeros((count, X.shape[1] + 1)), 0.0, 0, np.zeros(count)
    for _ in range(rounds):
        ends = []
        for first in range(0, len(X), ROWS):
            w = start.copy()
            for x, label in zip(rows[first : first + ROWS], y[first : first + ROWS], strict=True):
                signs = np.where(label == (np.array([1]) if count == 1 else np.arange(count)), 1.0, -1.0)
                wrong = signs * (w @ x) <= 0.0
                w += (wrong * signs)[:, None] * x
                mixed += wrong / PARTS
                lifetime, seen = lifetime + w, seen + 1
            ends.append(w)
        start = np.mean(ends, axis=0)
    return start, lifetime / seen, mixed


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_mixture_is_that_of_plain_numpy(client, n_classes, tmp_path) -> None:
    X, y = rows(n_classes)
    found = cluster.fit(
        Perceptron("averaged"), da.from_array(X, chunks=(ROWS, 6)), y, client=client, method="mix", rounds=3
    )
    last, averaged, mixed = plainly(X, y, n_classes, 3)
    for name, expected in (("last", last), ("averaged", averaged)):
        answer = found.answers_[name]
        assert np.allclose(np.column_stack([answer.coef, answer.intercept]), expected, rtol=1e-10, atol=1e-12)
    assert np.allclose(np.sum(found.trace_.mixed, axis=0), mixed)
    assert found.trace_["updates"].sum() == round(PARTS * mixed.sum())
    save(found, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), found.predict(X))


def test_separable_rows_become_clean(client) -> None:
    X, y = rows(3, gap=6.0)
    collection = da.from_array(X.astype(np.float32), chunks=(ROWS, 6))
    found = cluster.fit(Perceptron(), collection, y, client=client, method="mix", rounds=500)
    assert found.stop_reason_ == "converged" and found.score(X, y) == 1.0
    audits = cluster.audit(found, collection, y, client=client)
    assert len(audits) == 3 and audits
    assert all(0.0 < audits[k].mistakes <= audits[k].bound for k in range(3))
    found.trace_.mixed.append(np.full(3, 1e6))
    assert not cluster.audit(found, collection, y, client=client)


def test_an_audit_wants_a_mixture_and_separable_rows(client) -> None:
    X, y = rows(2)
    collection = da.from_array(np.round(X), chunks=(ROWS, 6))
    with pytest.raises(ValueError, match="method='mix'"):
        cluster.audit(Perceptron(shuffle=False).fit(X, y), collection, y, client=client)
    found = cluster.fit(Perceptron("averaged"), collection, y, client=client, method="mix", rounds=2)
    audit = cluster.audit(found, collection, y, client=client)
    assert audit.holds is None and not audit and "not separable" in str(audit)


def test_rows_sorted_by_label_are_told_and_shuffled(client) -> None:
    X, y = rows(3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    collection = da.from_array(X, chunks=(ROWS, 6))
    model = Perceptron("averaged")
    with pytest.warns(UserWarning, match="sorted by label.*shuffled"):
        cluster.fit(model, collection, y, client=client, method="mix", rounds=1)
    blocks, labels = cluster.shuffled(collection, y, seed=1)
    found = cluster.fit(model, blocks, labels, client=client, method="mix", rounds=1)
    assert found.classes_.tolist() == [0, 1, 2]
    dealt, named = (np.concatenate(dask.compute(*parts)) for parts in (blocks, labels))
    assert not np.array_equal(dealt, X) and np.array_equal(np.sort(dealt, axis=0), np.sort(X, axis=0))
    assert all(y[np.flatnonzero((row == X).all(axis=1))[0]] == label for row, label in zip(dealt, named, strict=True))


def test_weights_are_refused(client) -> None:
    X, y = rows(2)
    collection = da.from_array(X, chunks=(ROWS, 6))
    with pytest.raises(ValueError, match="method='relay', or no weights"):
        cluster.fit(Perceptron(), collection, y, client=client, method="mix", sample_weight=np.ones(len(y)))
