"""Gradient descent as a solver: how many rows a step takes, how long it is, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split

from rosenblatt.arguments import as_float, check_choice, check_positive, shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.missing import MissingFunction, rule
from rosenblatt.estimators.validation import check_flag, check_schedule
from rosenblatt.stored import Check, Stored, choice, either, instance, kinds

SCHEDULES = ("constant", "1/t", "1/sqrt(t)", "step")


@dataclass(eq=False, repr=False, kw_only=True)
class GradientDescent(Stored, BaseEstimator):  # type: ignore[misc]
    """Gradient descent in any size of step, as a solver of `LogisticRegression`, `LeastSquares`, `SigmoidNeuron` and
    `Layer` (lecture row L19).

    A step takes a batch B of rows and moves against the gradient of their mean loss,

        w <- w - rate_t · ∇ (mean over B of loss(w, row) + penalty(w)),

    and an epoch visits every row once. The names "sgd", "batch" and "svrg" stand for ``GradientDescent()``,
    ``GradientDescent(batch_size=None)`` and ``GradientDescent(variance_reduction=True)``.

    Parameters
    ----------
    batch_size : int or None
        Rows per step; None is all of them.
    learning_rate : float or None
        None is a rate at which no step overshoots.
    schedule : {"constant", "1/t", "1/sqrt(t)", "step"} or callable
        What `learning_rate` is multiplied by at step t; "step" halves it every ten epochs. A function of t gives the
        rate itself.
    variance_reduction : bool
        Correct each step by the difference of its batch's gradient from the mean gradient, both at the weights of the
        start of the epoch (SVRG). The noise of the steps then vanishes at the minimum, at a constant rate.
    shuffle : bool or "replacement"
        The rows of an epoch: all in a new order, all in the order of X (False), or as many as there are, drawn at
        random with replacement.
    n_iter_no_change : int
        Epochs without progress before it stops: the objective falls by less than the learner's `tol`, as a fraction.
    validation_fraction : float or None
        Hold out this fraction of the rows, stop when the loss on these has not fallen for `n_iter_no_change` epochs,
        and keep the weights with the lowest such loss.

    Examples
    --------
    >>> from rosenblatt import GradientDescent, LeastSquares
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> slow = GradientDescent(batch_size=None, learning_rate=0.1)
    >>> LeastSquares(solver=slow, max_iter=3000).fit(X, y).coef_.round(3).tolist()
    [2.0]

    References
    ----------
    H. Robbins, S. Monro (1951). A stochastic approximation method. Annals of Mathematical Statistics 22(3).
    R. Johnson, T. Zhang (2013). Accelerating stochastic gradient descent using predictive variance reduction. NIPS.
    """

    _stored_parameters = kinds({"schedule": rule})
    _stored_codes = ("schedule",)

    batch_size: int | None = 1
    learning_rate: float | None = None
    schedule: Any = "constant"
    variance_reduction: bool = False
    shuffle: bool | str = True
    n_iter_no_change: int = 5
    validation_fraction: float | None = None

    def check(self) -> None:
        """Refuse parameters that are out of their range, each with a sentence."""
        check_positive("learning_rate", self.learning_rate, "use None for a safe one", none=True)
        check_positive("batch_size", self.batch_size, "use None for all rows in a step", whole=True, none=True)
        check_positive("n_iter_no_change", self.n_iter_no_change, "it is a number of epochs", whole=True)
        check_flag("variance_reduction", self.variance_reduction)
        if self.shuffle != "replacement":
            check_flag("shuffle", self.shuffle)
        fraction = self.validation_fraction
        if fraction is not None and not 0.0 < as_float(fraction) < 1.0:
            raise ValueError(
                f"validation_fraction must be None or a number between 0 and 1, but got {shortened(fraction)}; 0.1 "
                f"holds out a tenth of the rows."
            )
        if isinstance(self.schedule, MissingFunction):
            self.schedule.refuse("schedule")
        if callable(self.schedule):
            check_schedule("schedule", self.schedule)
        else:
            check_choice("schedule", self.schedule, SCHEDULES)


STEPWISE = {
    "sgd": GradientDescent(),
    "batch": GradientDescent(batch_size=None),
    "svrg": GradientDescent(variance_reduction=True),
}


def check_solver(solver: Any, *others: str) -> None:
    """One of the names, or a `GradientDescent` with parameters in their range."""
    if isinstance(solver, GradientDescent):
        solver.check()
    else:
        check_choice("solver", solver, (*others, *STEPWISE))


def steps_of(solver: Any) -> GradientDescent | None:
    """The gradient descent that a solver is or is short for; None for another solver."""
    return solver if isinstance(solver, GradientDescent) else STEPWISE.get(solver)


def held_out_fraction(solver: Any) -> float | None:
    """The fraction of the rows that a solver holds out to decide when to stop; None for none."""
    steps = steps_of(solver)
    return None if steps is None else steps.validation_fraction


def stored_solver(*names: str) -> Check:
    """A kind for model files: one of the names, or gradient descent."""
    return either(choice(*names, *STEPWISE), instance(GradientDescent))


def held_out(rows: Array, codes: Array | None, fraction: float, random: Any) -> tuple[Array, Array]:
    """(rows to validate on, rows to learn from), in proportion to the classes where `codes` are given."""
    kept, held = train_test_split(rows, test_size=float(fraction), stratify=codes, random_state=random)
    return np.sort(held), np.sort(kept)
