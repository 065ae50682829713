"""The frozen result of kernel learning: sums of kernel values over support rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rosenblatt.models.linear import Array, fraction_right, labels
from rosenblatt.models.voted import VotedModel


@dataclass(frozen=True, eq=False)
class KernelModel:
    """Scores sum_j coefficients[j, k] K(support_j, x). One half-space tells two classes apart; else the best answers.

    `support` are rows, or the numbers of training rows where the kernel is precomputed. `scores` is the engine's; it
    works in blocks, so that memory does not grow with the number of rows.
    """

    support: Any
    coefficients: Array
    classes: Array
    scores: Callable[[Any, Any, Array], Array]

    def decision_function(self, X: Any) -> Array:
        result = self.scores(X, self.support, self.coefficients)
        return result[:, 0] if result.shape[1] == 1 else result

    def predict(self, X: Any) -> Array:
        return labels(self.decision_function(X), self.classes)

    def score(self, X: Any, y: Any) -> float:
        """The fraction of rows answered correctly."""
        return fraction_right(self.predict(X), y)


@dataclass(frozen=True, eq=False)
class VotedKernelModel(VotedModel):
    """Every weight vector that training passed through votes, by kernel values with the rows that made it."""

    values: Callable[[Any, Any], Array]

    def ready(self, X: Any) -> Any:
        return self.support

    def products(self, block: Any, support: Any) -> Array:
        return self.values(block, support)
