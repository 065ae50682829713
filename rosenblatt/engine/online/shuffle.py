"""The order of the rows in an epoch: a shuffle that gives the same bits on every machine for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.online.state import Array

GOLDEN = 0x9E3779B97F4A7C15  # the increment of splitmix64's state


@part
def _choice(state: Any, last: Any) -> Any:
    """A number from 0 to `last`, by Vigna's splitmix64."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    # The upper 32 bits times the number of choices, shifted back, instead of a division. The bias is below 2⁻³²
    # times the number of rows.
    return ((z >> np.uint64(32)) * np.uint64(last + 1)) >> np.uint64(32)


@compiled.jit
def _shuffle(order: Any, state: Any) -> Any:
    """Fisher and Yates's shuffle in place; returns the next state of the generator."""
    for last in range(len(order) - 1, 0, -1):
        state += np.uint64(GOLDEN)
        chosen = _choice(state, last)
        order[last], order[chosen] = order[chosen], order[last]
    return state


class Shuffler:
    """A new order of the same rows for every epoch, in place; the same orders for the same seed."""

    def __init__(self, rows: Array, seed: int) -> None:
        self.order = rows
        self.state = np.uint64(seed)

    def __call__(self) -> Array:
        self.state = np.uint64(_shuffle(self.order, self.state))
        return self.order
