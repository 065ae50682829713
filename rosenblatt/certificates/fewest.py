"""The fewest rows that any hyperplane has wrong, between proven bounds."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import scipy  # scipy.optimize is imported when it is used
import scipy.sparse

from rosenblatt.arguments import yes_or_no
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates import verify_errors, verify_models
from rosenblatt.certificates.certificate import About
from rosenblatt.certificates.few_errors import FewErrors
from rosenblatt.certificates.problem import Problem, two_classes
from rosenblatt.certificates.prover import prove
from rosenblatt.certificates.reading import check_time_limit, read_labels, read_rows
from rosenblatt.certificates.results import NotSeparable, Separable, WithPlane
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted

WHOLE = 1 << 40  # a share of 1
NEAR = 6  # rows of a neighbourhood for each row that a witness needs
WITNESSES = 4000  # beyond which no more are looked for


@dataclass(frozen=True)
class Witness:
    """Rows of which no hyperplane has all right, with the weights that show it."""

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, repr=False, eq=False)
class FewestErrors(WithPlane):
    """Proof that any hyperplane has at least `lower` rows wrong, and that one has `upper`.

    Wrong is a row on the wrong side or on the hyperplane itself.

    Attributes
    ----------
    lower, upper : the fewest errors lie between; `closed` says that they are the same
    wrong : the rows that the best hyperplane found has wrong: without them the classes are separable
    normal, offset : that hyperplane in float64; exact_normal, exact_offset as rationals
    witnesses : sets of rows, each with its weights, of which no hyperplane has all right
    shares : how much each witness counts, in whole numbers over 2^40, where no row has more than 1 in all
    """

    lower: int
    wrong: tuple[int, ...]
    witnesses: tuple[Witness, ...] = field(repr=False)
    shares: tuple[int, ...] = field(repr=False)
    plane: tuple[tuple[exactly.Number, ...], exactly.Number] = field(repr=False)
    about: About = field(repr=False)

    verdict: ClassVar[str] = "fewest errors"

    def __bool__(self) -> bool:
        return not self.wrong

    @property
    def upper(self) -> int:
        return len(self.wrong)

    @property
    def closed(self) -> bool:
        return self.lower == self.upper

    @property
    def floats_separate(self) -> bool:
        """Whether the floats `normal` and `offset` have the same rows right."""
        problem = self._problem()
        plane = exactly.Plane(self.normal, self.offset)
        found = verify_models.wrong_rows(problem.X, (problem.signs > 0).astype(int), [plane])
        return set(found) <= set(self.wrong)

    def __str__(self) -> str:
        few = ", ".join(map(str, self.wrong[:8])) + (", …" if self.upper > 8 else "")
        errors = f"exactly {self.lower:,}" if self.closed else f"between {self.lower:,} and {self.upper:,}"
        return (
            f"FewestErrors ({self._title()})\n"
            f"  errors         {errors}\n"
            f"  from below     {counted(len(self.witnesses), 'set')} of rows of which no hyperplane has all right\n"
            f"  from above     a hyperplane with {counted(self.upper, 'row')} wrong" + (f": {few}" if few else "")
        )

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        self._check_plane(rows.d)
        verify_errors.check_fewest(
            rows,
            signs,
            exactly.Plane(*self.plane),
            self.wrong,
            [(witness.rows, witness.weights) for witness in self.witnesses],
            self.shares,
            WHOLE,
            self.lower,
            intercept=self.about.intercept,
        )


def fewest_errors(X: Any, y: Any, fit_intercept: bool = True, time_limit: float = 10.0) -> FewestErrors:
    """Enclose the fewest rows that any hyperplane has on its wrong side or on itself, with a proof of both ends.

    From above by the best hyperplane found. From below by witnesses: sets of at most d + 2 rows of which no hyperplane
    has all right, so that one error at least lies in each. How many disjoint ones there are is a bound, at most
    n / (d + 2) where no smaller sets are found, so that the lower end can be loose. For few rows or few errors a
    search through the sets of rows that hit every witness closes the interval.

    Parameters
    ----------
    X, y : rows and labels of two classes
    fit_intercept : whether the hyperplane may leave the origin
    time_limit : seconds to look for better bounds. What is found by then is proven; another machine may find more

    Returns
    -------
    FewestErrors
        With ``lower``, ``upper``, ``wrong``, ``verify`` and ``save``.

    Raises
    ------
    ValueError
        If `X` is not finite, `y` has not two classes, or the time limit is not above 0.

    Examples
    --------
    >>> from rosenblatt import fewest_errors
    >>> found = fewest_errors([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> found.lower, found.upper
    (1, 1)

    References
    ----------
    M. Parker and J. Ryan (1996). Finding the minimum weight IIS cover of an infeasible system of linear inequalities.
    Annals of Mathematics and Artificial Intelligence 17.
    """
    X = read_rows(X)
    classes, codes = read_labels(y, X.shape[0])
    check_time_limit(time_limit)
    yes_or_no(fit_intercept=fit_intercept)
    if len(classes) != 2:
        raise ValueError(f"fewest_errors is about two classes, but y has {len(classes)}; pass the rows of two of them.")
    problem = two_classes(X, codes, classes, bool(fit_intercept))
    deadline = math.inf if time_limit is None else time.monotonic() + 0.95 * time_limit  # the rest is for the proof
    return Enclosure(problem, deadline).run()


def errors_at_least(X: Any, y: Any, fit_intercept: bool, most: int, deadline: float) -> int:
    """How many errors any hyperplane makes at least, by up to `most` disjoint witnesses.

    Unlike `fewest_errors` this is the same on every machine, unless the deadline comes first.
    """
    X = read_rows(X)
    classes, codes = read_labels(y, X.shape[0])
    found = Enclosure(two_classes(X, codes, classes, bool(fit_intercept)), deadline)
    left = np.arange(X.shape[0])
    while len(found.witnesses) < most and not found._late():
        witness = found._separate(left)
        if witness is None:
            break
        left = np.setdiff1d(left, witness.rows)
    return len(found.witnesses)


class Enclosure:
    """The witnesses and the best hyperplane so far."""

    def __init__(self, problem: Problem, deadline: float) -> None:
        self.problem, self.deadline = problem, deadline
        self.started = time.monotonic()
        self.rows = exactly.Rows(problem.X)
        self.search = FewErrors(problem)
        self.witnesses: list[Witness] = []
        self.known: set[tuple[int, ...]] = set()
        self.lower = self.proven = 0  # errors, and with how many witnesses a search has proven them
        self.shares: list[int] = []
        self.normal: tuple[exactly.Number, ...] = ()
        self.offset: exactly.Number = 0.0
        self.wrong: list[int] = list(range(problem.n + 1))

    def run(self) -> FewestErrors:
        try:
            self._above()
            self._packed()
            self._priced()
            self._covered()
        except KeyboardInterrupt:
            pass  # what is proven by now is the answer
        if not self.normal:
            self._offer(*self.search.plane())
        count = self.proven or len(self.shares)  # witnesses that were found later prove nothing more
        self.shares = (self.shares + [0] * count)[:count]
        return FewestErrors(
            lower=min(self.lower, len(self.wrong)),
            wrong=tuple(self.wrong),
            witnesses=tuple(self.witnesses[:count]),
            shares=tuple(self.shares),
            plane=(self.normal, self.offset),
            about=About.of(self.problem),
        )

    def _late(self, share: float = 1.0) -> bool:
        """Whether this share of the time has passed."""
        if self.deadline == math.inf:
            return False
        return time.monotonic() > self.started + share * (self.deadline - self.started)

    @property
    def closed(self) -> bool:
        return self.lower >= len(self.wrong)

    # ------------------------------------------------------------------------------------------------ from above

    def _above(self) -> None:
        until = self.deadline if self.deadline == math.inf else self.started + 0.3 * (self.deadline - self.started)
        self.search.start(until)
        self.search.improve(until)
        self._offer(*self.search.plane())
        if self.problem.intercept:  # every row on the side of the larger class
            sign = 1 if int(self.problem.signs.sum(dtype=np.int64)) >= 0 else -1
            far = sign * (2 * Fraction(float(self.rows.largest[0])) + 1)
            self._offer((1.0, *[0.0] * (self.problem.d - 1)), far)

    def _offer(self, normal: Any, offset: exactly.Number) -> None:
        """Keep a hyperplane if it has fewer rows wrong than the best so far."""
        values = tuple(normal)
        if not any(values):
            values = (1.0, *values[1:])
        plane = exactly.Plane(values, offset)
        wrong = verify_models.wrong_rows(self.rows, (self.problem.signs > 0).astype(int), [plane])
        if len(wrong) < len(self.wrong):
            self.normal, self.offset, self.wrong = values, offset, wrong

    # ------------------------------------------------------------------------------------------------ from below

    def _separate(self, chosen: Array) -> Witness | None:
        """A witness among these rows; or None, and the hyperplane that has them all right is offered."""
        signs = self.problem.signs[chosen]
        if self.problem.intercept and abs(int(signs.sum(dtype=np.int64))) == len(chosen):
            return None  # one side of a hyperplane far away
        if not len(chosen):
            return None
        part = Problem(self.problem.X[chosen], signs, self.problem.classes, self.problem.intercept)
        found = prove(part, self.deadline)
        if isinstance(found, NotSeparable):
            witness = Witness(tuple(int(chosen[row]) for row in found.rows), found.weights)
            if witness.rows not in self.known:
                self.known.add(witness.rows)
                self.witnesses.append(witness)
            return witness
        if isinstance(found, Separable) and len(chosen) > self.problem.n - len(self.wrong):
            self._offer(*found.plane)
        return None

    def _packed(self) -> None:
        """Disjoint witnesses: near the rows that are wrong first, then among all rows that are left."""
        free = np.ones(self.problem.n, dtype=bool)
        dense = None if self.problem.sparse else self.search.standardised()
        size = NEAR * (self.problem.d + 2)
        for row in self.wrong:
            if self._late(0.6) or dense is None or len(self.witnesses) > WITNESSES or size > self.problem.n // 2:
                break
            if free[row]:
                left = np.flatnonzero(free)
                apart = dense[left] - dense[row]
                near = left[np.argsort(np.einsum("ij,ij->i", apart, apart), kind="stable")[:size]]
                witness = self._separate(np.sort(near))
                if witness is not None:
                    free[list(witness.rows)] = False
        while not self._late(0.7) and len(self.witnesses) <= WITNESSES:
            witness = self._separate(np.flatnonzero(free))
            if witness is None:
                break
            free[list(witness.rows)] = False
        taken: set[int] = set()
        by_rows: dict[tuple[int, ...], int] = {}
        for rows in sorted((witness.rows for witness in self.witnesses), key=len):
            by_rows[rows] = WHOLE if taken.isdisjoint(rows) else 0
            taken.update(rows if by_rows[rows] else ())
        self._use([by_rows[witness.rows] for witness in self.witnesses])

    def _priced(self) -> None:
        """Prices of rows by a linear program, at least 1 for each witness; rows without a price must be separable."""
        while not self.closed and not self._late(0.8) and self.witnesses:
            prices = self._program()
            if prices is None or not self._more_witnesses(np.flatnonzero(prices <= 1e-9)):
                return

    def _more_witnesses(self, rows: Array) -> bool:
        """Disjoint witnesses among these rows; False if there are none."""
        before = len(self.witnesses)
        while not self._late(0.9) and len(self.witnesses) <= WITNESSES:
            witness = self._separate(rows)
            if witness is None:
                break
            rows = np.setdiff1d(rows, witness.rows)
        return len(self.witnesses) > before

    def _program(self) -> Array | None:
        """min sum of prices with at least 1 on each witness; its dual is the best fractional packing."""
        members = scipy.sparse.csr_array(
            (
                np.ones(sum(len(witness.rows) for witness in self.witnesses)),
                np.concatenate([witness.rows for witness in self.witnesses]),
                np.cumsum([0, *(len(witness.rows) for witness in self.witnesses)]),
            ),
            shape=(len(self.witnesses), self.problem.n),
        )
        left = math.inf if self.deadline == math.inf else self.deadline - time.monotonic()
        options = {} if left == math.inf else {"time_limit": max(0.1, left)}
        answer = scipy.optimize.linprog(
            np.ones(self.problem.n), A_ub=-members, b_ub=-np.ones(len(self.witnesses)), method="highs", options=options
        )
        if answer.x is None or answer.ineqlin is None:
            return None
        shares = [max(0, int(-value * WHOLE)) for value in answer.ineqlin.marginals.tolist()]
        self._keep(shares)
        return np.asarray(answer.x)

    def _keep(self, shares: Sequence[int]) -> None:
        """Make these shares smaller where a row has more than 1 in all, and use them."""
        loads = np.zeros(self.problem.n)
        for witness, share in zip(self.witnesses, shares, strict=True):
            loads[list(witness.rows)] += share / WHOLE
        factor = Fraction(1) if loads.max() <= 1 - 1e-9 else Fraction(1) / Fraction(float(loads.max()) + 1e-9)
        self._use([int(share * factor) for share in shares])

    def _use(self, shares: list[int]) -> None:
        """Keep these shares if they prove more."""
        if sum(shares) > sum(self.shares):
            self.shares = shares
            self.lower = max(self.lower, -(-sum(shares) // WHOLE))

    def _covered(self) -> None:
        """Fewest rows that hit every witness: if the others are separable that is the answer, if not there is another
        witness."""
        while not self.closed and not self._late(0.9) and len(self.witnesses) <= WITNESSES:
            sets = [witness.rows for witness in self.witnesses]
            cover = verify_errors.Cover(sets, verify_errors.WORK // 4, self.deadline)
            try:
                rows = cover.within(self.lower)
            except verify_errors.SearchTooLongError:
                return
            if rows is None:
                self.lower += 1
                self.proven = len(sets)
            elif not self._more_witnesses(np.setdiff1d(np.arange(self.problem.n), list(rows))):
                return
