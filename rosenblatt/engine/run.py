"""Epochs: the order of rows, the threads, the pocket, and every reason to stop.

Rows are visited in stretches: long enough that Python costs nothing, short enough that a time limit or Ctrl-C
is heeded soon. Where the stretches end depends on the data alone, never on the clock, so that a run can be
repeated bit for bit.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.judge import count_errors
from rosenblatt.engine.loop import LAYOUTS, visit_rows
from rosenblatt.engine.order import Shuffler, find_mistakes
from rosenblatt.engine.pocket import Pocket
from rosenblatt.engine.state import Array, HalfSpaces
from rosenblatt.engine.updates import UpdateLog

SCORES_KEPT = 2**18  # numbers in one stretch
PRODUCTS = 2**27  # multiplications in one stretch, about a twentieth of a second
RETRACED = 2**20  # weights that are copied before every stretch, to be able to return to any point of it
CHEAP_PASS = 2**23  # multiplications in a pass over all rows that is made without a second thought
PATIENCE = 5  # epochs without improvement


@dataclass
class Task:
    """What is learned from what: rows, class codes, and the half-spaces that are told of them.

    Half-space k is told +1 for rows of class `positive[k]` and -1 for the others. `classes` half-spaces
    answer together (1: two classes, told apart by one half-space); any further ones only listen.
    """

    rows: tuple[Array, ...]
    codes: Array
    sample_weight: Array
    layout: str
    rule: Any
    params: Array
    weighted: int
    positive: Array
    classes: int
    coupled: bool = False
    intercept: bool = True
    shrink_intercept: bool = False
    n_jobs: int = 1

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def total_weight(self) -> float:
        return float(self.sample_weight.sum()) if len(self.sample_weight) else float(self.n_rows)

    @property
    def kept(self) -> Array:
        """The rows that count: a weight of 0 is the row left out."""
        if len(self.sample_weight) == 0:
            return np.arange(self.n_rows, dtype=np.int32 if self.n_rows < 2**31 else np.int64)
        return np.flatnonzero(self.sample_weight)


class Visitor:
    """Takes rows to half-spaces, on as many threads as there are units of half-spaces."""

    def __init__(self, task: Task, count: int, record: bool = False) -> None:
        self.task = task
        self.record = record
        self.kernel = visit_rows(task.rule, task.params.shape[1], task.weighted, task.layout, task.coupled)
        unit = LAYOUTS[task.layout].unit(task.rows)
        units = math.ceil(count / unit)
        threads = max(1, min(task.n_jobs, units))
        if task.coupled:
            together = units  # classes that move together are taught together
        elif task.layout == "columns":
            together = 1  # block after block, so that the weights in use stay in the cache
        else:
            together = math.ceil(units / threads)
        self.parts = [(k, min(k + together * unit, count)) for k in range(0, count, together * unit)]
        self.pool = ThreadPoolExecutor(task.n_jobs) if task.n_jobs > 1 else None

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def visit(self, state: HalfSpaces, order: Array) -> tuple[Array, int, tuple[Array, ...]]:
        """(scores, rows visited before a score was not finite, what the updates were)."""
        task, count = self.task, state.count
        scores = np.empty((count, len(order)), state.dtype)
        room = len(order) if self.record else 0
        log = np.empty((count, room), np.int64), np.empty((count, room, 3)), np.zeros(count, np.int64)

        def part(bounds: tuple[int, int]) -> int:
            visited: int = self.kernel(
                task.rows, order, task.codes, task.sample_weight, task.positive, task.params, state.arrays,
                float(task.intercept), task.shrink_intercept, bounds[0], bounds[1], scores, log,
            )  # fmt: skip
            return visited

        run = map if self.pool is None or len(self.parts) == 1 else self.pool.map
        return scores, min(run(part, self.parts), default=len(order)), log

    def repeat(self, state: HalfSpaces, order: Array) -> None:
        """The same visits again, to bring a copy to where the original was."""
        record, self.record = self.record, False
        self.visit(state, order)
        self.record = record

    def errors(self, state: HalfSpaces, limit: float = np.inf) -> float:
        task = self.task
        return count_errors(
            task.rows, task.n_rows, task.codes, task.sample_weight, state, task.classes, self.pool, limit
        )


@dataclass
class Outcome:
    """How a run ended."""

    stop_reason: str = "max_iter"
    pocket: Pocket = field(default_factory=Pocket)
    log: UpdateLog | None = None


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Ctrl-C raises a flag, which is looked at between stretches; a second one interrupts at once."""
    raised = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield raised.is_set
        return

    def note(number: int, frame: Any) -> None:
        if raised.is_set():
            raise KeyboardInterrupt
        raised.set()

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # an interpreter inside another program, whose signals are not ours
        yield raised.is_set
        return
    try:
        yield raised.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def products_per_row(task: Task, state: HalfSpaces) -> float:
    if task.layout == "rows":
        return float(state.n_features * max(1, state.count))
    return max(1.0, len(task.rows[0]) / max(1, task.n_rows)) * max(1, state.count)


