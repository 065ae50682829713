"""Ring: each group has the bits of partial_fit in its own order of the partitions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, load, save

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROUNDS, ROWS, PARTS = 2, 30, 8


def rows(n_classes: int):
    random = np.random.default_rng(0)
    X = random.normal(size=(PARTS * ROWS, 12))
    return X, (X[:, :n_classes] + 0.3 * random.normal(size=(len(X), n_classes))).argmax(axis=1)


@pytest.mark.parametrize(
    ("estimator", "n_classes", "layout"),
    [
        (Perceptron("averaged"), 2, "dense"),
        (Perceptron("averaged"), 3, "dense"),
        (Perceptron("averaged"), 10, "sparse"),
        (PassiveAggressive(C=0.1), 3, "sparse"),
        (HalfSpace("logistic"), 10, "dense"),
    ],
)
def test_groups_have_the_bits_of_their_own_order(client, estimator, n_classes, layout) -> None:
    X, y = rows(n_classes)
    collection = da.from_array(X.astype(np.float32), chunks=(ROWS, 12))
    if layout == "sparse":
        X[np.abs(X) < 0.5] = 0.0
        X = scipy.sparse.csr_array(X.astype(np.float32))
        collection = [dask.delayed(X[start : start + ROWS]) for start in range(0, len(y), ROWS)]
    else:
        X = X.astype(np.float32)
    labels = da.from_array(y, chunks=ROWS)
    found = cluster.fit(estimator, collection, labels, client=client, method="ring", rounds=ROUNDS)
    groups = np.array_split(
        np.arange(1 if n_classes == 2 else n_classes), min(PARTS, 1 if n_classes == 2 else n_classes)
    )
    for number, group in enumerate(groups):
        model, start = clone(estimator), number * PARTS // len(groups)
        for step in range(ROUNDS * PARTS):
            first = (start + step) % PARTS * ROWS
            model.partial_fit(X[first : first + ROWS], y[first : first + ROWS], classes=np.unique(y))
        for name in ("last", "averaged"):
            one, other = found.answers_[name], model.answers_[name]
            assert np.array_equal(one.coef[group], other.coef[group])
            assert np.array_equal(one.intercept[group], other.intercept[group])


def test_the_model_is_an_ordinary_one(client, tmp_path) -> None:
    X, y = rows(4)
    found = cluster.fit(Perceptron("averaged"), da.from_array(X, chunks=(ROWS, 12)), y, client=client)
    assert found.trace_.note.startswith("ring") and found.mistakes_ == found.trace_["updates"].sum()
    save(found, tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.predict(X), found.predict(X))
    again.partial_fit(X, np.full(len(y), 7))
    assert again.classes_.tolist() == [0, 1, 2, 3, 7]


def test_loading_again_gives_the_same_bits(client) -> None:
    X, y = rows(3)
    found = [
        cluster.fit(
            Perceptron(), da.from_array(X, chunks=(ROWS, 12)), y, client=client, rounds=2, persist=persist
        ).coef_
        for persist in (True, False)
    ]
    assert np.array_equal(*found)


def test_a_clean_round_ends_the_fit(client) -> None:
    X = np.repeat(np.eye(3), 4, axis=0)
    y = np.repeat([0, 1, 2], 4)
    found = cluster.fit(Perceptron(), da.from_array(X, chunks=(3, 3)), y, client=client, method="ring", rounds=50)
    assert found.stop_reason_ == "converged" and found.score(X, y) == 1.0


def test_two_classes_and_coupled_ones_are_relayed(client) -> None:
    X, y = rows(2)
    collection = da.from_array(X, chunks=(ROWS, 12))
    assert cluster.fit(PassiveAggressive(), collection, y, client=client, rounds=1).trace_.note.startswith("relay")
    coupled = Perceptron("averaged", multi_class="coupled")
    with pytest.raises(ValueError, match="method='relay'"):
        cluster.fit(coupled, collection, y, client=client, method="ring")
    X, y = rows(3)
    found = cluster.fit(coupled, da.from_array(X, chunks=(ROWS, 12)), y, client=client, rounds=1)
    assert found.trace_.note.startswith("relay")
