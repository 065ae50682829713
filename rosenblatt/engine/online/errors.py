"""Errors of the half-spaces as they stand, on any rows: what their predictions get wrong.

One half-space predicts class 1 for a score of at least 0. Two classes with a half-space each predict the second for
equal scores, more predict the first of the highest scores.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.state import BIAS, SCALE, SCORE, Array, HalfSpaces

# The rows are cut into so many blocks whatever the number of threads: a sum of weights such as 0.1 depends on the
# order of its terms in its last bits, and so would the choice between two candidates for the pocket.
BLOCKS = 16


@part
def _prediction(ledger: Any, classes: Any) -> int:
    """What the half-spaces k < classes predict together, once their SCORE is v_k·x."""
    best = 0
    for k in range(classes):
        ledger[k, SCORE] = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
        if ledger[k, SCORE] > ledger[best, SCORE]:
            best = k
    if classes == 1:
        best = 1 if ledger[0, SCORE] >= 0.0 else 0
    elif classes == 2:
        best = 1 if ledger[1, SCORE] >= ledger[0, SCORE] else 0
    return best


@functools.cache
def _count_errors(layout_name: str) -> Any:
    scores = LAYOUTS[layout_name].scores_and_fetch

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any,
    ) -> float:  # fmt: skip
        errors = 0.0
        for i in range(start, stop):
            following = min(i + 1, stop - 1)
            scores(rows, i, following, following, vectors, 0, classes, ledger)
            if _prediction(ledger, classes) != codes[i]:
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
    map_blocks: Callable[..., Iterable[float]] = map,
    limit: float = np.inf,
) -> float:
    """The total weight of the rows that are predicted wrongly; something above `limit` once that is exceeded.

    `classes` is the number of half-spaces that predict together, 1 for two classes. `map_blocks` may run on threads.
    """
    count = _count_errors(state.layout)

    def errors_of(block: int) -> float:
        start, stop = block * n_rows // BLOCKS, (block + 1) * n_rows // BLOCKS
        errors: float = count(
            rows, start, stop, codes, sample_weight, state.vectors, state.ledger.copy(), classes, limit
        )
        return errors

    return float(sum(map_blocks(errors_of, range(BLOCKS))))
