"""scipy's L-BFGS on an objective: for losses that are not convex, and for an L1 prior.

With an L1 prior, lam ‖w‖₁, the weights are split into w = u - v with u, v >= 0, and lam ‖w‖₁ = lam · sum(u + v):
smooth, with bounds, and exact zeros where a bound holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # scipy.optimize is imported when it is used

from rosenblatt.engine.online.state import Array

ROUNDING = 1e-7  # a gradient this fraction of the first one is as small as the digits of the objective can show


def minimise(
    objective: Any,
    weights: Array,
    *,
    tol: float,
    max_iter: int,
    l1: bool = False,
    unit: Array | float = 1.0,
    after_step: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, str]:
    """(weights, reason to stop). With `l1` the objective's own penalty must be 0 and its lam weighs the L1 norm.

    The solver works on weights / `unit`, and `tol` is about the gradient by these.
    """
    shape, told, number = weights.shape, "", 0
    best, best_value = weights, np.inf
    penalty = np.zeros(shape)
    if l1:
        penalty[:] = objective.l1
        penalty[:, -1] = objective.l1_intercept

    def joined(flat: Array) -> Array:
        if not l1:
            return flat.reshape(shape) * unit
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
        else:
            gradient = gradient * unit
        if np.isfinite(value) and value < best_value:
            best, best_value = point.copy(), value
        last.update(scores=scores, loss=value, weights=point)
        return value, gradient.ravel()

    def step(_: Array) -> None:
        nonlocal number, told
        number += 1
        told = after_step({"epoch": number, **last})
        if told:
            raise StopIteration  # scipy ends the run

    def residual(flat: Array) -> float:
        """How far from optimal: the largest entry of the gradient, less what pushes against a bound that holds."""
        gradient = evaluate(flat)[1]
        if l1:
            gradient = np.where(flat <= 0.0, np.minimum(gradient, 0.0), gradient)
        return float(np.abs(gradient).max(initial=0.0))

    start = np.stack([np.maximum(weights, 0.0), np.maximum(-weights, 0.0)]) if l1 else weights / unit
    flat, value, reason = start.ravel(), np.inf, "max_iter"
    bounds = [(0.0, None)] * start.size if l1 else None
    at_first = residual(flat)
    while number < max_iter:
        left = max_iter - number
        options = {"maxiter": left, "maxfun": 20 * left, "gtol": tol, "ftol": 1e-15, "maxcor": 20}
        result = scipy.optimize.minimize(
            evaluate, flat, jac=True, method="L-BFGS-B", bounds=bounds, callback=step, options=options
        )
        if told:
            reason = told
            break
        if not np.isfinite(result.fun):
            reason = "no_improvement"
            break
        fell = result.fun < value - 1e-12 * abs(value) if np.isfinite(value) else True
        flat, value, best = result.x, float(result.fun), joined(result.x)
        if result.status == 1:
            break
        left_over = residual(flat)
        if left_over <= tol:
            reason = "converged"
            break
        if not fell:  # no way down, and none without the memory of earlier steps either
            reason = "converged" if left_over <= ROUNDING * at_first else "no_improvement"
            break
    return best, reason
