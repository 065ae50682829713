"""Sparse rows: CSR with float32 or float64 values, read in the dtype they have.

`rows` is (data, indices, indptr), the indices seen as unsigned integers: signed ones would carry a check for
negative positions that halves the speed. The half-spaces are in the "columns" layout, where the weights of
one feature for a block of half-spaces stand side by side. Four running sums, over every fourth non-zero, hide the
latency of the additions; a single half-space adds in the same order as one among many.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.compiled import part
from rosenblatt.engine.state import (
    BOUND,
    CHANGE,
    LAG_BOUND,
    LAGGED,
    LEDGER_COLUMNS,
    REACH,
    SAFE,
    SCALE,
    SCORE,
    VECTOR_BYTES,
    Array,
    weight_dtype,
)
from rosenblatt.engine.vector import add as add_vectors
from rosenblatt.engine.vector import fused, gather, load, prefetch, repeat, scatter, store, total, zero

LAYOUT = "columns"
NUMBERS_AHEAD = 512  # how much of a coming row is fetched in advance
U = np.uint64
ONE, TWO, THREE, FOUR = U(1), U(2), U(3), U(4)
STRIDE = U(LEDGER_COLUMNS)


def unit(rows: tuple[Array, ...]) -> int:
    """How many half-spaces share one reading of a row; threads are given whole units."""
    return VECTOR_BYTES // weight_dtype(rows[0].dtype).itemsize


@part
def _place(j: Any, vectors: Any, block: Any) -> Any:
    """Where the weights of feature j stand for the block of half-spaces that begins with number `block`."""
    return block * U(vectors.shape[1]) + U(j) * U(vectors.shape[2])


@part
def _term(s: Any, rows: Any, p: Any, vectors: Any) -> Any:
    """s plus the term of non-zero p, for a single half-space."""
    return fused(s, vectors.dtype.type(rows[0][p]), vectors[0, U(rows[1][p]), 0])


@part
def _terms(s: Any, rows: Any, p: Any, vectors: Any, block: Any) -> Any:
    """s plus the terms of non-zero p, for one vector of half-spaces."""
    x = repeat(vectors.dtype.type(rows[0][p]), vectors)
    return fused(s, x, load(vectors, _place(rows[1][p], vectors, block), vectors))


@part
def scores(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a vector."""
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    if vectors.shape[2] == 1:
        a = vectors.dtype.type(0)
        b = c = e = a
        p = start
        while p + FOUR <= stop:
            a = _term(a, rows, p, vectors)
            b = _term(b, rows, p + ONE, vectors)
            c = _term(c, rows, p + TWO, vectors)
            e = _term(e, rows, p + THREE, vectors)
            p += FOUR
        while p < stop:
            a = _term(a, rows, p, vectors)
            p += ONE
        ledger[0, SCORE] = (a + b) + (c + e)
    else:
        lanes = VECTOR_BYTES // vectors.itemsize
        for block in range(U(first), U(last), U(lanes)):
            va = zero(vectors)
            vb, vc, ve = va, va, va
            p = start
            while p + FOUR <= stop:
                va = _terms(va, rows, p, vectors, block)
                vb = _terms(vb, rows, p + ONE, vectors, block)
                vc = _terms(vc, rows, p + TWO, vectors, block)
                ve = _terms(ve, rows, p + THREE, vectors, block)
                p += FOUR
            while p < stop:
                va = _terms(va, rows, p, vectors, block)
                p += ONE
            s = add_vectors(add_vectors(va, vb), add_vectors(vc, ve))
            scatter(s, ledger, block * STRIDE + U(SCORE), STRIDE)


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
def size(rows: Any, i: Any, vectors: Any) -> float:
    """The largest |x_ij|, or 1 if that is larger: so that bounds with it are bounds on the steps themselves too."""
    result = 1.0
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        result = max(result, abs(np.float64(rows[0][p])))
    return result


