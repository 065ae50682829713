"""Goes through the recorded updates of a run once more, in exact arithmetic, beside what the theorem says of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.direction import upper_fraction
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.terms import Terms
from rosenblatt.engine.online.state import Array


@dataclass
class Replayed:
    both: bool | None
    not_mistakes: int
    progress: Array
    floor: Array
    lengths: Array
    ceiling: Array


def nothing(both: bool | None = False) -> Replayed:
    empty = np.empty(0)
    return Replayed(both, 0, empty, empty, empty, empty)


def replay(run: Any, rows: Array, direction: Any, square: Any, terms: Terms) -> Replayed:
    """Go through the updates with steps of 1, and compare both sides after each; eta only scales the curves."""
    progress, lengths = np.empty(len(rows)), np.empty(len(rows))
    total: Any = Fraction(0)
    length: Any = Fraction(0)
    both: bool | None = direction is not None
    not_mistakes = 0
    ceiling = square + 2 * terms.threshold
    for k, row in enumerate(rows.tolist()):
        margin = run.margin(row)
        not_mistakes += bool(margin > terms.threshold)
        length = length + 2 * margin + run.square(row)
        run.add(row)
        lengths[k] = float(length)
        both = _and(both, length <= (k + 1) * ceiling, length > (k + 1) * ceiling)
        if direction is not None:
            total = total + direction.scores[row]
            progress[k] = float(total)
            both = _and(both, total >= (k + 1) * direction.least, (k + 1) * direction.least > total)
    step = float(terms.step)
    counts = np.arange(1, len(rows) + 1)
    lengths, ceilings = lengths * step**2, counts * float(ceiling) * step**2
    if direction is None:
        return Replayed(False, not_mistakes, np.empty(0), np.empty(0), lengths, ceilings)
    unit = math.sqrt(float(upper_fraction(direction.squared_length)))
    return Replayed(both, not_mistakes, progress / unit * step, counts * direction.gamma * step, lengths, ceilings)


def _and(both: bool | None, certainly: Any, certainly_not: Any) -> bool | None:
    """False once something is certainly not so; None while a ball is too wide to tell."""
    if both is False or certainly_not:
        return False
    return both if certainly else None


class LinearRun:
    """The weights of a linear run as whole numbers over one denominator."""

    def __init__(self, problem: Problem, rows: Array) -> None:
        exact = exactly.Rows(problem.X)
        self.signs = problem.signs
        parts = {row: exact.integers(row) for row in np.unique(rows).tolist()}
        self.denominator = math.lcm(*(part[2] for part in parts.values()))
        whole: dict[int, tuple[list[int], list[int]]] = {}
        largest = self.denominator
        for row, (columns, integers, own) in parts.items():
            scaled = [value * (self.denominator // own) for value in integers]
            largest = max([largest, *map(abs, scaled)])
            constant = [self.denominator] if problem.intercept else []
            whole[row] = ([*columns, *[problem.d] * len(constant)], [*scaled, *constant])
        # Numbers of 64 bits where no sum can leave them, Python's own beyond.
        dtype: Any = np.int64 if largest**2 * (len(rows) + 1) * (problem.d + 1) < 2**62 else object
        self.rows = {
            row: (np.array(columns, dtype=np.int64), np.array(values, dtype=dtype))
            for row, (columns, values) in whole.items()
        }
        self.weights = np.zeros(problem.d + 1, dtype=dtype)

    def margin(self, row: int) -> Fraction:
        columns, values = self.rows[row]
        return Fraction(int(self.signs[row]) * int((self.weights[columns] * values).sum()), self.denominator**2)

    def square(self, row: int) -> Fraction:
        return Fraction(int((self.rows[row][1] * self.rows[row][1]).sum()), self.denominator**2)

    def add(self, row: int) -> None:
        columns, values = self.rows[row]
        self.weights[columns] += int(self.signs[row]) * values
