"""The frozen result of training: half-spaces that answer together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

Array = npt.NDArray[Any]
BLOCK = 2**22  # numbers of a uint8 matrix that are widened at a time


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Scores X·coefᵀ + intercept. One half-space tells two classes apart; otherwise the highest score answers.

    A score of 0 answers the second class.

    >>> import numpy as np
    >>> model = LinearModel(np.array([[1.0, 1.0]]), np.array([-1.5]), np.array(["no", "yes"]))
    >>> model.predict(np.array([[1.0, 1.0], [1.0, 0.0]])).tolist()
    ['yes', 'no']
    """

    coef: Array
    intercept: Array
    classes: Array

    def decision_function(self, X: Any) -> Array:
        scores = product(X, self.coef) + self.intercept
        return scores[:, 0] if len(self.intercept) == 1 else scores

    def predict(self, X: Any) -> Array:
        return labels(self.decision_function(X), self.classes)

    def score(self, X: Any, y: Any) -> float:
        """The fraction of rows answered correctly."""
        return fraction_right(self.predict(X), y)


def labels(scores: Array, classes: Array) -> Array:
    """The classes that the scores answer."""
    codes = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return classes[codes]


def fraction_right(answers: Array, y: Any) -> float:
    """How many of the answers are the labels; there must be one label for each.

    Examples
    --------
    >>> fraction_right(np.array([1, 0, 1]), [1, 1, 1])
    0.6666666666666666
    >>> fraction_right(np.array([1, 0, 1]), None)
    Traceback (most recent call last):
    ValueError: y must have one label for each of the 3 rows, but its shape is (); pass as many labels as rows.
    """
    labels = np.asarray(y)
    if labels.shape != answers.shape:
        raise ValueError(
            f"y must have one label for each of the {len(answers)} rows, but its shape is {labels.shape}; pass as many "
            f"labels as rows."
        )
    return float(np.mean(answers == labels))


def product(X: Any, coef: Array) -> Array:
    """X·coefᵀ; small integers are widened a block of rows at a time."""
    X = X if scipy.sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.shape[1] != coef.shape[1]:
        raise ValueError(
            f"X must be rows of {coef.shape[1]} features, but has shape {X.shape}; pass the columns of the "
            f"fit, rows by features."
        )
    if scipy.sparse.issparse(X):
        return np.asarray(X @ coef.T)
    if X.dtype != np.uint8:
        return np.asarray(X @ coef.T)
    result = np.empty((len(X), len(coef)), coef.dtype)
    height = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, len(X), height):
        block = slice(start, start + height)
        result[block] = X[block].astype(coef.dtype) @ coef.T
    return result
