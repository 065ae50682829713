"""Half-spaces that have learned everything rest while the others go on.

A half-space that a whole epoch has taught nothing will be taught nothing by any later one, whatever the order: its
weights are the same, so its scores are, so the rule's answers are. One class against the rest, most classes of a text
get there long before the last one does. Once half of the lanes would be enough, the half-spaces that still learn are
taken into a smaller state, and rows meet that one alone. What the others say of every row is known from the epoch that
taught them nothing; it is kept as three numbers a row, enough to know the mistakes that all would make together.
"""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.errors import sum_of_halves
from rosenblatt.engine.online.loop import LAYOUTS
from rosenblatt.engine.online.shuffle import find_mistakes
from rosenblatt.engine.online.state import BIAS, MARK, SCALE, SCORE, SEEN, UPDATES, Array, HalfSpaces
from rosenblatt.engine.touched_state import TouchedHalfSpaces

if TYPE_CHECKING:
    from rosenblatt.engine.online.task import Task
    from rosenblatt.engine.online.threads import Visitor

FEATURES = 64  # copied at a time


@functools.cache
def _copy_lanes(key: str) -> Any:
    def copy_lanes(source: Any, target: Any, starts: Any, steps: Any, new_starts: Any, new_steps: Any, d: Any) -> None:
        key  # noqa: B018  part of the key under which the machine code is kept
        for first in range(0, d, FEATURES):  # so few that both sides stay near while lane after lane is copied
            for n in range(len(starts)):
                step, new_step = steps[n], new_steps[n]
                place, new_place = starts[n] + first * step, new_starts[n] + first * new_step
                for _ in range(min(FEATURES, d - first)):
                    target[new_place] = source[place]
                    place += step
                    new_place += new_step

    return compiled.jit(copy_lanes)


@functools.cache
def _find_mistakes(key: str) -> Any:
    def find_mistakes(
        scores: Any, codes: Any, order: Any, awake: Any, place: Any, own: Any, before: Any, after: Any, wrong: Any
    ) -> int:
        key  # noqa: B018
        mistakes = 0
        for r in range(len(order)):
            i = order[r]
            code = codes[i]
            mine = place[code]
            true = own[i] if mine < 0 else scores[mine, r]
            met = max(before[i], after[i]) >= true
            for n in range(len(awake)):
                met |= (scores[n, r] >= true) & (awake[n] != code)
            wrong[r] = met
            mistakes += met
        return mistakes

    return compiled.jit(find_mistakes)


@functools.cache
def _listen(key: str) -> Any:
    def listen(
        scores: Any, codes: Any, order: Any, numbers: Any, classes: Any, own: Any, before: Any, after: Any
    ) -> None:
        """Note what half-spaces that will sleep say of every row."""
        key  # noqa: B018
        for r in range(len(order)):
            i = order[r]
            for n in range(len(numbers)):
                score = scores[numbers[n], r]
                if codes[i] == classes[n]:
                    own[i] = score
                elif classes[n] < codes[i]:
                    before[i] = max(before[i], score)
                else:
                    after[i] = max(after[i], score)

    return compiled.jit(listen)


@functools.cache
def _count_errors(key: str, layout_name: str) -> Any:
    work_out, approach = LAYOUTS[layout_name].scores, LAYOUTS[layout_name].approach

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        awake: Any, place: Any, own: Any, before: Any, after: Any, limit: Any,
    ) -> float:  # fmt: skip
        """What `judge` counts: a class is the answer if none before it says as much, and none after it says more."""
        key  # noqa: B018
        errors = 0.0
        for i in range(start, stop):
            if i + 1 < stop:
                approach(rows, i + 1, vectors, 0, len(awake))
            work_out(rows, i, vectors, 0, len(awake), ledger)
            for n in range(len(awake)):
                ledger[n, SCORE] = own.dtype.type(ledger[n, SCALE] * ledger[n, SCORE] + ledger[n, BIAS])
            mine = place[codes[i]]
            true = np.float64(own[i]) if mine < 0 else ledger[mine, SCORE]
            wrong = before[i] >= true or after[i] > true
            for n in range(len(awake)):
                said = ledger[n, SCORE]
                wrong |= (awake[n] < codes[i] and said >= true) or (awake[n] > codes[i] and said > true)
            if wrong:
                errors += sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
                if errors > limit:
                    return errors
        return errors

    return compiled.jit(count_errors)


