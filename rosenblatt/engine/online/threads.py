"""Visits rows with all half-spaces, on one thread or several.

Half-spaces that learn one against the rest do not depend on each other: each thread takes some of them over all rows of
a segment. The order of additions in a score does not depend on how many half-spaces share a reading of the row, so the
result is the same bits for any number of threads. (A run that diverges is the exception: other half-spaces than the one
that left the range of floats may have seen more rows of that segment.)
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online import binary_loop, loop
from rosenblatt.engine.online.errors import count_errors
from rosenblatt.engine.online.mistakes import Runs, find_runs
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.online.task import Task
from rosenblatt.engine.threads import thread_count


class Visit(NamedTuple):
    """What happened when the rows of a segment were visited."""

    visited: int  # rows before one whose update would not be finite
    runs: Runs
    log: tuple[Array, Array, Array]  # of each update: the row; step, shrink and time; and how many there are


class Workers:
    """Visits rows with the half-spaces of a task. A context manager: threads end with it."""

    def __init__(self, task: Task, count: int, *, record: bool = False) -> None:
        self.task = task
        self.record = record
        rule = task.rule, task.params.shape[1], task.weighted, task.layout
        self.binary = count == 1 and not task.coupled
        self.loop = binary_loop.visit_rows(*rule) if self.binary else loop.visit_rows(*rule, task.coupled)
        threads = thread_count(task.n_jobs, work=task.products_per_row * count * task.n_rows)
        # Classes that learn together stay together. Half-spaces that share cache lines do, too.
        unit = count if task.coupled else LAYOUTS[task.layout].unit(task.rows)
        units = -(-count // max(1, unit))
        # Blocks of sparse weights are trained one after the other, so that those in use stay in the cache.
        shares = units if task.layout == "columns" else min(threads, units)
        edges = [min(count, units * n // max(1, shares) * unit) for n in range(shares + 1)]
        self.parts = [(first, last) for first, last in pairwise(edges) if first < last]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def _map(self, function: Any, parts: Any) -> Any:
        return map(function, parts) if self.pool is None else self.pool.map(function, parts)

    def visit(self, state: HalfSpaces, order: Array, run: int = 0) -> Visit:
        """Learn from the rows in `order`, one after the other; `run` correct answers came before."""
        task, count, length = self.task, state.count, len(order)
        recorded = length if self.record else 0
        log = np.empty((count, recorded), np.int64), np.empty((count, recorded, 3)), np.zeros(count, np.int64)
        given = task.rows, order, task.codes, task.sample_weight, task.positive, task.params
        intercept = float(task.intercept), task.shrink_intercept
        vectors, lag, ledger = state.arrays
        if self.binary:
            found = np.array([0, -1, -1, run])
            visited = self.loop(*given, state.arrays, *intercept, log, found)
            runs = Runs(*found.tolist()) if task.classes else Runs(0, run=run + length)
            return Visit(visited, runs, log)
        scores = np.empty((count, length), state.dtype)

        def visit_part(part: tuple[int, int]) -> int:
            own, these = ledger.copy(), slice(*part)  # of a thread's own: neighbours in memory wait for each other
            visited: int = self.loop(*given, (vectors, lag, own), *intercept, *part, scores, log)
            ledger[these] = own[these]
            return visited

        visits = self._map(visit_part, self.parts)
        visited = min(visits, default=length)
        return Visit(visited, find_runs(scores, task.codes, order[:visited], task.classes, run), log)

    def errors(self, state: HalfSpaces, limit: float = np.inf) -> float:
        """The total weight of all rows that the state predicts wrongly; see `count_errors`."""
        task = self.task
        return count_errors(
            task.rows, task.n_rows, task.codes, task.sample_weight, state, task.classes, self._map, limit
        )
