"""Dense rows: a C-contiguous matrix of uint8, float32 or float64, read in the dtype it has.

`rows` is the one-tuple (X,). The half-spaces are in the "rows" layout. Five half-spaces at a time take their dot
products from one reading of the row (`dense_scores`); rows of bytes skip their zeros (`byte_rows`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch, prefetch_close
from rosenblatt.engine.compile.simd import BYTES, fused, largest, load, per_vector, repeat, store, top, total, zero
from rosenblatt.engine.layouts.byte_rows import add_occupied, bring_close, in_chunks, looks_at
from rosenblatt.engine.layouts.dense_scores import FOUR, THREE, TWO, U, block_1, scores_in_blocks
from rosenblatt.engine.online.state import (
    BOUND,
    CHANGE,
    LAG_BOUND,
    LAGGED,
    REACH,
    SAFE,
    SCALE,
    SCORE,
    VECTOR_BYTES,
    Array,
)

LAYOUT = "rows"
AHEAD = 5  # how many visits in advance a row is prefetched, at least: more for short rows,
BYTES_AHEAD = 4096  # which are read sooner than memory answers, until so much is on its way
MOST_AHEAD = 64  # visits
LINES_AHEAD = 64  # cache lines of a row that are prefetched at once: 4 KiB
LINES_HELD = 128  # cache lines of `lag` that are kept in the L1 cache: 8 KiB
LARGEST_BYTE = 255.0


def unit(rows: tuple[Array, ...]) -> int:
    """How many neighbouring half-spaces must be trained by the same thread."""
    return 1


@part
def scores(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last."""
    scores_in_blocks(rows[0], U(i), U(i), U(i), vectors, first, last, ledger)


@part
def _fetched(rows: Any, i: Any, near: Any, coming: Any, vectors: Any, several: Any) -> Any:
    """The row that is prefetched line by line while row i is read; row i itself for none. Rows of bytes at once."""
    X = rows[0]
    in_file_order = U(coming) == U(i) + U(1)
    if per_vector(X) != per_vector(vectors):
        if not in_file_order:  # else the hardware prefetches the few lines of a row of bytes,
            fetch(rows, coming)
            if in_chunks(X, vectors):
                bring_close(X, near)
    elif not in_file_order or several:  # and all lines for a single half-space
        return U(coming)
    return U(i)


@part
def scores_and_fetch(
    rows: Any, i: Any, near: Any, coming: Any, vectors: Any, first: Any, last: Any, ledger: Any
) -> None:  # fmt: skip
    """`scores`, while row `coming` is prefetched, and row `near` into the L1 cache."""
    fetched = _fetched(rows, i, near, coming, vectors, last - first > 1)
    scores_in_blocks(rows[0], U(i), U(near), fetched, vectors, first, last, ledger)


@part
def score_binary(rows: Any, i: Any, near: Any, coming: Any, vectors: Any, ledger: Any) -> Any:
    """As `scores_and_fetch`, for a single half-space: v·x_i."""
    block_1(rows[0], i, near, _fetched(rows, i, near, coming, vectors, False), vectors, 0, ledger)
    return ledger[0, SCORE]


