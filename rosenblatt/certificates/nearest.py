"""The nearest points of two convex hulls, in floating point: the widest margin, or the place where the hulls meet.

The problem: convex weights on the rows of each group (the two classes; or one group, when the hyperplane must pass
through the origin) that make the sum p of all weighted, signed rows as short as possible. With two groups p leads
from the nearest point of one hull to that of the other. Its length bounds every margin from above, the least score
a·p of any row gives the margin of the hyperplane p from below, and the two meet at the optimum.

The method: Wolfe's for the nearest point of a polytope (Mathematical Programming 11, 1976), an active set that ends
after finitely many steps on at most d + 2 rows that are affinely independent. Several rows may join at once, the
scores are looked up among the hardest rows only, and all rows are looked at when those are satisfied.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from rosenblatt.certificates.points import Points, dense_product
from rosenblatt.engine.cholesky import GrowingCholesky
from rosenblatt.engine.online.state import Array

JOINING = 12  # rows that join the active set in one step
ZERO = 1e-11  # a p this much shorter than the longest row is taken for 0, and the exact arithmetic asked


@dataclass
class Nearest:
    """Where a search stands: `rows` with their `weights`, the sum p, and the bounds on the margin."""

    rows: Array
    weights: Array
    direction: Array
    lower: float
    upper: float
    ending: str  # "gap", "meet", "stalled", "time limit"


class NearestPoints:
    """One search; `run` goes on where it was."""

    def __init__(self, points: Points, watch: Callable[[float, float], None] = lambda lower, upper: None) -> None:
        self.points = points
        self.watch = watch
        self.groups = points.groups
        self.count = int(self.groups.max()) + 1
        self.size = points.radius
        self.rows = points.start()
        self.weights = np.ones(len(self.rows))
        self.hard = points.hardest(points.scores(points.combine(self.rows, self.weights)), self.rows)
        self._gather()
        self._taken, self._kept = points.take(self.rows), np.arange(len(self.rows))
        self.factor = GrowingCholesky()
        self.factor.append(np.empty((0, len(self.rows))), self._gram(self.matrix, self.rows, self.matrix, self.rows))
        self.lower, self.upper = -np.inf, np.inf
        self.zero = ZERO

    @property
    def matrix(self) -> Array:
        """The active rows. Those that have left are taken out when it is asked for, all at once."""
        if len(self._kept) < self._taken.shape[0]:
            self._taken, self._kept = self._taken[self._kept], np.arange(len(self._kept))
        return self._taken

    def closer(self) -> None:
        """Take less for 0 from now on: the exact arithmetic found that it was not."""
        self.zero *= 1e-2

    def run(self, tolerance: float, deadline: float) -> Nearest:
        """Search until the bounds are within `tolerance` of each other, the hulls meet, or time is up."""
        try:
            return self._run(tolerance, deadline)
        except LinAlgError:  # the active rows are dependent to within rounding
            return self._end("stalled")

    def _run(self, tolerance: float, deadline: float) -> Nearest:
        self._settle()
        near = 0.5  # how well the hard rows must be satisfied before all rows are looked at
        while True:
            if np.linalg.norm(self.direction) <= self.zero * self.size:
                return self._end("meet")
            if time.monotonic() > deadline:
                self._judge_all()
                return self._end("time limit")
            lower, upper = self._bounds(self.hard_scores, self.hard_groups)
            self.watch(self.lower, self.upper)
            if lower >= (1 - near) * upper or not self._step():
                stalled = lower < (1 - near) * upper
                scores = self._judge_all()
                if self.lower >= (1 - tolerance) * self.upper:
                    return self._end("gap")
                if not self._widen(scores) and (stalled or near <= tolerance / 4):
                    return self._end("stalled")
                near = max(near / 2, tolerance / 4)

    def _end(self, ending: str) -> Nearest:
        return Nearest(self.rows, self.weights, self.direction, self.lower, self.upper, ending)

    def _bounds(self, scores: Array, groups: Array) -> tuple[float, float]:
        """The margin of the hyperplane p, from these rows, and the bound that p's length is."""
        length = float(np.linalg.norm(self.direction))
        least = sum(float(scores[groups == group].min(initial=np.inf)) for group in range(self.count))
        return least / (self.count * length) if length else 0.0, length / self.count

    def _judge_all(self) -> Array:
        scores = self.points.scores(self.direction)
        lower, upper = self._bounds(scores, self.groups)
        self.upper = min(self.upper, upper)
        if lower > self.lower:
            self.lower, self.best = lower, self.direction
        return scores

    def _gather(self) -> None:
        self.hard_matrix = self.points.take(self.hard)
        self.hard_groups = self.groups[self.hard]

    def _widen(self, scores: Array) -> bool:
        """Let the hardest of the other rows join the hard ones; False when there are none."""
        levels = self._levels()
        eager = np.flatnonzero(scores < levels[self.groups] - 1e-12 * abs(levels).max())
        eager = np.setdiff1d(eager, self.hard)
        if not len(eager):
            return False
        room = max(500, len(self.hard) // 2)
        if len(eager) > room:
            eager = eager[np.argpartition(scores[eager] - levels[self.groups[eager]], room)[:room]]
        self.hard = np.concatenate([self.hard, eager])
        self._gather()
        self.hard_scores = dense_product(self.hard_matrix, self.direction)
        return True

    def _levels(self) -> Array:
        """The score of the active rows of each group: rows below it would make p shorter."""
        scores = dense_product(self.matrix, self.direction)
        groups = self.groups[self.rows]
        return np.array([self.weights[groups == group] @ scores[groups == group] for group in range(self.count)])

    def _step(self) -> bool:
        """Let the hardest rows join, and settle; False when p cannot be made shorter."""
        before = float(self.direction @ self.direction)
        excess = self.hard_scores - self._levels()[self.hard_groups]
        excess[np.isin(self.hard, self.rows)] = np.inf
        joining = np.argsort(excess)[:JOINING] if len(excess) <= JOINING else np.argpartition(excess, JOINING)[:JOINING]
        joining = joining[np.argsort(excess[joining])]
        joining = joining[excess[joining] < -1e-14 * self.size**2]
        while len(joining):
            try:
                self._join(self.hard[joining])
                break
            except LinAlgError:
                joining = joining[:-1]
        if not len(joining):
            return False
        self._settle()
        return float(self.direction @ self.direction) < before * (1 - 1e-13)

    def _join(self, rows: Array) -> None:
        matrix = self.points.take(rows)
        self.factor.append(self._gram(self.matrix, self.rows, matrix, rows), self._gram(matrix, rows, matrix, rows))
        self.rows = np.concatenate([self.rows, rows])
        self.weights = np.concatenate([self.weights, np.zeros(len(rows))])
        self._taken = self.points.stack(self.matrix, matrix)
        self._kept = np.arange(len(self.rows))

    def _gram(self, left: Array, left_rows: Array, right: Array, right_rows: Array) -> Array:
        """Scalar products, with a constant for rows of the same group: their weights sum to 1 anyway."""
        same = self.groups[left_rows][:, None] == self.groups[right_rows]
        products: Array = dense_product(left, right.T) + self.size**2 * same
        return products

    def _target(self, refine: bool = False) -> Array:
        """The weights, of any sign, of the shortest sum over the affine hulls of the active rows."""
        indicator = (np.arange(self.count)[:, None] == self.groups[self.rows]).astype(float)
        solved = self.factor.solve(indicator, refine)
        return np.asarray(np.linalg.solve(indicator @ solved.T, np.ones(self.count)) @ solved)

    def _settle(self) -> None:
        """Go to the shortest sum with positive weights; rows whose weight reaches 0 on the way leave."""
        while True:
            target = self._target()
            bad = target <= 0
            if not bad.any():
                target = self._target(refine=True)
                bad = target <= 0
                if not bad.any():
                    break
                if self.factor.refresh():
                    continue
            fresh = bad & (self.weights == 0)
            if fresh.any():
                if fresh.sum() == (self.weights == 0).sum():
                    fresh[np.flatnonzero(fresh)[0]] = fresh.sum() == 1
                self._leave(fresh)
                continue
            ratios = np.full(len(target), np.inf)
            ratios[bad] = self.weights[bad] / (self.weights[bad] - target[bad])
            self.weights = self.weights + ratios.min() * (target - self.weights)
            self._leave(bad & (self.weights <= 1e-15) | (ratios == ratios.min()))
        self.weights = target
        self.direction = np.asarray(dense_product(self.matrix.T, self.weights)).ravel()
        self.hard_scores = dense_product(self.hard_matrix, self.direction)

    def _leave(self, leaving: Array) -> None:
        self.factor.remove(np.flatnonzero(leaving))
        self.rows, self.weights = self.rows[~leaving], self.weights[~leaving]
        self._kept = self._kept[~leaving]
        groups = self.groups[self.rows]
        sums = np.array([self.weights[groups == group].sum() for group in range(self.count)])
        self.weights = self.weights / sums[groups]
