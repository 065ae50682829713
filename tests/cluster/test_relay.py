"""Relay: the bits of one machine, from every kind of collection."""

from __future__ import annotations

import signal

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, load, save

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROUNDS, ROWS = 3, 50


def rows(n_classes: int, seed: int = 0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(230, 6))
    return X, (X[:, :n_classes] + 0.3 * random.normal(size=(230, n_classes))).argmax(axis=1)


def on_one_machine(estimator, X, y, rounds=ROUNDS, sample_weight=None):
    model = clone(estimator)
    for _ in range(rounds):
        for start in range(0, X.shape[0], ROWS):
            part = slice(start, start + ROWS)
            weights = None if sample_weight is None else sample_weight[part]
            model.partial_fit(X[part], y[part], classes=np.unique(y), sample_weight=weights)
    return model


def assert_same_bits(one, other):
    for name in ("last", "averaged"):
        assert np.array_equal(one.answers_[name].coef, other.answers_[name].coef)
        assert np.array_equal(one.answers_[name].intercept, other.answers_[name].intercept)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.mistakes_ == other.mistakes_


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron("averaged"),
        Perceptron("averaged", multi_class="coupled"),
        PassiveAggressive(C=0.1),
        HalfSpace("logistic"),
    ],
    ids=["perceptron", "coupled", "passive-aggressive", "half-space"],
)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_relay_has_the_bits_of_partial_fit(client, estimator, n_classes) -> None:
    X, y = rows(n_classes)
    found = cluster.fit(estimator, da.from_array(X, chunks=(ROWS, 3)), y, client=client, method="relay", rounds=ROUNDS)
    assert_same_bits(found, on_one_machine(estimator, X, y))
    assert len(found.trace_) == found.n_iter_ == ROUNDS and found.stop_reason_ == "max_iter"
    assert (found.trace_["bytes"] > 0).all() and found.trace_["mistakes"].sum() == found.mistakes_
    assert "relay" in repr(found.trace_)


@pytest.mark.parametrize("persist", [True, False])
def test_sparse_blocks_and_weights(client, persist) -> None:
    X, y = rows(3)
    X[np.abs(X) < 0.7] = 0.0
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    blocks = [
        dask.delayed(scipy.sparse.csr_matrix)(X[start : start + ROWS].astype(np.float32))
        for start in range(0, len(y), ROWS)
    ]
    labels = [dask.delayed(np.array)(y[start : start + ROWS]) for start in range(0, len(y), ROWS)]
    cut = da.from_array(weights, chunks=ROWS)
    model = Perceptron("averaged")
    found = cluster.fit(
        model, blocks, labels, sample_weight=cut, client=client, method="relay", rounds=ROUNDS, persist=persist
    )
    sparse = scipy.sparse.csr_array(X.astype(np.float32))
    assert_same_bits(found, on_one_machine(model, sparse, y, sample_weight=weights))


def test_frames_have_names_and_the_model_is_an_ordinary_one(client, tmp_path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    import dask.dataframe as dd

    X, y = rows(3)
    frame = pandas.DataFrame(X, columns=list("abcdef")).assign(kind=np.array(["x", "y", "z"])[y])
    table = dd.from_pandas(frame, npartitions=4)
    columns = list("abcdef")
    found = cluster.fit(Perceptron("averaged"), table[columns], table["kind"], client=client, method="relay", rounds=2)
    assert found.feature_names_in_.tolist() == columns and found.classes_.tolist() == ["x", "y", "z"]
    answers = cluster.predict(found, table[columns]).compute()
    assert answers.tolist() == found.predict(frame[columns]).tolist() and answers.index.equals(frame.index)
    scores = cluster.decision_function(found, table[columns]).compute()
    assert np.array_equal(scores.to_numpy(), found.decision_function(frame[columns]))
    assert cluster.score(found, table[columns], table["kind"], client=client) == found.score(
        frame[columns], frame["kind"]
    )
    save(found, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").coef_, found.coef_)


def test_labels_may_be_missing_in_partitions(client) -> None:
    X, y = rows(3)
    order = np.argsort(y, kind="stable")
    found = cluster.fit(
        Perceptron("averaged"),
        da.from_array(X[order], chunks=(ROWS, 6)),
        y[order],
        client=client,
        method="relay",
        rounds=2,
    )
    assert_same_bits(found, on_one_machine(Perceptron("averaged"), X[order], y[order], rounds=2))


def test_answers_of_arrays_and_blocks_are_lazy(client) -> None:
    X, y = rows(3)
    model = Perceptron("averaged", random_state=0).fit(X, y)
    collection = da.from_array(X, chunks=(ROWS, 3))
    assert np.array_equal(cluster.predict(model, collection).compute(), model.predict(X))
    assert np.array_equal(cluster.decision_function(model, collection).compute(), model.decision_function(X))
    blocks = [dask.delayed(X[:ROWS]), dask.delayed(X[ROWS:])]
    assert np.array_equal(np.concatenate(dask.compute(*cluster.predict(model, blocks))), model.predict(X))
    assert cluster.score(model, collection, y, client=client) == model.score(X, y)


def test_a_clean_round_ends_the_fit(client) -> None:
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    found = cluster.fit(Perceptron(), da.from_array(X, chunks=(2, 1)), [0, 0, 1, 1], client=client, rounds=50)
    assert (
        found.stop_reason_ == "converged"
        and found.trace_.epochs[-1].mistakes == 0
        and found.score(X, [0, 0, 1, 1]) == 1
    )


def test_ctrl_c_keeps_the_model_of_the_last_round(client) -> None:
    X, y = rows(4)
    found = cluster.fit(
        Perceptron(), da.from_array(X, chunks=(ROWS, 6)), y, client=client, method="relay", rounds=9,
        on_round=lambda row: signal.raise_signal(signal.SIGINT) if row.epoch == 2 else None,
    )  # fmt: skip
    assert found.stop_reason_ == "interrupted" and found.n_iter_ == 2
    assert_same_bits(found, on_one_machine(Perceptron(), X, y, rounds=2))


def test_a_callback_ends_the_fit(client) -> None:
    X, y = rows(4)
    seen = []
    found = cluster.fit(
        Perceptron(), da.from_array(X, chunks=(ROWS, 6)), y, client=client, method="relay",
        on_round=lambda row: seen.append(row) or len(seen) == 2,
    )  # fmt: skip
    assert found.stop_reason_ == "callback" and len(seen) == found.n_iter_ == 2
    assert_same_bits(found, on_one_machine(Perceptron(), X, y, rounds=2))


def test_a_class_in_place_of_an_estimator_is_refused() -> None:
    with pytest.raises(TypeError, match=r"pass Perceptron\(\)"):
        cluster.fit(Perceptron, None, None)
