"""Rows that stay quiet: visits that would teach nothing are not made, and it is proven that they would not have.

After a few epochs over text, one row in a thousand teaches anything, and a lesson changes the scores of most other rows
in the third digit. So a row that is far on its side is left out, on trust, for a window of several epochs. Then one
pass over the rows, in the order in which they stand in memory, settles the matter. Every weight was somewhere between
its least and its largest value of the window, which the lessons tell. With the worst of these for its class, a row of
numbers that are not negative has a margin no larger than at any time of the window. If the rule is silent at that
margin and above, no visit to the row would have taught anything. The bias moves further than any weight, but is known
at every time: bounds are kept without it.

A few rows that remain in doubt are scored with the weights before every lesson. If they would have been quiet too, the
window stands. Otherwise it is taken back and gone through again with the bounds that the pass has found. If its lessons
are the same then, these bounds hold, and what was left out was proven before.

All that is learned is the same, bit for bit, as if every visit had been made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine import lessons, quiet_loops
from rosenblatt.engine.online.shuffle import EpochOfRows, Shuffler, sum_of_squares
from rosenblatt.engine.online.state import BIAS, SCALE, Array, HalfSpaces
from rosenblatt.engine.online.task import Task, products_per_row, stretch_length
from rosenblatt.engine.silence import silent_above

if TYPE_CHECKING:
    from rosenblatt.engine.online.pocket import Pocket
    from rosenblatt.engine.online.stopping import Watch
    from rosenblatt.engine.online.threads import Visitor

WORTH_IT = 2**20  # multiplications in an epoch from which on leaving some out is worth the trouble
SHORTEST, LONGEST = 3, 16  # epochs in a window that leaves rows out
GROWTH = 4  # times the length of a window that was worth it, for the next one
FEW_LESSONS = 1e-3  # per row: a run that learns less may soon be over, if it learns less and less
FIRST_REACH = 0.5  # of the usual margin: how near to the boundary a row is visited, to begin with
FEW_DOUBTS = 32  # rows of one side, in one half of all rows, that are looked at one by one
MANY_DOUBTS = 16  # after which rows are visited that are further from the boundary
TRIES = 3  # times that rows are left out of a window; then every visit is made
PRICE = 0.8  # of the proof, in visits per row
PAYS = 0.8  # of the visits of a window: what is made and proven may cost no more
LONGEST_LEAVE = 15  # epochs


class QuietRows:
    """What is known of the margins of the rows that a single half-space learns from, and the windows that use it."""

    def __init__(self, task: Task, state: HalfSpaces, visitor: Visitor, watch: Watch) -> None:
        self.task, self.state, self.visitor, self.watch = task, state, visitor, watch
        self.length = 1
        self.reach = np.inf  # a row whose bound, with the bias, is above is left out
        self.leave, self.left = 0, 0.0  # epochs in which nothing is tried, after it did not pay
        self.lessons_per_row, self.steady = 1.0, 0  # in the epoch before; epochs in which they did not halve
        self.counts, self.biases = np.zeros(6, np.int64), np.zeros(2)
        self.doubtful, self.bounds = np.empty((4, FEW_DOUBTS), np.uint32), np.empty((4, FEW_DOUBTS))
        self.kernel: Any = None  # what follows is made when it is first needed
        self.silence: float
        self.lessons: lessons.Lessons
        self.margins: Array

    def most(self, epochs_left: int) -> int:
        """How many epochs a window may have that begins now; 0 if none should.

        It should if lessons are rare and will not end soon, and if there are enough epochs to leave rows out of.
        """
        now, before = self.visitor.lessons_per_row, self.lessons_per_row
        self.lessons_per_row, self.steady = now, self.steady + 1 if now > before / 2 else 0
        if self.left:
            self.left -= 1
            return 0
        task, state, first = self.task, self.state, self.kernel is None
        taught = now * task.n_rows
        fit = lessons.would_fit(state, taught, taught * products_per_row(task, 1))
        most = int(min(epochs_left, lessons.examples_before_settling(state) / max(1, task.n_rows)))
        if not fit or most < SHORTEST + first or state.ledger[0, SCALE] != 1.0:
            return 0
        lasting = now > max(FEW_LESSONS, before / 3) or self.steady > 1
        return most if not first or (lasting and self._prepare()) else 0

    def _prepare(self) -> bool:
        """Have everything compiled, and room for what a window needs; False if no row can be proven to be quiet."""
        task, state = self.task, self.state
        varied = task.weighted if len(task.sample_weight) else -1
        silence = silent_above(task.rule, tuple(task.params[0].tolist()), varied)
        if not np.isfinite(silence) or task.rows[0].min() < 0:
            self.left = np.inf
            return False
        self.silence = max(silence, float(np.finfo(state.dtype).tiny))  # below, a margin may become 0, and a mistake
        self.kernel = quiet_loops.visit_rows(task.rule, task.params.shape[1], task.weighted, task.layout)
        self.prove, self.look_back = quiet_loops.proofs()
        self.lessons = lessons.Lessons(task.rows, state)
        self.margins = np.full(task.n_rows, -np.inf, state.dtype)
        self.times = float(np.sqrt(quiet_loops.most_times(task.rows)))
        self._compile()
        return True

    def _compile(self) -> None:
        """Have everything called, with nothing to do: no epoch should wait for a compiler."""
        taught, nothing = self.lessons, self.task.kept[:0]
        self._visit(nothing)
        sum_of_squares(self.state.vectors.reshape(-1)[:0])
        taught.spread(1.0)
        self._prove_rows(0, 0, 0, 1.0, 1.0)
        taught.gather()
        self._count_loud(self.reach, self.doubtful[0, :0], self.bounds[0, :0])
        taught.take_back()
        Shuffler(nothing.copy(), 0).back()

    def window(self, kept: Array, shuffler: Shuffler | None, most: int, pocket: Pocket) -> list[EpochOfRows]:
        """Go through up to `most` epochs: those that were gone through, the last perhaps with a reason to stop.

        None at all, and everything as it was, if too much was learned for that.
        """
        is_last = self.length > 1 and most - self.length < SHORTEST
        length = most if is_last else min(self.length, most)
        proven: Array | None = None
        made = passes = doubts = 0
        for tries in range(TRIES + 1):
            self.lessons.begin()
            self.counts[:], self.biases[:] = 0, self.state.ledger[0, BIAS]
            self.counts[quiet_loops.RUN], self.counts[quiet_loops.LONGEST] = pocket.run, pocket.longest
            self.counts[quiet_loops.RECORD] = -1
            epochs = self._go_through(kept, shuffler, length)
            made += int(self.counts[quiet_loops.VISITS])
            taught = self.lessons.rows_taught
            if self.counts[quiet_loops.REFUSED]:
                break
            stands = proven is not None and np.array_equal(taught, proven[: len(taught)])  # Ctrl-C may cut it short
            stands |= not np.isfinite(self.reach) and not epochs[-1].updates  # all were visited, and that was all
            if not stands:
                proven = taught.copy()
                doubts, stands = self._prove()
                passes += 1
            if stands:
                self._adapt(epochs, made, passes, doubts)
                return epochs
            self._take_back(shuffler, len(epochs))
            if tries == TRIES - 1:
                self.margins[:] = -np.inf
        self._take_back(shuffler, len(epochs))
        self._go_on_leave()
        return []

    def _go_through(self, kept: Array, shuffler: Shuffler | None, length: int) -> list[EpochOfRows]:
        task, state = self.task, self.state
        at_once = stretch_length(task, state, check_every_update=False)
        epochs: list[EpochOfRows] = []
        while len(epochs) < length:
            order = kept if shuffler is None else shuffler()
            updates, mistakes, stop = state.updates, int(self.counts[quiet_loops.MISTAKES]), ""
            for start in range(0, len(order), at_once):
                stretch = order[start : start + at_once]
                self._visit(stretch)
                stop = self.watch.within_epoch((start + len(stretch)) / len(order))
                if self.counts[quiet_loops.REFUSED] or stop:
                    break
            mistakes = int(self.counts[quiet_loops.MISTAKES]) - mistakes
            epochs.append(EpochOfRows(state.updates - updates, mistakes, stop, state.norm()))
            clean = epochs[-1].updates == mistakes == 0
            if self.counts[quiet_loops.REFUSED] or stop or clean or self.lessons.half_full:
                break
        return epochs

    def _visit(self, stretch: Array) -> None:
        self.kernel(
            *self.visitor.arguments(self.state, stretch), self.margins, self.reach, self.lessons.arrays, self.counts,
            self.biases,
        )  # fmt: skip

    def _take_back(self, shuffler: Shuffler | None, epochs: int) -> None:
        """Have everything as it was before the window."""
        self.lessons.take_back()
        if shuffler is not None:
            for _ in range(epochs):
                shuffler.back()

    def _prove(self) -> tuple[int, bool]:
        """Bound the margin of every row: how many are in doubt then, and whether all were quiet when left out."""
        state, taught = self.state, self.lessons
        squares = 2 * sum_of_squares(state.vectors.reshape(-1))  # of the least and of the largest weights
        for side in (1.0, -1.0):
            squares += taught.spread(side)
            taught.gather()
        halves: list[tuple[int, int, float]] = []
        for side in (1.0, -1.0):
            taught.spread(side)
            halves += self._prove_side(side, 1.0001 * self.times * float(np.sqrt(max(0.0, squares))))
            taught.gather()
        found, reach = [doubts for doubts, _, _ in halves], self.reach
        if not np.isfinite(reach):
            usual = sum(beyond for _, _, beyond in halves) / max(1, sum(right for _, right, _ in halves))
            self.reach = self.silence + FIRST_REACH * usual
        if max(found) > FEW_DOUBTS or not any(found):
            return sum(found), not any(found)
        doubtful = np.concatenate([part[:few] for part, few in zip(self.doubtful, found, strict=True)])
        bounds = np.concatenate([part[:few] for part, few in zip(self.bounds, found, strict=True)])
        return len(doubtful), self._count_loud(reach, doubtful, bounds) == 0

    def _count_loud(self, reach: float, doubtful: Array, bounds: Array) -> int:
        """How many rows in doubt would have taught something when they were left out."""
        task, state, taught = self.task, self.state, self.lessons
        loud: int = self.look_back(
            task.rows, task.codes, task.positive[0], state.vectors, state.ledger, taught.arrays,
            int(taught.counts[lessons.NUMBERS]), reach, self.silence, doubtful, bounds,
        )  # fmt: skip
        taught.walk(0, int(taught.counts[lessons.LESSONS]), 0)
        return loud

    def _prove_side(self, side: float, length: float) -> list[tuple[int, int, float]]:
        """What `prove` says of the rows of a side, of the first half of all rows and of the second."""
        n, threads = self.task.n_rows, self.visitor.threads()

        def prove(half: int) -> tuple[int, int, float]:
            begin, end = (0, n // 2) if half == 0 else (n // 2, n)
            return self._prove_rows(begin, end, half if side > 0 else 2 + half, side, length)

        return list((map if threads is None else threads.map)(prove, (0, 1)))

    def _prove_rows(self, begin: int, end: int, part: int, side: float, length: float) -> tuple[int, int, float]:
        task, state = self.task, self.state
        kind = np.finfo(state.dtype)
        found: tuple[int, int, float] = self.prove(
            task.rows, begin, end, task.codes, task.sample_weight, task.positive[0], side, state.vectors,
            float(state.ledger[0, BIAS]), length, float(kind.eps), float(kind.max) / 16, self.margins, self.reach,
            self.silence, self.biases, self.doubtful[part], self.bounds[part],
        )  # fmt: skip
        return found

    def _adapt(self, epochs: list[EpochOfRows], made: int, passes: int, doubts: int) -> None:
        """The window stands. The next one is longer if this one paid, and reaches further if there were many doubts."""
        rows = self.task.n_rows
        self.state.settle()
        self.visitor.lessons_per_row = sum(epoch.updates for epoch in epochs) / max(1, rows * len(epochs))
        if self.length > 1:
            change = 1.25 if doubts > MANY_DOUBTS else 1.0 if doubts else 0.9
            self.reach = self.silence + (self.reach - self.silence) * change
        if self.length > 1 and made + passes * PRICE * rows > PAYS * rows * len(epochs):
            self._go_on_leave()
        else:
            self.leave, self.length = 0, min(GROWTH * self.length, LONGEST)

    def _go_on_leave(self) -> None:
        self.leave = min(2 * self.leave + 1, LONGEST_LEAVE)
        self.left, self.length = self.leave, max(1, self.length // 2)

    def follow_runs(self, pocket: Pocket, spare: HalfSpaces) -> HalfSpaces:
        """Tell the pocket of the runs of right answers in the window; `spare`, or another state, to be overwritten."""
        record, state, taught = int(self.counts[quiet_loops.RECORD]), self.state, self.lessons
        pocket.run, pocket.longest = int(self.counts[quiet_loops.RUN]), int(self.counts[quiet_loops.LONGEST])
        if record < 0:
            return spare
        count, end = (int(number) for number in taught.counts[:2])
        place = taught.walk(count, record, end)
        spare.copy_weights_from(state)
        if record < count:
            spare.ledger[0, BIAS] = taught.met[record]
        taught.walk(record, count, place)
        return pocket.nominate(spare, self.task.kept[:0], 0)


def quiet_rows(task: Task, state: HalfSpaces, visitor: Visitor, watch: Watch) -> QuietRows | None:
    """Someone who leaves quiet rows out, where that may be worth it: one half-space, many rows, nobody who looks."""
    can_be = (
        task.layout in ("columns", "noted")
        and state.count == 1
        and len(task.rows[0]) >= WORTH_IT
        and not visitor.record
        and watch.may_wait
        and watch.tol is None
        and watch.time_limit is None
    )
    return QuietRows(task, state, visitor, watch) if can_be else None
