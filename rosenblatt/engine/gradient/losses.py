"""Losses as the gradient engine sees them: of scores and targets, with their first two derivatives.

The regression contract, beside the margin contract of the rules: for one row with scores s and targets t, one of each
per output,

    value(s, t, slopes)      the loss; slopes[k] = its derivative by s_k
    bend(s, t, r, out)       out = its second derivative times r

Most losses treat every output for itself; those are written as three functions of two numbers. A margin loss has
targets -1 and +1, regression has any numbers, the multinomial loss a 1 for the true class and 0 for the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rosenblatt.engine.compile.jit import part
from rosenblatt.rules.logistic import sigmoid as _sigmoid

sigmoid = part(_sigmoid)


@dataclass(frozen=True)
class Loss:
    """A loss with what solvers want to know: the most that it bends, and whether every output stands for itself.

    Steps that are too large for a `bounded` loss end on a plateau instead of diverging.
    """

    name: str
    value: Callable[..., float]
    bend: Callable[..., None]
    most_bent: float
    separate: bool = True
    bounded: bool = False


def _separate(
    name: str, value_of: Any, slope_of: Any, bend_of: Any, most_bent: float, *, bounded: bool = False
) -> Loss:
    value_of, slope_of, bend_of = part(value_of), part(slope_of), part(bend_of)

    @part
    def value(s: Any, t: Any, slopes: Any) -> float:
        total = 0.0
        for k in range(s.shape[0]):
            total += value_of(s[k], t[k])
            slopes[k] = slope_of(s[k], t[k])
        return total

    @part
    def bend(s: Any, t: Any, r: Any, out: Any) -> None:
        for k in range(s.shape[0]):
            out[k] = bend_of(s[k], t[k]) * r[k]

    return Loss(name, value, bend, most_bent, bounded=bounded)


# ---------------------------------------------------------------------- logistic: log(1 + exp(-t s)), t = -1 or +1


def logistic_value(s: float, t: float) -> float:
    m = t * s
    return max(0.0, -m) + math.log1p(math.exp(-abs(m)))


def logistic_slope(s: float, t: float) -> float:
    return -t * sigmoid(-t * s)


def logistic_bend(s: float, t: float) -> float:
    return sigmoid(s) * sigmoid(-s)


# ---------------------------------------------------------------------- squared: (s - t)²/2


def squared_value(s: float, t: float) -> float:
    return 0.5 * (s - t) * (s - t)


def squared_slope(s: float, t: float) -> float:
    return s - t


def squared_bend(s: float, t: float) -> float:
    return 1.0


# ---------------------------------------------------------------------- sigmoid neuron: sigmoid(-t s)²/2


def sigmoid_value(s: float, t: float) -> float:
    return 0.5 * sigmoid(-t * s) ** 2


def sigmoid_slope(s: float, t: float) -> float:
    wrong = sigmoid(-t * s)
    return -t * wrong * wrong * (1.0 - wrong)


def sigmoid_bend(s: float, t: float) -> float:
    wrong = sigmoid(-t * s)
    return wrong * wrong * (1.0 - wrong) * (2.0 - 3.0 * wrong)


# ---------------------------------------------------------------------- squared hinge: max(0, 1 - t s)²


def squared_hinge_value(s: float, t: float) -> float:
    return max(0.0, 1.0 - t * s) ** 2


def squared_hinge_slope(s: float, t: float) -> float:
    return -2.0 * t * max(0.0, 1.0 - t * s)


def squared_hinge_bend(s: float, t: float) -> float:
    return 2.0 if t * s < 1.0 else 0.0


# ---------------------------------------------------------------------- multinomial: log sum exp(s) - s·t


@part
def multinomial_value(s: Any, t: Any, slopes: Any) -> float:
    top = s[0]
    for k in range(1, s.shape[0]):
        top = max(top, s[k])
    total, own = 0.0, 0.0
    for k in range(s.shape[0]):
        slopes[k] = math.exp(s[k] - top)
        total += slopes[k]
        own += t[k] * s[k]
    for k in range(s.shape[0]):
        slopes[k] = slopes[k] / total - t[k]
    return math.log(total) + top - own


@part
def multinomial_bend(s: Any, t: Any, r: Any, out: Any) -> None:
    top = s[0]
    for k in range(1, s.shape[0]):
        top = max(top, s[k])
    total, mean = 0.0, 0.0
    for k in range(s.shape[0]):
        out[k] = math.exp(s[k] - top)
        total += out[k]
        mean += out[k] * r[k]
    mean /= total
    for k in range(s.shape[0]):
        out[k] = out[k] / total * (r[k] - mean)


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        _separate("logistic", logistic_value, logistic_slope, logistic_bend, 0.25),
        _separate("squared", squared_value, squared_slope, squared_bend, 1.0),
        _separate("sigmoid", sigmoid_value, sigmoid_slope, sigmoid_bend, 0.15, bounded=True),
        _separate("squared_hinge", squared_hinge_value, squared_hinge_slope, squared_hinge_bend, 2.0),
        Loss("multinomial", multinomial_value, multinomial_bend, 0.5, separate=False),
    )
}
