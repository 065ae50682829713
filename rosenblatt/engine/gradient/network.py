"""Layers of units, one feeding the next, and the gradient of their loss by back-propagation (lecture rows L16, L24).

A layer computes a = activation(W x + b), componentwise. With targets t the loss is the mean over rows of ‖a - t‖²/2 of
the last layer, plus lam times the squares of all W. Back-propagation is the chain rule from the last layer down:

    delta_last = (a - t) · activation'(z)
    delta_l = (delta_{l+1} W_{l+1}) · activation'(z_l),       dW_l = delta_lᵀ a_{l-1}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.special

from rosenblatt.engine.online.state import Array

Layers = Sequence[tuple[Array, Array]]  # (W, b) of every layer, the lowest first

# name: (activation of z, its derivative given the activation a)
ACTIVATIONS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array] | None]] = {
    "threshold": (lambda z: (z >= 0.0).astype(np.float64), None),
    "sigmoid": (scipy.special.expit, lambda a: a * (1.0 - a)),
    "tanh": (np.tanh, lambda a: 1.0 - a * a),
    "linear": (lambda z: z, np.ones_like),
}


def forward(X: Any, layers: Layers, activations: Sequence[str]) -> list[Any]:
    """The rows, then what every layer makes of them."""
    results = [X]
    for (weights, bias), name in zip(layers, activations, strict=True):
        results.append(ACTIVATIONS[name][0](np.asarray(results[-1] @ weights.T) + bias))
    return results


def value_and_gradient(
    X: Any, targets: Array, weights: Array, layers: Layers, activations: Sequence[str], lam: float
) -> tuple[float, list[tuple[Array, Array]]]:
    """(objective, its gradient by W and b of every layer); `weights` of rows sum to 1."""
    results = forward(X, layers, activations)
    miss = results[-1] - targets
    value = 0.5 * float(weights @ np.einsum("ij,ij->i", miss, miss))
    value += lam * sum(float(np.vdot(W, W)) for W, _ in layers)
    gradient: list[tuple[Array, Array]] = []
    back = miss * weights[:, None]
    for level in range(len(layers) - 1, -1, -1):
        derivative = ACTIVATIONS[activations[level]][1]
        assert derivative is not None  # a threshold has no slope to follow
        delta = back * derivative(results[level + 1])
        below = results[level]
        slope = np.asarray((below.T @ delta).T) + 2.0 * lam * layers[level][0]
        gradient.append((slope, delta.sum(axis=0)))
        if level:
            back = delta @ layers[level][0]
    return value, gradient[::-1]


def flatten(layers: Layers) -> Array:
    return np.concatenate([part.ravel() for layer in layers for part in layer])


def unflatten(flat: Array, like: Layers) -> list[tuple[Array, Array]]:
    result, place = [], 0
    for W, b in like:
        middle, end = place + W.size, place + W.size + b.size
        result.append((flat[place:middle].reshape(W.shape), flat[middle:end]))
        place = end
    return result
