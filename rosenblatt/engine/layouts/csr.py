"""Sparse rows: CSR with uint8, float32 or float64 values, read in the dtype they have.

`rows` is (data, indices, indptr), the indices seen as unsigned integers: signed ones carry a check for negative
positions that halves the speed. The half-spaces are in the "columns" layout, where the weights of one feature for a
block of 16, 8 or 4 half-spaces are side by side (`csr_blocks`). Four partial sums, over every fourth non-zero, hide the
latency of the additions; a single half-space adds in the same order as one among many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.gather import load_first, pick, pick_first
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.compile.simd import fused, lane, load, per_vector, zero_lanes
from rosenblatt.engine.layouts.csr_blocks import (
    FOUR,
    ONE,
    THREE,
    TWO,
    U,
    add_to_width,
    any_change,
    move_blocks,
    place_of,
    scores_of_blocks,
    width_of,
)
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
    weight_dtype,
)

LAYOUT = "columns"
AHEAD = 4  # how many visits in advance a row is prefetched
LINES_AHEAD = 16  # cache lines of a row's values, and of its indices, that are prefetched at most


def unit(rows: tuple[Array, ...]) -> int:
    """How many neighbouring half-spaces must be trained by the same thread: those of a block share cache lines."""
    return VECTOR_BYTES // weight_dtype(rows[0].dtype).itemsize


@part
def _score_of_one(rows: Any, start: Any, stop: Any, vectors: Any) -> Any:
    """v·x for a single half-space: four partial sums in four lanes, and the last terms added to the first.

    The last terms are always three, zeros where the row has fewer: a mispredicted branch costs more than three
    multiplications.
    """
    data, indices = rows[0], rows[1]
    s = zero_lanes(vectors, 4)
    p = start
    while p + FOUR <= stop:
        s = fused(s, load(data, p, s), pick(vectors, indices, p, s))
        p += FOUR
    x, w = load_first(data, p, stop - p, s), pick_first(vectors, indices, p, stop - p, s)
    a = fused(lane(s, 0), lane(x, 0), lane(w, 0))
    a = fused(a, lane(x, 1), lane(w, 1))
    a = fused(a, lane(x, 2), lane(w, 2))
    return (a + lane(s, 1)) + (lane(s, 2) + lane(s, 3))


@part
def scores(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a block."""
    if vectors.shape[0] == 1:
        ledger[0, SCORE] = _score_of_one(rows, U(rows[2][i]), U(rows[2][i + 1]), vectors)
    else:
        scores_of_blocks(rows, i, vectors, first, last, ledger)


@part
def scores_and_fetch(
    rows: Any, i: Any, near: Any, coming: Any, vectors: Any, first: Any, last: Any, ledger: Any
) -> None:  # fmt: skip
    """`scores`, while row `coming` is prefetched."""
    if U(coming) != U(i) + ONE:  # in file order the hardware prefetches
        fetch(rows, coming)
    scores(rows, i, vectors, first, last, ledger)


@part
def _square(s: Any, rows: Any, p: Any) -> Any:
    """s plus the square of non-zero p."""
    x = np.float64(rows[0][p])
    return fused(s, x, x)


@part
def squared_norm(rows: Any, i: Any, wide: Any) -> float:
    """‖x_i‖² in float64."""
    p, stop = U(rows[2][i]), U(rows[2][i + 1])
    a = b = c = e = 0.0
    while p + FOUR <= stop:
        a = _square(a, rows, p)
        b = _square(b, rows, p + ONE)
        c = _square(c, rows, p + TWO)
        e = _square(e, rows, p + THREE)
        p += FOUR
    while p < stop:
        a = _square(a, rows, p)
        p += ONE
    return (a + b) + (c + e)


@part
def _larger(most: Any, rows: Any, p: Any) -> Any:
    """The larger of `most` and |non-zero p|."""
    return max(most, abs(np.float64(rows[0][p])))


