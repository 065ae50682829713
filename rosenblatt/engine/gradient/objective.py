"""lam ‖w‖² + mean loss over all rows: its value, its gradient, and what its second derivative does to a direction.

The rows are a dense matrix or a CSR matrix, taken in blocks that stay in the cache between the two products with them.
W is (K, d), b is (K,), and a direction or a gradient is the pair of both in one (K, d + 1) array, the intercept last.
Sample weights are divided by their mean, so that the objective is a weighted mean.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.sparse
import scipy.special

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.gradient.losses import LOSSES
from rosenblatt.engine.online.state import Array

BLOCK = 2**19  # numbers of a block of rows


@functools.cache
def _evaluate(key: str, loss_name: str) -> Any:
    value = LOSSES[loss_name].value

    def evaluate(scores: Any, targets: Any, weights: Any, slopes: Any) -> float:
        """The weighted sum of the losses; slopes = the weighted derivatives."""
        key  # noqa: B018  part of the key under which the machine code is kept
        total = 0.0
        for i in range(scores.shape[0]):
            c = weights[i] if weights.shape[0] else 1.0
            total += c * value(scores[i], targets[i], slopes[i])
            if c != 1.0:
                for k in range(scores.shape[1]):
                    slopes[i, k] *= c
        return total

    return compiled.jit(evaluate)


@functools.cache
def _bend(key: str, loss_name: str) -> Any:
    bend_row = LOSSES[loss_name].bend

    def bend(scores: Any, targets: Any, weights: Any, directions: Any, out: Any) -> None:
        key  # noqa: B018
        for i in range(scores.shape[0]):
            bend_row(scores[i], targets[i], directions[i], out[i])
            c = weights[i] if weights.shape[0] else 1.0
            if c != 1.0:
                for k in range(scores.shape[1]):
                    out[i, k] *= c

    return compiled.jit(bend)


class Objective:
    """What is minimised, over given rows.

    `penalize_intercept` adds lam b². `kind` is the dtype of the products with X: float32 unless the rows are float64.
    """

    def __init__(
        self,
        X: Any,
        targets: Array,
        weights: Array,
        loss: str,
        lam: float,
        *,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
    ) -> None:
        self.X, self.loss, self.lam = X, loss, lam
        self.targets = np.ascontiguousarray(targets, np.float64)
        self.n, self.width = X.shape
        self.outputs = self.targets.shape[1]
        self.weights = weights / weights.mean() if len(weights) else weights
        self.fit_intercept = fit_intercept
        self.penalty = np.full(self.width + 1, lam)
        self.penalty[-1] = lam if penalize_intercept and fit_intercept else 0.0
        self.l1 = self.l1_intercept = 0.0  # an L1 prior, which only `quasi_newton` heeds
        self.sparse = scipy.sparse.issparse(X)
        self.numbers = X.nnz if self.sparse else X.size
        self.kind = np.float64 if X.dtype == np.float64 else np.float32
        self.height = self.n if self.sparse else max(1, BLOCK // max(1, self.width))
        self.key = f"{compiled.engine_digest()} {loss}"

    def blocks(self) -> Any:
        for start in range(0, self.n, self.height):
            yield slice(start, min(self.n, start + self.height))

    def _rows(self, block: slice) -> Any:
        rows = self.X if self.sparse else self.X[block]
        return rows if rows.dtype == self.kind else rows.astype(self.kind)

    def scores(self, weights: Array) -> Array:
        """X·wᵀ + b for every row and output."""
        result = np.empty((self.n, self.outputs))
        turned = np.ascontiguousarray(weights[:, :-1].T, self.kind)
        for block in self.blocks():
            result[block] = self._rows(block) @ turned
        return result + weights[:, -1]

    def slopes(self, scores: Array) -> tuple[float, Array]:
        """(mean loss, the derivative of every row's loss by its scores, weighted)."""
        slopes = np.empty_like(scores)
        loss = _evaluate(self.key, self.loss)(scores, self.targets, self.weights, slopes)
        return float(loss) / self.n, slopes

    def back(self, slopes: Array) -> Array:
        """The mean over rows of slopes times row, (K, d + 1)."""
        result = np.zeros((self.outputs, self.width + 1))
        for block in self.blocks():
            part = np.ascontiguousarray(slopes[block], self.kind)
            rows = self._rows(block)
            result[:, :-1] += (rows.T @ part).T if self.sparse else part.T @ rows
        if self.fit_intercept:
            result[:, -1] = slopes.sum(axis=0)
        return result / self.n

    def value(self, weights: Array, scores: Array) -> tuple[float, Array]:
        """(objective, slopes), from scores that are at hand."""
        loss, slopes = self.slopes(scores)
        return loss + float(self.penalty @ np.einsum("kj,kj->j", weights, weights)), slopes

    def gradient(self, weights: Array, scores: Array) -> tuple[float, Array]:
        """(objective, its gradient), from scores that are at hand."""
        value, slopes = self.value(weights, scores)
        return value, self.back(slopes) + 2.0 * self.penalty * weights

    def bend(self, scores: Array, direction: Array) -> Array:
        """The second derivative of the objective at these scores, times a direction."""
        along = self.scores(direction)
        bent = np.empty_like(along)
        _bend(self.key, self.loss)(scores, self.targets, self.weights, along, bent)
        return self.back(bent) + 2.0 * self.penalty * direction

    def diagonal(self, scores: Array) -> Array:
        """The diagonal of the second derivative, to even out the scales of features."""
        bent = np.empty_like(scores)
        bend = _bend(self.key, self.loss)
        if LOSSES[self.loss].separate:
            bend(scores, self.targets, self.weights, np.ones_like(scores), bent)
        else:
            chances = scipy.special.softmax(scores, axis=1)
            bent = self.weighted(chances * (1.0 - chances))
        result = np.zeros((self.outputs, self.width + 1))
        for block in self.blocks():
            rows = self._rows(block)
            squares = rows.multiply(rows) if self.sparse else rows * rows
            part = np.ascontiguousarray(bent[block], self.kind)
            result[:, :-1] += (squares.T @ part).T if self.sparse else part.T @ squares
        if self.fit_intercept:
            result[:, -1] = bent.sum(axis=0)
        return result / self.n + 2.0 * self.penalty

    def alone(self) -> Objective:
        """The same rows with a single output."""
        result = Objective(self.X, self.targets[:, :1], np.empty(0), self.loss, self.lam)
        result.weights, result.penalty, result.fit_intercept = self.weights, self.penalty, self.fit_intercept
        return result

    def weighted(self, scores: Array) -> Array:
        return scores * self.weights[:, None] if len(self.weights) else scores

    def part(self, chosen: Array) -> Objective:
        """The objective over some of the rows."""
        weights = self.weights[chosen] if len(self.weights) else self.weights
        result = Objective(self.X[chosen], self.targets[chosen], np.empty(0), self.loss, self.lam)
        result.weights, result.penalty, result.fit_intercept = weights, self.penalty, self.fit_intercept
        return result
