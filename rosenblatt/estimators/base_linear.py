"""What every linear classifier is once it is fitted: half-spaces that score, predict, and have weights.

How the half-spaces came to be is the business of the subclasses: `linear.LinearClassifier` learns them online.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators import named_batches
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.scoring import accuracy
from rosenblatt.estimators.validation import check_choice
from rosenblatt.models import LinearModel, VotedModel

ANSWERS = ("last", "averaged", "voted", "pocket")
CHOICES = ("auto", *ANSWERS)


def _difference(two: Array) -> Array:
    """The second less the first, or the largest number there is where it would not be finite, as both are."""
    most = np.finfo(two.dtype).max
    with np.errstate(over="ignore"):
        return np.clip(two[1:] - two[:1], -most, most)


class BaseLinear(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Not for users: the answers of fitted half-spaces."""

    answer: str
    fit_intercept: bool
    classes_: Array
    n_features_in_: int
    stop_reason_: str
    _state: HalfSpaces
    _pocket: Pocket | None
    _committee: Committee | None
    _models: dict[str, Any]  # what was made of the state so far, and a stamp of the state
    _mistakes: int  # met in passes; those met one by one are counted in the state

    @property
    def _coupled(self) -> bool:
        """Whether classes learn together, instead of one against the rest."""
        return False

    def _shrinks_intercept(self) -> bool:
        return False

    @property
    def answers_(self) -> dict[str, LinearModel | VotedModel]:
        """The models that this fit gives, by name: last, averaged, and pocket or voted where they were asked for."""
        check_is_fitted(self)
        return {name: self._model(name) for name in ANSWERS if self._has(name)}

    def _has(self, name: str) -> bool:
        if name == "pocket":
            return self._pocket is not None and self._pocket.kept is not None
        return name != "voted" or self._committee is not None

    @property
    def _chosen(self) -> str:
        """The answer that `predict` uses: "auto" is the last weights after a clean pass and online, else the mean."""
        check_choice("answer", self.answer, CHOICES)
        if self.answer != "auto":
            return self.answer
        return "last" if self.stop_reason_ in ("converged", "") else "averaged"

    def _model(self, name: str) -> LinearModel | VotedModel:
        stamp = (id(self._state), self._state.seen, self._state.updates, len(self.classes_), self.n_features_in_)
        if self._models.get("stamp") != stamp:
            self._models.clear()
            self._models["stamp"] = stamp
        if name not in self._models:
            self._models[name] = self._build_model(name)
        return self._models[name]

    def _build_model(self, name: str) -> LinearModel | VotedModel:
        if not self._has(name):
            raise AttributeError(f"This fit did not keep the {name} answer; fit again with keep={name!r}.")
        n_classes = len(self.classes_)
        count = half_space_count(n_classes, self._coupled)
        if n_classes == 1:  # whatever comes, it is the one class known
            return LinearModel(np.zeros((1, self.n_features_in_)), np.full(1, -1.0), self.classes_)
        if name == "voted":
            assert self._committee is not None
            return self._committee.model(
                count,
                self.n_features_in_,
                self._state.seen,
                self.classes_,
                coupled=self._coupled,
                fit_intercept=bool(self.fit_intercept),
                shrink_intercept=self._shrinks_intercept(),
            )
        if name == "pocket":
            assert self._pocket is not None and self._pocket.kept is not None
            coefficients, bias = self._pocket.kept.last()
            later = max(0, self.n_features_in_ - coefficients.shape[1])  # names that appeared since
            coefficients = np.pad(coefficients, ((0, 0), (0, later)))
        else:
            coefficients, bias = self._state.last() if name == "last" else self._state.averaged()
        coefficients, bias = coefficients[:count, : self.n_features_in_], bias[:count]
        if self._coupled and n_classes == 2:  # the two move in opposite directions: one half-space says it all
            coefficients, bias = _difference(coefficients), _difference(bias)
        return LinearModel(coefficients, bias, self.classes_)

    @property
    def mistakes_(self) -> int:
        """Rows that were answered wrongly, or with a score of 0, when they were visited."""
        if not hasattr(self, "_state"):
            raise AttributeError(f"{type(self).__name__} has no mistakes_ before it is fitted; call fit first.")
        return self._mistakes + self._state.mistakes

    @property
    def coef_(self) -> Array:
        """The weights of the chosen answer, (1 or n_classes, n_features). The voted answer has none."""
        return self._weights("coef_").coef

    @property
    def intercept_(self) -> Array:
        """The biases of the chosen answer."""
        return self._weights("intercept_").intercept

    def _weights(self, attribute: str) -> LinearModel:
        if not hasattr(self, "_state"):
            raise AttributeError(f"{type(self).__name__} has no {attribute} before it is fitted; call fit first.")
        model = self._model(self._chosen)
        if not isinstance(model, LinearModel):
            raise AttributeError(
                f"The voted answer is a committee of weight vectors and has no {attribute}; "
                f"use answers_['last'] or answers_['averaged']."
            )
        return model

    def decision_function(self, X: Any) -> Array:
        """The scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        check_is_fitted(self)
        X = named_batches.rows_to_predict(self, X)
        return self._model(self._chosen).decision_function(X)

    def predict(self, X: Any) -> Array:
        """The class of every row; a score of 0 is the second class.

        Raises
        ------
        NotFittedError
            Before anything was learned.
        ValueError
            If the rows are not as wide as those of the fit, or hold NaN.
        """
        check_is_fitted(self)
        X = named_batches.rows_to_predict(self, X)
        return self._model(self._chosen).predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The fraction of rows that are answered correctly."""
        return accuracy(self, X, y, sample_weight)
