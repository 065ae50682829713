"""Separability of rows that no machine holds: a few rows here, checks at the workers, and an exact proof.

Here is a working set, of which `rosenblatt.separability` finds the widest margin. If no hyperplane separates the
working set, none separates all rows, and the proof of the one is that of the other. Otherwise workers name the rows
that are closer to its hyperplanes, or on the wrong side; they join the working set. Each round adds rows, so the rounds
end: then every row is as far away as the tolerance asks, which workers confirm in exact arithmetic. Rows that bound
the margin from above for the working set do so for all.
"""

from __future__ import annotations

import itertools
import math
import operator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import About, Certificate, Verification
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.prover import decide
from rosenblatt.certificates.reading import check_tolerance, plain
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.certificates.roots import root_down, root_up
from rosenblatt.certificates.table import REST
from rosenblatt.certificates.watching import Watcher
from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import Block, Partitions, partitions_of
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted

NAMED = 64  # rows that a partition names in a round for each hyperplane, at most


@dataclass(frozen=True)
class Verdict:
    """What was found about two classes, with its proof; as a condition, whether they are separable.

    Attributes
    ----------
    certificate : the verdict on the working set (`Separable`, `NotSeparable` or `Undecided`), as on one machine
    rows : the numbers of its rows among all rows
    margin, margin_upper : the largest geometric margin of all rows lies between
    radius, gamma, mistake_bound : R' and gamma' of all rows, and the most mistakes of a perceptron on them
    rounds : how often the workers were asked
    """

    certificate: Certificate
    rows: tuple[int, ...] = field(repr=False)
    shape: tuple[int, int]
    rounds: int
    margin: float = 0.0
    margin_upper: float = 0.0
    radius: float = 0.0
    gamma: float = 0.0
    mistake_bound: int | None = None

    def __bool__(self) -> bool:
        return bool(self.certificate)

    @property
    def verdict(self) -> str:
        return self.certificate.verdict

    def verify(self, X: Any, y: Any, *, client: Any = None) -> Verification:
        """Check the whole proof in exact arithmetic, every row at its worker; `X` and `y` as in `separability`."""
        about = self.certificate.about
        try:
            with Dask(client) as backend:
                found = partitions_of(backend, X, y, None, targets=False, persist="auto")
                if (found.n_rows, found.width) != self.shape:
                    shape = (found.n_rows, found.width)
                    return Verification(False, f"This verdict is about rows of the shape {self.shape}, not {shape}.")
                taken = _taken(backend, found, self.rows)
                signs = _signs(taken.y, about.classes)
                proof = self.certificate.verify_signs(*about.recognise(taken.X, signs))
                if not proof or not isinstance(self.certificate, Separable):
                    return proof
                floors, square = _exactly(backend, found, self.certificate)
        except (ValueError, exactly.CertificateError) as error:
            return Verification(False, str(error))
        if self != _proven(self, self.certificate, floors, square):
            return Verification(False, "The margin, gamma, radius and bound must be those of all rows.")
        return Verification(True, f"separable: checked in exact arithmetic on all {self.shape[0]:,} rows")

    def __str__(self) -> str:
        negative, positive = self.certificate.about.classes
        lines = [
            f"{self.verdict.capitalize()} ({positive!r} against {negative!r}, {self.shape[0]:,} x {self.shape[1]:,})"
        ]
        if isinstance(self.certificate, Separable):
            lines.append(f"  margin         {self.margin:.6g}, the largest is at most {self.margin_upper:.6g}")
            bound = counted(self.mistake_bound or 0, "mistake")
            lines.append(f"  theorem        R' = {self.radius:.6g}, gamma' = {self.gamma:.6g}: at most {bound}")
        lines.append(f"  proof          on {counted(len(self.rows), 'row')}, after {counted(self.rounds, 'round')}")
        return "\n".join(lines)

    __repr__ = __str__


def separability(
    X: Any, y: Any, fit_intercept: bool = True, *, client: Any = None, tolerance: float = 0.01, persist: Any = "auto"
) -> Any:
    """Decide whether a hyperplane separates the classes, for rows that no machine holds, with an exact proof.

    Parameters
    ----------
    X, y, client, persist
        As in `fit`.
    fit_intercept, tolerance
        As in `rosenblatt.separability`.

    Returns
    -------
    Verdict, or dict
        For more than two classes one `Verdict` for each pair, and for each class against the rest, by the two names.
        Each has ``verify(X, y)``, which checks every row in parallel.
    """
    check_tolerance(tolerance)
    with Dask(client) as backend:
        found = partitions_of(backend, X, y, None, targets=False, persist=persist)
        names = [plain(name) for name in found.classes]
        if len(names) < 2:
            raise ValueError(f"y must hold at least 2 classes, but got 1 class ({names[0]!r}); add rows of another.")
        pairs = list(itertools.combinations(names, 2))
        if len(names) == 2:
            return question(backend, found, pairs[0], bool(fit_intercept), tolerance)
        pairs += [(REST, name) for name in names]
        return {pair: question(backend, found, pair, bool(fit_intercept), tolerance) for pair in pairs}