def may_rest(task: Task, state: HalfSpaces) -> bool:
    """Whether half-spaces can be left out once they have learned everything, and it is worth the trouble.

    A rule that looks at the time may change its mind. Scores are kept for an epoch: they must not outweigh the weights.
    """
    return (
        task.layout in ("columns", "touched")
        and not task.coupled
        and task.classes == state.count > 4
        and not compiled.reads_argument(task.rule, 2)
        and state.count * task.n_rows <= state.arrays[0].size
    )


class Rest:
    """Who of `state` is awake, in a state of their own once it can be half as wide, and what the others say."""

    def __init__(self, task: Task, state: HalfSpaces, visitor: Visitor) -> None:
        self.task, self.state, self.visitor = task, state, visitor
        visitor.rest = self
        self.awake = np.arange(state.count)
        self.working, self.working_visitor = state, visitor
        self.heard: list[tuple[Array, Array]] = []  # the rows and the scores of this epoch
        self.hears = True  # whether it may still come to some who rest at the end of this epoch
        self.before = self._changes()
        self.own = np.full(task.n_rows, -np.inf, state.dtype)  # what the row's own class says, where it sleeps
        # The most that other classes say that sleep, those before the row's own, and those after it.
        self.rivals = tuple(np.full(task.n_rows, -np.inf, state.dtype) for _ in range(2))
        self.sleeping_squares = 0.0

    def _changes(self) -> Array:
        """What changes with every lesson: an update is counted, a shrink leaves its mark."""
        return self.working.ledger[: len(self.awake)][:, [UPDATES, MARK]].copy()

    def visit(self, order: Array) -> tuple[Array, int, tuple[Array, ...]]:
        scores, visited, log = self.working_visitor.visit(self.working, order)
        self._hear(order, scores)
        if self.working is not self.state:
            self._copy_ledger()
        return scores, visited, log

    def _hear(self, order: Array, scores: Array) -> None:
        """Keep the scores for the end of the epoch, unless too many have learned something in it already."""
        if self.hears:
            self.heard.append((order, scores))
        if self.hears and not self._are_few(self._stirred()):
            self.hears = False
            self.heard.clear()

    def _stirred(self) -> Array:
        """Who of the awake has learned something in this epoch."""
        return (self._changes() != self.before).any(axis=1)

    def _are_few(self, stirred: Array) -> bool:
        """Whether these need half of the lanes at most."""
        return 2 * self.working._shape(int(stirred.sum()), 1)[0] <= self.working.arrays[0].shape[0]

    def find_mistakes(self, scores: Array, order: Array) -> tuple[Array, int]:
        if self.working is self.state:
            return find_mistakes(scores, self.task.codes, order, self.task.classes)
        find, wrong = _find_mistakes(f"some awake {compiled.engine_digest()}"), np.empty(len(order), bool)
        found = find(scores, self.task.codes, order, *self._awake_and_asleep(), wrong)
        return wrong, int(found)

    def _awake_and_asleep(self) -> tuple[Array, ...]:
        """Who is awake, where each class stands among them or -1, and what the others say of the rows."""
        place = np.full(self.state.count, -1)
        place[self.awake] = np.arange(len(self.awake))
        return self.awake, place, self.own, *self.rivals

    def knows(self, state: HalfSpaces) -> bool:
        """Whether some of these half-spaces rest."""
        return state is self.state and self.working is not self.state

    def errors(self, limit: float) -> float:
        """As `judge.count_errors`, by the half-spaces that are awake and what is known of the others."""
        task, working = self.task, self.working
        count = _count_errors(f"awake {compiled.engine_digest()} {working.layout}", working.layout)

        def errors_of(bounds: tuple[int, int]) -> float:
            state = working.arrays[0], working.ledger.copy()
            found: float = count(
                working.reads(task.rows),
                *bounds,
                task.codes,
                task.sample_weight,
                *state,
                *self._awake_and_asleep(),
                limit,
            )
            return found

        return float(sum_of_halves(errors_of, task.n_rows, self.visitor.threads()))

    def settle(self) -> None:
        if self.working is self.state:
            self.state.settle()
        elif self.state.must_settle():
            self.write_back()
            self.state.settle()
            self._take()

    def norm(self) -> float:
        return math.hypot(self.working.norm(), math.sqrt(self.sleeping_squares))

    def end_of_epoch(self) -> None:
        """Let those that learned nothing rest, once the others need half of the lanes at most."""
        stirred = self._stirred()
        may_part = not isinstance(self.working, TouchedHalfSpaces) or self.working.can_part()
        if (
            may_part
            and stirred.any()
            and self._are_few(stirred)
            and (self.working.ledger[: len(self.awake), SCALE] == 1.0).all()
        ):
            self._fall_asleep(stirred)
        self.heard.clear()
        self.hears, self.before = True, self._changes()

    def _fall_asleep(self, stirred: Array) -> None:
        self._listen_to(np.flatnonzero(~stirred))
        squares = self.norm() ** 2
        self.write_back()
        self.awake = self.awake[stirred]
        if isinstance(self.working, TouchedHalfSpaces):
            self.working = self.working.part(np.flatnonzero(stirred))
        else:
            self._take()
        self.sleeping_squares = max(0.0, squares - self.working.norm() ** 2)
        task = replace(self.task, positive=self.task.positive[self.awake], params=self.task.params[self.awake])
        self.working_visitor = type(self.visitor)(task, len(self.awake), like=self.visitor)

    def _listen_to(self, calm: Array) -> None:
        """Note what half-spaces that will sleep said of every row in this epoch, and let the scores go."""
        listen = _listen(f"listen {compiled.engine_digest()}")
        while self.heard:
            rows, scores = self.heard.pop(0)
            listen(scores, self.task.codes, rows, calm, self.awake[calm], self.own, *self.rivals)

    def _take(self) -> None:
        """Have the awake in a state of their own."""
        if isinstance(self.working, TouchedHalfSpaces):  # their weights are there already
            self.working.ledger[: len(self.awake)] = self.state.ledger[self.awake]
            return
        self.working = HalfSpaces(len(self.awake), self.state.n_features, self.state.dtype, self.state.layout)
        self.working.ledger[: len(self.awake)] = self.state.ledger[self.awake]
        self._copy(self.state, self.awake, self.working, np.arange(len(self.awake)))

    def write_back(self) -> None:
        """Have everything in the whole state."""
        if self.working is not self.state:
            self._copy_ledger()
            if not isinstance(self.working, TouchedHalfSpaces):  # there the whole state knows where they are
                self._copy(self.working, np.arange(len(self.awake)), self.state, self.awake)

    def _copy_ledger(self) -> None:
        self.state.ledger[: self.state.count, SEEN] = self.working.ledger[0, SEEN]
        self.state.ledger[self.awake] = self.working.ledger[: len(self.awake)]

    def _copy(self, source: HalfSpaces, chosen: Array, target: HalfSpaces, places: Array) -> None:
        copy = _copy_lanes(f"copy lanes {compiled.engine_digest()}")
        where = (*source.places(chosen), *target.places(places), source.n_features)
        pairs = (source.vectors, target.vectors), (source.lag, target.lag)
        run = map if self.visitor.pool is None else self.visitor.pool.map
        list(run(lambda pair: copy(pair[0].reshape(-1), pair[1].reshape(-1), *where), pairs))
