"""The order of rows in an epoch, and what the visits came to: small compiled helpers of the run."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.state import Array


@functools.cache
def _shuffle(key: str) -> Any:
    def shuffle(order: Any, state: Any) -> Any:
        """Fisher and Yates's shuffle in place, with Vigna's splitmix64 for the random numbers; its next state."""
        key  # noqa: B018  part of the key under which the machine code is kept
        for last in range(len(order) - 1, 0, -1):
            state += np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
            # The upper 32 bits times the number of choices, shifted back: no division. Its bias is below 2⁻³²
            # times the number of rows.
            chosen = ((z >> np.uint64(32)) * np.uint64(last + 1)) >> np.uint64(32)
            order[last], order[chosen] = order[chosen], order[last]
        return state

    return compiled.jit(shuffle)


class Shuffler:
    """A new order of the same rows for every epoch, in place; the same orders for the same seed."""

    def __init__(self, rows: Array, seed: int) -> None:
        self.order = rows
        self.state = np.uint64(seed)

    def __call__(self) -> Array:
        shuffle = _shuffle(f"shuffle {compiled.engine_digest()}")
        self.state = np.uint64(shuffle(self.order, self.state))
        return self.order


@functools.cache
def _find_mistakes(key: str) -> Any:
    def find_mistakes(scores: Any, codes: Any, order: Any, classes: Any, wrong: Any, true: Any, own: Any) -> int:
        key  # noqa: B018
        n = len(order)
        mistakes = 0
        if classes == 1:
            for r in range(n):
                s = scores[0, r]
                met = s <= 0 if codes[order[r]] == 1 else s >= 0
                wrong[r] = met
                mistakes += met
            return mistakes
        for r in range(n):
            own[r] = codes[order[r]]
            true[r] = scores[own[r], r]
            wrong[r] = 0
        for k in range(classes):
            for r in range(n):  # a loop without branches, which the compiler turns into vector instructions
                wrong[r] |= np.uint8((scores[k, r] >= true[r]) & (own[r] != k))
        for r in range(n):
            mistakes += wrong[r]
        return mistakes

    return compiled.jit(find_mistakes)


def find_mistakes(scores: Array, codes: Array, order: Array, classes: int) -> tuple[Array, int]:
    """Which visits met a mistake: a margin of at most 0, or a true class that was not strictly the best.

    `scores[k, r]` is what half-space k said of the row visited r-th, before it learned from it.
    """
    if classes == 0:  # a single class so far: there is nothing to get wrong
        return np.zeros(len(order), bool), 0
    wrong, room = np.empty(len(order), np.uint8), 0 if classes == 1 else len(order)
    find = _find_mistakes(f"mistakes {compiled.engine_digest()}")
    mistakes = find(scores, codes, order, classes, wrong, np.empty(room, scores.dtype), np.empty(room, np.int32))
    return wrong.view(bool), int(mistakes)


@functools.cache
def _longest_run(key: str) -> Any:
    def longest_run(wrong: Any, run: Any) -> Any:
        key  # noqa: B018
        longest, end = -1, -1
        for r in range(len(wrong)):
            if wrong[r]:
                if run > longest:
                    longest, end = run, r
                run = 0
            else:
                run += 1
        return longest, end, run

    return compiled.jit(longest_run)


def longest_run(wrong: Array, run: int) -> tuple[int, int, int]:
    """The longest run of right answers that a mistake ended, where, and the run that goes on behind the last one.

    `run` right answers came before. Without a mistake the first two are -1.
    """
    longest, end, run = _longest_run(f"run {compiled.engine_digest()}")(wrong, run)
    return int(longest), int(end), int(run)


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
