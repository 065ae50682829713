"""The sigmoid neuron with squared loss, one row at a time (lecture row L17).

Problem: with a = sigmoid(w·x + b) and targets 0 and 1, minimise the mean of (a - target)²/2. In terms of the margin
the loss of one row is sigmoid(-m)²/2, for either class; it is not convex. The chain rule gives the step.

A neuron that is thrown far out is flat there, and learns no more. With weight 1 the rate is the user's alone; for
heavier rows it is at most 4/‖x‖²: the steepest slope, 4/27, then moves the score of the row itself by at most 16/27.
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule
from rosenblatt.rules.logistic import sigmoid


def stretched_rate(eta: float, weight: float, sqnorm: float) -> float:
    """weight · eta; at most 4/‖x‖² for rows that are heavier than 1."""
    return min(weight * eta, 4.0 / sqnorm) if weight > 1.0 and sqnorm > 0.0 else weight * eta


def sigmoid_neuron(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    eta, lam, weight = params
    wrong = sigmoid(-m)
    return stretched_rate(eta, weight, sqnorm) * wrong * sigmoid(m) * wrong, 1.0 - 2.0 * eta * lam


def sigmoid_neuron_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    eta, _, weight = params
    return stretched_rate(eta, weight, sqnorm) * 0.5 * sigmoid(-m) ** 2


SIGMOID_NEURON = Rule(
    name="sigmoid_neuron",
    function=sigmoid_neuron,
    parameters={"learning_rate": 1.0, "lam": 0.0, "weight": 1.0},
    weighted="weight",
    loss=sigmoid_neuron_loss,
    formula="step = eta sigmoid(-m) sigmoid(m) (1 - sigmoid(m)), shrink = 1 - 2 eta lam",
    paper="D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986). Learning representations by back-propagating errors. "
    "Nature 323, 533-536.",
)
