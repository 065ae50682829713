"""One half-space in training that keeps notes of its lessons instead of sums for its averages.

Text of two classes has as many sums as weights, and lessons are few: of 20 newsgroups 1,000, which touch one feature in
six. So each is noted down, its row and the number that it would have added. At the end the notes are gone through once
more, in order: the same sums, bit for bit. Of weights and sums only those are kept that were touched, till somebody
looks. `touched_state` does the same for many half-spaces, and for their weights during training too.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.bits import count_ones, lowest_one
from rosenblatt.engine.noted import FEATURES, LAST, LAYOUT, SHIFT, fetch
from rosenblatt.engine.pages import advise, untouched_zeros
from rosenblatt.engine.sparse_blocks import U
from rosenblatt.engine.state import MARK, REACH, SEEN, Array, HalfSpaces, aligned_zeros
from rosenblatt.engine.touched_loops import ONE, compiled_loop, make_compress, make_count, make_settle_packed
from rosenblatt.engine.vector import fused

NOTES = 16  # weights for one note, at most: beyond, sums are kept beside the weights
FEWEST_NOTES = 1024
EVERYWHERE: Array = np.empty(0, np.uint32)  # where the numbers of each feature start if all have one
ALL = U(0), U(FEATURES)  # bits of a group


class NotedHalfSpace(HalfSpaces):
    """One half-space, zero at first, to be taught by `rows` in stretches of at most `longest` of them."""

    loops = LAYOUT

    def __init__(self, n_features: int, dtype: Any, rows: tuple[Array, ...], longest: int) -> None:
        super().__init__(1, n_features, dtype, "columns")
        self.read_rows = rows
        groups = -(-n_features // FEATURES)
        self.room = untouched_zeros((groups * FEATURES,), self.dtype)
        advise(self.room, 0, len(self.room), "MADV_POPULATE_WRITE")  # at once, which is quicker than page by page
        self._vectors = self.room[:n_features].reshape(1, n_features, 1)
        self.touches = np.zeros(groups, np.uint16)
        self.noted = np.zeros(1, np.int64)
        self.most_notes = max(FEWEST_NOTES, n_features // NOTES)
        self.notes = tuple(np.empty(self.most_notes + longest, kind) for kind in (np.uint32, np.float64))

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.vectors, (self.noted, *self.notes, self.touches), self.ledger

    def flush(self) -> None:
        """Work out the sums as they are now, and keep them from here on."""
        if self._lag is None:
            self._lag = aligned_zeros(self.vectors.shape, self.dtype)
        self._add_up(EVERYWHERE, self._lag.reshape(-1))
        self.noted[0] = 0

    def _add_up(self, starts: Array, sums: Array) -> None:
        compiled_loop(_make_replay)(self.read_rows, int(self.noted[0]), *self.notes, self.touches, starts, sums)

    def settle(self) -> None:
        """Have room for the notes of another stretch; carry sums into float64 before float32 would lose them.

        Notes alone have all digits, and can wait.
        """
        if self.noted[0] > self.most_notes:
            self.flush()
        if self._lag is not None and self.must_settle():
            self.flush()
            super().settle()

    def hand_over(self, state: HalfSpaces) -> None:
        """Training is over: another state has the result, and no more of it than was touched till somebody looks."""
        if self._lag is None:
            state.hold(self._pack())
        else:
            self.flush()
            state.take(self)
        self.read_rows, self.notes = (), ()

    def _pack(self) -> Packed:
        """The touched weights alone, at the beginning of their memory, and their sums behind them."""
        result = Packed(self.touches, self.room, self.room, self.ledger)
        count = len(result.weights)
        long = self.must_settle()
        sums = self.room[count : 2 * count]
        if long or len(sums) < count:
            advise(self.room, count, len(self.room), "MADV_DONTNEED")
            sums = np.empty(count, np.float64 if long else self.dtype)
        sums[...] = 0
        advise(self.room, 2 * count, len(self.room), "MADV_DONTNEED")
        self._add_up(result.starts(), sums)
        if long:
            result.settle(sums, self._reach())
            self.ledger[0, REACH] = 0.0
            self.ledger[0, MARK] = self.ledger[0, SEEN]
        result.sums = sums
        return result

    def copy_weights(self) -> HalfSpaces:
        """A copy that can be read; till somebody does, it takes memory for what was touched alone."""
        result = HalfSpaces(1, self.n_features, self.dtype, self.layout, averages=False)
        result.hold(Packed(self.touches.copy(), self.room, np.empty(self._touched(), self.dtype), self.ledger.copy()))
        return result

    def _touched(self) -> int:
        """How many features were touched."""
        return int(compiled_loop(make_count)(self.touches, *ALL, len(self.touches), EVERYWHERE))


class Packed:
    """What was trained of one half-space: the weights of the features that were touched, and their sums if wanted."""

    total = None

    def __init__(self, touches: Array, weights: Array, room: Array, ledger: Array) -> None:
        self.touches, self.ledger = touches, ledger
        self.weights = room[: int(compiled_loop(make_compress)(weights, touches, *ALL, room))]
        self.sums: Array | None = None

    def starts(self) -> Array:
        """Where the numbers of every group of features start."""
        starts = np.empty(len(self.touches), np.uint32)
        compiled_loop(make_count)(self.touches, *ALL, len(starts), starts)
        return starts

    def settle(self, sums: Array, reach: Array) -> None:
        """Have all that the averages need in the sums, which are in float64."""
        groups, every = len(self.touches), np.repeat(reach, FEATURES)
        compiled_loop(make_settle_packed)(self.weights, self.touches, *ALL, groups, every, sums)

    def fill(self, state: HalfSpaces) -> None:
        """Write weights and sums to where others look for them."""
        expand = compiled_loop(_make_expand)
        expand(self.weights, self.touches, state.vectors.reshape(-1))
        if self.sums is not None:
            settled = self.sums.dtype != state.dtype
            sums = state.room_for_total(np.zeros(1, np.intp))[0] if settled else state.lag
            expand(self.sums, self.touches, sums.reshape(-1))


@functools.cache
def _make_replay(key: str) -> Any:
    def replay(
        read: Any, noted: Any, noted_rows: Any, noted_lagged: Any, touches: Any, starts: Any, sums: Any
    ) -> None:  # fmt: skip
        """sums += lagged·x for every note, in their order; with `starts`, where only touched features have a sum."""
        key  # noqa: B018  part of the key under which the machine code is kept
        data, indices, indptr = read
        for n in range(noted):
            i, lagged = noted_rows[n], sums.dtype.type(noted_lagged[n])
            fetch(read, noted_rows[min(n + 4, noted - 1)])
            for p in range(indptr[i], indptr[i + ONE]):
                place = U(indices[p])
                if len(starts):
                    group = place >> SHIFT
                    below = (ONE << (place & LAST)) - ONE
                    place = U(starts[group]) + count_ones(U(touches[group]) & below)
                sums[place] = fused(sums[place], lagged, sums.dtype.type(data[p]))

    return compiled.jit(replay)


@functools.cache
def _make_expand(key: str) -> Any:
    def expand(packed: Any, touches: Any, target: Any) -> None:
        """Put the numbers of touched features to where these stand among all."""
        key  # noqa: B018
        found = U(0)
        for group in range(U(len(touches))):
            bits = U(touches[group])
            while bits:
                target[(group << SHIFT) + lowest_one(bits)] = packed[found]
                found += ONE
                bits &= bits - ONE

    return compiled.jit(expand)
