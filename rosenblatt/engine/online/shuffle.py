"""The order of rows in an epoch, and what the visits came to: small compiled helpers of the run."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.online.state import Array

GOLDEN = 0x9E3779B97F4A7C15  # what the state of the random numbers grows by


@part
def _choice(state: Any, last: Any) -> Any:
    """A number from 0 to `last`, by Vigna's splitmix64."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    # The upper 32 bits times the number of choices, shifted back: no division. Its bias is below 2⁻³²
    # times the number of rows.
    return ((z >> np.uint64(32)) * np.uint64(last + 1)) >> np.uint64(32)


@functools.cache
def _shuffle(key: str) -> Any:
    def shuffle(order: Any, state: Any) -> Any:
        """Fisher and Yates's shuffle in place; the next state of the random numbers."""
        key  # noqa: B018  part of the key under which the machine code is kept
        for last in range(len(order) - 1, 0, -1):
            state += np.uint64(GOLDEN)
            chosen = _choice(state, last)
            order[last], order[chosen] = order[chosen], order[last]
        return state

    return compiled.jit(shuffle)


@functools.cache
def _shuffle_back(key: str) -> Any:
    def shuffle_back(order: Any, state: Any) -> Any:
        """Undo a shuffle that ended in this state; the one that it began in."""
        key  # noqa: B018
        for last in range(1, len(order)):
            chosen = _choice(state, last)
            order[last], order[chosen] = order[chosen], order[last]
            state -= np.uint64(GOLDEN)
        return state

    return compiled.jit(shuffle_back)


class Shuffler:
    """A new order of the same rows for every epoch, in place; the same orders for the same seed."""

    def __init__(self, rows: Array, seed: int) -> None:
        self.order = rows
        self.state = np.uint64(seed)

    def __call__(self) -> Array:
        shuffle = _shuffle(f"shuffle {compiled.engine_digest()}")
        self.state = np.uint64(shuffle(self.order, self.state))
        return self.order

    def back(self) -> None:
        """Have the order before this one again, and after it this one."""
        shuffle_back = _shuffle_back(f"shuffle back {compiled.engine_digest()}")
        self.state = np.uint64(shuffle_back(self.order, self.state))


class Found(NamedTuple):
    """What the answers of a stretch came to.

    `longest` is the longest run of right answers that a mistake ended, at the visit number `end`; both are -1 without
    a mistake. `run` is the run that goes on behind the last one.
    """

    mistakes: int
    longest: int = -1
    end: int = -1
    run: int = 0


class EpochOfRows(NamedTuple):
    """What an epoch came to: updates, mistakes met, a reason to stop; the length of the weights if it was noted."""

    updates: int
    mistakes: int
    stop: str = ""
    norm: float | None = None


@functools.cache
def _look_through(key: str) -> Any:
    def look_through(
        scores: Any, codes: Any, order: Any, classes: Any, wrong: Any, true: Any, own: Any, run: Any
    ) -> Any:  # fmt: skip
        key  # noqa: B018
        n = len(order)
        if classes == 1:
            for r in range(n):
                s = scores[0, r]
                wrong[r] = s <= 0 if codes[order[r]] == 1 else s >= 0
        else:
            for r in range(n):
                own[r] = codes[order[r]]
                true[r] = scores[own[r], r]
                wrong[r] = 0
            for k in range(classes):
                for r in range(n):  # a loop without branches, which the compiler turns into vector instructions
                    wrong[r] |= np.uint8((scores[k, r] >= true[r]) & (own[r] != k))
        mistakes, longest, end = 0, -1, -1
        for r in range(n):  # no branches here either: which answer is wrong cannot be guessed
            is_wrong = wrong[r] != 0
            is_record = is_wrong & (run > longest)
            longest, end = run if is_record else longest, r if is_record else end
            mistakes += is_wrong
            run = 0 if is_wrong else run + 1
        return mistakes, longest, end, run

    return compiled.jit(look_through)


def look_through(scores: Array, codes: Array, order: Array, classes: int, run: int = 0) -> tuple[Array, Found]:
    """Which visits met a mistake: a margin of at most 0, or a true class that was not strictly the best. What it means.

    `scores[k, r]` is what half-space k said of the row visited r-th, before it learned from it. `run` right answers
    came before.
    """
    if classes == 0:  # a single class so far: there is nothing to get wrong
        return np.zeros(len(order), bool), Found(0, run=run + len(order))
    wrong, room = np.empty(len(order), np.uint8), 0 if classes == 1 else len(order)
    look = _look_through(f"answers {compiled.engine_digest()}")
    notes = wrong, np.empty(room, scores.dtype), np.empty(room, np.int32)
    return wrong.view(bool), Found(*look(scores, codes, order, classes, *notes, run))


def find_mistakes(scores: Array, codes: Array, order: Array, classes: int) -> tuple[Array, int]:
    """(which visits met a mistake, how many)."""
    wrong, found = look_through(scores, codes, order, classes)
    return wrong, found.mistakes


@functools.cache
def _sum_of_squares(key: str) -> Any:
    def sum_of_squares(values: Any) -> Any:
        key  # noqa: B018
        result = 0.0
        for j in range(values.shape[0]):  # by number: over the values themselves it stays a loop of single additions
            result += np.float64(values[j]) * np.float64(values[j])
        return result

    return compiled.jit(sum_of_squares, any_order=True)


def sum_of_squares(values: Array) -> float:
    """In float64, on this thread alone: numpy would wake the threads of its library, which go on spinning for long."""
    return float(_sum_of_squares(f"squares {compiled.engine_digest()}")(values))
