"""Layers of units, one feeding the next, and the gradient of their loss by back-propagation (lecture rows L16, L24).

A layer computes a = activation(W x + b), componentwise. With targets t the loss is the mean over rows of ‖a - t‖²/2 of
the last layer, plus lam times the squares of all W. Back-propagation is the chain rule from the last layer down:

    delta_last = (a - t) · activation'(z)
    delta_l = (delta_{l+1} W_{l+1}) · activation'(z_l),       dW_l = delta_lᵀ a_{l-1}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special

from rosenblatt.engine.online.state import Array

Layers = Sequence[tuple[Array, Array]]  # (W, b) of every layer, the lowest first

SATURATED = 1e-2  # of the steepest slope: a unit with less on every row does not learn any more


@dataclass(frozen=True)
class Activation:
    """`off` is the target of "no" ("yes" is 1), `curvature` bounds the second derivative of (value(z) - target)²/2.

    `slope` is the derivative given the activation; None for a step, which has none to follow.
    """

    value: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    slope: Callable[[Array], Array] | None
    off: float
    curvature: float = np.inf


ACTIVATIONS: dict[str, Activation] = {
    "sigmoid": Activation(scipy.special.expit, scipy.special.logit, lambda a: a * (1.0 - a), 0.0, 0.15),
    "tanh": Activation(np.tanh, np.arctanh, lambda a: 1.0 - a * a, -1.0, 2.0),
    "linear": Activation(lambda z: z, lambda a: a, np.ones_like, -1.0, 1.0),
    "threshold": Activation(lambda z: (z >= 0.0).astype(np.float64), lambda a: a, None, 0.0),
    "sign": Activation(lambda z: np.where(z >= 0.0, 1.0, -1.0), lambda a: a, None, -1.0),
}


def forward(X: Any, layers: Layers, activations: Sequence[str]) -> list[Any]:
    """The rows, then the activations of every layer."""
    results = [X]
    for (weights, bias), name in zip(layers, activations, strict=True):
        results.append(ACTIVATIONS[name].value(np.asarray(results[-1] @ weights.T) + bias))
    return results


def value_and_gradient(
    X: Any, targets: Array, weights: Array, layers: Layers, activations: Sequence[str], lam: float
) -> tuple[float, list[tuple[Array, Array]]]:
    """(objective, its gradient by W and b of every layer); `weights` of rows sum to 1."""
    results = forward(X, layers, activations)
    error = results[-1] - targets
    value = 0.5 * float(weights @ np.einsum("ij,ij->i", error, error))
    value += lam * sum(float(np.vdot(W, W)) for W, _ in layers)
    gradient: list[tuple[Array, Array]] = []
    back = error * weights[:, None]
    for level in range(len(layers) - 1, -1, -1):
        slope = ACTIVATIONS[activations[level]].slope
        assert slope is not None  # refused before
        delta = back * slope(results[level + 1])
        by_weights = np.asarray((results[level].T @ delta).T) + 2.0 * lam * layers[level][0]
        gradient.append((by_weights, delta.sum(axis=0)))
        if level:
            back = delta @ layers[level][0]
    return value, gradient[::-1]


def row_length(X: Any, weights: Array) -> float:
    """The root mean square of ‖x‖ over the rows, whose weights sum to 1; 1 for rows of zeros."""
    sparse = scipy.sparse.issparse(X)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse else np.einsum("ij,ij->i", X, X)
    return float(np.sqrt(weights @ squares)) or 1.0


def step_sizes(length: float, layers: Layers, activations: Sequence[str]) -> list[float]:
    """A learning rate for each layer: 1 over the curvature of its loss, times the mean of ‖(input, 1)‖².

    `length` is that of the rows.
    """
    squares = [length**2, *(float(len(b)) for _, b in layers[:-1])]
    return [
        1.0 / (ACTIVATIONS[name].curvature * (square + 1.0)) for name, square in zip(activations, squares, strict=True)
    ]


def dead_units(X: Any, targets: Array, layers: Layers, activations: Sequence[str]) -> list[tuple[int, int]]:
    """(layer, unit) of every unit that is saturated on the same side for all rows, so that its gradient vanishes.

    An output whose target is the same for all rows is right to be so.
    """
    dead = []
    for level, (name, a) in enumerate(zip(activations, forward(X, layers, activations)[1:], strict=True)):
        slope = ACTIVATIONS[name].slope
        if slope is None or name == "linear":
            continue
        steepest = float(slope(np.asarray(0.5 * (1.0 + ACTIVATIONS[name].off))))
        still = (slope(a) < SATURATED * steepest).all(axis=0) & (np.ptp(a, axis=0) < 0.5)
        if level == len(layers) - 1:
            still &= np.ptp(targets, axis=0) > 0
        dead += [(level, int(unit)) for unit in np.flatnonzero(still)]
    return dead


def flatten(layers: Layers) -> Array:
    return np.concatenate([part.ravel() for layer in layers for part in layer])


def unflatten(flat: Array, like: Layers) -> list[tuple[Array, Array]]:
    result, place = [], 0
    for W, b in like:
        middle, end = place + W.size, place + W.size + b.size
        result.append((flat[place:middle].reshape(W.shape), flat[middle:end]))
        place = end
    return result
