"""scipy's L-BFGS on an objective: for losses that are not convex, and for an L1 prior.

With an L1 prior, lam ‖w‖₁, the weights are split into w = u - v with u, v >= 0, and lam ‖w‖₁ = lam · sum(u + v):
smooth, with bounds, and exact zeros where a bound holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from rosenblatt.engine.objective import Objective
from rosenblatt.engine.state import Array


class _StopAsked(Exception):  # noqa: N818
    """A watcher has asked for the end."""


def minimise(
    objective: Objective,
    weights: Array,
    *,
    tol: float,
    max_iter: int,
    l1: bool = False,
    after_step: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, str]:
    """(weights, reason to stop). With `l1` the objective's own penalty must be 0 and its lam weighs the L1 norm."""
    shape, told, number = weights.shape, "", 0
    best, best_value = weights, np.inf
    penalty = np.zeros(shape)
    if l1:
        penalty[:] = objective.l1
        penalty[:, -1] = objective.l1_intercept

    def joined(flat: Array) -> Array:
        if not l1:
            return flat.reshape(shape)
        u, v = flat.reshape(2, *shape)
        return u - v

    last: dict[str, Any] = {}

    def evaluate(flat: Array) -> tuple[float, Array]:
        nonlocal best, best_value
        point = joined(flat)
        scores = objective.scores(point)
        value, gradient = objective.gradient(point, scores)
        if not objective.fit_intercept:
            gradient[:, -1] = 0.0
        if l1:
            u, v = flat.reshape(2, *shape)
            value += float((penalty * (u + v)).sum())
            gradient = np.stack([gradient + penalty, penalty - gradient])
        if np.isfinite(value) and value < best_value:
            best, best_value = point.copy(), value
        last.update(scores=scores, loss=value, weights=point)
        return value, gradient.ravel()

    def step(_: Array) -> None:
        nonlocal number, told
        number += 1
        told = after_step({"epoch": number, **last})
        if told:
            raise _StopAsked

    start = np.stack([np.maximum(weights, 0.0), np.maximum(-weights, 0.0)]) if l1 else weights
    bounds = [(0.0, None)] * start.size if l1 else None
    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "gtol": tol, "ftol": 1e-15, "maxcor": 20}
    try:
        result = scipy.optimize.minimize(
            evaluate, start.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, callback=step, options=options
        )
        reason = "converged" if result.status in (0, 2) else "max_iter"
        best = joined(result.x) if np.isfinite(result.fun) else best
    except _StopAsked:
        reason = told
    return best, reason
