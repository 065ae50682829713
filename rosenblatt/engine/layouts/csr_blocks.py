"""Blocks of half-spaces and one sparse row: their scores, and what it teaches them, wherever their weights stand.

The layouts `sparse` and `touched` are made of this. Each tells by its `place` where the weights stand that one non-zero
of the row meets, those of the half-spaces of a block side by side. The order of additions is stated in `sparse`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.simd import add as add_vectors
from rosenblatt.engine.compile.simd import fused, gather, load, per_vector, repeat, scatter, store, zero_lanes
from rosenblatt.engine.online.state import BOUND, CHANGE, LAG_BOUND, LAGGED, LEDGER_COLUMNS, SAFE, SCORE

U = np.uint64
ONE, TWO, THREE, FOUR = U(1), U(2), U(3), U(4)
STRIDE = U(LEDGER_COLUMNS)


@part
def width_of(vectors: Any, block: Any) -> Any:
    """How many half-spaces stand side by side in the block that begins with number `block`."""
    return min(per_vector(vectors), U(vectors.shape[0]) - block)


def _terms(lanes: int, place: Any) -> Any:
    width = U(lanes)

    @part
    def terms(s: Any, rows: Any, p: Any, vectors: Any, block: Any, found: Any) -> Any:
        """s plus the terms of non-zero p, for one vector of half-spaces."""
        x = repeat(vectors.dtype.type(rows[0][p]), s)
        return fused(s, x, load(vectors, place(rows, p, vectors, block, width, found), s))

    return terms


def _scores_of_block(lanes: int, place: Any, look_up: Any) -> Callable[..., None]:
    """ledger[k, SCORE] = v_k·x for the block of `lanes` half-spaces that begins with number `block`."""
    terms = _terms(lanes, place)

    @part
    def scores_of_block(rows: Any, i: Any, vectors: Any, block: Any, ledger: Any) -> None:
        start, stop = U(rows[2][i]), U(rows[2][i + 1])
        found = look_up(rows, i, vectors, block)
        a = zero_lanes(vectors, lanes)
        b, c, e = a, a, a
        p = start
        while p + FOUR <= stop:
            a = terms(a, rows, p, vectors, block, found)
            b = terms(b, rows, p + ONE, vectors, block, found)
            c = terms(c, rows, p + TWO, vectors, block, found)
            e = terms(e, rows, p + THREE, vectors, block, found)
            p += FOUR
        while p < stop:
            a = terms(a, rows, p, vectors, block, found)
            p += ONE
        s = add_vectors(add_vectors(a, b), add_vectors(c, e))
        scatter(s, ledger, block * STRIDE + U(SCORE), STRIDE)

    return scores_of_block


def _scores_of_16_and_4(place: Any, look_up: Any, place_of_4: Any) -> Callable[..., None]:
    """As `_scores_of_block`, for 16 half-spaces and the last 4 behind them, with one reading of the row for both."""
    terms, terms_of_4 = _terms(16, place), _terms(4, place_of_4)

    @part
    def scores_of_16_and_4(rows: Any, i: Any, vectors: Any, block: Any, ledger: Any) -> None:
        start, stop = U(rows[2][i]), U(rows[2][i + 1])
        found, last = look_up(rows, i, vectors, block), block + U(16)
        a, f = zero_lanes(vectors, 16), zero_lanes(vectors, 4)
        b, c, e = a, a, a
        g, h, k = f, f, f
        p = start
        while p + FOUR <= stop:
            a = terms(a, rows, p, vectors, block, found)
            f = terms_of_4(f, rows, p, vectors, last, found)
            b = terms(b, rows, p + ONE, vectors, block, found)
            g = terms_of_4(g, rows, p + ONE, vectors, last, found)
            c = terms(c, rows, p + TWO, vectors, block, found)
            h = terms_of_4(h, rows, p + TWO, vectors, last, found)
            e = terms(e, rows, p + THREE, vectors, block, found)
            k = terms_of_4(k, rows, p + THREE, vectors, last, found)
            p += FOUR
        while p < stop:
            a = terms(a, rows, p, vectors, block, found)
            f = terms_of_4(f, rows, p, vectors, last, found)
            p += ONE
        s, t = add_vectors(add_vectors(a, b), add_vectors(c, e)), add_vectors(add_vectors(f, g), add_vectors(h, k))
        scatter(s, ledger, block * STRIDE + U(SCORE), STRIDE)
        scatter(t, ledger, last * STRIDE + U(SCORE), STRIDE)

    return scores_of_16_and_4


def make_scores(place: Any, look_up: Any, place_of_4: Any) -> Callable[..., None]:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a block.

    The weights are where `place` says, once `look_up` has been asked about the row, and those of a last block of 4
    behind one of 16 where `place_of_4` says.
    """
    of_4, of_8, of_16 = (_scores_of_block(lanes, place, look_up) for lanes in (4, 8, 16))
    of_16_and_4 = _scores_of_16_and_4(place, look_up, place_of_4)

    @part
    def scores_of_blocks(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
        for block in range(U(first), U(last), per_vector(vectors)):
            width = width_of(vectors, block)
            if width == U(4):
                of_4(rows, i, vectors, block, ledger)
            elif width == U(8):
                of_8(rows, i, vectors, block, ledger)
            elif block + U(20) == U(vectors.shape[0]) and block + U(16) < U(last):
                of_16_and_4(rows, i, vectors, block, ledger)
                break
            else:
                of_16(rows, i, vectors, block, ledger)

    return scores_of_blocks


@part
def nothing(rows: Any, i: Any, vectors: Any, block: Any) -> Any:
    """What there is to look up where features stand in order."""
    return U(0)


@part
def any_change(ledger: Any, first: Any, last: Any) -> bool:
    wanted = False
    for k in range(first, last):
        wanted |= ledger[k, CHANGE] != 0.0
    return wanted


@part
def raise_bounds(ledger: Any, first: Any, last: Any, most: Any) -> bool:
    """Note how large the numbers of half-spaces may become; whether all are surely finite."""
    safe = True
    for k in range(first, last):
        ledger[k, BOUND] += abs(ledger[k, CHANGE]) * most
        ledger[k, LAG_BOUND] += abs(ledger[k, LAGGED]) * most
        safe &= ledger[k, BOUND] < SAFE and ledger[k, LAG_BOUND] < SAFE
    return safe


def _move_block(lanes: int, place: Any) -> Callable[..., None]:
    """`move` for the block of `lanes` half-spaces that begins with number `block`."""
    width = U(lanes)

    @part
    def move_block(rows: Any, i: Any, vectors: Any, block: Any, ledger: Any) -> None:
        changes = gather(ledger, block * STRIDE + U(CHANGE), STRIDE, zero_lanes(vectors, lanes))
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            there = place(rows, p, vectors, block, width, U(0))
            x = repeat(vectors.dtype.type(rows[0][p]), changes)
            store(vectors, there, fused(load(vectors, there, changes), x, changes))

    return move_block


def make_move(place: Any) -> Callable[..., None]:
    """v_k += CHANGE_k · x_i for first <= k < last, `first` at the start of a block, weights where `place` says."""
    move_4, move_8, move_16 = (_move_block(lanes, place) for lanes in (4, 8, 16))

    @part
    def move_blocks(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
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

    return move_blocks
