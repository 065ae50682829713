"""The compiled half of `number_columns.figures`: sums over the numbers of a column that count.

The machine code is kept by `machine_code`, so that this file, and numba with it, is imported only where there is none
yet. All that it is made of is in this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.loading import collector_at_rest

with collector_at_rest():
    import numba
    from numba import types

COUNT, TOTAL, LOW, HIGH, ZEROS, MEAN, SQUARES = range(7)

SIGNATURE = types.int64(
    types.CPointer(types.float64), types.int64, types.CPointer(types.uint8), types.uint8,
    types.CPointer(types.float64),
)  # fmt: skip


def _add(values: Any, n: Any, kept: Any, second: Any, figures: Any) -> Any:
    """Add to the figures; in a second pass to the squares of the distances from the mean. One number after another:
    so the sums are the same, however a column is cut into pieces and whatever stands between the rows that count.
    """
    total, low, high = figures[TOTAL], figures[LOW], figures[HIGH]
    count, zeros, squares, mean = figures[COUNT], figures[ZEROS], figures[SQUARES], figures[MEAN]
    if second != 0:
        for i in range(n):
            apart = kept[i] * (values[i] - mean)  # first, so that no square of what does not count overflows
            squares += apart * apart
    else:
        for i in range(n):
            value, one = values[i], np.float64(kept[i])
            total += one * value  # NaN too where an infinite number does not count
            count += one
            zeros += one if value == 0.0 else 0.0
            if value < low and kept[i] != 0:
                low = value
            if value > high and kept[i] != 0:
                high = value
    figures[TOTAL], figures[LOW], figures[HIGH] = total, low, high
    figures[COUNT], figures[ZEROS], figures[SQUARES] = count, zeros, squares
    return 0


def compiled() -> tuple[str, str]:
    """What LLVM makes the machine code of, and the name of the function in it."""
    flags: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
    found = numba.njit([SIGNATURE], no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(_add)
    ((signature, result),) = found.overloads.items()
    return found.inspect_llvm(signature), result.fndesc.llvm_func_name
