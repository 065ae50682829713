"""Rows and clusters that cannot be used: each is told in one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import KernelPerceptron, Layer, LogisticRegression, Perceptron, SigmoidNeuron

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
distributed = pytest.importorskip("distributed", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402
from rosenblatt.cluster import backend  # noqa: E402
from rosenblatt.cluster.backend import ClusterError  # noqa: E402

ROWS, PARTS = 20, 5
LABELS = [dask.delayed(np.arange(ROWS) % 2) for _ in range(PARTS)]


def blocks(third, rows: int = ROWS):
    """Delayed blocks of two columns, except the third."""
    plain = np.random.default_rng(0).normal(size=(rows, 2))
    return [dask.delayed(third if number == 2 else plain) for number in range(PARTS)]


@pytest.mark.parametrize(
    ("third", "words"),
    [
        (np.ones((ROWS, 3)), "must have one width, but partition 2 has 3 after 2"),
        (np.ones((ROWS, 2), np.float32), "must have one dtype, but partition 2 has float32 after float64"),
        (scipy.sparse.csr_array(np.ones((ROWS, 2))), "must have one layout, but partition 2 has sparse after dense"),
        (np.ones(ROWS), "Partition 2 failed three times: ValueError: X must have rows and columns"),
        (np.full((ROWS, 2), np.nan), "Partition 2 failed three times: ValueError: .*NaN"),
        (np.full((ROWS, 2), "a"), "Partition 2 failed three times: ValueError: X must hold numbers"),
        (
            np.ones((ROWS + 1, 2)),
            "Partition 2 failed three times: ValueError: X and y must have the same number of rows, but got 21",
        ),
    ],
)
def test_partitions_that_differ_are_named(client, third, words) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        cluster.fit(Perceptron(), blocks(third), LABELS, client=client)
    assert str(caught.value).count("\n") == 0


def test_labels_of_two_kinds_are_refused(client) -> None:
    labels = [dask.delayed(np.array(["a", "b"] * (ROWS // 2))) if n == 2 else LABELS[n] for n in range(PARTS)]
    with pytest.raises(ValueError, match="y must hold labels of one kind"):
        cluster.fit(Perceptron(), blocks(np.ones((ROWS, 2))), labels, client=client)


def test_a_partition_is_tried_three_times(client, tmp_path) -> None:
    def load(number: int, failures: int):
        if number == 3:
            tries = len(list(tmp_path.iterdir()))
            (tmp_path / str(tries)).touch()
            if tries < failures:
                raise RuntimeError("the disk is gone")
        return np.random.default_rng(number).normal(size=(ROWS, 2))

    found = cluster.fit(
        Perceptron("averaged"), [dask.delayed(load)(n, 2) for n in range(PARTS)], LABELS, client=client, rounds=1,
        persist=True,
    )  # fmt: skip
    assert len(list(tmp_path.iterdir())) == 3 and found.n_iter_ == 1
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(ClusterError, match="Partition 3 failed three times: RuntimeError: the disk is gone"):
        cluster.fit(Perceptron(), [dask.delayed(load)(n, 99) for n in range(PARTS)], LABELS, client=client)
    assert len(list(tmp_path.iterdir())) == 3


def test_sizes_that_are_not_known_are_computed_and_told(client) -> None:
    X = da.from_array(np.random.default_rng(0).normal(size=(ROWS * PARTS, 2)), chunks=(ROWS, 2))
    X = X[X[:, 0] > -10.0]  # all of them, which Dask does not know
    y = np.arange(ROWS * PARTS) % 2
    with pytest.warns(UserWarning, match="sizes of the partitions of X are not known.*they were computed, 20, 20"):
        found = cluster.fit(Perceptron("averaged"), X, y, client=client, rounds=2)
    expected = cluster.fit(Perceptron("averaged"), X, da.from_array(y, chunks=ROWS), client=client, rounds=2)
    assert np.array_equal(found.coef_, expected.coef_)


def test_other_numbers_of_rows_and_of_partitions_are_refused(client) -> None:
    X = da.ones((ROWS * PARTS, 2), chunks=(ROWS, 2))
    with pytest.raises(ValueError, match="same number of rows, but got 100 and 99"):
        cluster.fit(Perceptron(), X, np.arange(99) % 2, client=client)
    with pytest.raises(ValueError, match="y must have the 5 partitions of X, but has 2"):
        cluster.fit(Perceptron(), X, da.ones(100, chunks=50), client=client)
    with pytest.raises(ValueError, match="sample_weight must have the 5 partitions"):
        cluster.fit(Perceptron(), X, da.ones(100, chunks=ROWS), sample_weight=da.ones(100, chunks=50), client=client)
    with pytest.raises(ValueError, match="at least 2 classes, but got 1 class"):
        cluster.fit(Perceptron(), X, da.ones(100, chunks=ROWS), client=client)
    with pytest.raises(TypeError, match=r"dask\.array\.from_array"):
        cluster.fit(Perceptron(), np.ones((4, 2)), [0, 1, 0, 1], client=client)


def test_an_empty_partition_is_no_harm(client) -> None:
    X = np.random.default_rng(0).normal(size=(ROWS, 2))
    given = [dask.delayed(X[part]) for part in (slice(0, 7), slice(7, 7), slice(7, 20))]
    labels = [dask.delayed((X[part, 0] > 0).astype(int)) for part in (slice(0, 7), slice(7, 7), slice(7, 20))]
    found = cluster.fit(LogisticRegression(), given, labels, client=client)
    assert found.score(X, X[:, 0] > 0) > 0.9
    with pytest.raises(ValueError, match="all its partitions are empty"):
        cluster.fit(Perceptron(), given[1:2], labels[1:2], client=client)


@pytest.mark.parametrize(
    ("estimator", "method", "words"),
    [
        (KernelPerceptron(), "auto", "use Perceptron on RadialFeatures"),
        (Layer(), "auto", "use Perceptron or LogisticRegression"),
        (SigmoidNeuron(), "auto", "use LogisticRegression"),
        (Perceptron("voted"), "auto", "answer='voted' needs all rows of a fit"),
        (Perceptron("pocket"), "auto", "answer='pocket' needs all rows of a fit"),
        (Perceptron(), "summed", "'auto', 'relay', 'ring', 'mix'"),
    ],
)
def test_learners_that_cannot_say_what_can(client, estimator, method, words) -> None:
    with pytest.raises(ValueError, match=words):
        cluster.fit(estimator, blocks(np.ones((ROWS, 2))), LABELS, client=client, method=method)


def test_workers_with_another_version_are_refused(client, monkeypatch) -> None:
    found = client.get_versions(packages=["rosenblatt", "numpy", "scipy", "numba"])
    address = next(iter(found["workers"]))
    found["workers"][address]["packages"]["numpy"] = "1.0"
    found["workers"][address]["packages"]["rosenblatt"] = None
    monkeypatch.setattr(client, "get_versions", lambda **_: found)
    with pytest.raises(ClusterError, match=f"{address} has rosenblatt missing, not .*numpy 1.0, not .*same versions"):
        cluster.fit(Perceptron(), blocks(np.ones((ROWS, 2))), LABELS, client=client)


@pytest.mark.slow
def test_a_partition_that_ends_its_workers_is_named() -> None:
    def load():
        os.kill(os.getpid(), signal.SIGKILL)

    given = [dask.delayed(load)(), dask.delayed(np.ones)((ROWS, 2))]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        distributed.Client(workers) as client,
        pytest.raises(ClusterError, match=r"Partition 0 ended its worker each time.*smaller partitions"),
    ):
        cluster.fit(Perceptron(), given, LABELS[:2], client=client)


def test_a_cluster_that_loses_all_its_workers_is_not_waited_for_for_ever(monkeypatch) -> None:
    monkeypatch.setattr(backend, "LOOK", 0.1)
    monkeypatch.setattr(backend, "PATIENCE", 1.0)
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as workers,
        distributed.Client(workers) as client,
        pytest.raises(ClusterError, match=r"has no workers that answer.*start some with"),
    ):
        cluster.fit(
            Perceptron(), blocks(np.ones((ROWS, 2))), LABELS, client=client, rounds=1000,
            on_round=lambda row: workers.scale(0) if row.epoch == 2 else None,
        )  # fmt: skip


@pytest.mark.slow
def test_a_lost_scheduler_is_told() -> None:
    start = "from distributed import {0}; import asyncio\nasync def run():\n    async with {0}({1}) as one:\n"
    start += "        print(one.address, flush=True)\n        await one.finished()\nasyncio.run(run())"

    def started(kind: str, arguments: str):
        code = start.format(kind, arguments)
        return subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    scheduler = started("Scheduler", "port=0, dashboard_address=':0'")
    address = scheduler.stdout.readline().strip()
    worker = started("Worker", f"{address!r}, nthreads=1")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with distributed.Client(address) as client:
                client.wait_for_workers(1, timeout=60)
                with pytest.raises(ClusterError, match=f"The scheduler {address} was lost.*start it again"):
                    cluster.fit(
                        Perceptron(), blocks(np.ones((ROWS, 2))), LABELS, client=client, rounds=1000,
                        on_round=lambda row: scheduler.kill() if row.epoch == 2 else None,
                    )  # fmt: skip
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.communicate()
