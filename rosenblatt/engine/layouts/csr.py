"""Sparse rows: CSR with uint8, float32 or float64 values, read in the dtype they have.

`rows` is (data, indices, indptr), the indices seen as unsigned integers: signed ones would carry a check for
negative positions that halves the speed. The half-spaces are in the "columns" layout, where the weights of
one feature for a block of 16, 8 or 4 half-spaces stand side by side. Four running sums, over every fourth non-zero,
hide the latency of the additions; a single half-space adds in the same order as one among many.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.gather import load_first, pick, pick_first
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.compile.simd import fused, gather, lane, load, per_vector, repeat, store, total, zero_lanes
from rosenblatt.engine.layouts.csr_blocks import (
    FOUR,
    ONE,
    STRIDE,
    THREE,
    TWO,
    U,
    any_change,
    make_move,
    make_scores,
    nothing,
    raise_bounds,
    width_of,
)
from rosenblatt.engine.online.state import (
    BOUND,
    CHANGE,
    LAG_BOUND,
    LAGGED,
    REACH,
    SCALE,
    SCORE,
    VECTOR_BYTES,
    Array,
    weight_dtype,
)

LAYOUT = "columns"
AHEAD = 4  # how many visits before its own a row is fetched
NUMBERS_AHEAD = 512  # how much of a coming row is fetched in advance
SURE_LINES = 10  # of its numbers and of its indices


def unit(rows: tuple[Array, ...], threads: int) -> int:
    """How many half-spaces share one reading of a row; threads are given whole units."""
    return (2 if threads == 1 else 1) * VECTOR_BYTES // weight_dtype(rows[0].dtype).itemsize


@part
def _place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """Where the weights that non-zero p meets stand, for the `width` half-spaces from number `block` on."""
    return block * U(vectors.shape[1]) + U(rows[1][p]) * width


@part
def _score_of_one(rows: Any, start: Any, stop: Any, vectors: Any) -> Any:
    """v·x for a single half-space: four running sums in four lanes, and the rest added to the first.

    The rest is always three numbers, zeros where the row has no more: where a row ends cannot be guessed, and a wrong
    guess costs more than three multiplications.
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


scores_of_blocks = make_scores(_place, nothing, _place)


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
    """`scores`, while row number `coming` is brought nearer. Row `near` is near enough."""
    if U(coming) != U(i) + ONE:  # in file order the machine does this by itself
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
def _larger(size: Any, rows: Any, p: Any) -> Any:
    """The larger of `size` and non-zero p, without its sign."""
    return max(size, abs(np.float64(rows[0][p])))


@part
def size(rows: Any, i: Any, vectors: Any) -> float:
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
def _add_to_one(rows: Any, start: Any, stop: Any, vectors: Any, lag: Any, ledger: Any, safe: Any) -> bool:
    """`add` for a single half-space."""
    data, indices = rows[0], rows[1]
    change, lagged = vectors.dtype.type(ledger[0, CHANGE]), vectors.dtype.type(ledger[0, LAGGED])
    if not safe:
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


def _add_to_block(lanes: int) -> Callable[..., bool]:
    """`add` for the block of `lanes` half-spaces that begins with number `block`."""
    width = U(lanes)

    @part
    def add_to_block(
        rows: Any, start: Any, stop: Any, vectors: Any, lag: Any, block: Any, ledger: Any, safe: Any
    ) -> bool:
        data = rows[0]
        nothings = zero_lanes(vectors, lanes)
        changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, nothings)
        lagged_changes = gather(ledger, block * STRIDE + U(LAGGED), STRIDE, nothings)
        if not safe:
            checked = nothings
            for p in range(start, stop):
                place = _place(rows, p, vectors, block, width, U(0))
                x = repeat(vectors.dtype.type(data[p]), nothings)
                checked = fused(checked, fused(load(vectors, place, nothings), x, changes), nothings)
                checked = fused(checked, fused(load(lag, place, nothings), x, lagged_changes), nothings)
            if total(checked) != 0.0:
                return False
        for p in range(start, stop):
            place = _place(rows, p, vectors, block, width, U(0))
            x = repeat(vectors.dtype.type(data[p]), nothings)
            store(vectors, place, fused(load(vectors, place, nothings), x, changes))
            store(lag, place, fused(load(lag, place, nothings), x, lagged_changes))
        return True

    return add_to_block


