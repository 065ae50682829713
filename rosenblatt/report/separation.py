"""Whether the training rows are linearly separable, within a time limit.

Rows that are not separable stay so when more are added. So the question is put to a few thousand rows first, the ones
that the model finds hardest among them: a no is a no for all. Only a yes is asked of all rows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, count_rows, plain, take
from rosenblatt.wording import LONGEST, listed, short

FEW = 2_000  # rows that are asked first
MANY_COLUMNS = 2_000  # beyond which any hyperplane will do, not the one of the widest margin
MOST_NUMBERS = 2**27  # numbers of a table that is asked at all
MOST_CLASSES = 30
VERDICTS = ("separable", "not separable", "undecided")


@dataclass(frozen=True)
class Separation:
    """The verdict about the training rows as the learner sees them: "separable", "not separable", "undecided".

    With several classes every class is asked against the rest, and `per_class` has their verdicts: all must be
    separable for the whole to be. `margin` is the geometric margin, proven; `certificate` the proof, where two classes
    were asked.
    """

    verdict: str
    sentence: str
    rows: int
    seconds: float
    margin: float | None = None
    mistake_bound: int | None = None
    witness_rows: int | None = None
    per_class: dict[Any, str] = field(default_factory=dict)
    certificate: Any = field(default=None, repr=False, compare=False)
    asked: Any = field(default=None, repr=False, compare=False)  # the rows it speaks of, where not all

    def to_dict(self) -> dict[str, Any]:
        skipped = ("certificate", "asked", "per_class")
        found = {name: plain(value) for name, value in vars(self).items() if name not in skipped}
        return found | {"per_class": {str(name): verdict for name, verdict in self.per_class.items()}}


def separation_of(
    anatomy: Anatomy, X: Any, y: Array, classes: list[Any], *, time_limit: float, seed: int
) -> Separation:
    started = time.monotonic()
    n = count_rows(X)
    present = [name for name in classes if (y == name).any()]
    if len(present) < 2:
        return Separation("undecided", "The training rows have fewer than two classes.", n, 0.0)
    if len(present) > MOST_CLASSES:
        return Separation("undecided", f"Separability was not asked for each of {len(present)} classes.", n, 0.0)
    question = _Question(anatomy, X, y, seed)
    deadline = started + time_limit
    if len(present) == 2:
        found = question.ask(None, deadline)
        asked = question.few if getattr(getattr(found, "about", None), "shape", (n,))[0] < n else None
        return replace(_told(found, present, n, time.monotonic() - started, time_limit), asked=asked)
    verdicts = {}
    for number, name in enumerate(present):
        now = time.monotonic()
        until = now + max(0.0, deadline - now) / (len(present) - number)
        verdicts[name] = getattr(question.ask(name, until), "verdict", "undecided")
    return _told_several(verdicts, n, time.monotonic() - started, time_limit)


class _Question:
    """The training rows, asked about one class against the rest, or about two classes."""

    def __init__(self, anatomy: Anatomy, X: Any, y: Array, seed: int) -> None:
        self.anatomy, self.X, self.y = anatomy, X, y
        self.random = np.random.default_rng(seed)
        self.intercept = bool(getattr(anatomy.learner, "fit_intercept", True))
        self.few = self._few()
        self.few_rows = anatomy.seen(take(X, self.few))
        self._all: Any = None

    def _few(self) -> Array:
        """Rows to ask first: some that the model answers wrongly, and some as they come."""
        n = len(self.y)
        if n <= FEW:
            return np.arange(n)
        pool = np.sort(self.random.choice(n, min(n, 10 * FEW), replace=False))
        wrong = pool[self.anatomy.answers(take(self.X, pool)) != self.y[pool]]
        wrong = self.random.permutation(wrong)[: FEW // 2]
        return np.unique(np.concatenate([wrong, self.random.choice(pool, FEW - len(wrong), replace=False)]))

    def ask(self, name: Any, deadline: float) -> Any:
        """The verdict about the few if it is no, else about all; None where there was no time or no room."""
        from rosenblatt.certificates.results import NotSeparable

        labels = self.y if name is None else np.where(self.y == name, 1, 0)
        found = self._decide(self.few_rows, labels[self.few], deadline)
        if len(self.few) == len(self.y) or isinstance(found, NotSeparable):
            return found
        if self._all is None:
            width = self.few_rows.shape[1]
            if len(self.y) * width > MOST_NUMBERS and not hasattr(self.few_rows, "indptr"):
                return None
            self._all = self.anatomy.seen(self.X)
        return self._decide(self._all, labels, deadline)

    def _decide(self, rows: Any, labels: Array, deadline: float) -> Any:
        from rosenblatt.certificates.separability import separability

        left = deadline - time.monotonic()
        if left <= 0 or (labels == labels[0]).all():
            return None
        # In thousands of columns the bound on the margin from above, in exact numbers, takes longer than all the rest.
        tolerance = 0.1 if rows.shape[1] <= MANY_COLUMNS else 1.0
        found = separability(rows, labels, self.intercept, left, tolerance=tolerance)
        if getattr(found, "reason", "") == "interrupted":
            raise KeyboardInterrupt  # it ends the summary, not just this question
        return found


def _undecided(time_limit: float) -> str:
    """Another machine, or a busy one, may decide more or less in that time; what is decided is the same everywhere."""
    return (
        f"Whether the training rows are linearly separable was not decided in {time_limit:g} s; given more time, "
        f"separability (rosenblatt separable) may decide it."
    )


def _told(found: Any, classes: list[Any], n: int, seconds: float, time_limit: float) -> Separation:
    verdict = getattr(found, "verdict", "undecided")
    if verdict == "separable":
        one, other = (short(name, LONGEST) for name in classes[:2])
        sentence = (
            f"The training rows are linearly separable, proven: a flat boundary has every “{one}” on one side "
            f"and every “{other}” on the other, {found.margin:.3g} away at least, in the learner's units."
        )
        return Separation(verdict, sentence, n, seconds, found.margin, found.mistake_bound, None, {}, found)
    if verdict == "not separable":
        rows = len(found.rows)
        if rows == 2 and found.about.intercept:  # hulls of one row each that share a point
            sentence = (
                "The training rows are not linearly separable, proven: two of them are equal but of different "
                "classes, so that no boundary of any shape can get both right."
            )
            return Separation(verdict, sentence, n, seconds, None, None, rows, {}, found)
        sentence = (
            f"The training rows are not linearly separable, proven from {rows:,} of them: no flat boundary can get all "
            f"of them right."
        )
        return Separation(verdict, sentence, n, seconds, None, None, rows, {}, found)
    return Separation("undecided", _undecided(time_limit), n, seconds, certificate=found)


def _told_several(verdicts: dict[Any, str], n: int, seconds: float, time_limit: float) -> Separation:
    by_verdict = {verdict: [name for name in verdicts if verdicts[name] == verdict] for verdict in VERDICTS}
    if by_verdict["not separable"]:
        verdict, named = "not separable", by_verdict["not separable"]
        which = (
            "no class is"
            if len(named) == len(verdicts)
            else f"{_quoted(named)} {'is' if len(named) == 1 else 'are'} not"
        )
        sentence = (
            f"Of the {len(verdicts)} classes {which} linearly separable from the others in the training rows, proven."
        )
        if by_verdict["separable"]:
            sentence += f" {_quoted(by_verdict['separable'])} {'is' if len(by_verdict['separable']) == 1 else 'are'}."
        if by_verdict["undecided"]:
            sentence += f" {len(by_verdict['undecided'])} remained undecided in {time_limit:g} s."
    elif by_verdict["undecided"]:
        verdict, sentence = "undecided", _undecided(time_limit)
    else:
        verdict = "separable"
        sentence = (
            f"Each of the {len(verdicts)} classes is linearly separable from the others in the training rows, proven."
        )
    return Separation(verdict, sentence, n, seconds, per_class=verdicts)


def _quoted(names: list[Any]) -> str:
    return listed((f"“{name}”" for name in names), 6, last=" and ")
