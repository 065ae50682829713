"""Probabilities from scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from rosenblatt.engine.online.state import Array


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
