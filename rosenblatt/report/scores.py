"""Figures: shares with Wilson's interval, the confusion matrix, the errors of a regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.estimators.classes import coded
from rosenblatt.features.anatomy import Array
from rosenblatt.plain import Figures, plain

NORMAL_95 = 1.959963984540054  # the normal distribution has 95% between -this and +this


def percent(share: float, digits: int = 1) -> str:
    """A share in per cent; only all is 100%, and only nothing is 0%.

    >>> percent(0.9374), percent(1.0), percent(4459 / 4460), percent(1 / 5000), percent(0.996, 0)
    ('93.7%', '100.0%', '>99.9%', '<0.1%', '>99%')
    """
    told = f"{share:.{digits}%}"
    step = 10.0**-digits
    if share < 1 and told == f"{1:.{digits}%}":
        return f">{100 - step:.{digits}f}%"
    if share > 0 and told == f"{0:.{digits}%}":
        return f"<{step:.{digits}f}%"
    return told


@dataclass(frozen=True)
class Share(Figures):
    """A share of rows, with the 95% interval of E. B. Wilson (1927).

    >>> share = Share(968, 1000)
    >>> round(share.value, 3), round(share.low, 3), round(share.high, 3)
    (0.968, 0.955, 0.977)
    """

    count: int
    total: int
    computed = ("value", "low", "high")

    @property
    def value(self) -> float:
        return self.count / self.total

    @property
    def low(self) -> float:
        return self._ends()[0]

    @property
    def high(self) -> float:
        return self._ends()[1]

    def _ends(self) -> tuple[float, float]:
        z2 = NORMAL_95**2
        middle = (self.count + z2 / 2) / (self.total + z2)
        spread = NORMAL_95 / (self.total + z2)
        half = spread * math.sqrt(self.count * (self.total - self.count) / self.total + z2 / 4)
        low = 0.0 if self.count == 0 else max(0.0, middle - half)
        return low, 1.0 if self.count == self.total else min(1.0, middle + half)

    def __str__(self) -> str:
        return f"{percent(self.value)} (95% interval {percent(self.low)} to {percent(self.high)})"


@dataclass(frozen=True)
class ClassFigures(Figures):
    """One class among the held-out rows: its rows, the predictions of it, and how many of these are right."""

    name: Any
    rows: int
    answered: int
    right: int
    computed = ("precision", "recall", "f1")

    @property
    def recall(self) -> float | None:
        """right / rows."""
        return self.right / self.rows if self.rows else None

    @property
    def precision(self) -> float | None:
        """right / answered."""
        return self.right / self.answered if self.answered else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall."""
        total = self.rows + self.answered
        return 2 * self.right / total if total else None


@dataclass(frozen=True)
class Confusion(Figures):
    """Counts of rows by true class (down) and prediction (across)."""

    classes: list[Any]
    counts: Array

    @staticmethod
    def of(truth: Array, answers: Array, known: list[Any]) -> Confusion:
        """The matrix of these predictions; classes unknown to the model come last."""
        columns = [coded(column) for column in (truth, answers)]
        found = {plain(value) for values, _ in columns for value in values}
        unknown = sorted(found - set(known), key=lambda value: (str(type(value)), value))
        classes = [*known, *unknown]
        place = {name: number for number, name in enumerate(classes)}
        codes = [np.array([place[plain(value)] for value in values])[numbers] for values, numbers in columns]
        counts = np.bincount(codes[0] * len(classes) + codes[1], minlength=len(classes) ** 2)
        return Confusion(classes, counts.reshape(len(classes), len(classes)))

    @property
    def accuracy(self) -> Share:
        return Share(int(np.trace(self.counts)), int(self.counts.sum()))

    @property
    def per_class(self) -> list[ClassFigures]:
        rows, answered, right = self.counts.sum(axis=1), self.counts.sum(axis=0), np.diag(self.counts)
        figures = zip(self.classes, rows.tolist(), answered.tolist(), right.tolist(), strict=True)
        return [ClassFigures(*each) for each in figures]

    def of_class(self, name: Any) -> ClassFigures | None:
        return next((figures for figures in self.per_class if name is not None and figures.name == name), None)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the classes' recalls."""
        return float(np.mean([figures.recall for figures in self.per_class if figures.recall is not None]))

    def worst(self, most: int = 5) -> list[tuple[Any, Any, int]]:
        """The most frequent confusions: true class, prediction, count."""
        counts = self.counts.copy()
        np.fill_diagonal(counts, 0)
        order = np.argsort(-counts, axis=None, kind="stable")[:most]
        places = [divmod(int(place), len(counts)) for place in order]
        return [(self.classes[i], self.classes[j], int(counts[i, j])) for i, j in places if counts[i, j]]


@dataclass(frozen=True)
class Baseline(Figures):
    """Always the same answer: the largest class of the training rows, or their mean."""

    answer: Any
    accuracy: Share | None = None  # of a class
    mean_error: float | None = None  # of a mean


@dataclass(frozen=True)
class RegressionFigures(Figures):
    """R², the mean absolute error with its 95% interval, and the root of the mean squared error."""

    r2: float | None  # None where the held-out targets are all the same
    mean_error: float
    low: float
    high: float
    root_mean_square: float

    @staticmethod
    def of(truth: Array, answers: Array) -> RegressionFigures:
        errors = np.abs(truth - answers)
        half = NORMAL_95 * errors.std(ddof=1) / math.sqrt(len(errors)) if len(errors) > 1 else math.inf
        total = float(((truth - truth.mean()) ** 2).sum())
        return RegressionFigures(
            r2=1.0 - float((errors**2).sum()) / total if total else None,
            mean_error=float(errors.mean()),
            low=max(0.0, float(errors.mean() - half)),
            high=float(errors.mean() + half),
            root_mean_square=float(np.sqrt((errors**2).mean())),
        )


def lead(scores: Array, classes: list[Any], name: Any) -> Array:
    """The score of a class minus the best other score: above 0 where the class is predicted.

    The score of one of several classes means nothing by itself: the highest is the prediction.

    Examples
    --------
    >>> lead(np.array([[5.0, 7.0, 1.0], [-3.0, -4.0, -9.0]]), ["a", "b", "c"], "a").tolist()
    [-2.0, 1.0]
    >>> lead(np.array([2.0, -1.0]), ["no", "yes"], "no").tolist()
    [-2.0, 1.0]
    """
    scores, k = np.asarray(scores, np.float64), classes.index(name)
    if scores.ndim == 1:
        return scores if k == 1 else -scores
    return np.asarray(scores[:, k] - np.delete(scores, k, axis=1).max(axis=1))


def roc_auc(truth: Array, scores: Any, classes: list[Any], positive: Any) -> float | None:
    """The area under the ROC curve of a class, where there are scores, and rows of the class and of others."""
    if scores is None or positive is None or np.shape(scores)[1:] not in ((), (len(classes),)):
        return None
    from sklearn.metrics import roc_auc_score

    hits = truth == positive
    return None if hits.all() or not hits.any() else float(roc_auc_score(hits, lead(scores, classes, positive)))
