"""What every linear classifier is once it is fitted: half-spaces that score, predict, and have weights.

How the half-spaces came to be is the business of the subclasses: `linear.LinearClassifier` learns them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import check_positive
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.committee import Committee, votes_of
from rosenblatt.estimators.one_example import OneExample
from rosenblatt.models import LinearModel, VotedModel

INTERCEPT = "(intercept)"


def _difference(two: Array) -> Array:
    """The second less the first, or the largest number there is where it would not be finite, as both are."""
    most = np.finfo(two.dtype).max
    with np.errstate(over="ignore"):
        return np.clip(two[1:] - two[:1], -most, most)


class BaseLinear(OneExample):
    """Not for users: the answers of fitted half-spaces, and why they answer so."""

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
        else:
            coefficients, bias = self._state.last() if name == "last" else self._state.averaged()
        coefficients, bias = coefficients[:count, :width], bias[:count]
        if self._coupled and n_classes == 2:  # the two move in opposite directions: one half-space says it all
            coefficients, bias = _difference(coefficients), _difference(bias)
        return LinearModel(coefficients, bias, self.classes_)

    @property
    def mistakes_(self) -> int:
        """Rows that were answered wrongly, or with a score of 0, when they were visited."""
        check_is_fitted(self)
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
        check_is_fitted(self)
        model = self._model(self._chosen)
        if not isinstance(model, LinearModel):
            raise AttributeError(
                f"The voted answer is a committee of weight vectors and has no {attribute}; "
                f"use answers_['last'] or answers_['averaged']."
            )
        return model

    # ------------------------------------------------------------------ explanations

    def weights_by_name(self) -> dict[Any, dict[str, float]]:
        """The weights of every class by the names of the features, and "(intercept)". Two classes have opposite ones.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> mail = Perceptron()
        >>> mail.learn_many([{"offer": 2.0}, {"meeting": 1.0}, {"offer": 1.0}], ["spam", "mail", "spam"])
        >>> mail.weights_by_name()["spam"]
        {'offer': 2.0, 'meeting': -1.0, '(intercept)': 0.0}
        """
        model, names, labels = self._weights("weights_by_name"), self._names_of_weights(), self.classes_.tolist()
        found = []
        for weights, bias in zip(model.coef.tolist(), model.intercept.tolist(), strict=True):
            found.append(dict(zip(names, weights, strict=True)) | {INTERCEPT: bias})
        if len(labels) == 2:  # one half-space: what speaks for the second class speaks against the first
            found.insert(0, {name: 0.0 - weight for name, weight in found[0].items()})
        return dict(zip(labels, found, strict=False))

    def explain_one(self, x: Any, most: int | None = None) -> list[tuple[str, float]]:
        """Why x is predicted as it is: weight times value of its features, largest first; their sum is the score.

        Positive contributions speak for the class that is predicted, negative ones against it. `most` keeps so many.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> mail = Perceptron()
        >>> mail.learn_many([{"offer": 2.0}, {"meeting": 1.0}, {"offer": 1.0}], ["spam", "mail", "spam"])
        >>> mail.explain_one({"offer": 1.0, "meeting": 0.5, "never seen": 1.0})
        [('offer', 2.0), ('meeting', -0.5)]
        """
        check_positive("most", most, "it is a number of features; use None for all of them", whole=True, none=True)
        model = self._weights("explain_one")
        example = self._read(x)
        code = self.classes_.tolist().index(self.predict_one(x))
        row, sign = (0, 1.0 if code == 1 else -1.0) if len(model.intercept) == 1 else (code, 1.0)
        weights = model.coef[row]
        found = [(INTERCEPT, sign * model.intercept.item(row))]
        if isinstance(example, dict):
            for name, value in example.items():
                values, slots = self._names.row({name: value})
                found += [(str(name), sign * weights.item(slots.item(0)) * values.item(0))] if len(slots) else []
        else:
            products = sign * weights * example
            found += list(zip(self._names_of_weights(), products.tolist(), strict=True))
        used = [(name, product) for name, product in found if product != 0.0]
        return sorted(used, key=lambda pair: -abs(pair[1]))[:most]

    def _names_of_weights(self) -> list[str]:
        if "_names" not in vars(self):
            found = getattr(self, "feature_names_in_", None)
            return [f"x{j}" for j in range(self.n_features_in_)] if found is None else [str(name) for name in found]
        if self._names.size is not None:
            raise ValueError(
                "hash_features lets names share weights, so no weight belongs to one name; use explain_one(x), or "
                "learn with hash_features=None."
            )
        return list(self._names.codes)  # in the order of their slots
