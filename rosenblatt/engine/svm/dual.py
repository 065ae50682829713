"""Support vector machines by dual coordinate descent, one half-space at a time.

Each solves, with C_i = weight of row i / (2 lam · sum of the weights) and y_i = ±1,

    minimise over w, b    1/2 ‖w‖² + sum_i C_i loss(1 - y_i (w·x_i + b)),      loss(z) = max(0, z) or max(0, z)²

which is the objective lam ‖w‖² + mean loss divided by 2 lam. Its dual is

    maximise over a       sum_i a_i - 1/2 ‖sum_i a_i y_i x_i‖² - 1/2 sum_i D_i a_i²
    subject to            0 <= a_i <= U_i,    and, if b is free,    sum_i a_i y_i = 0

with U_i = C_i, D_i = 0 for the hinge and U_i = infinity, D_i = 1/(2 C_i) for its square. One coordinate at a time has
a closed form (Algorithm 3 of Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), w = sum_i a_i y_i x_i is kept
up to date, and coordinates that stay at a bound are left out of the following passes: for a few while all is still in
motion, later until the next proof.

A free b couples all coordinates. Here b = centre + pull · sum_i a_i y_i, the b of a problem with the further term
(b - centre)²/(2 pull), and after every pass the centre moves on to b: the method of multipliers, which ends where the
sum is 0. It costs one addition per step. A regularized b, 1/2 b² in the objective, is held in the same way: as one more
weight, of a feature that is always 1, it would make every step short. See docs/decisions/013.

Coordinate steps are slow where columns differ in scale or rows are nearly parallel. There, Newton's method (`proximal`)
takes over once the passes have cost as much as it does. See docs/decisions/034.

When to stop is not left to heuristics. A proof makes a satisfy every constraint, computes w from it in float64, takes
the best b for that w, and compares the two objectives: their difference, the duality gap, bounds how far the objective
is above the least possible.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from rosenblatt.engine.gradient.intercept import best_intercept, dot
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.svm import proximal
from rosenblatt.engine.svm.loops import (
    ACTIVE,
    ALPHA_SUM,
    BIAS_SUM,
    CEILING,
    CENTRE,
    ESTIMATE,
    FLOOR,
    GRADIENTS,
    HIGHEST,
    INACTIVE,
    LOWEST,
    MISTAKES,
    NOTES,
    PAUSE,
    SQUARE,
    STEPS,
    make_pass,
    make_scores,
    make_squares,
    make_weights,
)

PULL = 0.1  # beside the mean of ‖x‖²
SETTLED = 0.5  # of the objective: above it, a pass tells too little of where the centre should go
NEAR = 0.01  # of the objective
SHRINKING = 0.25  # of the largest gradient of the last pass: a coordinate at its bound beyond it becomes inactive
PAUSING = 0.25  # of the typical gradient of the last pass: a coordinate at its bound beyond it is skipped for a while;
CLOSE = 0.1  # near the end, where an estimated gap is at most this part of the objective, none is
SOONER = 0.8  # after a proof that failed, the next is tried at this part of the estimate
STRETCH = 2e8  # multiplications between two looks at the clock, about 0.1 s
FAR = 1.5  # the margin from which on Newton's method does not look at a row, until a proof asks for it
LOOSE, TIGHT = 0.1, 0.001  # of tol: what Newton's method aims at first, and at most


class Problem:
    """What all half-spaces have in common: rows, costs C_i, the loss, and whether b is free.

    `intercept` is "free", "regularized" or "none".
    """

    def __init__(
        self, X: Any, rows: tuple[Array, ...], layout: str, dtype: Any, costs: Array,
        *, squared: bool = False, intercept: str = "free", n_jobs: int | None = 1,
    ) -> None:  # fmt: skip
        self.X, self.rows, self.layout, self.dtype, self.costs = X, rows, layout, np.dtype(dtype), costs
        self.squared, self.intercept, self.n_jobs = squared, intercept, n_jobs
        kept = costs > 0.0
        n, self.width = X.shape
        self.kept = np.flatnonzero(kept).astype(np.int64)
        self.limits = np.where(kept, np.inf, 0.0) if squared else costs
        self.diagonal = np.divide(0.5, costs, out=np.zeros(n), where=kept) if squared else np.zeros(n)
        self.squares = np.empty(n)
        make_squares(layout)(rows, self.half_space(np.float64).ledger, self.squares)
        self.typical_square = float(np.mean(self.squares[self.kept]))
        self.finite = bool(np.isfinite(self.squares[self.kept]).all())
        pull = PULL * self.typical_square if 0.0 < self.typical_square < np.inf else 1.0
        # b = centre + pull · sum_i a_i y_i, the next centre is share · b. The best b of b²/2 + (b - c)²/(2 p) - b S is
        # c/(1 + p) + p/(1 + p) S; without b²/2 it is c + p S.
        self.pull, self.share = {
            "none": (0.0, 0.0), "free": (pull, 1.0), "regularized": (pull / (1.0 + pull), 1.0 / (1.0 + pull)),
        }[intercept]  # fmt: skip
        self.per_row = float(self.width) if layout == "rows" else len(rows[0]) / max(1, n)

    def half_space(self, dtype: Any) -> HalfSpaces:
        return HalfSpaces(1, self.width, dtype, self.layout, averages=False)

    def price(self, count: int) -> float:
        """What Newton's method costs on so many rows."""
        return proximal.price(count, self.width, self.per_row * count)


