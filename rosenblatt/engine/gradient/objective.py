"""lam ‖w‖² + mean loss over all rows: its value, its gradient, and what its second derivative does to a direction.

The rows are a dense or a CSR matrix (`products`). W is (K, d), b is (K,), and a direction or a gradient is the pair of
both in one (K, d + 1) array, the intercept last.
Sample weights are divided by their mean, so that the objective is a weighted mean.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.special

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.gradient.losses import LOSSES
from rosenblatt.engine.gradient.products import Products
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import map_blocks, row_blocks, thread_count


@functools.cache
def _evaluate(loss_name: str) -> Any:
    value = LOSSES[loss_name].value

    def evaluate(scores: Any, targets: Any, weights: Any, slopes: Any) -> float:
        """The weighted sum of the losses; slopes = the weighted derivatives."""
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
def _bend(loss_name: str) -> Any:
    bend_row = LOSSES[loss_name].bend

    def bend(scores: Any, targets: Any, weights: Any, directions: Any, out: Any) -> None:
        for i in range(scores.shape[0]):
            bend_row(scores[i], targets[i], directions[i], out[i])
            c = weights[i] if weights.shape[0] else 1.0
            if c != 1.0:
                for k in range(scores.shape[1]):
                    out[i, k] *= c

    return compiled.jit(bend)


ROWS = 4096  # of a block
WIDEST = 1024  # columns of a matrix that is factorised


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
        n_jobs: int | None = 1,
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
        self.products = Products(X, n_jobs=n_jobs)
        self.sparse, self.numbers, self.kind = self.products.sparse, self.products.numbers, self.products.kind
        self.separate, self.bounded = LOSSES[loss].separate, LOSSES[loss].bounded
        self.narrow = self.width <= WIDEST

    def blocks(self) -> list[slice]:
        return [block for block, _ in self.products.blocks]

    def _rows(self, block: slice) -> Any:
        rows = self.X[block]
        return rows if rows.dtype == self.kind else rows.astype(self.kind)

    def scores(self, weights: Array) -> Array:
        """X·wᵀ + b for every row and output."""
        return self.products.scores(weights)

    def _map(self, function: Any) -> list[Any]:
        """A function of blocks of rows, on threads; a loss costs about as much as 20 multiplications."""
        blocks = row_blocks(self.n, ROWS)
        return map_blocks(function, blocks, thread_count(self.products.n_jobs, 20.0 * self.n * self.outputs))

    def slopes(self, scores: Array) -> tuple[float, Array]:
        """(mean loss, the derivative of every row's loss by its scores, weighted)."""
        slopes, evaluate = np.empty_like(scores), _evaluate(self.loss)

        def part(block: slice) -> float:
            weights = self.weights[block] if len(self.weights) else self.weights
            return float(evaluate(scores[block], self.targets[block], weights, slopes[block]))

        return sum(self._map(part)) / self.n, slopes

    def back(self, slopes: Array) -> Array:
        """The mean over rows of slopes times row, (K, d + 1)."""
        result = self.products.back(slopes) / self.n
        if not self.fit_intercept:
            result[:, -1] = 0.0
        return result

    def value(self, weights: Array, scores: Array) -> tuple[float, Array]:
        """(objective, slopes), from scores that are at hand."""
        loss, slopes = self.slopes(scores)
        return loss + float(self.penalty @ np.einsum("kj,kj->j", weights, weights)), slopes

    def gradient(self, weights: Array, scores: Array) -> tuple[float, Array]:
        """(objective, its gradient), from scores that are at hand."""
        value, slopes = self.value(weights, scores)
        return value, self.back(slopes) + 2.0 * self.penalty * weights

    def _bent(self, scores: Array, along: Array) -> Array:
        """The second derivative of every row's loss times a direction of its scores, weighted."""
        bent, bend = np.empty_like(along), _bend(self.loss)

        def part(block: slice) -> None:
            weights = self.weights[block] if len(self.weights) else self.weights
            bend(scores[block], self.targets[block], weights, along[block], bent[block])

        self._map(part)
        return bent

    def bend(self, scores: Array, direction: Array) -> Array:
        """The second derivative of the objective at these scores, times a direction."""
        return self.back(self._bent(scores, self.scores(direction))) + 2.0 * self.penalty * direction

    def curvatures(self, scores: Array) -> Array:
        """The second derivative of every row's loss by each of its scores, (n, K), weighted."""
        if self.separate:
            return self._bent(scores, np.ones_like(scores))
        chances = scipy.special.softmax(scores, axis=1)
        return self.weighted(chances * (1.0 - chances))

    def grams(self, scores: Array, *, shared: bool = False) -> Iterator[Array]:
        """The second derivative of the mean loss by the weights of each output, or one that all may share."""
        bends = self.curvatures(scores) / self.n
        for column in [bends.mean(axis=1)] if shared else bends.T:
            yield self.products.gram(column)

    def diagonal(self, scores: Array) -> Array:
        """The diagonal of the second derivative."""
        result = self.products.square_sums(self.curvatures(scores)) / self.n
        if not self.fit_intercept:
            result[:, -1] = 0.0
        return result + 2.0 * self.penalty

    def weighted(self, scores: Array) -> Array:
        return scores * self.weights[:, None] if len(self.weights) else scores

    def part(self, chosen: Array) -> Objective:
        """The objective over some of the rows, which keep their weights."""
        none = np.empty(0)
        result = Objective(self.X[chosen], self.targets[chosen], none, self.loss, self.lam, n_jobs=self.products.n_jobs)
        result.weights = self.weights[chosen] if len(self.weights) else none
        result.penalty, result.fit_intercept = self.penalty, self.fit_intercept
        return result
