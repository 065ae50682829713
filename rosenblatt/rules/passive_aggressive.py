"""Passive-aggressive learning: change w as little as possible so that this row has margin 1.

PA      minimise 1/2 ‖w' - w‖²                subject to  y w'·x >= 1
PA-I    minimise 1/2 ‖w' - w‖² + C xi         subject to  y w'·x >= 1 - xi,  xi >= 0
PA-II   minimise 1/2 ‖w' - w‖² + C xi²        subject to  y w'·x >= 1 - xi

The solution is w' = w + step·y·x with the steps below. The bias is a coordinate of x, so ‖x‖² counts it and
after a PA step the margin is exactly 1. A sample weight multiplies C: it says how much a violation costs. PA has
no C; there a weight below 1 multiplies the step, which then ends short of the margin. A weight above 1 changes nothing,
as no cost is too high already: twice the step would end beyond the margin, and steps that do so grow without end.
A row of zeros without a bias cannot be moved to any margin: its step is 0.
"""

from __future__ import annotations

from rosenblatt.rules.contract import Rule

PAPER = (
    "K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer (2006). Online passive-aggressive "
    "algorithms. Journal of Machine Learning Research 7, 551-585."
)


def passive_aggressive(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    (weight,) = params
    if m >= 1.0 or sqnorm == 0.0:
        return 0.0, 1.0
    return min(weight, 1.0) * ((1.0 - m) / sqnorm), 1.0


def passive_aggressive_1(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    (C,) = params
    if m >= 1.0 or sqnorm == 0.0:
        return 0.0, 1.0
    return min(C, (1.0 - m) / sqnorm), 1.0


def passive_aggressive_2(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
    (C,) = params
    if m >= 1.0 or sqnorm == 0.0:
        return 0.0, 1.0
    return (1.0 - m) / (sqnorm + 0.5 / C), 1.0


PA = Rule(
    name="passive_aggressive",
    function=passive_aggressive,
    parameters={"weight": 1.0},
    weighted="weight",
    formula="step = max(0, 1 - m) / ‖x‖²",
    paper=PAPER,
)
PA_1 = Rule(
    name="passive_aggressive_1",
    function=passive_aggressive_1,
    parameters={"C": 1.0},
    weighted="C",
    formula="step = min(C, max(0, 1 - m) / ‖x‖²)",
    paper=PAPER,
)
PA_2 = Rule(
    name="passive_aggressive_2",
    function=passive_aggressive_2,
    parameters={"C": 1.0},
    weighted="C",
    formula="step = max(0, 1 - m) / (‖x‖² + 1/(2C))",
    paper=PAPER,
)
