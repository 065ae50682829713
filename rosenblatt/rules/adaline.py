"""Adaline, Widrow and Hoff's rule: least squares on the labels -1 and +1 (lecture row L18, for classes).

Problem: minimise lam ‖w‖² + mean of (w·x + b - y)²/2. With y = -1 or +1 the loss of one row is (1 - m)²/2: rows that
are right by more than 1 are pulled back too. A constant rate above 2/‖x‖² would make it diverge; so no step is longer
than to the row's own least loss, m = 1, however long or heavy the row (N. Karampatziakis, J. Langford 2011, Online
importance weight aware updates, UAI).
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule


def bounded_rate(eta: float, weight: float, bent: float) -> float:
    """weight · eta, or 1/bent if that is less: no step is longer than the loss of its row allows."""
    return min(weight * eta, 1.0 / bent) if bent > 0.0 else weight * eta


def adaline(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    eta, lam, weight = params
    return bounded_rate(eta, weight, sqnorm) * (1.0 - m), 1.0 - 2.0 * eta * lam


def adaline_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    eta, _, weight = params
    return bounded_rate(eta, weight, sqnorm) * 0.5 * (1.0 - m) ** 2


ADALINE = Rule(
    name="adaline",
    function=adaline,
    parameters={"learning_rate": 0.01, "lam": 0.0, "weight": 1.0},
    weighted="weight",
    loss=adaline_loss,
    formula="step = min(eta, 1/‖x‖²) (1 - m), shrink = 1 - 2 eta lam",
    paper="B. Widrow, M. E. Hoff (1960). Adaptive switching circuits. IRE WESCON Convention Record 4, 96-104.",
)