def question(backend: Dask, found: Partitions, classes: tuple[Any, Any], intercept: bool, tolerance: float) -> Verdict:
    """The verdict on one question: the second class against the first, which may be the rest."""
    shape = (found.n_rows, found.width)
    (low, n_low), (high, n_high) = backend.tree_reduce(_added, backend.map(_class_sums, found.parts, classes))
    normal = high / n_high - low / n_low if intercept else high - low
    offset = -float(normal @ (high / n_high + low / n_low)) / 2.0 if intercept else 0.0
    planes, certificate = [(normal, offset, math.inf)], None
    rows, working, signs = np.empty(0, np.int64), None, np.empty(0, np.int8)
    for rounds in itertools.count(1):
        handles = backend.map(_hard, found.parts, classes, planes)
        named, blocks, their = _named(backend.tree_reduce(operator.add, handles), found)
        fresh = ~np.isin(named, rows)
        if fresh.any():
            working = blocks[fresh] if working is None else _stacked([working, blocks[fresh]])
            rows, signs = np.concatenate([rows, named[fresh]]), np.concatenate([signs, their[fresh]])
            certificate = decide(Problem(working, signs, classes, intercept), tolerance, math.inf, Watcher())
            if not isinstance(certificate, Separable):
                return _without_margin(certificate, working, signs, rows, shape, rounds)
            planes = _planes(certificate, tolerance)
            continue
        assert isinstance(certificate, Separable)  # the first round names rows
        floors, square = _exactly(backend, found, certificate)
        if min(floors) > 0:
            return _proven(Verdict(certificate, tuple(rows.tolist()), shape, rounds), certificate, floors, square)
        if planes[0][2] == math.inf:
            certificate = Undecided(
                "floats cannot tell a row from the hyperplane", certificate.margin_upper, certificate.about
            )
            return _without_margin(certificate, working, signs, rows, shape, rounds)
        planes = [(normal, offset, math.inf) for normal, offset, _ in planes]  # floats misjudged a row
    raise AssertionError


def _planes(certificate: Separable, tolerance: float) -> list[tuple[Array, float, float]]:
    """Both hyperplanes in floats, with the score below which a row is too close."""
    floats = exactly.nearest_floats([*certificate.theorem_plane[0], certificate.theorem_plane[1]])
    normal, offset, share = np.array(floats[:-1]), floats[-1], 1.0 - tolerance
    length = float(np.linalg.norm(floats if certificate.about.intercept else normal))
    wide = (
        certificate.normal,
        certificate.offset,
        share * certificate.margin * float(np.linalg.norm(certificate.normal)),
    )
    return [wide, (normal, offset, share * certificate.gamma * length)]


def _proven(verdict: Verdict, certificate: Separable, floors: list[Fraction], square: Fraction) -> Verdict:
    """The verdict with the numbers that hold for all rows, from the exact least scores and the largest square."""
    lengths = [
        exactly.Plane(*certificate.plane).squared_length(with_offset=False),
        exactly.Plane(*certificate.theorem_plane).squared_length(with_offset=certificate.about.intercept),
    ]
    margin, gamma = (
        root_down(floor**2 / length) if floor > 0 else 0.0 for floor, length in zip(floors, lengths, strict=True)
    )
    bound = math.floor(square * lengths[1] / floors[1] ** 2) if floors[1] > 0 else None
    return Verdict(
        certificate, verdict.rows, verdict.shape, verdict.rounds, margin, certificate.margin_upper, root_up(square),
        gamma, bound,
    )  # fmt: skip


def _without_margin(
    certificate: Certificate, working: Any, signs: Array, rows: Array, shape: tuple[int, int], rounds: int
) -> Verdict:
    """The verdict where the working set has no margin: a witness is cut down to its own rows."""
    if isinstance(certificate, NotSeparable):
        used = np.array(certificate.rows)
        about = certificate.about
        problem = Problem(working[used], signs[used], about.classes, about.intercept)
        certificate = NotSeparable(tuple(range(len(used))), certificate.weights, About.of(problem))
        rows = rows[used]
    upper = certificate.margin_upper if isinstance(certificate, Undecided) else 0.0
    return Verdict(certificate, tuple(rows.tolist()), shape, rounds, margin_upper=upper)


