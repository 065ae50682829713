"""Is a Boolean function one threshold unit? The unit with the smallest whole weights, or the proof that there is none.

A function is one unit if a hyperplane separates the assignments where it is true from those where it is false. Then it
is *unate*: in each input it only rises or only falls. So inputs in which it falls are negated (and those that make no
difference left out), and what remains is to find, with w >= 0 and whole,

    the smallest sum of w   so that   w·p - w·q >= 1   for the lowest true p and the highest false q

A linear program (HiGHS) proposes; whole numbers dispose: a unit is checked on every row, a "no" is a common point of
both convex hulls in exact rationals, and "smallest" is proven by branching, each branch cut off by an exact rational
combination of its constraints.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import scipy  # scipy.optimize is imported when it is used

from rosenblatt.arguments import yes_or_no
from rosenblatt.certificates.certificate import About, Verification
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.reading import check_time_limit
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.certificates.separability import separability
from rosenblatt.engine.online.state import Array
from rosenblatt.logic.function import BooleanFunction, assignments
from rosenblatt.logic.unit import ThresholdUnit

EXACT_INPUTS = 8  # up to here a call without a time limit has none
USUAL_LIMIT = 10.0  # seconds for more inputs, if no limit is given


def as_threshold_unit(function: Any, inputs: Any = None, *, time_limit: float | None = None) -> Any:
    """Find the one unit that computes a Boolean function, or prove that none does.

    Parameters
    ----------
    function : a truth table, a predicate, an expression such as ``"(a & b) | ~c"``, a unit or a network
    inputs : names of the inputs, in order
    time_limit : seconds; None is no limit for up to 8 inputs, and 10 seconds for more

    Returns
    -------
    `ThresholdUnit`, with `proven_minimal` telling whether the sum of the sizes of its weights is proven to be the
    smallest; or `NotOneUnit`, a certificate (`NotSeparable`) that counts as False; or, when time was too short,
    `Undecided`.

    Raises
    ------
    ExpressionError
        If an expression cannot be read; the message points at the place.
    TypeError
        If `function` is none of these.

    Examples
    --------
    >>> from rosenblatt import as_threshold_unit
    >>> as_threshold_unit("(a & b) | ~c")
    ThresholdUnit: a + b - 2 c >= -0.5   (smallest whole weights, proven)
    >>> as_threshold_unit("a ^ b")
    NotOneUnit: no single unit computes this function of a, b
      true at        1/2 (0, 1) + 1/2 (1, 0)
      false at       1/2 (0, 0) + 1/2 (1, 1)
      both are       (1/2, 1/2), and a plane cannot have one point on both sides
    """
    check_time_limit(time_limit)
    f = BooleanFunction(function, inputs)
    if time_limit is None:
        time_limit = math.inf if f.n <= EXACT_INPUTS else USUAL_LIMIT
    deadline = time.monotonic() + time_limit
    folds = _fold_back(f)
    if folds is not None:
        return NotOneUnit.of(f, folds, (Fraction(1, 2),) * 4)
    return _decide(_Question(f), deadline)


def chow_parameters(function: Any, inputs: Any = None) -> tuple[tuple[int, ...], int]:
    """Count the true assignments in which each input is on, and the true assignments.

    No two functions of which one is a single unit have the same numbers (Chow 1961).

    >>> chow_parameters("a & (b | c)")
    ((3, 2, 2), 3)
    """
    f = BooleanFunction(function, inputs)
    true = assignments(f.n)[f.table]
    return tuple(true.sum(axis=0, dtype=np.int64).tolist()), len(true)


@dataclass(frozen=True, repr=False)
class NotOneUnit(NotSeparable):
    """Proof that no single unit computes a function: a point that lies in the hulls of true and of false assignments.

    It counts as False. `rows` are rows of the truth table and `weights` their rational weights, as in `NotSeparable`.

    >>> from rosenblatt import as_threshold_unit
    >>> never = as_threshold_unit("a ^ b")
    >>> bool(never), [str(weight) for weight in never.weights]
    (False, ['1/2', '1/2', '1/2', '1/2'])
    """

    function: BooleanFunction = field(kw_only=True, compare=False)

    @staticmethod
    def of(f: BooleanFunction, rows: tuple[int, ...], weights: tuple[Fraction, ...]) -> NotOneUnit:
        order = sorted(range(len(rows)), key=rows.__getitem__)
        problem = Problem(assignments(f.n), np.where(f.table, 1, -1).astype(np.int8), (False, True), True)
        about = About.of(problem)
        return NotOneUnit(tuple(rows[i] for i in order), tuple(weights[i] for i in order), about, function=f)

    def verify(self, X: Any = None, y: Any = None) -> Verification:
        """Check the proof in exact arithmetic on the truth table (or on the rows and answers that are passed)."""
        if X is None:
            return super().verify(assignments(self.function.n), self.function.table)
        return super().verify(X, y)

    def side(self, answer: bool) -> list[tuple[tuple[int, ...], Fraction]]:
        """The assignments on the true or on the false side, with their weights."""
        yes_or_no(answer=answer)
        table = assignments(self.function.n)
        pairs = zip(self.rows, self.weights, strict=True)
        return [(tuple(table[r].tolist()), w) for r, w in pairs if self.function.table[r] == answer]

    def __str__(self) -> str:
        sums = [" + ".join(f"{w} {_row(row)}" for row, w in self.side(answer)) for answer in (True, False)]
        return (
            f"NotOneUnit: no single unit computes this function of {', '.join(self.function.inputs)}\n"
            f"  true at        {sums[0]}\n"
            f"  false at       {sums[1]}\n"
            f"  both are       {_row(self.exact_point)}, and a plane cannot have one point on both sides"
        )

    __repr__ = __str__


def _row(values: Any) -> str:
    return f"({', '.join(map(str, values))})"


def _fold_back(f: BooleanFunction) -> tuple[int, ...] | None:
    """Four rows that show an input in which the function rises at one place and falls at another, if there is one.

    Where it rises, (u, 0) is false and (u, 1) true; where it falls, (v, 0) is true and (v, 1) false: the middle of
    both true rows is the middle of both false ones.
    """
    for axis in range(f.n):
        low, high = (half.ravel() for half in np.moveaxis(f.cube, axis, 0))
        rises, falls = high & ~low, low & ~high
        if rises.any() and falls.any():
            digit = 1 << (f.n - 1 - axis)
            u, v = (_insert(int(np.argmax(where)), digit) for where in (rises, falls))
            return u, u + digit, v, v + digit
    return None


def _insert(row: int, digit: int) -> int:
    """The row of the whole table, with 0 at `digit`, that a row of the table without this digit stands for."""
    return (row // digit) * 2 * digit + row % digit


# ------------------------------------------------------------------------------------------------ unate functions


class _Question:
    """A unate function turned so that it rises in every input, without those that make no difference."""

    def __init__(self, f: BooleanFunction) -> None:
        self.f = f
        self.kept = np.flatnonzero(f.depends_on())
        halves = [np.moveaxis(f.cube, axis, 0) for axis in self.kept]
        self.falls = np.array([bool((half[0] & ~half[1]).any()) for half in halves], dtype=bool)
        index: list[Any] = [0] * f.n
        for axis, falls in zip(self.kept.tolist(), self.falls.tolist(), strict=True):
            index[axis] = slice(None, None, -1) if falls else slice(None)
        self.cube = f.cube[tuple(index)]
        self.n = len(self.kept)
        self.rows = assignments(self.n)
        table = self.cube.reshape(-1)
        lowest, highest = table.copy(), ~table
        for axis in range(self.n):
            digit = 1 << (self.n - 1 - axis)
            down = np.arange(len(table)) & ~digit
            on = (np.arange(len(table)) & digit) != 0
            lowest &= ~(on & table[down])
            highest &= on | table[np.arange(len(table)) | digit]
        self.lowest, self.highest = np.flatnonzero(lowest), np.flatnonzero(highest)

    def check(self, weights: list[int]) -> int | None:
        """The difference is 1 or more: the smallest true sum minus the largest false one; None if it is not."""
        true, false = (self._sums(weights, rows) for rows in (self.lowest, self.highest))
        gap = min(true) - max(false)
        return gap if gap >= 1 else None

    def _sums(self, weights: list[int], rows: Array) -> list[int]:
        return [sum(w for w, bit in zip(weights, row, strict=True) if bit) for row in self.rows[rows].tolist()]

    def unit(self, weights: list[int]) -> ThresholdUnit:
        """The unit for the function itself, its plane in the middle between true and false sums."""
        true, false = (self._sums(weights, rows) for rows in (self.lowest, self.highest))
        level = Fraction(min(true) + max(false), 2)
        whole = [0] * self.f.n
        for axis, falls, weight in zip(self.kept.tolist(), self.falls.tolist(), weights, strict=True):
            whole[axis] = -weight if falls else weight
            level -= weight if falls else 0
        return ThresholdUnit(whole, -level, self.f.inputs)

    def witness(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        """Rows of the function's own table for rows of the turned one."""
        own = np.zeros((len(rows), self.f.n), dtype=np.int64)
        own[:, self.kept] = self.rows[list(rows)] ^ self.falls
        return tuple((own @ (1 << np.arange(self.f.n - 1, -1, -1))).tolist())


