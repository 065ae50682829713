"""Epochs of the blocked dual engine (lecture rows L10 and L11): the sequential algorithm's own updates, block by block.

    for the rows of a block, in order:          score = sum_j coefficient_j K(x_j, x_i)
        on a mistake:                           coefficient_i += y_i

Inside a block the scan takes rows one by one; the updates of a block reach the rows outside it by one matrix
product, when their block is visited or at the end of the epoch. The backends (`cpu`, `cuda`) have the methods
of `backend.Backend`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.kernel.backend import Backend, Block, DualTask
from rosenblatt.engine.kernel.cpu import CpuBackend
from rosenblatt.engine.kernel.scan import DIVERGED, OVER_BUDGET
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.kernel.values import Store
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.online.stopping import Watch, interrupt_flag

ENDLESS = 2**62


@dataclass
class DualPocket:
    """The best coefficients that a run has passed through (lecture row L9).

    Every epoch ends with the exact scores of all rows, so the weights at that time compete by their errors.
    """

    errors: float = np.inf
    coefficients: Array | None = None  # of the first slots; later ones are 0
    run: int = 0  # these two are 0, and stand in model files
    longest: int = 0

    def offer(self, state: Expansion, errors: float) -> None:
        if errors < self.errors:
            self.errors, self.coefficients = errors, state.last()


@dataclass
class DualOutcome:
    """How a run ended."""

    stop_reason: str = "max_iter"
    pocket: DualPocket = field(default_factory=DualPocket)


def train(
    task: DualTask,
    state: Expansion,
    backend: Backend,
    *,
    max_iter: int,
    watch: Watch | None = None,
    seed: int | None = None,
    pocket: DualPocket | None = None,
    keep_pocket: bool = True,
    train_error: bool = False,
    stream: bool = False,
) -> DualOutcome:
    """Visit the rows for up to `max_iter` epochs, changing `state` in place; in a new order each, given a seed.

    `keep_pocket` offers the weights after every epoch to the pocket; a `stream` is one epoch of rows that do not come
    back.
    """
    watch = watch or Watch()
    outcome = DualOutcome(pocket=pocket or DualPocket())
    kept = task.kept
    shuffler = None if seed is None else Shuffler(kept, seed)
    runner = _EpochRunner(task, state, backend, watch)
    watch.started = time.perf_counter()
    with interrupt_flag() as watch.interrupted:
        for number in range(1, max_iter + 1):
            clock, updates = time.perf_counter(), state.updates
            order = kept if shuffler is None else shuffler()
            if runner.gone.any():
                order = order[~runner.gone[order]]
            backend.begin_epoch()
            mistakes, stop = runner.epoch(order)
            clean = state.updates == updates
            goes_on = number < max_iter and not stop
            compared = goes_on or backend.fresh or outcome.pocket.coefficients is not None
            offered = keep_pocket and not stream and not stop and compared
            if not clean and not stop and (goes_on or offered or train_error):
                runner.sweep()
            errors = None
            if offered or train_error:
                left = order[~runner.gone[order]]
                errors = backend.training_errors(left, state.coefficients[: state.size]) if not stop else np.nan
                if not stop:
                    outcome.pocket.offer(state, errors)
            figures: dict[str, Any] = {
                "epoch": number,
                "updates": state.updates - updates,
                "mistakes": mistakes,
                "norm": state.norm(),
                "seconds": time.perf_counter() - clock,
            }
            if train_error and errors is not None:
                figures["train_error"] = errors / (task.sample_weight.sum() if len(task.sample_weight) else len(order))
            if backend.test:
                figures["test_error"] = backend.test_error(state.coefficients[: state.size])
            asked = watch.after_epoch(figures, len(order))
            if not stop and not stream and clean and mistakes == 0:
                stop = "converged"
            outcome.stop_reason = stop or asked or outcome.stop_reason
            if stop or asked:
                break
        if keep_pocket and outcome.stop_reason == "converged":
            outcome.pocket.errors, outcome.pocket.coefficients = 0.0, state.last()  # a clean epoch found no error
        elif keep_pocket and outcome.pocket.coefficients is None:
            outcome.pocket.coefficients = state.last()  # without a rival there is nothing to compare
    return outcome


class _EpochRunner:
    """Visits the rows of an epoch block by block, and records what happened."""

    def __init__(self, task: DualTask, state: Expansion, backend: Backend, watch: Watch) -> None:
        self.task, self.state, self.backend, self.watch = task, state, backend, watch
        self.slot_of = np.full(task.n_rows, -1, np.int64)
        self.gone = np.zeros(task.n_rows, bool)  # dropped
        self.first = state.shown  # the number of row 0
        self.alive = len(state.alive)
        self.visits: list[tuple[Array, int]] = []
        state.shown += task.n_rows

    def epoch(self, order: Array) -> tuple[int, str]:
        """(mistakes met, a reason to stop or nothing)."""
        mistakes, self.visits = 0, []
        for start in range(0, len(order), self.task.block):
            rows = order[start : start + self.task.block]
            met, stop = self._visit(rows)
            mistakes += met
            stop = stop or self.watch.within_epoch((start + len(rows)) / len(order))
            if stop:
                return mistakes, stop
        return mistakes, ""

    def sweep(self) -> None:
        """Bring every row up to date with the whole epoch."""
        if not self.backend.fresh:
            self.backend.bring_all_up_to_date(self.visits)

    def _visit(self, rows: Array) -> tuple[int, str]:
        task, state, backend = self.task, self.state, self.backend
        block = backend.open(rows, self.slot_of[rows], state)
        self.visits.append((rows, backend.mark()))
        self._prepare(block)
        start, mistakes = 0, 0
        while True:
            room = task.budget - self.alive if task.budget else ENDLESS
            status, stop = backend.scan(block, start, room, state.squared)
            positions, steps, wrong, dropped = block.updates(start, stop)
            self._learn(block, start, positions, steps, dropped)
            mistakes += int(wrong.sum())
            if not task.coupled or state.count > 1:  # rows of a single class, which has no rival yet, do not count
                state.seen += stop - start
            start = stop
            if status == OVER_BUDGET:
                self._forget_oldest(block, start)
            else:
                break
        state.updates += int(block.stopped[1]) if not task.coupled else int(block.stopped[1]) // 2
        self._compact()
        return mistakes, "diverged" if status == DIVERGED else ""

    def _prepare(self, block: Block) -> None:
        """What the scan must know of rows that have made updates before."""
        if not self.task.drop_after and not self.task.budget:
            return
        slots = self.slot_of[block.rows]
        known = np.flatnonzero(slots >= 0)
        block.coefficients[known] = self.state.coefficients[slots[known]]
        block.counts[:, known] = self.state.counts[slots[known]].T
        block.held[known] = block.coefficients[known].any(axis=1)

    def _learn(self, block: Block, start: int, positions: Array, steps: Array, dropped: Array) -> None:
        state = self.state
        if len(positions) == 0:
            return
        rows = block.rows[positions]
        slots = self.slot_of[rows]
        new = slots < 0
        if self.task.budget:
            was_held = np.zeros(len(rows), bool)
            was_held[~new] = state.coefficients[slots[~new]].any(axis=1)
            self.alive += int((~was_held & ~dropped).sum()) - int((was_held & dropped).sum())
        slots[new] = state.add(self.first + rows[new].astype(np.int64))
        self.slot_of[rows] = slots
        state.learn(slots, steps, state.seen + 1 + positions - start, dropped)
        if dropped.any():
            self.gone[rows[dropped]] = True
            state.dropped += [int(number) for number in state.numbers[slots[dropped]]]
        self.backend.learn(block, positions, steps, new)

    def _forget_oldest(self, block: Block, start: int) -> None:
        """One support row too many: forget the one whose last update is longest ago."""
        state = self.state
        while self.alive > self.task.budget:
            alive = state.alive
            slot = int(alive[np.argmin(state.taught[alive])])
            coefficients = state.coefficients[: state.size]
            own, itself = self.backend.forget(block, start, slot, coefficients)
            steps = -coefficients[slot]
            state.squared += 2.0 * steps * own + steps * steps * itself
            state.forget(slot)
            self.alive -= 1
            place = np.flatnonzero(block.rows == state.numbers[slot] - self.first)  # where this block visits it too
            block.held[place] = False
            block.coefficients[place] = 0.0
            block.counts[:, place] = 0

    def _compact(self) -> None:
        """Under a budget, slots of forgotten rows are given back now and then: memory stays flat."""
        state, budget = self.state, self.task.budget
        if not budget or state.size <= 2 * budget + 64 or state.history is not None:
            return
        alive = state.alive
        state.keep(alive)
        self.backend.store.keep(alive)
        self.slot_of[:] = -1
        places = state.numbers[: state.size] - self.first
        self.slot_of[places[places >= 0]] = np.flatnonzero(places >= 0)


def backend_for(task: DualTask, count: int, device: str, *, fresh: bool, store: Store | None = None) -> Backend:
    """The backend for a device: the CPU, or a GPU."""
    if device == "cuda":
        from rosenblatt.engine.kernel.cuda import CudaBackend

        return CudaBackend(task, count, fresh=fresh, store=store)
    return CpuBackend(task, count, fresh=fresh, store=store)
