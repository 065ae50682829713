"""What the weights of a linear classifier say in words: weights by the names of features, and why it predicted so."""

from __future__ import annotations

from typing import Any

from rosenblatt.estimators.base_linear import BaseLinear
from rosenblatt.estimators.one_example import OneExample
from rosenblatt.estimators.validation import check_positive

INTERCEPT = "(intercept)"


class Explained(BaseLinear, OneExample):
    """Not for users: explanations of a linear classifier that reads rows and dicts."""

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
