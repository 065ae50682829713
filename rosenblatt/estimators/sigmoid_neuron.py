"""The sigmoid neuron with squared loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.special

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators import minimising, training
from rosenblatt.estimators.held_out import check_fraction, held_out
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.logistic_regression import _errors, _wrong
from rosenblatt.estimators.validation import check_choice, check_finite, check_positive
from rosenblatt.rules import RULES, Rule
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch


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
    solver : {"lbfgs", "sgd", "batch", "svrg"}
        scipy's L-BFGS; stochastic steps of `batch_size` rows; steps with all rows; or stochastic steps with variance
        reduction.
    start : float or None
        The standard deviation of the random weights that it starts from; None starts at zero. `fit` takes starting
        weights, too.
    tol : float
        L-BFGS stops when no entry of the gradient is larger. Steps stop when the objective falls by less than this
        fraction for `n_iter_no_change` epochs; 0 never stops early.
    shuffle : bool or "replacement"
        The rows of an epoch: all in a new order, all in the order of X (False), or as many as there are, drawn at
        random with replacement.
    n_iter_no_change : int
        Epochs without progress before steps stop.
    validation_fraction : float or None
        Steps only: hold out this fraction of the rows and stop when the loss on these has not fallen for
        `n_iter_no_change` epochs; the weights with the lowest such loss are kept.
    max_iter, learning_rate, schedule, batch_size
        As in `LogisticRegression`.
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

    answer = "last"
    pocket_check = "run"
    hash_features = None
    multi_class = "ovr"
    warm_start = False
    time_limit = None
    n_jobs = None
    verbose = 0
    _shuffles = ("replacement",)

    def __init__(
        self,
        *,
        lam: float = 1e-4,
        solver: str = "lbfgs",
        start: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        learning_rate: float | None = None,
        schedule: Any = "constant",
        batch_size: int = 1,
        shuffle: bool | str = True,
        n_iter_no_change: int = 5,
        validation_fraction: float | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.solver = solver
        self.start = start
        self.tol = tol
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.shuffle = shuffle  # type: ignore[assignment]  # or "replacement"
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def patience(self) -> int | None:
        """Epochs without progress on held-out rows; None where none are held out."""
        return None if self.validation_fraction is None else int(self.n_iter_no_change)

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

        Returns
        -------
        self

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
            if "_given" in vars(self):
                del self._given

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        rate = 1.0 if self.learning_rate is None else float(self.learning_rate)
        return RULES["sigmoid_neuron"], (rate, float(self.lam), 1.0)

    def _check_parameters(self) -> None:
        minimising.check_not_negative("lam", self.lam, "0 means no penalty")
        check_choice("solver", self.solver, ("lbfgs", *minimising.STEPWISE))
        if self.start is not None:
            minimising.check_not_negative("start", self.start, "it is a standard deviation; use None to start at zero")
        check_positive("n_iter_no_change", self.n_iter_no_change, "it is a number of epochs", whole=True)
        check_fraction(self.validation_fraction)
        if self.validation_fraction is not None and self.solver not in minimising.STEPWISE:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} is for gradient steps, but solver is {self.solver!r}; "
                f"use one of {', '.join(minimising.STEPWISE)}, or validation_fraction=None."
            )
        minimising.check_descent(self)
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

        def part(rows: Array) -> Objective:
            weights = task.sample_weight[rows] if len(task.sample_weight) else task.sample_weight
            return objective_over(X[rows], task.codes[rows], weights)

        tested, codes = None, task.codes
        if eval_set is not None:
            X_test, labels = training.check_eval_set(self, eval_set, task.layout)
            tested = objective_over(X_test, labels, np.empty(0)), lambda scores: _errors(scores, labels)
        if self.validation_fraction is None:
            objective = objective_over(X, codes, task.sample_weight)
        else:
            held, kept = held_out(task.kept, codes[task.kept], self.validation_fraction, random)
            objective, codes, watched = part(kept), codes[kept], codes[held]
            tested = part(held), lambda scores: _errors(scores, watched)
        weights, trace = minimising.minimise(
            self, objective, self._start(state, random), mistakes=lambda scores: _wrong(scores, codes), tested=tested,
            on_epoch=on_epoch,
        )  # fmt: skip
        training.keep(self, state, trace, weights[:, :-1], weights[:, -1], len(task.kept))
        self.objective_ = objective.value(weights, objective.scores(weights))[0]
        minimising.warn(self, trace, level=5)

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
    try:
        given = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.size != otherwise.size or given.shape not in (otherwise.shape, otherwise.shape[1:]):
        raise ValueError(
            f"{name} must be numbers of shape {otherwise.shape}, but got {shortened(value)}; pass an array of that "
            f"shape, as the fitted estimator has."
        )
    if not np.isfinite(given).all():
        raise ValueError(f"{name} must be finite, but has NaN or infinity; pass finite numbers.")
    return given
