"""Blocks of half-spaces and one sparse row: scores and updates, a SIMD vector of half-spaces at a time.

The weights of one feature for a block of 16, 8 or 4 half-spaces are side by side in memory. The order of additions is
that of `csr`: four partial sums, over every fourth non-zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.simd import add as add_vectors
from rosenblatt.engine.compile.simd import fused, gather, load, per_vector, repeat, scatter, store, total, zero_lanes
from rosenblatt.engine.online.state import CHANGE, LAGGED, LEDGER_COLUMNS, SCORE

U = np.uint64
ONE, TWO, THREE, FOUR = U(1), U(2), U(3), U(4)
STRIDE = U(LEDGER_COLUMNS)


@part
def width_of(vectors: Any, block: Any) -> Any:
    """How many half-spaces the block that begins with number `block` has."""
    return min(per_vector(vectors), U(vectors.shape[0]) - block)


@part
def place_of(rows: Any, p: Any, vectors: Any, block: Any, width: Any) -> Any:
    """The place in memory of the weights for non-zero p, of the `width` half-spaces from number `block` on."""
    return block * U(vectors.shape[1]) + U(rows[1][p]) * width


@part
def any_change(ledger: Any, first: Any, last: Any) -> bool:
    """Whether any of the half-spaces has an update pending."""
    found = False
    for k in range(first, last):
        found |= ledger[k, CHANGE] != 0.0
    return found


def _terms(lanes: int) -> Any:
    width = U(lanes)

    @part
    def terms(s: Any, rows: Any, p: Any, vectors: Any, block: Any) -> Any:
        """s plus the terms of non-zero p."""
        x = repeat(vectors.dtype.type(rows[0][p]), s)
        return fused(s, x, load(vectors, place_of(rows, p, vectors, block, width), s))

    return terms


def _scores_of_block(lanes: int) -> Callable[..., None]:
    terms = _terms(lanes)

    @part
    def scores_of_block(rows: Any, i: Any, vectors: Any, block: Any, ledger: Any) -> None:
        """ledger[k, SCORE] = v_k·x_i for the half-spaces of a block."""
        p, stop = U(rows[2][i]), U(rows[2][i + 1])
        a = zero_lanes(vectors, lanes)
        b, c, e = a, a, a
        while p + FOUR <= stop:
            a = terms(a, rows, p, vectors, block)
            b = terms(b, rows, p + ONE, vectors, block)
            c = terms(c, rows, p + TWO, vectors, block)
            e = terms(e, rows, p + THREE, vectors, block)
            p += FOUR
        while p < stop:
            a = terms(a, rows, p, vectors, block)
            p += ONE
        s = add_vectors(add_vectors(a, b), add_vectors(c, e))
        scatter(s, ledger, block * STRIDE + U(SCORE), STRIDE)

    return scores_of_block


scores_of_4, scores_of_8, scores_of_16 = (_scores_of_block(lanes) for lanes in (4, 8, 16))


@part
def scores_of_blocks(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a block."""
    for block in range(U(first), U(last), per_vector(vectors)):
        width = width_of(vectors, block)
        if width == U(4):
            scores_of_4(rows, i, vectors, block, ledger)
        elif width == U(8):
            scores_of_8(rows, i, vectors, block, ledger)
        else:
            scores_of_16(rows, i, vectors, block, ledger)


def _add_to_block(lanes: int) -> Callable[..., bool]:
    width = U(lanes)

    @part
    def add_to_block(rows: Any, i: Any, vectors: Any, lag: Any, block: Any, ledger: Any, safe: Any) -> bool:
        """Carry out the pending updates of a block; False, with nothing changed, if a number would not be finite."""
        start, stop = U(rows[2][i]), U(rows[2][i + 1])
        zeros = zero_lanes(vectors, lanes)
        changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, zeros)
        lagged_changes = gather(ledger, block * STRIDE + U(LAGGED), STRIDE, zeros)
        if not safe:
            checked = zeros  # a product with 0 is 0 only for finite numbers
            for p in range(start, stop):
                place = place_of(rows, p, vectors, block, width)
                x = repeat(vectors.dtype.type(rows[0][p]), zeros)
                checked = fused(checked, fused(load(vectors, place, zeros), x, changes), zeros)
                checked = fused(checked, fused(load(lag, place, zeros), x, lagged_changes), zeros)
            if total(checked) != 0.0:
                return False
        for p in range(start, stop):
            place = place_of(rows, p, vectors, block, width)
            x = repeat(vectors.dtype.type(rows[0][p]), zeros)
            store(vectors, place, fused(load(vectors, place, zeros), x, changes))
            store(lag, place, fused(load(lag, place, zeros), x, lagged_changes))
        return True

    return add_to_block


add_to_4, add_to_8, add_to_16 = (_add_to_block(lanes) for lanes in (4, 8, 16))


@part
def add_to_width(rows: Any, i: Any, vectors: Any, lag: Any, block: Any, ledger: Any, safe: Any) -> bool:
    """`add_to_block` for a block of any width."""
    width = width_of(vectors, block)
    if width == U(4):
        return add_to_4(rows, i, vectors, lag, block, ledger, safe)
    if width == U(8):
        return add_to_8(rows, i, vectors, lag, block, ledger, safe)
    return add_to_16(rows, i, vectors, lag, block, ledger, safe)


def _move_block(lanes: int) -> Callable[..., None]:
    width = U(lanes)

    @part
    def move_block(rows: Any, i: Any, vectors: Any, block: Any, ledger: Any) -> None:
        """v_k += CHANGE_k·x_i for the half-spaces of a block."""
        changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, zero_lanes(vectors, lanes))
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            place = place_of(rows, p, vectors, block, width)
            x = repeat(vectors.dtype.type(rows[0][p]), changes)
            store(vectors, place, fused(load(vectors, place, changes), x, changes))

    return move_block


move_4, move_8, move_16 = (_move_block(lanes) for lanes in (4, 8, 16))


@part
def move_blocks(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """v_k += CHANGE_k·x_i for first <= k < last, `first` at the start of a block."""
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        end = min(block + lanes, U(last))
        if any_change(ledger, block, end):
            width = width_of(vectors, block)
            if width == U(4):
                move_4(rows, i, vectors, block, ledger)
            elif width == U(8):
                move_8(rows, i, vectors, block, ledger)
            else:
                move_16(rows, i, vectors, block, ledger)
            for k in range(block, end):
                ledger[k, CHANGE] = 0.0
