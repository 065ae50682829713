"""The votes of all weight vectors of a half-space, from the products of a row with the rows that made them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.state import Array


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
