"""The support vector machine, one row at a time: Pegasos (lecture row L13).

Problem: minimise lam ‖w‖² + mean of max(0, 1 - m). The loss of one row is the hinge max(0, 1 - m); example t takes
the step eta_t = 1/(2 lam t + ‖x‖²) against its slope and against that of lam ‖w‖², which shrinks w by 1 - 2 eta_t lam.

Pegasos has eta_t = 1/(2 lam t). Its first steps are longer than any row needs, and an intercept, which is not shrunk,
never comes back from them. ‖x‖² in the denominator is Bottou's offset t0 = ‖x‖²/(2 lam): no step moves the margin of
its row by more than 1, and after t0 examples the rates are those of Pegasos.
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule


def pegasos(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    (lam,) = params
    eta = 1.0 / (2.0 * lam * t + sqnorm)
    return (eta if m < 1.0 else 0.0), 1.0 - 2.0 * eta * lam


def pegasos_loss(m: float, sqnorm: float, params: tuple[float, ...]) -> float:
    """The hinge times eta_1, the rate of the first example."""
    (lam,) = params
    return max(0.0, 1.0 - m) / (2.0 * lam + sqnorm)


PEGASOS = Rule(
    name="pegasos",
    function=pegasos,
    parameters={"lam": 1e-4},
    loss=pegasos_loss,
    formula="step = eta_t if m < 1 else 0, eta_t = 1/(2 lam t + ‖x‖²), shrink = 1 - 2 eta_t lam",
    paper="S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter (2011). Pegasos: primal estimated sub-gradient solver "
    "for SVM. Mathematical Programming 127(1), 3-30. L. Bottou (2012). Stochastic gradient descent tricks. Neural "
    "Networks: Tricks of the Trade, 421-436.",
)
