"""Count wrong answers of the half-spaces as they stand, without teaching them anything."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.loop import LAYOUTS
from rosenblatt.engine.state import BIAS, SCALE, SCORE, Array, HalfSpaces


@functools.cache
def _count_errors(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, approach = layout.scores, layout.approach

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any,
    ) -> float:  # fmt: skip
        key  # noqa: B018  part of the key under which the machine code is kept
        errors = 0.0
        for i in range(start, stop):
            if i + 1 < stop:
                approach(rows, i + 1, vectors, 0, classes)
            scores(rows, i, vectors, 0, classes, ledger)
            answer = 0
            for k in range(classes):
                ledger[k, SCORE] = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
                if ledger[k, SCORE] > ledger[answer, SCORE]:
                    answer = k
            if classes == 1:
                answer = 1 if ledger[0, SCORE] >= 0.0 else 0
            elif classes == 2:
                answer = 1 if ledger[1, SCORE] >= ledger[0, SCORE] else 0
            if answer != codes[i]:
                errors += sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
                if errors > limit:
                    return errors
        return errors

    return compiled.jit(count_errors)


def count_errors(
    rows: tuple[Array, ...],
    n_rows: int,
    codes: Array,
    sample_weight: Array,
    state: HalfSpaces,
    classes: int,
    threads: Any = None,
    limit: float = np.inf,
) -> float:
    """The weight of the rows that are answered wrongly; anything above `limit` once it is exceeded.

    `classes` is 1 for two classes told apart by one half-space: a score of 0 answers class 1, as do equal scores of
    two classes. Otherwise the highest score answers, the first of equals.
    """
    count = _count_errors(f"{compiled.engine_digest()} {state.layout}", state.layout)

    vectors = state.arrays[0]

    def part(bounds: tuple[int, int]) -> float:
        ledger = state.ledger.copy()
        errors: float = count(
            state.reads(rows), bounds[0], bounds[1], codes, sample_weight, vectors, ledger, classes, limit
        )
        return errors

    return sum_of_halves(part, n_rows, threads)


def sum_of_halves(errors_of: Callable[[tuple[int, int]], float], n_rows: int, threads: Any) -> float:
    """What is counted in the first half of the rows and in the second, together, on two threads if there are.

    The same two sums with any number of threads: a sum of weights such as 0.1 depends on its order, if only in its
    last bits, and so would the choice between two nominees for the pocket.
    """
    middle = n_rows // 2
    return float(sum((map if threads is None else threads.map)(errors_of, ((0, middle), (middle, n_rows)))))