@part
def row_max(rows: Any, i: Any, vectors: Any) -> float:
    """The largest |x_ij|, or 1 if that is larger: so that bounds with it are bounds on the steps themselves too."""
    p, stop = U(rows[2][i]), U(rows[2][i + 1])
    a = b = c = e = 1.0
    while p + FOUR <= stop:  # four at a time: each comparison waits for the one before it
        a = _larger(a, rows, p)
        b = _larger(b, rows, p + ONE)
        c = _larger(c, rows, p + TWO)
        e = _larger(e, rows, p + THREE)
        p += FOUR
    while p < stop:
        a = _larger(a, rows, p)
        p += ONE
    return max(max(a, b), max(c, e))


@part
def _raise_bounds(ledger: Any, first: Any, last: Any, most: Any) -> bool:
    """Bound the numbers of half-spaces after their pending updates; whether all are certainly finite."""
    safe = True
    for k in range(first, last):
        ledger[k, BOUND] += abs(ledger[k, CHANGE]) * most
        ledger[k, LAG_BOUND] += abs(ledger[k, LAGGED]) * most
        safe &= ledger[k, BOUND] < SAFE and ledger[k, LAG_BOUND] < SAFE
    return safe


@part
def add_binary(rows: Any, i: Any, vectors: Any, lag: Any, ledger: Any) -> bool:
    """`add` for a single half-space."""
    data, indices, start, stop = rows[0], rows[1], U(rows[2][i]), U(rows[2][i + 1])
    change, lagged = vectors.dtype.type(ledger[0, CHANGE]), vectors.dtype.type(ledger[0, LAGGED])
    if not _raise_bounds(ledger, 0, 1, row_max(rows, i, vectors)):
        checked = nothing = vectors.dtype.type(0)
        for p in range(start, stop):
            j, x = U(indices[p]), vectors.dtype.type(data[p])
            checked = fused(checked, fused(vectors[0, j, 0], change, x), nothing)
            checked = fused(checked, fused(lag[0, j, 0], lagged, x), nothing)
        if checked != nothing:
            return False
    for p in range(start, stop):
        j, x = U(indices[p]), vectors.dtype.type(data[p])
        vectors[0, j, 0] = fused(vectors[0, j, 0], change, x)
        lag[0, j, 0] = fused(lag[0, j, 0], lagged, x)
    ledger[0, CHANGE] = 0.0
    ledger[0, LAGGED] = 0.0
    return True


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k·x_i and lag_k += LAGGED_k·x_i; where CHANGE_k is zero, nothing changes.

    False, with the block of half-spaces unchanged, if a number would not be finite. Cheap bounds on the numbers mostly
    show that all will be; only when they do not is every number checked.
    """
    if vectors.shape[0] == 1:
        return add_binary(rows, i, vectors, lag, ledger)
    most = row_max(rows, i, vectors)
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        end = min(block + lanes, U(last))
        if any_change(ledger, block, end):
            safe = _raise_bounds(ledger, block, end, most)
            if not add_to_width(rows, i, vectors, lag, block, ledger, safe):
                return False
            for k in range(block, end):
                ledger[k, CHANGE] = 0.0
                ledger[k, LAGGED] = 0.0
    return True


@part
def move(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """v_k += CHANGE_k · x_i, for half-spaces that keep no averages."""
    if vectors.shape[0] == 1:
        change = vectors.dtype.type(ledger[0, CHANGE])
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            j = U(rows[1][p])
            vectors[0, j, 0] = fused(vectors[0, j, 0], change, vectors.dtype.type(rows[0][p]))
        ledger[0, CHANGE] = 0.0
    else:
        move_blocks(rows, i, vectors, first, last, ledger)


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Multiply the scale into v, and what the reach stands for into lag, so that neither under- nor overflows."""
    scale, reach = ledger[k, SCALE], ledger[k, REACH]
    ledger[k, LAG_BOUND] += abs(reach) * ledger[k, BOUND]
    lanes = per_vector(vectors)
    block = U(k) // lanes * lanes
    width = width_of(vectors, block)
    flat, flat_lag = vectors.reshape(-1), lag.reshape(-1)
    for j in range(U(vectors.shape[1])):
        place = block * U(vectors.shape[1]) + j * width + U(k) - block
        flat_lag[place] -= reach * np.float64(flat[place])
        flat[place] = vectors.dtype.type(scale * np.float64(flat[place]))
    ledger[k, SCALE] = 1.0
    ledger[k, REACH] = 0.0


