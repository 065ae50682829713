"""Bits of a word."""

from __future__ import annotations

import numba
import numpy as np

from rosenblatt.engine.compile.bits import count_ones, lowest_one, occupied


def test_what_a_glance_shows():
    @numba.njit
    def glance(X, place):
        word = occupied(X, np.uint64(place))
        return word, count_ones(word), lowest_one(word) if word else np.uint64(99)

    rng = np.random.default_rng(0)
    for _ in range(200):
        X = np.where(rng.random(200) < 0.02, rng.integers(1, 256, 200), 0).astype(np.uint8)
        place = int(rng.integers(0, 200 - 128 + 1))
        chunks = X[place : place + 128].reshape(8, 16).any(axis=1)
        word, count, lowest = glance(X, place)
        assert word == sum(1 << n for n in range(8) if chunks[n])
        assert count == chunks.sum()
        assert lowest == (np.argmax(chunks) if chunks.any() else 99)
