"""What a question of separability comes back with: a verdict that carries its proof."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.problem import Problem, digest, read_rows
from rosenblatt.engine.state import Array


@dataclass(frozen=True)
class Verification:
    """Whether a certificate holds for some data; true or false by itself, with the reason."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class About:
    """Which question a certificate answers: the classes, the shape of the data and how to know it again."""

    classes: tuple[Any, Any]
    intercept: bool
    shape: tuple[int, int]
    digest: str
    problem: Problem | None = field(default=None, repr=False, compare=False)

    @staticmethod
    def of(problem: Problem) -> About:
        return About(problem.classes, problem.intercept, (problem.n, problem.d), problem.digest(), problem)

    def read(self, X: Any, y: Any) -> tuple[exactly.Rows, Array]:
        """The rows and signs that the certificate speaks about."""
        X = read_rows(X)
        labels = np.asarray(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels.ravel()
        if X.shape != self.shape or labels.shape != (self.shape[0],):
            raise exactly.CertificateError(
                f"This certificate is about {self.shape[0]} rows of {self.shape[1]} features, but X has shape "
                f"{X.shape} and y {labels.shape}."
            )
        negative, positive = (np.asarray(labels == name) for name in self.classes)
        if negative.shape != labels.shape or positive.shape != labels.shape or not (negative | positive).all():
            raise exactly.CertificateError(f"This certificate is about the classes {self.classes}, but y has others.")
        signs = np.where(positive, 1, -1).astype(np.int8)
        if digest(X, signs) != self.digest:
            raise exactly.CertificateError("The data is not the data that this certificate is about: digests differ.")
        return exactly.Rows(X), signs


class Certificate(ABC):
    """A verdict with its proof."""

    verdict: ClassVar[str]
    about: About

    @abstractmethod
    def check(self, rows: exactly.Rows, signs: Array) -> None:
        """Raise `CertificateError` unless the whole proof holds for these rows."""

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the whole proof in exact arithmetic on these very numbers.

        The answer is true or false by itself, and its `reason` says what failed.
        """
        try:
            rows, signs = self.about.read(X, y)
        except ValueError as error:
            return Verification(False, str(error))
        try:
            self.check(rows, signs)
        except exactly.CertificateError as error:
            return Verification(False, str(error))
        except (ValueError, OverflowError, TypeError, IndexError, ZeroDivisionError) as error:
            return Verification(False, f"The certificate is not made of proper numbers ({error}).")
        return Verification(True, f"{self.verdict}: checked in exact arithmetic on all {self.about.shape[0]:,} rows")

    def save(self, path: Any) -> None:
        """Write the certificate as JSON; `load_certificate` reads and verifies it."""
        from rosenblatt.certificates.files import write

        write(self, path)

    def _title(self) -> str:
        negative, positive = self.about.classes
        through = "" if self.about.intercept else ", hyperplane through the origin"
        return f"{positive!r} against {negative!r}, {self.about.shape[0]:,} x {self.about.shape[1]:,}{through}"

    def _repr_html_(self) -> str:
        return "<pre>" + str(self).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"


def root_down(value: Fraction) -> float:
    """A float at most sqrt(value), and close to it."""
    if value <= 0:
        return 0.0
    # 2^(2 shift) · value has about 128 bits: its whole root has 64.
    shift = 64 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value.numerator << max(0, 2 * shift), value.denominator << max(0, -2 * shift)
    root = Fraction(math.isqrt(scaled[0] // scaled[1])) / (Fraction(2) ** shift)
    try:
        result = float(root)
    except OverflowError:
        return math.nextafter(math.inf, 0)
    return math.nextafter(result, 0) if Fraction(result) > root else result


def root_up(value: Fraction) -> float:
    """A float at least sqrt(value), and close to it."""
    low = root_down(value)
    for _ in range(4):
        if not math.isinf(low) and Fraction(low) ** 2 >= value:
            return low
        low = math.nextafter(low, math.inf)
    return low


def counted(number: int, name: str) -> str:
    """A number with its noun; short if it has very many digits."""
    told = (
        f"{number:,}"
        if number < 10**18
        else f"{Fraction(number).numerator:.3e}"
        if number < 10**300
        else (f"10^{math.floor((number.bit_length() - 1) * math.log10(2))}")
    )
    return f"{told} {name}{'s' * (number != 1)}"


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


@dataclass(frozen=True, repr=False, eq=False)
class Separable(Certificate):
    """Proof that a hyperplane separates the classes, with the widest margin and the theorem's bound.

    Attributes
    ----------
    normal, offset : the hyperplane normal·x + offset = 0; the second class lies where the left side is positive.
        It is the one of the widest geometric margin found
    margin, margin_upper : the largest geometric margin (distance from the hyperplane to the nearest row) lies between
    radius : R', the largest length of a row in the perceptron's coordinates, (x, 1) if there is an intercept
    gamma, gamma_upper : gamma', the largest margin in those coordinates, lies between
    mistake_bound : the perceptron makes at most this many mistakes, in any order of the rows: R'^2 / gamma^2
    support_vectors : the rows nearest to the hyperplane: they carry the bound from above
    """

    normal: Array
    offset: float
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

    verdict: ClassVar[str] = "separable"

    def __bool__(self) -> bool:
        return True

    @property
    def support_vectors(self) -> Array:
        """The rows that carry the bound from above, in order."""
        return np.array(sorted(self.hull.rows) if self.hull else [], dtype=np.int64)

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
        if math.isinf(self.gap):
            return "not bounded from above yet"
        if self.gap > 1:
            return f"and the largest is at most {self.margin_upper:.3g}"
        return f"the largest to within {100 * self.gap:.2g} %" if self.gap > 1e-9 else "the largest to the last digit"

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        intercept = self.about.intercept
        numbers = (self.margin, self.margin_upper, self.radius, self.gamma, self.gamma_upper)
        if any(math.isnan(number) or number < 0 for number in numbers) or math.inf in (self.margin, self.gamma):
            raise exactly.CertificateError("Margins and the radius must be numbers, and not negative.")
        if any(len(plane[0]) != rows.d for plane in (self.plane, self.theorem_plane)):
            raise exactly.CertificateError(f"A hyperplane needs {rows.d} numbers, one for each feature.")
        if not intercept and (self.plane[1] or self.theorem_plane[1]):
            raise exactly.CertificateError("Without an intercept the hyperplane must pass through the origin.")
        plane = exactly.Plane(*self.plane)
        exactly.check_sides(rows, signs, plane, strictly=True)
        if not np.array_equal(self.normal, np.array([float(value) for value in self.plane[0]])):
            raise exactly.CertificateError("The normal must be that of the proven hyperplane, and it is another.")
        if self.offset != float(self.plane[1]):
            raise exactly.CertificateError("The offset must be that of the proven hyperplane, and it is another.")
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
        if math.isinf(upper):
            return  # says nothing, and is true
        weights = hull.fractions()
        exactly.check_convex(signs, hull.rows, weights, intercept=hulls == 2, n=rows.n)
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
    refinement: Certificate | None = field(default=None, repr=False, compare=False)

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

    def _problem(self) -> Problem:
        if self.about.problem is None:
            raise ValueError("This certificate came from a file and has no data with it; pass X and y.")
        return self.about.problem

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
class QuasiComplete(Certificate):
    """Proof that the classes touch without mixing: a hyperplane with every row on its side or on it.

    At least one row is strictly on its side, and `witness` shows that they are not all so. `strictly` counts the rows
    that are.
    """

    normal: Array
    offset: float
    strictly: int
    about: About
    plane: tuple[tuple[exactly.Number, ...], exactly.Number] = field(repr=False)
    witness: NotSeparable = field(repr=False)

    verdict: ClassVar[str] = "quasi-complete"

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
        if not self.about.intercept and self.plane[1] != 0:
            raise exactly.CertificateError("Without an intercept the hyperplane must pass through the origin.")
        if len(self.plane[0]) != rows.d:
            raise exactly.CertificateError(f"A hyperplane needs {rows.d} numbers, one for each feature.")
        shown = np.array([float(value) for value in self.plane[0]])
        if not np.array_equal(self.normal, shown) or self.offset != float(self.plane[1]):
            raise exactly.CertificateError("The normal and offset must be those of the proven hyperplane.")
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


class SeparabilityTable:
    """The verdicts for several classes: every pair, and every class against the rest.

    `pairs[a, b]` and `rest[a]` are certificates. Printed as a table: above the diagonal the pairs.
    """

    def __init__(self, classes: Sequence[Any]) -> None:
        self.classes = list(classes)
        self.pairs: dict[tuple[Any, Any], Certificate] = {}
        self.rest: dict[Any, Certificate] = {}

    def __iter__(self) -> Iterator[tuple[str, Certificate]]:
        for (a, b), certificate in self.pairs.items():
            yield f"{a} against {b}", certificate
        for a, certificate in self.rest.items():
            yield f"{a} against the rest", certificate

    def __len__(self) -> int:
        return len(self.pairs) + len(self.rest)

    def __bool__(self) -> bool:
        raise ValueError("A table holds several verdicts, which is neither yes nor no; look at .pairs and .rest.")

    def _repr_html_(self) -> str:
        return "<pre>" + str(self).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"

    def missing(self) -> list[str]:
        """The questions that a whole table would answer and this one does not."""
        pairs = [pair for pair in itertools.combinations(self.classes, 2) if pair not in self.pairs]
        return [f"{a} against {b}" for a, b in pairs] + [
            f"{a} against the rest" for a in self.classes if a not in self.rest
        ]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each question, ready for a frame."""
        found = []
        for name, certificate in self:
            record: dict[str, Any] = {"question": name, "verdict": certificate.verdict}
            if isinstance(certificate, Separable):
                record |= {"margin": certificate.margin, "margin_upper": certificate.margin_upper}
                record |= {"mistake_bound": certificate.mistake_bound, "rows": len(certificate.support_vectors)}
            elif isinstance(certificate, NotSeparable):
                record |= {"margin": 0.0, "margin_upper": 0.0, "mistake_bound": None, "rows": len(certificate.rows)}
            found.append(record)
        return found

    def _cell(self, certificate: Certificate | None) -> str:
        if isinstance(certificate, Separable):
            return f"{certificate.margin:.3g}"
        if certificate is None:
            return ""
        return "no" if isinstance(certificate, NotSeparable) else "?"

    def __str__(self) -> str:
        names = [str(name) for name in self.classes]
        lines = [["", *names[1:], "rest"]]
        for i, a in enumerate(self.classes):
            cells = [self._cell(self.pairs.get((a, b))) for b in self.classes[1:]]
            lines.append([names[i], *cells, self._cell(self.rest.get(a))])
        widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
        table = "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)
        counts = {name: sum(c.verdict == name for _, c in self) for name in ("separable", "not separable", "undecided")}
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        return f"{table}\n{told} (a number is the margin of a separable pair)"

    __repr__ = __str__

    def verify(self, X: Any, y: Any) -> Verification:
        """Check every certificate in exact arithmetic."""
        X, labels = read_rows(X), np.asarray(y)
        if self.missing() or sorted(np.unique(labels).tolist()) != sorted(self.classes):
            return Verification(False, "A table must answer every pair and every class against the rest, and does not.")
        for (a, b), certificate in self.pairs.items():
            chosen = np.flatnonzero((labels == a) | (labels == b))
            found = certificate.verify(X[chosen], labels[chosen])
            if not found:
                return Verification(False, f"{a} against {b}: {found.reason}")
        for a, certificate in self.rest.items():
            found = certificate.verify(X, against_rest(labels, a))
            if not found:
                return Verification(False, f"{a} against the rest: {found.reason}")
        return Verification(True, f"{len(self)} certificates checked in exact arithmetic")

    def save(self, path: Any) -> None:
        """Write all certificates in one JSON file; `load_certificate` reads and verifies it."""
        from rosenblatt.certificates.files import write

        write(self, path)


REST = "the rest"


def against_rest(labels: Array, name: Any) -> Array:
    """Labels of two kinds: the name of one class, and "the rest"."""
    return np.array([REST, name], dtype=object)[np.asarray(labels == name).astype(int)]
