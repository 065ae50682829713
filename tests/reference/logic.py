"""Threshold logic in a few lines of plain Python, to compare with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any


def fires(weights: Sequence[Any], bias: Any, row: Sequence[int]) -> int:
    return int(sum(Fraction(w) * x for w, x in zip(weights, row, strict=True)) + Fraction(bias) >= 0)


def rows(n: int) -> Iterator[tuple[int, ...]]:
    return itertools.product((0, 1), repeat=n)


def table(n: int, function: Callable[..., Any]) -> list[bool]:
    return [bool(function(*row)) for row in rows(n)]


def smallest_sum(answers: Sequence[bool], n: int, most: int) -> int | None:
    """The smallest sum of |w| of whole weights that compute the table, by trying all of them up to `most`."""
    for total in range(most + 1):
        for weights in itertools.product(range(-total, total + 1), repeat=n):
            if sum(map(abs, weights)) == total:
                sums = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows(n)]
                true = [s for s, answer in zip(sums, answers, strict=True) if answer]
                false = [s for s, answer in zip(sums, answers, strict=True) if not answer]
                if not true or not false or min(true) > max(false):
                    return total
    return None


def monotone_tables(n: int) -> list[int]:
    """All rising functions of n inputs, as the bits of whole numbers."""
    if n == 0:
        return [0, 1]
    half, width = monotone_tables(n - 1), 1 << (n - 1)
    return [low | high << width for low in half for high in half if low & ~high == 0]


def credit(other: float, cycles: float, income: float, years: float) -> str:
    """The credit rules of lecture P, with brackets."""
    if other > 2 and cycles > 1:
        return "deny"
    if other == 0 and (income > 30000 or years > 3):
        return "accept"
    return "refer"
