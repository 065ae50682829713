"""Kernel values without rounding: rationals where the kernel is a polynomial, balls where it has an exponential.

A ball is a number with a proven bound on its error (Arb, through python-flint). A comparison of balls is true only
when it is certain.
"""

from __future__ import annotations

import functools
import math
import time
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.direction import Direction, lower_fraction
from rosenblatt.certificates.nearest import NearestPoints
from rosenblatt.certificates.points import Points
from rosenblatt.certificates.problem import Problem
from rosenblatt.engine.online.state import Array

BITS = 256
PRECISIONS = (BITS, 2048, 16384)  # bits that are tried in turn, while a comparison is too close to tell
LINES = 16  # rows whose exact values are computed between two looks at the clock
ROWS = 6000  # rows whose Gram matrix is made to find the margin of a kernel


class Ball:
    """A real number known to within a proven error."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @staticmethod
    def of(value: Any) -> Any:
        import flint

        if isinstance(value, Ball):
            return value.value
        fraction = Fraction(value)
        return flint.arb(flint.fmpq(fraction.numerator, fraction.denominator))

    def __add__(self, other: Any) -> Ball:
        return Ball(self.value + Ball.of(other))

    def __mul__(self, other: Any) -> Ball:
        return Ball(self.value * Ball.of(other))

    __radd__, __rmul__ = __add__, __mul__

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= Ball.of(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= Ball.of(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > Ball.of(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < Ball.of(other))

    def __float__(self) -> float:
        return float(self.value)

    def lower_fraction(self) -> Fraction:
        return _dyadic(self.value.lower())

    def upper_fraction(self) -> Fraction:
        return _dyadic(self.value.upper())


def _dyadic(exact: Any) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class TimeIsUpError(Exception):
    """The time limit has passed before exact values were there."""


def _look_at_clock(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeIsUpError


class ExactKernel:
    """The values of one kernel between rows of one problem."""

    def __init__(self, kernel: Any, problem: Problem) -> None:
        self.kernel, self.problem = kernel, problem
        self.name = kernel.name
        known = ("linear", "polynomial", "rbf", "gaussian")
        if self.name not in known:
            raise ValueError(
                f"audit knows exact values of the kernels {', '.join(known)}, but this run used {self.name!r}; audit a "
                f"run with one of those."
            )
        self.rows = exactly.Rows(problem.X)

    @property
    def rational(self) -> bool:
        return self.name in ("linear", "polynomial")

    def matrix(
        self, left: list[int], right: list[int], bits: int = BITS, deadline: float = math.inf
    ) -> list[list[Any]]:
        """K(x_i, x_j), with the constant of an intercept."""
        table: list[list[Any]] = []
        for start in range(0, len(left), LINES):
            _look_at_clock(deadline)
            table += self._lines(left[start : start + LINES], right, bits)
        return table

    def _lines(self, left: list[int], right: list[int], bits: int) -> list[list[Any]]:
        import flint

        integers, denominator = self._integers([*left, *right])
        above, below = integers[: len(left)], integers[len(left) :]
        dots = (flint.fmpz_mat(above) * flint.fmpz_mat(below).transpose()).tolist()
        squares = [sum(value * value for value in row) for row in integers]
        scale = denominator**2
        constant = int(self.problem.intercept)
        if self.rational:
            return [[self._polynomial(Fraction(int(dot), scale)) + constant for dot in line] for line in dots]
        gamma = self._gamma()
        with precision(bits):
            return [
                [
                    Ball(self._exponential(gamma, squares[i] + squares[len(left) + j] - 2 * int(dot), scale)) + constant
                    for j, dot in enumerate(line)
                ]
                for i, line in enumerate(dots)
            ]

    def _integers(self, rows: list[int]) -> tuple[list[list[int]], int]:
        parts = [self.rows.integers(row) for row in rows]
        denominator = math.lcm(*(part[2] for part in parts))
        lines = []
        for columns, integers, own in parts:
            line = [0] * self.rows.d
            for column, value in zip(columns, integers, strict=True):
                line[column] = value * (denominator // own)
            lines.append(line)
        return lines, denominator

    def _polynomial(self, dot: Fraction) -> Fraction:
        if self.name == "linear":
            return dot
        kernel = self.kernel
        power: Fraction = (Fraction(kernel.gamma) * dot + Fraction(kernel.coef0)) ** int(kernel.degree)
        return power

    def _gamma(self) -> Fraction:
        if self.name == "rbf":
            return Fraction(float(self.kernel.gamma))
        return 1 / (2 * Fraction(float(self.kernel.sigma)) ** 2)

    @staticmethod
    def _exponential(gamma: Fraction, top: int, bottom: int) -> Any:
        import flint

        exponent = -gamma * Fraction(top, bottom)
        return flint.arb(flint.fmpq(exponent.numerator, exponent.denominator)).exp()


def precision(bits: int = BITS) -> Any:
    import flint

    return flint.ctx.workprec(bits)


class KernelRun:
    """The weights of a kernel run: how often each row was added, and the exact values between those rows."""

    def __init__(
        self, kernel: Any, problem: Problem, rows: Array, bits: int = BITS, deadline: float = math.inf
    ) -> None:
        self.bits, self.deadline = bits, deadline
        self.exact = ExactKernel(kernel, problem)
        self.signs = problem.signs
        self.problem = problem
        chosen = np.unique(rows).tolist()
        self.place = {row: i for i, row in enumerate(chosen)}
        self.chosen = chosen
        self.counts = [0] * len(chosen)

    @property
    def arithmetic(self) -> str:
        return "exact rationals" if self.exact.rational else f"balls of {BITS} bits"

    @functools.cached_property
    def values(self) -> list[list[Any]]:
        """The exact values between all rows that were added."""
        return self.exact.matrix(self.chosen, self.chosen, self.bits, self.deadline)

    def margin(self, row: int) -> Any:
        _look_at_clock(self.deadline)
        line = self.values[self.place[row]]
        total: Any = Fraction(0)
        with precision(self.bits):
            for count, value in zip(self.counts, line, strict=True):
                if count:
                    total = value * count + total
            return total * int(self.signs[row])

    def square(self, row: int) -> Any:
        return self.values[self.place[row]][self.place[row]]

    def add(self, row: int) -> None:
        self.counts[self.place[row]] += int(self.signs[row])

    def largest_square(self) -> Any:
        """The largest K(x, x): exactly for polynomials; an exponential kernel has 1 everywhere."""
        if not self.exact.rational:
            return Fraction(1 + int(self.problem.intercept))
        rows = exactly.Rows(self.problem.X)
        square = exactly.largest_square(rows, constant=False)
        kernel = self.exact.kernel
        if self.exact.name == "polynomial" and (kernel.gamma < 0 or kernel.coef0 < 0):
            values = (self.exact.matrix([row], [row])[0][0] for row in range(self.problem.n))
            return max(values)
        return self.exact._polynomial(square) + int(self.problem.intercept)


def kernel_margin(kernel: Any, problem: Problem, tolerance: float, deadline: float) -> Direction | None:
    """A vector of the feature space with every row on its side, its exact scores, or None."""
    exact = ExactKernel(kernel, problem)
    if problem.n > ROWS:
        raise ValueError(
            f"audit of a kernel run makes the matrix of all kernel values, for at most {ROWS:,} rows, but X has "
            f"{problem.n:,}; audit a run on fewer rows."
        )
    _look_at_clock(deadline)
    dense = problem.X.toarray() if problem.sparse else problem.X
    gram = np.asarray(kernel(dense.astype(np.float64), dense.astype(np.float64)), dtype=np.float64)
    gram = gram + int(problem.intercept)
    values, vectors = np.linalg.eigh((gram + gram.T) / 2)
    features = vectors * np.sqrt(np.maximum(values, 0))
    points = Points(
        features, problem.signs.astype(float), None, np.ones(problem.n), 0.0, np.zeros(problem.n, dtype=int)
    )
    found = NearestPoints(points).run(tolerance, min(deadline, time.monotonic() + 60))
    if found.lower <= 0:
        return None
    weights = [Fraction(round(weight * 2**40), 2**40) for weight in found.weights.tolist()]
    chosen = found.rows.tolist()
    signed = [weight * int(problem.signs[row]) for row, weight in zip(chosen, weights, strict=True)]
    table = exact.matrix(list(range(problem.n)), chosen, deadline=deadline)
    scores: dict[int, Any] = {}
    with precision():
        for row, line in enumerate(table):
            _look_at_clock(deadline)
            total: Any = Fraction(0)
            for weight, value in zip(signed, line, strict=True):
                total = value * weight + total
            scores[row] = total * int(problem.signs[row])
        squared: Any = Fraction(0)
        for row, weight in zip(chosen, weights, strict=True):
            squared = scores[row] * weight + squared
    least = min(lower_fraction(score) for score in scores.values())
    return Direction(scores, least, squared) if least > 0 else None
