"""The CPU backend of the kernel engine: scores, blocks and the scan.

Two ways to have the scores of a block:

- *kept*: the scores of all rows are kept, and what was learned since is added when a block is visited and at the end of
  the epoch. Each update costs one column of kernel values, n of them, in well-shaped products.
- *fresh*: computed from all support rows at every visit, for a stream, whose rows do not come back, and under a budget,
  where support rows are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.engine.kernel import scan as scanning
from rosenblatt.engine.kernel.backend import DualTask, answers
from rosenblatt.engine.kernel.products import Products
from rosenblatt.engine.kernel.scan import WANTS_VALUES
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.kernel.values import Operand, Store, as_slice, values_of
from rosenblatt.engine.online.state import Array

ASKED = 32  # rows whose values within the block are asked for at a time


class Block:
    """Some rows on their visit, with all that the scan reads and writes."""

    def __init__(self, rows: Array, operand: Operand, scores: Array, task: DualTask) -> None:
        n, count = scores.shape
        self.rows, self.operand = rows, operand
        self.scores = np.ascontiguousarray(scores.T)
        self.codes = task.codes[rows]
        self.weights = task.sample_weight[rows] if len(task.sample_weight) else np.empty(0)
        self.coefficients = np.zeros((n, count))
        self.counts = np.zeros((count, n), np.int64)
        self.held = np.zeros(n, bool)
        self.steps = np.zeros((count, n))
        self.updated, self.wrong, self.dropped = (np.zeros(n, bool) for _ in range(3))
        self.place = np.full(n, -1, np.int64)
        self.values = np.empty((0, n), task.dtype)
        self.known = 0  # rows of values that are filled
        # Where the scan stopped, half-spaces moved, room left in the budget, rows that entered the support.
        self.stopped = np.zeros(4, np.int64)
        self.entered = np.zeros(n, np.int64)
        # Under a budget: the support when the block was opened, in the order of the last updates.
        self.support_slots = np.empty(0, np.int64)
        self.support = np.empty((n, 0), task.dtype)  # its kernel values with the block
        self.support_coefficients = np.empty((0, count))
        self.support_place = np.full(n, -1, np.int64)  # of the block's own rows in the support

    def updates(self, start: int, stop: int) -> tuple[Array, Array, Array, Array]:
        """(positions, steps, wrong, dropped) of the rows that made an update."""
        positions = np.flatnonzero(self.updated[start:stop]) + start
        return positions, self.steps[:, positions].T.copy(), self.wrong[positions], self.dropped[positions]


class CpuBackend:
    """See above. Use it in a `with` block."""

    def __init__(self, task: DualTask, count: int, *, fresh: bool, store: Store | None = None) -> None:
        self.task, self.count, self.fresh = task, count, fresh
        self.source = values_of(task.kernel, task.X, task.dtype)
        self.products = Products(self.source, task.n_jobs)
        self.store = store or Store(self.source)  # support rows where scores are fresh, else what the epoch has learned
        self.steps = np.zeros((0, count))
        self.scores = np.zeros((0 if fresh else task.n_rows, count))
        self.margins = np.empty(task.block)
        self.test: list[Any] = []
        self.norms: Array | None = None

    def __enter__(self) -> CpuBackend:
        self.products.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.products.__exit__(*error)

    # ------------------------------------------------------------------ scores

    def mark(self) -> int:
        """How many updates there are in this epoch so far."""
        return self.store.size

    def _operand(self, rows: Array) -> Operand:
        """Rows of the task."""
        norms = self._row_norms()
        return self.source.operand(self.task.X, rows, None if norms is None else norms[as_slice(rows)])

    def _row_norms(self) -> Array | None:
        """The squared norms of all rows, computed once, where rows come back."""
        if self.norms is None and not self.fresh and self.source.needs_norms:
            parts = (self.source.operand(self.task.X, part).norms for part in self._parts(np.arange(self.task.n_rows)))
            self.norms = np.concatenate([part for part in parts if part is not None])
        return self.norms

    def _parts(self, rows: Array) -> Iterator[Array]:
        return (rows[start : start + self.task.block] for start in range(0, len(rows), self.task.block))

    def begin_epoch(self) -> None:
        if not self.fresh:
            self.store.clear()
            self.steps = np.zeros((0, self.count))

    def bring_up_to_date(self, rows: Array, since: int, operand: Operand | None = None) -> None:
        """Add what was learned after the mark `since` to the kept scores of these rows."""
        if since < self.store.size:
            left = self._operand(rows) if operand is None else operand
            learned = self.store.view().part(since, self.store.size)
            self.scores[rows] += self.products.sums(left, learned, self.steps[since:])

    def bring_all_up_to_date(self, visits: list[tuple[Array, int]]) -> None:
        """Bring rows up to date that were visited at these marks, whole blocks at a time."""
        self.store.view(), self._row_norms()  # made before threads ask for them
        self.products.each(lambda visit: self.bring_up_to_date(*visit), visits)

    def learn(self, block: Block, positions: Array, steps: Array, new: Array) -> None:
        """Rows of this block have made updates; those marked `new` had no coefficient before."""
        if self.fresh:
            self.store.append(_rows_of(block.operand, positions[new]))
            return
        self.store.append(_rows_of(block.operand, positions))
        self.steps = np.concatenate([self.steps, steps])

    def open(self, rows: Array, slots: Array, state: Expansion) -> Block:
        """A block whose scores are up to date; `slots` are those of its rows in the expansion, -1 for none."""
        operand = self._operand(rows)
        if self.task.budget:
            return self._open_bounded(rows, slots, operand, state)
        if self.fresh:
            scores = self.products.sums(operand, self.store.view(), state.coefficients[: state.size])
        else:
            self.bring_up_to_date(rows, 0, operand)
            scores = self.scores[rows]
        return Block(rows, operand, scores, self.task)

    def _open_bounded(self, rows: Array, slots: Array, operand: Operand, state: Expansion) -> Block:
        """A block with the kernel values of the whole support, for scores that are summed up row by row."""
        alive = state.alive
        alive = alive[np.argsort(state.taught[alive])]
        coefficients = state.coefficients[alive]
        values = np.empty((len(rows), 0), self.task.dtype)
        if len(alive):
            values = self.products.matrix(operand, _rows_of(self.store.view(), alive))
        block = Block(rows, operand, values @ coefficients, self.task)
        block.support_slots, block.support, block.support_coefficients = alive, values, coefficients
        place = np.full(state.size + 1, -1, np.int64)
        place[alive] = np.arange(len(alive))
        block.support_place = place[slots]  # the last one, -1, where there is no slot
        return block

    # ------------------------------------------------------------------ the scan

    def scan(self, block: Block, start: int, room: int, squared: Array) -> tuple[int, int]:
        """Visit rows from `start` on; (why it stopped, where)."""
        task = self.task
        while True:
            status = scanning.scan(
                block.scores, block.values, block.place, block.codes, block.weights, task.positive, task.classes,
                task.coupled, task.drop_after, room, block.coefficients, block.counts, block.held, start, block.steps,
                block.updated, block.wrong, block.dropped, squared, block.stopped, task.budget > 0, block.support,
                block.support_coefficients, block.support_place, block.entered,
            )  # fmt: skip
            start = int(block.stopped[0])
            if status != WANTS_VALUES:
                return status, start
            room = int(block.stopped[2])
            self._ask(block, start)

    def _ask(self, block: Block, start: int) -> None:
        """Kernel values within the block for the rows that look like mistakes now, or nearly."""
        margins = self.margins[: len(block.rows)]
        task = self.task
        scanning.least_margins(block.scores, block.place, block.codes, task.positive, task.coupled, start, margins)
        rows = scanning.suspects(margins, start, ASKED)
        number = len(rows)
        later = block.operand.part(start, len(block.rows))  # earlier rows are not read again
        values = self.products.matrix(later, _rows_of(block.operand, rows)).T
        if block.known + number > len(block.values):
            wider = np.empty((max(2 * len(block.values), block.known + number, 32), len(block.rows)), self.task.dtype)
            wider[: block.known] = block.values[: block.known]
            block.values = wider
        block.values[block.known : block.known + number, start:] = values
        block.place[rows] = np.arange(block.known, block.known + number)
        block.known += number

    def forget(self, block: Block, start: int, slot: int, coefficients: Array) -> tuple[Array, float]:
        """Take the support row in `slot` out of the block's scores; (its own scores, K of it with itself)."""
        support = self.store.view()
        row = support.part(slot, slot + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self.source.values(row, block.operand)[0].astype(np.float64)
            block.scores[:, start:] -= coefficients[slot][:, None] * values[start:]  # for `suspects`
        block.support_coefficients[block.support_slots == slot] = 0.0
        own = self.products.sums(row, support, coefficients)[0]
        return own, float(self.source.values(row, row)[0, 0])

    # ------------------------------------------------------------------ answers

    def store_of(self, state: Any) -> Store:
        """The rows of the expansion, slot by slot."""
        if self.fresh:
            return self.store
        result = Store(self.source)
        result.append(self.source.operand(self.task.X, state.numbers[: state.size]))
        return result

    def training_errors(self, rows: Array, coefficients: Array) -> float:
        """The weight of these rows that are answered wrongly now; all rows must be up to date."""
        if not self.fresh:
            return self.task.errors(self.scores[rows], rows)
        support = self.store.view()
        scores = ((self.products.sums(self._operand(part), support, coefficients), part) for part in self._parts(rows))
        return sum(self.task.errors(*pair) for pair in scores)

    def add_test_rows(self, X: Any, codes: Array) -> None:
        """Keep the scores of test rows as well."""
        source = values_of(self.task.kernel, X, self.task.dtype)
        self.test = [source, source.operand(X), codes, np.zeros((len(codes), self.count))]

    def test_error(self, coefficients: Array) -> float:
        source, operand, codes, scores = self.test
        own, self.products.source = self.products.source, source
        try:
            if self.fresh:
                scores = self.products.sums(operand, self.store.view(), coefficients)
            else:
                scores += self.products.sums(operand, self.store.view(), self.steps)
        finally:
            self.products.source = own
        return float(np.mean(answers(scores, self.task.classes) != codes))


def _rows_of(operand: Operand, places: Array) -> Operand:
    return Operand(operand.rows[places], None if operand.norms is None else operand.norms[places])