@part
def _raise_bounds(ledger: Any, first: Any, last: Any, most: Any) -> bool:
    """Note how large the numbers of half-spaces may become; whether all are surely finite."""
    safe = True
    for k in range(first, last):
        ledger[k, BOUND] += abs(ledger[k, CHANGE]) * most
        ledger[k, LAG_BOUND] += abs(ledger[k, LAGGED]) * most
        safe &= ledger[k, BOUND] < SAFE and ledger[k, LAG_BOUND] < SAFE
    return safe


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


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i and lag_k += LAGGED_k · x_i; where CHANGE_k is zero, nothing changes.

    False, with the block of half-spaces unchanged, if a number would not be finite. Bounds on the numbers mostly show
    that all will be; only when they do not is every number looked at: a product with 0 is 0 for finite ones alone.
    """
    data, indices = rows[0], rows[1]
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    if vectors.shape[2] == 1:
        safe = _raise_bounds(ledger, 0, 1, size(rows, i, vectors))
        return _add_to_one(rows, start, stop, vectors, lag, ledger, safe)
    lanes = U(VECTOR_BYTES // vectors.itemsize)
    most = size(rows, i, vectors)
    for block in range(U(first), U(last), lanes):
        any_change = False
        for k in range(block, min(block + lanes, U(last))):
            any_change |= ledger[k, CHANGE] != 0.0
        if not any_change:
            continue
        changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, vectors)
        lagged_changes = gather(ledger, block * STRIDE + U(LAGGED), STRIDE, vectors)
        if not _raise_bounds(ledger, block, min(block + lanes, U(last)), most):
            nothings = zero(vectors)
            checked = nothings
            for p in range(start, stop):
                place = _place(indices[p], vectors, block)
                x = repeat(vectors.dtype.type(data[p]), vectors)
                checked = fused(checked, fused(load(vectors, place, vectors), x, changes), nothings)
                checked = fused(checked, fused(load(lag, place, lag), x, lagged_changes), nothings)
            if total(checked) != 0.0:
                return False
        for p in range(start, stop):
            place = _place(indices[p], vectors, block)
            x = repeat(vectors.dtype.type(data[p]), vectors)
            store(vectors, place, fused(load(vectors, place, vectors), x, changes))
            store(lag, place, fused(load(lag, place, lag), x, lagged_changes))
        for k in range(block, min(block + lanes, U(last))):
            ledger[k, CHANGE] = 0.0
            ledger[k, LAGGED] = 0.0
    return True


@part
def move(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """v_k += CHANGE_k · x_i, for half-spaces that keep no averages."""
    data, indices = rows[0], rows[1]
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    if vectors.shape[2] == 1:
        change = vectors.dtype.type(ledger[0, CHANGE])
        for p in range(start, stop):
            j = U(indices[p])
            vectors[0, j, 0] = fused(vectors[0, j, 0], change, vectors.dtype.type(data[p]))
        ledger[0, CHANGE] = 0.0
        return
    lanes = VECTOR_BYTES // vectors.itemsize
    for block in range(U(first), U(last), U(lanes)):
        wanted = False
        for k in range(block, min(block + U(lanes), U(last))):
            wanted |= ledger[k, CHANGE] != 0.0
        if wanted:
            changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, vectors)
            for p in range(start, stop):
                place = _place(indices[p], vectors, block)
                x = repeat(vectors.dtype.type(data[p]), vectors)
                store(vectors, place, fused(load(vectors, place, vectors), x, changes))
            for k in range(block, min(block + U(lanes), U(last))):
                ledger[k, CHANGE] = 0.0


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Carry the scale into v, and what the reach stands for into lag, so that neither under- nor overflows."""
    scale, reach = ledger[k, SCALE], ledger[k, REACH]
    ledger[k, LAG_BOUND] += abs(reach) * ledger[k, BOUND]
    block, lane = U(k) // U(vectors.shape[2]), U(k) % U(vectors.shape[2])
    for j in range(U(vectors.shape[1])):
        lag[block, j, lane] -= reach * np.float64(vectors[block, j, lane])
        vectors[block, j, lane] = vectors.dtype.type(scale * np.float64(vectors[block, j, lane]))
    ledger[k, SCALE] = 1.0
    ledger[k, REACH] = 0.0


@part
def fetch(rows: Any, i: Any) -> None:
    """Bring a row that is visited soon nearer."""
    start, stop = U(rows[2][i]), U(rows[2][i + 1])
    stop = min(stop, start + U(NUMBERS_AHEAD))
    for p in range(start, stop, U(VECTOR_BYTES // rows[0].itemsize)):
        prefetch(rows[0], p)
    for p in range(start, stop, U(VECTOR_BYTES // rows[1].itemsize)):
        prefetch(rows[1], p)


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Bring the weights that the next row needs nearer, while this one is being worked on."""
    if vectors.shape[2] > 1:
        for block in range(U(first), U(last), U(vectors.shape[2])):
            for p in range(U(rows[2][i]), U(rows[2][i + 1])):
                prefetch(vectors, _place(rows[1][p], vectors, block))


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
def approach_lanes(rows: Any, i: Any, vectors: Any) -> None:
    """As `approach`, for weights that stand as (d, lanes)."""
    width = U(vectors.shape[1])
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        for k in range(U(0), width, U(VECTOR_BYTES // vectors.itemsize)):
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
