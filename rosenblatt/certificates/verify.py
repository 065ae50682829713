"""Checks certificates in exact arithmetic, on the very numbers given. Nothing here trusts the prover.

This file imports nothing of the project. A float is a rational number; every check below is a statement about
rational numbers, and none of them is left to rounding. To be quick on large data, a score is first computed in
float64 together with a bound on its error, and only the rows that the bound cannot decide are computed exactly.
"""

from __future__ import annotations

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
PRIME = (1 << 61) - 1


class CertificateError(ValueError):
    """A certificate that does not prove what it says."""


# ---------------------------------------------------------------------------------------------- exact numbers


def common_integers(values: Iterable[Number]) -> tuple[list[int], int]:
    """Whole numbers n_j and one denominator with value_j = n_j / denominator."""
    fractions = [Fraction(value) for value in values]
    denominator = math.lcm(*{value.denominator for value in fractions}) if fractions else 1
    return [value.numerator * (denominator // value.denominator) for value in fractions], denominator


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
        """x·weights for every row in float64; column j of x is divided by 2^exponents[j] first."""
        if self.sparse:
            X = self.X.astype(np.float64)
            if exponents is not None:
                X.data = np.ldexp(X.data, -exponents[X.indices])
            return np.asarray(X @ weights)
        result = np.empty(self.n)
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

    def approximate(self, rows: Rows) -> tuple[Array, Array | float]:
        """Scores in float64 and a bound on their errors, both multiplied by one positive number; NaN if unknown."""
        largest = rows.largest()
        exponents = np.frexp(largest)[1]
        extreme = bool(np.any(np.abs(exponents) > 300))
        if not extreme:
            exponents[:] = 0
        # Choose a power of two so that the largest product is about 1.
        sizes = [abs(value).bit_length() + int(shift) for value, shift in zip(self.normal, exponents, strict=True)]
        shift = max([*sizes, abs(self.offset).bit_length(), 1])
        weights = np.array(
            [_float(value, int(e) - shift) for value, e in zip(self.normal, exponents, strict=True)], dtype=np.float64
        )
        offset = _float(self.offset, -shift)
        bound = np.ldexp(largest, -exponents)
        with np.errstate(all="ignore"):
            scores = rows.products(weights, exponents if extreme else None) + offset
            total = float(bound @ np.abs(weights)) + abs(offset)
            roundings = len(weights) + 8
            error = (roundings * ROUND / (1 - roundings * ROUND)) * total * (1 + roundings * ROUND)
            error = error * (1 + 8 * ROUND) + 4 * TINY * (float(bound.sum()) + len(weights) + 2)
        return scores, error

    def undecided(self, rows: Rows, signs: Array) -> tuple[Array, Array]:
        """(certainly negative, not certainly positive): which rows the float64 scores cannot vouch for."""
        scores, error = self.approximate(rows)
        scores = scores * signs
        with np.errstate(invalid="ignore"):
            return scores < -error, ~(scores > error)


def _float(integer: int, exponent: int) -> float:
    """integer · 2^exponent, rounded (twice at most); 0 when too small, infinity when too large."""
    size = abs(integer).bit_length()
    if size > 64:
        integer, exponent = integer >> (size - 64), exponent + size - 64
    try:
        return math.ldexp(float(integer), exponent)
    except OverflowError:
        return math.copysign(math.inf, integer)


def least(X: Any, signs: Array, plane: Plane) -> tuple[Fraction, int]:
    """The exact minimum of y_i (w·x_i + b) over the rows of sign +1 and -1, and a row where it is reached."""
    rows = X if isinstance(X, Rows) else Rows(X)
    members = np.flatnonzero(signs)
    scores, error = plane.approximate(rows)
    scores = scores[members] * signs[members]
    with np.errstate(invalid="ignore"):
        candidates = members[~(scores - error > np.nanmin(scores, initial=np.inf) + error)]
    return min((plane.score(rows, row) * int(signs[row]), row) for row in candidates.tolist())


def check_sides(X: Any, signs: Array, plane: Plane, *, strictly: bool) -> None:
    """Refuse unless y_i (w·x_i + b) is positive for every row; or, not `strictly`, never negative and once positive."""
    rows = X if isinstance(X, Rows) else Rows(X)
    negative, open_ = plane.undecided(rows, signs)
    for row in np.flatnonzero(open_).tolist():
        score = Fraction(-1) if negative[row] else plane.score(rows, row) * int(signs[row])
        if score < 0 or (strictly and score == 0):
            where = "on the wrong side of" if score < 0 else "on"
            raise CertificateError(f"Every row must lie on its side, but row {row} lies {where} the hyperplane.")
    if not strictly and open_.all():
        for row in range(rows.n):
            if plane.score(rows, row) != 0:
                return
        raise CertificateError("At least one row must lie strictly on its side, but all lie on the hyperplane.")


def count_off(X: Any, signs: Array, plane: Plane) -> int:
    """How many rows do not lie on the hyperplane."""
    rows = X if isinstance(X, Rows) else Rows(X)
    negative, open_ = plane.undecided(rows, signs)
    return rows.n - sum(plane.score(rows, row) == 0 for row in np.flatnonzero(open_ & ~negative).tolist())


def largest_square(X: Any, *, constant: bool) -> Fraction:
    """The exact maximum of ‖x‖^2 over the rows, of ‖(x, 1)‖^2 when there is a `constant`."""
    rows = X if isinstance(X, Rows) else Rows(X)
    top = int(np.frexp(rows.largest().max(initial=0.0))[1])
    squares = _squared_norms(rows, top)
    slack = (rows.d + 8) * ROUND * 4
    floor = float(squares.max(initial=0.0)) * (1 - slack) - 8 * rows.d * TINY
    candidates = np.flatnonzero(squares * (1 + slack) + 8 * rows.d * TINY >= floor)
    return max(_exact_square(rows, int(row)) for row in _distinct(rows, candidates)) + int(constant)


def _distinct(rows: Rows, candidates: Array) -> Array:
    """One of each set of equal rows, so that a column of ones does not cost n exact sums."""
    if rows.sparse or len(candidates) < 64:
        return candidates
    return np.asarray(candidates[np.unique(rows.X[candidates], axis=0, return_index=True)[1]])


def _squared_norms(rows: Rows, exponent: int) -> Array:
    """‖x / 2^exponent‖^2 for every row in float64."""
    if rows.sparse:
        squares = np.ldexp(rows.values.astype(np.float64), -exponent) ** 2
        sums = np.zeros(rows.n)
        np.add.at(sums, np.repeat(np.arange(rows.n), np.diff(rows.X.indptr)), squares)
        return sums
    result = np.empty(rows.n)
    for block in rows.blocks():
        part = np.ldexp(rows.X[block].astype(np.float64), -exponent)
        result[block] = np.einsum("ij,ij->i", part, part)
    return result


def _exact_square(rows: Rows, row: int) -> Fraction:
    _, integers, denominator = rows.integers(row)
    return Fraction(sum(value * value for value in integers), denominator**2)


# ------------------------------------------------------------------------------------------- hulls and weights


def combination(X: Any, signs: Array, chosen: Sequence[int], weights: Sequence[Number]) -> dict[int, Fraction]:
    """sum_i weight_i y_i x_i, exactly: the columns where it is not 0."""
    rows = X if isinstance(X, Rows) else Rows(X)
    tops, bottom = common_integers(weights)
    sums: dict[int, Fraction] = {}
    by_denominator: dict[int, dict[int, int]] = {}
    for row, top in zip(chosen, tops, strict=True):
        columns, integers, denominator = rows.integers(row)
        part = by_denominator.setdefault(denominator, {})
        signed = top * int(signs[row])
        for column, value in zip(columns, integers, strict=True):
            part[column] = part.get(column, 0) + signed * value
    for denominator, part in by_denominator.items():
        for column, value in part.items():
            sums[column] = sums.get(column, Fraction(0)) + Fraction(value, denominator * bottom)
    return {column: value for column, value in sums.items() if value}


def check_convex(signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, intercept: bool, n: int) -> None:
    """Refuse unless the weights are positive and sum to 1 over each class (without intercept: over all rows)."""
    if len(chosen) != len(weights) or len(set(chosen)) != len(chosen):
        raise CertificateError("A witness needs one weight for each of its rows, and names no row twice.")
    if not all(0 <= row < n for row in chosen):
        raise CertificateError(f"A witness names rows 0 to {n - 1}, the rows of the data.")
    if not all(weight > 0 for weight in weights):
        raise CertificateError("Every weight of a witness must be positive.")
    sums = [sum(Fraction(w) for row, w in zip(chosen, weights, strict=True) if signs[row] == s) for s in (1, -1)]
    if sums != [1, 1] if intercept else sum(sums) != 1:
        raise CertificateError("The weights of a witness must sum to 1 over each hull.")


def check_witness(X: Any, signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, intercept: bool) -> None:
    """Refuse unless the weights show a point of both hulls (without intercept: 0 in the hull of the y_i x_i)."""
    rows = X if isinstance(X, Rows) else Rows(X)
    check_convex(signs, chosen, weights, intercept=intercept, n=rows.n)
    if len(chosen) > rows.d + (2 if intercept else 1):
        raise CertificateError(f"A witness needs at most d + 2 rows, but this one names {len(chosen)}.")
    if combination(rows, signs, chosen, weights):
        raise CertificateError("The two weighted sums of a witness must be the same point, and they are not.")


def squared_distance(
    X: Any, signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, constant: bool
) -> Fraction:
    """‖sum_i weight_i y_i x_i‖^2, or of (x_i, 1) when there is a `constant`."""
    tops, bottom = common_integers(list(combination(X, signs, chosen, weights).values()))
    last = sum(Fraction(weight) * int(signs[row]) for row, weight in zip(chosen, weights, strict=True))
    return Fraction(sum(top * top for top in tops), bottom * bottom) + (last * last if constant else 0)


def class_means(X: Any, signs: Array, *, intercept: bool) -> dict[int, Fraction]:
    """The exact sum of the means of y_i x_i over each class (without intercept: their mean over all rows)."""
    rows = X if isinstance(X, Rows) else Rows(X)
    total: dict[int, Fraction] = {}
    members = [signs == 1, signs == -1] if intercept else [np.ones(rows.n, dtype=bool)]
    for member in members:
        for column, value in _column_sums(rows, np.where(member, signs, 0)).items():
            total[column] = total.get(column, Fraction(0)) + value / int(member.sum())
    return {column: value for column, value in total.items() if value}


def _column_sums(rows: Rows, signs: Array) -> dict[int, Fraction]:
    """sum_i sign_i x_i, exactly."""
    totals: dict[int, Fraction] = {}
    if rows.sparse:
        pieces = _pieces(rows.values)
        entries = np.repeat(signs, np.diff(rows.X.indptr)).astype(np.int64)
        for integers, power in pieces:
            sums = np.zeros(rows.d, dtype=np.int64)
            np.add.at(sums, rows.X.indices, integers * entries)
            _add(totals, sums, power)
        return totals
    for block in rows.blocks():
        for integers, power in _pieces(rows.X[block]):
            _add(totals, signs[block].astype(np.int64) @ integers, power)
    return totals


def _add(totals: dict[int, Fraction], sums: Array, power: int) -> None:
    for column in np.flatnonzero(sums).tolist():
        totals[column] = totals.get(column, Fraction(0)) + Fraction(int(sums[column])) * Fraction(2) ** power


def _pieces(values: Array) -> Iterator[tuple[Array, int]]:
    """The numbers as sums of integers · 2^power: pieces so small that 2^31 of them add up within 64 bits."""
    if values.dtype.kind != "f":
        if values.dtype.itemsize < 8:
            yield values.astype(np.int64), 0
        else:
            yield (values >> values.dtype.type(32)).astype(np.int64), 32
            yield (values & values.dtype.type(0xFFFFFFFF)).astype(np.int64), 0
        return
    rest = values.astype(np.float64)
    while rest.any():
        power = int(np.frexp(np.abs(rest).max())[1]) - 31
        piece = np.trunc(np.ldexp(rest, -power))
        yield piece.astype(np.int64), power
        rest = rest - np.ldexp(piece, power)


def solve_weights(
    X: Any, signs: Array, chosen: Sequence[int], *, intercept: bool, towards: dict[int, Fraction] | None = None
) -> list[Fraction] | None:
    """The weights on these rows, summing to 1 over each hull, whose combination is 0 (or `towards`); None if there
    are none or more than one. They may be negative: that is for the caller to look at."""
    import flint

    rows = X if isinstance(X, Rows) else Rows(X)
    columns: dict[int, list[Fraction | int]] = {}
    for place, row in enumerate(chosen):
        indices, integers, denominator = rows.integers(row)
        for column, value in zip(indices, integers, strict=True):
            line = columns.setdefault(column, [0] * len(chosen))
            signed = value * int(signs[row])
            line[place] = signed if denominator == 1 else Fraction(signed, denominator)
    if any(column not in columns for column in towards or {}):
        return None
    equations, right = [], []
    for column, line in columns.items():
        integers, _ = common_integers([*line, (towards or {}).get(column, 0)])
        equations.append(integers[:-1])
        right.append(integers[-1])
    for sign in (1, -1) if intercept else (0,):
        equations.append([int(sign == 0 or signs[row] == sign) for row in chosen])
        right.append(1)
    independent = _independent(equations, len(chosen))
    if independent is None:
        return None
    square = flint.fmpz_mat([equations[line] for line in independent])
    answer = square.solve(flint.fmpz_mat([[right[line]] for line in independent]))
    weights = [Fraction(int(answer[i, 0].p), int(answer[i, 0].q)) for i in range(len(chosen))]
    tops, bottom = common_integers(weights)
    sums = flint.fmpz_mat(equations) * flint.fmpz_mat([[top] for top in tops])
    fits = all(int(sums[line, 0]) == value * bottom for line, value in enumerate(right))
    return weights if fits else None


def _independent(equations: list[list[int]], unknowns: int) -> list[int] | None:
    """As many equations as unknowns that are independent modulo a prime, and so over the rationals; None if too few."""
    import flint

    flat = [equations[line][unknown] % PRIME for unknown in range(unknowns) for line in range(len(equations))]
    reduced, rank = flint.nmod_mat(unknowns, len(equations), flat, PRIME).rref()
    if rank < unknowns:
        return None
    pivots, line = [], 0
    for row in range(unknowns):
        while int(reduced[row, line]) == 0:
            line += 1
        pivots.append(line)
        line += 1
    return pivots
