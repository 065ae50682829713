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

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.linalg

from rosenblatt.engine import compiled
from rosenblatt.engine.intercept import best_intercepts, dot
from rosenblatt.engine.loop import AHEAD, LAYOUTS
from rosenblatt.engine.order import Shuffler
from rosenblatt.engine.state import CHANGE, SCORE, Array, HalfSpaces

PULL = 0.1  # beside the mean of ‖x‖²
SETTLED = 0.5  # of the objective: above it, a pass tells too little of where the centre should go
FIRST_POLISH = 48  # passes
POLISH_AGAIN = 12  # passes later, while that is cheap; else when there have been half as many more
POLISH_BUDGET = 1e9  # multiplications
MOST_TOGETHER = 1000  # coordinates that are moved together
MOST_CLIMBS = 50
CHEAP_POLISH = 2e7  # multiplications; a dearer polish must not exceed those of the passes before it
NEAR = 0.01  # of the objective
SOONER = 0.8  # after a proof that failed, the next is tried at this part of the estimate
TOGETHER = 5  # passes that all half-spaces make together, before each goes on with the rows of its own
MOST_WEIGHTS = 2**26  # of all half-spaces together
SHRINKING = 0.25  # of the largest slope of the last pass: a coordinate at its bound that slopes more is set aside
TIRING = 0.25  # of the typical slope of the last pass: a coordinate at its bound that slopes more rests for a pass,
LONGEST_REST = 3  # or for as many as it slopes times more, up to these;
AWAKE = 0.1  # near the end, where an estimated gap is at most this part of the objective, none rests
FEW_ROWS = 64
HOPELESS = 1e-12  # a projected gradient that is as good as zero

# What a coordinate does: it waits for the next proof, takes part, or rests for as many passes as there are above 1.
ASIDE, ACTIVE = 0, 1

# What a pass notes down per half-space.
(
    HIGHEST, LOWEST, ESTIMATE, BIAS_SUM, CENTRE, CEILING, FLOOR, STEPS, MISTAKES, ALPHA_SUM, SQUARE, SLOPES, TIRED,
) = range(13)  # fmt: skip
NOTES = 16


