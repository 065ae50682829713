"""Half-spaces trained by any rule: one of the table, or one of the user's own."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.arguments import as_float, check_choice, check_not_negative, check_positive, numbers_in, shortened
from rosenblatt.estimators.linear import RuleLearner
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.rules import RULES, Rule


@dataclass(eq=False, repr=False, kw_only=True)
class HalfSpace(RuleLearner):
    """Half-spaces trained by any rule.

    A rule is a plain function of scalars that says what one row teaches one half-space:

        step, shrink = rule(m, sqnorm, t, params)          w <- shrink·w + step·y·x

    with the margin m = y (w·x + b), sqnorm = ‖x‖² (the bias coordinate counted in), the number of the example
    t = 1, 2, …, and params, a tuple of floats. It is compiled, and runs at the speed of the built-in ones.

    Parameters
    ----------
    rule : str or callable
        A name in `rosenblatt.rules.RULES`, or a function like the above: written in a file, a notebook or at a
        prompt. It may call other plain functions and read constants; an edit to any of them is noticed.
    params : mapping, sequence or None
        The rule's parameters: by name for a rule of the table, in order for a function of your own.
    regularize_intercept : bool
        Whether `shrink` shrinks the bias as well.
    answer, max_iter, tol, time_limit, shuffle, fit_intercept, multi_class, class_weight, random_state, \
n_jobs, verbose
        As in `Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, answers_, trace_, stop_reason_, mistakes_, n_iter_
        As in `Perceptron`.

    Examples
    --------
    A perceptron that takes half steps for rows that are right but close:

    >>> from rosenblatt import HalfSpace
    >>> def careful(m, sqnorm, t, params):
    ...     if m <= 0:
    ...         return 1.0, 1.0
    ...     return (0.5 if m < params[0] else 0.0), 1.0
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> HalfSpace(rule=careful, params=[1.0], shuffle=False).fit(X, y).stop_reason_
    'converged'
    """

    rule: str | Callable[..., tuple[float, float]] = field(default="perceptron", kw_only=False)
    params: Any = field(default=None, kw_only=False)
    regularize_intercept: bool = False

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        if isinstance(self.rule, str):
            check_choice("rule", self.rule, tuple(RULES))
        if isinstance(self.rule, str | Rule):
            rule = RULES[self.rule] if isinstance(self.rule, str) else self.rule
            if self.params is not None and not isinstance(self.params, Mapping):
                raise ValueError(
                    f"params must be a dict of names and numbers for the rule {rule.name!r}, but got "
                    f"{shortened(self.params)}; its parameters are {', '.join(rule.parameters) or 'none'}."
                )
            values = rule.values(self.params)
            known = rule is RULES.get(rule.name)  # what a parameter of another rule may be, its author knows
            for name, value in zip(rule.parameters, values, strict=True) if known else ():
                if name in ("learning_rate", "C") or (rule.name, name) == ("pegasos", "lam"):
                    check_positive(name, value, "it is the size of a step")
                else:
                    check_not_negative(name, value, "use 0 for none of it")
            return rule, values
        if isinstance(self.rule, MissingFunction):
            self.rule.refuse("rule")
        if not inspect.isfunction(getattr(self.rule, "py_func", self.rule)):
            raise ValueError(
                f"rule must be a name in RULES or a Python function, but got {shortened(self.rule)}; pass a function "
                f"of (m, sqnorm, t, params) that returns (step, shrink)."
            )
        given = list(self.params.values()) if isinstance(self.params, Mapping) else self.params
        values = () if given is None else tuple(np.atleast_1d(numbers_in("params", given, "a list")).tolist())
        try_out(self.rule, values)
        return Rule(
            getattr(self.rule, "__name__", "rule"), self.rule, dict.fromkeys(map(str, range(len(values))), 0.0)
        ), values


@functools.lru_cache(maxsize=256)
def try_out(rule: Any, params: tuple[float, ...]) -> None:
    """Ask the rule for a wide, a narrow and a wrong margin before it is compiled, where mistakes are plain to see."""
    function = getattr(rule, "py_func", rule)
    for margin, t in itertools.product((2.0, 0.5, -1.0), (1, 1000)):
        call = f"{function.__name__}(m={margin}, sqnorm=1.0, t={t}, params={params})"
        answer = function(margin, 1.0, t, params)
        fine = isinstance(answer, tuple) and len(answer) == 2 and all(math.isfinite(as_float(one)) for one in answer)
        if not fine:
            raise ValueError(
                f"rule must return (step, shrink), a tuple of two finite numbers, but {call} returned "
                f"{shortened(answer)}; return (step, 1.0) to shrink nothing."
            )
