"""What a question of separability comes back with: a verdict that carries its proof."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import About, Certificate
from rosenblatt.certificates.problem import Problem
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted


@dataclass(frozen=True)
class Hull:
    """Rows with convex weights that are whole numbers over 2^bits: a point that bounds a margin from above.

    60 bits are enough but for features that are very much larger than the margin.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    bits: int = 60

    SHARES: ClassVar[int] = 1 << 60
    BITS: ClassVar[tuple[int, ...]] = (60, 240, 960, 2400)  # the last for the smallest beside the largest float64

    def fractions(self) -> list[Fraction]:
        if self.bits not in self.BITS:
            raise exactly.CertificateError(f"The shares of a hull have {', '.join(map(str, self.BITS))} bits.")
        return [Fraction(weight, 1 << self.bits) for weight in self.weights]


class WithPlane(Certificate):
    """A proof by a hyperplane, which is exact in `plane`; `normal` and `offset` are its nearest floats."""

    plane: tuple[tuple[exactly.Number, ...], exactly.Number]

    @functools.cached_property
    def _floats(self) -> list[float]:
        return exactly.nearest_floats([*self.plane[0], self.plane[1]])

    @functools.cached_property
    def normal(self) -> Array:
        """The normal of the hyperplane in float64."""
        return np.array(self._floats[:-1])

    @property
    def offset(self) -> float:
        """The offset of the hyperplane in float64."""
        return self._floats[-1]

    @property
    def exact_normal(self) -> tuple[Fraction, ...]:
        """The normal of the proven hyperplane, as rationals."""
        return tuple(Fraction(value) for value in self.plane[0])

    @property
    def exact_offset(self) -> Fraction:
        """The offset of the proven hyperplane, as a rational."""
        return Fraction(self.plane[1])

    @property
    def floats_separate(self) -> bool:
        """Whether the floats `normal` and `offset` have every row on its side too, and not the exact numbers only."""
        if [Fraction(value) for value in self._floats] == [*self.exact_normal, self.exact_offset]:
            return True
        problem = self._problem()
        plane = exactly.Plane(self.normal, self.offset)
        try:
            exactly.check_sides(problem.X, problem.signs, plane, strictly=isinstance(self, Separable))
        except exactly.CertificateError:
            return False
        return True

    def _check_plane(self, d: int) -> None:
        if len(self.plane[0]) != d:
            raise exactly.CertificateError(f"A hyperplane needs {d} numbers, one for each feature.")
        if not self.about.intercept and self.plane[1]:
            raise exactly.CertificateError("Without an intercept the hyperplane must pass through the origin.")


