"""Sparse rows for half-spaces whose lessons are noted down, so that no sums for the averages are kept.

Everything is as in `sparse`, for half-spaces that are no more than one block, but for what a lesson does: see
`noted_state`, where the notes are.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.engine import touched
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.layouts import csr as sparse
from rosenblatt.engine.layouts.csr_blocks import ONE, U, raise_bounds
from rosenblatt.engine.online.state import CHANGE, LAGGED

LAYOUT = "noted"
GROUP = 16  # weights that have a bit each in one number of the touches
SHIFT, LAST = U(4), U(GROUP - 1)

unit, ahead, fetch, size, squared_norm = sparse.unit, sparse.ahead, sparse.fetch, sparse.size, sparse.squared_norm
scores, scores_and_fetch, approach, hold = sparse.scores, sparse.scores_and_fetch, sparse.approach, sparse.hold
reads_ahead, move, fold = sparse.reads_ahead, sparse.move, touched.fold
score_alone = sparse.score_alone


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i, and a note of LAGGED_k; where CHANGE_k is zero, nothing changes.

    False, with nothing changed, if a bound cannot rule out that a number would not be finite.
    """
    noted, noted_rows, noted_lanes, noted_lagged, touches = lag
    if not raise_bounds(ledger, first, last, size(rows, i, vectors)):
        return False
    moved = U(0)
    for k in range(first, last):
        if ledger[k, CHANGE] != 0.0:
            moved |= ONE << U(k)
            n = U(noted[0])
            noted_rows[n], noted_lanes[n], noted_lagged[n] = i, k, ledger[k, LAGGED]
            noted[0] += 1
            ledger[k, LAGGED] = 0.0
    width = U(vectors.shape[0])
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        place = U(rows[1][p]) * width
        touches[place >> SHIFT] |= touches.dtype.type(moved << (place & LAST))
    move(rows, i, vectors, first, last, ledger)
    return True
