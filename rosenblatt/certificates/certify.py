"""What a given linear model provably does on given rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rosenblatt.arguments import as_float, shortened, yes_or_no
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates import verify_models
from rosenblatt.certificates.certificate import About, Certificate
from rosenblatt.certificates.linear_model import LinearScores, read_linear
from rosenblatt.certificates.objective import Objective, objective_of
from rosenblatt.certificates.problem import digest
from rosenblatt.certificates.reading import plain, read_labels, read_rows, same_label
from rosenblatt.certificates.roots import root_down, root_up
from rosenblatt.certificates.verify_numbers import approximate
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted

QUICK = 1 << 22  # numbers of rows for which the objective is enclosed without being asked for
SMALLEST = 1e-300  # below which float64 loses digits


@dataclass(frozen=True)
class AboutModel(About):
    """Which rows and labels a statement about a model is about; labels are numbered by the model's classes."""

    rows: Any = field(default=None, repr=False, compare=False)
    codes: Any = field(default=None, repr=False, compare=False)

    def read(self, X: Any, y: Any) -> tuple[exactly.Rows, Array]:
        X = self._rows(X)
        codes = _numbered(y, X.shape[0], self.classes)
        if codes is None:
            known = shortened(self.classes)
            raise exactly.CertificateError(f"This certificate is about the classes {known}, but y has others.")
        return self.recognise(X, codes)

    def recognise(self, X: Any, signs: Array) -> tuple[exactly.Rows, Array]:
        """Rows that are at hand are compared themselves: that is quicker than two digests."""
        if self.rows is None or self.digest or not _equal(self.rows.X, X) or not np.array_equal(self.codes, signs):
            return super().recognise(X, signs)
        return self.rows, signs

    def data(self) -> tuple[exactly.Rows, Array]:
        if self.rows is None:
            raise ValueError("This certificate has no data with it; load it with load_certificate(path, X, y).")
        return self.rows, self.codes


def _equal(known: Any, X: Any) -> bool:
    dense = isinstance(known, np.ndarray) and isinstance(X, np.ndarray)
    return dense and known.dtype == X.dtype and np.array_equal(known, X)


def _numbered(y: Any, n: int, classes: Sequence[Any]) -> Array | None:
    """The number that each label has among the classes; None if there is a label that is none of them."""
    names, codes = read_labels(y, n, least=1)
    places = [[i for i, known in enumerate(classes) if same_label(plain(name), known)] for name in names]
    if any(len(place) != 1 for place in places):
        return None
    return np.array([place[0] for place in places], dtype=np.int64)[codes]


