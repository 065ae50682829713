"""The methods of a linear classifier that take one example: a row, or a dict of named features."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators import explaining, named_batches, one_by_one


class OneExample:
    """Not for users: river's protocol, weights by name, and explanations."""

    def learn_one(self: Any, x: Any, y: Any, w: float = one_by_one.ONE) -> None:
        """Learn from one example: a row, or a dict of named features (names may be new)."""
        one = self._one
        if one is None or not one.learn(x, y, w):
            one_by_one.learn(self, x, y, w)

    def predict_one(self: Any, x: Any) -> Any:
        """The class of one example, or None before anything was learned."""
        one = self._one
        if one is not None:
            label = one.answer(x)
            if label is not one_by_one.UNSURE:
                return label
        return one_by_one.predict(self, x)

    def decision_function_one(self: Any, x: Any) -> dict[Any, float]:
        """The score of every class for one example, a row or a dict; nothing before anything was learned."""
        scores = one_by_one.scores(self, x)
        if scores is None:
            return {}
        if len(scores) == 1 and len(self.classes_) == 2:
            scores = [-scores[0], scores[0]]
        return dict(zip(self.classes_.tolist(), scores, strict=True))

    def weights_by_name(self: Any) -> dict[Any, dict[str, float]]:
        """The weights of every class by the names of the features, and "(intercept)". Two classes have opposite ones.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> mail = Perceptron()
        >>> mail.learn_many([{"offer": 2.0}, {"meeting": 1.0}, {"offer": 1.0}], ["spam", "mail", "spam"])
        >>> mail.weights_by_name()["spam"]
        {'offer': 2.0, 'meeting': -1.0, '(intercept)': 0.0}
        """
        return explaining.weights_by_name(self)

    def explain_one(self: Any, x: Any, most: int | None = None) -> list[tuple[str, float]]:
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
        return explaining.explain_one(self, x, most)

    def learn_many(self: Any, X: Any, y: Any, w: Any = None) -> None:
        """Learn from a batch: rows, as `partial_fit` does, or a list of dicts; after dicts, a frame is too."""
        named_batches.learn_many(self, X, y, w)

    def predict_many(self: Any, X: Any) -> Array:
        """The class of every row of a batch."""
        return self.predict(X)