@dataclass(frozen=True, repr=False, eq=False)
class Separable(WithPlane):
    """Proof that a hyperplane separates the classes, with the widest margin and the theorem's bound.

    Attributes
    ----------
    normal, offset : the hyperplane normal·x + offset = 0; the second class lies where the left side is positive.
        It is the one of the widest geometric margin found
    exact_normal, exact_offset : the same as rationals: this is the hyperplane that is proven
    floats_separate : whether `normal` and `offset`, which may be rounded, separate the rows as well
    tolerance_reached : whether `margin` and `gamma` are within the tolerance of the largest; None from a file
    margin, margin_upper : the largest geometric margin (distance from the hyperplane to the nearest row) lies between
    radius : R', the largest length of a row in the perceptron's coordinates, (x, 1) if there is an intercept
    gamma, gamma_upper : gamma', the largest margin in those coordinates, lies between
    mistake_bound : the perceptron makes at most this many mistakes, in any order of the rows: R'^2 / gamma^2
    support_vectors : the rows nearest to the hyperplane: they carry the bound from above
    """

    margin: float
    margin_upper: float
    radius: float
    gamma: float
    gamma_upper: float
    mistake_bound: int
    about: About
    plane: tuple[tuple[exactly.Number, ...], exactly.Number] = field(repr=False)
    theorem_plane: tuple[tuple[exactly.Number, ...], exactly.Number] = field(repr=False)
    hull: Hull | None = field(repr=False)
    theorem_hull: Hull | None = field(repr=False)
    tolerance: float | None = None  # what was asked for

    verdict: ClassVar[str] = "separable"

    def __bool__(self) -> bool:
        return True

    @property
    def support_vectors(self) -> Array:
        """The rows that carry the bound from above, in order."""
        return np.array(sorted(self.hull.rows) if self.hull else [], dtype=np.int64)

    @property
    def tolerance_reached(self) -> bool | None:
        """Whether both margins are proven to be as close to the largest as was asked for."""
        if self.tolerance is None:
            return None
        pairs = ((self.margin, self.margin_upper), (self.gamma, self.gamma_upper))
        return self.tolerance >= 1 or all(low >= (1 - self.tolerance) * high for low, high in pairs)

    @property
    def gap(self) -> float:
        """How much larger the largest margin might be, as a share of `margin`."""
        return self.margin_upper / self.margin - 1 if self.margin else math.inf

    def __str__(self) -> str:
        return (
            f"Separable ({self._title()})\n"
            f"  margin         {self.margin:.6g}, {self._nearness()}\n"
            f"  support        {counted(len(self.support_vectors), 'row')}\n"
            f"  theorem        R' = {self.radius:.6g}, gamma' = {self.gamma:.6g}: "
            f"at most {counted(self.mistake_bound, 'mistake')}"
        )

    __repr__ = __str__

    def _nearness(self) -> str:
        """How close the margin is to the largest one, in words."""
        if math.isinf(self.margin_upper):
            return "not bounded from above yet"
        if not self.margin:
            return f"rounded down, and the largest is at most {self.margin_upper:.3g}"
        if self.gap > 1:
            return f"and the largest is at most {self.margin_upper:.3g}"
        return f"the largest to within {100 * self.gap:.2g} %" if self.gap > 1e-9 else "the largest to the last digit"

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        intercept = self.about.intercept
        numbers = (self.margin, self.margin_upper, self.radius, self.gamma, self.gamma_upper)
        if any(math.isnan(number) or number < 0 for number in numbers) or math.inf in (self.margin, self.gamma):
            raise exactly.CertificateError("Margins and the radius must be numbers, and not negative.")
        self._check_plane(rows.d)
        if len(self.theorem_plane[0]) != rows.d or (not intercept and self.theorem_plane[1]):
            raise exactly.CertificateError("The theorem's hyperplane must be one of the question that is answered.")
        plane = exactly.Plane(*self.plane)
        exactly.check_sides(rows, signs, plane, strictly=True)
        floor = exactly.least(rows, signs, plane)[0]
        if Fraction(self.margin) ** 2 * plane.squared_length(with_offset=False) > floor**2:
            raise exactly.CertificateError("The hyperplane must have the margin that is stated, and its is smaller.")
        theorem = exactly.Plane(*self.theorem_plane)
        floor = exactly.least(rows, signs, theorem)[0]
        length = theorem.squared_length(with_offset=intercept)
        if floor <= 0 or Fraction(self.gamma) ** 2 * length > floor**2:
            raise exactly.CertificateError("The theorem's hyperplane must have the gamma stated, and its is smaller.")
        square = exactly.largest_square(rows, constant=intercept)
        if not math.isinf(self.radius) and Fraction(self.radius) ** 2 < square:
            raise exactly.CertificateError("R' must be at least the length of every row, and it is not.")
        below = self.radius
        for _ in range(4):  # floats by which it may be rounded up
            below = math.nextafter(below, 0)
        if self.radius and Fraction(below) ** 2 >= square:
            raise exactly.CertificateError("R' must be the length of the longest row, rounded up, and it is more.")
        if self.mistake_bound < math.floor(square * length / floor**2):
            raise exactly.CertificateError("The mistake bound must be R'^2/gamma'^2 or more, and it is less.")
        self._check_hull(rows, signs, self.hull, self.margin_upper, 2 if intercept else 1, constant=False)
        self._check_hull(rows, signs, self.theorem_hull, self.gamma_upper, 1, constant=intercept)

    @staticmethod
    def _check_hull(
        rows: exactly.Rows, signs: Array, hull: Hull | None, upper: float, hulls: int, *, constant: bool
    ) -> None:
        if hull is None:
            if upper != math.inf:
                raise exactly.CertificateError("A bound from above needs a point of the hulls, and there is none.")
            return
        weights = hull.fractions()
        exactly.check_convex(signs, hull.rows, weights, intercept=hulls == 2, n=rows.n)
        if math.isinf(upper):
            return  # says nothing, and is true
        if Fraction(upper) ** 2 * hulls**2 < exactly.squared_distance(
            rows, signs, hull.rows, weights, constant=constant
        ):
            raise exactly.CertificateError("The bound from above must be that of its point of the hulls.")


