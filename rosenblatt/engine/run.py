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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.helper import Helper
from rosenblatt.engine.judge import compare_errors
from rosenblatt.engine.loop import LAYOUTS, visit_rows
from rosenblatt.engine.order import Found, Shuffler, look_through
from rosenblatt.engine.pair import Pair, span_of
from rosenblatt.engine.pocket import Pocket
from rosenblatt.engine.rest import Rest, may_rest
from rosenblatt.engine.state import SEEN, Array, HalfSpaces
from rosenblatt.engine.touched_state import TouchedHalfSpaces, may_be_touched
from rosenblatt.engine.updates import UpdateLog

SCORES_KEPT = 2**16  # numbers in one stretch
ROWS = 2**16  # rows in one stretch
PRODUCTS = 2**27  # multiplications in one stretch, about a twentieth of a second
RETRACED = 2**20  # weights that are copied before every stretch, to be able to return to any point of it
WORTH_A_HELPER = 2**17  # multiplications in a stretch that two threads share: below, calling the second costs more
WORTH_A_NOTE = 64  # numbers in a row whose lessons are noted down, so that only these need be repeated,
MOST_NOTED = 1  # by so many half-spaces: notes of more take as much memory as their weights, and save little
CHEAP_PASS = 2**20  # multiplications in a pass over all rows that is made without a second thought
PATIENCE = 5  # epochs without improvement
SOON = 1.0  # seconds within which a second Ctrl-C ends more than the run that heard the first

_heard = [-math.inf]  # when Ctrl-C was last heard


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
        return np.flatnonzero(self.sample_weight).astype(np.int32 if self.n_rows < 2**31 else np.int64)


