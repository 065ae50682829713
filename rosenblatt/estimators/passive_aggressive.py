"""Passive-aggressive classification."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.arguments import check_choice, check_positive
from rosenblatt.estimators.linear import RuleLearner
from rosenblatt.rules import RULES, Rule

VARIANTS = {"PA": "passive_aggressive", "PA-I": "passive_aggressive_1", "PA-II": "passive_aggressive_2"}


@dataclass(eq=False, repr=False, kw_only=True)
class PassiveAggressive(RuleLearner):
    """Passive-aggressive learning: the smallest change that gives every row its margin.

    A row with margin m = y (w·x + b) >= 1 changes nothing. Otherwise w <- w + step·y·x with

        PA      step = (1 - m) / ‖x‖²
        PA-I    step = min(C, (1 - m) / ‖x‖²)
        PA-II   step = (1 - m) / (‖x‖² + 1/(2C)),

    where ‖x‖² counts the bias coordinate: after a PA step the margin is exactly 1.

    Parameters
    ----------
    C : float
        How aggressive: the most that one row may move the weights (PA-I), or how firmly (PA-II). A sample weight
        multiplies it. PA has no C; there a sample weight below 1 multiplies the step.
    variant : {"PA-I", "PA-II", "PA"}
        The rule.
    answer, max_iter, tol, time_limit, shuffle, fit_intercept, multi_class, class_weight, random_state, \
n_jobs, verbose, hash_features
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, answers_, trace_, stop_reason_, mistakes_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> model = PassiveAggressive(variant="PA")
    >>> model.learn_one([0.3, 0.4], "no"); model.learn_one([0.3, 0.4], "yes")
    >>> round(float(model.decision_function([[0.3, 0.4]])[0]), 12)
    1.0

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer (2006). Online passive-aggressive algorithms.
    Journal of Machine Learning Research 7.
    """

    C: float = 1.0
    variant: str = "PA-I"
    hash_features: int | None = None

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        check_choice("variant", self.variant, tuple(VARIANTS))
        check_positive("C", self.C, "it is the most that one row may move the weights")
        rule = RULES[VARIANTS[self.variant]]
        return rule, rule.values({"C": self.C} if "C" in rule.parameters else None)
