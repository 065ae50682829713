"""What every linear classifier is once it is fitted: half-spaces that score, predict, and have weights.

How the half-spaces came to be is the business of the subclasses: `linear.LinearClassifier` learns them.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators.answers import Answers
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.committee import Committee, votes_of
from rosenblatt.models import LinearModel, VotedModel


def _difference(two: Array) -> Array:
    """The second less the first, or the largest number there is where it would not be finite, as both are."""
    most = np.finfo(two.dtype).max
    with np.errstate(over="ignore"):
        return np.clip(two[1:] - two[:1], -most, most)


class BaseLinear(Answers):
    """Not for users: the answers of fitted half-spaces."""

    fit_intercept: bool
    _state: HalfSpaces
    _pocket: Pocket | None
    _committee: Committee | None

    def _shrinks_intercept(self) -> bool:
        return bool(getattr(self, "regularize_intercept", False))

    def _has(self, name: str) -> bool:
        if name == "pocket":
            return self._pocket is not None and self._pocket.kept is not None
        return name != "voted" or self._committee is not None

    def _build_model(self, name: str) -> LinearModel | VotedModel:
        n_classes, width = len(self.classes_), self.n_features_in_
        count = half_space_count(n_classes, self._coupled)
        if n_classes == 1:  # whatever comes, it is the one class known
            return LinearModel(np.zeros((1, width)), np.full(1, -1.0), self.classes_)
        if name == "voted":
            assert self._committee is not None
            votes = votes_of(
                self._committee.log, count, self._state.seen, self.classes_, coupled=self._coupled,
                n_jobs=getattr(self, "n_jobs", None),
            )  # fmt: skip
            return self._committee.model(width, bool(self.fit_intercept), self._shrinks_intercept(), **votes)
        if name == "pocket":
            assert self._pocket is not None and self._pocket.kept is not None
            coefficients, bias = self._pocket.kept.last()
            later = max(0, width - coefficients.shape[1])  # names that appeared since
            coefficients = np.pad(coefficients, ((0, 0), (0, later)))
        else:
            coefficients, bias = self._state.last() if name == "last" else self._state.averaged()
        coefficients, bias = coefficients[:count, :width], bias[:count]
        if self._coupled and n_classes == 2:  # the two move in opposite directions: one half-space says it all
            coefficients, bias = _difference(coefficients), _difference(bias)
        return LinearModel(coefficients, bias, self.classes_)

    @property
    def mistakes_(self) -> int:
        """Rows that were answered wrongly, or with a score of 0, when they were visited."""
        self._check_has("mistakes_")
        return self._mistakes + self._state.mistakes  # those met one by one are counted in the state

    @property
    def coef_(self) -> Array:
        """The weights of the chosen answer, (1 or n_classes, n_features). The voted answer has none."""
        return self._weights("coef_").coef

    @property
    def intercept_(self) -> Array:
        """The biases of the chosen answer."""
        return self._weights("intercept_").intercept

    def _weights(self, attribute: str) -> LinearModel:
        self._check_has(attribute)
        model = self._model(self._chosen)
        if not isinstance(model, LinearModel):
            raise AttributeError(
                f"The voted answer is a committee of weight vectors and has no {attribute}; "
                f"use answers_['last'] or answers_['averaged']."
            )
        return model
