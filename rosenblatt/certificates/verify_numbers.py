"""Exact numbers for the checker: rows, hyperplanes, and a filter that spares most rows the exact arithmetic.

A float is a rational number with a power of two below the line. A score is first computed in float64 together with a
bound on its error, and only the rows that the bound cannot decide are computed exactly. Like `verify`, this file
imports nothing of the project.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Number = int | float | Fraction

BLOCK = 1 << 21  # numbers that are widened to float64 at a time
ROUND = 2.0**-53  # the largest relative error of one rounding
TINY = 2.0**-1074  # the smallest positive float64


class CertificateError(ValueError):
    """A certificate that does not prove what it says."""


# ---------------------------------------------------------------------------------------------- exact numbers


def common_integers(values: Iterable[Number]) -> tuple[list[int], int]:
    """Whole numbers n_j and one denominator with value_j = n_j / denominator."""
    fractions = [Fraction(value) for value in values]
    denominator = math.lcm(*{value.denominator for value in fractions}) if fractions else 1
    return [value.numerator * (denominator // value.denominator) for value in fractions], denominator


def nearest_floats(values: Sequence[Number]) -> list[float]:
    """The numbers in float64; multiplied by one power of two where the largest is near the border of float64."""
    largest = max((abs(Fraction(value)) for value in values), default=Fraction(0))
    size = largest.numerator.bit_length() - largest.denominator.bit_length()
    if not largest or -1000 < size < 1000:
        return [float(value) for value in values]
    return [float(Fraction(value) / Fraction(2) ** size) for value in values]


class Rows:
    """The rows of a dense or sparse matrix, one at a time exactly, or all of them in float64."""

    def __init__(self, X: Any) -> None:
        self.sparse = hasattr(X, "tocsr")
        if self.sparse:
            X = X.tocsr()
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            self.values = X.data
        else:
            X = np.asarray(X)
            if X.ndim != 2:
                raise ValueError(f"The rows must be a table, but came with {X.ndim} dimensions; pass a 2-D array.")
            self.values = X
        if self.values.dtype.kind not in "buif" or self.values.dtype.itemsize > 8:
            raise ValueError(
                f"The rows must be numbers of at most 64 bits, but their dtype is {self.values.dtype}; convert them."
            )
        if self.values.dtype.kind == "f" and not np.isfinite(self.values).all():
            raise ValueError("The rows must be finite, but some are NaN or infinite; remove or replace those.")
        self.X = X
        self.n, self.d = X.shape
        self.exact_floats = self.values.dtype.kind in "bf" or self.values.dtype.itemsize < 8

    def entries(self, row: int) -> tuple[list[int], list[Number]]:
        """The columns of one row that are not 0, and their values as Python numbers."""
        if self.sparse:
            part = slice(int(self.X.indptr[row]), int(self.X.indptr[row + 1]))
            return self.X.indices[part].tolist(), self.X.data[part].tolist()
        line = self.X[row]
        columns = np.flatnonzero(line)
        return columns.tolist(), line[columns].tolist()

    def integers(self, row: int) -> tuple[list[int], list[int], int]:
        """The columns of one row that are not 0, whole numbers, and one denominator for all."""
        columns, values = self.entries(row)
        if self.values.dtype.kind != "f":
            return columns, [int(value) for value in values], 1
        parts = [value.as_integer_ratio() for value in values]
        denominator = max((part[1] for part in parts), default=1)  # powers of two: the largest is common to all
        return columns, [top * (denominator // bottom) for top, bottom in parts], denominator

    @functools.cached_property
    def largest(self) -> Array:
        """A bound on |x_j| for every column j."""
        if self.sparse:
            result = np.zeros(self.d)
            np.maximum.at(result, self.X.indices, np.abs(self.X.data.astype(np.float64)))
        else:
            low, high = self.X.min(axis=0, initial=0), self.X.max(axis=0, initial=0)
            result = np.maximum(np.abs(low.astype(np.float64)), np.abs(high.astype(np.float64)))
        return result if self.exact_floats else np.where(result > 0, np.nextafter(result, np.inf), 0.0)

    def blocks(self) -> Iterator[slice]:
        step = max(1, BLOCK // max(1, self.d))
        return (slice(first, first + step) for first in range(0, self.n, step))

    def products(self, weights: Array, exponents: Array | None) -> Array:
        """x·weights for every row and column of `weights`, in float64; column j of x is divided by 2^exponents[j]."""
        if self.sparse:
            X = self.X.astype(np.float64)
            if exponents is not None:
                X.data = np.ldexp(X.data, -exponents[X.indices])
            return np.asarray(X @ weights)
        result = np.empty((self.n, weights.shape[1]))
        for block in self.blocks():
            part = self.X[block].astype(np.float64, copy=False)
            result[block] = (part if exponents is None else np.ldexp(part, -exponents)) @ weights
        return result


# ------------------------------------------------------------------------------------------------ the filter


class Plane:
    """The function w·x + b with rational w and b."""

    def __init__(self, normal: Sequence[Number] | Array, offset: Number) -> None:
        values = [*(normal.tolist() if isinstance(normal, np.ndarray) else normal), offset]
        integers, self.denominator = common_integers(values)
        self.normal, self.offset = integers[:-1], integers[-1]

    def squared_length(self, *, with_offset: bool) -> Fraction:
        total = sum(value * value for value in self.normal) + (self.offset**2 if with_offset else 0)
        return Fraction(total, self.denominator**2)

    def score(self, rows: Rows, row: int) -> Fraction:
        columns, integers, denominator = rows.integers(row)
        total = sum(self.normal[column] * value for column, value in zip(columns, integers, strict=True))
        return Fraction(total + self.offset * denominator, denominator * self.denominator)

    def approximate(self, rows: Rows) -> tuple[Array, float]:
        """Scores in float64 and a bound on their errors, both multiplied by one positive number; NaN if unknown."""
        scores, errors, _ = approximate(rows, [self])
        return scores[:, 0], float(errors[0])

    def lowered(self, level: Fraction) -> Plane:
        """w·x + b - level."""
        common = math.lcm(self.denominator, level.denominator)
        factor = common // self.denominator
        normal = [value * factor for value in self.normal]
        return Plane.over(common, normal, self.offset * factor - level.numerator * (common // level.denominator))

    def __neg__(self) -> Plane:
        return Plane.over(self.denominator, [-value for value in self.normal], -self.offset)

    def __sub__(self, other: Plane) -> Plane:
        common = math.lcm(self.denominator, other.denominator)
        one, two = common // self.denominator, common // other.denominator
        normal = [a * one - b * two for a, b in zip(self.normal, other.normal, strict=True)]
        return Plane.over(common, normal, self.offset * one - other.offset * two)

    @staticmethod
    def over(denominator: int, normal: list[int], offset: int) -> Plane:
        """Whole numbers over one denominator."""
        plane = Plane.__new__(Plane)
        plane.denominator, plane.normal, plane.offset = denominator, normal, offset
        return plane

    def undecided(self, rows: Rows, signs: Array) -> tuple[Array, Array]:
        """(certainly negative, not certainly positive): which rows the float64 scores cannot vouch for."""
        scores, error = self.approximate(rows)
        scores = scores * signs
        with np.errstate(invalid="ignore"):
            return scores < -error, ~(scores > error)


def approximate(rows: Rows, planes: Sequence[Plane]) -> tuple[Array, Array, list[int]]:
    """Scores of every row in float64, one column for each plane, a bound on the errors in each column, and an exponent.

    A column and its bound are multiplied by denominator / 2^exponent of their plane. What is unknown is NaN.
    """
    largest = rows.largest
    exponents = np.frexp(largest)[1]
    extreme = bool(np.any(np.abs(exponents) > 300))
    if not extreme:
        exponents[:] = 0
    shifts = exponents.tolist()
    weights, offsets = np.empty((rows.d, len(planes))), np.empty(len(planes))
    tops = []
    for k, plane in enumerate(planes):
        # Choose a power of two so that the largest product is about 1.
        sizes = [abs(value).bit_length() + shift for value, shift in zip(plane.normal, shifts, strict=True)]
        top = max([*sizes, abs(plane.offset).bit_length(), 1])
        weights[:, k] = [_float(value, shift - top) for value, shift in zip(plane.normal, shifts, strict=True)]
        offsets[k] = _float(plane.offset, -top)
        tops.append(top)
    bound = np.ldexp(largest, -exponents)
    with np.errstate(all="ignore"):
        scores = rows.products(weights, exponents if extreme else None) + offsets
        total = bound @ np.abs(weights) + np.abs(offsets)
        roundings = rows.d + 8
        error = (roundings * ROUND / (1 - roundings * ROUND)) * total * (1 + roundings * ROUND)
        error = error * (1 + 8 * ROUND) + 4 * TINY * (float(bound.sum()) + rows.d + 2)
    return scores, error, tops


def _float(integer: int, exponent: int) -> float:
    """integer · 2^exponent, rounded (twice at most); 0 when too small, infinity when too large."""
    size = abs(integer).bit_length()
    if size > 64:
        integer, exponent = integer >> (size - 64), exponent + size - 64
    try:
        return math.ldexp(float(integer), exponent)
    except OverflowError:
        return math.copysign(math.inf, integer)
