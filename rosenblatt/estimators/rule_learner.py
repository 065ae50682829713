"""The parameters that all learners have whose epochs follow a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosenblatt.estimators.linear import LinearClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class RuleLearner(LinearClassifier):
    """Not for users: the shared parameters of `Perceptron`, `PassiveAggressive` and `HalfSpace`."""

    answer: str = "auto"
    max_iter: int = 100
    tol: float | None = 1e-3
    time_limit: float | None = None
    shuffle: bool = True
    fit_intercept: bool = True
    multi_class: str = "ovr"
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