def _decide(question: _Question, deadline: float) -> Any:
    f = question.f
    if question.n == 0:
        unit = ThresholdUnit([0] * f.n, Fraction(1, 2) if f.table[0] else Fraction(-1, 2), f.inputs)
        unit.proven_minimal = True
        return unit
    weights = _Smallest(question, deadline).look()
    if weights is None:
        weights = _arbitrate(question, deadline)
        if not isinstance(weights, list):
            return weights
    proven = _Smallest(question, deadline).prove(weights)
    unit = question.unit(weights)
    if not np.array_equal(unit.table, f.table):
        raise RuntimeError(f"The unit {unit} does not compute {f!r}; please report this.")
    unit.proven_minimal = proven
    return unit


def _arbitrate(question: _Question, deadline: float) -> Any:
    """Exact arithmetic's word on whether there is a plane: whole weights, a certificate, or `Undecided`."""
    left = deadline - time.monotonic()
    if left <= 0:
        return Undecided("time limit", math.inf, _about(question.f))
    # All rows: the lowest and highest alone would need w >= 0 beside them.
    found = separability(
        question.rows, question.cube.reshape(-1), time_limit=None if math.isinf(left) else left, tolerance=1.0
    )
    if isinstance(found, NotSeparable):
        return NotOneUnit.of(question.f, question.witness(found.rows), found.weights)
    if isinstance(found, Separable):
        return _whole(found, question)
    return Undecided(found.reason, math.inf, _about(question.f))


