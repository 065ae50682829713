"""The vector that the theorem measures a run against, with its exact scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rosenblatt.certificates.roots import root_down


@dataclass
class Direction:
    """The vector v: the exact score of every row that was updated, the least over all rows, and v's squared length."""

    scores: dict[int, Any]
    least: Any
    squared_length: Any

    @property
    def gamma(self) -> float:
        return root_down(lower_fraction(self.least) ** 2 / upper_fraction(self.squared_length))

    def bound(self, square: Any, threshold: Fraction) -> int:
        gamma_square = lower_fraction(self.least) ** 2 / upper_fraction(self.squared_length)
        return math.floor((upper_fraction(square) + 2 * threshold) / gamma_square)


def lower_fraction(value: Any) -> Fraction:
    return Fraction(value) if isinstance(value, int | Fraction) else value.lower_fraction()


def upper_fraction(value: Any) -> Fraction:
    return Fraction(value) if isinstance(value, int | Fraction) else value.upper_fraction()
