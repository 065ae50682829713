"""How layers on top of each other are trained together: by L-BFGS from several starts, or by gradient steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # scipy.optimize is imported when it is used
from sklearn.utils import check_random_state

from rosenblatt.engine.online.state import Array
from rosenblatt.trace import Epoch, Trace

if TYPE_CHECKING:
    from rosenblatt.estimators.layer import Layer

ROUNDING = 1e-7  # of 1 plus the loss: what a gradient may keep where rounding ends the descent
GOOD_ENOUGH = 1e-3  # a loss that no further start is worth trying to beat


def minimised(
    top: Layer, X: Any, targets: Array, weights: Array, interrupted: Callable[[], bool]
) -> tuple[list[tuple[Array, Array]], Trace, float]:
    """The weights and biases of all layers from the lowest to this top one, how they were found, and their loss."""
    from rosenblatt.engine.gradient import network

    stack = top._stack()
    activations = [layer.activation for layer in stack]
    random = check_random_state(top.random_state)
    layers = _start(top, X.shape[1], targets.shape[1], random)
    trace = Trace()
    clock = time.perf_counter()

    def note(flat: Array, steps: int) -> float:
        nonlocal clock
        now = time.perf_counter()
        value, _ = network.value_and_gradient(
            X, targets, weights, network.unflatten(flat, layers), activations, float(top.lam)
        )
        trace.epochs.append(Epoch(len(trace) + 1, steps, 0, float(np.linalg.norm(flat)), now - clock, loss=value))
        clock = now
        return value

    def evaluate(flat: Array) -> tuple[float, Array]:
        value, gradient = network.value_and_gradient(
            X, targets, weights, network.unflatten(flat, layers), activations, float(top.lam)
        )
        return value, network.flatten(gradient)

    flat = network.flatten(layers)
    if top.solver == "quasi_newton":
        # Not by the fall of the loss: on a plateau it hardly falls and the gradient tells that this is no end.
        options = {
            "maxiter": int(top.max_iter), "maxfun": 20 * int(top.max_iter), "gtol": float(top.tol), "ftol": 0.0,
        }  # fmt: skip
        lowest, reason = np.inf, "max_iter"

        def after_step(intermediate_result: Any) -> None:
            note(intermediate_result.x, 1)
            if interrupted():
                raise StopIteration

        for number in range(int(top.n_starts) if len(stack) > 1 and top.start != "fitted" else 1):
            start = flat if number == 0 else network.flatten(_start(top, X.shape[1], targets.shape[1], random))
            result = scipy.optimize.minimize(
                evaluate, start, jac=True, method="L-BFGS-B", callback=after_step, options=options
            )
            if not result.fun >= lowest:
                lowest, best, reason = result.fun, result.x, _reason(top, result)
            if lowest <= GOOD_ENOUGH or interrupted():
                break
        flat = best
    else:
        flat, reason = _steps(top, X, targets, weights, layers, activations, flat, random, note, interrupted)
    if interrupted():
        reason = "interrupted"
    if not len(trace):
        note(flat, 0)
    trace.stop_reason = reason
    return network.unflatten(flat, layers), trace, float(evaluate(flat)[0])


def _start(top: Layer, n_inputs: int, n_outputs: int, random: Any) -> list[tuple[Array, Array]]:
    if top.start == "fitted":
        return _fitted(top, n_inputs, n_outputs)
    stack = top._stack()
    layers = []
    for layer in stack:
        width = n_outputs if layer is top else int(layer.units)  # type: ignore[arg-type]
        spread = None if isinstance(layer.start, str) else layer.start
        if spread is None:
            spread = 0.0 if len(stack) == 1 else 1.0 / np.sqrt(n_inputs)
        layers.append((random.normal(0.0, 1.0, (width, n_inputs)) * spread, random.normal(0.0, 1.0, width) * spread))
        n_inputs = width
    return layers


def _fitted(top: Layer, n_inputs: int, n_outputs: int) -> list[tuple[Array, Array]]:
    """The weights of this layer and of those below it, as they are."""
    layers: list[tuple[Array, Array]] = []
    layer: Layer | None = top
    while layer is not None:
        layers.insert(0, (layer.weights_.copy(), layer.bias_.copy()))
        layer = layer.below_
    had = layers[0][0].shape[1], layers[-1][0].shape[0]
    if had != (n_inputs, n_outputs):
        raise ValueError(
            f"start='fitted' needs data like those of the weights, {had[0]} features and {had[1]} outputs, but got "
            f"{n_inputs} and {n_outputs}; pass such data."
        )
    return layers


def _reason(top: Layer, result: Any) -> str:
    """Why L-BFGS stopped; that it found no better point is an end only where the gradient is as good as zero."""
    slope = float(np.abs(result.jac).max(initial=0.0))
    if not np.isfinite(result.fun):
        return "diverged"
    if slope <= max(float(top.tol), ROUNDING * (1.0 + abs(float(result.fun)))):
        return "converged"
    return "max_iter" if result.status == 1 else "no_improvement"


def _steps(
    top: Layer, X: Any, targets: Array, weights: Array, layers: Any, activations: Any, flat: Array, random: Any,
    note: Any, interrupted: Callable[[], bool],
) -> tuple[Array, str]:  # fmt: skip
    """Gradient descent; the weights and the reason to stop."""
    from rosenblatt.engine.gradient import network
    from rosenblatt.engine.gradient.descent import WAIT, overshot

    n = X.shape[0]
    size = n if top.solver == "batch" else min(n, int(top.batch_size))
    lowest, waited, rate, reason = np.inf, 0, float(top.learning_rate), "max_iter"
    best, losses = flat, list[float]()
    zeros = network.unflatten(np.zeros_like(flat), layers)
    without, _ = network.value_and_gradient(X, targets, weights, zeros, activations, float(top.lam))
    for _ in range(int(top.max_iter)):
        order = np.arange(n) if size == n else random.permutation(n)
        with np.errstate(over="ignore", invalid="ignore"):
            for first in range(0, n, size):
                chosen = order[first : first + size]
                share = weights[chosen] * n / len(chosen)
                _, gradient = network.value_and_gradient(
                    X[chosen], targets[chosen], share, network.unflatten(flat, layers), activations,
                    float(top.lam),
                )  # fmt: skip
                flat = flat - rate * network.flatten(gradient)
            value = note(flat, -(-n // size))
        if not np.isfinite(value) or not np.isfinite(flat).all():
            return best, "diverged"
        losses.append(value)
        waited = 0 if value < lowest * (1.0 - top.tol) else waited + 1
        if value < lowest:
            best, lowest = flat, value
        if top.tol and waited >= WAIT:
            reason = "converged"
            break
        if interrupted():
            break
    if waited >= WAIT and overshot(losses, without, all_rows=size == n):
        return best, "diverged"
    return flat, reason
