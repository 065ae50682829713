"""Checks an interval for the least objective of a linear model by weak duality; see `objective` for the formulas.

The hinge loss is computed in rationals, the logistic loss in balls: numbers with a proven bound on their error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates.verify import squared_distance
from rosenblatt.certificates.verify_numbers import Array, CertificateError, Number, Plane, Rows, approximate

PRECISION = 160  # bits of a ball


def bounds(
    rows: Rows,
    signs: Array,
    plane: Plane,
    *,
    loss: str,
    lam: Number,
    intercept: str,
    shares: Sequence[int],
    bits: int,
) -> tuple[float, float]:
    """The dual objective, rounded down, and the primal objective, rounded up."""
    weight = Fraction(lam)
    square = plane.squared_length(with_offset=intercept == "regularized")
    chosen = [row for row, share in enumerate(shares) if share]
    kept = [shares[row] for row in chosen]
    penalty = squared_distance(rows, signs, chosen, kept, constant=intercept == "regularized")
    below = -penalty / (4 * weight * rows.n**2 * 4**bits)
    margins = margins_below(rows, signs, plane)
    if loss == "hinge":
        short = sum((max(Fraction(0), 1 - margin) for margin in margins), Fraction(0))
        return (
            down(below + Fraction(sum(shares), rows.n << bits)),
            up(weight * square + short / rows.n),
        )
    low, high = _logistic(margins, shares, bits)
    return down(below + low / rows.n), up(weight * square + high / rows.n)


def margins_below(rows: Rows, signs: Array, plane: Plane) -> list[Fraction]:
    """y_i (w·x_i + b) of every row, less at most its error in float64: a loss is the larger for it."""
    columns, errors, tops = approximate(rows, [plane])
    scores, error = columns[:, 0] * signs, float(errors[0])
    if not (np.isfinite(scores).all() and math.isfinite(error)):
        return [plane.score(rows, row) * int(signs[row]) for row in range(rows.n)]
    unit = Fraction(2) ** tops[0] / plane.denominator
    return [(Fraction(score) - Fraction(error)) * unit for score in scores.tolist()]


def _logistic(margins: Sequence[Fraction], shares: Sequence[int], bits: int) -> tuple[Fraction, Fraction]:
    """sum_i g(a_i) from below and sum_i log(1 + exp(-m_i)) from above."""
    import flint

    with flint.ctx.workprec(PRECISION):
        entropy, loss = flint.arb(0), flint.arb(0)
        one = flint.arb(1)
        for share in shares:
            if 0 < share < 1 << bits:
                a = flint.arb(flint.fmpq(share, 1 << bits))
                entropy -= a * a.log() + (one - a) * (one - a).log()
        for margin in margins:
            m = flint.arb(flint.fmpq(margin.numerator, margin.denominator))
            # log(1 + exp(-m)) = max(0, -m) + log(1 + exp(-|m|))
            loss += (-abs(m)).exp().log1p() + (flint.arb(0) if margin >= 0 else -m)
        return _dyadic(entropy.lower()), _dyadic(loss.upper())


def _dyadic(exact: Any) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def down(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def check_objective(
    rows: Rows,
    signs: Array,
    plane: Plane,
    *,
    loss: str,
    lam: Number,
    intercept: str,
    shares: Sequence[int],
    bits: int,
    lower: float,
    upper: float,
) -> None:
    """Refuse unless the least objective is at least `lower`, and that of the model at most `upper`."""
    if loss not in ("hinge", "logistic") or intercept not in ("none", "free", "regularized") or not lam > 0:
        raise CertificateError("The objective is that of a hinge or logistic loss with lam above 0.")
    if bits != 60 or len(shares) != rows.n or not all(0 <= share <= 1 << bits for share in shares):
        raise CertificateError(f"A dual point has {rows.n} shares between 0 and 1, one for each row.")
    if intercept == "none" and plane.offset:
        raise CertificateError("A model without an intercept has none.")
    if intercept == "free" and sum(share * sign for share, sign in zip(shares, signs.tolist(), strict=True)):
        raise CertificateError("With a free intercept the dual point must have the same sum in both classes.")
    if len(plane.normal) != rows.d or not np.isin(signs, (-1, 1)).all():
        raise CertificateError(f"A score function needs {rows.d} weights, and every row a class.")
    low, high = bounds(rows, signs, plane, loss=loss, lam=lam, intercept=intercept, shares=shares, bits=bits)
    if not (lower <= low and upper >= high and math.isfinite(lower) and math.isfinite(upper)):
        raise CertificateError("The interval for the objective must contain that of its proof, and it does not.")
