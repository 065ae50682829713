"""Support vector machines by the proximal point method, its steps found by Newton's method in the primal.

From dual variables a, minimise over w, b (costs C_i, signs y_i, z_i = 1 - y_i (w·x_i + b))

    1/2 ‖w‖² + sum_i max over 0 <= t <= C_i of  t z_i - (t - a_i)²/(2 s C_i)

whose i-th term is the hinge, rounded off over a width of 1/s around the margin; the best t_i = clip(a_i + s C_i z_i)
are the next a. The second derivative is that of the rows with 0 < t_i < C_i only, often few. Columns of any scale do no
harm: Newton's method does not depend on it. The squared hinge is smooth by itself and needs a single round.

See R. T. Rockafellar (1976). Augmented Lagrangians and applications of the proximal point algorithm in convex
programming. Mathematics of Operations Research 1(2), and Y. Yan, Q. Li (2020). An efficient augmented Lagrangian method
for support vector machine. Optimization Methods and Software 35(4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from rosenblatt.engine.gradient.products import Products
from rosenblatt.engine.online.state import Array

WIDEST = 1024  # columns of the systems of equations
FIXED = 2e4  # multiplications in the time that it takes to start a pass or a Newton step, about 10 µs
STEPS = 30  # Newton steps that a run typically takes, for its price
ROUNDS, MOST_STEPS = 40, 50
PATIENCE = 5  # rounds without a smaller gap: rounding decides, and the best answer so far is the answer
SHARPER = 3.0  # what s is multiplied by after an easy round, and divided by after a hard one
EASY, HARD = 4, 10  # Newton steps
SHARPEST = 1e6  # beyond it, the rounding of z moves t more than a further round would
SHORTEST = 1e-9  # of a Newton step: if none that is longer makes the objective smaller, rounding decides
EPSILON = float(np.finfo(np.float64).eps)


def price(n: int, width: int, numbers: float) -> float:
    """What a run costs, in multiplications of a pass of coordinate steps; those of a Gram matrix are faster."""
    if min(n, width) > WIDEST:
        return np.inf
    columns, per_row = min(n, width), numbers / max(1, n)
    gram = 0.0 if columns == width else n * numbers / 8.0
    return gram + STEPS * (FIXED + n * (2.0 * min(per_row, columns) + 0.005 * min(columns, 4.0 * per_row) ** 2))


def solve(
    products: Products,
    signs: Array,
    costs: Array,
    alpha: Array,
    bias: float,
    *,
    squared: bool,
    intercept: str,
    tol: float,
    asked: Callable[[], Any] = lambda: "",
) -> tuple[Array, Array]:
    """(dual variables, weights and b) with a duality gap of at most `tol` times the objective, unless `asked` to stop.

    It starts from `alpha` and `bias`. `intercept` is "free", "regularized" or "none".
    """
    penalty = np.ones(products.width + 1)
    penalty[-1] = float(intercept == "regularized")
    hold = 1e-9 * float(costs.sum()) if intercept == "free" else 0.0  # keeps b where no row has a curvature
    weights = products.back((signs * alpha)[:, None])[0]
    weights[-1] = bias
    scores, sharpness, turns = products.scores(weights[None])[:, 0], 3.0, alpha
    tol = max(tol, 4.0 * EPSILON)
    unbalanced = max(0.01 * tol, EPSILON * len(signs))  # sums of so many terms are rounded
    best, waited, answer = np.inf, 0, (alpha, weights)
    for number in range(ROUNDS):
        sigma, centre = sharpness * costs, weights[-1]

        def terms(z: Array, sigma: Array = sigma, alpha: Array = alpha) -> tuple[float, Array, Array]:
            """(sum of the rounded losses, their derivatives by z, their second derivatives)."""
            if squared:
                turns = 2.0 * costs * np.maximum(0.0, z)
                return 0.5 * float(np.vdot(turns, z)), turns, np.where(z > 0.0, 2.0 * costs, 0.0)
            free = alpha + sigma * z
            turns = np.clip(free, 0.0, costs)
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = np.where(sigma > 0.0, (turns - alpha) ** 2 / (2.0 * sigma), 0.0)
            value = float(np.vdot(turns, z)) - float(moved.sum())
            return value, turns, np.where((free > 0.0) & (free < costs), sigma, 0.0)

        def penalties(at: Array, centre: float = centre) -> float:
            return 0.5 * float(np.vdot(penalty * at, at)) + 0.5 * hold * float(at[-1] - centre) ** 2

        steps, polished = 0, False
        while steps < MOST_STEPS:
            z = 1.0 - signs * scores
            value, turns, curvature = terms(z)
            value += penalties(weights)
            sums = products.back((signs * turns)[:, None])[0]
            gradient = penalty * weights - sums
            gradient[-1] += hold * (weights[-1] - centre)
            if intercept == "none":
                gradient[-1] = 0.0
            short = np.maximum(0.0, z)
            primal = 0.5 * float(np.vdot(penalty * weights, weights))
            primal += float(np.vdot(costs, short * short if squared else short))
            dual = float(turns.sum()) - 0.5 * float(np.vdot(penalty * sums, sums))
            if squared:
                dual -= 0.5 * float(np.vdot(turns, short))
            balanced = intercept != "free" or abs(sums[-1]) <= unbalanced * float(turns.sum())
            if (primal - dual <= tol * primal and balanced) or asked() or not np.isfinite(value):
                return turns, weights
            left = 0.5 * float(np.vdot(gradient, gradient))
            if (
                not squared
                and balanced
                and left <= 0.1 * max(tol * primal, min(0.3**number * primal, abs(primal - dual)))
            ):
                break
            steps += 1
            direction = -_newton(products.gram(curvature), penalty, hold, gradient, intercept)
            slope = float(np.vdot(gradient, direction))
            negligible = not slope < -1e-15 * abs(value)
            if negligible and (balanced or polished):
                break
            polished = negligible  # a last step is taken whole: the objective is too coarse to compare by
            along, length = products.scores(direction[None])[:, 0], 1.0
            while length > SHORTEST and not negligible:
                trial = terms(1.0 - signs * (scores + length * along))[0] + penalties(weights + length * direction)
                if trial <= value + 1e-4 * length * slope:
                    break
                length *= 0.5
            if length <= SHORTEST:
                break
            weights, scores = weights + length * direction, scores + length * along
        if squared:
            return turns, weights
        left_over = max(abs(primal - dual), abs(sums[-1]) if intercept == "free" else 0.0)
        waited = 0 if left_over < best else waited + 1
        if left_over < best:
            best, answer = left_over, (turns, weights)
        if waited == PATIENCE:
            break
        alpha = turns
        sharpness *= SHARPER if steps <= EASY else 1.0 if steps <= HARD else 1.0 / SHARPER
        sharpness = min(sharpness, SHARPEST)
    return answer


def _newton(hessian: Array, penalty: Array, hold: float, gradient: Array, intercept: str) -> Array:
    """The solution of (hessian + penalties) d = gradient, in units in which its diagonal is 1."""
    if intercept == "none":
        hessian[-1, :] = hessian[:, -1] = 0.0
        hessian[-1, -1] = 1.0
    hessian[np.diag_indices_from(hessian)] += penalty
    hessian[-1, -1] += hold
    unit = 1.0 / np.sqrt(np.maximum(hessian.diagonal(), np.finfo(float).tiny))
    hessian *= unit * unit[:, None]
    for ridge in (1e-13, 1e-9, 1e-5, 1.0):  # rounding may have made a singular matrix indefinite
        hessian[np.diag_indices_from(hessian)] += ridge
        try:
            factor = np.linalg.cholesky(hessian)  # scipy's would keep other threads waiting
            half = scipy.linalg.solve_triangular(factor, unit * gradient, lower=True)
            return unit * scipy.linalg.solve_triangular(factor, half, lower=True, trans=1)
        except np.linalg.LinAlgError:
            continue
    return unit * unit * gradient


def coordinates(X: Any, n_jobs: int | None) -> Products:
    """The rows for Newton's method, with at most as many columns as rows: not more than WIDEST of both.

    Only scalar products of rows matter to a support vector machine, so n rows may be given by n coordinates each.
    """
    if X.shape[1] <= WIDEST:
        return Products(X, np.float64, n_jobs)
    rows = X.astype(np.float64)
    products = (rows @ rows.T).toarray() if scipy.sparse.issparse(X) else rows @ rows.T
    values, vectors = scipy.linalg.eigh(products)
    return Products(vectors * np.sqrt(np.maximum(values, 0.0)), np.float64, n_jobs)
