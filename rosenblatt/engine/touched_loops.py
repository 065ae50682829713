"""The loops of `touched_state`: sums are worked out from notes, touched numbers are packed, and put where others look.

The numbers of a block are its weights, or their sums for the averages: at every place one for each of its `width`
half-spaces, side by side; or, where they are *packed*, those alone that were touched, in the same order. touches[s] has
a bit for every half-space that was touched at place s; those of a block, or of a part of it, begin with bit `shift`.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.bits import count_ones, lowest_one
from rosenblatt.engine.compile.simd import fused
from rosenblatt.engine.layouts.csr import fetch
from rosenblatt.engine.layouts.csr_blocks import U

ONE = U(1)


def compiled_loop(make: Any) -> Any:
    """The loop that one of the functions below makes."""
    return make(f"{make.__name__} {compiled.engine_digest()}")


@compiled.part
def _place(places: Any, j: Any) -> Any:
    """Where feature j stands; without places every feature has its own, behind the one of those without."""
    return U(places[j]) if len(places) else U(j) + ONE


@functools.cache
def make_replay(key: str) -> Any:
    def replay(read: Any, places: Any, shift: Any, width: Any, noted: Any, notes: Any, lag: Any) -> None:
        """lag += lagged·x for every note of a block, or of a part that begins at lane `shift`, in their order."""
        key  # noqa: B018  part of the key under which the machine code is kept
        data, indices, indptr = read
        rows, lanes, lagged = notes
        for n in range(noted):
            lane = U(lanes[n]) - shift
            fetch(read, rows[min(n + 4, noted - 1)])
            if lane < width:
                for p in range(indptr[rows[n]], indptr[rows[n] + ONE]):
                    place = _place(places, indices[p]) * width + lane
                    lag[place] = fused(lag[place], lag.dtype.type(data[p]), lag.dtype.type(lagged[n]))

    return compiled.jit(replay)


@functools.cache
def make_compress(key: str) -> Any:
    def compress(weights: Any, touches: Any, shift: Any, width: Any, target: Any) -> Any:
        """Put the touched weights of a block together, in order, at its beginning or elsewhere; how many they are."""
        key  # noqa: B018
        found = U(0)
        for s in range(U(len(weights)) // width):
            bits = (U(touches[s]) >> shift) & ((ONE << width) - ONE)
            while bits:
                target[found] = weights[s * width + lowest_one(bits)]  # never ahead of what is still to be read
                found += ONE
                bits &= bits - ONE
        return found

    return compiled.jit(compress)


@functools.cache
def make_drop(key: str) -> Any:
    def drop(weights: Any, touches: Any, leaving: Any, used: Any) -> Any:
        """Forget what some lanes of a block touched, where only touched weights are there; how many stay."""
        key  # noqa: B018
        met = found = U(0)
        for s in range(used):
            bits = U(touches[s])
            stays = bits & ~leaving
            touches[s] = stays
            while stays:
                weights[found] = weights[met + count_ones(bits & ((stays & ~(stays - ONE)) - ONE))]
                found += ONE
                stays &= stays - ONE
            met += count_ones(bits)
        return found

    return compiled.jit(drop)


@functools.cache
def make_count(key: str) -> Any:
    def count(touches: Any, shift: Any, width: Any, used: Any, starts: Any) -> Any:
        """How many touched numbers some lanes have; where those of each place start, if there is room for it."""
        key  # noqa: B018
        found = U(0)
        for s in range(used):
            if len(starts):
                starts[s] = found
            found += count_ones((U(touches[s]) >> shift) & ((ONE << width) - ONE))
        return found

    return compiled.jit(count)


@functools.cache
def make_replay_packed(key: str) -> Any:
    def replay_packed(
        read: Any, places: Any, touches: Any, shift: Any, width: Any, starts: Any, noted: Any, notes: Any, sums: Any
    ) -> None:
        """As `replay`, where only touched weights have a number: those of place s from starts[s] on."""
        key  # noqa: B018
        data, indices, indptr = read
        rows, lanes, lagged = notes
        for n in range(noted):
            lane = U(lanes[n]) - shift
            fetch(read, rows[min(n + 4, noted - 1)])
            if lane < width:
                below = (ONE << lane) - ONE
                for p in range(indptr[rows[n]], indptr[rows[n] + ONE]):
                    s = _place(places, indices[p])
                    place = U(starts[s]) + count_ones((U(touches[s]) >> shift) & below)
                    sums[place] = fused(sums[place], sums.dtype.type(data[p]), sums.dtype.type(lagged[n]))

    return compiled.jit(replay_packed)


@functools.cache
def make_settle_packed(key: str) -> Any:
    def settle_packed(weights: Any, touches: Any, shift: Any, width: Any, used: Any, reach: Any, sums: Any) -> None:
        """sums = reach·weights - sums, where both have only what was touched."""
        key  # noqa: B018
        found = U(0)
        for s in range(used):
            bits = (U(touches[s]) >> shift) & ((ONE << width) - ONE)
            while bits:
                sums[found] = reach[lowest_one(bits)] * np.float64(weights[found]) - sums[found]
                found += ONE
                bits &= bits - ONE

    return compiled.jit(settle_packed)


@functools.cache
def make_spread(key: str) -> Any:
    def spread(
        source: Any, places: Any, width: Any, wanted: Any, target: Any, starts: Any, steps: Any, features: Any
    ) -> None:
        """Every feature's numbers of a block, in the lanes that are wanted, to where the target has them."""
        key  # noqa: B018
        for j in range(features):
            s = _place(places, j)
            if s:
                for lane in range(width):
                    if (wanted >> lane) & ONE:
                        target[starts[lane] + j * steps[lane]] = source[s * width + lane]

    return compiled.jit(spread)


@functools.cache
def make_spread_packed(key: str) -> Any:
    def spread_packed(
        source: Any, places: Any, touches: Any, shift: Any, width: Any, packed: Any, wanted: Any, target: Any,
        starts: Any, steps: Any, first: Any, last: Any,
    ) -> None:  # fmt: skip
        """As `spread`, for some features, where only touched numbers are, those of place s from packed[s] on."""
        key  # noqa: B018
        for j in range(first, last):
            s = _place(places, j)
            bits = (U(touches[s]) >> shift) & ((ONE << width) - ONE)
            left = bits & wanted
            while left:
                lane = lowest_one(left)
                place = U(packed[s]) + count_ones(bits & ((ONE << lane) - ONE))
                target[starts[lane] + j * steps[lane]] = source[place]
                left &= left - ONE

    return compiled.jit(spread_packed)


@functools.cache
def make_hand_over(key: str) -> Any:
    def hand_over(
        places: Any, touches: Any, shift: Any, wanted: Any, numbers: Any, new: Any, lanes: Any, first: Any, last: Any
    ) -> None:
        """Note what was touched, of some features, for half-spaces that have all of them, and other numbers."""
        key  # noqa: B018
        for j in range(first, last):
            left = (U(touches[_place(places, j)]) >> shift) & wanted
            while left:
                n = U(numbers[lowest_one(left)])
                new[n // lanes, j + 1] |= new.dtype.type(ONE << (n % lanes))
                left &= left - ONE

    return compiled.jit(hand_over)
