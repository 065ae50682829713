"""Whether the training rows are linearly separable, within a time limit.

Rows that are not separable stay so when more are added. So a few thousand rows are tested first, misclassified ones
among them: if they are not separable, neither are all. Only a positive result is confirmed on all rows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, count_rows, take
from rosenblatt.plain import Figures
from rosenblatt.wording import LONGEST, listed, short

FEW = 2_000  # rows that are tested first
MANY_COLUMNS = 2_000  # beyond which any hyperplane will do, not the one of the widest margin
MOST_NUMBERS = 2**27  # numbers of a dense table that is tested
MOST_CLASSES = 30
NARROW = 200  # columns up to which the fewest errors of any linear model are looked for,
ERRORS = 12  # up to so many


@dataclass(frozen=True)
class Separation(Figures):
    """The verdict about the training rows as the learner sees them: "separable", "not separable", "undecided".

    Several classes are tested one against the rest, and `per_class` has their verdicts: all must be separable for the
    whole to be. `margin` is the geometric margin, proven; `witness_rows` how many rows prove the opposite;
    `certificate` the proof for two classes, of the rows that were tested first where these are not separable.
    """

    verdict: str
    rows: int
    seconds: float
    time_limit: float
    classes: list[Any] = field(default_factory=list)
    margin: float | None = None
    mistake_bound: int | None = None
    witness_rows: int | None = None
    fewest_errors: int | None = None  # any linear model makes at least so many
    identical_rows: bool = False  # two equal rows of different classes are the proof
    per_class: dict[Any, str] = field(default_factory=dict)
    certificate: Any = field(default=None, repr=False, compare=False)
    computed = ("sentence",)

    @property
    def sentence(self) -> str:
        if self.verdict == "undecided":
            if len(self.classes) < 2:
                return "The training rows have fewer than two classes."
            if len(self.classes) > MOST_CLASSES:
                return f"Linear separability was not tested: there are {len(self.classes)} classes."
            return f"Linear separability was not decided within {self.time_limit:g} s."
        if self.per_class:
            return self._sentence_of_several()
        if self.verdict == "separable":
            return f"The training rows are linearly separable (proven), with a margin of {self.margin:.3g}."
        if self.fewest_errors is not None and self.fewest_errors > 1:
            return (
                f"The training rows are not linearly separable: no linear model can make fewer than "
                f"{self.fewest_errors:,} errors on them (proven)."
            )
        if self.identical_rows:
            return "The training rows are not separable (proven): two identical rows have different classes."
        return f"The training rows are not linearly separable (proven by {self.witness_rows:,} of them)."

    def _sentence_of_several(self) -> str:
        by_verdict: dict[str, list[str]] = {}
        for name, verdict in self.per_class.items():
            by_verdict.setdefault(verdict, []).append(f"“{short(name, LONGEST)}”")
        if len(by_verdict) == 1:
            which = "Every class is" if self.verdict == "separable" else "No class is"
            return f"{which} linearly separable from the others in the training rows (proven)."
        parts = [f"{verdict}: {listed(names, 6)}" for verdict, names in sorted(by_verdict.items())]
        return f"Linear separability of each class from the others in the training rows: {'; '.join(parts)}."


def separation_of(
    anatomy: Anatomy, X: Any, y: Array, classes: list[Any], *, time_limit: float, seed: int
) -> Separation:
    started, n = time.monotonic(), count_rows(X)
    present = [name for name in classes if (y == name).any()]
    if not 2 <= len(present) <= MOST_CLASSES:
        return Separation("undecided", n, 0.0, time_limit, present)
    test = _Test(anatomy, X, y, seed)
    deadline = started + time_limit
    if len(present) == 2:
        found = test.decide(None, deadline)
        verdict = getattr(found, "verdict", "undecided")
        details: dict[str, Any] = {}
        if verdict == "separable":
            details = {"margin": found.margin, "mistake_bound": found.mistake_bound}
        elif verdict == "not separable":  # hulls of one row each that share a point: identical rows
            rows = len(found.rows)
            details = {"witness_rows": rows, "identical_rows": rows == 2 and bool(found.about.intercept)}
            details["fewest_errors"] = test.fewest_errors(deadline)
        seconds = time.monotonic() - started
        return Separation(verdict, n, seconds, time_limit, present, certificate=found, **details)
    verdicts: dict[Any, str] = {}
    for number, name in enumerate(present):
        now = time.monotonic()
        until = now + max(0.0, deadline - now) / (len(present) - number)
        verdicts[name] = getattr(test.decide(name, until), "verdict", "undecided")
    found_verdicts = set(verdicts.values())
    verdict = next(one for one in ("not separable", "undecided", "separable") if one in found_verdicts)
    return Separation(verdict, n, time.monotonic() - started, time_limit, present, per_class=verdicts)


class _Test:
    """The training rows, tested for one class against the rest, or for two classes."""

    def __init__(self, anatomy: Anatomy, X: Any, y: Array, seed: int) -> None:
        self.anatomy, self.X, self.y = anatomy, X, y
        self.random = np.random.default_rng(seed)
        self.intercept = bool(getattr(anatomy.learner, "fit_intercept", True))
        self.few = self._few()
        self.few_rows = anatomy.seen(take(X, self.few))
        self._all: Any = None

    def _few(self) -> Array:
        """Rows to test first: half of them misclassified where there are as many."""
        n = len(self.y)
        if n <= FEW:
            return np.arange(n)
        pool = np.sort(self.random.choice(n, min(n, 10 * FEW), replace=False))
        wrong = pool[self.anatomy.answers(take(self.X, pool)) != self.y[pool]]
        wrong = self.random.permutation(wrong)[: FEW // 2]
        return np.unique(np.concatenate([wrong, self.random.choice(pool, FEW - len(wrong), replace=False)]))

    def decide(self, name: Any, deadline: float) -> Any:
        """The result for the few rows if they are not separable, else for all; None without time or memory."""
        from rosenblatt.certificates.results import NotSeparable

        labels = self.y if name is None else np.where(self.y == name, 1, 0)
        found = self._decide(self.few_rows, labels[self.few], deadline)
        if len(self.few) == len(self.y) or isinstance(found, NotSeparable):
            return found
        if self._all is None:
            if len(self.y) * self.few_rows.shape[1] > MOST_NUMBERS and not hasattr(self.few_rows, "indptr"):
                return None
            self._all = self.anatomy.seen(self.X)
        return self._decide(self._all, labels, deadline)

    def fewest_errors(self, deadline: float) -> int | None:
        """How many errors any linear model makes at least, on the few rows and so on all; None without time."""
        from rosenblatt.certificates.fewest import errors_at_least

        if time.monotonic() > deadline or self.few_rows.shape[1] > NARROW:
            return None
        return errors_at_least(self.few_rows, self.y[self.few], self.intercept, ERRORS, deadline)

    def _decide(self, rows: Any, labels: Array, deadline: float) -> Any:
        from rosenblatt.certificates.separability import separability

        left = deadline - time.monotonic()
        if left <= 0 or (labels == labels[0]).all():
            return None
        # In thousands of columns the upper bound of the margin, in exact numbers, takes longer than everything else.
        tolerance = 0.1 if rows.shape[1] <= MANY_COLUMNS else 1.0
        found = separability(rows, labels, self.intercept, left, tolerance=tolerance)
        if getattr(found, "reason", "") == "interrupted":
            raise KeyboardInterrupt  # it ends the summary, not only this test
        return found