@dataclass(frozen=True, repr=False, eq=False)
class CertifiedModel(Certificate):
    """What a linear model provably does on these rows, in real arithmetic on the very numbers given.

    A row is wrong if it is on the wrong side of a boundary or on it. At a `radius` above 0, a row is wrong as well if
    moving it by at most the radius can make it so: `errors` then counts the rows that are not certified.

    Attributes
    ----------
    errors, accuracy : the rows that are wrong, counted; the share of the others
    wrong : the rows that are wrong
    margin : every row is at least this far (l2) on its side; where it is negative, no row is further beyond
    norm, radius : what the count is about; a radius for each feature is a box
    objective : `Objective`, the proven interval for what the model minimises; None for models without one
    """

    model: LinearScores
    norm: str
    radius: float | tuple[float, ...]
    wrong: tuple[int, ...]
    margin: float
    about: AboutModel
    objective: Objective | None = None

    verdict: ClassVar[str] = "model"

    def __bool__(self) -> bool:
        return not self.wrong

    @property
    def errors(self) -> int:
        return len(self.wrong)

    @property
    def accuracy(self) -> float:
        return 1 - self.errors / self.about.shape[0]

    def at(self, radius: float | Sequence[float], norm: str = "l2") -> CertifiedModel:
        """The same model at another radius: how many rows stay right wherever they are moved by at most that far.

        `radius` is in the norm "l2", "l1" or "linf"; one number for each feature is a box.
        """
        rows, codes = self.about.data()
        norm, radius = _checked_radius(radius, norm, rows.d)
        wrong = tuple(verify_models.wrong_rows(rows, codes, self._planes(), norm, radius))
        return replace(self, norm=norm, radius=radius, wrong=wrong)

    def distances(self, norm: str = "l2") -> Array:
        """How far each row is on its side of the nearest boundary, rounded down; negative for wrong rows.

        Every row stays right wherever it is moved by less than its distance.
        """
        rows, codes = self.about.data()
        norm, _ = _checked_radius(1.0, norm, rows.d)
        result = np.full(rows.n, math.inf)
        for code, members, part in verify_models.by_class(rows, codes):
            for plane in verify_models.rivals(self._planes(), code):
                result[members] = np.minimum(result[members], _distances(part, plane, norm))
        return result

    def exact_score(self, row: int) -> list[Fraction]:
        """The scores of one row as rationals: one for two classes, one for each class otherwise."""
        rows, _ = self.about.data()
        if not 0 <= row < rows.n:
            raise IndexError(f"There are rows 0 to {rows.n - 1}, but got {row}.")
        return [plane.score(rows, row) for plane in self._planes()]

    def _planes(self) -> list[exactly.Plane]:
        return verify_models.score_planes(self.model.weights, self.model.offsets)

    def _title(self) -> str:
        return f"{len(self.model.classes)} classes, {self.about.shape[0]:,} x {self.about.shape[1]:,}"

    def __str__(self) -> str:
        few = ", ".join(map(str, self.wrong[:8])) + (", …" if self.errors > 8 else "")
        where = ""
        if self.radius != 0:
            where = ", in a box" if isinstance(self.radius, tuple) else f", within {self.radius:g} ({self.norm})"
        lines = [
            f"CertifiedModel ({self._title()})",
            f"  errors         {self.errors:,} of {counted(self.about.shape[0], 'row')}{where}"
            + (f": {few}" if self.wrong else ""),
            f"  margin         {self.margin:.6g}",
        ]
        if self.objective is not None:
            lines.append(f"  objective      {self.objective}")
        return "\n".join(lines)

    __repr__ = __str__

    def check(self, rows: exactly.Rows, signs: Array) -> None:
        planes = self._planes()
        if len(planes) != (1 if len(self.model.classes) == 2 else len(self.model.classes)):
            raise exactly.CertificateError("Two classes have one score function, more classes one each.")
        if self.model.classes != self.about.classes:
            raise exactly.CertificateError("The classes of the model must be those of the question.")
        verify_models.check_model(rows, signs, planes, self.wrong, norm=self.norm, radius=self.radius)
        verify_models.check_margin(rows, signs, planes, self.margin)
        if self.objective is not None:
            self.objective.check(rows, signs, self.model)