add_to_4, add_to_8, add_to_16 = (_add_to_block(lanes) for lanes in (4, 8, 16))


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i and lag_k += LAGGED_k · x_i; where CHANGE_k is zero, nothing changes.

    False, with the block of half-spaces unchanged, if a number would not be finite. Bounds on the numbers mostly show
    that all will be; only when they do not is every number looked at: a product with 0 is 0 for finite ones alone.
    """
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    most = size(rows, i, vectors)
    if vectors.shape[0] == 1:
        safe = raise_bounds(ledger, 0, 1, most)
        return _add_to_one(rows, start, stop, vectors, lag, ledger, safe)
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        end = min(block + lanes, U(last))
        if not any_change(ledger, block, end):
            continue
        safe = raise_bounds(ledger, block, end, most)
        width = width_of(vectors, block)
        if width == U(4):
            added = add_to_4(rows, start, stop, vectors, lag, block, ledger, safe)
        elif width == U(8):
            added = add_to_8(rows, start, stop, vectors, lag, block, ledger, safe)
        else:
            added = add_to_16(rows, start, stop, vectors, lag, block, ledger, safe)
        if not added:
            return False
        for k in range(block, end):
            ledger[k, CHANGE] = 0.0
            ledger[k, LAGGED] = 0.0
    return True


move_blocks = make_move(_place)


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
    """Carry the scale into v, and what the reach stands for into lag, so that neither under- nor overflows."""
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
    """Bring a row that is visited soon nearer."""
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    for line in range(SURE_LINES):  # whether the row has as many or not: a loop that ends here and there costs more
        prefetch(rows[0], start + U(line) * per_vector(rows[0]))
        prefetch(rows[1], start + U(line) * per_vector(rows[1]))
    stop = min(stop, start + U(NUMBERS_AHEAD))
    for p in range(start + U(SURE_LINES) * per_vector(rows[0]), stop, per_vector(rows[0])):
        prefetch(rows[0], p)
    for p in range(start + U(SURE_LINES) * per_vector(rows[1]), stop, per_vector(rows[1])):
        prefetch(rows[1], p)


@part
def fetch_most(rows: Any, i: Any) -> None:
    """As `fetch`, of every row as many lines as most rows have, where a few more or less would count."""
    _fetch_most(rows, i, rows[0])
    _fetch_most(rows, i, rows[1])


@part
def _fetch_most(rows: Any, i: Any, array: Any) -> None:
    typical = U(array.shape[0]) // max(ONE, U(rows[2].shape[0]) - ONE)
    lines = min(U(SURE_LINES), (typical + (typical >> ONE)) // per_vector(array) + ONE)
    start = U(rows[2][i])
    for line in range(lines):
        prefetch(array, start + line * per_vector(array))


@part
def score_alone(rows: Any, i: Any, near: Any, coming: Any, vectors: Any, ledger: Any) -> Any:
    """v·x_i of a half-space that is alone, while row number `coming` is brought nearer."""
    if coming != i + ONE:
        fetch_most(rows, coming)
    return _score_of_one(rows, U(rows[2][i]), U(rows[2][i + ONE]), vectors)


@part
def reads_ahead(rows: Any, vectors: Any, first: Any, last: Any) -> bool:
    """Whether the machine has rows in file order near by itself."""
    return True


@part
def ahead(rows: Any) -> int:
    """How many visits before its own a row is fetched."""
    return AHEAD


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Bring the weights that the next row needs nearer, while this one is being worked on.

    For blocks of full width alone: of narrower ones most is near already, and asking costs more than waiting.
    """
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        if width_of(vectors, block) == lanes:
            for p in range(U(rows[2][i]), U(rows[2][i + 1])):
                prefetch(vectors, _place(rows, p, vectors, block, lanes, U(0)))


@functools.cache
def _repeats(key: str) -> Any:
    def repeats(indices: Any, indptr: Any, met: Any) -> bool:
        key  # noqa: B018  part of the key under which the machine code is kept
        for i in range(len(indptr) - 1):
            for p in range(indptr[i], indptr[i + 1]):
                if met[indices[p]] == i + 1:
                    return True
                met[indices[p]] = i + 1
        return False

    return compiled.jit(repeats)


def repeats_a_feature(rows: tuple[Array, ...], n_features: int) -> bool:
    """Whether any row names a feature twice."""
    find = _repeats(f"repeats {compiled.engine_digest()}")
    return bool(find(rows[1], rows[2], np.zeros(n_features, np.int64)))


@part
def hold(rows: Any, lag: Any, r: Any, first: Any, last: Any) -> None:
    """Nothing: `lag` has far more numbers than the nearest cache."""


@part
def approach_lanes(rows: Any, i: Any, vectors: Any) -> None:
    """As `approach`, for weights that stand as (d, lanes)."""
    width = U(vectors.shape[1])
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        for k in range(U(0), width, per_vector(vectors)):
            prefetch(vectors, U(rows[1][p]) * width + k)


def chain_count(kind: Any) -> int:
    """How many chains a dot product has."""
    return 4


@part
def spread(rows: Any, i: Any, width: Any, vectors: Any, places: Any, values: Any, starts: Any) -> None:
    """The numbers of row i chain by chain, and where their weights stand among `width` lanes.

    The chains are in the order a, c, b, e of `scores`: the tree then adds (a + b) + (c + e).
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
