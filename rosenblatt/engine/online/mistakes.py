"""Mistakes met while learning, and runs of correct answers between them.

This is what epochs count; `single`, `grid.loop` and `kernel.scan` have compiled copies for their own arrays, which
tests hold against the same plain reference. With one half-space, a visit is a mistake if the margin y·score is not
above 0. With several classes, it is a mistake if the score of the true class is not strictly the highest. (Errors of a
finished model, where a score of 0 predicts the positive class, are counted in `errors`.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.online.state import Array


class Runs(NamedTuple):
    """Mistakes and runs of correct answers in a segment of visits.

    `longest` is the longest run that a mistake ended, at visit number `end`; both are -1 if there was no mistake.
    `run` is the run that still goes on after the last visit.
    """

    mistakes: int
    longest: int = -1
    end: int = -1
    run: int = 0


@part
def is_mistake(score: Any, y: Any) -> bool:
    """Whether a half-space with this score, in the dtype of the weights, gets a row with label y = ±1 wrong."""
    return not y * score > 0


@part
def count(mistake: Any, r: Any, mistakes: Any, longest: Any, end: Any, run: Any) -> Any:
    """The four numbers of `Runs` after visit r. No branches: which answer is wrong cannot be predicted."""
    is_record = mistake & (run > longest)
    longest, end = run if is_record else longest, r if is_record else end
    return mistakes + mistake, longest, end, 0 if mistake else run + 1


@compiled.jit
def _find_runs(scores: Any, codes: Any, order: Any, classes: Any, true: Any, wrong: Any, run: Any) -> Any:
    n = len(order)
    if classes == 1:
        for r in range(n):
            wrong[r] = is_mistake(scores[0, r], 1.0 if codes[order[r]] == 1 else -1.0)
    else:
        for r in range(n):
            true[r] = scores[codes[order[r]], r]
            wrong[r] = -1  # the true class is not below itself
        for k in range(classes):
            for r in range(n):  # without branches, so that the compiler uses vector instructions
                wrong[r] += scores[k, r] >= true[r]
    mistakes, longest, end = 0, -1, -1
    for r in range(n):
        mistakes, longest, end, run = count(wrong[r] != 0, r, mistakes, longest, end, run)
    return mistakes, longest, end, run


def find_runs(scores: Array, codes: Array, order: Array, classes: int, run: int = 0) -> Runs:
    """Mistakes and runs in a segment that follows a run of `run` correct answers.

    `scores[k, r]` is the score of half-space k for the row visited r-th, before it learned from it.
    """
    if classes == 0:  # a single class so far: there is nothing to get wrong
        return Runs(0, run=run + len(order))
    true = np.empty(0 if classes == 1 else len(order), scores.dtype)
    return Runs(*_find_runs(scores, codes, order, classes, true, np.empty(len(order), np.int32), run))
