"""From which margin on a rule is silent: it is run on all larger margins at once.

A rule is a plain function of numbers. Here it gets ranges of numbers instead, with the same arithmetic and the same
comparisons. A comparison whose answer is not the same for every number in its range ends the attempt. So a rule that
comes out at (0, 1) does so whatever the margin is above the one it was asked about: it is a proof, for a user's own
rule as for a built-in one.
"""

from __future__ import annotations

import math
import types
from typing import Any

from rosenblatt.engine.compiled import names_of, plain, reads

DOUBLINGS, HALVINGS = 40, 50  # steps in which the smallest such margin is looked for
BUILT_IN = {"abs", "max", "min"}  # what a rule may call besides functions of its own


class UndecidedError(Exception):
    """Of the numbers in a range, some would answer one way and some the other."""


class Range:
    """All floats from `low` to `high`, both included. Rounding keeps order: the ends tell the range of a result."""

    def __init__(self, low: float, high: float) -> None:
        if not low <= high:  # a NaN too
            raise UndecidedError
        self.low, self.high = low, high

    @staticmethod
    def of(value: Any) -> Range:
        if isinstance(value, Range):
            return value
        if isinstance(value, int | float):
            return Range(float(value), float(value))
        raise UndecidedError

    def _ends(self, other: Any, operation: Any) -> Range:
        right = Range.of(other)
        found = [operation(a, b) for a in (self.low, self.high) for b in (right.low, right.high)]
        if any(map(math.isnan, found)):
            raise UndecidedError
        return Range(min(found), max(found))

    def __add__(self, other: Any) -> Range:
        return self._ends(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Range:
        return self._ends(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Range:
        return Range.of(other) - self

    def __mul__(self, other: Any) -> Range:
        return self._ends(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Range:
        divisor = Range.of(other)
        if divisor.low <= 0.0 <= divisor.high:
            raise UndecidedError
        return self._ends(divisor, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Range:
        return Range.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low)

    def __abs__(self) -> Range:
        return self if self.low >= 0.0 else -self if self.high <= 0.0 else Range(0.0, max(-self.low, self.high))

    def __lt__(self, other: Any) -> bool:
        right = Range.of(other)
        if self.high < right.low or self.low >= right.high:
            return self.high < right.low
        raise UndecidedError

    def __gt__(self, other: Any) -> bool:
        return Range.of(other) < self

    def __le__(self, other: Any) -> bool:
        return not Range.of(other) < self

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        right = Range.of(other)
        if self.high < right.low or right.high < self.low:
            return False
        if self.low == self.high == right.low == right.high:
            return True
        raise UndecidedError

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self != 0.0


def is_plain(function: Any, known: set[int] | None = None) -> bool:
    """Whether what a function does follows from its arguments: it reads numbers and calls functions of this kind."""
    function, known = plain(function), set() if known is None else known
    if not isinstance(function, types.FunctionType):
        return False
    if id(function) in known:
        return True
    known.add(id(function))
    found = dict(reads(function))
    return names_of(function) - found.keys() <= BUILT_IN and all(
        isinstance(value, int | float) or is_plain(value, known) for value in found.values()
    )


def is_silent(function: Any, above: float, params: tuple[Any, ...]) -> bool:
    """Whether the rule shows that it teaches nothing at every margin above this one, whatever row and example it is."""
    margin = Range(math.nextafter(above, math.inf), math.inf)
    try:
        step, shrink = plain(function)(margin, Range(0.0, math.inf), Range(1.0, math.inf), params)
        return bool(step == 0.0) and bool(shrink == 1.0)
    except Exception:  # undecided, or something that ranges cannot do
        return False


def silent_above(function: Any, params: tuple[float, ...], varied: int = -1) -> float:
    """The smallest margin of at least 0 above which a rule is shown to be silent; infinity if there is none.

    Parameter number `varied` may be any number above 0: a sample weight multiplies it.
    """
    if not is_plain(function):
        return math.inf
    values = tuple(Range(0.0, math.inf) if n == varied else value for n, value in enumerate(params))
    if is_silent(function, 0.0, values):
        return 0.0
    fails, holds = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if is_silent(function, holds, values):
            break
        fails, holds = holds, 2.0 * holds
    else:
        return math.inf
    for _ in range(HALVINGS):
        middle = (fails + holds) / 2.0
        fails, holds = (fails, middle) if is_silent(function, middle, values) else (middle, holds)
    return holds
