"""The sum of squares of an array, in float64."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.state import Array


@functools.cache
def _sum_of_squares(key: str) -> Any:
    def sum_of_squares(values: Any) -> Any:
        key  # noqa: B018  part of the key under which the machine code is cached
        result = 0.0
        for j in range(values.shape[0]):  # by index: LLVM does not vectorise a loop over the values themselves
            result += np.float64(values[j]) * np.float64(values[j])
        return result

    return compiled.jit(sum_of_squares, any_order=True)


def sum_of_squares(values: Array) -> float:
    """Σ values², on this thread alone: numpy's dot product would start BLAS threads after every epoch."""
    return float(_sum_of_squares(f"squares {compiled.engine_digest()}")(values))