@part
def squared_norm(rows: Any, i: Any, wide: Any) -> float:
    """‖x_i‖² in float64."""
    X = rows[0]
    d = U(X.shape[1])
    lanes = U(VECTOR_BYTES // 8)
    base = U(i) * d
    a = zero(wide)
    j = U(0)
    while j + lanes <= d:
        x = load(X, base + j, wide)
        a = fused(a, x, x)
        j += lanes
    s = total(a)
    for tail in range(j, d):
        x_tail = np.float64(X[U(i), tail])
        s = fused(s, x_tail, x_tail)
    return s


@part
def _stays_finite(X: Any, row: Any, values: Any, k: Any, change: Any) -> bool:
    """Whether values_k + change·x is finite throughout: a product with 0 is 0 for finite numbers alone."""
    d = U(values.shape[1])
    lanes = per_vector(values)
    nothing = values.dtype.type(0)
    changes, nothings = repeat(change, values), zero(values)
    checked = zero(values)
    j = U(0)
    while j + lanes <= d:
        moved = fused(load(values, k * d + j, values), load(X, row * d + j, values), changes)
        checked = fused(checked, moved, nothings)
        j += lanes
    s = total(checked)
    for tail in range(j, d):
        s = fused(s, fused(values[k, tail], values.dtype.type(X[row, tail]), change), nothing)
    return s == nothing


@part
def row_max(rows: Any, i: Any, vectors: Any) -> float:
    """At least the largest |x_ij|, and 1: so that bounds with it are bounds on the steps themselves too."""
    X = rows[0]
    row, d = U(i), U(X.shape[1])
    base = row * d
    lanes = per_vector(vectors)
    if per_vector(X) == U(BYTES):
        return LARGEST_BYTE
    a = zero(vectors)
    b, c, e = a, a, a
    j = U(0)
    while j + FOUR * lanes <= d:  # four at a time: each comparison waits for the one before it
        a = largest(a, load(X, base + j, vectors))
        b = largest(b, load(X, base + j + lanes, vectors))
        c = largest(c, load(X, base + j + TWO * lanes, vectors))
        e = largest(e, load(X, base + j + THREE * lanes, vectors))
        j += FOUR * lanes
    while j + lanes <= d:
        a = largest(a, load(X, base + j, vectors))
        j += lanes
    most = max(1.0, np.float64(top(largest(largest(a, b), largest(c, e)))))
    for tail in range(j, d):
        most = max(most, abs(np.float64(X[row, tail])))
    return most


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i and lag_k += LAGGED_k · x_i, where CHANGE_k is not zero.

    False, with the half-space unchanged, if a number would not be finite. Cheap bounds on the numbers mostly show that
    all will be; only when they do not is every number checked.
    """
    X = rows[0]
    row, d = U(i), U(vectors.shape[1])
    lanes = per_vector(vectors)
    most = row_max(rows, i, vectors)
    for k in range(U(first), U(last)):
        if ledger[k, CHANGE] != 0.0:
            ledger[k, BOUND] += abs(ledger[k, CHANGE]) * most
            ledger[k, LAG_BOUND] += abs(ledger[k, LAGGED]) * most
            safe = ledger[k, BOUND] < SAFE and ledger[k, LAG_BOUND] < SAFE
            change = vectors.dtype.type(ledger[k, CHANGE])
            lagged = vectors.dtype.type(ledger[k, LAGGED])
            if not safe and not (_stays_finite(X, row, vectors, k, change) and _stays_finite(X, row, lag, k, lagged)):
                return False
            changes, lagged_changes = repeat(change, vectors), repeat(lagged, vectors)
            j = U(0)
            if in_chunks(X, vectors) and looks_at(ledger, first):
                j = add_occupied(X, row * d, vectors, lag, k * d, d, changes, lagged_changes)
            while j + lanes <= d:
                x = load(X, row * d + j, vectors)
                place = k * d + j
                store(vectors, place, fused(load(vectors, place, vectors), x, changes))
                store(lag, place, fused(load(lag, place, lag), x, lagged_changes))
                j += lanes
            for tail in range(j, d):
                x_tail = vectors.dtype.type(X[row, tail])
                vectors[k, tail] = fused(vectors[k, tail], x_tail, change)
                lag[k, tail] = fused(lag[k, tail], x_tail, lagged)
            ledger[k, CHANGE] = 0.0
            ledger[k, LAGGED] = 0.0
    return True


@part
def add_binary(rows: Any, i: Any, vectors: Any, lag: Any, ledger: Any) -> bool:
    """`add` for a single half-space."""
    return add(rows, i, vectors, lag, 0, 1, ledger)


@part
def move(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """v_k += CHANGE_k · x_i where CHANGE_k is not zero, for half-spaces that keep no averages."""
    X = rows[0]
    row, d = U(i), U(vectors.shape[1])
    lanes = per_vector(vectors)
    for k in range(U(first), U(last)):
        if ledger[k, CHANGE] != 0.0:
            change = vectors.dtype.type(ledger[k, CHANGE])
            changes = repeat(change, vectors)
            j = U(0)
            while j + lanes <= d:
                place = k * d + j
                store(vectors, place, fused(load(vectors, place, vectors), load(X, row * d + j, vectors), changes))
                j += lanes
            for tail in range(j, d):
                vectors[k, tail] = fused(vectors[k, tail], vectors.dtype.type(X[row, tail]), change)
            ledger[k, CHANGE] = 0.0


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Multiply the scale into v, and what the reach stands for into lag, so that neither under- nor overflows."""
    scale, reach = ledger[k, SCALE], ledger[k, REACH]
    ledger[k, LAG_BOUND] += abs(reach) * ledger[k, BOUND]
    for j in range(U(vectors.shape[1])):
        lag[k, j] -= reach * np.float64(vectors[k, j])
        vectors[k, j] = vectors.dtype.type(scale * np.float64(vectors[k, j]))
    ledger[k, SCALE] = 1.0
    ledger[k, REACH] = 0.0


@part
def fetch(rows: Any, i: Any) -> None:
    """Prefetch row i."""
    X = rows[0]
    step = per_vector(X)
    base = U(i) * U(X.shape[1])
    for line in range(min(U(LINES_AHEAD), U(X.shape[1]) // step + U(1))):
        prefetch(X, base + U(line) * step)


@part
def ahead(rows: Any) -> int:
    """How many visits in advance a row is prefetched."""
    X = rows[0]
    return max(AHEAD, min(MOST_AHEAD, BYTES_AHEAD // max(1, X.shape[1] * X.itemsize)))


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Nothing: every row uses all weights, so they are in the cache."""


@part
def hold(rows: Any, lag: Any, r: Any, first: Any, last: Any) -> None:
    """Keep the `lag` of a single half-space in the L1 cache, a quarter at every visit.

    Only updates touch it, and the rows between two updates would evict it. Rows of bytes are too short for that.
    """
    d = U(lag.shape[1])
    lanes = per_vector(lag)
    if per_vector(rows[0]) == lanes and last - first == 1 and FOUR * lanes <= d <= U(LINES_HELD) * lanes:
        quarter = (d + THREE * lanes) // (FOUR * lanes) * lanes
        start = U(first) * d + (U(r) % FOUR) * quarter
        for line in range(U(0), quarter, lanes):
            prefetch_close(lag, start + U(line))


@part
def approach_lanes(rows: Any, i: Any, vectors: Any) -> None:
    """Nothing, as in `approach`."""


def chain_count(kind: Any) -> int:
    """How many partial sums a dot product has, besides the last few terms, which are added one by one."""
    return 2 * VECTOR_BYTES // kind.itemsize


@part
def spread(rows: Any, i: Any, width: Any, vectors: Any, places: Any, values: Any, starts: Any) -> None:
    """The non-zeros of row i partial sum by partial sum, and where their weights are among `width` lanes."""
    X = rows[0]
    row, d = U(i), U(X.shape[1])
    lanes = per_vector(vectors)
    whole = d // lanes * lanes
    chains = lanes + lanes
    found = U(0)
    for chain in range(chains):
        starts[chain] = found
        for j in range(chain, whole, chains):
            x = X[row, j]
            places[found] = j * width
            values[found] = vectors.dtype.type(x)
            found += U(x != 0)
    starts[chains] = found
    for j in range(whole, d):
        x = X[row, j]
        places[found] = j * width
        values[found] = vectors.dtype.type(x)
        found += U(x != 0)
    starts[chains + U(1)] = found
