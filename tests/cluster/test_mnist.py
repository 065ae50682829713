"""MNIST on a cluster: mixtures of 16 partitions, and separability of all pairs of digits."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.sources import mnist

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Sending large graph"),  # the rows are here already
    pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set"),
]
SHARDS = 16
STORED = Path(__file__).parents[2] / "docs" / "certificates" / "mnist.json"


@pytest.fixture(scope="module")
def digits():
    return mnist()


@pytest.fixture(scope="module")
def verdicts():
    """Those of one machine, by the certificates of the documentation, which tests/certificates/test_mnist.py checks."""
    return {tuple(pair["classes"]): pair["verdict"] for pair in json.loads(STORED.read_text())["pairs"]}


def collection(X, y):
    rows = -(-len(y) // SHARDS)
    return da.from_array(X, chunks=(rows, X.shape[1])), da.from_array(y, chunks=rows)


def scaled(X):
    return X.reshape(len(X), -1).astype(np.float32) / 255.0


def test_zero_against_one_becomes_clean_within_the_bound(client, digits) -> None:
    chosen = digits.y_train <= 1
    X, y = scaled(digits.X_train[chosen]), digits.y_train[chosen]
    given = collection(X, y)
    found = cluster.fit(Perceptron(), *given, client=client, method="mix", rounds=200)
    assert found.stop_reason_ == "converged" and found.score(X, y) == 1.0
    audit = cluster.audit(found, *given, client=client)
    assert audit.holds and 0.0 < audit.mistakes <= audit.bound
    assert audit.verdict.verify(*given, client=client)


def test_ten_classes_averaged_have_at_most_8_8_per_cent_errors(client, digits) -> None:
    def load(number: int):
        split = mnist()
        own = np.random.default_rng(0).permutation(len(split.y_train))[number::SHARDS]
        return split.X_train[own].reshape(len(own), -1).astype(np.float32) / 255.0, split.y_train[own]

    pairs = [dask.delayed(load, nout=2)(number) for number in range(SHARDS)]
    X, y = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = cluster.fit(Perceptron("averaged"), X, y, client=client, method="mix", rounds=10, persist=True)
    assert len(found.trace_) == 10 and "16 partitions" in found.trace_.note
    errors = 1.0 - found.score(scaled(digits.X_test), digits.y_test)
    assert errors <= 0.088, errors


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(range(10), 2)))
def test_separability_of_two_digits_is_that_of_one_machine(client, digits, verdicts, one, other) -> None:
    chosen = np.isin(digits.y_train, (one, other))
    X, y = digits.X_train[chosen].reshape(chosen.sum(), -1), digits.y_train[chosen]
    given = collection(X, y)
    found = cluster.separability(*given, client=client)
    assert found.verdict == verdicts[one, other]
    assert found.verify(*given, client=client)
