"""How layers on top of each other are trained together, from one or several starts.

L-BFGS works on V = u W in the lowest layer, where u is the root mean square of ‖x‖. In these units the rows have
length 1, so that a first step of length 1 does not saturate the units, and `tol` does not depend on the units of X.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.gradient.network import ACTIVATIONS, Network, NetworkDescent, dead_units, flatten
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.gradient_descent import held_out, held_out_fraction
from rosenblatt.estimators.minimising import minimise
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Trace

if TYPE_CHECKING:
    from rosenblatt.estimators.layer import Layer

STARTS = 5  # of layers on top of each other, by default


def trained(
    top: Layer, X: Any, targets: Array, weights: Array
) -> tuple[list[tuple[Array, Array]], Trace, float, list[tuple[int, int]]]:
    """(weights of all layers from the lowest up, trace, objective, dead units) of the best of `n_init` starts."""
    stack = top._stack()
    units = [*(int(layer.units) for layer in stack[:-1]), targets.shape[1]]  # type: ignore[arg-type]
    activations, lam = [layer.activation for layer in stack], float(top.lam)
    random, tested, fraction = random_state_of(top.random_state), None, held_out_fraction(top.solver)
    if fraction is not None:
        codes = None if top._multilabel else targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0]
        held, kept = held_out(np.arange(X.shape[0]), codes, fraction, random)
        tested = Network(X[held], targets[held], weights[held], units, activations, lam), None
        X, targets, weights = X[kept], targets[kept], weights[kept]
    network = Network(X, targets, weights, units, activations, lam)
    deep = len(units) > 1
    goes_on = bool(top.warm_start) and hasattr(top, "weights_")
    starts = 1 if goes_on else (STARTS if deep else 1) if top.n_init == "auto" else int(top.n_init)
    best: tuple[Array, Trace, float] | None = None
    for number in range(starts):
        start = flatten(_fitted(top, network) if goes_on else _starting(network, random, not deep and number == 0))
        unit = np.ones_like(start)
        unit[: X.shape[1] * units[0]] = 1.0 / network.length()
        flat, trace = minimise(
            top, network, start, mistakes=lambda activations: 0, tested=tested, descent_type=NetworkDescent, unit=unit
        )
        value = network.value(flat, network.scores(flat))[0]
        if best is None or not value >= best[2]:
            best = flat, trace, value
        if trace.stop_reason == "interrupted":
            break
    assert best is not None
    if tested is not None:
        top.best_iter_ = 1 + int(np.argmin(best[1]["test_loss"]))
    layers = network.layers(best[0])
    return layers, best[1], best[2], dead_units(X, targets, layers, activations)


def _starting(network: Network, random: Any, zero: bool) -> list[tuple[Array, Array]]:
    """Weights of 0 or at random, such that scores have a variance of 1; outputs start at the mean of the targets.

    An output that starts far from the mean, such as 0.5 for one class in ten, is pushed down by all rows at once
    and may saturate before it has learned anything.
    """
    layers, width, scale = [], network.X.shape[1], 0.0 if zero else 1.0 / network.length()
    for count in network.units:
        layers.append((random.normal(0.0, 1.0, (count, width)) * scale, random.normal(0.0, 1.0, count)))
        width, scale = count, 1.0 / np.sqrt(count)
    activation = ACTIVATIONS[network.activations[-1]]
    gap = 0.01 * (1.0 - activation.off)
    mean = network.weights @ network.targets / network.n
    layers[-1] = layers[-1][0], activation.inverse(np.clip(mean, activation.off + gap, 1.0 - gap))
    return layers


def _fitted(top: Layer, network: Network) -> list[tuple[Array, Array]]:
    """The weights of this layer and of those below it, as they are."""
    layers = [(layer.weights_, layer.bias_) for layer in top.fitted_stack()]
    had, wanted = (layers[0][0].shape[1], layers[-1][0].shape[0]), (network.X.shape[1], network.units[-1])
    if had != wanted:
        raise ValueError(
            f"warm_start=True needs data like those of the earlier weights, {had[0]} features and {had[1]} outputs, "
            f"but got {wanted[0]} and {wanted[1]}; set warm_start=False to start again."
        )
    return layers
