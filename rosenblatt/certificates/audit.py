"""Holds a run of the perceptron against the convergence theorem, update by update, in exact arithmetic.

With rows inside a ball of radius R' and a unit vector v of margin gamma', the weights w_k after k updates satisfy

    w_k·v >= k eta gamma'      and      ‖w_k‖^2 <= k eta^2 R'^2,

so that k <= R'^2 / gamma'^2. Both sides are computed for every k from the recorded updates: as rationals for linear and
polynomial kernels, in ball arithmetic (numbers with proven error bounds) for kernels with an exponential.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import Certificate
from rosenblatt.certificates.direction import Direction, upper_fraction
from rosenblatt.certificates.exact_kernels import (
    BITS,
    PRECISIONS,
    ExactKernel,
    KernelRun,
    TimeIsUpError,
    kernel_margin,
    precision,
)
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.prover import decide
from rosenblatt.certificates.reading import check_time_limit, check_tolerance, read_labels, read_rows
from rosenblatt.certificates.replay import LinearRun, nothing, replay
from rosenblatt.certificates.results import Separable, Undecided
from rosenblatt.certificates.roots import root_up
from rosenblatt.certificates.table import REST
from rosenblatt.certificates.terms import terms_of
from rosenblatt.certificates.watching import Watcher
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted, number_in_words


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
    """One half-space's run beside the theorem.

    Attributes
    ----------
    mistakes : the updates that the run made
    radius, gamma : R' and gamma' in the run's own coordinates; gamma is 0 if the rows are not separable there
    bound : the most mistakes that the theorem allows, or None where it allows any number
    applies : whether the theorem is about this run; `note` says which form of it holds, or what is outside it
    holds : mistakes within the bound, and both inequalities at every update, proven; None if it does not apply
    progress, progress_floor : w_k·v and k·eta·gamma' for k = 1, 2, …
    lengths, lengths_ceiling : ‖w_k‖² and what bounds it
    arithmetic : "exact rationals", or balls of so many bits
    """

    name: str
    mistakes: int
    radius: float
    gamma: float
    bound: int | None
    applies: bool
    holds: bool | None
    note: str
    arithmetic: str
    progress: Array = field(repr=False)
    progress_floor: Array = field(repr=False)
    lengths: Array = field(repr=False)
    lengths_ceiling: Array = field(repr=False)
    certificate: Certificate | None = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.holds)

    def __str__(self) -> str:
        bound = "no bound" if self.bound is None else f"at most {number_in_words(self.bound)}"
        verdict = {True: "holds at every update", False: "DOES NOT HOLD", None: "does not apply"}[self.holds]
        if self.applies and self.holds is None:
            verdict = "could not be decided"
        return (
            f"Audit of {self.name}\n"
            f"  mistakes       {self.mistakes:,}, {bound}\n"
            f"  theorem        R' = {self.radius:.6g}, gamma' = {self.gamma:.6g}: {verdict} ({self.arithmetic})\n"
            f"  note           {self.note}"
        )

    __repr__ = __str__


class Audits:
    """The audits of several half-spaces by class, for one class against the rest."""

    def __init__(self, audits: dict[Any, Audit]) -> None:
        self.audits = audits

    def __getitem__(self, name: Any) -> Audit:
        return self.audits[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.audits)

    def __len__(self) -> int:
        return len(self.audits)

    def __bool__(self) -> bool:
        return all(self.audits.values())

    def __str__(self) -> str:
        return "\n".join(str(audit) for audit in self.audits.values())

    __repr__ = __str__


def audit(fitted: Any, X: Any, y: Any, *, tolerance: float = 0.01, time_limit: float | None = None) -> Any:
    """Hold a recorded run of the perceptron family against the convergence theorem.

    Parameters
    ----------
    fitted : a `Perceptron`, `HalfSpace` or `KernelPerceptron` fitted with ``fit(X, y, record="updates")``
    X, y : the very rows and labels of that fit
    tolerance : how close to the largest gamma' the one used must be proven
    time_limit : seconds for finding gamma' and, for a kernel, for its exact values; the rest is reported

    Returns
    -------
    An `Audit`; for several classes `Audits`, one for each class against the rest.

    Raises
    ------
    ValueError
        If the run recorded no updates, or `X` and `y` are not those of the fit.

    Examples
    --------
    >>> from rosenblatt import Perceptron, audit
    >>> X, y = [[100.0], [102.0]], [1, -1]
    >>> model = Perceptron(shuffle=False, max_iter=100_000).fit(X, y, record="updates")
    >>> audit(model, X, y)
    Audit of 1 against -1
      mistakes       20,303, at most 106,151,810
      theorem        R' = 102.005, gamma' = 0.0099005: holds at every update (exact rationals)
      note           constant learning rate 1: the order of the rows and the rate do not matter
    """
    log = getattr(getattr(fitted, "trace_", None), "updates", None)
    if log is None:
        raise ValueError(
            "audit needs a run that recorded its updates, but this one did not, or came from a file, which has none; "
            'fit with record="updates".'
        )
    check_tolerance(tolerance)
    check_time_limit(time_limit)
    X = read_rows(X)
    classes, codes = read_labels(y, X.shape[0])
    if X.shape[1] != getattr(fitted, "n_features_in_", X.shape[1]):
        raise ValueError(
            f"audit needs the rows of the fit, with {counted(fitted.n_features_in_, 'feature')}, but X has "
            f"{X.shape[1]}; pass the X that was fitted."
        )
    if len(classes) != len(fitted.classes_) or not np.array_equal(classes, fitted.classes_):
        raise ValueError("audit needs the labels of the fit, but y has other classes; pass the y that was fitted.")
    if not _same_rows(fitted, X):
        raise ValueError("audit needs the rows of the fit, but X holds other numbers; pass the X that was fitted.")
    if any(len(rows) and rows.max() >= X.shape[0] for rows in log.rows):
        raise ValueError("audit needs the rows of the fit, but X has fewer; pass the X that was fitted.")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    intercept = bool(getattr(fitted, "fit_intercept", False))  # kernel perceptrons have none
    names = [name.item() if isinstance(name, np.generic) else name for name in classes]
    if len(names) == 2:
        problem = Problem(X, _signs(codes == 1), (names[0], names[1]), intercept)
        return _audit_one(fitted, log, 0, problem, f"{names[1]!r} against {names[0]!r}", tolerance, deadline)
    audits = {}
    for k, name in enumerate(names):
        problem = Problem(X, _signs(codes == k), (REST, name), intercept)
        audits[name] = _audit_one(fitted, log, k, problem, f"{name!r} against the rest", tolerance, deadline)
    return Audits(audits)


def _same_rows(fitted: Any, X: Any) -> bool:
    """Whether a kernel run's support vectors are rows of X; a linear run is known by its weights."""
    if not hasattr(fitted, "kernel_"):
        return True
    if len(fitted.support_) and fitted.support_.max() >= X.shape[0]:
        return False
    rows, kept = (
        part.toarray() if hasattr(part, "toarray") else part for part in (X[fitted.support_], fitted.support_vectors_)
    )
    return bool(np.array_equal(np.asarray(rows).astype(kept.dtype), kept))


