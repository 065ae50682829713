"""The sigmoid neuron with squared loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.special

from rosenblatt.arguments import check_not_negative, numbers_in, shortened
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators import minimising
from rosenblatt.estimators.gradient_descent import stored_solver
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.validation import check_finite
from rosenblatt.rules import RULES, Rule
from rosenblatt.seeds import random_state_of
from rosenblatt.stored import kinds
from rosenblatt.trace import Epoch


@dataclass(eq=False, repr=False, kw_only=True)
class SigmoidNeuron(LinearClassifier):
    """A sigmoid neuron with squared loss (lecture row L17).

    With the activation a = sigmoid(w·x + b) and targets 0 and 1, minimises

        lam ‖w‖² + mean of (a - target)²/2

    by the chain rule, and decides at a = 0.5. The loss is not convex, with or without noise: where descent ends depends
    on where it starts and on its steps. More than two classes have a neuron each.

    Parameters
    ----------
    lam : float
        The weight of ‖w‖².
    solver : {"lbfgs", "sgd", "batch", "svrg"} or GradientDescent
        scipy's L-BFGS; or steps as in `LogisticRegression`.
    start : float or None
        The standard deviation of the random weights that it starts from; None starts at zero. `fit` takes starting
        weights, too.
    tol : float
        L-BFGS stops when no entry of the gradient is larger; steps when the objective falls by less than this fraction
        for five epochs. 0 never stops early.
    max_iter : int
        The limit on steps of L-BFGS or epochs.
    fit_intercept, class_weight, random_state
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, trace_, stop_reason_, objective_
        As in `LogisticRegression`.

    Examples
    --------
    >>> from rosenblatt import SigmoidNeuron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> model = SigmoidNeuron().fit(X, y)
    >>> model.predict(X).tolist(), model.activate(X).round(1).tolist()
    ([0, 1, 1, 1], [0.1, 0.9, 0.9, 1.0])
    """

    _stored_parameters = kinds({**LinearClassifier._stored_parameters, "solver": stored_solver("lbfgs")})

    lam: float = 1e-4
    solver: Any = "lbfgs"
    start: float | None = None
    tol: float = 1e-6
    max_iter: int = 500
    fit_intercept: bool = True
    class_weight: Any = None
    random_state: Any = None

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        coef_init: Any = None,
        intercept_init: Any = None,
        eval_set: tuple[Any, Any] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> Self:
        """Descend from the starting weights.

        Parameters
        ----------
        X, y, sample_weight, eval_set, on_epoch
            As in `Perceptron.fit`.
        coef_init : array of shape (1 or n_classes, n_features), optional
        intercept_init : array of shape (1 or n_classes,), optional
            The weights and intercepts to start from, shaped as ``coef_`` and ``intercept_``.

        Raises
        ------
        ValueError
            If rows, labels or starting weights cannot be used, or a parameter is out of its range. An earlier fit stays
            as it was.
        """
        self._given = coef_init, intercept_init
        try:
            return super().fit(X, y, sample_weight, eval_set=eval_set, on_epoch=on_epoch)
        finally:
            self.__dict__.pop("_given", None)

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        rate = getattr(self.solver, "learning_rate", None)
        return RULES["sigmoid_neuron"], (1.0 if rate is None else float(rate), float(self.lam), 1.0)

    def _check_parameters(self) -> None:
        minimising.check_solved(self, "0 means no penalty", "lbfgs")
        if self.start is not None:
            check_not_negative("start", self.start, "it is a standard deviation; use None to start at zero")
        super()._check_parameters()

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.gradient.objective import Objective

        check_finite(self, X)
        random = random_state_of(self.random_state)

        def objective_over(rows: Any, codes: Array, weights: Array) -> Objective:
            targets = np.where(codes[:, None] == task.positive[None, :], 1.0, -1.0)
            return Objective(rows, targets, weights, "sigmoid", float(self.lam), fit_intercept=bool(self.fit_intercept))

        objective, codes, tested = minimising.objectives_of(self, task, X, eval_set, objective_over, random)
        weights, trace = minimising.minimise(
            self, objective, self._start(state, random), tested=tested, on_epoch=on_epoch,
            mistakes=lambda scores: minimising.count_mistakes(scores, codes),
        )  # fmt: skip
        self._keep(state, trace, weights[:, :-1], weights[:, -1], len(task.kept))
        self.objective_ = objective.value(weights, objective.scores(weights))[0]
        minimising.warn(self, trace, level=6)

    def _start(self, state: HalfSpaces, random: Any) -> Array:
        """The weights to start from, (K, d + 1): given, at random or zero."""
        start = np.zeros((state.count, state.n_features + 1))
        if self.start is not None:
            start[:] = random.normal(0.0, float(self.start), start.shape)
        coef, intercept = self._given
        start[:, :-1] = _given("coef_init", coef, start[:, :-1])
        start[:, -1] = _given("intercept_init", intercept, start[:, -1])
        start[:, -1] *= bool(self.fit_intercept)
        return start

    def activate(self, X: Any) -> Array:
        """a = sigmoid(w·x + b) of every row; with several classes, of every neuron."""
        return np.asarray(scipy.special.expit(self.decision_function(X)))


def _given(name: str, value: Any, otherwise: Array) -> Array:
    """Starting weights of the shape of `otherwise`; that itself where none are given."""
    if value is None:
        return otherwise
    given = numbers_in(name, value, "an array")
    fits = given.size == otherwise.size and given.shape in (otherwise.shape, otherwise.shape[1:])
    if not fits or not np.isfinite(given).all():
        raise ValueError(
            f"{name} must be finite numbers of shape {otherwise.shape}, but got {shortened(value)}; pass an array of "
            f"that shape, as the fitted estimator has."
        )
    return given.reshape(otherwise.shape)
