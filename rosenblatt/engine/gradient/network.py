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

from rosenblatt.engine.gradient.descent import Descent
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


class Network:
    """The objective of layers over some rows, as a function of all their weights in one vector.

    It has what solvers ask of an `Objective`: the "scores" of the rows are their activations in every layer. `units` is
    how many each layer has; sample weights are divided by their mean.
    """

    fit_intercept, bounded = True, False

    def __init__(
        self, X: Any, targets: Array, weights: Array, units: Sequence[int], activations: Sequence[str], lam: float
    ) -> None:
        self.X, self.targets, self.weights = X, targets, weights / weights.mean()
        self.n, self.units, self.activations, self.lam = X.shape[0], units, activations, lam

    def layers(self, flat: Array) -> list[tuple[Array, Array]]:
        """(W, b) of every layer, as views of the vector."""
        result, place, width = [], 0, self.X.shape[1]
        for count in self.units:
            middle = place + count * width
            result.append((flat[place:middle].reshape(count, width), flat[middle : middle + count]))
            place, width = middle + count, count
        return result

    def part(self, rows: Array, weights: Array) -> Network:
        """The objective over some of the rows, with weights whose mean is not 1."""
        result = Network(self.X[rows], self.targets[rows], np.ones(len(rows)), self.units, self.activations, self.lam)
        result.weights = weights
        return result

    def scores(self, flat: Array) -> list[Any]:
        return forward(self.X, self.layers(flat), self.activations)

    def slopes(self, scores: list[Any]) -> tuple[float, Array]:
        """(mean loss, its derivative by the activations of the last layer)."""
        error = scores[-1] - self.targets
        weights = self.weights / self.n
        return 0.5 * float(weights @ np.einsum("ij,ij->i", error, error)), error * weights[:, None]

    def value(self, flat: Array, scores: list[Any]) -> tuple[float, Array]:
        loss, slopes = self.slopes(scores)
        return loss + self.lam * sum(float(np.vdot(W, W)) for W, _ in self.layers(flat)), slopes

    def gradient(self, flat: Array, scores: list[Any]) -> tuple[float, Array]:
        """(objective, its gradient), by back-propagation from the activations."""
        value, back = self.value(flat, scores)
        layers = self.layers(flat)
        gradient: list[tuple[Array, Array]] = []
        for level in range(len(layers) - 1, -1, -1):
            slope = ACTIVATIONS[self.activations[level]].slope
            assert slope is not None  # refused before
            delta = back * slope(scores[level + 1])
            by_weights = np.asarray((scores[level].T @ delta).T) + 2.0 * self.lam * layers[level][0]
            gradient.append((by_weights, delta.sum(axis=0)))
            if level:
                back = delta @ layers[level][0]
        return value, flatten(gradient[::-1])

    def length(self) -> float:
        """The root mean square of ‖x‖ over the rows; 1 for rows of zeros."""
        X = self.X
        squares = X.multiply(X).sum(axis=1).ravel() if scipy.sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
        return float(np.sqrt(self.weights @ np.asarray(squares).ravel() / self.n)) or 1.0


class NetworkDescent(Descent):
    """Epochs of gradient descent on a `Network`. The default rate is, for each layer, 1 over a bound on the curvature
    of its loss times the mean of ‖(input, 1)‖²."""

    def _prepare(self) -> None:
        network = self.objective
        self.sizes: Any = 1.0
        if self.learning_rate is None:
            self.learning_rate = 1.0
            squares = [network.length() ** 2, *(float(count) for count in network.units[:-1])]
            self.sizes = np.empty_like(self.weights)
            for (W, b), name, square in zip(network.layers(self.sizes), network.activations, squares, strict=True):
                W[:] = b[:] = 1.0 / (ACTIVATIONS[name].curvature * (square + 1.0))

    def epoch(self) -> bool:
        self.epochs += 1
        order, flat = self._order(), self.weights
        size = min(self.batch_size, len(order))
        starts = range(0, len(order), size)
        for start, rate in zip(starts, self.rates(len(starts)), strict=True):
            batch = order[start : start + size]
            part = self.objective.part(batch, self.row_weights[batch])
            flat = flat - rate * self.sizes * part.gradient(flat, part.scores(flat))[1]
        if not np.isfinite(flat).all():
            return False
        self.weights, self.steps = flat, self.steps + len(starts)
        return True


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