def stretch_length(task: Task, state: HalfSpaces, check_every_update: bool) -> int:
    if check_every_update:
        return 1
    longest = min(PRODUCTS / products_per_row(task, state), SCORES_KEPT / max(1, state.count))
    return max(256, int(longest))


def train(
    task: Task,
    state: HalfSpaces,
    *,
    max_iter: int,
    tol: float | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    pocket_check: str | None = "run",
    pocket: Pocket | None = None,
    record: bool = False,
    measure: Callable[[], dict[str, float]] | None = None,
    on_epoch: Callable[[dict[str, Any]], object] | None = None,
    on_progress: Callable[[float], None] | None = None,
    stop_when_clean: bool = True,
) -> Outcome:
    """Visit the rows for up to `max_iter` epochs, changing `state` in place; in a new order each, given a seed.

    `on_epoch` is told of every epoch and stops the run by returning something true; `measure` adds figures
    to an epoch's row; `on_progress` hears how far the present epoch is. `pocket_check` is "run", "update",
    "stream" or None for no pocket; a `pocket` is carried on.
    """
    outcome = Outcome(pocket=pocket or Pocket(), log=UpdateLog(state.count) if record else None)
    visitor = Visitor(task, state.count, record)
    started = time.perf_counter()
    kept = task.kept
    shuffler = None if seed is None else Shuffler(kept, seed)
    length = stretch_length(task, state, pocket_check == "update")
    retrace = state.vectors.size <= RETRACED
    before = state.copy() if pocket_check in ("run", "stream") and retrace else None
    between_decisions = 1 if products_per_row(task, state) * task.n_rows <= CHEAP_PASS else 8
    best, waited = np.inf, 0
    try:
        with interrupt_flag() as interrupted:
            for number in range(1, max_iter + 1):
                clock = time.perf_counter()
                order = kept if shuffler is None else shuffler()
                updates, mistakes, stop = state.updates, 0, ""
                for start in range(0, len(order), length):
                    stretch = order[start : start + length]
                    stretch_updates = state.updates
                    if before is not None:
                        before.copy_weights_from(state)
                    scores, visited, log = visitor.visit(state, stretch)
                    if visited < len(stretch):
                        stop = "diverged"
                        break
                    state.settle()
                    wrong, met = find_mistakes(scores, task.codes, stretch, task.classes)
                    mistakes += met
                    if outcome.log is not None:
                        outcome.log.append(log)
                    if pocket_check in ("run", "stream"):
                        before = outcome.pocket.follow(state, before, stretch, wrong)
                    elif pocket_check == "update" and state.updates > stretch_updates:
                        outcome.pocket.consider(visitor, state)
                    if on_progress is not None:
                        on_progress((start + len(stretch)) / len(order))
                    if interrupted():
                        stop = "interrupted"
                        break
                    if time_limit is not None and time.perf_counter() - started >= time_limit:
                        stop = "time_limit"
                        break
                seconds = time.perf_counter() - clock
                if number % between_decisions == 0:
                    outcome.pocket.decide(visitor, pocket_check == "run")
                    if between_decisions == 1 and pocket_check == "run":
                        outcome.pocket.consider(visitor, state)
                updates = state.updates - updates
                row = {
                    "epoch": number,
                    "updates": updates,
                    "mistakes": mistakes,
                    "norm": state.norm(),
                    "seconds": seconds,
                    **({} if measure is None else measure()),
                }
                if "train_error" in row and pocket_check in ("run", "update"):
                    outcome.pocket.offer(state, row["train_error"] * task.total_weight)
                try:
                    wants_stop = bool(on_epoch is not None and on_epoch(row))
                except KeyboardInterrupt:
                    stop, wants_stop = "interrupted", False
                if not stop and updates == 0 and mistakes == 0 and stop_when_clean:
                    stop = "converged"
                if not stop and wants_stop:
                    stop = "callback"
                if not stop and tol is not None:
                    error = mistakes / max(1, len(order))
                    waited = 0 if error < best - tol else waited + 1
                    best = min(best, error)
                    stop = "no_improvement" if waited >= PATIENCE else ""
                if not stop and interrupted():
                    stop = "interrupted"
                if stop:
                    outcome.stop_reason = stop
                    break
            if pocket_check == "stream":
                outcome.pocket.decide(visitor, confirm=False)
                outcome.pocket.keep_running(state)
            elif pocket_check is not None and outcome.stop_reason == "converged":
                outcome.pocket.keep(state)  # a clean epoch is a pass that found no error
            elif pocket_check is not None:
                outcome.pocket.decide(visitor, confirm=True)
                outcome.pocket.consider(visitor, state)
    finally:
        visitor.close()
    return outcome
