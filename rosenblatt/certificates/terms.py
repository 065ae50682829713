"""Whether and how the convergence theorem is about a recorded run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.certificates.problem import Problem
from rosenblatt.engine.online.state import Array

NO_INNER_PRODUCT = (
    "the theorem needs a kernel that is an inner product, and this one is not known to be positive semi-definite "
    "(a polynomial kernel is for coef0 >= 0)"
)


@dataclass
class Terms:
    """Whether and how the theorem is about a run: the constant step, the threshold, and what to say."""

    applies: bool
    note: str
    step: Fraction = Fraction(1)
    threshold: Fraction = Fraction(0)  # theta / eta


def terms_of(fitted: Any, problem: Problem, k: int, rows: Array, steps: Array, shrinks: Array) -> Terms:
    """What of this run the theorem speaks about."""
    coupled = getattr(fitted, "multi_class", "ovr") == "coupled"
    rule = getattr(fitted, "rule", None)
    kinds = [kind.__name__ for kind in type(fitted).__mro__ if kind.__name__ in ("Perceptron", "KernelPerceptron")]
    named = rule if isinstance(rule, str) else (kinds or [type(fitted).__name__])[0]
    outside = [
        (not getattr(getattr(fitted, "kernel_", None), "valid", True), NO_INNER_PRODUCT),
        (coupled, "coupled classes move two half-spaces at once, which this theorem is not about"),
        (
            named not in ("Perceptron", "KernelPerceptron", "perceptron", "margin_perceptron"),
            f"the rule {named} is not the perceptron's, which this theorem is about",
        ),
        (getattr(fitted, "drop_after", None) is not None, "rows were dropped: the theorem needs all updates to stay"),
        (getattr(fitted, "budget", None) is not None, "a budget forgets updates: the theorem needs all to stay"),
        (bool(len(shrinks)) and bool((shrinks != 1).any()), "the weights were shrunk between updates"),
        (
            bool(len(steps)) and bool((np.abs(steps) != abs(steps[0])).any()),
            "the steps differ (a schedule or sample weights): the bound needs a constant learning rate",
        ),
        (
            bool(len(steps)) and bool((np.sign(steps) != problem.signs[rows]).any()),
            "an update went against its label: these are not the rows and labels of the fit",
        ),
        (
            not _adds_up(fitted, problem, k, rows, steps),
            "the updates do not add up to the last weights (a start other than zero, updates after the fit, or not the "
            "rows of the fit)",
        ),
    ]
    for is_so, reason in outside:
        if is_so:
            return Terms(False, f"outside the theorem: {reason}")
    step = Fraction(abs(float(steps[0]))) if len(steps) else Fraction(1)
    note = f"constant learning rate {float(step):g}: the order of the rows and the rate do not matter"
    theta = _theta(fitted) if named == "margin_perceptron" else Fraction(0)
    if theta:
        note = f"threshold theta = {float(theta):g}: the bound is (R'^2 + 2 theta / eta) / gamma'^2"
    return Terms(True, note, step, theta / step)


def _theta(fitted: Any) -> Fraction:
    params = fitted.params
    if params is None:
        return Fraction(1)
    values = params.get("theta", 1.0) if hasattr(params, "get") else list(params)[1]
    return Fraction(float(values))


def _adds_up(fitted: Any, problem: Problem, k: int, rows: Array, steps: Array) -> bool:
    """Whether the recorded updates, on these rows, are the last weights: a start at zero, and the rows of the fit."""
    if hasattr(fitted, "kernel_"):
        counts = fitted.mistake_counts_.reshape(len(fitted.mistake_counts_), -1)
        return bool(np.array_equal(np.bincount(rows, minlength=problem.n), counts[:, k]))
    model = fitted.answers_["last"]
    last = np.r_[np.atleast_2d(model.coef)[k], np.atleast_1d(model.intercept)[k]].astype(np.float64)
    used = problem.X[rows].astype(np.float64)
    ones = np.full(len(rows), float(problem.intercept))
    total = np.r_[np.asarray(steps @ used).ravel(), steps @ ones]
    moved = np.r_[np.asarray(np.abs(steps) @ np.abs(used)).ravel(), np.abs(steps) @ ones]
    single = problem.X.dtype in (np.uint8, np.float32)  # rows whose weights are float32
    rounding = min(1e-4, (len(rows) + 8) * float(np.finfo(np.float32 if single else np.float64).eps))
    return bool(np.all(np.abs(total - last) <= rounding * moved + 1e-300))
