"""The votes of all weight vectors of a half-space, from the products of a row with the rows that made them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.state import Array


@functools.cache
def _tally(key: str) -> Any:
    def tally(
        products: Any, rows: Any, steps: Any, shrinks: Any, counts: Any, bias: Any, shrink_bias: Any, votes: Any
    ) -> None:
        key  # noqa: B018  part of the key under which the machine code is kept
        for r in range(products.shape[0]):
            linear, offset, total = 0.0, 0.0, 0.0
            for u in range(len(rows)):
                linear = shrinks[u] * linear + steps[u] * products[r, rows[u]]
                offset = (shrinks[u] if shrink_bias else 1.0) * offset + steps[u] * bias
                total += counts[u] if linear + offset >= 0.0 else -counts[u]
            votes[r] = total

    return compiled.jit(tally)


def tally(
    products: Array, rows: Array, steps: Array, shrinks: Array, counts: Array, bias: float, shrink_bias: bool
) -> Array:
    """sum_u counts[u] · sign(score_u) for every row of `products`, whose column i is the product with row i."""
    votes = np.empty(len(products))
    _tally(f"tally {compiled.engine_digest()}")(products, rows, steps, shrinks, counts, bias, shrink_bias, votes)
    return votes


@functools.cache
def _tally_together(key: str) -> Any:
    def tally_together(
        products: Any, classes: Any, rows: Any, steps: Any, shrinks: Any, times: Any, seen: Any, bias: Any,
        shrink_bias: Any, linear: Any, offset: Any, votes: Any,
    ) -> None:  # fmt: skip
        key  # noqa: B018
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

    return compiled.jit(tally_together)


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
    count = _tally_together(f"tally together {compiled.engine_digest()}")
    count(products, *events, seen, bias, shrink_bias, np.zeros(n_classes), np.zeros(n_classes), votes)
    return votes
