"""Checks statements about a linear model: which rows it has right, also when they may move by a radius.

A row is right if its class has the higher score, strictly: a row on the boundary is wrong. It is right at a radius r
if it stays right wherever it is moved by at most r. In real arithmetic on the very numbers given, not in that of
`predict`, which rounds. With w the difference of two score functions, s = w·x + b and ‖·‖' the dual norm,

    every x' with ‖x' - x‖ <= r has w·x' + b > 0      if and only if      s > r ‖w‖'

since the largest decrease of w·x over the ball is r ‖w‖' (Hölder's inequality, with equality somewhere on the ball).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates.verify_numbers import Array, CertificateError, Number, Plane, Rows, approximate

NORMS = ("l2", "l1", "linf")


def score_planes(weights: Sequence[Sequence[Number]], offsets: Sequence[Number]) -> list[Plane]:
    return [Plane(normal, offset) for normal, offset in zip(weights, offsets, strict=True)]


def rivals(planes: Sequence[Plane], code: int) -> list[Plane]:
    """The functions that must be positive for a row of this class to be right."""
    if len(planes) == 1:
        return [planes[0] if code == 1 else -planes[0]]
    return [planes[code] - plane for other, plane in enumerate(planes) if other != code]


def squared_level(plane: Plane, norm: str, radius: Number | Sequence[Number]) -> Fraction:
    """(r ‖w‖')^2 for the dual norm ‖·‖'; `radius` is one number for each feature for the norm "linf" of a box."""
    sizes = [abs(value) for value in plane.normal]
    if isinstance(radius, Sequence):
        reach = sum((Fraction(r) * size for r, size in zip(radius, sizes, strict=True)), Fraction(0))
        return reach**2 / plane.denominator**2
    square = Fraction(radius) ** 2 / plane.denominator**2
    if norm == "l2":
        return square * sum(size * size for size in sizes)
    return square * (sum(sizes) if norm == "linf" else max(sizes)) ** 2


def root_bounds(square: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals below and above the root, equal where it is rational, otherwise close."""
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom), Fraction(top, bottom)
    shift = max(0, 160 - square.numerator.bit_length() + square.denominator.bit_length())
    root = math.isqrt((square.numerator << 2 * shift) // square.denominator)
    return Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift)


def beyond(rows: Rows, planes: Sequence[Plane], squares: Sequence[Fraction]) -> Array:
    """Which rows x have w·x + b > sqrt(square), for all of the planes."""
    levels = [root_bounds(square) for square in squares]
    high, errors, _ = approximate(
        rows, [plane.lowered(above) for plane, (_, above) in zip(planes, levels, strict=True)]
    )
    low, errors_low = high, errors
    if any(below != above for below, above in levels):
        lowered = [plane.lowered(below) for plane, (below, _) in zip(planes, levels, strict=True)]
        low, errors_low, _ = approximate(rows, lowered)
    with np.errstate(invalid="ignore"):
        certain, hopeless = high > errors, (low < -errors_low).any(axis=1)
    result = np.asarray(certain.all(axis=1))
    for row in np.flatnonzero(~result & ~hopeless).tolist():
        result[row] = all(
            score > 0 and score * score > squares[k]
            for k in np.flatnonzero(~certain[row]).tolist()
            for score in (planes[k].score(rows, row),)
        )
    return result


def wrong_rows(
    X: Any, codes: Array, planes: Sequence[Plane], norm: str = "l2", radius: Number | Sequence[Number] = 0
) -> list[int]:
    """The rows that are wrong, or become so within the radius; `codes` are the numbers of their classes."""
    found: list[int] = []
    for code, members, rows in by_class(X, codes):
        against = rivals(planes, code)
        right = beyond(rows, against, [squared_level(plane, norm, radius) for plane in against])
        found += members[~right].tolist()
    return sorted(found)


def by_class(X: Any, codes: Array) -> list[tuple[int, Array, Rows]]:
    """The rows of each class: its number, where they are, and what they are."""
    matrix = X.X if isinstance(X, Rows) else X
    found = []
    for code in np.unique(codes).tolist():
        members = np.flatnonzero(codes == code)
        found.append((int(code), members, Rows(matrix[members])))
    return found


def check_model(
    X: Any,
    codes: Array,
    planes: Sequence[Plane],
    wrong: Sequence[int],
    *,
    norm: str,
    radius: Number | Sequence[Number],
) -> None:
    """Refuse unless exactly these rows are wrong at the radius."""
    rows = X if isinstance(X, Rows) else Rows(X)
    if norm not in NORMS:
        raise CertificateError(f"A norm must be one of {', '.join(NORMS)}.")
    radii = list(radius) if isinstance(radius, Sequence) else [radius]
    if not all(value >= 0 and math.isfinite(value) for value in radii):
        raise CertificateError("A radius must be a finite number of at least 0.")
    if isinstance(radius, Sequence) and (norm != "linf" or len(radius) != rows.d):
        raise CertificateError(f"A box has {rows.d} radii, one for each feature, and the norm 'linf'.")
    if any(len(plane.normal) != rows.d for plane in planes):
        raise CertificateError(f"A score function needs {rows.d} weights, one for each feature.")
    if list(wrong) != wrong_rows(rows, codes, planes, norm, radius):
        raise CertificateError("The rows that the model has wrong must be those named, and they are others.")


def check_margin(X: Any, codes: Array, planes: Sequence[Plane], margin: float) -> None:
    """Refuse unless every row is at least this far on its side of every boundary; negative: at most so far beyond."""
    if math.isnan(margin) or margin == math.inf:
        raise CertificateError("A margin must be a finite number, or minus infinity.")
    if margin == -math.inf:
        return
    for square, least_score in margins(X, codes, planes):
        far = least_score >= 0 and (least_score > 0 or margin <= 0)  # for a function without weights
        if least_score * abs(least_score) < Fraction(margin) * abs(Fraction(margin)) * square if square else not far:
            raise CertificateError("The margin must be that of the nearest row, and it is smaller.")


def margins(X: Any, codes: Array, planes: Sequence[Plane]) -> list[tuple[Fraction, Fraction]]:
    """For every pair of classes: ‖w‖^2 and the least score of a row of the one against the other."""
    found = []
    for code, _, rows in by_class(X, codes):
        against = rivals(planes, code)
        scores, errors, _ = approximate(rows, against)
        for plane, column, error in zip(against, scores.T, errors.tolist(), strict=True):
            with np.errstate(invalid="ignore"):
                candidates = np.flatnonzero(~(column - error > np.nanmin(column, initial=np.inf) + error))
            least = min(plane.score(rows, row) for row in candidates.tolist())
            found.append((plane.squared_length(with_offset=False), least))
    return found
