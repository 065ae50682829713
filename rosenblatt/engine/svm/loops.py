"""The compiled loops of `dual`, where the problem is stated: a pass over the rows, and the exact weights and scores."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import AHEAD
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.state import CHANGE, SCORE

LONGEST_PAUSE = 3  # passes: a coordinate is skipped for |gradient|/PAUSE of them, up to these
NEGLIGIBLE = 1e-12  # a projected gradient that is as good as zero

# Of a coordinate: inactive until the next proof, active, or skipped for as many passes as there are above 1.
INACTIVE, ACTIVE = 0, 1

# What a pass reads and writes besides the coordinates.
(
    HIGHEST, LOWEST, ESTIMATE, BIAS_SUM, CENTRE, CEILING, FLOOR, STEPS, MISTAKES, ALPHA_SUM, SQUARE, GRADIENTS, PAUSE,
) = range(13)  # fmt: skip
NOTES = 13


@functools.cache
def make_pass(layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, move, fetch, approach = layout.scores, layout.move, layout.fetch, layout.approach

    def descend(
        rows: Any, order: Any, signs: Any, upper: Any, diagonal: Any, squares: Any,
        alpha: Any, active: Any, vectors: Any, ledger: Any, notes: Any, pull: Any,
    ) -> bool:  # fmt: skip
        """Visit the rows in `order`; False once a number was not finite."""
        n = order.shape[0]
        for r in range(n):
            i = np.int64(order[r])
            if r + AHEAD < n:
                fetch(rows, np.int64(order[r + AHEAD]))
            if r + 1 < n:
                approach(rows, np.int64(order[r + 1]), vectors, 0, 1)
            scores(rows, i, vectors, 0, 1, ledger)
            y = np.float64(signs[i])
            margin = y * (ledger[0, SCORE] + notes[CENTRE] + pull * notes[BIAS_SUM])
            if not np.isfinite(margin):
                return False
            before, limit = alpha[i], upper[i]
            g = margin - 1.0 + diagonal[i] * before
            if margin <= 0.0:
                notes[MISTAKES] += 1.0
            if (before == 0.0 and g > notes[CEILING]) or (before == limit and g < notes[FLOOR]):
                active[i] = INACTIVE
                continue
            projected = g
            if (before == 0.0 and g > 0.0) or (before == limit and g < 0.0):
                projected = 0.0
                if abs(g) > notes[PAUSE]:
                    active[i] = ACTIVE + min(LONGEST_PAUSE, int(min(abs(g) / notes[PAUSE], 9.0)))
            notes[HIGHEST] = max(notes[HIGHEST], projected)
            notes[LOWEST] = min(notes[LOWEST], projected)
            if abs(projected) <= NEGLIGIBLE:
                continue
            notes[GRADIENTS] += projected * projected
            # What this row contributes to the duality gap at this moment.
            if limit < np.inf:
                notes[ESTIMATE] += limit * max(0.0, -g) + before * g
            else:
                notes[ESTIMATE] += projected * projected / (2.0 * diagonal[i])
            curvature = squares[i] + pull + diagonal[i]
            after = limit if g < 0.0 else 0.0
            if curvature > 0.0:
                after = min(max(before - g / curvature, 0.0), limit)
            if not np.isfinite(after):
                return False
            alpha[i] = after
            change = (after - before) * y
            notes[BIAS_SUM] += change
            notes[ALPHA_SUM] += after - before
            notes[SQUARE] += change * (2.0 * ledger[0, SCORE] + change * squares[i])  # ‖w‖²
            notes[STEPS] += 1.0
            ledger[0, CHANGE] = change
            move(rows, i, vectors, 0, 1, ledger)
        return True

    return compiled.jit(descend)


@functools.cache
def make_squares(layout_name: str) -> Any:
    squared_norm = LAYOUTS[layout_name].squared_norm

    def squares(rows: Any, ledger: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            out[i] = squared_norm(rows, i, ledger)

    return compiled.jit(squares)


@functools.cache
def make_weights(layout_name: str) -> Any:
    move = LAYOUTS[layout_name].move

    def weights(rows: Any, changes: Any, vectors: Any, ledger: Any) -> None:
        """v += sum_i changes_i x_i."""
        for i in range(changes.shape[0]):
            if changes[i] != 0.0:
                ledger[0, CHANGE] = changes[i]
                move(rows, i, vectors, 0, 1, ledger)

    return compiled.jit(weights)


@functools.cache
def make_scores(layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, approach = layout.scores, layout.approach

    def all_scores(rows: Any, vectors: Any, ledger: Any, out: Any) -> None:
        for i in range(out.shape[0]):
            if i + 1 < out.shape[0]:
                approach(rows, i + 1, vectors, 0, 1)
            scores(rows, i, vectors, 0, 1, ledger)
            out[i] = ledger[0, SCORE]

    return compiled.jit(all_scores)
