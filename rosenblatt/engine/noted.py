"""Sparse rows for one half-space whose lessons are noted down, so that no sums for the averages are kept.

Everything is as in `sparse`, but for what a lesson does: see `noted_state`, where the notes are.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.engine import sparse, touched
from rosenblatt.engine.compiled import part
from rosenblatt.engine.sparse_blocks import ONE, U, raise_bounds
from rosenblatt.engine.state import CHANGE, LAGGED
from rosenblatt.engine.vector import fused

LAYOUT = "noted"
FEATURES = 16  # in one number of the touches, a bit each
SHIFT, LAST = U(4), U(FEATURES - 1)

unit, ahead, fetch, size, squared_norm = sparse.unit, sparse.ahead, sparse.fetch, sparse.size, sparse.squared_norm
scores, scores_and_fetch, approach, hold = sparse.scores, sparse.scores_and_fetch, sparse.approach, sparse.hold
reads_ahead, move, fold = sparse.reads_ahead, sparse.move, touched.fold


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v += CHANGE · x_i, and a note of LAGGED.

    False, with nothing changed, if a bound cannot rule out that a number would not be finite.
    """
    noted, noted_rows, noted_lagged, touches = lag
    if not raise_bounds(ledger, 0, 1, size(rows, i, vectors)):
        return False
    n = U(noted[0])
    noted_rows[n], noted_lagged[n] = i, ledger[0, LAGGED]
    noted[0] += 1
    change = vectors.dtype.type(ledger[0, CHANGE])
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        j = U(rows[1][p])
        touches[j >> SHIFT] |= touches.dtype.type(ONE << (j & LAST))
        vectors[0, j, 0] = fused(vectors[0, j, 0], change, vectors.dtype.type(rows[0][p]))
    ledger[0, CHANGE] = 0.0
    ledger[0, LAGGED] = 0.0
    return True
