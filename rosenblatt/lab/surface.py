"""The loss over the two weights, with the bias as it is in the end: the landscape that a run walks down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from rosenblatt.engine.online.state import Array
from rosenblatt.lab.history import Run, grid
from rosenblatt.lab.sets import Data

LOOKED_AT = 500  # rows, evenly taken


@dataclass(eq=False)
class Surface:
    side: int
    view: tuple[float, float, float, float]
    values: Array  # from the bottom left, line by line
    note: str


LOSSES: dict[str, Callable[[Array], Array]] = {  # of the margins
    "neuron": lambda m: 0.5 * expit(-m) ** 2,
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "least_squares": lambda m: 0.5 * (1.0 - m) ** 2,
}


def losses(weights: Array, data: Data, lam: float, learner: str) -> Array:
    """The objective of a learner at each (w, b)."""
    rows = np.linspace(0, len(data.y) - 1, min(len(data.y), LOOKED_AT)).astype(np.int64)
    margins = (weights[:, :-1] @ data.X[rows].T + weights[:, -1:]) * data.y[rows]
    return LOSSES[learner](margins).mean(axis=1) + lam * np.einsum("ij,ij->i", weights[:, :-1], weights[:, :-1])


def surface(run: Run, data: Data, side: int = 48) -> Surface:
    """The landscape around the path."""
    assert run.weights is not None
    path = run.weights[:, :2]
    low, high = path.min(axis=0), path.max(axis=0)
    half = 0.5 * float((high - low).max()) * 1.5 + 0.5
    middle = (low + high) / 2
    view = (float(middle[0] - half), float(middle[0] + half), float(middle[1] - half), float(middle[1] + half))
    bias = float(run.weights[-1, 2])
    places = grid(view, side)
    weights = np.column_stack([places, np.full(len(places), bias)])
    values = losses(weights, data, float(run.choice.options["lam"]), run.choice.name)
    return Surface(side, view, values, f"The loss over (w₁, w₂) where b = {bias:.3g}, as in the end.")
