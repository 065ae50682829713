"""Support vector machines by dual coordinate descent, for all classes in one pass over the rows.

Half-space k solves, with C_i = weight of row i / (2 lam · sum of the weights) and y_i = ±1,

    minimise over w, b    1/2 ‖w‖² + sum_i C_i loss(1 - y_i (w·x_i + b)),      loss(z) = max(0, z) or max(0, z)²

which is the objective lam ‖w‖² + mean loss divided by 2 lam. Its dual is

    maximise over a       sum_i a_i - 1/2 ‖sum_i a_i y_i x_i‖² - 1/2 sum_i D_i a_i²
    subject to            0 <= a_i <= U_i,    and, if b is free,    sum_i a_i y_i = 0

with U_i = C_i, D_i = 0 for the hinge and U_i = infinity, D_i = 1/(2 C_i) for its square. One coordinate at a time has
a closed form (Algorithm 3 of Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008), w = sum_i a_i y_i x_i is kept
up to date, and coordinates that are stuck at a bound are left out of the following passes: for a few while all is still
in motion, later until the next proof.

A free b couples all coordinates. Here b = centre + pull · sum_i a_i y_i, the b of a problem with the further term
(b - centre)²/(2 pull), and after every pass the centre moves on to b: the method of multipliers, which ends where the
sum is 0. It costs one addition per step. A regularized b, 1/2 b² in the objective, is held in the same way: as one more
weight, of a feature that is always 1, it would make every step short. See docs/decisions/013.

Whether it is the end is not left to heuristics. A check mends a so that it satisfies every constraint, computes w from
it in float64, takes the best b for that w, and compares the two objectives: their difference, the duality gap, bounds
how far the objective is above the least possible.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.gradient.intercept import best_intercepts, dot
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.svm.box_newton import climb
from rosenblatt.engine.svm.loops import (
    ALPHA_SUM,
    BIAS_SUM,
    CEILING,
    CENTRE,
    ESTIMATE,
    FLOOR,
    HIGHEST,
    LOWEST,
    MISTAKES,
    NOTES,
    SLOPES,
    SQUARE,
    STEPS,
    TIRED,
    make_all_scores,
    make_judge,
    make_next_order,
    make_pass,
    make_weights,
)

PULL = 0.1  # beside the mean of ‖x‖²
SETTLED = 0.5  # of the objective: above it, a pass tells too little of where the centre should go
MOST_TOGETHER = 1000  # coordinates that are moved together
CHEAP_POLISH = 2e7  # multiplications; a dearer polish must not exceed those of the passes before it
NEAR = 0.01  # of the objective
SHRINKING = 0.25  # of the largest slope of the last pass: a coordinate at its bound that slopes more is set aside
TIRING = 0.25  # of the typical slope of the last pass: a coordinate at its bound that slopes more rests for a while;
AWAKE = 0.1  # near the end, where an estimated gap is at most this part of the objective, none rests
FEW_ROWS = 64


class Machine:
    """K support vector machines over the same rows: what is wanted, and what is known so far.

    `costs` is C_i for every row. `intercept` is "free", "regularized" or "none". A machine `like` another over the same
    rows shares what is known of them.
    """

    def __init__(
        self,
        rows: tuple[Array, ...],
        layout: str,
        n_features: int,
        dtype: Any,
        codes: Array,
        positive: Array,
        costs: Array,
        *,
        squared: bool = False,
        intercept: str = "free",
        n_jobs: int = 1,
        alpha: Array | None = None,
        bias: Array | None = None,
        like: Machine | None = None,
    ) -> None:
        n, self.count = len(codes), len(positive)
        self.rows, self.layout, self.codes, self.positive = rows, layout, codes, positive
        self.costs, self.squared, self.intercept = costs, squared, intercept
        self.kept = costs > 0.0
        self.kept_rows = np.flatnonzero(self.kept).astype(np.int64)
        self.limits = np.where(self.kept, np.inf, 0.0) if squared else costs
        self.diagonal = np.divide(0.5, costs, out=np.zeros(n), where=self.kept) if squared else np.zeros(n)
        self.squares: Array = np.full(n, -1.0) if like is None else like.squares
        self.active = np.repeat(self.kept[:, None], self.count, axis=1).astype(np.uint8)
        # Between its bounds, or what is proven with it would not hold: those of another lam or weight may be beyond.
        self.alpha = np.zeros((n, self.count)) if alpha is None else np.clip(alpha, 0.0, self.limits[:, None])
        self.state = HalfSpaces(self.count, n_features, dtype, layout, averages=False)
        self.notes = np.zeros((self.count, NOTES))
        self.notes[:, CEILING], self.notes[:, FLOOR], self.notes[:, TIRED] = np.inf, -np.inf, TIRING
        self.pull: float
        self.share: float
        self.pull, self.share = self._hold_on_the_intercept() if like is None else (like.pull, like.share)
        self.done = np.zeros(self.count, bool)
        self.work, self.polished = 0.0, 0.0  # multiplications so far, in passes and in polishing
        self.per_row = float(n_features) if layout == "rows" else len(rows[0]) / max(1, n)
        self.coef = np.zeros((self.count, n_features))
        self.bias = np.zeros(self.count) if bias is None else bias.astype(np.float64)
        self.notes[:, CENTRE] = self.share * self.bias
        self.primal, self.dual = np.full(self.count, np.inf), np.zeros(self.count)
        self.key = f"{compiled.engine_digest()} {layout}"
        unit = LAYOUTS[layout].unit(rows)
        threads = max(1, min(n_jobs, -(-self.count // unit)))
        together = unit * -(-self.count // (unit * threads))
        self.parts = [(k, min(k + together, self.count)) for k in range(0, self.count, together)]
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        if alpha is not None and alpha.any():
            self._take_weights()

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def _hold_on_the_intercept(self) -> tuple[float, float]:
        """(pull, what share of b the next centre is): b = centre + pull · sum_i a_i y_i, next centre = share · b.

        The best b of b²/2 + (b - c)²/(2 p) - b S is c/(1 + p) + p/(1 + p) S; without b²/2 it is c + p S.
        """
        if self.intercept == "none":
            return 0.0, 0.0
        square = self.typical_square()
        pull = PULL * square if 0.0 < square < np.inf else 1.0
        return (pull, 1.0) if self.intercept == "free" else (pull / (1.0 + pull), 1.0 / (1.0 + pull))

    def typical_square(self) -> float:
        """The mean of ‖x‖² over the rows visited; before the first pass, over a few."""
        known = self.squares[self.squares >= 0.0]
        if len(known):
            return float(np.mean(known))
        some = np.flatnonzero(self.kept)
        some = some[:: max(1, len(some) // FEW_ROWS)]
        if self.layout == "rows":
            rows = self.rows[0][some].astype(np.float64)
            return float(np.mean(np.einsum("ij,ij->i", rows, rows)))
        data, _, starts = self.rows
        return float(np.mean([np.sum(data[starts[i] : starts[i + 1]].astype(np.float64) ** 2) for i in some]))

    # ------------------------------------------------------------------ passes

    def next_order(self) -> Array:
        """The rows that the next pass visits, as they came."""
        order = np.empty_like(self.kept_rows)
        return order[: make_next_order(self.key)(self.kept_rows, self.active, order)]

    def descend(self, order: Array) -> bool:
        """One pass over the rows in `order`; False when a number was not finite."""
        notes = self.notes
        self.work += self.per_row * self.count * len(order)
        if self.intercept != "none":
            settled = notes[:, ESTIMATE] <= SETTLED * np.abs(notes[:, ALPHA_SUM])
            moved = self.share * (notes[:, CENTRE] + self.pull * notes[:, BIAS_SUM])
            notes[:, CENTRE] = np.where(settled, moved, notes[:, CENTRE])
        notes[:, HIGHEST], notes[:, LOWEST] = -np.inf, np.inf
        notes[:, [ESTIMATE, STEPS, MISTAKES, SLOPES]] = 0.0
        run = make_pass(self.key, self.layout)

        def part(bounds: tuple[int, int]) -> bool:
            finite: bool = run(
                self.rows, order, self.codes, self.positive, self.limits, self.diagonal, self.squares,
                self.alpha, self.active, self.state.vectors, self.state.ledger, notes, self.pull, *bounds,
            )  # fmt: skip
            return finite

        finite = all(map(part, self.parts) if self.pool is None else self.pool.map(part, self.parts))
        highest, lowest = notes[:, HIGHEST], notes[:, LOWEST]
        notes[:, CEILING] = np.where(highest > 0.0, SHRINKING * highest, np.inf)
        notes[:, FLOOR] = np.where(lowest < 0.0, SHRINKING * lowest, -np.inf)
        typical = np.sqrt(notes[:, SLOPES] / np.maximum(1.0, notes[:, STEPS]))
        notes[:, TIRED] = np.where(self.estimates() > AWAKE, TIRING * typical, np.inf)
        return finite

    def norm(self) -> float:
        """The length of all weights and biases together, as far as the passes have kept count of it."""
        bias = self.notes[:, CENTRE] + self.pull * self.notes[:, BIAS_SUM]
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sqrt(np.maximum(self.notes[:, SQUARE], 0.0).sum() + np.dot(bias, bias)))

    def estimates(self) -> Array:
        """Roughly, the duality gap relative to the objective, from what the last pass saw."""
        values = self.notes[:, ALPHA_SUM] - 0.5 * self.notes[:, SQUARE]
        if self.squared:
            values -= 0.5 * np.einsum("i,ik,ik->k", self.diagonal, self.alpha, self.alpha)
        with np.errstate(over="ignore"):
            return np.where(
                self.notes[:, ESTIMATE] > 0.0, self.notes[:, ESTIMATE] / np.maximum(values, np.finfo(float).tiny), 0.0
            )

    # ------------------------------------------------------------------ proof

    def _signs(self) -> Array:
        return np.where(self.codes[:, None] == self.positive[None, :], 1.0, -1.0)

    def _mend(self, y: Array) -> None:
        """Make sum_i a_i y_i = 0 by lowering a on the heavier side: first where it is between its bounds."""
        for k in range(self.count):
            alpha, side = self.alpha[:, k], y[:, k]
            surplus = dot(alpha, side)
            mine = side > 0 if surplus > 0 else side < 0
            surplus = abs(surplus)
            if surplus == 0.0:
                continue
            between = mine & (alpha > 0.0) & (alpha < self.limits)
            if alpha[between].sum() < 2.0 * surplus:
                between = mine
            total = float(alpha[between].sum())
            alpha[between] *= max(0.0, 1.0 - surplus / total)

    def _exact_weights(self) -> HalfSpaces:
        exact = HalfSpaces(self.count, self.state.n_features, np.float64, self.layout, averages=False)
        build = make_weights(self.key, self.layout)
        build(self.rows, self.codes, self.positive, self.alpha, exact.vectors, exact.ledger, self.notes)
        return exact

    def _take_weights(self) -> HalfSpaces:
        """Have the weights that a stands for, without the rounding that has gathered in the running ones."""
        exact = self._exact_weights()
        coef = exact.last()[0]
        self.state._write(self.state.vectors, coef)
        self.notes[:, SQUARE] = np.einsum("kj,kj->k", coef, coef)
        return exact

    def polish(self) -> bool:
        """Move the coordinates between their bounds together, by Newton's method, as far as the bounds allow.

        Single coordinates are slow where rows are nearly parallel and few rows decide: there, a small system of
        equations is worth thousands of passes. The dual objective never falls.
        """
        chosen = [k for k in np.flatnonzero(~self.done).tolist() if self._worth_polishing(k)]
        if not chosen:
            return False
        y = self._signs()
        if self.intercept == "free":
            self._mend(y)
        coef = self._exact_weights().last()[0]
        for k in chosen:
            alpha = self.alpha[:, k]
            between = np.flatnonzero((alpha > 0.0) & (alpha < self.limits))
            rows = self._some_rows(between)
            signed = rows * y[between, k, None]
            hessian = signed @ signed.T + np.diag(self.diagonal[between])
            bias = 0.0
            if self.intercept == "regularized":
                hessian += np.outer(y[between, k], y[between, k])
                bias = float(alpha @ y[:, k])
            slope = 1.0 - signed @ coef[k] - y[between, k] * bias - self.diagonal[between] * alpha[between]
            constraint = y[between, k] if self.intercept == "free" else None
            if len(between):
                alpha[between] = climb(alpha[between], self.limits[between], hessian, slope, constraint)
        return True

    def _worth_polishing(self, k: int) -> bool:
        """Whether a polish of half-space k costs little beside the passes so far."""
        count = int(((self.alpha[:, k] > 0.0) & (self.alpha[:, k] < self.limits)).sum())
        price = count**2 * (self.state.n_features + 10.0 * count)
        self.polished += price
        return 0 < count <= MOST_TOGETHER and price <= max(CHEAP_POLISH, self.work / self.count)

    def _some_rows(self, chosen: Array) -> Array:
        if self.layout == "rows":
            return self.rows[0][chosen].astype(np.float64)
        data, indices, starts = self.rows
        result = np.zeros((len(chosen), self.state.n_features))
        for place, i in enumerate(chosen):
            part = slice(int(starts[i]), int(starts[i + 1]))
            np.add.at(result[place], indices[part], data[part].astype(np.float64))
        return result

    def prove(self, tol: float) -> None:
        """The two objectives, for the weights as they will be handed out. Sets coef, bias, primal, dual, done."""
        y = self._signs()
        if self.intercept == "free":
            centre = self.notes[:, CENTRE] + self.pull * self.notes[:, BIAS_SUM]
            self._mend(y)
        exact = self._take_weights()
        dual_norm = np.einsum("kj,kj->k", *[exact.last()[0]] * 2)
        coef = exact.last()[0].astype(self.state.dtype).astype(np.float64)  # as it is handed out
        exact._write(exact.vectors, coef)
        scores = np.empty((len(self.codes), self.count))
        run = make_all_scores(self.key, self.layout)

        def part(bounds: tuple[int, int]) -> None:
            ledger = exact.ledger.copy()
            run(self.rows, exact.vectors, ledger, *bounds, self.count, scores)

        middle = len(self.codes) // 2
        halves = ((0, middle), (middle, len(self.codes)))
        list(map(part, halves) if self.pool is None else self.pool.map(part, halves))
        bias = np.zeros(self.count)
        if self.intercept != "none":
            ridge = 1.0 if self.intercept == "regularized" else 0.0
            bias = best_intercepts(scores, y, self.costs, self.squared, ridge)
        if self.intercept == "free":
            self.notes[:, CENTRE] = centre  # the sum is 0 now: go on from the same b
        self.coef, self.bias = coef, bias.astype(self.state.dtype).astype(np.float64)
        losses, bent = np.zeros(self.count), np.zeros(self.count)
        make_judge(self.key)(
            scores, self.bias, self.codes, self.positive, self.costs, self.limits, self.diagonal, self.alpha,
            self.active, self.squared, losses, bent,
        )  # fmt: skip
        penalty, dual_penalty = np.einsum("kj,kj->k", coef, coef), dual_norm
        if self.intercept == "regularized":
            penalty = penalty + self.bias**2
            dual_penalty = dual_penalty + self.notes[:, BIAS_SUM] ** 2
        self.primal = 0.5 * penalty + losses
        self.dual = self.notes[:, ALPHA_SUM] - 0.5 * dual_penalty - 0.5 * bent
        self.done = self.primal - self.dual <= tol * self.primal
        near = self.gap <= NEAR * self.primal  # then the best b for these weights is the better centre
        self.notes[:, CENTRE] = np.where(near, self.share * self.bias, self.notes[:, CENTRE])
        # Rows that were set aside and should not have been come back; a half-space that is done rests.
        self.active[:, self.done] = 0
        self.notes[:, CEILING], self.notes[:, FLOOR] = np.inf, -np.inf

    @property
    def gap(self) -> Array:
        """By how much the objective of each half-space may be above the least possible."""
        return np.maximum(0.0, self.primal - self.dual)
