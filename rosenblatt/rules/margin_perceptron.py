"""The perceptron that also learns from rows it gets right too narrowly.

Problem: find w with y (w·x + b) > theta for every row. The loss of one row is max(0, theta - m). At
theta = 0 this is Rosenblatt's rule. With ‖x‖ <= R and a unit vector of margin gamma, it makes at most
(R² + 2 theta) / gamma² updates at eta = 1.
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule


def margin_perceptron(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    eta, theta = params
    return (eta if m <= theta else 0.0), 1.0


def margin_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    eta, theta = params
    return eta * max(0.0, theta - m)


MARGIN_PERCEPTRON = Rule(
    name="margin_perceptron",
    function=margin_perceptron,
    parameters={"learning_rate": 1.0, "theta": 1.0},
    loss=margin_loss,
    formula="step = eta if m <= theta else 0",
    paper="W. Krauth, M. Mézard (1987). Learning algorithms with optimal stability in neural networks. "
    "Journal of Physics A 20(11), L745-L752.",
)
