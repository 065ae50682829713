"""Rounds on a cluster of this machine: their overhead, the ring beside the relay, one worker beside many, dask-ml.

As many workers of one thread as the process may use cores, 16 at most. What asks for 10 or 16 workers is printed
without a mark where there are fewer. dask-ml takes part where it is installed (pip install dask-ml).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np

from benchmarks.measure import Row, faster, seconds
from rosenblatt import HalfSpace, LogisticRegression, Perceptron, cluster
from rosenblatt.engine.threads import thread_count

MOST_WORKERS, RING_WORKERS = 16, 10
CLASSES, WIDTH, ROWS = 200, 200, 60_000  # of a partition, whose task takes 200 ms and more
WIDE = {"rows": 40_000, "width": 784, "classes": 10}  # of the partitions for the ring
ROUNDS = 5


def loaded(number: int, rows: int = ROWS, width: int = WIDTH, classes: int = CLASSES) -> tuple[Any, Any]:
    """The rows and labels of one partition, some of them noise; made by the task."""
    random = np.random.default_rng(number)
    X = random.standard_normal((rows, width), np.float32)
    planes = np.random.default_rng(12345).standard_normal((width, classes), np.float32)
    return X, (X @ planes + 3.0 * random.standard_normal((rows, classes), np.float32)).argmax(axis=1)


def collection(parts: int, **shape: int) -> tuple[list[Any], list[Any]]:
    load = dask.delayed(loaded, nout=2, pure=False)
    pairs = [load(number, **shape) for number in range(parts)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def workers(count: int) -> Any:
    return distributed.LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0")


def round_seconds(client: Any, estimator: Any, X: Any, y: Any, method: str, rounds: int = ROUNDS) -> float:
    """The shortest round but the first, in which code is compiled and partitions are placed."""
    found = cluster.fit(estimator, X, y, client=client, method=method, rounds=rounds, persist=True)
    return float(np.min(found.trace_["seconds"][1:]))


def rows() -> Iterator[Row]:
    warnings.simplefilter("ignore")
    many = min(MOST_WORKERS, thread_count(None))
    with workers(many) as here, distributed.Client(here) as client:
        yield overhead(client, many)
        yield ring_beside_relay(client, many)
        several = logistic_round(client, many)
        yield from beside_dask_ml(client, many)
    with workers(1) as here, distributed.Client(here) as client:
        alone = logistic_round(client, many)
    floor = 6.0 if many == MOST_WORKERS else None
    yield faster(f"logistic regression, a round, {many} workers beside one", several, alone, floor)


def overhead(client: Any, many: int) -> Row:
    """Rounds beside the longest of their tasks, as the workers have timed them."""
    X, y = collection(many)
    with distributed.get_task_stream(client) as stream:
        found = cluster.fit(Perceptron("averaged"), X, y, client=client, method="mix", rounds=ROUNDS, persist=True)
    spans = [
        (span["start"], span["stop"] - span["start"])
        for task in stream.data
        if str(task["key"]).startswith("_call")
        for span in task["startstops"]
        if span["action"] == "compute"
    ]
    longest = np.array([took for _, took in sorted(spans)[-ROUNDS * many :]]).reshape(ROUNDS, many).max(axis=1)[1:]
    took = found.trace_["seconds"][1:]
    ratio = float(np.median(took / longest))
    return Row(
        f"a round of mix, {many} partitions on {many} workers, beside its longest task",
        f"{np.median(took) * 1e3:.0f} ms", f"{np.median(longest) * 1e3:.0f} ms", f"{ratio:.2f}x", "at most 2x",
        ratio <= 2.0,
    )  # fmt: skip


def ring_beside_relay(client: Any, many: int) -> Row:
    X, y = collection(10, **WIDE)
    took = {way: round_seconds(client, HalfSpace("logistic"), X, y, way) for way in ("relay", "ring")}
    floor = 2.5 if many >= RING_WORKERS else None
    return faster(f"ten classes, ring beside relay, {many} workers", took["ring"], took["relay"], floor)


def logistic_round(client: Any, parts: int) -> float:
    X, y = collection(max(parts, 4), classes=2)
    return round_seconds(client, LogisticRegression(lam=1e-4, tol=1e-9), X, y, "summed")


def beside_dask_ml(client: Any, many: int) -> Iterator[Row]:
    """Two classes, 400,000 x 50; whole fits with the penalty of C = 1."""
    try:
        peers = importlib.import_module("dask_ml.linear_model")
        wrappers = importlib.import_module("dask_ml.wrappers")
    except ImportError:
        return
    from sklearn.linear_model import SGDClassifier

    pieces = [loaded(number, 50_000, 50, 2) for number in range(8)]
    X = da.from_array(np.concatenate([piece[0] for piece in pieces]).astype(float), chunks=(50_000, 50))
    y = da.from_array(np.concatenate([piece[1] for piece in pieces]), chunks=50_000)
    X, y = client.persist(X), client.persist(y)
    distributed.wait([X, y])
    labels = y.compute()
    fits: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "logistic regression, a fit": (
            lambda: cluster.fit(LogisticRegression(), X, y, client=client, rounds=30),
            lambda: peers.LogisticRegression(solver="lbfgs", C=1.0, fit_intercept=False).fit(X, y),
        ),
        "a pass: relay beside Incremental": (
            lambda: cluster.fit(Perceptron(), X, y, client=client, method="relay", rounds=1),
            lambda: wrappers.Incremental(SGDClassifier(loss="perceptron")).fit(X, y, classes=[0, 1]),
        ),
    }
    for work, (ours, theirs) in fits.items():
        both = {"ours": ours, "peer": theirs}
        best = {name: min(seconds(fit) for _ in range(3)) for name, fit in both.items()}
        errors = [float(np.mean(cluster.predict(ours(), X).compute() != labels))]
        errors.append(float(np.mean(theirs().predict(X).compute() != labels)))
        detail = f"{errors[0]:.2%}, dask-ml {errors[1]:.2%} of the training rows"
        yield faster(f"{work}, {many} workers, beside dask-ml", best["ours"], best["peer"], None, detail)
