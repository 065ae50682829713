"""The coordinates in which the prover works, and the way back to those of the data.

Separability does not change when columns are scaled, nor (with an intercept) when they are shifted, so that the search
for a verdict may choose both for its own accuracy. The margin may only be shifted and scaled as a whole; the theorem's
gamma' only scaled as a whole, its constant 1 included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.points import Points
from rosenblatt.certificates.problem import Problem
from rosenblatt.engine.online.state import Array


@dataclass
class View:
    """The points that a search sees; column j is the data's divided by 2^exponents[j]."""

    points: Points
    exponents: Array
    hulls: int

    def normal(self, direction: Array) -> tuple[exactly.Number, ...]:
        """The direction in the data's own coordinates, up to a positive factor."""
        exponents = self.exponents - self.exponents.min()
        scaled = np.ldexp(direction / np.abs(direction).max(initial=1e-300), -exponents)
        if np.array_equal(scaled == 0, direction == 0):
            return tuple(scaled.tolist())
        pairs = zip(direction.tolist(), exponents.tolist(), strict=True)
        return tuple(Fraction(value) / 2**exponent for value, exponent in pairs)

    def short_normal(self, direction: Array, margin: float, share: float) -> tuple[exactly.Number, ...]:
        """The direction in whole numbers, as few digits as cost no more than this share of the margin.

        Short numbers make certificates small and exact sums quick. `margin` is that of the direction, in this view.
        """
        if np.ptp(self.exponents):
            return self.normal(direction)
        largest = np.abs(direction).max()
        coarsest = share * margin * float(np.linalg.norm(direction)) / (self.points.radius * math.sqrt(len(direction)))
        bits = math.ceil(math.log2(largest / coarsest)) if coarsest > 0 else 99
        if bits > 50:
            return self.normal(direction)
        return tuple(np.rint(np.ldexp(direction / largest, bits)).tolist())

    def in_own_units(self, lower: float, upper: float) -> tuple[float, float]:
        """Bounds on the margin in the data's units; 0 and infinity if the columns were scaled one by one."""
        if np.ptp(self.exponents):
            return 0.0, math.inf
        exponent = int(self.exponents[0])
        return math.ldexp(lower, exponent), math.ldexp(upper, exponent)


@dataclass
class Frame:
    """One view for each question; `verdict` and `margin` are the same one where columns have the same size."""

    problem: Problem
    verdict: View
    margin: View

    def views(self) -> list[View]:
        """Where to look for the verdict, in turn."""
        return [self.verdict] if self.verdict is self.margin else [self.verdict, self.margin]

    @property
    def theorem(self) -> View:
        exponent = int(self.margin.exponents.max(initial=0))
        constant = math.ldexp(1.0, -exponent) if self.problem.intercept else 0.0
        X, exponents = divided(self.problem.X, np.full(self.problem.d, exponent))
        groups = np.zeros(self.problem.n, dtype=int)
        points = Points(X, self.problem.signs.astype(float), None, _scale(exponents), constant, groups)
        return View(points, np.full(self.problem.d + bool(constant), exponent), 1)


def frame(problem: Problem) -> Frame:
    X = _centred_integers(problem)
    sizes = exactly.Rows(X).largest
    exponents = np.frexp(sizes)[1]
    exponents[sizes == 0] = exponents[sizes > 0].max(initial=0)
    whole = np.full(problem.d, int(exponents.max(initial=0)))
    margin = _view(problem, X, whole)
    verdict = margin if np.ptp(exponents) == 0 else _view(problem, X, exponents)
    return Frame(problem, verdict, margin)


def _view(problem: Problem, X: Any, exponents: Array) -> View:
    signs = problem.signs.astype(float)
    groups = (signs > 0).astype(int) if problem.intercept else np.zeros(problem.n, dtype=int)
    within, left = divided(X, exponents)
    shift = _means(within) if problem.intercept and not problem.sparse else None
    return View(Points(within, signs, shift, _scale(left), 0.0, groups), exponents, 2 if problem.intercept else 1)


def _scale(exponents: Array) -> Array:
    return np.ldexp(1.0, -exponents)


def divided(X: Any, exponents: Array) -> tuple[Any, Array]:
    """The data itself and the exponents, or where these are extreme the data divided by them and zeros."""
    if np.abs(exponents).max(initial=0) <= 300:
        return X, exponents
    if scipy.sparse.issparse(X):
        divided = X.astype(np.float64)
        divided.data = np.ldexp(divided.data, -exponents[divided.indices])
        return divided, np.zeros_like(exponents)
    return np.ldexp(X.astype(np.float64), -exponents), np.zeros_like(exponents)


def _means(X: Array) -> Array:
    return np.asarray(X.mean(axis=0, dtype=np.float64))


def _centred_integers(problem: Problem) -> Any:
    """Whole numbers beyond 2^53, which float64 would blur, less their middle; other data as it is."""
    X = problem.X
    values = X.data if problem.sparse else X
    if problem.sparse or values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not problem.intercept:
        return X
    low, high = X.min(axis=0), X.max(axis=0)
    if max(abs(int(low.min())), abs(int(high.max()))) <= 2**53:
        return X
    unsigned = X.view(np.uint64) - low.view(np.uint64)  # differences of 64-bit numbers fit 64 bits without a sign
    return unsigned.astype(np.float64)


def whole_numbers(problem: Problem) -> tuple[list[list[int]], int]:
    """All rows, signed, as whole numbers over one denominator."""
    rows = exactly.Rows(problem.X)
    parts = [rows.integers(row) for row in range(rows.n)]
    denominator = math.lcm(*(part[2] for part in parts))
    signed = []
    for sign, (columns, integers, own) in zip(problem.signs.tolist(), parts, strict=True):
        line = [0] * rows.d
        factor = sign * (denominator // own)
        for column, value in zip(columns, integers, strict=True):
            line[column] = value * factor
        signed.append(line)
    return signed, denominator