class Machine:
    """One support vector machine: its dual variables, and what is known so far.

    After `prove`, `coef` and `bias` are the weights as they will be handed out, `primal` and `dual` the two objectives.
    """

    def __init__(
        self, problem: Problem, signs: Array, seed: int | None, alpha: Array | None = None, bias: float = 0.0
    ) -> None:
        n = len(signs)
        self.problem, self.signs = problem, signs
        self.shuffle = None if seed is None else Shuffler(np.empty(0, np.int64), seed)
        # Between its bounds, or what is proven with it would not hold: those of another lam or weight may be beyond.
        self.alpha = np.zeros(n) if alpha is None else np.clip(alpha, 0.0, problem.limits)
        self.active = (problem.costs > 0.0).astype(np.uint8)
        self.state = problem.half_space(problem.dtype)
        self.notes = np.zeros(NOTES)
        self.notes[[CEILING, FLOOR, PAUSE, CENTRE]] = np.inf, -np.inf, PAUSING, problem.share * bias
        self.coef, self.bias = np.zeros(problem.width), bias
        self.primal, self.dual = np.inf, 0.0
        self.work, self.trigger = 0.0, np.inf
        self.done = self.proved = self.diverged = False
        if self.alpha.any():
            self._take_weights()

    @property
    def gap(self) -> float:
        """By how much the objective may be above the least possible."""
        return max(0.0, self.primal - self.dual)

    @property
    def running_bias(self) -> float:
        return float(self.notes[CENTRE] + self.problem.pull * self.notes[BIAS_SUM])

    def estimate(self) -> float:
        """Roughly, the duality gap relative to the objective, from what the last pass saw."""
        value = self.notes[ALPHA_SUM] - 0.5 * self.notes[SQUARE]
        if self.problem.squared:
            value -= 0.5 * dot(self.problem.diagonal * self.alpha, self.alpha)
        return float(self.notes[ESTIMATE] / max(value, np.finfo(float).tiny)) if self.notes[ESTIMATE] > 0.0 else 0.0

    def step(self, tol: float, asked: Callable[[], str]) -> None:
        """A pass, and a proof where the gap may be small enough."""
        self.proved = False
        self._descend(asked)
        if self.diverged or asked():
            return
        estimate = self.estimate()
        if estimate <= min(tol, self.trigger) or not self.active.any():
            self.prove(tol)
            # What was inactive and should not have been is active again, so that the next estimates see it.
            self.trigger = SOONER * min(estimate, tol, self.trigger)

    @property
    def newton_is_due(self) -> bool:
        """Whether the passes since the last proof by Newton's method have cost more than it would."""
        return self.work > self.problem.price(int(self._matter().sum()))

    def _matter(self) -> Array:
        """Which rows are active or have a dual variable above 0: the others change nothing for now."""
        return (self.active != INACTIVE) | (self.alpha > 0.0)

    def newton(self, tol: float, asked: Callable[[], str]) -> None:
        """Newton's method on the rows that matter, and on those that a proof adds, until a proof succeeds."""
        problem, share, chosen = self.problem, LOOSE, self._matter()
        scores = self._scores(self.state.last()[0][0].astype(np.float64)) + self.running_bias
        near = chosen | (problem.costs > 0.0) & (self.signs * scores < FAR)
        chosen = near if problem.price(int(near.sum())) < np.inf else chosen
        while share >= TIGHT and problem.price(int(chosen.sum())) < np.inf and not self.done and not asked():
            rows = np.flatnonzero(chosen)
            self.alpha[rows], weights = proximal.solve(
                proximal.coordinates(problem.X if chosen.all() else problem.X[rows], problem.n_jobs),
                self.signs[rows], problem.costs[rows], self.alpha[rows], self.running_bias, squared=problem.squared,
                intercept=problem.intercept, tol=share * tol, asked=asked,
            )  # fmt: skip
            self.notes[CENTRE] = problem.share * weights[-1]
            self.prove(tol)
            grown = chosen | self._matter()
            if np.array_equal(grown, chosen):
                share *= 0.1
            chosen = grown
        self.work = 0.0

    def _descend(self, asked: Callable[[], str]) -> None:
        """One pass over the active rows."""
        notes, problem = self.notes, self.problem
        order = problem.kept[self.active[problem.kept] == ACTIVE]
        self.active -= self.active > ACTIVE  # a pass less to skip
        if self.shuffle is not None:
            self.shuffle.order = order
            self.shuffle()
        # What is left of the rows may be few: finding them and starting the pass count as well.
        self.work += proximal.FIXED + problem.per_row * len(order) + len(problem.kept)
        if problem.intercept != "none" and notes[ESTIMATE] <= SETTLED * abs(notes[ALPHA_SUM]):
            notes[CENTRE] = problem.share * self.running_bias
        notes[[HIGHEST, LOWEST, ESTIMATE, STEPS, MISTAKES, GRADIENTS]] = -np.inf, np.inf, 0.0, 0.0, 0.0, 0.0
        run = make_pass(problem.layout)
        height = max(1, int(STRETCH / max(1.0, problem.per_row)))
        for start in range(0, len(order), height):
            self.diverged = not problem.finite or not run(
                problem.rows, order[start : start + height], self.signs, problem.limits, problem.diagonal,
                problem.squares, self.alpha, self.active, self.state.vectors, self.state.ledger, notes, problem.pull,
            )  # fmt: skip
            if self.diverged or asked():
                return
        notes[CEILING] = SHRINKING * notes[HIGHEST] if notes[HIGHEST] > 0.0 else np.inf
        notes[FLOOR] = SHRINKING * notes[LOWEST] if notes[LOWEST] < 0.0 else -np.inf
        typical = np.sqrt(notes[GRADIENTS] / max(1.0, notes[STEPS]))
        notes[PAUSE] = PAUSING * typical if self.estimate() > CLOSE else np.inf

    def _balance(self) -> None:
        """Make sum_i a_i y_i = 0 by lowering a on the heavier side: first where it is between its bounds."""
        surplus = dot(self.alpha, self.signs)
        if surplus == 0.0:
            return
        mine = self.signs > 0 if surplus > 0 else self.signs < 0
        between = mine & (self.alpha > 0.0) & (self.alpha < self.problem.limits)
        if self.alpha[between].sum() < 2.0 * abs(surplus):
            between = mine
        self.alpha[between] *= max(0.0, 1.0 - abs(surplus) / float(self.alpha[between].sum()))

    def _scores(self, coef: Array) -> Array:
        """X·coef, in float64."""
        state, scores = self.problem.half_space(np.float64), np.empty(len(self.signs))
        state._write(state.vectors, coef[None])
        make_scores(self.problem.layout)(self.problem.rows, state.vectors, state.ledger, scores)
        return scores

    def _take_weights(self) -> Array:
        """Compute the weights that a stands for, without the rounding errors of the running ones."""
        changes = self.alpha * self.signs
        exact = self.problem.half_space(np.float64)
        make_weights(self.problem.layout)(self.problem.rows, changes, exact.vectors, exact.ledger)
        coef: Array = exact.last()[0]
        self.state._write(self.state.vectors, coef)
        self.notes[[BIAS_SUM, ALPHA_SUM, SQUARE]] = changes.sum(), self.alpha.sum(), dot(coef[0], coef[0])
        return coef[0]

    def prove(self, tol: float) -> None:
        """The two objectives, for the weights as they will be handed out. Sets coef, bias, primal, dual, done."""
        problem = self.problem
        centre = self.running_bias
        if problem.intercept == "free":
            self._balance()
        coef = self._take_weights()
        if problem.intercept == "free":
            self.notes[CENTRE] = centre  # the sum is 0 now: go on from the same b
        self.coef, self.bias = coef.astype(problem.dtype).astype(np.float64), 0.0  # as they are handed out
        scores = self._scores(self.coef)
        if problem.intercept != "none":
            ridge = 1.0 if problem.intercept == "regularized" else 0.0
            bias = best_intercept(scores, self.signs, problem.costs, problem.squared, ridge)
            self.bias = float(problem.dtype.type(bias))
        margins = self.signs * (scores + self.bias)
        short = np.maximum(0.0, 1.0 - margins)
        self.primal = 0.5 * dot(self.coef, self.coef) + dot(problem.costs, short * short if problem.squared else short)
        self.dual = float(self.notes[ALPHA_SUM]) - 0.5 * float(self.notes[SQUARE])
        self.dual -= 0.5 * dot(problem.diagonal * self.alpha, self.alpha)
        if problem.intercept == "regularized":
            self.primal += 0.5 * self.bias**2
            self.dual -= 0.5 * float(self.notes[BIAS_SUM]) ** 2
        self.proved, self.done = True, self.primal - self.dual <= tol * self.primal
        if self.gap <= NEAR * self.primal:  # then the best b for these weights is the better centre
            self.notes[CENTRE] = problem.share * self.bias
        gradient = margins - 1.0 + problem.diagonal * self.alpha
        stuck = ((self.alpha == 0.0) & (gradient > 0.0)) | ((self.alpha == problem.limits) & (gradient < 0.0))
        self.active = ((problem.costs > 0.0) & ~stuck).astype(np.uint8)
        self.notes[[CEILING, FLOOR]] = np.inf, -np.inf

    def shorten(self) -> None:
        """Where the run ended too early, with weights worse than none: the best t (w, b), 0 <= t <= 1, instead.

        What the dual variables prove remains proven.
        """
        problem = self.problem
        if self.diverged or not np.isfinite(self.primal) or self.primal <= problem.costs.sum():
            return
        margins = self.signs * (self._scores(self.coef) + self.bias)
        square = dot(self.coef, self.coef) + (self.bias**2 if problem.intercept == "regularized" else 0.0)

        def objective(t: float) -> float:
            short = np.maximum(0.0, 1.0 - t * margins)
            return 0.5 * t * t * square + dot(problem.costs, short * short if problem.squared else short)

        found = float(scipy.optimize.minimize_scalar(objective, bounds=(0.0, 1.0), method="bounded").x)
        best = min((0.0, found), key=objective)
        self.coef, self.bias, self.alpha = best * self.coef, best * self.bias, best * self.alpha
        self.primal = objective(best)
