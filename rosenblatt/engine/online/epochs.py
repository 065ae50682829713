"""Epochs: the order of rows, the books of what happened, the pocket, and the reason to stop.

Rows are visited in stretches: long enough that Python costs nothing, short enough that a time limit or Ctrl-C
is heeded soon. Where the stretches end depends on the data alone, never on the clock, so that a run can be
repeated bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.engine.helper import Helper
from rosenblatt.engine.noted_state import NotedHalfSpaces, is_one_block
from rosenblatt.engine.online.pocket import MOST_APART, Pocket, epochs_between_passes
from rosenblatt.engine.online.shuffle import EpochOfRows, Found, Shuffler
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.online.stopping import Watch, interrupt_flag
from rosenblatt.engine.online.task import Task, products, stretch_length
from rosenblatt.engine.online.threads import Visitor
from rosenblatt.engine.online.update_log import UpdateLog
from rosenblatt.engine.quiet import quiet_rows
from rosenblatt.engine.rest import Rest, may_rest
from rosenblatt.engine.touched_state import TouchedHalfSpaces, may_be_touched

RETRACED = 2**16  # weights that are copied before every stretch, to be able to return to any point of it
NOTED = RETRACED  # weights beyond which few half-spaces note their lessons down; those that are copied have sums
TOUCHED = 2**20  # weights beyond which those that no lesson touches have no place of their own
FEW = 4  # half-spaces that note their lessons down, however many weights they have; more of them may want to rest,
SHORT = 20  # which pays in more epochs than these


@dataclass
class Outcome:
    """How a run ended."""

    stop_reason: str = "max_iter"
    pocket: Pocket = field(default_factory=Pocket)
    log: UpdateLog | None = None


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
    watch = watch or Watch()
    settings: dict[str, Any] = {
        "max_iter": max_iter, "watch": watch, "seed": seed, "pocket_check": pocket_check,
        "pocket": pocket, "record": record, "measure": measure, "stop_when_clean": stop_when_clean,
    }  # fmt: skip
    # Threads are started and ended while Ctrl-C waits: one whose start it breaks off is never told to end.
    with interrupt_flag() as watch.interrupted:
        may_rest_long = numbers > TOUCHED and state.count > FEW and max_iter > SHORT
        few = is_one_block(state) and not may_rest_long
        outcome = None
        if spare and numbers > (NOTED if few else TOUCHED) and may_be_touched(task, state):
            outcome = _try(_train_noted if few else _train_touched, task, state, **settings)
        outcome = outcome or _train(task, state, **settings)
        if watch.interrupted() and outcome.stop_reason not in ("converged", "diverged"):
            outcome.stop_reason = "interrupted"  # also when it came too late to change anything
    return outcome


class _BeyondBoundsError(Exception):
    """A bound on the numbers cannot rule out that one would not be finite."""


def _try(
    way: Callable[..., Outcome], task: Task, state: HalfSpaces, *, watch: Watch, **settings: Any
) -> Outcome | None:
    """Train in a way that knows bounds on its numbers alone; nothing, with `state` as it was, if they do not suffice.

    The usual way then looks at every number. What it learns till there is the same, and is not reported again.
    """
    try:
        outcome: Outcome = way(task, state, watch=watch, **settings)
        return outcome
    except _BeyondBoundsError:
        watch.begin_again()
        return None


def _train_noted(task: Task, state: HalfSpaces, **settings: Any) -> Outcome:
    """Have other half-spaces trained, which note their lessons down, and take the result."""
    longest = min(task.n_rows, stretch_length(task, state, check_every_update=False))
    noted = NotedHalfSpaces(state.count, state.n_features, state.dtype, task.rows, longest)
    outcome = _train(replace(task, layout="noted"), noted, **settings)
    noted.hand_over(state)
    if outcome.pocket.shared:
        outcome.pocket.share(state)
    return outcome


def _train_touched(task: Task, state: HalfSpaces, **settings: Any) -> Outcome:
    """Have other half-spaces trained, which keep memory only for weights that lessons touch, and take the result."""
    longest = min(task.n_rows, stretch_length(task, state, check_every_update=False))
    helper = Helper() if task.n_jobs > 1 else None
    try:
        touched = TouchedHalfSpaces(state.count, state.n_features, state.dtype, task.rows, longest, helper=helper)
        outcome = _train(replace(task, layout=touched.layout), touched, **settings)
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
    pocket: Pocket | None,
    record: bool,
    measure: Callable[[], dict[str, float]] | None,
    stop_when_clean: bool,
) -> Outcome:
    outcome = Outcome(pocket=pocket or Pocket(), log=UpdateLog(state.count) if record else None)
    visitor = Visitor(task, state.count, record, once=max_iter == 1)
    kept = task.kept
    shuffler = None if seed is None else Shuffler(kept, seed)
    apart = epochs_between_passes(products(task, kept, state.count))
    try:
        follower = _Follower(task, state, visitor, outcome, watch, pocket_check, max_iter, measure is not None)
        visitor.prepare(state)  # what must be compiled is so before the clock starts
        watch.started = time.perf_counter()
        number, over = 0, ""
        while number < max_iter and not over:
            most = min(max_iter - number, apart - number % apart if pocket_check == "run" else max_iter)
            most = follower.longest_window(most)
            clock = time.perf_counter()
            epochs = follower.window(kept, shuffler, most)
            epochs = epochs or [follower.epoch(kept if shuffler is None else shuffler())]
            seconds = (time.perf_counter() - clock) / len(epochs)
            for epoch in epochs:  # several only if nobody looks at the weights between them
                number, stop = number + 1, epoch.stop
                passes = pocket_check == "run" and number % apart == 0
                follower.end_of_epoch(finished=not stop, looked_at=passes or measure is not None)
                if passes:
                    latest = [] if apart == MOST_APART and follower.before is not None else [state]
                    outcome.pocket.consider(visitor, *outcome.pocket.nominee(visitor), *latest)
                figures = {
                    "epoch": number,
                    "updates": epoch.updates,
                    "mistakes": epoch.mistakes,
                    "norm": follower.norm() if epoch.norm is None else epoch.norm,
                    "seconds": seconds,
                    **({} if measure is None else measure()),
                }
                if "train_error" in figures and pocket_check in ("run", "update"):
                    outcome.pocket.offer(state, figures["train_error"] * task.total_weight)
                asked = watch.after_epoch(figures, len(kept))
                if not stop and stop_when_clean and epoch.updates == epoch.mistakes == 0:
                    stop = "converged"
                over = stop or asked or over
        outcome.stop_reason = over or outcome.stop_reason
        follower.finish()
        outcome.pocket.close(visitor, state, pocket_check, outcome.stop_reason == "converged")
    finally:
        visitor.close()
    return outcome


class _Follower:
    """Visits the rows of an epoch stretch by stretch, and keeps the books of what happened.

    `watched`: the weights are looked at after every epoch.
    """

    def __init__(
        self,
        task: Task,
        state: HalfSpaces,
        visitor: Visitor,
        outcome: Outcome,
        watch: Watch,
        pocket_check: str | None,
        max_iter: int,
        watched: bool,
    ) -> None:
        self.task, self.state, self.visitor, self.outcome, self.watch = task, state, visitor, outcome, watch
        self.by_runs, self.by_updates = pocket_check in ("run", "stream"), pocket_check == "update"
        self.length = stretch_length(task, state, self.by_updates)
        # What a stretch began with, to be able to return to any point of it.
        numbers = np.prod(state.stored_shape(state.count, state.n_features))
        self.before = state.copy_to_repeat() if self.by_runs and numbers <= RETRACED else None
        if self.before is not None:
            visitor.note_lessons()
        restful = max_iter > 1 and numbers > TOUCHED and not visitor.record and not self.by_updates
        self.rest = Rest(task, state, visitor) if restful and may_rest(task, state) else None
        visitor.keeps_room = self.rest is None  # there scores are kept for an epoch
        unseen = not (watched or self.by_updates or self.rest) and max_iter > 1
        self.quiet = quiet_rows(task, state, visitor, watch) if unseen else None

    def epoch(self, order: Array) -> EpochOfRows:
        """Visit every row."""
        updates = self.state.updates
        mistakes, stop = self._epoch(order)
        return EpochOfRows(self.state.updates - updates, mistakes, stop)

    def longest_window(self, most: int) -> int:
        """Of how many epochs, up to `most`, rows that stay quiet may be left out now; what that needs is compiled."""
        return 0 if self.quiet is None else self.quiet.most(most)

    def window(self, kept: Array, shuffler: Shuffler | None, most: int) -> list[EpochOfRows]:
        """Up to `most` epochs in which rows that stay quiet are not visited; none if too much is learned in them."""
        if self.quiet is None or not most:
            return []
        epochs = self.quiet.window(kept, shuffler, most, self.outcome.pocket)
        if epochs and self.before is not None:
            self.before = self.quiet.follow_runs(self.outcome.pocket, self.before)
        return epochs

    def _epoch(self, order: Array) -> tuple[int, str]:
        """(mistakes met, a reason to stop or nothing)."""
        state, pocket, mistakes = self.state, self.outcome.pocket, 0
        for start in range(0, len(order), self.length):
            stretch = order[start : start + self.length]
            updates = state.updates
            if self.before is not None:
                self.before.copy_weights_from(state)
            found, visited, log = self._visit(stretch)
            if visited < len(stretch):
                if self.task.layout in ("noted", "touched"):
                    raise _BeyondBoundsError
                return mistakes, "diverged"
            (self.state if self.rest is None else self.rest).settle()
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

    def _visit(self, stretch: Array) -> tuple[Found, int, tuple[Array, ...]]:
        if self.rest is None:
            return self.visitor.visit_and_look(self.state, stretch, self.outcome.pocket.run)
        scores, visited, log = self.rest.visit(stretch)
        return Found(self.rest.find_mistakes(scores, stretch)[1]), visited, log  # there nobody follows runs

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
