"""Takes the rows of a stretch to half-spaces, on one thread or several, and counts what they get wrong of all rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.helper import Helper
from rosenblatt.engine.online import binary_loop as alone
from rosenblatt.engine.online.errors import compare_errors
from rosenblatt.engine.online.loop import LAYOUTS, visit_rows
from rosenblatt.engine.online.shuffle import Found, look_through
from rosenblatt.engine.online.state import SEEN, Array, HalfSpaces
from rosenblatt.engine.online.task import Task, products_per_row
from rosenblatt.engine.pair import Pair, span_of

if TYPE_CHECKING:
    from rosenblatt.engine.rest import Rest

WORTH_A_HELPER = 2**17  # multiplications in a stretch that two threads share: below, calling the second costs more
WORTH_A_NOTE = 64  # numbers in a row whose lessons are noted down, so that only these need be repeated,
MOST_NOTED = 1  # by so many half-spaces: notes of more take as much memory as their weights, and save little


class Visitor:
    """Takes rows to half-spaces, on as many threads as there are units of half-spaces."""

    def __init__(
        self, task: Task, count: int, record: bool = False, *, once: bool = False, like: Visitor | None = None
    ) -> None:
        self.task = task
        self.record = record
        of_rule = task.rule, task.params.shape[1], task.weighted, task.layout
        self.is_alone = alone.may_be_alone(task.layout, count, task.coupled)
        self.kernel = alone.visit_rows(*of_rule) if self.is_alone else visit_rows(*of_rule, task.coupled)
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
            # Dense parts are for two threads as well, of which this is one. In a first epoch much is learned.
            dense, long = task.layout == "rows", self.per_row * task.n_rows >= WORTH_A_HELPER
            self.helper = Helper() if (task.n_jobs == 2 if dense else long and not once) else None
        self.pair: Pair | None = None
        if self.helper is not None and task.layout != "rows":
            self.pair = Pair(self.helper, *of_rule, task.coupled)
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
        self.visit_and_look(state, nothing, 0)
        if self.pair is not None:
            scores, log = self._results(state, nothing, True)
            look_through(scores, self.task.codes, nothing, self.task.classes)
            self.pair.prepare(state, (*self.arguments(state, nothing), 0, state.count, scores, log))

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()
        if self.helper is not None:
            self.helper.close()

    def arguments(self, state: HalfSpaces, order: Array) -> tuple[Any, ...]:
        """What every loop over these rows begins with."""
        task = self.task
        return (
            state.reads(task.rows), order, task.codes, task.sample_weight, task.positive, task.params, state.arrays,
            float(task.intercept), task.shrink_intercept,
        )  # fmt: skip

    def _results(self, state: HalfSpaces, order: Array, scores: bool) -> tuple[Array, tuple[Array, ...]]:
        """Room for the scores and for what the updates were."""
        count, length = state.count, len(order)
        kind = np.uint32 if self.task.n_rows < 2**32 else np.int64
        rows = self._room("rows", (count, length if self.record or self.notes_lessons else 0), kind)
        numbers = self._room("numbers", (count, length if self.record else 0, 3), np.float64)
        room = self._room("scores", (count, length if scores else 0), state.dtype)
        return room, (rows, numbers, np.zeros(count, np.int64))

    def _room(self, purpose: str, shape: tuple[int, ...], kind: Any) -> Array:
        if not self.keeps_room:
            return np.empty(shape, kind)
        size, room = math.prod(shape), self.rooms.get(purpose)
        if room is None or room.size < size or room.dtype != kind:
            room = self.rooms[purpose] = np.empty(size, kind)
        return room[:size].reshape(shape)

    def visit(self, state: HalfSpaces, order: Array) -> tuple[Array, int, tuple[Array, ...]]:
        """(scores, rows visited before a score was not finite, what the updates were)."""
        span = self._span(order)
        scores, log = self._results(state, order, True)
        return scores, self._visit(state, order, span, scores, log), log

    def visit_and_look(self, state: HalfSpaces, order: Array, run: int) -> tuple[Found, int, tuple[Array, ...]]:
        """(what the answers came to, after so many right ones; rows visited, what the updates were, as in `visit`)."""
        span, classes = self._span(order), self.task.classes
        looks_itself = self.is_alone and not span and classes == 1
        scores, log = self._results(state, order, not looks_itself)
        found = np.array([0, -1, -1, run])
        visited = self._visit(state, order, span, scores, log, found)
        if looks_itself:
            return Found(*found.tolist()), visited, log
        return look_through(scores, self.task.codes, order, classes, run)[1], visited, log

    def _span(self, order: Array) -> int:
        """How many rows at a time are shared by two threads; 0 if one visits them all."""
        span = span_of(self.lessons_per_row)
        worth_it = span > 0 and self.per_row * len(order) >= WORTH_A_HELPER
        return span if self.pair is not None and worth_it and self.pair.called() else 0

    def _visit(
        self, state: HalfSpaces, order: Array, span: int, scores: Array, log: tuple[Array, ...],
        found: Array | None = None,
    ) -> int:  # fmt: skip
        arguments, updates = self.arguments(state, order), state.updates
        if span and self.pair is not None:
            visited = self.pair.visit(state, span, (*arguments, 0, state.count, scores, log))
        elif self.is_alone:
            visited = self.kernel(*arguments, 0, 1, scores, log, np.zeros(4, np.int64) if found is None else found)
        else:
            visits = [len(order)]
            self._share(lambda first, last: visits.append(self.kernel(*arguments, first, last, scores, log)))
            visited = min(visits)
        if visited:
            self.lessons_per_row = (state.updates - updates) / visited
        return visited

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
        rows, numbers, sizes = log
        first = before.ledger[: before.count, SEEN].astype(np.int64) + 1
        # Where only the time of an update is noted, it may be the last bits of it: they suffice for a difference.
        times = [numbers[k, :n, 2].astype(np.int64) if self.record else rows[k, :n] for k, n in enumerate(sizes)]
        visits = np.concatenate([noted - first[k].astype(noted.dtype) for k, noted in enumerate(times)])
        visits = visits[visits < end].astype(np.int64)
        return visits if len(sizes) == 1 else np.unique(visits)

    def repeat(self, state: HalfSpaces, order: Array) -> bool:
        """The same visits again, to bring a copy to where the original was; whether all could be made.

        A copy's sums are scratch, and close to the end of the range of floats a visit may be refused for their sake.
        """
        before = self.record, self.notes_lessons, self.lessons_per_row
        self.record = self.notes_lessons = False
        _, visited, _ = self.visit(state, order)
        self.record, self.notes_lessons, self.lessons_per_row = before
        return visited == len(order)

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
