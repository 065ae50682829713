"""Few half-spaces in training that keep notes of their lessons instead of sums for their averages.

Text of two classes has as many sums as weights, and lessons are few: of 20 newsgroups 1,000, which touch one feature in
six. So each is noted down: its row, the half-space, and the number that it would have added. At the end the notes are
gone through once more, in order: the same sums, bit for bit (in runs so long that these are carried into float64, to
their last digits). Of weights and sums only those are kept that were touched,
till somebody looks. `touched_state` does the same for many half-spaces, and for their weights during training too.

The weights stand in the "columns" layout, in one block: number j·width + k is that of feature j and half-space k.
Sixteen numbers are a group, for which `touches` has a bit each.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.bits import count_ones, lowest_one
from rosenblatt.engine.compile.simd import fused
from rosenblatt.engine.layouts.csr_blocks import U
from rosenblatt.engine.noted import GROUP, LAST, SHIFT, fetch
from rosenblatt.engine.online.state import MARK, REACH, SEEN, VECTOR_BYTES, Array, HalfSpaces, aligned_zeros
from rosenblatt.engine.pages import advise, untouched_zeros
from rosenblatt.engine.touched_loops import ONE, compiled_loop, make_compress, make_count, make_settle_packed

NOTES = 16  # weights for one note, at most: beyond, sums are kept beside the weights
FEWEST_NOTES = 1024
EVERYWHERE: Array = np.empty(0, np.uint32)  # where the numbers of each group start if all are there
ALL = U(0), U(GROUP)  # bits of a group


class NotedHalfSpaces(HalfSpaces):
    """`count` half-spaces, all zero, to be taught by `rows` in stretches of at most `longest` of them."""

    def __init__(self, count: int, n_features: int, dtype: Any, rows: tuple[Array, ...], longest: int) -> None:
        super().__init__(count, n_features, dtype, "columns")
        self.read_rows = rows
        shape = self._shape(count, n_features)
        self.width, size = shape[0], shape[0] * n_features
        groups = -(-size // GROUP)
        self.room = untouched_zeros((groups * GROUP,), self.dtype)
        advise(self.room, 0, len(self.room), "MADV_POPULATE_WRITE")  # at once, which is quicker than page by page
        self._vectors = self.room[:size].reshape(shape)
        self.touches = np.zeros(groups, np.uint16)
        self.noted = np.zeros(1, np.int64)
        self.most_notes = max(FEWEST_NOTES, size // NOTES)
        self.room_for_notes = longest * count  # after every `settle`
        notes = self.most_notes + self.room_for_notes
        self.notes = tuple(np.empty(notes, kind) for kind in (np.uint32, np.uint8, np.float64))

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.vectors, (self.noted, *self.notes, self.touches), self.ledger

    @property
    def has_sums(self) -> bool:
        """Whether the notes became too many, so that sums are kept beside the weights."""
        return self._lag is not None

    def flush(self) -> None:
        """Work out the sums as they are now, and keep them from here on."""
        if self._lag is None:
            self._lag = aligned_zeros(self.vectors.shape, self.dtype)
        self._add_up(EVERYWHERE, self._lag.reshape(-1))
        self.noted[0] = 0

    def _add_up(self, starts: Array, sums: Array) -> None:
        noted = int(self.noted[0]), *self.notes
        compiled_loop(_make_replay)(self.read_rows, *noted, U(self.width), self.touches, starts, sums)

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
        result = Packed(self, self.room)
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
            self.ledger[: self.count, REACH] = 0.0
            self.ledger[: self.count, MARK] = self.ledger[: self.count, SEEN]
        result.sums = sums
        return result

    def copy_weights(self) -> HalfSpaces:
        """A copy that can be read; till somebody does, it takes memory for what was touched alone."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, self.layout, averages=False)
        touched = int(compiled_loop(make_count)(self.touches, *ALL, len(self.touches), EVERYWHERE))
        copied = Packed(self, np.empty(touched, self.dtype))
        copied.touches, copied.ledger = self.touches.copy(), self.ledger.copy()
        result.hold(copied)
        return result


class Packed:
    """What was trained: the weights that were touched, and their sums if somebody may want averages."""

    total = None  # for `HalfSpaces.hold`: sums that were carried into float64 are here, too

    def __init__(self, state: NotedHalfSpaces, room: Array) -> None:
        self.touches, self.ledger, self.width = state.touches, state.ledger, state.width
        self.weights = room[: int(compiled_loop(make_compress)(state.room, self.touches, *ALL, room))]
        self.sums: Array | None = None

    def starts(self) -> Array:
        """Where the numbers of every group start."""
        starts = np.empty(len(self.touches), np.uint32)
        compiled_loop(make_count)(self.touches, *ALL, len(starts), starts)
        return starts

    def settle(self, sums: Array, reach: Array) -> None:
        """Have all that the averages need in the sums, which are in float64."""
        of_all = np.tile(np.append(reach, np.zeros(self.width - len(reach))), GROUP // self.width)
        compiled_loop(make_settle_packed)(self.weights, self.touches, *ALL, len(self.touches), of_all, sums)

    def fill(self, state: HalfSpaces) -> None:
        """Write weights and sums to where others look for them."""
        expand = compiled_loop(_make_expand)
        expand(self.weights, self.touches, state.vectors.reshape(-1))
        if self.sums is None:
            return
        if self.sums.dtype == state.dtype:
            expand(self.sums, self.touches, state.lag.reshape(-1))
        else:
            settled = np.zeros((state.n_features, self.width))
            expand(self.sums, self.touches, settled.reshape(-1))
            state.total = settled.T[: state.count].copy()


def is_one_block(state: HalfSpaces) -> bool:
    return state.count <= VECTOR_BYTES // state.dtype.itemsize


@functools.cache
def _make_replay(key: str) -> Any:
    def replay(
        read: Any, noted: Any, noted_rows: Any, noted_lanes: Any, noted_lagged: Any, width: Any, touches: Any,
        starts: Any, sums: Any,
    ) -> None:  # fmt: skip
        """sums += lagged·x for every note, in their order; with `starts`, where only touched numbers are there."""
        key  # noqa: B018  part of the key under which the machine code is kept
        data, indices, indptr = read
        for n in range(noted):
            i, lane, lagged = noted_rows[n], U(noted_lanes[n]), sums.dtype.type(noted_lagged[n])
            fetch(read, noted_rows[min(n + 4, noted - 1)])
            for p in range(indptr[i], indptr[i + ONE]):
                place = U(indices[p]) * width + lane
                if len(starts):
                    group = place >> SHIFT
                    below = (ONE << (place & LAST)) - ONE
                    place = U(starts[group]) + count_ones(U(touches[group]) & below)
                sums[place] = fused(sums[place], lagged, sums.dtype.type(data[p]))

    return compiled.jit(replay)


@functools.cache
def _make_expand(key: str) -> Any:
    def expand(packed: Any, touches: Any, target: Any) -> None:
        """Put touched numbers to where they stand among all."""
        key  # noqa: B018
        found = U(0)
        for group in range(U(len(touches))):
            bits = U(touches[group])
            while bits:
                target[(group << SHIFT) + lowest_one(bits)] = packed[found]
                found += ONE
                bits &= bits - ONE

    return compiled.jit(expand)