@functools.cache
def _pass(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, squared_norm, move, fetch, approach = (
        layout.scores, layout.squared_norm, layout.move, layout.fetch, layout.approach,
    )  # fmt: skip

    def descend(
        rows: Any, order: Any, codes: Any, positive: Any, upper: Any, diagonal: Any, squares: Any,
        alpha: Any, active: Any, vectors: Any, ledger: Any, notes: Any, pull: Any, first: Any, last: Any,
    ) -> bool:  # fmt: skip
        """Visit the rows in `order`, where active; False once a number was not finite."""
        key  # noqa: B018  part of the key under which the machine code is kept
        n = order.shape[0]
        for r in range(n):
            i = np.int64(order[r])
            if r + AHEAD < n:
                fetch(rows, np.int64(order[r + AHEAD]))
            if r + 1 < n:
                approach(rows, np.int64(order[r + 1]), vectors, first, last)
            wanted = 0
            for k in range(first, last):
                wanted += active[i, k] == ACTIVE
            if wanted == 0:
                continue
            if squares[i] < 0.0:
                squares[i] = squared_norm(rows, i, ledger)
                if not np.isfinite(squares[i]):
                    return False
            if wanted * 2 > last - first or vectors.ndim == 3:
                scores(rows, i, vectors, first, last, ledger)
            else:
                for k in range(first, last):
                    if active[i, k] == ACTIVE:
                        scores(rows, i, vectors, k, k + 1, ledger)
            moved = False
            for k in range(first, last):
                if active[i, k] != ACTIVE:
                    continue
                y = 1.0 if codes[i] == positive[k] else -1.0
                b = notes[k, CENTRE] + pull * notes[k, BIAS_SUM]
                margin = y * (ledger[k, SCORE] + b)
                if not np.isfinite(margin):
                    return False
                before, limit = alpha[i, k], upper[i]
                g = margin - 1.0 + diagonal[i] * before
                if margin <= 0.0:
                    notes[k, MISTAKES] += 1.0
                if (before == 0.0 and g > notes[k, CEILING]) or (before == limit and g < notes[k, FLOOR]):
                    active[i, k] = ASIDE
                    continue
                projected = g
                if (before == 0.0 and g > 0.0) or (before == limit and g < 0.0):
                    projected = 0.0
                    if abs(g) > notes[k, TIRED]:
                        active[i, k] = ACTIVE + min(LONGEST_REST, int(min(abs(g) / notes[k, TIRED], 9.0)))
                notes[k, HIGHEST] = max(notes[k, HIGHEST], projected)
                notes[k, LOWEST] = min(notes[k, LOWEST], projected)
                if abs(projected) > HOPELESS:
                    notes[k, SLOPES] += projected * projected
                    # What this row contributes to the duality gap at this moment.
                    if limit < np.inf:
                        notes[k, ESTIMATE] += limit * max(0.0, -g) + before * g
                    else:
                        notes[k, ESTIMATE] += projected * projected / (2.0 * diagonal[i])
                    curvature = squares[i] + pull + diagonal[i]
                    after = limit if g < 0.0 else 0.0
                    if curvature > 0.0:
                        after = min(max(before - g / curvature, 0.0), limit)
                    if not np.isfinite(after):
                        return False
                    alpha[i, k] = after
                    change = (after - before) * y
                    notes[k, BIAS_SUM] += change
                    notes[k, ALPHA_SUM] += after - before
                    notes[k, SQUARE] += change * (2.0 * ledger[k, SCORE] + change * squares[i])  # ‖w‖²
                    notes[k, STEPS] += 1.0
                    ledger[k, CHANGE] = change
                    moved = True
            if moved:
                move(rows, i, vectors, first, last, ledger)
        return True

    return compiled.jit(descend)


@functools.cache
def _next_order(key: str) -> Any:
    def next_order(kept: Any, active: Any, order: Any) -> int:
        """The rows that are active for any half-space, and how many; those that rest have a pass less to rest."""
        key  # noqa: B018
        found = 0
        for r in range(kept.shape[0]):
            i = kept[r]
            wanted = False
            for k in range(active.shape[1]):
                wanted |= active[i, k] == ACTIVE
                active[i, k] -= active[i, k] > ACTIVE
            order[found] = i
            found += wanted
        return found

    return compiled.jit(next_order)


@functools.cache
def _weights(key: str, layout_name: str) -> Any:
    move = LAYOUTS[layout_name].move

    def weights(rows: Any, codes: Any, positive: Any, alpha: Any, vectors: Any, ledger: Any, notes: Any) -> None:
        """v_k += sum_i a_ik y_ik x_i, and the sums of a_ik y_ik and of a_ik."""
        key  # noqa: B018
        count = notes.shape[0]
        notes[:, BIAS_SUM] = 0.0
        notes[:, ALPHA_SUM] = 0.0
        for i in range(alpha.shape[0]):
            wanted = False
            for k in range(count):
                if alpha[i, k] != 0.0:
                    ledger[k, CHANGE] = alpha[i, k] if codes[i] == positive[k] else -alpha[i, k]
                    notes[k, BIAS_SUM] += ledger[k, CHANGE]
                    notes[k, ALPHA_SUM] += alpha[i, k]
                    wanted = True
            if wanted:
                move(rows, i, vectors, 0, count, ledger)

    return compiled.jit(weights)


@functools.cache
def _all_scores(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, approach = layout.scores, layout.approach

    def all_scores(rows: Any, vectors: Any, ledger: Any, start: Any, stop: Any, count: Any, out: Any) -> None:
        key  # noqa: B018
        for i in range(start, stop):
            if i + 1 < stop:
                approach(rows, i + 1, vectors, 0, count)
            scores(rows, i, vectors, 0, count, ledger)
            for k in range(count):
                out[i, k] = ledger[k, SCORE]

    return compiled.jit(all_scores)


@functools.cache
def _judge(key: str) -> Any:
    def judge(
        scores: Any, bias: Any, codes: Any, positive: Any, costs: Any, limits: Any, diagonal: Any, alpha: Any,
        active: Any, squared: Any, losses: Any, bent: Any,
    ) -> None:  # fmt: skip
        """Sum up the losses and the squares of a; `active` tells which coordinates are not where they should stay."""
        key  # noqa: B018
        for i in range(scores.shape[0]):
            for k in range(scores.shape[1]):
                y = 1.0 if codes[i] == positive[k] else -1.0
                margin = y * (scores[i, k] + bias[k])
                short = max(0.0, 1.0 - margin)
                losses[k] += costs[i] * (short * short if squared else short)
                a = alpha[i, k]
                bent[k] += diagonal[i] * a * a
                g = margin - 1.0 + diagonal[i] * a
                active[i, k] = costs[i] > 0.0 and not ((a == 0.0 and g > 0.0) or (a == limits[i] and g < 0.0))

    return compiled.jit(judge)


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
        self.alpha = np.zeros((n, self.count)) if alpha is None else alpha
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
        unit = LAYOUTS[layout].unit(rows, 1)
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
        return order[: _next_order(self.key)(self.kept_rows, self.active, order)]

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
        run = _pass(self.key, self.layout)

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
        build = _weights(self.key, self.layout)
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
        run = _all_scores(self.key, self.layout)

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
        _judge(self.key)(
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


def start_together(
    make: Callable[..., Machine], positive: Array, passes: int, seed: int | None, asked: Callable[[], str]
) -> tuple[list[Machine], list[Array], int | None, str]:
    """(a machine for each half-space, [steps, mistakes] of all per pass, the next seed, a reason to stop).

    In the first passes nearly every row matters to every half-space, so they share the reading of it; later each
    needs few rows, and others than the rest.
    """
    machines = [make(positive[:1])]
    machines += [make(positive[k : k + 1], like=machines[0]) for k in range(1, len(positive))]
    if passes < 1 or machines[0].state.n_features * len(positive) > MOST_WEIGHTS:
        return machines, [], seed, ""
    told: list[Array] = []
    shared, reason = make(positive, like=machines[0]), ""
    try:
        while len(told) < passes and not reason:
            order = shared.next_order()
            if seed is not None:
                shuffler = Shuffler(order, seed)
                order, seed = shuffler(), int(shuffler.state)
            reason = "" if shared.descend(order) else "diverged"
            told.append(shared.notes[:, [STEPS, MISTAKES]].copy())
            reason = reason or asked()
    finally:
        shared.close()
    coef = shared.state.last()[0]
    for k, own in enumerate(machines):
        own.alpha[:], own.active[:], own.notes[0] = shared.alpha[:, [k]], shared.active[:, [k]], shared.notes[k]
        own.work = shared.work / len(machines)
        own.state._write(own.state.vectors, coef[k : k + 1])
    return machines, told, seed, reason


def solve_apart(
    make: Callable[..., Machine],
    positive: Array,
    *,
    tol: float,
    max_iter: int,
    seed: int | None,
    threads: int,
    asked: Callable[[], str],
) -> tuple[list[Machine], str, list[list[int]]]:
    """One half-space after another, or several at a time on threads: (machines, reason to stop, passes of all).

    Sparse rows are cheap to fetch, and each half-space soon needs only its own few: one pass for all would visit far
    more. `make` builds a machine for some of the half-spaces; `asked` may end the run with a reason. The passes are
    [steps, mistakes] per pass, added up over the half-spaces.
    """
    machines, first, seed, stop = start_together(make, positive, min(TOGETHER, max_iter - 1), seed, asked)
    passes = [{n: (int(told[k, 0]), int(told[k, 1])) for n, told in enumerate(first, 1)} for k in range(len(machines))]

    def run(k: int) -> str:
        if stop:
            machines[k].prove(tol)
            return stop
        notes = machines[k].notes

        def after_pass(told: dict[str, Any]) -> str:
            passes[k][told["epoch"]] = (int(notes[0, STEPS]), int(notes[0, MISTAKES]))
            return asked()

        return solve(machines[k], tol=tol, max_iter=max_iter, seed=seed, after_pass=after_pass, begun=len(first))

    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            reasons = list(pool.map(run, range(len(machines))))
    else:
        reasons = [run(k) for k in range(len(machines))]
    reason = next((reason for reason in reasons if reason != "converged"), "converged")
    longest = max((len(one) for one in passes), default=0)
    totals = [[sum(one[n][part] for one in passes if n in one) for part in (0, 1)] for n in range(1, longest + 1)]
    return machines, reason, totals


def climb(alpha: Array, limits: Array, hessian: Array, slope: Array, constraint: Array | None) -> Array:
    """Maximise slope·d - d'Hd/2 over d with 0 <= alpha + d <= limits, and constraint·d = 0 if there is one.

    Newton steps, each as long as it rises and no coordinate passes its bound; one that reaches it stays there.
    """
    alpha, slope, moving = alpha.copy(), slope.copy(), np.arange(len(alpha))
    for _ in range(max(MOST_CLIMBS, min(2 * len(alpha), 10 * MOST_CLIMBS))):
        part = hessian[np.ix_(moving, moving)]
        ridge = 1e-11 * float(np.trace(part)) + np.finfo(float).tiny
        sides = [slope[moving]] if constraint is None else [slope[moving], constraint[moving]]
        try:
            factor = scipy.linalg.cho_factor(part + ridge * np.eye(len(moving)))
            solved = [scipy.linalg.cho_solve(factor, side) for side in sides]
        except np.linalg.LinAlgError:
            break
        step = solved[0]
        if constraint is not None:
            step = step - solved[1] * (constraint[moving] @ step) / (constraint[moving] @ solved[1])
        rise, bend = float(slope[moving] @ step), float(step @ part @ step)
        if not (rise > 0.0 and np.isfinite(rise) and np.isfinite(bend)):
            break
        here, limit = alpha[moving], limits[moving]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0.0, -here / step, np.where(step > 0.0, (limit - here) / step, np.inf))
        length = min(rise / bend if bend > 0.0 else np.inf, float(room.min()))
        if not np.isfinite(length):
            break
        moved = np.clip(here + length * step, 0.0, limit)
        stuck = room <= length * (1.0 + 1e-12)
        moved[stuck] = np.where(step[stuck] < 0.0, 0.0, limit[stuck])
        slope -= hessian[:, moving] @ (moved - here)
        alpha[moving] = moved
        moving = moving[~stuck]
        if not stuck.any() or len(moving) == 0:
            break
    return alpha


def solve(
    machine: Machine,
    *,
    tol: float,
    max_iter: int,
    seed: int | None,
    after_pass: Callable[[dict[str, Any]], str] = lambda figures: "",
    begun: int = 0,
) -> str:
    """Passes until every gap is at most `tol` times its objective; the reason to stop.

    `after_pass` may end it by returning a reason; `begun` tells how many passes there were before.
    """
    order, trigger, reason = machine.next_order(), tol, "max_iter"
    state = np.uint64(0 if seed is None else seed)
    next_polish, proved = FIRST_POLISH, False
    for number in range(begun + 1, max_iter + 1):
        if seed is not None:
            shuffler = Shuffler(order, int(state))
            order, state = shuffler(), shuffler.state
        if not machine.descend(order):
            reason = "diverged"
            break
        estimate = float(np.max(np.where(machine.done, 0.0, machine.estimates())))
        proved = False
        polished = False
        if number == next_polish:
            polished = machine.polish()
            soon = machine.polished <= machine.work + POLISH_BUDGET
            next_polish = number + POLISH_AGAIN if soon else number * 3 // 2
        if estimate <= trigger or number == max_iter or polished:
            machine.prove(tol)
            proved = True
            if machine.done.all():
                reason = "converged"
            else:
                # What was set aside and should not have been is back, so that the next estimates see it.
                trigger = SOONER * min(estimate, trigger)
        order = machine.next_order()
        if len(order) == 0:
            trigger = np.inf
        told = after_pass({"epoch": number, "estimate": estimate, "proved": proved})
        if reason == "converged" or told:
            reason = "converged" if reason == "converged" else told
            break
    if reason not in ("converged", "diverged", "max_iter") and not proved:
        machine.prove(tol)
    return reason
