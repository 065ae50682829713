"""What `score` computes, and probabilities from scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from rosenblatt.checked_labels import check_labels, check_targets
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.validation import check_is_given, check_weights


def accuracy(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The fraction of rows that are answered correctly."""
    from sklearn.metrics import accuracy_score  # large

    def check(answers: Array) -> None:
        if answers.ndim == 1:
            check_kind(estimator.classes_, check_labels(y, len(answers)))

    return _compared(accuracy_score, estimator, X, y, sample_weight, check)


def explained(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The share of the targets' variance that is explained, R²."""
    from sklearn.metrics import r2_score  # large

    return _compared(r2_score, estimator, X, y, sample_weight, lambda answers: check_targets(y, len(answers)))


def _compared(
    measure: Callable[..., float], estimator: Any, X: Any, y: Any, sample_weight: Any, check: Callable[[Array], Any]
) -> float:
    """What scikit-learn makes of the answers; where it refuses, `check` says why in a sentence if it can."""
    check_is_given(estimator, y)
    answers = estimator.predict(X)
    try:
        with np.errstate(invalid="ignore"):  # of NaN, which is refused below
            return float(measure(y, answers, sample_weight=sample_weight))
    except (TypeError, ValueError):
        check(answers)
        check_weights(sample_weight, answers)
        raise


class Probabilities:
    """Not for users: sigmoids of the scores, or their softmax where they were learned together."""

    _multinomial = True
    decision_function: Callable[[Any], Array]

    def predict_proba(self, X: Any) -> Array:
        """The probability of every class, (n_samples, n_classes)."""
        return self._chances(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of `predict_proba`."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([scipy.special.log_expit(-scores), scipy.special.log_expit(scores)])
        if self._multinomial:
            return np.asarray(scipy.special.log_softmax(scores, axis=1))
        with np.errstate(divide="ignore"):
            return np.log(self._chances(scores))

    def _chances(self, scores: Array) -> Array:
        if scores.ndim == 1:
            return np.column_stack([scipy.special.expit(-scores), scipy.special.expit(scores)])
        if self._multinomial:
            return np.asarray(scipy.special.softmax(scores, axis=1))
        chances = scipy.special.expit(scores)
        total = chances.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, chances / np.where(total > 0.0, total, 1.0), 1.0 / chances.shape[1])
