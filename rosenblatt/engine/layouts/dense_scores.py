"""Dot products of one dense row with up to five half-spaces from one reading of the row.

Each half-space keeps two running vectors, so that the order of additions does not depend on how many half-spaces share
the reading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch, prefetch_close
from rosenblatt.engine.compile.simd import accumulate, fused, load, per_vector, store_totals, zeros
from rosenblatt.engine.layouts.byte_rows import WORTH_A_LOOK, in_chunks, looks_at, multiply_occupied
from rosenblatt.engine.online.state import LEDGER_COLUMNS, SCORE, UNCHECKED

U = np.uint64
TWO, THREE, FOUR = U(2), U(3), U(4)


def _block(count: int) -> Callable[..., None]:
    """ledger[k, SCORE] = v_k·x for the `count` half-spaces from `first` on.

    Row `coming_row` is prefetched meanwhile, a cache line whenever a line is read: prefetched all at once, the lines
    would wait for each other. For a single half-space it is prefetched in four quarters, each from its end: a forward
    stream would make the hardware prefetcher go on beyond the end of the row. Row `near_row`, which was prefetched some
    visits ago, is brought into the L1 cache.
    """

    @part
    def scores_of_block(
        X: Any, row: Any, near_row: Any, coming_row: Any, vectors: Any, first: Any, ledger: Any
    ) -> None:  # fmt: skip
        d = U(vectors.shape[1])
        base, near, coming = row * d, near_row * d, coming_row * d
        lanes = per_vector(vectors)
        quarter = d // (FOUR * lanes) * lanes
        place = coming + quarter
        start = U(first) * d
        a, b = zeros(vectors, count), zeros(vectors, count)
        j = U(0)
        if count >= WORTH_A_LOOK and in_chunks(X, vectors):
            if looks_at(ledger, first):
                a, b, j = multiply_occupied(a, b, X, base, vectors, first, d, ledger)
            else:
                ledger[first, UNCHECKED] -= 1.0
        while count == 1 and j + FOUR * lanes <= d:  # more to do in a turn; several half-spaces have enough
            if coming != base:
                place -= lanes
                prefetch(X, place)
                prefetch(X, place + quarter)
                prefetch(X, place + TWO * quarter)
                prefetch(X, place + THREE * quarter)
                prefetch_close(X, near + j)
                prefetch_close(X, near + j + lanes)
                prefetch_close(X, near + j + TWO * lanes)
                prefetch_close(X, near + j + THREE * lanes)
            a = accumulate(a, load(X, base + j, vectors), vectors, start + j, d)
            b = accumulate(b, load(X, base + j + lanes, vectors), vectors, start + j + lanes, d)
            a = accumulate(a, load(X, base + j + TWO * lanes, vectors), vectors, start + j + TWO * lanes, d)
            b = accumulate(b, load(X, base + j + THREE * lanes, vectors), vectors, start + j + THREE * lanes, d)
            j += FOUR * lanes
        while j + lanes + lanes <= d:
            if coming != base:
                prefetch(X, coming + j)
                prefetch(X, coming + j + lanes)
            a = accumulate(a, load(X, base + j, vectors), vectors, start + j, d)
            b = accumulate(b, load(X, base + j + lanes, vectors), vectors, start + j + lanes, d)
            j += lanes + lanes
        if coming != base:
            prefetch(X, coming + j)
            prefetch(X, coming + min(j + lanes, d - U(1)))
            prefetch(X, coming + d - U(1))
        if j + lanes <= d:
            a = accumulate(a, load(X, base + j, vectors), vectors, start + j, d)
            j += lanes
        store_totals(a, b, ledger, U(first) * U(LEDGER_COLUMNS) + U(SCORE), U(LEDGER_COLUMNS))
        for k in range(U(first), U(first) + U(count) if j < d else U(first)):
            s = vectors.dtype.type(ledger[k, SCORE])
            for tail in range(j, d):
                s = fused(s, vectors.dtype.type(X[row, tail]), vectors[k, tail])
            ledger[k, SCORE] = s

    return scores_of_block


block_1, block_2, block_3, block_4, block_5 = (_block(count) for count in range(1, 6))


@part
def scores_in_blocks(
    X: Any, row: Any, near: Any, coming: Any, vectors: Any, first: Any, last: Any, ledger: Any
) -> None:  # fmt: skip
    """ledger[k, SCORE] = v_k·x for first <= k < last, five half-spaces at a time."""
    k = first
    while last - k >= 5:
        block_5(X, row, near, coming, vectors, k, ledger)
        k += 5
    if last - k == 4:
        block_4(X, row, near, coming, vectors, k, ledger)
    elif last - k == 3:
        block_3(X, row, near, coming, vectors, k, ledger)
    elif last - k == 2:
        block_2(X, row, near, coming, vectors, k, ledger)
    elif last - k == 1:
        block_1(X, row, near, coming, vectors, k, ledger)
