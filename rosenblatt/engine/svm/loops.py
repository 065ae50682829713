"""The compiled loops of `coordinate`, where the problem is stated: a pass over the rows, and what a proof needs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import AHEAD
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.state import CHANGE, SCORE

LONGEST_REST = 3  # passes: a coordinate rests for as many as its slope is times TIRED, up to these
HOPELESS = 1e-12  # a projected gradient that is as good as zero

# What a coordinate does: it waits for the next proof, takes part, or rests for as many passes as there are above 1.
ASIDE, ACTIVE = 0, 1

# What a pass notes down per half-space.
(
    HIGHEST, LOWEST, ESTIMATE, BIAS_SUM, CENTRE, CEILING, FLOOR, STEPS, MISTAKES, ALPHA_SUM, SQUARE, SLOPES, TIRED,
) = range(13)  # fmt: skip
NOTES = 16


@functools.cache
def make_pass(key: str, layout_name: str) -> Any:
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
def make_next_order(key: str) -> Any:
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
def make_weights(key: str, layout_name: str) -> Any:
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
def make_all_scores(key: str, layout_name: str) -> Any:
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
def make_judge(key: str) -> Any:
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