def _about(f: BooleanFunction) -> About:
    return About.of(Problem(assignments(f.n), np.where(f.table, 1, -1).astype(np.int8), (False, True), True))


def _whole(found: Separable, question: _Question) -> list[int]:
    """Whole weights from a proven plane, as small as rounding makes them."""
    exact = [Fraction(value) for value in found.plane[0]]
    for size in range(1, 64):
        scale = Fraction(1 << size) / max(abs(value) for value in exact)
        weights = [round(value * scale) for value in exact]
        if min(weights) >= 0 and question.check(weights) is not None:
            return weights
    denominator = math.lcm(*(value.denominator for value in exact))
    return [int(value * denominator) for value in exact]


# ------------------------------------------------------------------------------------------------ smallest weights


class _Smallest:
    """The smallest sum of whole w >= 0 with w·p - t >= 0 for lowest true p, t - w·q >= 1 for highest false q."""

    def __init__(self, question: _Question, deadline: float) -> None:
        self.question, self.deadline = question, deadline
        true, false = question.rows[question.lowest].astype(int), question.rows[question.highest].astype(int)
        # The unknowns are w and t.
        self.A = np.vstack(
            [np.column_stack([true, -np.ones(len(true), int)]), np.column_stack([-false, np.ones(len(false), int)])]
        )
        self.b = np.repeat([0, 1], [len(true), len(false)])

    def look(self) -> list[int] | None:
        """Whole weights that do it, the smallest that floating point finds; None if it finds none."""
        n = self.question.n
        cost = np.r_[np.ones(n), 0.0]
        bounds = [(1.0, None)] * n + [(0.0, None)]  # an input that makes a difference has a weight
        answer = scipy.optimize.linprog(cost, -self.A, -self.b, bounds=bounds, method="highs", options=self._left())
        if answer.x is None:
            return None
        weights = [round(value) for value in answer.x[:n]]
        if max(abs(answer.x[:n] - weights)) < 1e-6 and self.question.check(weights) is not None:
            return weights
        whole = scipy.optimize.milp(
            cost,
            integrality=np.ones(n + 1),
            constraints=scipy.optimize.LinearConstraint(self.A, self.b, np.inf),
            bounds=scipy.optimize.Bounds([1.0] * n + [0.0], np.inf),
            options=self._left(),
        )
        if whole.x is None:
            return None
        weights = [round(value) for value in whole.x[:n]]
        return weights if self.question.check(weights) is not None else None

    def _left(self) -> dict[str, float]:
        left = self.deadline - time.monotonic()
        return {} if math.isinf(left) else {"time_limit": max(0.01, left)}

    def prove(self, weights: list[int]) -> bool:
        """Whether it is proven that no smaller sum does it. A smaller one, if met, replaces `weights`."""
        n = self.question.n
        branches = [([1] * n, [sum(weights)] * n)]
        while branches:
            if time.monotonic() > self.deadline:
                return False
            low, high = branches.pop()
            point = self._cut_off(low, high, sum(weights) - 1)
            if point is None:
                continue
            rounded = [round(value) for value in point]
            if self.question.check(rounded) is not None and sum(rounded) < sum(weights):
                weights[:] = rounded
                branches.append((low, high))  # there may be smaller ones still
                continue
            split = max(range(n), key=lambda i: (high[i] > low[i], min(point[i] % 1, -point[i] % 1)))
            if high[split] == low[split]:
                return False  # floating point could not cut off a single point: nothing is proven
            middle = min(max(math.floor(point[split]), low[split]), high[split] - 1)
            below, above = list(high), list(low)
            below[split], above[split] = middle, middle + 1
            branches += [(low, below), (above, high)]
        return True

    def _cut_off(self, low: list[int], high: list[int], most: int) -> list[float] | None:
        """None if it is proven that no w between low and high has a sum of at most `most`; else a point to branch at.

        The least slack s >= 0 so that A (w, t) + s >= b and most - sum w + s >= 0. Multipliers y >= 0 of these
        constraints show that s cannot be 0: the sum of y times the constraints is a sum that stays below 0 when s is.
        """
        n = self.question.n
        rows = np.vstack([self.A, np.r_[-np.ones(n, int), 0]])
        right = np.r_[self.b, -most]
        answer = scipy.optimize.linprog(
            np.r_[np.zeros(n + 1), 1.0],
            -np.column_stack([rows, np.ones(len(rows))]),
            -right,
            bounds=[*zip(low, high, strict=True), (0, most + 1), (0, None)],
            method="highs",
        )
        multipliers = np.maximum(0.0, -answer.ineqlin.marginals)
        for denominator in (12, 720, 10**6):
            y = [Fraction(value).limit_denominator(denominator) for value in multipliers]
            if self._impossible(y, rows, right, low, [*high, most + 1]):
                return None
        return [float(value) for value in answer.x[:n]]

    @staticmethod
    def _impossible(y: list[Fraction], rows: Array, right: Array, low: list[int], high: list[int]) -> bool:
        """Whether y·rows·(w, t) < y·right for all w, t within their bounds, in exact arithmetic."""
        used = [i for i, value in enumerate(y) if value > 0]
        lows = [*low, 0]
        most = Fraction(0)
        for column in range(rows.shape[1]):
            coefficient = sum((y[i] * int(rows[i, column]) for i in used), Fraction(0))
            most += coefficient * (high[column] if coefficient > 0 else lows[column])
        return most < sum((y[i] * int(right[i]) for i in used), Fraction(0))
