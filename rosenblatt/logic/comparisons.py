"""What rules are made of: comparisons of a column with a number, Boolean columns, and the rules themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic.expression import Operation
from rosenblatt.logic.unit import ThresholdUnit


@dataclass(frozen=True)
class Comparison:
    """The unit of the first layer that fires when a column is at least (or, with `most`, at most) a number.

    >>> Comparison("income", 30000, most=True).unit
    ThresholdUnit: -income >= -30000
    """

    column: str
    level: Any
    most: bool

    @property
    def name(self) -> str:
        return f"{self.column} {'<=' if self.most else '>='} {self.level}"

    @property
    def unit(self) -> ThresholdUnit:
        sign = -1 if self.most else 1
        return ThresholdUnit([sign], -sign * Fraction(self.level), (self.column,))

    def fires(self, values: Array) -> Array:
        """Exactly, whatever the dtype: the number is moved to the nearest one that the dtype has, on the right side."""
        level = self._level(values.dtype)
        if level is None:
            return np.full(len(values), self._beyond(values.dtype))
        return np.asarray(values <= level if self.most else values >= level)

    def _level(self, dtype: Any) -> Any:
        if dtype.kind == "f":
            try:
                near = float(self.level)
            except OverflowError:  # beyond the largest float64
                near = math.inf if self.level > 0 else -math.inf
            if near != self.level:  # an int that float64 does not have
                if near > self.level and self.most:
                    near = math.nextafter(near, -math.inf)
                elif near < self.level and not self.most:
                    near = math.nextafter(near, math.inf)
            return np.float64(near)  # a scalar of float64 makes numpy compare float32 rows in float64
        whole = math.floor(self.level) if self.most else math.ceil(self.level)
        if dtype.kind == "b":
            return None if not 0 <= whole <= 1 else bool(whole)
        information = np.iinfo(dtype)
        return dtype.type(whole) if information.min <= whole <= information.max else None

    def _beyond(self, dtype: Any) -> bool:
        """The answer when no number of this dtype reaches the level: it is above or below all of them."""
        return (self.level > 0) == self.most


@dataclass(frozen=True)
class Flag:
    """A Boolean column, read as it is."""

    column: str

    @property
    def name(self) -> str:
        return self.column


@dataclass(frozen=True)
class Rule:
    """One rule: its condition as a tree, what it decides, and how it was written."""

    condition: Any
    decision: str
    text: str


def atom_fires(atom: Comparison | Flag, values: Array) -> Array:
    return values if isinstance(atom, Flag) else atom.fires(values)


def atoms_of(tree: Any) -> list[Any]:
    """The comparisons and Boolean columns of a condition."""
    if isinstance(tree, Comparison | Flag):
        return [tree]
    return [atom for part in tree.operands for atom in atoms_of(part)] if isinstance(tree, Operation) else []