class Visitor:
    """Takes rows to half-spaces, on as many threads as there are units of half-spaces."""

    def __init__(
        self, task: Task, count: int, record: bool = False, *, once: bool = False, like: Visitor | None = None
    ) -> None:
        self.task = task
        self.record = record
        self.kernel = visit_rows(task.rule, task.params.shape[1], task.weighted, task.layout, task.coupled)
        unit = LAYOUTS[task.layout].unit(task.rows, task.n_jobs)
        units = math.ceil(count / unit)
        threads = max(1, min(task.n_jobs, units))
        if task.coupled:
            together = units  # classes that move together are taught together
        elif task.layout != "rows":
            together = 1  # block after block, so that the weights in use stay in the cache
        else:
            together = math.ceil(units / threads)
        self.parts = [(k, min(k + together * unit, count)) for k in range(0, count, together * unit)]
        self.per_row = products_per_row(task, count)
        self.pool: ThreadPoolExecutor | None = None
        self.helper: Helper | None = None
        if like is not None:  # another visitor's threads
            self.pool, self.helper = like.pool, like.helper
        elif task.n_jobs > 1:
            self.pool = ThreadPoolExecutor(task.n_jobs)
            shared = task.layout != "rows" and self.per_row * task.n_rows >= WORTH_A_HELPER
            self.helper = Helper() if shared and not once else None  # in a first epoch much is learned
        parts = task.rule, task.params.shape[1], task.weighted, task.layout, task.coupled
        self.pair = None if self.helper is None else Pair(self.helper, *parts)
        self.rest: Rest | None = None  # if half-spaces may rest: who does
        self.lessons_per_row = 1.0  # in the stretch before; at first every row may teach something
        # Whether nobody wants the scores of a stretch any more when the next one begins. Room that is given back to the
        # system comes back as pages that it must clear first.
        self.keeps_room = False
        self.rooms: dict[str, Array] = {}
        self.notes_lessons = False  # whether updates are noted down though nobody asked for a record of them

    def prepare(self, state: HalfSpaces) -> None:
        """Have everything compiled before the clock starts."""
        nothing = self.task.kept[:0]
        scores, _, _ = self.visit(state, nothing)
        look_through(scores, self.task.codes, nothing, self.task.classes)
        if self.pair is not None:
            arguments = *self._arguments(state, nothing), 0, state.count, *self._results(state, nothing)
            self.pair.prepare(state, arguments)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()
        if self.helper is not None:
            self.helper.close()

    def _arguments(self, state: HalfSpaces, order: Array) -> tuple[Any, ...]:
        task = self.task
        return (
            state.reads(task.rows), order, task.codes, task.sample_weight, task.positive, task.params, state.arrays,
            float(task.intercept), task.shrink_intercept,
        )  # fmt: skip

    def _results(self, state: HalfSpaces, order: Array) -> tuple[Array, tuple[Array, ...]]:
        """Room for the scores and for what the updates were."""
        count, room = state.count, len(order) if self.record or self.notes_lessons else 0
        rows, numbers = self._room("rows", (count, room), np.int64), self._room("numbers", (count, room, 3), np.float64)
        return self._room("scores", (count, len(order)), state.dtype), (rows, numbers, np.zeros(count, np.int64))

    def _room(self, purpose: str, shape: tuple[int, ...], kind: Any) -> Array:
        if not self.keeps_room:
            return np.empty(shape, kind)
        size, room = math.prod(shape), self.rooms.get(purpose)
        if room is None or room.size < size or room.dtype != kind:
            room = self.rooms[purpose] = np.empty(size, kind)
        return room[:size].reshape(shape)

    def visit(self, state: HalfSpaces, order: Array) -> tuple[Array, int, tuple[Array, ...]]:
        """(scores, rows visited before a score was not finite, what the updates were)."""
        updates = state.updates
        arguments, (scores, log) = self._arguments(state, order), self._results(state, order)
        span = span_of(self.lessons_per_row)
        worth_it = span > 0 and self.per_row * len(order) >= WORTH_A_HELPER
        if self.pair is not None and worth_it and self.pair.called():
            visited = self.pair.visit(state, span, (*arguments, 0, state.count, scores, log))
        else:
            visits = [len(order)]
            self._share(lambda first, last: visits.append(self.kernel(*arguments, first, last, scores, log)))
            visited = min(visits)
        if visited:
            self.lessons_per_row = (state.updates - updates) / visited
        return scores, visited, log

    def _share(self, visit: Callable[[int, int], object]) -> None:
        """Visit all parts of the half-spaces, on several threads if there are."""
        if self.pool is None or len(self.parts) == 1:
            for part in self.parts:
                visit(*part)
        elif self.helper is not None and self.task.n_jobs == 2:
            self.helper.share(visit, self.parts)
        else:
            list(self.pool.map(lambda part: visit(*part), self.parts))

    def note_lessons(self) -> None:
        """Note down which visits teach something, so that the others need not be repeated.

        A rule that looks at the time must have every visit repeated. Short rows are repeated sooner than noted down,
        and of several half-spaces the stretches are short.
        """
        worth_it = products_per_row(self.task, 1) >= WORTH_A_NOTE and len(self.task.positive) <= MOST_NOTED
        self.notes_lessons = worth_it and not compiled.reads_argument(self.task.rule, 2)

    def needed(self, before: HalfSpaces, log: tuple[Array, ...], end: int) -> Array:
        """The numbers of the visits to repeat, of the first `end` ones of a stretch, to be where they led."""
        if not self.notes_lessons:
            return np.arange(end)
        _, numbers, sizes = log
        seen = before.ledger[: before.count, SEEN]
        visits = np.concatenate([numbers[k, :size, 2] - seen[k] - 1 for k, size in enumerate(sizes)])
        visits = visits[visits < end].astype(np.int64)
        return visits if len(sizes) == 1 else np.unique(visits)

    def repeat(self, state: HalfSpaces, order: Array) -> None:
        """The same visits again, to bring a copy to where the original was."""
        before = self.record, self.notes_lessons, self.lessons_per_row
        self.record = self.notes_lessons = False
        self.visit(state, order)
        self.record, self.notes_lessons, self.lessons_per_row = before

    def errors(self, states: Sequence[HalfSpaces], limit: float = np.inf) -> list[float]:
        """What each state gets wrong of all rows; anything above `limit`, or above an earlier one's, if it is more."""
        if self.rest is not None and self.rest.knows(states[0]):
            assert len(states) == 1  # where half-spaces rest, runs are not followed
            return [self.rest.errors(limit)]
        task = self.task
        return compare_errors(
            task.rows, task.n_rows, task.codes, task.sample_weight, states, task.classes, self.threads(), limit
        )

    def threads(self) -> Any:
        """Something to map functions with: the helper and this thread, or the pool, or nothing."""
        return self.pool if self.helper is None else _Two(self.helper)


