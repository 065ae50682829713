"""Checks certificates in exact arithmetic, on the very numbers given. Nothing here trusts the prover.

This file imports nothing of the project but `verify_numbers`, which imports nothing. Every check below is a statement
about rational numbers, and none of them is left to rounding.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates.verify_numbers import ROUND, TINY, Array
from rosenblatt.certificates.verify_numbers import CertificateError as CertificateError
from rosenblatt.certificates.verify_numbers import Number as Number
from rosenblatt.certificates.verify_numbers import Plane as Plane
from rosenblatt.certificates.verify_numbers import Rows as Rows
from rosenblatt.certificates.verify_numbers import common_integers as common_integers
from rosenblatt.certificates.verify_numbers import nearest_floats as nearest_floats


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
    top = int(np.frexp(rows.largest.max(initial=0.0))[1])
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
    sums, power = _whole_combination(rows, signs, chosen, tops)
    return {column: Fraction(value, power * bottom) for column, value in sums.items() if value}


def _whole_combination(
    rows: Rows, signs: Array, chosen: Sequence[int], tops: Sequence[int]
) -> tuple[dict[int, int], int]:
    """sum_i top_i y_i x_i as whole numbers, and the one power of two that divides them all."""
    by_power: dict[int, dict[int, int]] = {}
    for row, top in zip(chosen, tops, strict=True):
        columns, integers, power = rows.integers(row)
        part = by_power.setdefault(power, {})
        signed = top * int(signs[row])
        for column, value in zip(columns, integers, strict=True):
            part[column] = part.get(column, 0) + signed * value
    largest = max(by_power, default=1)
    sums: dict[int, int] = {}
    for power, part in by_power.items():
        for column, value in part.items():
            sums[column] = sums.get(column, 0) + value * (largest // power)
    return sums, largest


def check_convex(signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, intercept: bool, n: int) -> None:
    """Refuse unless the weights are positive and sum to 1 over each class (without intercept: over all rows)."""
    if len(chosen) != len(weights) or len(set(chosen)) != len(chosen):
        raise CertificateError("A witness needs one weight for each of its rows, and names no row twice.")
    if not all(0 <= row < n for row in chosen):
        raise CertificateError(f"A witness names rows 0 to {n - 1}, the rows of the data.")
    if not all(weight > 0 for weight in weights):
        raise CertificateError("Every weight of a witness must be positive.")
    tops, bottom = common_integers(weights)
    sums = [sum(top for row, top in zip(chosen, tops, strict=True) if signs[row] == sign) for sign in (1, -1)]
    if sums != [bottom, bottom] if intercept else sum(sums) != bottom:
        raise CertificateError("The weights of a witness must sum to 1 over each hull.")


def check_witness(X: Any, signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, intercept: bool) -> None:
    """Refuse unless the weights show a point of both hulls (without intercept: 0 in the hull of the y_i x_i)."""
    rows = X if isinstance(X, Rows) else Rows(X)
    check_convex(signs, chosen, weights, intercept=intercept, n=rows.n)
    if len(chosen) > rows.d + (2 if intercept else 1):
        raise CertificateError(f"A witness needs at most d + 2 rows, but this one names {len(chosen)}.")
    if any(_whole_combination(rows, signs, chosen, common_integers(weights)[0])[0].values()):
        raise CertificateError("The two weighted sums of a witness must be the same point, and they are not.")


def squared_distance(
    X: Any, signs: Array, chosen: Sequence[int], weights: Sequence[Number], *, constant: bool
) -> Fraction:
    """‖sum_i weight_i y_i x_i‖^2, or of (x_i, 1) when there is a `constant`."""
    rows = X if isinstance(X, Rows) else Rows(X)
    tops, bottom = common_integers(weights)
    sums, power = _whole_combination(rows, signs, chosen, tops)
    last = sum(top * int(signs[row]) for row, top in zip(chosen, tops, strict=True)) * power if constant else 0
    return Fraction(sum(value * value for value in sums.values()) + last * last, (power * bottom) ** 2)


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
    equations, right = _equations(rows, signs, chosen, towards or {})
    for sign in (1, -1) if intercept else (0,):
        equations.append([int(sign == 0 or signs[row] == sign) for row in chosen])
        right.append(1)
    independent = _independent(equations, right, len(chosen))
    if independent is None:
        return None
    square = flint.fmpz_mat([equations[line] for line in independent])
    try:
        solved: Any = square.solve(flint.fmpz_mat([[right[line]] for line in independent]))
    except ZeroDivisionError:
        return None
    tops, bottom = solved.numer_denom()
    sums = (flint.fmpz_mat(equations) * tops).entries()
    if any(value != wanted * bottom for value, wanted in zip(sums, right, strict=True)):
        return None
    return [Fraction(int(top), int(bottom)) for top in tops.entries()]


def _equations(
    rows: Rows, signs: Array, chosen: Sequence[int], towards: dict[int, Fraction]
) -> tuple[list[list[int]], list[int]]:
    """One equation in whole numbers for each column: sum_i weight_i y_i x_ij = towards_j."""
    columns: dict[int, list[tuple[int, int, int]]] = {column: [] for column in towards}
    for place, row in enumerate(chosen):
        indices, integers, power = rows.integers(row)
        for column, value in zip(indices, integers, strict=True):
            columns.setdefault(column, []).append((place, value * int(signs[row]), power))
    equations, right = [], []
    for column, entries in columns.items():
        largest = max((power for _, _, power in entries), default=1)
        wanted = towards.get(column, Fraction(0))
        line = [0] * len(chosen)
        for place, value, power in entries:
            line[place] = value * (largest // power) * wanted.denominator
        equations.append(line)
        right.append(wanted.numerator * largest)
    return equations, right


def _independent(equations: list[list[int]], right: list[int], unknowns: int) -> list[int] | None:
    """As many equations as unknowns that have a solution; None if they contradict the others, or there are too few.

    Looked at modulo a prime of 61 bits, drawn at random so that no data can be made to vanish modulo it. What is
    independent modulo a prime is so over the rationals, and what has no solution modulo it then has none at all.
    """
    import flint

    prime = 4
    while not flint.fmpz(prime).is_prime():
        prime = random.SystemRandom().randrange(1 << 60, 1 << 61)
    flat = [equations[line][unknown] % prime for unknown in range(unknowns) for line in range(len(equations))]
    flat += [value % prime for value in right]
    reduced, rank = flint.nmod_mat(unknowns + 1, len(equations), flat, prime).rref()
    if rank != unknowns:
        return None
    pivots, line = [], 0
    for row in range(unknowns):
        while int(reduced[row, line]) == 0:
            line += 1
        pivots.append(line)
        line += 1
    return pivots
