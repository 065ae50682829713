"""How layers on top of each other are trained together: by L-BFGS or by gradient steps, from one or several starts.

L-BFGS works on V = u W in the lowest layer, where u is the root mean square of ‖x‖. In these units the rows have
length 1, so that a first step of length 1 does not saturate the units, and `tol` does not depend on the units of X.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # scipy.optimize is imported when it is used

from rosenblatt.engine.gradient import network
from rosenblatt.engine.gradient.descent import overshot
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.gradient_descent import held_out, steps_of
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch, Trace

if TYPE_CHECKING:
    from rosenblatt.estimators.gradient_descent import GradientDescent
    from rosenblatt.estimators.layer import Layer

ROUNDING = 1e-7  # of 1 plus the loss: a gradient that is as small as rounding lets it be
STARTS = 5  # of layers on top of each other, by default


@dataclass
class Run:
    """One start and where it led."""

    flat: Array
    trace: Trace = field(default_factory=Trace)
    value: float = np.inf


class Problem:
    """The objective of a stack of layers over some rows, as a function of all weights in one vector."""

    def __init__(self, top: Layer, X: Any, targets: Array, weights: Array, interrupted: Callable[[], bool]) -> None:
        self.top, self.X, self.targets, self.weights = top, X, targets, weights / weights.sum()
        self.interrupted = interrupted
        self.activations = [layer.activation for layer in top._stack()]
        self.length = network.row_length(X, self.weights)
        self.clock = time.perf_counter()

    def start(self, random: Any, *, zero: bool) -> None:
        """Weights of 0 or at random, such that scores have a variance of 1; outputs start at the mean of the targets.

        An output that starts far from the mean, such as 0.5 for one class in ten, is pushed down by all rows at once
        and may saturate before it has learned anything.
        """
        layers, n_inputs, scale = [], self.X.shape[1], 0.0 if zero else 1.0 / self.length
        for layer in self.top._stack():
            width = self.targets.shape[1] if layer is self.top else int(layer.units)  # type: ignore[arg-type]
            layers.append([random.normal(0.0, 1.0, (width, n_inputs)) * scale, random.normal(0.0, 1.0, width)])
            n_inputs, scale = width, 1.0 / np.sqrt(width)
        activation = network.ACTIVATIONS[self.top.activation]
        room = 0.01 * (1.0 - activation.off)
        mean = np.clip(self.weights @ self.targets, activation.off + room, 1.0 - room)
        layers[-1][1] = activation.inverse(mean)
        self.layers: list[tuple[Array, Array]] = [(W, b) for W, b in layers]

    def evaluate(self, flat: Array, rows: Any = slice(None), weights: Array | None = None) -> tuple[float, Array]:
        value, gradient = network.value_and_gradient(
            self.X[rows], self.targets[rows], self.weights if weights is None else weights,
            network.unflatten(flat, self.layers), self.activations, float(self.top.lam),
        )  # fmt: skip
        return value, network.flatten(gradient)

    def note(self, run: Run, value: float, steps: int) -> None:
        now = time.perf_counter()
        row = Epoch(len(run.trace) + 1, steps, 0, float(np.linalg.norm(run.flat)), now - self.clock, loss=value)
        run.trace.epochs.append(row)
        self.clock = now


def minimised(
    top: Layer, X: Any, targets: Array, weights: Array, interrupted: Callable[[], bool]
) -> tuple[list[tuple[Array, Array]], Trace, float, list[tuple[int, int]]]:
    """(weights of all layers from the lowest up, trace, objective, dead units) of the best of `n_init` starts."""
    random = random_state_of(top.random_state)
    held, steps = None, steps_of(top.solver)
    if steps is not None and steps.validation_fraction is not None:
        codes = None if top._multilabel else targets.argmax(axis=1) if targets.shape[1] > 1 else targets[:, 0]
        chosen, kept = held_out(np.arange(X.shape[0]), codes, steps.validation_fraction, random)
        held = X[chosen], targets[chosen], weights[chosen]
        X, targets, weights = X[kept], targets[kept], weights[kept]
    problem = Problem(top, X, targets, weights, interrupted)
    deep = top.below is not None
    goes_on = bool(top.warm_start) and hasattr(top, "weights_")
    starts = (STARTS if deep else 1) if top.n_init == "auto" else int(top.n_init)
    best: Run | None = None
    for number in range(1 if goes_on else starts):
        problem.start(random, zero=not deep and number == 0)
        if goes_on:
            problem.layers = _fitted(top, X.shape[1], targets.shape[1])
        run = Run(network.flatten(problem.layers))
        reason = _lbfgs(problem, run) if steps is None else _descend(problem, run, steps, random, held)
        run.trace.stop_reason = "interrupted" if interrupted() else reason
        if not len(run.trace):
            problem.note(run, run.value, 0)
        if best is None or not run.value >= best.value:
            best = run
        if interrupted():
            break
    assert best is not None
    layers = network.unflatten(best.flat, problem.layers)
    dead = network.dead_units(X, targets, layers, problem.activations)
    return layers, best.trace, float(problem.evaluate(best.flat)[0]), dead


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
            f"warm_start=True needs data like those of the earlier weights, {had[0]} features and {had[1]} outputs, "
            f"but got {n_inputs} and {n_outputs}; set warm_start=False to start anew."
        )
    return layers


def _lbfgs(problem: Problem, run: Run) -> str:
    top = problem.top
    lowest = problem.layers[0][0].size
    unit = np.ones_like(run.flat)
    unit[:lowest] = 1.0 / problem.length
    # ftol=0: on a plateau the loss hardly falls, and only the gradient shows that this is not a minimum.
    options = {"maxiter": int(top.max_iter), "maxfun": 20 * int(top.max_iter), "gtol": float(top.tol), "ftol": 0.0}

    def evaluate(scaled: Array) -> tuple[float, Array]:
        value, gradient = problem.evaluate(scaled * unit)
        return value, gradient * unit

    def after_step(intermediate_result: Any) -> None:
        run.flat = intermediate_result.x * unit
        problem.note(run, float(intermediate_result.fun), 1)
        if problem.interrupted():
            raise StopIteration

    result = scipy.optimize.minimize(
        evaluate, run.flat / unit, jac=True, method="L-BFGS-B", callback=after_step, options=options
    )
    run.flat, run.value = result.x * unit, float(result.fun)
    if not np.isfinite(run.value):
        return "diverged"
    slope = float(np.abs(result.jac).max(initial=0.0))
    if slope <= max(float(top.tol), ROUNDING * (1.0 + abs(run.value))):
        return "converged"
    return "max_iter" if result.status == 1 else "no_improvement"


@np.errstate(over="ignore", invalid="ignore")  # what is not finite ends the run
def _descend(problem: Problem, run: Run, steps: GradientDescent, random: Any, held: Any) -> str:
    """Gradient descent. With rows to validate on, the weights with the lowest loss on these are kept."""
    top, n = problem.top, problem.X.shape[0]
    size = n if steps.batch_size is None else min(n, int(steps.batch_size))
    if steps.learning_rate is None:
        sizes = network.step_sizes(problem.length, problem.layers, problem.activations)
        rates = [(np.full_like(W, r), np.full_like(b, r)) for (W, b), r in zip(problem.layers, sizes, strict=True)]
        rate: Any = network.flatten(rates)
    else:
        rate = float(steps.learning_rate)
    validation = None if held is None else Problem(top, held[0], held[1], held[2], problem.interrupted)
    if validation is not None:
        validation.layers = problem.layers
    at_start = run.value = problem.evaluate(run.flat)[0]
    flat, losses, watched, waited = run.flat, list[float](), np.inf, 0
    patience = int(steps.n_iter_no_change)
    for _ in range(int(top.max_iter)):
        order = np.arange(n) if size == n or not steps.shuffle else random.permutation(n)
        order = random.randint(n, size=n) if steps.shuffle == "replacement" else order
        for first in range(0, n, size):
            chosen = order[first : first + size]
            flat = flat - rate * problem.evaluate(flat, chosen, problem.weights[chosen] * n / len(chosen))[1]
        losses.append(problem.evaluate(flat)[0])
        if not np.isfinite(losses[-1]) or not np.isfinite(flat).all():
            return "diverged"
        loss = losses[-1] if validation is None else validation.evaluate(flat)[0]
        waited = 0 if loss < watched * (1.0 - top.tol) else waited + 1
        if loss < watched:
            run.flat, run.value, watched = flat, losses[-1], loss
        problem.note(run, losses[-1], -(-n // size))
        if waited >= patience and (top.tol or validation is not None):
            if validation is not None:
                return "no_improvement"
            return "diverged" if overshot(losses, at_start, patience, all_rows=size == n) else "converged"
        if problem.interrupted():
            break
    return "diverged" if overshot(losses, at_start, patience, all_rows=size == n) else "max_iter"
