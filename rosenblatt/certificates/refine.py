"""Classes that are not separable: do they overlap, or do they only touch?

Overlapping: every row takes part in a combination with positive weights that is 0 (Stiemke). To find one, every row is
given a small share of weight in advance, and the others' weights are searched for as for a witness: the hulls are
pushed apart by a share of the distance of the means and must still meet.

Quasi-complete: a hyperplane that has no row on its wrong side, and at least one row off it. Every such hyperplane
contains the rows of the witness, so it is looked for among those that do; if there are none, that too is a proof of
overlap.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.certificates import coordinates
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.exact import OutOfTimeError, nearest_exactly
from rosenblatt.certificates.nearest import NearestPoints
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.reading import check_time_limit
from rosenblatt.certificates.results import NotSeparable, Overlapping, QuasiComplete, Undecided
from rosenblatt.certificates.watching import Watcher, watcher
from rosenblatt.engine.online.state import Array

SHARES = [Fraction(1, 4**power) for power in range(1, 11)]
DENSE = 1 << 26  # numbers of a sparse matrix that are written out
SMALL = 1024  # numbers of a problem that exact arithmetic solves at once


def refine(problem: Problem, witness: NotSeparable, *, time_limit: float | None, verbose: int) -> Any:
    """`Overlapping` or `QuasiComplete`, with the proof; `Undecided` when time is up."""
    check_time_limit(time_limit)
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    with watcher(verbose, "overlapping or touching", 1) as shown:
        try:
            touching = _column_by_column(problem, witness)
            if touching is not None:
                return touching
            if problem.n * (problem.d + 1) > SMALL:
                found = _pushed_apart(problem, witness, deadline, shown)
                if found is not None:
                    return found
            return _face_by_face(problem, witness, deadline)
        except OutOfTimeError:
            return Undecided("time limit", 0.0, witness.about)
        except KeyboardInterrupt:
            return Undecided("interrupted", 0.0, witness.about)


def _column_by_column(problem: Problem, witness: NotSeparable) -> QuasiComplete | None:
    """A column in which no row of one class lies above any of the other, as a pixel that only one class ever inks."""
    positive = problem.signs > 0
    low, high = _extremes(problem.X[positive]), _extremes(problem.X[~positive])
    for column in range(problem.d):
        (least, most), (other_least, other_most) = low[:, column].tolist(), high[:, column].tolist()
        for sign, below, above in ((1, other_most, least), (-1, most, other_least)):
            if below > above or (least == most == other_least == other_most):
                continue
            level = Fraction(below if problem.intercept else 0)
            if not problem.intercept and not below <= 0 <= above:
                continue
            normal = [0.0] * problem.d
            normal[column] = float(sign)
            offset = _float_if_exact(-sign * level)
            values = problem.X[:, [column]].toarray().ravel() if problem.sparse else problem.X[:, column]
            on = int((values == below).sum()) if problem.intercept else int((values == 0).sum())
            return QuasiComplete(
                strictly=problem.n - on,
                about=witness.about,
                plane=(tuple(normal), offset),
                witness=witness,
            )
    return None


def _extremes(X: Any) -> Array:
    """The least and the largest number of every column."""
    if scipy.sparse.issparse(X):
        return np.vstack([X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()])
    return np.vstack([X.min(axis=0), X.max(axis=0)])


def _float_if_exact(value: Fraction) -> exactly.Number:
    return float(value) if abs(value) < 2**1000 and Fraction(float(value)) == value else value


def _pushed_apart(problem: Problem, witness: NotSeparable, deadline: float, shown: Watcher) -> Overlapping | None:
    """Hulls that meet although every row keeps a share of its weight; None if they no longer do at any share."""
    if problem.sparse:
        if problem.n * problem.d > DENSE:
            return None
        problem = replace(problem, X=problem.X.toarray())
    means = exactly.class_means(problem.X, problem.signs, intercept=problem.intercept)
    view = coordinates.frame(problem).verdict
    push = np.zeros(problem.d)
    for column, value in means.items():
        push[column] = float(value)
    rows = exactly.Rows(problem.X)
    for share in SHARES:
        view.points.push = float(share) * np.ldexp(push, -view.exponents)
        ending = NearestPoints(view.points, shown.bounds).run(1.0, deadline)
        if ending.ending == "time limit":
            raise OutOfTimeError
        if ending.lower > 0:
            continue
        chosen = np.sort(ending.rows).tolist()
        towards = {column: -share * value for column, value in means.items()}
        weights = exactly.solve_weights(rows, problem.signs, chosen, intercept=problem.intercept, towards=towards)
        if weights is not None and all(weight >= 0 for weight in weights):
            kept = [(row, weight) for row, weight in zip(chosen, weights, strict=True) if weight]
            return Overlapping(tuple(row for row, _ in kept), tuple(w for _, w in kept), share, witness.about)
    return None


def _face_by_face(problem: Problem, witness: NotSeparable, deadline: float) -> Any:
    """Look among the hyperplanes that contain the rows known to lie on every one; finite and exact."""
    import flint

    integers, denominator = coordinates.whole_numbers(problem)
    signs = problem.signs.tolist()
    lifted = [[*row, sign * denominator] for row, sign in zip(integers, signs, strict=True)]
    lifted = lifted if problem.intercept else integers
    matrix = flint.fmpz_mat(lifted)
    on = sorted(witness.rows)
    while True:
        basis, dimensions = flint.fmpz_mat([lifted[row] for row in on]).nullspace()
        if not dimensions:
            return _overlapping(problem, witness, deadline)
        directions = flint.fmpz_mat([[int(basis[i, j]) for j in range(dimensions)] for i in range(len(lifted[0]))])
        images = [[int(value) for value in line] for line in (matrix * directions).tolist()]
        off = [row for row, image in enumerate(images) if any(image)]
        if not off:
            return _overlapping(problem, witness, deadline)
        nearest = nearest_exactly([images[row] for row in off], np.zeros(len(off), int), deadline)
        if not nearest.meet:
            return _quasi_complete(problem, witness, directions, nearest.direction, len(off))
        on = sorted({*on, *(off[i] for i in nearest.rows)})


def _quasi_complete(
    problem: Problem, witness: NotSeparable, directions: Any, combination: list[Fraction], strictly: int
) -> QuasiComplete:
    integers, _ = exactly.common_integers(combination)
    lines = directions.tolist()
    normal = [sum(int(entry) * value for entry, value in zip(line, integers, strict=True)) for line in lines]
    common = math.gcd(*normal)
    normal = [value // common for value in normal]
    offset = normal.pop() if problem.intercept else 0
    plane = tuple(_float_if_exact(Fraction(value)) for value in normal), _float_if_exact(Fraction(offset))
    return QuasiComplete(
        strictly=strictly,
        about=witness.about,
        plane=plane,
        witness=witness,
    )


def _overlapping(problem: Problem, witness: NotSeparable, deadline: float) -> Overlapping:
    """The rows known to lie on every hyperplane span all others: they can balance some share of every row."""
    intercept, signs = problem.intercept, problem.signs
    groups = (signs > 0).astype(int) if intercept else np.zeros(problem.n, int)
    integers, denominator = coordinates.whole_numbers(problem)
    means = exactly.class_means(problem.X, signs, intercept=intercept)
    share = Fraction(1, 2)
    while True:
        share *= share
        scaled = [share * denominator * means.get(column, Fraction(0)) for column in range(problem.d)]
        tops, bottom = exactly.common_integers(scaled)
        pushed = [
            [value * bottom + (tops[j] if groups[i] == 0 else 0) for j, value in enumerate(row)]
            for i, row in enumerate(integers)
        ]
        nearest = nearest_exactly(pushed, groups, deadline)
        if nearest.meet:
            pairs = sorted(zip(nearest.rows, nearest.weights, strict=True))
            return Overlapping(tuple(row for row, _ in pairs), tuple(w for _, w in pairs), share, witness.about)
