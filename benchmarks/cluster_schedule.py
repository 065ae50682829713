"""What a round costs on up to 1,000 workers: a cost model fitted to this machine, and a simulated schedule.

    python -m benchmarks.cluster_schedule measure     prints the costs of this machine, and a prediction beside a round
    python -m benchmarks.cluster_schedule             prints the tables of docs/cluster_costs.md
    python -m benchmarks.cluster_schedule FILE.svg    draws its picture

A round is a graph of tasks. The user's process hands them to the scheduler in calls, each of which takes `call`
seconds; the scheduler is one process, too, and spends `task` seconds on each task. A partition stays with one worker,
which does its tasks one after the other. A value that is needed at another worker travels for `hop` seconds and at
`bandwidth`. What all tasks are given goes from worker to worker, so that the number of those who have it doubles.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BRANCHES = 8  # as in rosenblatt.cluster.backend
MANY = (1, 10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Costs:
    """Seconds, but for the bandwidth in bytes a second."""

    task: float
    call: float
    relay: float  # of a pass of ten half-spaces for each row, feature and half-space, with the checks of partial_fit
    ring: float  # the same of a half-space by itself
    mix: float  # of ten half-spaces
    summed: float  # of loss and gradient of ten outputs, for each row, feature and output
    hop: float
    bandwidth: float


# Measured on 2 cores that other programs used as well, 19 November 2026; the network is assumed, 10 Gbit/s and 0.5 ms.
HERE = Costs(
    task=1e-3, call=4.7e-3, relay=1.9e-10, ring=2.9e-10, mix=1.2e-10, summed=4e-10, hop=5e-4, bandwidth=1.25e9
)  # fmt: skip


@dataclass(frozen=True)
class Data:
    """Dense rows in float32."""

    name: str
    parts: int
    rows: int  # of a partition
    width: int
    classes: int

    @property
    def model(self) -> int:
        """The bytes of weights, sums for their average, and what was learned so far."""
        return 3 * 4 * self.width * self.classes

    @property
    def size(self) -> float:
        return 4.0 * self.parts * self.rows * self.width


CASES = (
    Data("40 GB: 1,000 partitions of 100,000 x 100, ten classes", 1000, 100_000, 100, 10),
    Data("2 TB: 1,000 partitions of 500,000 x 1,000, ten classes", 1000, 500_000, 1000, 10),
)


@dataclass
class Task:
    seconds: float
    needs: list[int] = field(default_factory=list)  # numbers of earlier tasks
    part: int | None = None  # the partition that it reads; None: it runs where its first need is
    size: int = 0  # bytes of its result
    call: int = 1  # the number of the call that hands it over


# ---------------------------------------------------------------------- rounds as graphs


def relay(data: Data, costs: Costs) -> list[Task]:
    work = costs.relay * data.rows * data.width * data.classes
    return [Task(work, [part - 1] if part else [], part, data.model, part + 1) for part in range(data.parts)]


def ring(data: Data, costs: Costs) -> list[Task]:
    groups = min(data.classes, data.parts)
    work = costs.ring * data.rows * data.width * data.classes / groups
    tasks: list[Task] = []
    for step in range(data.parts):
        for group in range(groups):
            part = (group * data.parts // groups + step) % data.parts
            tasks.append(Task(work, [len(tasks) - groups] if step else [], part, data.model // groups, step + 1))
    return tasks


def mix(data: Data, costs: Costs) -> list[Task]:
    return _summed(data, costs.mix * data.rows * data.width * data.classes, data.model)


def summed(data: Data, costs: Costs) -> list[Task]:
    """One evaluation of loss and gradient; a round of Newton's method has several, or second derivatives."""
    return _summed(data, costs.summed * data.rows * data.width * data.classes, 8 * data.width * data.classes)


