"""Logistic regression, one row at a time (lecture row L15).

Problem: maximise the sum of log sigmoid(m) plus the log of a Gaussian prior on w; that is, minimise
lam ‖w‖² + mean of log(1 + exp(-m)). The loss of one row is -log sigmoid(m) with a single sigmoid, and its slope
is -sigmoid(-m).
"""

from __future__ import annotations

import math

from rosenblatt.rules.contract import Rule


def sigmoid(a: float) -> float:
    """1/(1 + exp(-a)), without an overflow on either side."""
    if a >= 0.0:
        return 1.0 / (1.0 + math.exp(-a))
    power = math.exp(a)
    return power / (1.0 + power)


def logistic(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    eta, lam = params
    return eta * sigmoid(-m), 1.0 - 2.0 * eta * lam


def logistic_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    eta, _ = params
    return eta * (max(0.0, -m) + math.log1p(math.exp(-abs(m))))


LOGISTIC = Rule(
    name="logistic",
    function=logistic,
    parameters={"learning_rate": 0.1, "lam": 0.0},
    loss=logistic_loss,
    formula="step = eta sigmoid(-m), shrink = 1 - 2 eta lam",
    paper="D. R. Cox (1958). The regression analysis of binary sequences. Journal of the Royal Statistical Society B "
    "20(2), 215-242.",
)