# ---------------------------------------------------------------------- at the workers


def _signs(y: Array, classes: tuple[Any, Any]) -> Array:
    """+1 for the second class, -1 for the first, 0 for others."""
    negative = np.ones(len(y), bool) if classes[0] == REST else y == classes[0]
    return np.where(y == classes[1], 1, np.where(negative, -1, 0)).astype(np.int8)


def _class_sums(block: Block, classes: tuple[Any, Any]) -> list[tuple[Array, int]]:
    signs = _signs(block.y, classes)
    return [
        (np.asarray((signs == sign) @ block.X.astype(np.float64)).ravel(), int((signs == sign).sum()))
        for sign in (-1, 1)
    ]


def _added(one: list[tuple[Array, int]], other: list[tuple[Array, int]]) -> list[tuple[Array, int]]:
    return [(a + b, m + n) for (a, m), (b, n) in zip(one, other, strict=True)]


def _hard(block: Block, classes: tuple[Any, Any], planes: list[tuple[Array, float, float]]) -> list[Any]:
    """[(numbers of rows, the rows, their signs)]: the nearest to each hyperplane among those that are too close."""
    signs = _signs(block.y, classes)
    members = np.flatnonzero(signs)
    named = [np.empty(0, np.int64)]
    for normal, offset, limit in planes:
        scores = (np.asarray(block.X[members] @ normal, np.float64) + offset) * signs[members]
        few = min(NAMED, len(members))
        nearest = np.argpartition(scores, few - 1)[:few] if few else members
        named.append(members[nearest[scores[nearest] < limit]])
    chosen = np.unique(np.concatenate(named))
    return [(chosen, block.X[chosen], signs[chosen])]


def _named(found: list[Any], partitions: Partitions) -> tuple[Array, Any, Array]:
    """(numbers among all rows, the rows, their signs) of what the partitions named."""
    starts = np.cumsum([0, *(look.rows for look in partitions.looks[:-1])])
    numbers = np.concatenate([start + rows for start, (rows, _, _) in zip(starts, found, strict=True)])
    return numbers, _stacked([X for _, X, _ in found]), np.concatenate([signs for _, _, signs in found])


def _stacked(blocks: list[Any]) -> Any:
    sparse = scipy.sparse.issparse(blocks[0])
    return scipy.sparse.vstack(blocks, format="csr") if sparse else np.concatenate(blocks)


def _taken(backend: Dask, partitions: Partitions, rows: tuple[int, ...]) -> Block:
    """These rows of all, with their labels."""
    starts = np.cumsum([0, *(look.rows for look in partitions.looks[:-1])])
    wanted, parts = np.array(rows), partitions.parts
    places = np.searchsorted(starts, wanted, side="right") - 1
    used = np.unique(places)
    handles = [backend.map(_rows_of, [parts[n]], wanted[places == n] - starts[n])[0] for n in used.tolist()]
    found = backend.tree_reduce(operator.add, handles)
    order = np.argsort(np.concatenate([np.flatnonzero(places == n) for n in used]))
    return Block(_stacked([X for X, _ in found])[order], np.concatenate([y for _, y in found])[order], None)


def _rows_of(block: Block, rows: Array) -> list[tuple[Any, Array]]:
    return [(block.X[rows], block.y[rows])]


def _exactly(backend: Dask, partitions: Partitions, certificate: Separable) -> tuple[list[Fraction], Fraction]:
    """The exact least scores of all rows for both hyperplanes, and the largest square of a row."""
    about, planes = certificate.about, (certificate.plane, certificate.theorem_plane)
    handles = backend.map(_exact, partitions.parts, about.classes, about.intercept, planes)
    found = [one for one in backend.tree_reduce(operator.add, handles) if one is not None]
    return [min(floors[k] for floors, _ in found) for k in (0, 1)], max(square for _, square in found)


def _exact(block: Block, classes: tuple[Any, Any], intercept: bool, planes: Any) -> list[Any]:
    signs = _signs(block.y, classes)
    members = np.flatnonzero(signs)
    if not len(members):
        return [None]
    rows = exactly.Rows(block.X[members])
    floors = [exactly.least(rows, signs[members], exactly.Plane(*plane))[0] for plane in planes]
    return [(floors, exactly.largest_square(rows, constant=intercept))]
