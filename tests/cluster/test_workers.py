"""The same bits with one, two and three workers, and after `kill -9` of a worker in the middle of a round."""

from __future__ import annotations

import os
import signal
import time
import warnings

import numpy as np
import pytest

from rosenblatt import GaussianDiscriminant, LeastSquares, LinearSVM, LogisticRegression, Perceptron

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
distributed = pytest.importorskip("distributed", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROWS, PARTS, WIDTH, ROUNDS = 40, 9, 6, 2
FATAL = 4  # the partition that ends its worker

FITS = {  # name: (estimator, method)
    "relay": (Perceptron("averaged"), "relay"),
    "ring": (Perceptron("averaged"), "ring"),
    "mix": (Perceptron("averaged"), "mix"),
    "merged squares": (LeastSquares(), "merged"),
    "merged classes": (GaussianDiscriminant(), "merged"),
    "summed": (LogisticRegression(lam=0.01), "summed"),
    "summed hinge": (LinearSVM(lam=0.01, loss="squared_hinge"), "summed"),
}
ALIKE = ("merged classes", "summed hinge")  # which go the ways of others
ONE_ROUND = ("merged squares", "merged classes")


def collection(n_classes: int, folder=None, fatal: int = 0):
    """Delayed blocks and labels. A folder counts the loads; the fatal one of a partition ends its worker."""
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(PARTS * ROWS, WIDTH))
    y = (X[:, :n_classes] + 0.3 * random.normal(size=(len(X), n_classes))).argmax(axis=1)

    def load(number: int):
        if folder is not None:
            loads = len(list(folder.glob(f"{number} *"))) + 1
            (folder / f"{number} {loads}").touch()
            if number == FATAL and loads == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return X[number * ROWS : (number + 1) * ROWS]

    def labels(number: int):
        return y[number * ROWS : (number + 1) * ROWS]

    numbers = range(PARTS)
    return [dask.delayed(load)(n) for n in numbers], [dask.delayed(labels)(n) for n in numbers]


def fitted(client, name: str, X, y, **options):
    estimator, method = FITS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rounds
        return cluster.fit(estimator, X, y, client=client, method=method, rounds=ROUNDS, **options)


def bits(client, name: str, X, y, persist=False, **options) -> list[bytes]:
    """What a method finds, as bytes."""
    if name == "separability":
        verdicts = cluster.separability(X, y, client=client, persist=persist)
        found = [
            (v.certificate.verdict, v.rows, v.margin, v.margin_upper, v.gamma, v.radius) for v in verdicts.values()
        ]
        return [repr(found).encode()]
    model = fitted(client, name, X, y, persist=persist, **options)
    figures = [name for name in ("loss", "gap", "mistakes", "updates") if name in model.trace_.columns]
    return [np.asarray(part).tobytes() for part in (model.coef_, model.intercept_, *(model.trace_[f] for f in figures))]


def both(client) -> None:
    """Both workers are there, also if one has just been killed."""
    client.wait_for_workers(2, timeout=60)
    time.sleep(1.0)  # a worker that is killed while it starts is not started again


NAMES = [*FITS, "separability"]


@pytest.mark.parametrize(
    ("counts", "names"),
    [((1, 2), [name for name in NAMES if name not in ALIKE]), pytest.param((1, 2, 3), NAMES, marks=pytest.mark.slow)],
)
def test_bits_do_not_depend_on_the_number_of_workers(counts, names) -> None:
    X, y = collection(3)
    found = {}
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="2GiB"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        for count in counts:
            workers.scale(count)
            client.wait_for_workers(count, timeout=60)
            found[count] = {name: bits(client, name, X, y) for name in names}
    assert all(found[count] == found[1] for count in counts)
    assert all(len(set(found[1][name])) > 1 for name in names if name in FITS)


KILLED = [pytest.param(name, marks=[pytest.mark.slow] * (name in ALIKE)) for name in NAMES]


@pytest.mark.parametrize("name", KILLED)
def test_a_worker_killed_in_mid_round_changes_no_bit(client, name, tmp_path) -> None:
    both(client)
    expected = bits(client, name, *collection(3))
    fatal = 2 if name in ONE_ROUND else 3  # the first load is the look at all partitions
    found = bits(client, name, *collection(3, tmp_path, fatal))
    assert found == expected
    assert (tmp_path / f"{FATAL} {fatal + 1}").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FITS if name not in ONE_ROUND])
def test_partitions_that_a_killed_worker_kept_are_loaded_again(client, name, tmp_path) -> None:
    """After the first round a worker is killed, with the partitions in its memory."""
    expected = bits(client, name, *collection(3))

    def kill(row) -> None:
        if row.epoch == 1:
            held = client.has_what()
            fullest = max(held, key=lambda address: len(held[address]))
            os.kill(client.run(os.getpid, workers=[fullest])[fullest], signal.SIGKILL)

    both(client)
    assert bits(client, name, *collection(3, tmp_path), persist=True, on_round=kill) == expected
    assert len(list(tmp_path.iterdir())) > PARTS


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_worker_killed_in_the_look_at_the_partitions_changes_no_bit(client, name, tmp_path) -> None:
    both(client)
    expected = bits(client, name, *collection(3))
    assert bits(client, name, *collection(3, tmp_path, 1), persist=True) == expected
    assert (tmp_path / f"{FATAL} 2").exists()
