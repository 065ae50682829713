"""Decides one question of separability: looks for a proof, the cheap ways first."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates import coordinates
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import About, Certificate
from rosenblatt.certificates.exact import ExactNearest, OutOfTimeError, nearest_exactly
from rosenblatt.certificates.linear_program import solve_program
from rosenblatt.certificates.nearest import Nearest, NearestPoints
from rosenblatt.certificates.perceptron_first import perceptron_weights
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.results import Hull, NotSeparable, Separable, Undecided
from rosenblatt.certificates.roots import root_down, root_up
from rosenblatt.certificates.watching import Watcher
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import one_blas_thread

SMALL = 1024  # numbers of a problem that exact arithmetic solves at once
MIDDLING = 1 << 17  # numbers of a problem that exact arithmetic solves when floating point could not
AGAIN = 4  # times that a search that floating point ended too soon is taken further


def decide(problem: Problem, tolerance: float, deadline: float, shown: Watcher, candidate: Any = None) -> Certificate:
    """The verdict on one question; `candidate` is a normal and an offset that may separate."""
    about = About.of(problem)
    equal = problem.contradiction()
    if equal:
        return _of_equal_rows(problem, about, equal)
    kept = problem.distinct()
    if kept is None:
        return _proven(problem, about, tolerance, deadline, shown, candidate)
    inner = Problem(problem.X[kept], problem.signs[kept], problem.classes, problem.intercept)
    return _in_all_rows(_proven(inner, about, tolerance, deadline, shown, candidate), kept)


def prove(problem: Problem, deadline: float) -> Certificate:
    """Any hyperplane, or a witness, without a digest of the data: for questions on the way to an answer."""
    about = About(problem.classes, problem.intercept, (problem.n, problem.d), "")
    equal = problem.contradiction()
    if equal:
        return _of_equal_rows(problem, about, equal)
    return _proven(problem, about, 1.0, deadline, Watcher(), None)


def _of_equal_rows(problem: Problem, about: About, equal: tuple[int, int]) -> NotSeparable:
    if not problem.intercept and not exactly.Rows(problem.X).entries(equal[0])[0]:
        return NotSeparable(equal[:1], (Fraction(1),), about)  # a row of zeros is 0 by itself
    each = Fraction(1) if problem.intercept else Fraction(1, 2)
    return NotSeparable(tuple(sorted(equal)), (each, each), about)


def _proven(
    problem: Problem, about: About, tolerance: float, deadline: float, shown: Watcher, candidate: Any
) -> Certificate:
    prover = Prover(problem, about, tolerance, deadline, shown)
    try:
        with one_blas_thread():  # small triangles, again and again: more threads take longer
            return prover.decide(candidate)
    except KeyboardInterrupt:
        shown.interrupted = True
        return prover.so_far("interrupted")
    except OutOfTimeError:
        return prover.so_far("time limit")


def _in_all_rows(found: Certificate, kept: Array) -> Certificate:
    """The same proof, with the numbers that its rows have among all rows."""

    def places(rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(int(kept[row]) for row in rows)

    if isinstance(found, NotSeparable):
        return replace(found, rows=places(found.rows))
    if isinstance(found, Separable):
        hull, theorem = (part and replace(part, rows=places(part.rows)) for part in (found.hull, found.theorem_hull))
        return replace(found, hull=hull, theorem_hull=theorem)
    return found


@dataclass
class Found:
    """A hyperplane with its exact least score, and the hull point that bounds every other."""

    normal: tuple[exactly.Number, ...]
    offset: exactly.Number
    least: Fraction
    hull: Hull | None = None


class Prover:
    """Looks for a proof, the cheap ways first."""

    def __init__(self, problem: Problem, about: About, tolerance: float, deadline: float, shown: Watcher) -> None:
        self.problem, self.about, self.shown = problem, about, shown
        self.tolerance, self.deadline = tolerance, deadline
        self.rows = exactly.Rows(problem.X)
        self.found: Found | None = None
        self.theorem: Found | None = None
        self.looking: list[NearestPoints] = []

    def decide(self, candidate: Any = None) -> Certificate:
        small = self.problem.n * (self.problem.d + 1) <= SMALL
        if candidate is None and not small and self.problem.d > self.problem.n:
            candidate = perceptron_weights(self.problem, self.deadline)
        if candidate is not None:
            self.found = self.theorem = self._as_it_is(*candidate)
            if self.found is not None and self.tolerance >= 1:
                return self.so_far("")
        if small:
            return self._exactly()
        frame = coordinates.frame(self.problem)
        if self.found is None:
            for view in frame.views():
                search, verdict = self._search(view)
                if verdict is not None:
                    return verdict
                self._note(search, view)
                if self.found is not None:
                    break
            if self.found is None:
                return self._last_resort(search, view)
            if self.tolerance < 1:
                self._tighten(frame, search if view is frame.margin else self._look(frame.margin), self.tolerance)
        elif self.tolerance < 1:
            self._tighten(frame, self._look(frame.margin), self.tolerance)
        if not self._reached() and time.monotonic() < self.deadline:
            self._tighten(frame, self._look(frame.margin), self.tolerance / 8)
            if not self._reached() and self.problem.n * (self.problem.d + 1) <= MIDDLING // 4:
                return self._exactly()
        return self.so_far("")

    def so_far(self, reason: str) -> Certificate:
        """What is proven by now."""
        if self.found is None:
            return Undecided(reason, min(map(self._bound_of, self.looking), default=math.inf), self.about)
        return self._separable(self.found, self.theorem)

    # ------------------------------------------------------------------------------------- in floating point

    def _look(self, view: coordinates.View) -> NearestPoints:
        def watch(lower: float, upper: float) -> None:
            self.shown.bounds(*view.in_own_units(lower, upper))

        search = NearestPoints(view.points, watch)
        self.looking.append(search)
        return search

    def _bound_of(self, search: NearestPoints) -> float:
        """What a search that was cut short proves: its points of the hulls are points in any coordinates."""
        rows, weights = search.rows, search.weights
        if len(rows) != len(weights) or not (weights > 0).all():
            return math.inf
        hull = _shares(rows.tolist(), weights.tolist(), search.groups)
        return self._above(hull, self.problem.signs, hulls=search.count, constant=False)

    def _reached(self) -> bool:
        """Whether both margins are as close to the largest as was asked for."""
        assert self.found is not None and self.theorem is not None
        return bool(self._separable(self.found, self.theorem).tolerance_reached)

    def _search(self, view: coordinates.View) -> tuple[NearestPoints, NotSeparable | None]:
        """Search until a hyperplane separates or the hulls meet; the proof, if they do."""
        search = self._look(view)
        for _ in range(AGAIN):
            ending = search.run(1.0, self.deadline)
            if ending.ending == "time limit" and ending.lower <= 0:
                raise OutOfTimeError
            if ending.lower > 0:
                return search, None
            witness = self._witness(ending.rows, ending.weights)
            if witness is not None or ending.ending == "stalled":
                return search, witness
            search.closer()
        return search, None

    def _witness(self, rows: Array, weights: Array) -> NotSeparable | None:
        """The exact weights on these rows, if the hulls do meet on them."""
        chosen: list[int] = []
        for floor in (1e-9, 0.0):
            before, chosen = chosen, np.sort(rows[weights > floor * weights.max()]).tolist()
            if chosen == before or len(chosen) > self.problem.d + (2 if self.problem.intercept else 1):
                continue
            exact = exactly.solve_weights(self.rows, self.problem.signs, chosen, intercept=self.problem.intercept)
            if exact is not None and all(weight >= 0 for weight in exact):
                kept = [(row, weight) for row, weight in zip(chosen, exact, strict=True) if weight]
                return NotSeparable(tuple(row for row, _ in kept), tuple(weight for _, weight in kept), self.about)
        return None

    def _note(self, search: NearestPoints, view: coordinates.View) -> None:
        """Keep the hyperplane of a search, if it is one."""
        if search.lower <= 0:
            return
        found = self._centred(view.normal(search.best))
        if found is not None:
            self.found, self.theorem = found, replace(found)

    def _tighten(self, frame: coordinates.Frame, search: NearestPoints, tolerance: float) -> None:
        """Bring the margin, and the theorem's, to within the tolerance of the largest."""
        share = min(1e-4, tolerance / 64)  # of the margin, which shorter numbers may cost
        ending = search.run(tolerance, self.deadline)
        found = None
        if search.lower > 0:
            found = self._centred(frame.margin.short_normal(search.best, search.lower, share))
        if found is not None and (self.found is None or self._length(found) >= self._length(self.found)):
            self.found = replace(found, hull=self.found.hull if self.found else None)
        assert self.found is not None
        self.found.hull = _hull(ending, frame.margin.points.groups)
        if not self.problem.intercept:
            self.theorem = self.found
            return
        search = self._look(frame.theorem)
        ending = search.run(tolerance, self.deadline)
        normal = frame.theorem.short_normal(search.best, search.lower, share) if search.lower > 0 else ()
        theorem = self._as_it_is(normal[:-1], normal[-1]) if normal else None
        candidates = [plane for plane in (theorem, self.found, self.theorem) if plane is not None]
        best = max(candidates, key=lambda plane: self._length(plane, with_offset=True))
        self.theorem = Found(best.normal, best.offset, best.least, _hull(ending, frame.theorem.points.groups))
        if best is theorem:  # its direction may serve the margin better too
            other = self._centred(best.normal)
            if other is not None and self._length(other) > self._length(self.found):
                self.found = replace(other, hull=self.found.hull)

    def _length(self, found: Found, *, with_offset: bool = False) -> Fraction:
        """The squared margin of a hyperplane."""
        squared = exactly.Plane(found.normal, found.offset).squared_length(with_offset=with_offset)
        return found.least**2 / squared

    def _centred(self, normal: tuple[exactly.Number, ...]) -> Found | None:
        """The hyperplane of this direction half way between the classes; None if it does not separate them."""
        if not any(normal):
            return None
        plane, signs = exactly.Plane(normal, 0), self.problem.signs
        if not self.problem.intercept:
            return self._as_it_is(normal, 0)
        above = exactly.least(self.rows, np.where(signs > 0, 1, 0), plane)[0]
        below = exactly.least(self.rows, np.where(signs < 0, -1, 0), plane)[0]
        if above + below <= 0:
            return None
        offset, least = (below - above) / 2, (above + below) / 2
        rounded = _rounded(offset)
        near = Fraction(0) if rounded is None else min(above + Fraction(rounded), below - Fraction(rounded))
        if rounded is not None and near >= least * Fraction(1 - 2**-20):
            return Found(normal, rounded, near)
        return Found(normal, offset, least)

    def _as_it_is(self, normal: tuple[exactly.Number, ...], offset: exactly.Number) -> Found | None:
        least = exactly.least(self.rows, self.problem.signs, exactly.Plane(normal, offset))[0]
        return Found(normal, offset, least) if least > 0 else None

    # --------------------------------------------------------------------------------- when that was not enough

    def _last_resort(self, search: NearestPoints, view: coordinates.View) -> Certificate:
        if self.problem.n * (self.problem.d + 1) <= MIDDLING:
            return self._exactly()
        answer = solve_program(view.points, search.hard, self.deadline)
        if answer is not None:
            rows, weights, direction = answer
            witness = self._witness(rows, weights)
            if witness is not None:
                return witness
            self.found = self.theorem = self._centred(view.normal(direction))
            if self.found is not None:
                return self.so_far("")
        if time.monotonic() > self.deadline:
            return self.so_far("time limit")
        return self.so_far("exact repair failed: the data is too close to the border for float64")

    def _exactly(self) -> Certificate:
        """Everything in rational arithmetic: for small problems at once, for others where floating point failed."""
        intercept, signs = self.problem.intercept, self.problem.signs
        integers, denominator = coordinates.whole_numbers(self.problem)
        groups = (signs > 0).astype(int) if intercept else np.zeros(len(signs), int)
        nearest = nearest_exactly(integers, groups, self.deadline)
        if nearest.meet:
            pairs = sorted(zip(nearest.rows, nearest.weights, strict=True))
            return NotSeparable(tuple(row for row, _ in pairs), tuple(weight for _, weight in pairs), self.about)
        self.theorem = self._centred_or_exact(nearest.direction)
        hull = self._fine_hull(nearest, groups, self._length(self.theorem), constant=False)
        self.found = replace(self.theorem, hull=hull)
        if not intercept:
            self.theorem = self.found
            return self.so_far("")
        lifted = [[*row, int(sign) * denominator] for row, sign in zip(integers, signs, strict=True)]
        groups = np.zeros(len(signs), int)
        nearest = nearest_exactly(lifted, groups, self.deadline)
        theorem = None
        for normal in (_floats(nearest.direction), tuple(nearest.direction)):
            theorem = theorem or (self._as_it_is(normal[:-1], normal[-1]) if normal else None)
        assert theorem is not None
        theorem.hull = self._fine_hull(nearest, groups, self._length(theorem, with_offset=True), constant=True)
        self.theorem = theorem
        return self.so_far("")

    def _fine_hull(self, nearest: ExactNearest, groups: Array, reached: Fraction, *, constant: bool) -> Hull:
        """The nearest points with the fewest bits that bound the squared margin, `reached`, to nine digits."""
        hulls = len(set(groups.tolist()))
        for bits in Hull.BITS:
            hull = _shares(nearest.rows, nearest.weights, groups, bits)
            square = exactly.squared_distance(
                self.rows, self.problem.signs, hull.rows, hull.fractions(), constant=constant
            )
            if square / hulls**2 <= reached * Fraction(1 + 1e-9):
                break
        return hull

    def _centred_or_exact(self, direction: list[Fraction]) -> Found:
        found = self._centred(_floats(direction)) or self._centred(tuple(direction))
        assert found is not None
        return found

    # ------------------------------------------------------------------------------------------ the certificate

    def _separable(self, found: Found, theorem: Found | None) -> Separable:
        theorem = theorem or found
        intercept, signs = self.problem.intercept, self.problem.signs
        square = exactly.largest_square(self.rows, constant=intercept)
        gamma_square = self._length(theorem, with_offset=intercept)
        return Separable(
            margin=root_down(self._length(found)),
            margin_upper=self._above(found.hull, signs, hulls=2 if intercept else 1, constant=False),
            radius=root_up(square),
            gamma=root_down(gamma_square),
            gamma_upper=self._above(theorem.hull, signs, hulls=1, constant=intercept),
            mistake_bound=math.floor(square / gamma_square),
            about=self.about,
            plane=(found.normal, found.offset),
            theorem_plane=(theorem.normal, theorem.offset),
            hull=found.hull,
            theorem_hull=theorem.hull,
            tolerance=self.tolerance,
        )

    def _above(self, hull: Hull | None, signs: Array, *, hulls: int, constant: bool) -> float:
        if hull is None:
            return math.inf
        square = exactly.squared_distance(self.rows, signs, hull.rows, hull.fractions(), constant=constant)
        return root_up(square / hulls**2)


def _rounded(value: Fraction) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _floats(direction: list[Fraction]) -> tuple[float, ...]:
    """The direction in float64, scaled so that its largest number is about 1; () if that loses a number."""
    largest = max(abs(value) for value in direction)
    floats = tuple(float(value / largest) for value in direction)
    return floats if all(bool(f) == bool(v) for f, v in zip(floats, direction, strict=True)) else ()


def _hull(nearest: Nearest, groups: Array) -> Hull:
    return _shares(nearest.rows.tolist(), nearest.weights.tolist(), groups)


def _shares(rows: list[int], weights: list[Any], groups: Array, bits: int = Hull.bits) -> Hull:
    """Convex weights as whole shares of 2^bits that sum to it in each group."""
    whole = 1 << bits
    shares = [int(Fraction(weight) * whole) for weight in weights]
    for group in set(groups[rows].tolist()):
        members = [i for i, row in enumerate(rows) if groups[row] == group]
        largest = max(members, key=lambda i: shares[i])
        shares[largest] += whole - sum(shares[i] for i in members)
    kept = [(row, share) for row, share in zip(rows, shares, strict=True) if share > 0]
    return Hull(tuple(row for row, _ in kept), tuple(share for _, share in kept), bits)