def _signs(positive: Array) -> Array:
    return np.where(positive, 1, -1).astype(np.int8)


def _audit_one(fitted: Any, log: Any, k: int, problem: Problem, name: str, tolerance: float, deadline: float) -> Audit:
    rows, steps, shrinks = log.rows[k], log.steps[k], log.shrinks[k]
    terms = terms_of(fitted, problem, k, rows, steps, shrinks)
    certificate: Certificate | None = None
    run: Any
    late = False
    if hasattr(fitted, "kernel_") and not ExactKernel(fitted.kernel_, problem).kernel.valid:
        empty = np.empty(0)
        curves = (empty, empty, empty, empty)
        return Audit(name, len(rows), math.nan, 0.0, None, False, None, terms.note, "no inner product", *curves, None)
    if hasattr(fitted, "kernel_"):
        run = KernelRun(fitted.kernel_, problem, rows, deadline=deadline)
        square, arithmetic = run.largest_square(), run.arithmetic
        try:
            direction = kernel_margin(fitted.kernel_, problem, tolerance, deadline)
        except TimeIsUpError:
            direction, late = None, True
    else:
        certificate = decide(problem, tolerance, deadline, Watcher())
        run = LinearRun(problem, rows)
        square = exactly.largest_square(problem.X, constant=problem.intercept)
        direction = _linear_direction(problem, certificate)
        arithmetic = "exact rationals"
    found = nothing()
    if terms.applies:
        for bits in (BITS,) if arithmetic == "exact rationals" else PRECISIONS:
            try:
                with precision(bits):
                    if bits > BITS:
                        run = KernelRun(fitted.kernel_, problem, rows, bits, deadline)
                    found = replay(run, rows, direction, square, terms)
            except TimeIsUpError:
                found, late = nothing(None), True
            if found.both is not None or late:
                break
        arithmetic = arithmetic.replace(str(BITS), str(bits))
    gamma = 0.0 if direction is None else direction.gamma
    bound = None
    holds: bool | None = None
    note = terms.note
    if direction is None:
        why = f" ({certificate.reason})" if isinstance(certificate, Undecided) else " (time_limit)" if late else ""
        note = f"{note}; the rows were not shown to be separable here{why}, so the number of mistakes has no bound"
    elif terms.applies:
        bound = direction.bound(square, terms.threshold)
        holds = None if found.both is None else found.both and len(rows) <= bound
    if late:
        note += "; the time limit was up before every update was looked at"
    if found.not_mistakes:
        made = "update was" if found.not_mistakes == 1 else "updates were"
        note += f"; {found.not_mistakes:,} {made} made by rounding, where the row was right exactly"
    return Audit(
        name=name,
        mistakes=len(rows),
        radius=root_up(upper_fraction(square)),
        gamma=gamma,
        bound=bound,
        applies=terms.applies and direction is not None,
        holds=holds,
        note=note,
        arithmetic=arithmetic,
        progress=found.progress,
        progress_floor=found.floor,
        lengths=found.lengths,
        lengths_ceiling=found.ceiling,
        certificate=certificate,
    )


class _Scores(dict[int, Fraction]):
    """Exact scores of rows, computed when they are asked for."""

    def __init__(self, problem: Problem, plane: exactly.Plane) -> None:
        super().__init__()
        self.problem, self.plane, self.rows = problem, plane, exactly.Rows(problem.X)

    def __missing__(self, row: int) -> Fraction:
        self[row] = self.plane.score(self.rows, row) * int(self.problem.signs[row])
        return self[row]


def _linear_direction(problem: Problem, certificate: Certificate) -> Direction | None:
    if not isinstance(certificate, Separable):
        return None
    plane = exactly.Plane(*certificate.theorem_plane)
    return Direction(
        _Scores(problem, plane),
        exactly.least(problem.X, problem.signs, plane)[0],
        plane.squared_length(with_offset=problem.intercept),
    )
