"""sum_ij c_i c_j K(x_i, x_j) without rounding: a rational, or one above it for the hyperbolic tangent."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.kernels.functions import Array, Function, Kernel, Precomputed

PRECISION = 256  # bits of a ball, a number with a proven bound on its error


def as_floats(X: Any) -> Array:
    """The rows in float64, if that holds every number of them."""
    given = np.asarray(X)
    values = given.astype(np.float64)
    if given.dtype.kind in "iu" and given.dtype.itemsize == 8 and (np.abs(values) >= 2.0**53).any():
        raise ValueError(
            "X has whole numbers above 2^53, and a kernel rounds them to float64; subtract a constant or scale them."
        )
    return values


def quadratic_form(kernel: Kernel, X: Any, rows: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """The form for these rows of X, or a rational above it; of a function or a matrix, for the floats that it gives."""
    X = as_floats(X)
    chosen = X[list(rows)]
    if isinstance(kernel, Precomputed | Function):
        matrix = X[np.ix_(rows, rows)] if isinstance(kernel, Precomputed) else np.asarray(kernel(chosen))
        return sum(
            (
                weights[i] * weights[j] * Fraction(value)
                for i, line in enumerate(matrix.astype(np.float64).tolist())
                for j, value in enumerate(line)
            ),
            Fraction(0),
        )
    dots = _dots(chosen)
    if kernel.name == "sigmoid":
        return _tangents(kernel, dots, weights)
    return sum(
        (weights[i] * weights[j] * _polynomial(kernel, dot) * (1 if i == j else 2) for (i, j), dot in dots.items()),
        Fraction(0),
    )


def _dots(rows: Array) -> dict[tuple[int, int], Fraction]:
    """x_i·x_j for i <= j, as rationals."""
    parts = [[value.as_integer_ratio() for value in row] for row in rows.tolist()]
    powers = [max(bottom for _, bottom in row) for row in parts]
    whole = [[top * (power // bottom) for top, bottom in row] for row, power in zip(parts, powers, strict=True)]
    return {
        (i, j): Fraction(sum(a * b for a, b in zip(whole[i], whole[j], strict=True)), powers[i] * powers[j])
        for i in range(len(whole))
        for j in range(i, len(whole))
    }


def _polynomial(kernel: Any, dot: Fraction) -> Fraction:
    if kernel.name == "linear":
        return dot
    return Fraction((Fraction(kernel.gamma) * dot + Fraction(kernel.coef0)) ** int(kernel.degree))


def _tangents(kernel: Any, dots: dict[tuple[int, int], Fraction], weights: Sequence[Fraction]) -> Fraction:
    import flint

    with flint.ctx.workprec(PRECISION):
        total = flint.arb(0)
        for (i, j), dot in dots.items():
            inner = Fraction(kernel.gamma) * dot + Fraction(kernel.coef0)
            factor = weights[i] * weights[j] * (1 if i == j else 2)
            value = flint.arb(flint.fmpq(inner.numerator, inner.denominator)).tanh()
            total += flint.arb(flint.fmpq(factor.numerator, factor.denominator)) * value
        mantissa, exponent = total.upper().man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