def _summed(data: Data, work: float, size: int) -> list[Task]:
    tasks = [Task(work, [], part, size) for part in range(data.parts)]
    level = list(range(data.parts))
    while len(level) > 1:
        above = []
        for start in range(0, len(level), BRANCHES):
            above.append(len(tasks))
            tasks.append(Task(0.0, level[start : start + BRANCHES], None, size, 2))
        level = above
    return tasks


METHODS: dict[str, Callable[[Data, Costs], list[Task]]] = {"relay": relay, "ring": ring, "mix": mix, "summed": summed}


def simulate(tasks: list[Task], workers: int, given: int, costs: Costs) -> tuple[float, int]:
    """(seconds of a round, bytes between machines) of tasks that are all given a value of so many bytes."""
    waiting = [len(task.needs) for task in tasks]
    users: list[list[int]] = [[] for _ in tasks]
    for number, task in enumerate(tasks):
        for need in task.needs:
            users[need].append(number)
    spread = float(np.ceil(np.log2(workers))) * (costs.hop + given / costs.bandwidth)
    moved, scheduler = given * workers, 0.0
    free = dict.fromkeys(range(workers), costs.call + spread)
    place, done = [0] * len(tasks), [0.0] * len(tasks)
    ready = [(0.0, number) for number, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    while ready:
        moment, number = heapq.heappop(ready)
        task = tasks[number]
        scheduler = max(scheduler, moment, task.call * costs.call) + costs.task
        place[number] = place[task.needs[0]] if task.part is None else task.part % workers
        travels = [tasks[need].size for need in task.needs if place[need] != place[number]]
        moved += sum(travels)
        start = max(scheduler, free[place[number]])
        if travels:
            start += costs.hop + sum(travels) / costs.bandwidth
        free[place[number]] = done[number] = start + task.seconds
        for user in users[number]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, (max(done[need] for need in tasks[user].needs), user))
    size = tasks[-1].size
    return max(done) + costs.hop + size / costs.bandwidth, moved + size


def rounds(data: Data, costs: Costs = HERE) -> dict[str, list[tuple[float, int]]]:
    """Of every method, (seconds, bytes) for each number of workers."""
    return {
        name: [simulate(graph(data, costs), workers, data.model, costs) for workers in MANY]
        for name, graph in METHODS.items()
    }


def pays(found: list[tuple[float, int]]) -> int:
    """The most workers of which at least half of each are used, beside one worker."""
    return max(workers for workers, (took, _) in zip(MANY, found, strict=True) if found[0][0] / took >= workers / 2)


# ---------------------------------------------------------------------- what this machine costs


def measured() -> Costs:
    """The costs of this machine, whose workers are processes on the same machine."""
    import distributed

    from benchmarks.cluster import loaded, workers
    from rosenblatt import LogisticRegression, Perceptron
    from rosenblatt.cluster.backend import Dask, Part
    from rosenblatt.cluster.mix import _learned
    from rosenblatt.cluster.partitions import Block, Look, Partitions
    from rosenblatt.cluster.relay import learned
    from rosenblatt.cluster.ring import fresh, passed, prepared
    from rosenblatt.cluster.summed import Settings, _evaluated
    from rosenblatt.engine.threads import one_blas_thread

    with workers(2) as here, distributed.Client(here) as client:
        backend = Dask(client)
        parts = backend.persist([Part(number, _nothing(number)) for number in range(500)])
        distributed.wait([part.block for part in parts])
        few, many = (
            best(lambda count=count: backend.tree_reduce(min, backend.map(_same, parts[:count])))
            for count in (50, 500)
        )  # fmt: skip
        task = (many - few) / (450 * (1.0 + 1.0 / (BRANCHES - 1)))
        chain = best(lambda: _chain(backend, parts[:50])) / 50
        first, second = list(backend.workers)
        hop = max(0.0, min(_travel(client, 8, first, second) for _ in range(20)))
        far = min(_travel(client, 2**26, first, second) for _ in range(5))
    X, y = loaded(0, classes=10)
    look = Look(len(y), X.shape[1], "float32", "dense", X.nbytes, np.arange(10), np.bincount(y))
    found, block = Partitions([], [look], classes=np.arange(10)), Block(X, y, None)
    model = Perceptron("averaged")
    count = prepared(model, found)
    settings, one = Settings(LogisticRegression(), found), slice(0, 1)
    start = np.zeros((count, X.shape[1] + 1))
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = learned(block, Perceptron("averaged"), found.classes)
        single = passed(block, model, fresh(found, 1), one)[0]
        works = {
            "relay": best(lambda: learned(block, before, found.classes)) / count,
            "ring": best(lambda: passed(block, model, single, one)),
            "mix": best(lambda: _learned(block, model, start)) / count,
            "summed": best(lambda: _evaluated(block, settings, start)) / count,
        }
    each = {name: took / X.size for name, took in works.items()}
    return Costs(task, max(0.0, chain - task), **each, hop=hop, bandwidth=2**26 / max(1e-9, far - hop))


