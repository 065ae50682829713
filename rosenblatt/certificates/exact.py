"""Wolfe's search for the nearest points, in whole and rational numbers: finite, and its answer is the answer.

The same method as in `nearest`, without rounding. It ends with a sum p that is 0 (the hulls meet, and the weights on
the affinely independent active rows are the only ones) or with a p whose scores no point undercuts (the hulls are apart
and p is the shortest sum).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array


class OutOfTimeError(Exception):
    """The deadline passed."""


@dataclass
class ExactNearest:
    """`rows` with their `weights`, and the shortest sum p = `direction` with the least score in each group."""

    rows: list[int]
    weights: list[Fraction]
    direction: list[Fraction]
    levels: list[Fraction]

    @property
    def meet(self) -> bool:
        return not any(self.direction)


def nearest_exactly(signed: list[list[int]], groups: Array, deadline: float = np.inf) -> ExactNearest:
    """The nearest points of the hulls of these rows, which are whole numbers and carry their signs."""
    import flint

    matrix = flint.fmpz_mat(signed)
    count = int(groups.max()) + 1
    active = [int(np.flatnonzero(groups == group)[0]) for group in range(count)]
    weights = [Fraction(1)] * count
    while True:
        if time.monotonic() > deadline:
            raise OutOfTimeError
        integers, denominator = _sum(signed, active, weights)
        scores = [int(value) for value in (matrix * flint.fmpz_mat([[value] for value in integers])).entries()]
        levels = [max(scores[row] for row in active if groups[row] == group) for group in range(count)]
        if any(integers):
            excess = [score - levels[group] for score, group in zip(scores, groups, strict=True)]
            entering = min(range(len(excess)), key=excess.__getitem__)
        if not any(integers) or excess[entering] >= 0:
            return ExactNearest(
                active,
                weights,
                [Fraction(value, denominator) for value in integers],
                [Fraction(level, denominator) for level in levels],
            )
        active, weights = _settle(signed, groups, count, [*active, entering], [*weights, Fraction(0)])


def _sum(signed: list[list[int]], active: list[int], weights: list[Fraction]) -> tuple[list[int], int]:
    import flint

    denominator = math.lcm(*(weight.denominator for weight in weights))
    tops = [[weight.numerator * (denominator // weight.denominator) for weight in weights]]
    total = flint.fmpz_mat(tops) * flint.fmpz_mat([signed[row] for row in active])
    return [int(value) for value in total.entries()], denominator


def _settle(
    signed: list[list[int]], groups: Array, count: int, active: list[int], weights: list[Fraction]
) -> tuple[list[int], list[Fraction]]:
    """Go to the shortest sum with positive weights; rows whose weight reaches 0 on the way leave."""
    while True:
        target = _affine(signed, groups, count, active)
        bad = [i for i, value in enumerate(target) if value <= 0]
        if not bad:
            return active, target
        step = min(weights[i] / (weights[i] - target[i]) for i in bad)
        moved = [old + step * (new - old) for old, new in zip(weights, target, strict=True)]
        active = [row for row, weight in zip(active, moved, strict=True) if weight > 0]
        weights = [weight for weight in moved if weight > 0]


def _affine(signed: list[list[int]], groups: Array, count: int, active: list[int]) -> list[Fraction]:
    """The weights, of any sign, of the shortest sum over the affine hulls of the active rows."""
    import flint

    rows = flint.fmpz_mat([signed[row] for row in active])
    gram: Any = (rows * rows.transpose()).tolist()
    members = [[int(groups[row] == group) for row in active] for group in range(count)]
    system = [[*line, *(member[i] for member in members)] for i, line in enumerate(gram)]
    system += [[*member, *[0] * count] for member in members]
    right = [[0]] * len(active) + [[1]] * count
    answer = flint.fmpz_mat(system).solve(flint.fmpz_mat(right))
    return [Fraction(int(answer[i, 0].p), int(answer[i, 0].q)) for i in range(len(active))]