@part
def fetch(rows: Any, i: Any) -> None:
    """Prefetch row i: as many cache lines as most rows have. A loop of another length for every row costs more."""
    start = U(rows[2][i])
    typical = U(rows[0].shape[0]) // max(ONE, U(len(rows[2])) - ONE)
    long = typical + (typical >> ONE)
    for line in range(min(U(LINES_AHEAD), long // per_vector(rows[0]) + ONE)):
        prefetch(rows[0], start + line * per_vector(rows[0]))
    for line in range(min(U(LINES_AHEAD), long // per_vector(rows[1]) + ONE)):
        prefetch(rows[1], start + line * per_vector(rows[1]))


@part
def score_binary(rows: Any, i: Any, near: Any, coming: Any, vectors: Any, ledger: Any) -> Any:
    """v·x_i of a single half-space, while row `coming` is prefetched."""
    if coming != i + ONE:
        fetch(rows, coming)
    return _score_of_one(rows, U(rows[2][i]), U(rows[2][i + ONE]), vectors)


@part
def ahead(rows: Any) -> int:
    """How many visits in advance a row is prefetched."""
    return AHEAD


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Prefetch the weights that row i needs."""
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        width = width_of(vectors, block)
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            prefetch(vectors, place_of(rows, p, vectors, block, width))


@compiled.jit
def _repeats(indices: Any, indptr: Any, met: Any) -> bool:
    for i in range(len(indptr) - 1):
        for p in range(indptr[i], indptr[i + 1]):
            if met[indices[p]] == i + 1:
                return True
            met[indices[p]] = i + 1
    return False


def repeats_a_feature(rows: tuple[Array, ...], n_features: int) -> bool:
    """Whether any row names a feature twice."""
    return bool(_repeats(rows[1], rows[2], np.zeros(n_features, np.int64)))


@part
def hold(rows: Any, lag: Any, r: Any, first: Any, last: Any) -> None:
    """Nothing: `lag` is far larger than the L1 cache."""


@part
def approach_lanes(rows: Any, i: Any, vectors: Any) -> None:
    """As `approach`, for weights that lie as (d, lanes)."""
    width = U(vectors.shape[1])
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        for k in range(U(0), width, per_vector(vectors)):
            prefetch(vectors, U(rows[1][p]) * width + k)


def chain_count(kind: Any) -> int:
    """How many partial sums a dot product has."""
    return 4


@part
def spread(rows: Any, i: Any, width: Any, vectors: Any, places: Any, values: Any, starts: Any) -> None:
    """The numbers of row i partial sum by partial sum, and where their weights are among `width` lanes.

    The partial sums are in the order a, c, b, e of `scores`: the tree then adds (a + b) + (c + e).
    """
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    whole = start + ((stop - start) >> TWO << TWO)
    found = U(0)
    for chain in range(FOUR):
        starts[chain] = found
        first = start + ((chain & ONE) << ONE) + (chain >> ONE)
        for p in range(first, whole, FOUR):
            places[found] = U(rows[1][p]) * width
            values[found] = vectors.dtype.type(rows[0][p])
            found += ONE
        if chain == U(0):
            for p in range(whole, stop):
                places[found] = U(rows[1][p]) * width
                values[found] = vectors.dtype.type(rows[0][p])
                found += ONE
    starts[FOUR] = found
    starts[FOUR + ONE] = found
