"""Checks an interval for the fewest errors of any hyperplane: rows on its wrong side, or on it.

From above: a hyperplane, and the rows that it has wrong. From below: witnesses, each a set of rows of which no
hyperplane has all right (an irreducible infeasible set of the inequalities y (w·x + b) > 0, by Gordan's theorem). So
the rows that a hyperplane has wrong must hit every witness, and the fewest errors are at least

- the sum of any shares of the witnesses that give no row more than 1 in all (a fractional packing; disjoint witnesses
  with a share of 1 each are the simplest): each error pays for at most 1, and each witness must be paid for;
- m, if a search through all sets of fewer than m rows finds none that hits every witness. The search is a tree: some
  row of the first witness that is not hit must be wrong, so that there is one branch for each.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rosenblatt.certificates import verify_models
from rosenblatt.certificates.verify import check_witness
from rosenblatt.certificates.verify_numbers import Array, CertificateError, Plane, Rows

WORK = 4_000_000  # witnesses that are looked at in a search, some seconds
DEEPEST = 200  # errors beyond which no search is begun


class SearchTooLongError(Exception):
    """The search through sets of rows is too long."""


class Cover:
    """Looks for few rows that hit every witness."""

    def __init__(self, witnesses: Sequence[Sequence[int]], work: int = WORK, deadline: float = math.inf) -> None:
        self.witnesses = sorted({tuple(sorted(rows)) for rows in witnesses}, key=len)
        self.work, self.deadline = work, deadline

    def within(self, budget: int) -> set[int] | None:
        """At most so many rows that hit every witness, or None if there are none."""
        if budget > DEEPEST:
            raise SearchTooLongError
        return self._branch(self.witnesses, budget, set())

    def _branch(self, left: Sequence[tuple[int, ...]], budget: int, excluded: set[int]) -> set[int] | None:
        self.work -= len(left) + 1
        if self.work < 0 or (self.deadline < math.inf and time.monotonic() > self.deadline):
            raise SearchTooLongError
        if not left:
            return set()
        rows = [[row for row in witness if row not in excluded] for witness in left]
        if disjoint(rows) > budget:
            return None
        shortest = min(rows, key=len)
        excluded = set(excluded)
        for row in shortest:
            found = self._branch([witness for witness in left if row not in witness], budget - 1, excluded)
            if found is not None:
                return found | {row}
            excluded.add(row)  # the branches that follow are about sets without it
        return None


def disjoint(sets: Sequence[Sequence[int]]) -> int:
    """How many of these sets, taken in turn, have no row in common: as many rows are needed to hit them."""
    taken: set[int] = set()
    count = 0
    for rows in sorted(sets, key=len):
        if taken.isdisjoint(rows):
            taken.update(rows)
            count += 1
    return count


def check_from_below(witnesses: Sequence[Sequence[int]], shares: Sequence[int], whole: int, lower: int) -> None:
    """Refuse unless at least `lower` rows are needed to hit every witness; a share of 1 is `whole`."""
    if len(shares) != len(witnesses) or whole <= 0 or any(share < 0 for share in shares):
        raise CertificateError("Every witness has a share of at least 0.")
    loads: dict[int, int] = {}
    for rows, share in zip(witnesses, shares, strict=True):
        for row in rows:
            loads[row] = loads.get(row, 0) + share
    if max(loads.values(), default=0) > whole:
        raise CertificateError("The witnesses of a row may have shares of 1 in all, and some have more.")
    if lower <= -(-sum(shares) // whole):
        return
    try:
        fewer = Cover(witnesses).within(lower - 1)
    except SearchTooLongError:
        raise CertificateError(f"That {lower} rows are needed to hit every witness takes too long to check.") from None
    if fewer is not None:
        raise CertificateError(f"The witnesses must need {lower} rows, and {len(fewer)} hit them all.")


def check_fewest(
    X: Any,
    signs: Array,
    plane: Plane,
    wrong: Sequence[int],
    witnesses: Sequence[tuple[Sequence[int], Sequence[Fraction]]],
    shares: Sequence[int],
    whole: int,
    lower: int,
    *,
    intercept: bool,
) -> None:
    """Refuse unless any hyperplane has at least `lower` rows wrong, and this one exactly the rows `wrong`."""
    rows = X if isinstance(X, Rows) else Rows(X)
    if len(plane.normal) != rows.d or not any(plane.normal) or (plane.offset and not intercept):
        raise CertificateError("The hyperplane must be one of the question that is answered.")
    if list(wrong) != verify_models.wrong_rows(rows, (signs > 0).astype(int), [plane]):
        raise CertificateError("The rows that the hyperplane has wrong must be those named, and they are others.")
    for chosen, weights in witnesses:
        check_witness(rows, signs, chosen, weights, intercept=intercept)
    check_from_below([chosen for chosen, _ in witnesses], shares, whole, lower)
