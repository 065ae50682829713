"""Gradient descent in all its sizes (lecture row L19): single rows, mini-batches, all rows; with variance reduction.

    w <- w - eta_t (mean over the batch of slope·x  +  2 lam w)

A batch is scored with the weights as they are, then added. Shrinking w = scale·v changes the scale alone. With
variance reduction (SVRG) every epoch begins with the gradient g of all rows at weights w~, and a batch takes
slope(w) - slope(w~) in place of its slope, and g along with it. As g is the same for the whole epoch,
w = scale·v - drift·g, and the products of g with the rows are taken once: a step costs no more than a plain one, for
sparse rows too.

R. Johnson, T. Zhang (2013). Accelerating stochastic gradient descent using predictive variance reduction. NeurIPS.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import AHEAD
from rosenblatt.engine.gradient.losses import LOSSES
from rosenblatt.engine.gradient.objective import Objective
from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import CHANGE, SCORE, Array, HalfSpaces

SMALLEST_SCALE = 1e-6  # below it the scale is carried into the vector
BLOWN_UP = 1e6  # a loss this many times the first one is on its way out of the floats
NO_USE = 1.25  # a loss that stays above this many times the one at the start has overshot
WAIT = 5  # epochs without progress before the end


@functools.cache
def _epoch(loss_name: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, move, fetch, approach = layout.scores, layout.move, layout.fetch, layout.approach
    value = LOSSES[loss_name].value

    def epoch(
        rows: Any, order: Any, size: Any, targets: Any, weights: Any, etas: Any, penalty: Any, bias_penalty: Any,
        intercept: Any, vectors: Any, ledger: Any, bias: Any, reference: Any, along: Any, mean: Any, batch: Any,
    ) -> tuple[int, float, float]:  # fmt: skip
        """(steps taken, scale, drift). `reference` has the slopes at the weights that the epoch began with, or no rows.

        `batch` is room for the slopes of a batch; its last row is room for the scores of one row.
        """
        n, count = order.shape[0], targets.shape[1]
        scale, drift, steps = 1.0, 0.0, 0
        reduced = reference.shape[0] > 0
        now = batch[batch.shape[0] - 1]
        start = 0
        while start < n:
            stop = min(n, start + size)
            eta = etas[steps]
            for r in range(start, stop):
                i = np.int64(order[r])
                if r + AHEAD < n:
                    fetch(rows, np.int64(order[r + AHEAD]))
                if r + 1 < n:
                    approach(rows, np.int64(order[r + 1]), vectors, 0, count)
                scores(rows, i, vectors, 0, count, ledger)
                for k in range(count):
                    now[k] = scale * ledger[k, SCORE] + bias[k]
                    if reduced:
                        now[k] -= drift * along[i, k]
                    if not np.isfinite(now[k]):
                        return -1, scale, drift
                value(now, targets[i], batch[r - start])
                c = weights[i] if weights.shape[0] else 1.0
                for k in range(count):
                    batch[r - start, k] *= c
                    if reduced:
                        batch[r - start, k] -= reference[i, k]
            shrink = 1.0 - 2.0 * eta * penalty
            scale *= shrink
            drift = drift * shrink + eta
            if abs(scale) < SMALLEST_SCALE:
                for place in range(vectors.size):
                    vectors.flat[place] *= scale
                scale = 1.0
            step = eta / (stop - start)
            for k in range(count):
                total = 0.0
                for r in range(stop - start):
                    total += batch[r, k]
                bias[k] = bias[k] * (1.0 - 2.0 * eta * bias_penalty) - intercept * step * total
                if reduced:
                    bias[k] -= intercept * eta * mean[k]
            for r in range(start, stop):
                moved = False
                for k in range(count):
                    ledger[k, CHANGE] = -step * batch[r - start, k] / scale
                    moved |= ledger[k, CHANGE] != 0.0
                if moved:
                    move(rows, np.int64(order[r]), vectors, 0, count, ledger)
            steps += 1
            start = stop
        return steps, scale, drift

    return compiled.jit(epoch)


SCHEDULES: dict[str, Callable[[Array, int], Array]] = {
    "constant": lambda t, epoch: np.ones(len(t)),
    "1/t": lambda t, epoch: 1.0 / t,
    "1/sqrt(t)": lambda t, epoch: 1.0 / np.sqrt(t),
    "step": lambda t, epoch: np.full(len(t), 0.5 ** ((epoch - 1) // 10)),
}


@dataclass
class Descent:
    """Epochs of gradient descent on an objective. `weights` is (K, d + 1) and moves.

    An epoch visits every row once, in a new order for each (`seed`), or as many rows drawn with `replacement`. A
    learning rate of None is one at which no step overshoots, a `batch_size` of None is all rows.
    """

    objective: Any
    weights: Array
    learning_rate: float | None
    schedule: str | Callable[[int], float] = "constant"
    batch_size: Any = 1
    reduced: bool = False
    seed: int | None = 0
    replacement: bool = False

    def __post_init__(self) -> None:
        objective = self.objective
        kept = np.arange(objective.n) if not len(objective.weights) else np.flatnonzero(objective.weights)
        self.kept = kept.astype(np.int64)
        self.shuffler = None if self.seed is None else Shuffler(self.kept, self.seed)
        self.random = np.random.default_rng(self.seed)
        self.steps, self.epochs = 0, 0
        # A weight of 0 is the row left out: the mean is over the rows that are visited.
        self.row_weights = objective.weights * len(self.kept) / objective.n if len(objective.weights) else np.empty(0)
        self._prepare()
        self.batch_size = objective.n if self.batch_size is None else int(self.batch_size)

    def _prepare(self) -> None:
        objective = self.objective
        self.layout, self.rows = rows_of(objective.X)
        self.state = HalfSpaces(objective.outputs, objective.width, objective.kind, self.layout, averages=False)
        if self.learning_rate is None:
            self.learning_rate = (safe_batch_rate if self.batch_size is None else safe_rate)(objective)

    def _order(self) -> Array:
        """The rows of an epoch."""
        if self.replacement:
            return self.random.choice(self.kept, len(self.kept))
        return self.kept if self.shuffler is None else self.shuffler()

    def rates(self, count: int) -> Array:
        """The next `count` learning rates."""
        t = np.arange(self.steps + 1, self.steps + count + 1)
        if isinstance(self.schedule, str):
            return self.learning_rate * SCHEDULES[self.schedule](t, self.epochs)
        return np.array([float(self.schedule(int(step))) for step in t])

    def epoch(self) -> bool:
        """Visit every row once. False, with the weights as before, if a number was not finite."""
        objective, state = self.objective, self.state
        self.epochs += 1
        order, count = self._order(), objective.outputs
        size = min(self.batch_size, len(order))
        etas = self.rates(-(-len(order) // size))
        reference, along, mean = np.empty((0, count)), np.empty((0, count)), np.zeros(count)
        pull = np.zeros((count, objective.width + 1))
        if self.reduced:
            _, slopes = objective.slopes(objective.scores(self.weights))
            share = objective.n / len(order)
            reference, pull = slopes / share, objective.back(slopes)
            flat = pull.copy()
            flat[:, -1] = 0.0
            along, mean = objective.scores(flat), pull[:, -1].copy()
        state._write(state.vectors, self.weights[:, :-1].astype(state.dtype))
        bias = self.weights[:, -1].copy()
        run = _epoch(objective.loss, self.layout)
        with np.errstate(over="ignore", invalid="ignore"):
            steps, scale, drift = run(
                self.rows, order, size, objective.targets, self.row_weights, etas, objective.lam,
                objective.penalty[-1], float(objective.fit_intercept), state.vectors, state.ledger, bias, reference,
                along, mean, np.empty((size + 1, count)),
            )  # fmt: skip
            moved = np.column_stack([scale * state._read(state.vectors).astype(np.float64), bias])
            if self.reduced:
                moved[:, :-1] -= drift * pull[:, :-1]
        if steps < 0 or not np.isfinite(moved).all():
            return False
        self.weights, self.steps = moved, self.steps + steps
        return True


def safe_batch_rate(objective: Objective) -> float:
    """A constant learning rate at which steps with all rows do not overshoot: 1 over the most that the mean bends."""
    direction = np.random.default_rng(0).normal(size=(1, objective.width + 1))
    most = 0.0
    for _ in range(30):  # the largest eigenvalue of the mean of x xᵀ
        size = float(np.linalg.norm(direction))
        if size == 0.0:
            break
        direction = objective.back(objective.weighted(objective.scores(direction / size)))
        most = float(np.linalg.norm(direction))
    bent = LOSSES[objective.loss].most_bent * 1.05 * most
    return 1.0 / max(bent + 2.0 * objective.lam, np.finfo(float).tiny)


def safe_rate(objective: Objective) -> float:
    """A constant learning rate at which no single row overshoots: 1 over the most that its loss and the prior bend."""
    X = objective.X
    if objective.sparse:
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    else:
        squares = np.concatenate(
            [np.einsum("ij,ij->i", rows, rows) for rows in map(objective._rows, objective.blocks())]
        )
    most = float(np.max(squares, initial=0.0)) + float(objective.fit_intercept)
    return 1.0 / max(LOSSES[objective.loss].most_bent * most + 2.0 * objective.lam, np.finfo(float).tiny)


def overshot(losses: list[float], at_start: float, patience: int, *, all_rows: bool) -> bool:
    """Whether epochs without progress are steps too large, and not a minimum.

    The loss stays far above the one at the start; or, where each step takes all rows and so has no noise, it has risen
    in every epoch.
    """
    if len(losses) <= patience:
        return False
    rises = np.diff(losses[-patience - 1 :]) > 1e-9 * abs(losses[-1])
    return bool(np.median(losses[-patience:]) > NO_USE * at_start or (all_rows and rises.all()))


def descend(
    descent: Descent,
    *,
    max_iter: int,
    tol: float | None,
    after_epoch: Callable[[dict[str, Any]], str],
    n_iter_no_change: int = WAIT,
) -> str:
    """Epochs until the objective falls by less than `tol`, relative, so many times in a row; the reason to stop.

    Where the steps were too large the reason is "diverged", and the weights of the lowest objective are kept.
    """
    objective = descent.objective
    at_start = objective.value(descent.weights, objective.scores(descent.weights))[0]
    best, lowest, waited = descent.weights, np.inf, 0
    losses: list[float] = []
    all_rows = descent.batch_size >= len(descent.kept)
    reason = "max_iter"
    for number in range(1, max_iter + 1):
        steps = descent.steps
        finite = descent.epoch()
        with np.errstate(over="ignore", invalid="ignore"):
            scores = objective.scores(descent.weights)
            value, _ = objective.value(descent.weights, scores)
        losses.append(value)
        if not finite or not np.isfinite(value) or value > BLOWN_UP * max(losses[0], 1e-300):
            descent.weights = best
            return "diverged"
        told = after_epoch({
            "epoch": number, "loss": value, "scores": scores, "weights": descent.weights,
            "updates": descent.steps - steps,
        })  # fmt: skip
        if told:
            return told
        waited = 0 if value < lowest * (1.0 - (tol or 0.0)) else waited + 1
        if value < lowest:
            best, lowest = descent.weights, value
        if tol is not None and waited >= n_iter_no_change:
            reason = "converged"
            break
    limit = np.inf if objective.bounded else at_start
    if waited >= n_iter_no_change and overshot(losses, limit, n_iter_no_change, all_rows=all_rows):
        descent.weights, reason = best, "diverged"
    return reason
