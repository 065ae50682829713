"""The votes of all weight vectors of a half-space, from the products of a row with the rows that made them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import map_blocks, thread_count

STRIP = 32  # rows whose scores are carried through all updates together, in vector registers


@compiled.jit
def _tally(
    products: Any, rows: Any, steps: Any, shrinks: Any, counts: Any, bias: Any, shrink_bias: Any, scores: Any,
    votes: Any,
) -> None:  # fmt: skip
    offset = 0.0
    for u in range(len(rows)):
        i, step, shrink, count = rows[u], steps[u], shrinks[u], counts[u]
        offset = (shrink if shrink_bias else 1.0) * offset + step * bias
        for r in range(STRIP):
            score = shrink * scores[r] + step * products[i, r]
            scores[r] = score
            votes[r] += count if score + offset >= 0.0 else -count


def tally(
    products: Array,
    rows: Array,
    steps: Array,
    shrinks: Array,
    counts: Array,
    bias: float,
    shrink_bias: bool,
    *,
    n_jobs: int | None = 1,
) -> Array:
    """sum_u counts[u] · sign(score_u) for every row of `products`, whose column i is the product with row i."""
    n_rows = len(products)

    def strip(start: int) -> Array:
        part = np.zeros((products.shape[1], STRIP), products.dtype)
        part[:, : min(STRIP, n_rows - start)] = products[start : start + STRIP].T
        votes = np.zeros(STRIP)
        _tally(part, rows, steps, shrinks, counts, bias, shrink_bias, np.zeros(STRIP), votes)
        return votes

    parts = map_blocks(strip, range(0, n_rows, STRIP), thread_count(n_jobs, work=n_rows * len(rows)))
    return np.concatenate([*parts, np.empty(0)])[:n_rows]


@compiled.jit
def _tally_together(
    products: Any, classes: Any, rows: Any, steps: Any, shrinks: Any, times: Any, seen: Any, bias: Any,
    shrink_bias: Any, linear: Any, offset: Any, votes: Any,
) -> None:  # fmt: skip
    for r in range(products.shape[0]):
        linear[:] = 0.0
        offset[:] = 0.0
        for u in range(len(rows)):
            k = classes[u]
            linear[k] = shrinks[u] * linear[k] + steps[u] * products[r, rows[u]]
            offset[k] = (shrinks[u] if shrink_bias else 1.0) * offset[k] + steps[u] * bias
            until = times[u + 1] if u + 1 < len(rows) else seen + 1
            if until > times[u]:  # all that moved at this example has moved
                best = 0
                for other in range(1, len(linear)):
                    if linear[other] + offset[other] > linear[best] + offset[best]:
                        best = other
                votes[r, best] += until - times[u]


def tally_together(
    products: Array,
    n_classes: int,
    events: tuple[Array, Array, Array, Array, Array],
    seen: int,
    bias: float,
    shrink_bias: bool,
) -> Array:
    """The votes for each class where classes moved together: each joint state votes for its best class.

    `events` are (class, row, step, shrink, time) of every update, in the order of time.
    """
    votes = np.zeros((len(products), n_classes))
    _tally_together(products, *events, seen, bias, shrink_bias, np.zeros(n_classes), np.zeros(n_classes), votes)
    return votes
