"""The sigmoid neuron with squared loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.estimators import minimising, training
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.logistic_regression import _errors, _wrong
from rosenblatt.estimators.validation import check_choice, check_finite
from rosenblatt.rules import RULES, Rule


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
    solver : {"quasi_newton", "sgd", "batch", "svrg"}
        scipy's L-BFGS; stochastic steps of `batch_size` rows; steps with all rows; or with variance reduction.
    start : float or None
        The standard deviation of the random weights that it starts from; None starts at zero.
    tol, max_iter, learning_rate, schedule, batch_size, patience
        As in `LogisticRegression`.
    fit_intercept, class_weight, warm_start, shuffle, random_state, time_limit, n_jobs, verbose
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, n_iter_, trace_, stop_reason_, objective_
        As in `LogisticRegression`.

    Examples
    --------
    >>> from rosenblatt import SigmoidNeuron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> model = SigmoidNeuron(lam=1e-4).fit(X, y)
    >>> model.predict(X).tolist(), model.activate(X).round(1).tolist()
    ([0, 1, 1, 1], [0.1, 0.9, 0.9, 1.0])
    """

    answer = "last"
    pocket_check = "run"
    hash_features = None
    multi_class = "ovr"

    def __init__(
        self,
        lam: float = 0.0,
        solver: str = "quasi_newton",
        start: float | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        learning_rate: float | None = None,
        schedule: Any = "constant",
        batch_size: int = 1,
        patience: int | None = None,
        time_limit: float | None = None,
        shuffle: bool = True,
        fit_intercept: bool = True,
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.lam = lam
        self.solver = solver
        self.start = start
        self.tol = tol
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.patience = patience
        self.time_limit = time_limit
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        rate = 1.0 if self.learning_rate is None else float(self.learning_rate)
        return RULES["sigmoid_neuron"], (rate, float(self.lam), 1.0)

    def _check_parameters(self) -> None:
        minimising.check_not_negative("lam", self.lam, "0 leaves the loss alone")
        check_choice("solver", self.solver, ("quasi_newton", *minimising.STEPWISE))
        if self.start is not None:
            minimising.check_not_negative("start", self.start, "it is a standard deviation; use None to start at zero")
        minimising.check_descent(self)
        super()._check_parameters()

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.gradient.objective import Objective

        check_finite(self, X)

        def objective_over(rows: Any, codes: Array, weights: Array) -> Objective:
            targets = np.where(codes[:, None] == task.positive[None, :], 1.0, -1.0)
            return Objective(rows, targets, weights, "sigmoid", float(self.lam), fit_intercept=bool(self.fit_intercept))

        objective = objective_over(X, task.codes, task.sample_weight)
        tested = None
        if eval_set is not None:
            X_test, codes = training.check_eval_set(self, eval_set, task.layout)
            tested = objective_over(X_test, codes, np.empty(0)), lambda scores: _errors(scores, codes)
        coefficients, bias = state.last()
        start = np.column_stack([coefficients, bias]).astype(np.float64)
        goes_on = self.warm_start and hasattr(self, "_state")  # a first fit has no weights to go on from
        if self.start is not None and not goes_on:
            start += np.random.default_rng(minimising.seed_of(self)).normal(0.0, float(self.start), start.shape)
            start[:, -1] *= bool(self.fit_intercept)
        weights, trace = minimising.minimise(
            self, objective, start, mistakes=lambda scores: _wrong(scores, task.codes), tested=tested,
            on_epoch=on_epoch,
        )  # fmt: skip
        training.keep(self, state, trace, weights[:, :-1], weights[:, -1], len(task.kept))
        self.objective_ = objective.value(weights, objective.scores(weights))[0]
        minimising.warn(self, trace, level=4)

    def activate(self, X: Any) -> Array:
        """a = sigmoid(w·x + b) of every row; with several classes, of every neuron."""
        return np.asarray(scipy.special.expit(self.decision_function(X)))
