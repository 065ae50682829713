"""Rows of bytes (images, counts): runs of zeros are skipped.

A *chunk* is as many bytes as a vector has weights: 16. Even chunks go into one running vector, odd ones into another,
as in `dense`; a chunk of zeros adds zeros, so skipping it changes no bit. Which of eight chunks are *occupied* is found
by one comparison, as a bit mask, and the set bits are then visited: a branch per chunk would be mispredicted. Two in
five of MNIST's chunks are zeros. If rows have hardly any, most are not checked: UNCHECKED in the ledger of the first
half-space counts down to the next row that is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile.bits import count_ones, lowest_one, occupied
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch_close
from rosenblatt.engine.compile.simd import BYTES, accumulate, fused, load, per_vector, store
from rosenblatt.engine.online.state import UNCHECKED

WORTH_A_LOOK = 4  # half-spaces from which on it pays to look for zeros in a row,
FEW = 8  # unless fewer than one of so many chunks is zeros:
REST = 31.0  # then so many rows are not checked
U = np.uint64
ONE = U(1)
CHUNK, GLANCE, WORD = U(16), U(128), U(1024)  # bytes
MOST_CLOSE = U(4096)  # bytes
EVEN, ODD = U(0x5555555555555555), U(0xAAAAAAAAAAAAAAAA)


@part
def in_chunks(X: Any, vectors: Any) -> bool:
    """Whether rows are bytes, and 16 weights a vector: support vector machines have float64 weights for any rows."""
    return per_vector(X) == U(BYTES) and per_vector(vectors) == CHUNK


@part
def looks_at(ledger: Any, first: Any) -> bool:
    """Whether rows are looked at for zeros."""
    return ledger[first, UNCHECKED] == 0.0


@part
def _look(X: Any, start: Any, stop: Any) -> Any:
    """A word with a bit for each chunk between two places: whole glances, a word at most."""
    word, shift = U(0), U(0)
    for place in range(start, stop, GLANCE):
        word |= occupied(X, place) << shift
        shift += U(8)
    return word


@part
def multiply_occupied(
    a: Any, b: Any, X: Any, base: Any, vectors: Any, first: Any, d: Any, ledger: Any
) -> Any:  # fmt: skip
    """The running vectors after all chunks that a glance shows, and the number of the first byte behind them."""
    start = U(first) * d
    seen = d // GLANCE * GLANCE
    found = U(0)
    for j in range(U(0), seen, WORD):
        word = _look(X, base + j, base + min(seen, j + WORD))
        found += count_ones(word)
        even, odd = word & EVEN, word & ODD
        while even != U(0):
            place = j + lowest_one(even) * CHUNK
            a = accumulate(a, load(X, base + place, vectors), vectors, start + place, d)
            even &= even - ONE
        while odd != U(0):
            place = j + lowest_one(odd) * CHUNK
            b = accumulate(b, load(X, base + place, vectors), vectors, start + place, d)
            odd &= odd - ONE
    if (found + found // U(FEW)) * CHUNK >= seen:
        ledger[first, UNCHECKED] = REST
    return a, b, seen


@part
def add_occupied(
    X: Any, base: Any, vectors: Any, lag: Any, start: Any, d: Any, changes: Any, lagged_changes: Any
) -> Any:  # fmt: skip
    """v += changes · x and lag += lagged_changes · x in all chunks that a glance shows; the first byte behind them."""
    seen = d // GLANCE * GLANCE
    for j in range(U(0), seen, WORD):
        word = _look(X, base + j, base + min(seen, j + WORD))
        while word != U(0):
            place = j + lowest_one(word) * CHUNK
            x = load(X, base + place, vectors)
            store(vectors, start + place, fused(load(vectors, start + place, vectors), x, changes))
            store(lag, start + place, fused(load(lag, start + place, lag), x, lagged_changes))
            word &= word - ONE
    return seen


@part
def bring_close(X: Any, row: Any) -> None:
    """Have a row that is visited very soon, or its beginning, in the first level of caches."""
    d = U(X.shape[1])
    for line in range(U(0), min(d, MOST_CLOSE), U(BYTES)):
        prefetch_close(X, U(row) * d + U(line))
