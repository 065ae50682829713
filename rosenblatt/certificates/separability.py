"""Is this linearly separable? An answer with a proof, either way."""

from __future__ import annotations

import functools
import itertools
import math
import time
from typing import Any

import numpy as np

from rosenblatt.arguments import yes_or_no
from rosenblatt.certificates.certificate import About
from rosenblatt.certificates.linear_model import read_linear
from rosenblatt.certificates.problem import Problem, digest, two_classes
from rosenblatt.certificates.prover import decide
from rosenblatt.certificates.reading import check_time_limit, check_tolerance, read_labels, read_rows
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.certificates.table import REST, SeparabilityTable
from rosenblatt.certificates.watching import watcher
from rosenblatt.engine.online.state import Array


def separability(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    tolerance: float = 0.01,
    candidate: Any = None,
    verbose: int = 0,
) -> Any:
    """Decide whether a hyperplane separates the classes, and prove it in exact arithmetic.

    Parameters
    ----------
    X : rows of numbers: an array (uint8, integers, float32, float64), a sparse matrix or a frame
    y : one label per row. With more than two classes the answer is a table: every pair, and each against the rest
    fit_intercept : whether the hyperplane may leave the origin
    time_limit : seconds, after which the answer is `Undecided`, or a margin less tight than asked for
    tolerance : how close to the largest margin the margin must be proven; 1 takes the first separating hyperplane
    candidate : a fitted linear model of two classes, or a pair (w, b), that is tried before anything else
    verbose : 1 shows the progress

    Returns
    -------
    `Separable`, `NotSeparable`, `Undecided`, or a `SeparabilityTable` of these. Each has ``verify(X, y)`` and
    ``save(path)``.

    Raises
    ------
    ValueError
        If `X` is not finite, `y` has one class only or another number of labels, or a limit is out of its range.

    Examples
    --------
    >>> from rosenblatt import separability
    >>> points = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> separability(points, [0, 0, 0, 1])
    Separable (1 against 0, 4 x 2)
      margin         0.353553, the largest to the last digit
      support        3 rows
      theorem        R' = 1.73205, gamma' = 0.242536: at most 51 mistakes
    >>> separability(points, [0, 1, 1, 0])
    NotSeparable (1 against 0, 4 x 2)
      witness        both hulls share a point: positive rational weights on 4 rows
      rows           0, 1, 2, 3
      weights        rationals of up to 1 digit, checked exactly
    """
    X = read_rows(X)
    classes, codes = read_labels(y, X.shape[0])
    check_time_limit(time_limit)
    check_tolerance(tolerance)
    yes_or_no(fit_intercept=fit_intercept)
    plane = None if candidate is None else _candidate(candidate, classes, X.shape[1], bool(fit_intercept))
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    if len(classes) == 2:
        with watcher(verbose, "separability", 1) as shown:
            return decide(two_classes(X, codes, classes, bool(fit_intercept)), tolerance, deadline, shown, plane)
    return _table(X, classes, codes, bool(fit_intercept), tolerance, deadline, verbose)


def _candidate(candidate: Any, classes: Array, d: int, intercept: bool) -> Any:
    """The hyperplane of a model whose positive side is that of the second class."""
    model = read_linear(candidate, classes, d)
    if len(classes) != 2 or len(model.classes) != 2:
        raise ValueError(f"A candidate is tried for two classes, but y has {len(classes)}; leave candidate out.")
    if model.offsets[0] and not intercept:
        raise ValueError(
            "The candidate has an intercept, but fit_intercept=False asks about hyperplanes through the origin; "
            "pass one without."
        )
    return model.weights[0], model.offsets[0]


def margin(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    tolerance: float = 0.01,
    verbose: int = 0,
) -> tuple[float, float]:
    """Bounds from below and above on the largest geometric margin of two classes; (0, 0) if not separable.

    The margin is the distance from the best hyperplane to the nearest row: half the gap between the classes.

    Raises
    ------
    ValueError
        If there are not two classes, or `X` is not finite.

    Examples
    --------
    >>> from rosenblatt import margin
    >>> margin([[100.0], [102.0]], [1, 0])
    (1.0, 1.0)
    """
    found = separability(X, y, fit_intercept, time_limit, tolerance=tolerance, verbose=verbose)
    if isinstance(found, SeparabilityTable):
        raise ValueError(
            f"margin is about two classes, but y has {len(found.classes)}; call separability for a table of margins."
        )
    if isinstance(found, Separable):
        return found.margin, found.margin_upper
    return (0.0, 0.0) if isinstance(found, NotSeparable) else (0.0, found.margin_upper)


def _table(
    X: Any, classes: Array, codes: Array, intercept: bool, tolerance: float, deadline: float, verbose: int
) -> SeparabilityTable:
    if REST in classes.tolist():
        raise ValueError(f"No class may be named {REST!r}, which is what a table calls the others; rename the class.")
    table = SeparabilityTable([name.item() if isinstance(name, np.generic) else name for name in classes])
    numbers = range(len(classes))
    questions: list[tuple[int, int | None]] = [*itertools.combinations(numbers, 2), *((a, None) for a in numbers)]
    sizes = np.bincount(codes, minlength=len(classes)).tolist()
    with watcher(verbose, "separability", len(questions)) as shown:
        for place, (a, b) in enumerate(questions):
            name = table.classes[a]
            until = _share(deadline, len(questions) - place)
            if shown.interrupted or time.monotonic() > deadline:
                asked = (REST, name) if b is None else (name, table.classes[b])
                shape = (X.shape[0] if b is None else sizes[a] + sizes[b], X.shape[1])
                late = About(asked, intercept, shape, "", later=functools.partial(_digest, X, codes, a, b))
                answer = Undecided("interrupted" if shown.interrupted else "time limit", math.inf, late)
                if b is None:
                    table.rest[name] = answer
                else:
                    table.pairs[name, table.classes[b]] = answer
                continue
            if b is None:
                signs = np.where(codes == a, 1, -1).astype(np.int8)
                problem = Problem(X, signs, (REST, name), intercept)
                shown.question(f"{name} against the rest")
                table.rest[name] = decide(problem, tolerance, until, shown)
            else:
                rows = np.flatnonzero((codes == a) | (codes == b))
                signs = np.where(codes[rows] == b, 1, -1).astype(np.int8)
                problem = Problem(X[rows], signs, (name, table.classes[b]), intercept)
                shown.question(f"{name} against {table.classes[b]}")
                table.pairs[name, table.classes[b]] = decide(problem, tolerance, until, shown)
    return table


def _digest(X: Any, codes: Array, a: int, b: int | None) -> str:
    """The digest of one question's data: a class against another, or against the rest."""
    if b is None:
        return digest(X, np.where(codes == a, 1, -1).astype(np.int8))
    rows = np.flatnonzero((codes == a) | (codes == b))
    return digest(X[rows], np.where(codes[rows] == b, 1, -1).astype(np.int8))


def _share(deadline: float, questions: int) -> float:
    now = time.monotonic()
    return deadline if deadline == math.inf else now + max(0.0, deadline - now) / questions
