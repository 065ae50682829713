"""From which margin on a rule is silent: it is run on all larger margins at once.

A rule is a plain function of numbers. Here every number that it meets is a range of numbers: its arguments, what it
reads, and the constants in its own code. A comparison whose answer is not the same for every number in its range ends
the attempt. So does everything that compiled code may do otherwise than Python: whole numbers that are added up or
multiplied, which have 64 bits there, and powers, remainders and the like. Sums and products are allowed
for more rounding than any order of them can have. So a rule that comes out at (0, 1) does so in the compiled loop too,
whatever the margin is above the one it was asked about: it is a proof, for a user's own rule as for a built-in one.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import math
import threading
import types
from collections.abc import Callable
from typing import Any

from rosenblatt.engine.compile.jit import names_of, plain, reads

DOUBLINGS, HALVINGS = 40, 50  # steps in which the smallest such margin is looked for
MOST_STEPS = 1000  # of a rule, in one run of it: a loop may never end
BUILT_IN = {"abs", "max", "min"}  # what a rule may call besides functions of its own
# What makes a plain number of ranges, or changes something outside. From Python 3.14 on, small numbers may stand in the
# code itself: they are allowed where they say which of the parameters is meant.
REFUSED = {"UNARY_NOT", "UNARY_INVERT", "IS_OP", "CONTAINS_OP", "STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL"}
ROUNDING = 1e-12  # of the numbers that are added up or multiplied: thousands of roundings of float64
TINY, SMALLEST_DIVISOR = 1e-300, 1e-290  # what is smaller may come out as 0
EXACT = 2**53  # whole numbers up to here are floats


class _Run(threading.local):
    left = MOST_STEPS  # steps that the rule may still take


_run = _Run()


class UndecidedError(Exception):
    """Of the numbers in a range, some would answer one way and some the other; or nobody can tell."""


class Range:
    """All numbers from `low` to `high`, both included; `whole` ones may be integers of 64 bits in compiled code."""

    def __init__(self, low: float, high: float, whole: bool = False) -> None:
        _run.left -= 1
        if not low <= high or low == math.inf or high == -math.inf or _run.left < 0:  # a NaN too
            raise UndecidedError
        self.low, self.high, self.whole = low, high, whole

    @staticmethod
    def of(value: Any) -> Range:
        if isinstance(value, Range):
            return value
        if isinstance(value, float) or (isinstance(value, int) and abs(value) <= EXACT):
            return Range(float(value), float(value), isinstance(value, int))
        raise UndecidedError

    def _with(self, other: Any) -> Range:
        """The other one, if the two may be added up or multiplied."""
        right = Range.of(other)
        if self.whole and right.whole:
            raise UndecidedError
        return right

    def _corners(self, right: Range, operation: Callable[[float, float], float]) -> Range:
        found = [operation(a, b) for a in (self.low, self.high) for b in (right.low, right.high)]
        if any(map(math.isnan, found)):
            raise UndecidedError
        if 0.0 == self.low == self.high or 0.0 == right.low == right.high:  # not for lack of digits
            return Range(0.0, 0.0)
        low, high = min(found), max(found)
        return Range(low - ROUNDING * abs(low) - TINY, high + ROUNDING * abs(high) + TINY)

    def __add__(self, other: Any) -> Range:
        right = self._with(other)
        if math.isnan(self.low + right.high) or math.isnan(self.high + right.low):
            raise UndecidedError
        low = self.low + right.low - ROUNDING * (abs(self.low) + abs(right.low))
        return Range(low, self.high + right.high + ROUNDING * (abs(self.high) + abs(right.high)))

    def __sub__(self, other: Any) -> Range:
        return self + -Range.of(other)

    def __rsub__(self, other: Any) -> Range:
        return Range.of(other) - self

    def __mul__(self, other: Any) -> Range:
        right = self._with(other)
        for one, another in ((self, right), (right, self)):
            if one.low <= 0.0 <= one.high and math.inf in (-another.low, another.high):  # 0 times infinity
                raise UndecidedError
        return self._corners(right, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Range:
        divisor = Range.of(other)
        if divisor.low < SMALLEST_DIVISOR and divisor.high > -SMALLEST_DIVISOR:
            raise UndecidedError
        return self._corners(divisor, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Range:
        return Range.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.whole)

    def __abs__(self) -> Range:
        if self.low >= 0.0 or self.high <= 0.0:
            return self if self.low >= 0.0 else -self
        return Range(0.0, max(-self.low, self.high), self.whole)

    def __lt__(self, other: Any) -> Range:
        right = Range.of(other)
        if self.high < right.low or self.low >= right.high:
            return Range.of(self.high < right.low)
        raise UndecidedError

    def __gt__(self, other: Any) -> Range:
        return Range.of(other) < self

    def __le__(self, other: Any) -> Range:
        return Range.of(not Range.of(other) < self)

    def __ge__(self, other: Any) -> Range:
        return Range.of(not self < other)

    def __eq__(self, other: object) -> Range:  # type: ignore[override]
        right = Range.of(other)
        if self.high < right.low or right.high < self.low:
            return Range.of(False)
        if self.low == self.high == right.low == right.high:
            return Range.of(True)
        raise UndecidedError

    def __ne__(self, other: object) -> Range:  # type: ignore[override]
        return Range.of(not self == other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        if self.low < 0.0 < self.high or (0.0 in (self.low, self.high) and self.low < self.high):
            raise UndecidedError
        return self.low != 0.0

    def __index__(self) -> int:
        if self.whole and self.low == self.high:
            return int(self.low)
        raise UndecidedError


def on_ranges(function: Any, known: dict[int, Any] | None = None) -> Any:
    """The same function with ranges for all numbers in it, and for all that it reads; an error if it cannot be had."""
    function, known = plain(function), {} if known is None else known
    if not isinstance(function, types.FunctionType) or not _is_simple(function.__code__):
        raise UndecidedError
    if id(function) in known:
        return known[id(function)]
    scope: dict[str, Any] = {"__builtins__": {name: getattr(builtins, name) for name in BUILT_IN}}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    code = function.__code__.replace(co_consts=_constant(function.__code__.co_consts))
    copy = types.FunctionType(code, scope, function.__name__, _constant(function.__defaults__), cells)
    copy.__kwdefaults__ = {name: _constant(value) for name, value in (function.__kwdefaults__ or {}).items()}
    known[id(function)] = copy  # before its parts are: a function may call itself
    found = dict(reads(function))
    if not names_of(function) - found.keys() <= BUILT_IN:
        raise UndecidedError
    for name, value in found.items():
        own = Range.of(value) if isinstance(value, int | float) else on_ranges(value, known)
        if name in function.__code__.co_freevars:
            cells[function.__code__.co_freevars.index(name)].cell_contents = own
        else:
            scope[name] = own
    return copy


def _constant(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_constant, value))
    return value if value is None or isinstance(value, str) else Range.of(value)


def _is_simple(code: types.CodeType) -> bool:
    """Whether the code computes something from numbers, makes no plain numbers on its way, and catches no errors."""
    steps = list(dis.get_instructions(code))
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if step.opname in REFUSED:
            return False
        if step.opname == "LOAD_SMALL_INT" and not (following and following.argrepr.startswith("[")):
            return False
    is_plain = not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
    return is_plain and not code.co_exceptiontable


def silent_above(function: Any, params: tuple[float, ...], varied: int = -1) -> float:
    """The smallest margin of at least 0 above which a rule is shown to be silent; infinity if there is none.

    Parameter number `varied` may be any number above 0: a sample weight multiplies it.
    """
    _run.left = MOST_STEPS
    try:
        rule = on_ranges(function)
        values = tuple(Range(0.0, math.inf) if n == varied else Range.of(value) for n, value in enumerate(params))
    except Exception:  # a rule that reads something else than numbers
        return math.inf

    def is_silent(above: float) -> bool:
        """Whether the rule teaches nothing at every margin above this one, whatever row and example it is."""
        _run.left = MOST_STEPS
        try:
            margin = Range(math.nextafter(above, math.inf), math.inf)
            step, shrink = rule(margin, Range(0.0, math.inf), Range(1.0, math.inf, True), values)
            return bool(step == 0.0) and bool(shrink == 1.0)
        except Exception:  # undecided, or something that ranges cannot do
            return False

    if is_silent(0.0):
        return 0.0
    fails, holds = 0.0, 1.0
    for _ in range(DOUBLINGS):
        if is_silent(holds):
            break
        fails, holds = holds, 2.0 * holds
    else:
        return math.inf
    for _ in range(HALVINGS):
        middle = (fails + holds) / 2.0
        fails, holds = (fails, middle) if is_silent(middle) else (middle, holds)
    return holds