def _chain(backend: Any, parts: list[Any]) -> Any:
    """One task after the other, each handed over by a call of its own."""
    handle: Any = 0
    for part in parts:
        [handle] = backend.map(_last, [part], handle)
    return backend.tree_reduce(min, [handle])


def _last(value: int, before: int) -> int:
    return value


def best(work: Callable[[], Any], times: int = 5) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def _nothing(number: int) -> Any:
    import dask

    return dask.delayed(int)(number)


def _same(value: int) -> int:
    return value


def _travel(client: Any, size: int, first: str, second: str) -> float:
    value = client.submit(bytes, size, workers=[first], pure=False)
    client.submit(len, value, workers=[first], pure=False).result()
    return best(lambda: client.submit(len, value, workers=[second], pure=False).result(), 1) - best(
        lambda: client.submit(len, value, workers=[first], pure=False).result(), 1
    )


def predicted() -> None:
    """A round of a mixture on two workers beside what the model says."""
    import distributed

    from benchmarks.cluster import collection, round_seconds, workers
    from rosenblatt import Perceptron

    costs = measured()
    print(costs)
    with workers(2) as here, distributed.Client(here) as client:
        for parts, width in ((8, 200), (40, 200)):
            X, y = collection(parts, classes=10, width=width)
            for method in ("relay", "ring", "mix"):
                took = round_seconds(client, Perceptron("averaged"), X, y, method)
                data = Data("", parts, 60_000, width, 10)
                told = simulate(METHODS[method](data, costs), 2, data.model, costs)[0]
                print(f"{method}, {parts} partitions: measured {took:.3f} s, predicted {told:.3f} s")


# ---------------------------------------------------------------------- tables and picture


def tables() -> None:
    for data in CASES:
        print(f"{data.name}\n")
        print(f"| workers | {' | '.join(METHODS)} |\n|---:|{'---:|' * len(METHODS)}")
        found = rounds(data)
        for number, workers in enumerate(MANY):
            cells = [f"{found[name][number][0]:,.3g} s, {found[name][number][1] / 1e6:,.3g} MB" for name in METHODS]
            print(f"| {workers:,} | {' | '.join(cells)} |")
        print(f"| half used up to | {' | '.join(f'{pays(found[name]):,}' for name in METHODS)} |\n")


def draw(path: str) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "rosenblatt"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, data in zip(axes, CASES, strict=True):
        for (name, found), style in zip(rounds(data).items(), itertools.cycle(("-", "--", "-.", ":")), strict=False):
            axis.loglog(MANY, [took for took, _ in found], style, label=name, marker="o", markersize=3)
        axis.set(title=data.name.split(",")[0].split(":")[0] + f" in {data.parts:,} partitions", xlabel="workers")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("seconds of a round")
    axes[1].legend(loc="lower left")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["measure"]:
        predicted()
    elif sys.argv[1:]:
        draw(sys.argv[1])
    else:
        tables()