@dataclass(frozen=True, repr=False)
class NotSeparable(Certificate):
    """Proof that no hyperplane separates the classes: a point that lies in both convex hulls.

    Attributes
    ----------
    rows : the rows of the data that take part, at most d + 2
    weights : one positive rational for each; they sum to 1 over each class, and both weighted sums are the same point
        (without intercept: they sum to 1 over all, and sum_i weight_i y_i x_i = 0)
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...] = field(repr=False)
    about: About = field(repr=False)

    verdict: ClassVar[str] = "not separable"

    def __bool__(self) -> bool:
        return False

    @property
    def exact_point(self) -> tuple[Fraction, ...]:
        """The common point of the hulls, as rationals (without intercept: the origin)."""
        total = [Fraction(0)] * self.about.shape[1]
        if not self.about.intercept:
            return tuple(total)
        problem = self._problem()
        rows = exactly.Rows(problem.X)
        chosen = [(row, w) for row, w in zip(self.rows, self.weights, strict=True) if problem.signs[row] > 0]
        sums = exactly.combination(rows, np.abs(problem.signs), [row for row, _ in chosen], [w for _, w in chosen])
        for column, value in sums.items():
            total[column] = value
        return tuple(total)

    @property
    def point(self) -> Array:
        """The common point of the hulls in float64."""
        return np.array([float(value) for value in self.exact_point])

    def refine(self, X: Any = None, y: Any = None, *, time_limit: float | None = None, verbose: int = 0) -> Any:
        """Tell `Overlapping` from `QuasiComplete`, each with its own proof.

        Quasi-complete: some hyperplane has every row on its side or on it, and at least one row strictly. Then, and
        when the classes are separable, a logistic regression without a prior has no finite weights.
        """
        from rosenblatt.certificates.refine import refine

        if X is None:
            problem = self._problem()
        else:
            rows, signs = self.about.read(X, y)
            problem = Problem(rows.X, signs, self.about.classes, self.about.intercept)
        return refine(problem, self, time_limit=time_limit, verbose=verbose)

    def __str__(self) -> str:
        bits = max(weight.denominator.bit_length() for weight in self.weights)
        digits = 1 + math.floor((bits - 1) * math.log10(2))
        where = "both hulls share a point" if self.about.intercept else "0 lies in the hull of the rows y·x"
        named = ", ".join(map(str, self.rows[:8])) + (", …" if len(self.rows) > 8 else "")
        return (
            f"NotSeparable ({self._title()})\n"
            f"  witness        {where}: positive rational weights on {counted(len(self.rows), 'row')}\n"
            f"  rows           {named}\n"
            f"  weights        rationals of up to {digits:,} digit{'s' * (digits > 1)}, checked exactly"
        )

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        exactly.check_witness(rows, signs, self.rows, self.weights, intercept=self.about.intercept)


@dataclass(frozen=True, repr=False)
class Overlapping(Certificate):
    """Proof that no hyperplane has every row on its side or on it, but for those with all rows on it.

    Every row takes part in one combination that is 0: each has `share`/(size of its class) of weight, and `rows` have
    `weights` on top. Were a score y(w·x + b) positive somewhere and negative nowhere, that sum could not be 0.
    """

    rows: tuple[int, ...]
    weights: tuple[Fraction, ...] = field(repr=False)
    share: Fraction
    about: About = field(repr=False)

    verdict: ClassVar[str] = "overlapping"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return (
            f"Overlapping ({self._title()})\n"
            f"  proof          a share of {self.share} on every row, and positive weights on {len(self.rows):,}\n"
            f"  so             a logistic fit has finite weights"
        )

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        intercept = self.about.intercept
        if not self.share > 0:
            raise exactly.CertificateError("The share that every row has must be positive.")
        exactly.check_convex(signs, self.rows, self.weights, intercept=intercept, n=rows.n)
        total = exactly.combination(rows, signs, self.rows, self.weights)
        for column, value in exactly.class_means(rows, signs, intercept=intercept).items():
            total[column] = total.get(column, Fraction(0)) + self.share * value
        if any(total.values()):
            raise exactly.CertificateError("The combination of all rows must be 0, and it is not.")


@dataclass(frozen=True, repr=False, eq=False)
class QuasiComplete(WithPlane):
    """Proof that the classes touch without mixing: a hyperplane with every row on its side or on it.

    At least one row is strictly on its side, and `witness` shows that they are not all so. `strictly` counts the rows
    that are. The hyperplane is in whole numbers; `exact_normal` and `exact_offset` have them where they do not fit
    float64, and then `floats_separate` says whether the rounded `normal` and `offset` still misplace no row.
    """

    strictly: int
    about: About
    plane: tuple[tuple[exactly.Number, ...], exactly.Number] = field(repr=False)
    witness: NotSeparable = field(repr=False)

    verdict: ClassVar[str] = "quasi-complete"

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        touching = self.about.shape[0] - self.strictly
        return (
            f"QuasiComplete ({self._title()})\n"
            f"  proof          a hyperplane with {self.strictly:,} rows strictly on their sides, {touching:,} on it\n"
            f"  so             a logistic fit without a prior has no finite weights"
        )

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        if self.witness.about.intercept != self.about.intercept:
            raise exactly.CertificateError("The witness must answer the same question: with an intercept, or without.")
        self.witness.check(rows, signs)
        self._check_plane(rows.d)
        plane = exactly.Plane(*self.plane)
        exactly.check_sides(rows, signs, plane, strictly=False)
        if self.strictly != exactly.count_off(rows, signs, plane):
            raise exactly.CertificateError("The number of rows strictly on their sides must be right, and it is not.")


@dataclass(frozen=True, repr=False)
class Undecided(Certificate):
    """No verdict, with the reason; the hulls are at most `margin_upper` · 2 apart."""

    reason: str
    margin_upper: float
    about: About = field(repr=False)

    verdict: ClassVar[str] = "undecided"

    def __bool__(self) -> bool:
        raise ValueError(f"The question is undecided ({self.reason}), which is neither yes nor no; look at .reason.")

    def __str__(self) -> str:
        known = math.isfinite(self.margin_upper)
        told = f"if there is a margin, it is at most {self.margin_upper:.3g}" if known else "no bound on the margin"
        return f"Undecided ({self._title()})\n  reason         {self.reason}\n  so far         {told}"

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        raise exactly.CertificateError(f"There is nothing to verify: {self.reason}.")
