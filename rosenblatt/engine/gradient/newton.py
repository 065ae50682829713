"""Newton's method for smooth convex objectives, with a second derivative taken over some of the rows.

    at w, with gradient g:   solve H d = -g,   then   w <- w + length · d

H is the second derivative over a sample of the rows. The gradient is always that of all rows, so the minimum is the
true one: the sample decides how fast it is reached, and grows when it is too slow. Where every output stands for itself
and the columns are not too many, H d = -g is solved by Cholesky's method, one output after the other. Otherwise
conjugate gradients solve it roughly, which ask only for H times a vector; they are preconditioned by a matrix that all
outputs share, or by the diagonal of H where the columns are too many. Scores are carried along, w + length·d has the
scores s + length·r with r = X d, so that trying a length costs no pass over the rows.

The run ends when g·H⁻¹g/2, by how much the objective is above its minimum to second order, is at most `tol` times the
objective.

See R. H. Byrd, G. M. Chin, W. Neveitt, J. Nocedal (2011). On the use of stochastic Hessian information in optimization
methods for machine learning. SIAM Journal on Optimization 21(3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from rosenblatt.engine.gradient.objective import Objective
from rosenblatt.engine.online.state import Array

SMALL = 200_000  # numbers: data up to this size is used whole
SAMPLE = 0.1
PER_COLUMN = 10  # rows of a sample for each column, at least
ROUGHLY, MOST_PRODUCTS = 0.1, 30  # of conjugate gradients: what is left of the residual, and products with H at most
TOO_SLOW = 0.5  # of the distance to the minimum left after a step


def conjugate_gradients(
    times: Callable[[Array], Array], target: Array, precondition: Callable[[Array], Array], limit: int
) -> Array:
    """d with H d ≈ target, in at most `limit` products with H."""
    result = np.zeros_like(target)
    residual = target.copy()
    even = precondition(residual)
    direction, size = even.copy(), float(np.vdot(residual, even))
    wanted = ROUGHLY**2 * size
    for _ in range(limit):
        if size <= wanted or size == 0.0:
            break
        bent = times(direction)
        curvature = float(np.vdot(direction, bent))
        if curvature <= 0.0 or not np.isfinite(curvature):
            break
        length = size / curvature
        result += length * direction
        residual -= length * bent
        even = precondition(residual)
        before, size = size, float(np.vdot(residual, even))
        direction = even + (size / before) * direction
    return result if result.any() else precondition(target)


def _solver(matrix: Array, penalty: Array) -> Callable[[Array], Array]:
    """x ↦ (matrix + 2 penalties)⁻¹ x for every row of x, by Cholesky's method in units in which the diagonal is 1."""
    if not np.isfinite(matrix).all():  # squares beyond the range of floats
        return lambda x: np.full_like(x, np.nan)
    matrix[np.diag_indices_from(matrix)] += 2.0 * penalty
    unit = 1.0 / np.sqrt(np.maximum(matrix.diagonal(), 1e-12 * max(matrix.diagonal().max(), 1e-300)))
    matrix *= unit * unit[:, None]
    for ridge in (1e-12, 1e-8, 1e-4, 1.0):  # dependent columns, and what rounding makes of them
        matrix[np.diag_indices_from(matrix)] += ridge
        try:
            factor = scipy.linalg.cho_factor(matrix)
        except np.linalg.LinAlgError:
            continue
        return lambda x: unit * scipy.linalg.cho_solve(factor, (unit * x).T).T
    return lambda x: unit * unit * x


class Directions:
    """Newton directions of an objective, from a sample of its rows."""

    def __init__(self, objective: Objective, size: int, seed: int) -> None:
        self.objective, self.size, self.random = objective, size, np.random.default_rng(seed)
        self.narrow = objective.narrow
        self.shared: Callable[[Array], Array] | None = None

    def __call__(self, scores: Array, gradient: Array) -> Array:
        whole = self.objective
        chosen = None
        if self.size < whole.n:
            chosen = np.sort(self.random.choice(whole.n, self.size, replace=False))
        sample = whole if chosen is None else whole.part(chosen)
        at = scores if chosen is None else scores[chosen]
        if whole.separate and self.narrow:
            grams = enumerate(sample.grams(at))
            return -np.stack([_solver(gram, whole.penalty)(gradient[k]) for k, gram in grams])
        if self.narrow:
            if self.shared is None:
                [gram] = sample.grams(at, shared=True)
                self.shared = _solver(gram, whole.penalty)
            shared = self.shared

            def precondition(residual: Array) -> Array:
                return shared(residual)
        else:
            scale = sample.diagonal(at)
            scale = np.maximum(scale, 1e-12 * max(float(scale.max(initial=0.0)), 1e-300))

            def precondition(residual: Array) -> Array:
                return residual / scale

        return conjugate_gradients(lambda d: sample.bend(at, d), -gradient, precondition, MOST_PRODUCTS)


def minimise(
    objective: Objective,
    weights: Array,
    *,
    tol: float,
    max_iter: int,
    seed: int,
    after_step: Callable[[dict[str, Any]], str] = lambda figures: "",
) -> tuple[Array, str]:
    """(weights, reason to stop): until the objective is within `tol` of its minimum, as a fraction of it."""
    tiny = 1e-7 if objective.kind == np.float32 else 1e-12  # what rounding makes of the objective, as a fraction
    tol = max(tol, tiny * 1e-2)
    n = objective.n
    start = n if objective.numbers <= SMALL else min(n, max(int(SAMPLE * n), PER_COLUMN * objective.width))
    directions = Directions(objective, start, seed)
    weights = weights.copy()
    scores = objective.scores(weights)
    value, gradient = objective.gradient(weights, scores)
    distance = np.inf
    for number in range(1, max_iter + 1):
        if not gradient.any():
            return weights, "converged"
        with np.errstate(over="ignore", invalid="ignore"):
            direction = directions(scores, gradient)
        if not np.isfinite(direction).all():
            return weights, "diverged"
        if not objective.fit_intercept:
            direction[:, -1] = 0.0
        slope = float(np.vdot(gradient, direction))
        before, distance = distance, -0.5 * slope
        if distance > TOO_SLOW * before:
            directions.size, directions.shared = min(n, 3 * directions.size), None
        along = objective.scores(direction)
        length, moved = 1.0, None
        for _ in range(30):
            trial, trial_scores = weights + length * direction, scores + length * along
            trial_value, slopes = objective.value(trial, trial_scores)
            if np.isfinite(trial_value) and trial_value <= value + 1e-4 * length * slope + 0.01 * tiny * abs(value):
                moved = trial
                break
            length *= 0.5
        near = distance <= tol * abs(value)  # so was it before this step, which is worth as many digits again
        if moved is None:  # nothing lower can be told apart from here
            return weights, "converged" if near or distance <= tiny * max(1.0, abs(value)) else "no_improvement"
        weights, scores, value = moved, trial_scores, trial_value
        told = after_step({"epoch": number, "loss": value, "scores": scores, "weights": weights})
        if near or told:
            return weights, "converged" if near else told
        if number % 8 == 0:  # rounding errors gather in scores that are carried along
            scores = objective.scores(weights)
            value, slopes = objective.value(weights, scores)
        gradient = objective.back(slopes) + 2.0 * objective.penalty * weights
    return weights, "max_iter"
