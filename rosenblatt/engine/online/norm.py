"""The sum of squares of an array, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled


@compiled.jit(any_order=True)
def sum_of_squares(values: Any) -> Any:
    """Σ values², on this thread alone: numpy's dot product would start BLAS threads after every epoch."""
    result = 0.0
    for j in range(values.shape[0]):  # by index: LLVM does not vectorise a loop over the values themselves
        result += np.float64(values[j]) * np.float64(values[j])
    return result