class _Two:
    """This thread and its helper, as a pool: no thread has to be started, and none waits for the others."""

    def __init__(self, helper: Helper) -> None:
        self.helper = helper

    def map(self, function: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
        results: list[Any] = [None] * len(parts)

        def work(number: int, part: Any) -> None:
            results[number] = function(part)

        self.helper.share(work, enumerate(parts))
        return results


@dataclass
class Outcome:
    """How a run ended."""

    stop_reason: str = "max_iter"
    pocket: Pocket = field(default_factory=Pocket)
    log: UpdateLog | None = None


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Ctrl-C raises a flag, which is looked at between stretches; a second one soon after interrupts at once.

    That holds across runs, too: many short ones after each other would otherwise swallow one Ctrl-C each.
    """
    raised = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield raised.is_set
        return

    def note(number: int, frame: Any) -> None:
        heard_before, _heard[0] = _heard[0], time.monotonic()
        if raised.is_set() or _heard[0] - heard_before < SOON:
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


def products_per_row(task: Task, count: int) -> float:
    numbers = task.rows[0].shape[1] if task.layout == "rows" else max(1.0, len(task.rows[0]) / max(1, task.n_rows))
    return float(numbers * max(1, count))


def stretch_length(task: Task, state: HalfSpaces, check_every_update: bool) -> int:
    if check_every_update:
        return 1
    kept = SCORES_KEPT if task.layout == "rows" else 4 * SCORES_KEPT  # beside many sparse weights they weigh little
    longest = min(PRODUCTS / products_per_row(task, state.count), kept / max(1, state.count), ROWS)
    return max(256, int(longest))


@dataclass
class Watch:
    """Who watches a run and may end it: the clock, Ctrl-C, a callback, a lack of progress."""

    time_limit: float | None = None
    tol: float | None = None
    on_epoch: Callable[[dict[str, Any]], object] | None = None
    on_progress: Callable[[float], None] | None = None
    interrupted: Callable[[], bool] = lambda: False
    started: float = field(default_factory=time.perf_counter)
    best: float = np.inf
    waited: int = 0

    def within_epoch(self, done: float) -> str:
        """A reason to stop now, in the middle of an epoch, or nothing."""
        if self.on_progress is not None:
            self.on_progress(done)
        if self.interrupted():
            return "interrupted"
        if self.time_limit is not None and time.perf_counter() - self.started >= self.time_limit:
            return "time_limit"
        return ""

    def after_epoch(self, figures: dict[str, Any], n_rows: int) -> str:
        """A reason to stop after an epoch that was finished, or nothing."""
        try:
            wants_stop = bool(self.on_epoch is not None and self.on_epoch(figures))
        except KeyboardInterrupt:
            return "interrupted"
        if wants_stop:
            return "callback"
        error = figures["mistakes"] / max(1, n_rows)
        if self.tol is not None:
            self.waited = 0 if error < self.best - self.tol else self.waited + 1
            self.best = min(self.best, error)
            if self.waited >= PATIENCE:
                return "no_improvement"
        return "interrupted" if self.interrupted() else ""


def train(
    task: Task,
    state: HalfSpaces,
    *,
    max_iter: int,
    watch: Watch | None = None,
    seed: int | None = None,
    pocket_check: str | None = "run",
    pocket: Pocket | None = None,
    record: bool = False,
    measure: Callable[[], dict[str, float]] | None = None,
    stop_when_clean: bool = True,
) -> Outcome:
    """Visit the rows for up to `max_iter` epochs, changing `state` in place; in a new order each, given a seed.

    `measure` adds figures to those of an epoch. `pocket_check` is "run", "update", "stream" or None for no pocket;
    a `pocket` is carried on.
    """
    spare = not (record or measure or pocket) and pocket_check != "update" and stop_when_clean
    numbers = np.prod(state.stored_shape(state.count, state.n_features))
    rest: dict[str, Any] = {
        "max_iter": max_iter, "watch": watch or Watch(), "seed": seed, "pocket_check": pocket_check,
        "pocket": pocket or Pocket(), "record": record, "measure": measure, "stop_when_clean": stop_when_clean,
    }  # fmt: skip
    if not (spare and numbers > RETRACED and may_be_touched(task, state)):
        return _train(task, state, **rest)
    longest = min(task.n_rows, stretch_length(task, state, check_every_update=False))
    helper = Helper() if task.n_jobs > 1 else None
    try:
        touched = TouchedHalfSpaces(state.count, state.n_features, state.dtype, task.rows, longest, helper=helper)
        outcome = _train(replace(task, layout=touched.layout), touched, **rest)
        touched.pack()
    finally:
        if helper is not None:
            helper.close()
    state.hold(touched)
    if outcome.pocket.shared:
        outcome.pocket.share(state)
    return outcome


def _train(
    task: Task,
    state: HalfSpaces,
    *,
    max_iter: int,
    watch: Watch,
    seed: int | None,
    pocket_check: str | None,
    pocket: Pocket,
    record: bool,
    measure: Callable[[], dict[str, float]] | None,
    stop_when_clean: bool,
) -> Outcome:
    outcome = Outcome(pocket=pocket, log=UpdateLog(state.count) if record else None)
    visitor = Visitor(task, state.count, record, once=max_iter == 1)
    kept = task.kept
    shuffler = None if seed is None else Shuffler(kept, seed)
    large = products_per_row(task, state.count) * task.n_rows > CHEAP_PASS
    follower = _Follower(task, state, visitor, outcome, watch, pocket_check, max_iter)
    visitor.prepare(state)  # what must be compiled is so before the clock starts
    watch.started = time.perf_counter()
    try:
        with interrupt_flag() as watch.interrupted:
            for number in range(1, max_iter + 1):
                clock, updates = time.perf_counter(), state.updates
                order = kept if shuffler is None else shuffler()
                mistakes, stop = follower.epoch(order)
                seconds = time.perf_counter() - clock
                passes = pocket_check == "run" and not (large and number % 16)
                follower.end_of_epoch(finished=not stop, looked_at=passes or measure is not None)
                if passes:
                    latest = [] if large and follower.before is not None else [state]
                    outcome.pocket.consider(visitor, *outcome.pocket.nominee(visitor), *latest)
                figures = {
                    "epoch": number,
                    "updates": state.updates - updates,
                    "mistakes": mistakes,
                    "norm": follower.norm(),
                    "seconds": seconds,
                    **({} if measure is None else measure()),
                }
                if "train_error" in figures and pocket_check in ("run", "update"):
                    outcome.pocket.offer(state, figures["train_error"] * task.total_weight)
                asked = watch.after_epoch(figures, len(order))
                if not stop and stop_when_clean and figures["updates"] == mistakes == 0:
                    stop = "converged"
                outcome.stop_reason = stop or asked or outcome.stop_reason
                if stop or asked:
                    break
            follower.finish()
            outcome.pocket.close(visitor, state, pocket_check, outcome.stop_reason == "converged")
    finally:
        visitor.close()
    return outcome


class _Follower:
    """Visits the rows of an epoch stretch by stretch, and keeps the books of what happened."""

    def __init__(
        self,
        task: Task,
        state: HalfSpaces,
        visitor: Visitor,
        outcome: Outcome,
        watch: Watch,
        pocket_check: str | None,
        max_iter: int,
    ) -> None:
        self.task, self.state, self.visitor, self.outcome, self.watch = task, state, visitor, outcome, watch
        self.by_runs, self.by_updates = pocket_check in ("run", "stream"), pocket_check == "update"
        self.length = stretch_length(task, state, self.by_updates)
        # What a stretch began with, to be able to return to any point of it.
        few = np.prod(state.stored_shape(state.count, state.n_features)) <= RETRACED
        self.before = state.copy() if self.by_runs and few else None
        if self.before is not None:
            visitor.note_lessons()
        restful = max_iter > 1 and not few and not visitor.record and not self.by_updates and may_rest(task, state)
        self.rest = Rest(task, state, visitor) if restful else None
        visitor.keeps_room = self.rest is None  # there scores are kept for an epoch

    def epoch(self, order: Array) -> tuple[int, str]:
        """(mistakes met, a reason to stop or nothing)."""
        state, pocket, mistakes = self.state, self.outcome.pocket, 0
        for start in range(0, len(order), self.length):
            stretch = order[start : start + self.length]
            updates = state.updates
            if self.before is not None:
                self.before.copy_weights_from(state)
            scores, visited, log = self._visit(stretch)
            if visited < len(stretch):
                return mistakes, "diverged"
            found = self._keep_books(scores, stretch)
            mistakes += found.mistakes
            if self.outcome.log is not None:
                self.outcome.log.append(log)
            if self.before is not None:
                if pocket.follow(found):
                    visits = self.visitor.needed(self.before, log, found.end)
                    self.before = pocket.nominate(self.before, stretch[visits], found.end)
            elif self.by_updates and state.updates > updates:
                pocket.consider(self.visitor, state)
            stop = self.watch.within_epoch((start + len(stretch)) / len(order))
            if stop:
                return mistakes, stop
        return mistakes, ""

    def _visit(self, stretch: Array) -> tuple[Array, int, tuple[Array, ...]]:
        return self.visitor.visit(self.state, stretch) if self.rest is None else self.rest.visit(stretch)

    def _keep_books(self, scores: Array, stretch: Array) -> Found:
        if self.rest is not None:
            self.rest.settle()
            return Found(self.rest.find_mistakes(scores, stretch)[1])  # where half-spaces rest, nobody follows runs
        self.state.settle()
        return look_through(scores, self.task.codes, stretch, self.task.classes, self.outcome.pocket.run)[1]

    def end_of_epoch(self, finished: bool, looked_at: bool) -> None:
        """Let half-spaces rest that have learned everything; bring the whole state up to date if it is looked at."""
        if self.rest is not None and finished:
            self.rest.end_of_epoch()
        if self.rest is not None and looked_at:
            self.rest.write_back()

    def norm(self) -> float:
        return self.state.norm() if self.rest is None else self.rest.norm()

    def finish(self) -> None:
        if self.rest is not None:
            self.rest.write_back()
