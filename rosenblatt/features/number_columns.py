"""Large columns of plain numbers: their figures, and the rows that they become, by compiled code.

Rows that are kept aside are passed over where they stand, so that no column is copied. What is compiled is in
`number_figures` and `number_rows`.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from rosenblatt.models.linear import Array
from rosenblatt.sources import machine_code

# As in `number_figures` and `number_rows`, which are not imported for the sake of them.
COUNT, TOTAL, LOW, HIGH, ZEROS, MEAN, SQUARES = range(7)
BLOCK = 64


@dataclass(frozen=True)
class NumberFigures:
    """Of the numbers that count: how many, the least and the largest, how many zeros, the mean, and the sum of squared
    distances from it.
    """

    count: int
    low: float
    high: float
    zeros: int
    mean: float
    squares: float


def is_plain(series: pl.Series) -> bool:
    """Whether these are float64, none of them missing."""
    return series.dtype == pl.Float64 and not series.null_count()


def figures(series: pl.Series, kept: Array) -> NumberFigures | None:
    """The figures of the rows that are kept, of plain numbers; None where one of them is NaN, or none is there.

    Examples
    --------
    >>> figures(pl.Series([1.0, 0.0, 7.0, 3.0]), np.array([True, True, False, True]))
    NumberFigures(count=3, low=0.0, high=3.0, zeros=1, mean=1.333..., squares=4.666...)
    """
    found = np.zeros(7)
    found[LOW], found[HIGH] = np.inf, -np.inf
    pieces = [piece.to_numpy() for piece in series.get_chunks()]
    _add(pieces, kept, False, found)
    if found[COUNT] == 0 or np.isnan(found[TOTAL]):
        return None
    found[MEAN] = found[TOTAL] / found[COUNT]
    _add(pieces, kept, True, found)
    count, _, low, high, zeros, mean, squares = found.tolist()
    return NumberFigures(int(count), low, high, int(zeros), mean, squares)


def _add(pieces: list[Array], kept: Array, second: bool, found: Array) -> None:
    start = 0
    for piece in pieces:
        _figures()(piece.ctypes.data, len(piece), kept[start:].ctypes.data, second, found.ctypes.data)
        start += len(piece)


def fill(columns: list[Array], kept: Array, factors: Array, shifts: Array, learned: Array, others: Array) -> bool:
    """Write factor · x + shift of columns of float64 into the rows of two float32 arrays: those kept, and the others.

    False where a number is missing, infinite or huge.

    Examples
    --------
    >>> learned, others = np.empty((2, 1), np.float32), np.empty((1, 1), np.float32)
    >>> fill([np.array([1.0, 2.0, 3.0])], np.array([True, False, True]), np.array([2.0]), np.zeros(1), learned, others)
    True
    >>> learned.tolist(), others.tolist()
    ([[2.0], [6.0]], [[4.0]])
    """
    addresses = np.array([column.ctypes.data for column in columns], np.uint64)
    places = np.empty(BLOCK, np.uint64)
    strange = _rows()(
        addresses.ctypes.data, len(columns), len(kept), kept.ctypes.data, factors.ctypes.data, shifts.ctypes.data,
        learned.ctypes.data, others.ctypes.data, places.ctypes.data,
    )  # fmt: skip
    return strange == 0


@functools.cache
def _figures() -> Callable[..., int]:
    def compiled() -> tuple[str, str]:
        from rosenblatt.features import number_figures

        return number_figures.compiled()

    address = ctypes.c_void_p
    return machine_code.function(
        Path(__file__).with_name("number_figures.py"), compiled,
        [address, ctypes.c_int64, address, ctypes.c_uint8, address],
    )  # fmt: skip


@functools.cache
def _rows() -> Callable[..., int]:
    def compiled() -> tuple[str, str]:
        from rosenblatt.features import number_rows

        return number_rows.compiled()

    address, whole = ctypes.c_void_p, ctypes.c_int64
    return machine_code.function(
        Path(__file__).with_name("number_rows.py"), compiled,
        [address, whole, whole, address, address, address, ctypes.c_uint64, ctypes.c_uint64, address],
    )  # fmt: skip
