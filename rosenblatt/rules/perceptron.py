"""Rosenblatt's rule (lecture rows L4 and L5).

Problem: find w with y (w·x + b) > 0 for every row. The loss of one row is the perceptron loss
max(0, -m), and the step is eta times minus its derivative, with the boundary m = 0 counted as a mistake:
from w = 0 a strict test would never fire and nothing would ever be learned.
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule


def perceptron(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    (eta,) = params
    return (eta if m <= 0.0 else 0.0), 1.0


def perceptron_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    (eta,) = params
    return eta * max(0.0, -m)


PERCEPTRON = Rule(
    name="perceptron",
    function=perceptron,
    parameters={"learning_rate": 1.0},
    loss=perceptron_loss,
    formula="step = eta if m <= 0 else 0",
    paper="F. Rosenblatt (1958). The perceptron: a probabilistic model for information storage and "
    "organization in the brain. Psychological Review 65(6), 386-408.",
)
