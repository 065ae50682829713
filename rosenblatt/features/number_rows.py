"""The compiled half of `number_columns.fill`: columns of numbers, scaled, into the rows of two arrays.

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
    from numba.extending import intrinsic

BLOCK = 64  # rows at a time: what is written stays in the cache until its line is full
FLOAT = 4  # bytes of a float32
HUGE = 1e150  # as in `column_kinds`
LARGEST = float(np.finfo(np.float32).max)

NUMBERS = types.CPointer(types.float64)
SIGNATURE = types.int64(
    types.CPointer(types.uint64), types.int64, types.int64, types.CPointer(types.uint8), NUMBERS, NUMBERS,
    types.uint64, types.uint64, types.CPointer(types.uint64),
)  # fmt: skip


@intrinsic
def _read(context: Any, address: Any, at: Any) -> Any:
    """The float64 number `at` behind an address."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = context.get_value_type(types.float64)
        return builder.load(builder.gep(builder.inttoptr(given[0], kind.as_pointer()), [given[1]]))

    return types.float64(types.uint64, types.int64), build


@intrinsic
def _write(context: Any, address: Any, value: Any) -> Any:
    """Put a float32 at an address."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind = context.get_value_type(types.float32)
        builder.store(given[1], builder.inttoptr(given[0], kind.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.uint64, types.float32), build


def _fill(
    columns: Any, width: Any, n: Any, kept: Any, factors: Any, shifts: Any, learned: Any, others: Any, places: Any
) -> Any:
    """Fill the rows from two addresses on, those that are kept and the others. How many numbers are too large."""
    row, strange = np.uint64(FLOAT * width), 0
    for begin in range(0, n, BLOCK):
        count = min(BLOCK, n - begin)
        for i in range(count):
            if kept[begin + i] != 0:
                places[i] = learned
                learned += row
            else:
                places[i] = others
                others += row
        for j in range(width):
            column, factor, shift, at = columns[j], factors[j], shifts[j], np.uint64(FLOAT * j)
            for i in range(count):
                number = _read(column, begin + i)
                value = number * factor + shift
                strange += 0 if abs(number) < HUGE and abs(value) < LARGEST else 1
                _write(places[i] + at, np.float32(value))
    return strange


def compiled() -> tuple[str, str]:
    """What LLVM makes the machine code of, and the name of the function in it."""
    flags: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
    found = numba.njit([SIGNATURE], no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(_fill)
    ((signature, result),) = found.overloads.items()
    return found.inspect_llvm(signature), result.fndesc.llvm_func_name
