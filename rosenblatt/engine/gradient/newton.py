"""Newton's method for smooth convex objectives, its directions found by conjugate gradients on some of the rows.

    at w, with gradient g:   solve H d ≈ -g,   then   w <- w + length · d

H is the second derivative over a sample of the rows, and a direction is found by conjugate gradients, which ask only
for H times a vector. The gradient is always that of all rows, so the minimum is the true one: the sample decides how
fast it is reached, and grows when it is too slow. Scores are carried along, w + length·d has the scores s + length·r
with r = X d, so that trying a length costs no pass over the rows.

See R. H. Byrd, G. M. Chin, W. Neveitt, J. Nocedal (2011). On the use of stochastic Hessian information in optimization
methods for machine learning. SIAM Journal on Optimization 21(3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.gradient.objective import Objective
from rosenblatt.engine.online.state import Array

SMALL = 200_000  # numbers: data up to this size is used whole
SAMPLE = 0.1
NOISE = 2e-7  # a gradient computed in float32 is no smaller
TOO_SLOW = 0.6  # of the gradient left after a step


def conjugate_gradients(
    times: Callable[[Array], Array], target: Array, scale: Array, precision: float, limit: int
) -> Array:
    """d with H d ≈ target, relative to `precision`, in at most `limit` products with H; `scale` is H's diagonal."""
    result = np.zeros_like(target)
    rest = target.copy()
    even = rest / scale
    direction, size = even.copy(), float(np.vdot(rest, even))
    wanted = precision**2 * size
    for _ in range(limit):
        if size <= wanted or size == 0.0:
            break
        bent = times(direction)
        curvature = float(np.vdot(direction, bent))
        if curvature <= 0.0 or not np.isfinite(curvature):
            break
        length = size / curvature
        result += length * direction
        rest -= length * bent
        even = rest / scale
        before, size = size, float(np.vdot(rest, even))
        direction = even + (size / before) * direction
    return result if result.any() else target / scale


def minimise(
    objective: Objective,
    weights: Array,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    after_step: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, Array, str]:
    """(weights, gradient, reason to stop): until the largest entry of the gradient is at most `tol`."""
    random = np.random.default_rng(seed)
    n = objective.n
    tol = max(tol, NOISE) if objective.kind == np.float32 else tol
    tiny = 1e-7 if objective.kind == np.float32 else 1e-12
    size = n if objective.numbers <= SMALL else int(SAMPLE * n)
    weights = weights.copy()
    scores = objective.scores(weights)
    value, gradient = objective.gradient(weights, scores)
    steepness = float(np.abs(gradient).max(initial=0.0))
    last_steps = 0
    for number in range(1, max_iter + 1):
        if steepness <= tol:
            # Where all rows are in the sample, each further step is worth as many digits as all before it.
            if last_steps == 2 or size < n or steepness == 0.0:
                return weights, gradient, "converged"
            last_steps += 1
        chosen = np.arange(n) if size >= n else np.sort(random.choice(n, size, replace=False))
        sample = objective if size >= n else objective.part(chosen)
        at = scores if size >= n else scores[chosen]
        scale = sample.diagonal(at)
        scale = np.maximum(scale, 1e-12 * max(float(scale.max(initial=0.0)), 1e-300))
        precision = min(0.3, np.sqrt(steepness / (1.0 + steepness))) if size >= n else 0.2
        precision = 1e-5 if last_steps else precision
        direction = conjugate_gradients(lambda d, sample=sample, at=at: sample.bend(at, d), -gradient, scale,  # type: ignore[misc]
                                        precision, 30 if size < n else 200)  # fmt: skip
        if not objective.fit_intercept:
            direction[:, -1] = 0.0
        slope = float(np.vdot(gradient, direction))
        along = objective.scores(direction)
        length, moved = 1.0, None
        slack = (1.0 if last_steps else 0.01) * tiny * abs(value)
        for _ in range(30):
            trial = weights + length * direction
            trial_scores = scores + length * along
            trial_value, slopes = objective.value(trial, trial_scores)
            if np.isfinite(trial_value) and trial_value <= value + 1e-4 * length * slope + slack:
                moved = trial
                break
            length *= 0.5
        if moved is None:  # nothing lower can be told apart from here
            if last_steps:
                return weights, gradient, "converged"
            return weights, gradient, "converged" if -slope <= tiny * max(1.0, abs(value)) else "no_improvement"
        kept = weights, gradient
        weights, scores = moved, trial_scores
        before, value = steepness, trial_value
        if number % 8 == 0:  # rounding gathers in scores that are carried along
            scores = objective.scores(weights)
            value, slopes = objective.value(weights, scores)
        gradient = objective.back(slopes) + 2.0 * objective.penalty * weights
        steepness = float(np.abs(gradient).max(initial=0.0))
        if last_steps and steepness >= before:  # rounding has the last word
            return *kept, "converged"
        if steepness > TOO_SLOW * before:
            size = min(n, 3 * size)
        figures = {
            "epoch": number, "loss": value, "steepness": steepness, "scores": scores, "weights": weights,
        }  # fmt: skip
        told = after_step(figures)
        if told:
            return weights, gradient, told
    return weights, gradient, "converged" if steepness <= tol else "max_iter"
