"""Probabilities for a learner that has only scores, learned along with it."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import expit
from sklearn.base import BaseEstimator, clone

from rosenblatt.arguments import check_positive


class _Platt:
    """p = sigmoid(a s/r + b), with r the root mean square of the scores, by one Newton step an example."""

    def __init__(self) -> None:
        self.slope, self.bias = 1.0, 0.0
        self.count = self.square = 0.0
        self.curvature = [1.0, 0.0, 1.0]  # of the log loss plus ½(a - 1)² + ½b²: entries aa, ab, bb

    def scaled(self, score: float) -> float:
        size = math.sqrt(self.square / self.count) if self.count else 0.0
        return score / size if size > 0.0 else score

    def chance(self, score: float) -> float:
        return float(expit(self.slope * self.scaled(score) + self.bias))

    def learn(self, score: float, positive: bool, weight: float, kept: float) -> None:
        self.count, self.square = kept * self.count + weight, kept * self.square + weight * score * score
        s, p = self.scaled(score), self.chance(score)
        bend, slip = weight * p * (1.0 - p), weight * ((1.0 if positive else 0.0) - p)
        aa, ab, bb = self.curvature
        # Forgetting stops at the prior's own curvature, so that the matrix always has an inverse.
        aa, ab, bb = max(1.0, kept * aa) + bend * s * s, kept * ab + bend * s, max(1.0, kept * bb) + bend
        self.curvature = [aa, ab, bb]
        determinant = aa * bb - ab * ab
        if determinant > 0.0:
            self.slope += (bb * slip * s - ab * slip) / determinant
            self.bias += (aa * slip - ab * slip * s) / determinant


class OnlineCalibrator(BaseEstimator):  # type: ignore[misc]
    """Platt's scaling of an online learner's scores, learned from the same stream.

    Every class has a probability p = sigmoid(a s + b) of its score s; several are divided by their sum. The two numbers
    a and b follow the log loss by a Newton step per example, on the score that the learner gave *before* it learned the
    example, so that they are fitted to answers about examples that it had not seen.

    Parameters
    ----------
    learner : Perceptron, PassiveAggressive, HalfSpace, LinearSVM or another linear classifier of this library
        Learns from the same examples. It is copied.
    memory : float or None
        The number of examples after which an old one counts a third (1/e), since the scale of the scores changes while
        the learner learns; None forgets nothing.

    Attributes
    ----------
    learner_ : the copy that learns

    Examples
    --------
    >>> from rosenblatt import OnlineCalibrator, Perceptron
    >>> from rosenblatt.sources import blobs
    >>> toy, model = blobs(400, random_state=0), OnlineCalibrator(Perceptron())
    >>> for x, label in zip(toy.X, toy.y.tolist()):
    ...     model.learn_one(x, label)
    >>> [round(model.predict_proba_one(x)[1], 2) for x in toy.X[:3]], toy.y[:3].tolist()
    ([0.34, 0.69, 0.02], [-1, 1, -1])

    References
    ----------
    J. C. Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods. Advances in Large Margin Classifiers.
    """

    def __init__(self, learner: Any, memory: float | None = 1000.0) -> None:
        self.learner = learner
        self.memory = memory

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example, a row or a dict: first a and b, then the learner."""
        if not hasattr(self, "learner_"):
            check_positive("memory", self.memory, "it is a number of examples; use None to forget nothing", none=True)
            self.learner_: Any = clone(self.learner)
            self._scales: dict[Any, _Platt] = {}
        scores = self.learner_.decision_function_one(x)
        self.learner_.learn_one(x, y, w)
        kept = 1.0 if self.memory is None else math.exp(-1.0 / self.memory)
        for label, score in scores.items():
            if w > 0:
                self._scales.setdefault(label, _Platt()).learn(score, label == y, float(w), kept)

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of every class; nothing before anything was learned."""
        scores = self.learner_.decision_function_one(x) if hasattr(self, "learner_") else {}
        if len(scores) == 1:
            return dict.fromkeys(scores, 1.0)
        chances = {label: self._scales.get(label, _Platt()).chance(score) for label, score in scores.items()}
        total = sum(chances.values())
        return {label: chance / total if total > 0.0 else 1.0 / len(chances) for label, chance in chances.items()}

    def predict_one(self, x: Any) -> Any:
        """The most probable class, or None before anything was learned."""
        chances = self.predict_proba_one(x)
        return max(chances, key=chances.__getitem__) if chances else None