def certify(
    model: Any, X: Any, y: Any, *, radius: Any = 0.0, norm: str = "l2", objective: bool | None = None
) -> CertifiedModel:
    """State what a linear model provably does on these rows: its errors, its margin, its distance to every row.

    The scores w·x + b are taken in real arithmetic: `predict` may round one the other way. A row on a boundary is
    wrong. For `LinearSVM` and `LogisticRegression` of two classes with lam > 0 the objective is enclosed too.

    Parameters
    ----------
    model : a fitted linear model, ours or scikit-learn's (``coef_``, ``intercept_``), or a pair (w, b)
    X, y : rows and labels. A pair (w, b) has the second class, in sorted order, on its positive side
    radius : also count rows that become wrong when they are moved by at most this much; a list has one number for each
        feature (a box)
    norm : {"l2", "l1", "linf"}, in which the radius is measured
    objective : whether to enclose the objective, which takes longer; None does for up to four million numbers

    Returns
    -------
    CertifiedModel
        With ``errors``, ``wrong``, ``margin``, ``distances()``, ``at(radius)``, ``objective``, ``verify`` and ``save``.

    Raises
    ------
    ValueError
        If the model is not linear or not finite, if `X` and `y` do not fit it, or a radius is below 0.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certify(([1.0, 1.0], -0.5), X, y)
    CertifiedModel (2 classes, 4 x 2)
      errors         1 of 4 rows: 3
      margin         -1.06066
    """
    if objective is not None:
        yes_or_no(objective=objective)
    X = read_rows(X)
    names, _ = read_labels(y, X.shape[0], least=2 if isinstance(model, tuple | list) else 1)
    read = read_linear(model, names, X.shape[1])
    codes = _numbered(y, X.shape[0], read.classes)
    assert codes is not None  # read_linear has compared the classes
    norm, radius = _checked_radius(radius, norm, X.shape[1])
    rows = exactly.Rows(X)
    later = functools.partial(digest, X, codes)
    about = AboutModel(read.classes, True, X.shape, "", later=later, rows=rows, codes=codes)
    planes = verify_models.score_planes(read.weights, read.offsets)
    wrong = tuple(verify_models.wrong_rows(rows, codes, planes, norm, radius))
    enclosed = None
    if objective or (objective is None and rows.values.size <= QUICK):
        enclosed = objective_of(model, read, rows, codes)
    return CertifiedModel(read, norm, radius, wrong, _margin(rows, codes, planes), about, enclosed)


def _checked_radius(radius: Any, norm: Any, d: int) -> tuple[str, float | tuple[float, ...]]:
    if norm not in verify_models.NORMS:
        raise ValueError(f"norm must be one of {', '.join(verify_models.NORMS)}, but got {shortened(norm)}.")
    many = isinstance(radius, list | tuple | np.ndarray)
    radii = [as_float(plain(value)) for value in (radius if many else [radius])]
    if not all(value >= 0 and math.isfinite(value) for value in radii):
        raise ValueError(f"radius must be a finite number of at least 0, but got {shortened(radius)}.")
    if not many:
        return str(norm), float(radii[0])
    if len(radii) != d:
        raise ValueError(f"A box needs {d} radii, one for each feature, but got {len(radii)}.")
    return "linf", tuple(radii)


def _margin(rows: exactly.Rows, codes: Array, planes: list[exactly.Plane]) -> float:
    """The least distance of a row on its side, or minus the largest beyond, rounded down."""
    found = math.inf
    for square, score in verify_models.margins(rows, codes, planes):
        if not square:  # a constant score has no boundary
            found = min(found, math.inf if score > 0 else 0.0 if score == 0 else -math.inf)
        elif score >= 0:
            found = min(found, root_down(score**2 / square))
        else:
            found = min(found, -root_up(score**2 / square))
    return 0.0 if found == math.inf else found


def _distances(rows: exactly.Rows, plane: exactly.Plane, norm: str) -> Array:
    """s / ‖w‖' of every row, rounded down: from float64 where that is certain to nine digits, exactly elsewhere."""
    square = verify_models.squared_level(plane, norm, 1)
    if not square:
        return np.full(rows.n, math.inf if plane.offset > 0 else 0.0 if plane.offset == 0 else -math.inf)
    columns, errors, tops = approximate(rows, [plane])
    scores, error = columns[:, 0], float(errors[0])
    unit = Fraction(4) ** tops[0] / (plane.denominator**2 * square)
    low, high = root_down(unit) * (1 - 1e-15), root_up(unit) * (1 + 1e-15)
    with np.errstate(all="ignore"):
        safe = scores - error
        result = np.where(safe > 0, safe * low, safe * high)
        open_ = ~(np.abs(scores) > 1e9 * error) | ~np.isfinite(result) | (np.abs(result) < SMALLEST)
    if high > 1 / SMALLEST:  # or low is less than it should be
        open_[:] = True
    for row in np.flatnonzero(open_).tolist():
        result[row] = _down(plane.score(rows, row), square)
    return result


def _down(score: Fraction, square: Fraction) -> float:
    """score / sqrt(square), rounded down."""
    return root_down(score**2 / square) if score >= 0 else -root_up(score**2 / square)
