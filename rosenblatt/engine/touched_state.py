"""Half-spaces in training that take memory only for what lessons have touched.

Twenty classes of text have millions of weights, and lessons touch few of them: of 20 newsgroups 14 %, though three
features in four are touched for some class. So a feature gets its place when the first lesson touches it, and the sums
for the averages are not kept at all: the lessons are few, and noted down. At the end the sums are worked out from the
notes, and of weights and sums only those are kept that were touched.

It takes half of the memory, at nearly the usual speed. Nobody who asks for the result can tell:
`HalfSpaces.hold` takes these in, and has everything in its usual place as soon as somebody looks.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.shuffle import sum_of_squares
from rosenblatt.engine.online.state import MARK, REACH, SEEN, VECTOR_BYTES, Array, HalfSpaces, aligned_zeros
from rosenblatt.engine.pages import advise, untouched_zeros
from rosenblatt.engine.touched import COLUMNS, LATEST, LAYOUT, NOTED, unit
from rosenblatt.engine.touched_block import Block
from rosenblatt.engine.touched_loops import (
    compiled_loop,
    make_compress,
    make_drop,
    make_hand_over,
    make_replay,
    make_replay_packed,
    make_settle_packed,
    make_spread,
    make_spread_packed,
)

if TYPE_CHECKING:
    from rosenblatt.engine.helper import Helper
    from rosenblatt.engine.online.task import Task

NOTES = 16  # weights for one note, at most: beyond, the sums are worked out and the notes begin anew
MANY = 64  # weights for one note: beyond, lessons are many, and beside sums that were worked out no more are kept
FEWEST_NOTES = 4096
SURE = 0.7  # of the features: so many are as good as sure to be touched by a whole block, if there are rows enough
READINGS = 8  # of a feature, if there are rows enough
MODEST = 1e10


class TouchedHalfSpaces(HalfSpaces):
    """`count` half-spaces, all zero, to be taught by `rows` in stretches of at most `longest` of them.

    There is room for `most_notes` to begin with, however many. With `in_order` all features stand in order from
    the beginning: for few half-spaces that is as small, and quicker.
    """

    def __init__(
        self,
        count: int,
        n_features: int,
        dtype: Any,
        rows: tuple[Array, ...],
        longest: int,
        *,
        helper: Helper | None = None,
        in_order: bool = False,
        most_notes: int = 0,
    ) -> None:
        super().__init__(count, n_features, dtype, LAYOUT)
        self.lanes = VECTOR_BYTES // self.dtype.itemsize
        self.helper, self.group, self.in_order = helper, unit(rows, 1 if helper is None else 2), in_order
        self.read_rows, self.longest = rows, longest
        self.longest_row = int(np.diff(rows[2]).max(initial=1))
        self.packed: list[Array] = []  # the touched weights of each block, once these learn no more
        self.sums: list[tuple[Block, Array]] = []  # the sums for the averages, once training is over
        self.successor: tuple[TouchedHalfSpaces, Array] | None = None  # who still learns, and which of these they are
        shape = self._shape(count, n_features + 1)  # the first place is that of all features without one
        blocks = -(-shape[0] // self.lanes)
        self._vectors = untouched_zeros(shape, self.dtype)
        self.given = untouched_zeros((-(-shape[0] // self.group), 0 if in_order else n_features), np.uint32)
        self.touches = untouched_zeros((blocks, n_features + 1), np.uint16)
        self.counts = aligned_zeros((blocks, COLUMNS), np.int64)
        self.few_notes = max(FEWEST_NOTES, self.vectors.size // MANY)
        self.kept_notes = max(self.few_notes, self.vectors.size // NOTES)
        self.has_many = False  # whether there were more than few when somebody looked
        room = blocks, max(self.kept_notes, most_notes) + longest * self.lanes
        self.notes = tuple(untouched_zeros(room, kind) for kind in (np.uint32, np.uint8, np.float64))
        # What is sure to be written to is had at once: several threads that ask page by page hold each other up.
        if not in_order:
            self.touches[...] = 0
        sure = int(min(SURE * n_features, len(rows[0]) / READINGS))
        all_sure = in_order or len(rows[0]) >= READINGS * n_features
        for block in self.blocks():
            if not block.in_order:
                block.places[...] = 0
            places = sure if block.lanes == self.lanes else 0
            if block.in_order and all_sure:
                places = n_features
            advise(self._vectors, block.start, block.start + places * block.lanes, "MADV_POPULATE_WRITE")

    def width(self, number: int) -> int:
        """How many half-spaces stand side by side in a block."""
        return min(self.lanes, self.vectors.shape[0] - number * self.lanes)

    def _shape(self, count: int, n_features: int) -> tuple[int, ...]:
        return super()._shape(max(count, 2), n_features)  # one half-space alone is a block like others

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.vectors, (self.counts, self.touches, *self.notes), self.ledger

    def reads(self, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        if self.notes and self.counts[:, NOTED].max() > self.notes[0].shape[1] - self.longest * self.lanes:
            self.flush()  # a loop relies on room for all that a stretch can teach
        groups = len(self.given)
        tags = aligned_zeros((groups, COLUMNS), np.int64)
        tags[:, :LATEST] = -1
        return *rows, self.given, self.counts, np.empty(2 * groups * self.longest_row, np.uint32), tags

    def blocks(self) -> list[Block]:
        lanes = self.vectors.shape[0]
        return [Block(self, first, min(self.lanes, lanes - first)) for first in range(0, lanes, self.lanes)]

    def _share(self, work: Callable[..., object], parts: list[tuple[Any, ...]]) -> None:
        """Do some work with the arguments of every part, on two threads if there are."""
        if self.helper is None:
            for part in parts:
                work(*part)
        else:
            self.helper.share(work, parts)

    def _numbers(self) -> list[Array]:
        return [block.of(self.vectors) for block in self.blocks()]

    def latest(self) -> TouchedHalfSpaces:
        """Those who still learn."""
        return self if self.successor is None else self.successor[0].latest()

    # ------------------------------------------------------------------------------------------- the sums

    def notes_are_full(self) -> bool:
        """Whether there are more notes than are kept, in all blocks together: that does not depend on the threads."""
        noted = int(self.counts[:, NOTED].sum())
        self.has_many |= noted > self.few_notes
        return noted > (self.kept_notes if self._lag is None else self.few_notes)

    def must_settle(self) -> bool:
        """Whether notes must be added up, or sums carried into float64. Few notes have all digits, and can wait."""
        latest = self.latest()
        return latest.notes_are_full() or (latest.has_many and super().must_settle())

    def settle(self) -> None:
        latest = self.latest()
        if latest.notes_are_full():
            latest.flush()
        if latest.has_many and super().must_settle():
            whole = self.plain()
            self._forget_sums()
            self.total = _carried(whole)
            self._count_anew()

    def _count_anew(self) -> None:
        """All examples seen so far are in the sums."""
        self.ledger[: self.count, REACH] = 0.0
        self.ledger[: self.count, MARK] = self.ledger[: self.count, SEEN]

    def flush(self) -> None:
        """Work out the sums for the averages as they are now, for every feature that has a place."""
        if self._lag is None:
            self._lag = untouched_zeros((self.vectors.size,), self.dtype)
        for block in self.blocks():
            compiled_loop(make_replay)(
                self.read_rows, block.places, *block.bits[1:], block.noted, block.notes, block.of(self._lag)
            )  # fmt: skip
            for notes in self.notes:
                first = block.number * notes.shape[1]
                advise(notes, first + self.few_notes, first + block.noted, "MADV_DONTNEED")
        self.counts[:, NOTED] = 0
        self.has_many = True

    def _forget_sums(self) -> None:
        self._lag, self.sums, self.has_many = None, [], False
        self.counts[:, NOTED] = 0
        if self.successor is not None:
            self.successor[0]._forget_sums()

    # ------------------------------------------------------------------------------------------- the end

    def pack(self) -> None:
        """Training is over: work out the sums for the averages, keep what was touched alone, let go of the rows."""
        long = not self.latest().has_many and super().must_settle()
        self._pack(self._reach() if long else None)
        if long:
            self._count_anew()

    def _pack(self, reach: Array | None) -> None:
        if self.successor is not None:
            working, awake = self.successor
            working._pack(None if reach is None else reach[awake])
        elif self._lag is not None:
            self.flush()
        else:
            self._compress()
        if self.packed:
            self._add_up(reach)
        self.read_rows, self.notes, self.helper = (), (), None

    def _compress(self) -> None:
        """Keep the touched weights alone, at the beginning of their own memory, and give the rest of it back."""
        blocks = self.blocks()
        counts = [0] * len(blocks)

        def compress(n: int) -> None:
            weights = blocks[n].of(self.vectors)
            counts[n] = int(compiled_loop(make_compress)(weights, *blocks[n].bits, weights))

        self._share(compress, [(n,) for n in range(len(blocks))])
        self._keep(counts)

    def _drop(self, numbers: Array) -> None:
        """Forget the touched weights of half-spaces that have a number elsewhere."""
        blocks = self.blocks()
        counts = [0] * len(blocks)

        def drop(n: int) -> None:
            block = blocks[n]
            counts[n] = int(compiled_loop(make_drop)(self.packed[n], block.bits[0], block.wanted(numbers), block.used))

        self._share(drop, [(n,) for n in range(len(blocks))])
        self._keep(counts)

    def _keep(self, counts: list[int]) -> None:
        """Keep so many weights of every block, and give the rest of its memory back."""
        self.packed = []
        for block, count in zip(self.blocks(), counts, strict=True):
            weights = block.of(self.vectors)
            self.packed.append(weights[:count])
            advise(self.vectors, block.start + count, block.start + len(weights), "MADV_DONTNEED")

    def _add_up(self, reach: Array | None = None) -> None:
        """Work out the sums for the averages from the notes, behind the weights where there is room.

        After so many examples that float32 would lose digits, in float64, and all that the averages need of a weight:
        its `reach`, the number of examples it stands for, is carried into its sum.
        """
        if self.sums:
            return
        for block, weights in zip(self.blocks(), self.packed, strict=True):
            count = len(weights)
            room = block.of(self.vectors)[count : 2 * count]
            if reach is not None or len(room) < count:
                room = np.empty(count, self.dtype if reach is None else np.float64)
            room[...] = 0  # mostly where weights were
            for part in block.halves() if reach is None else [block]:
                size = part.count()
                self.sums.append((part, room[:size]))
                room = room[size:]

        def add_up(part: Block, sums: Array) -> None:
            known = self.read_rows, part.places, *part.bits, part.starts()
            compiled_loop(make_replay_packed)(*known, part.noted, part.notes, sums)

        self._share(add_up, list(self.sums))
        if reach is not None:
            reach = np.append(reach, np.zeros(self.vectors.shape[0] - self.count))
            for weights, (block, sums) in zip(self.packed, self.sums, strict=True):
                compiled_loop(make_settle_packed)(weights, *block.bits, block.used, reach[block.slice], sums)

    def fill(self, state: HalfSpaces, averages: bool = True, numbers: Array | None = None) -> None:
        """Write weights, and sums for the averages, into half-spaces in the "columns" layout, each as its number."""
        own = np.arange(self.count) if numbers is None else numbers.copy()
        if self.successor is not None:
            working, awake = self.successor
            working.fill(state, averages, own[awake])
            own[awake] = -1
        own = np.append(own, np.full(self.vectors.shape[0] - self.count, -1))
        where = state.places(np.maximum(own, 0))
        blocks = self.blocks()
        if self.packed:
            for block, weights in zip(blocks, self.packed, strict=True):
                self._spread_packed(block, weights, own, state.vectors, where)
            for block, sums in self.sums if averages and state.lag.size else ():
                if sums.dtype == state.dtype:
                    self._spread_packed(block, sums, own, state.lag, where)
                else:
                    self._spread_packed(block, sums, own, *state.room_for_total(own))
            return
        sources = [(self.vectors, state.vectors), *([(self.lag, state.lag)] if averages else [])]
        for block in blocks:
            starts, steps = (part[block.slice] for part in where)
            for source, target in sources:
                compiled_loop(make_spread)(
                    block.of(source), block.places, block.width, block.wanted(own), target.reshape(-1), starts, steps,
                    self.n_features,
                )  # fmt: skip

    def _spread_packed(
        self, block: Block, numbers_of: Array, numbers: Array, target: Array, where: tuple[Array, Array]
    ) -> None:
        """Write the numbers of a block's half-spaces to where they begin in the target, and go on in steps."""
        starts, steps = (part[block.slice] for part in where)
        known = block.places, *block.bits, block.starts(), block.wanted(numbers), target.reshape(-1), starts, steps
        self._share(functools.partial(compiled_loop(make_spread_packed), numbers_of, *known), self._halves())

    def _halves(self) -> list[tuple[int, int]]:
        half = self.n_features // 2
        return [(0, half), (half, self.n_features)]

    def plain(self, averages: bool = True) -> HalfSpaces:
        """The same half-spaces in the "columns" layout."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, "columns", averages=averages)
        if averages:
            self._have_sums()
        self.fill(result, averages)
        result.ledger[...] = self.ledger
        result.total = self.total if averages else None
        return result

    def _have_sums(self) -> None:
        """Have the sums for the averages as they are now, of all half-spaces."""
        if self.successor is not None:
            self.successor[0]._have_sums()
        if self.packed:
            self._add_up()
        else:
            self.flush()

    def copy_weights(self) -> HalfSpaces:
        """A copy that can be read; till somebody does, it takes memory for what was touched alone."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, "columns", averages=False)
        result.hold(self._as_it_is())
        result._total = None
        return result

    def _as_it_is(self) -> TouchedHalfSpaces:
        """The touched weights, which stay as they are while these learn more. Places once given never change."""
        result = copy.copy(self)
        result.ledger, result.read_rows, result.notes, result.sums = self.ledger.copy(), (), (), []
        result._lag = result.helper = None
        if self.successor is not None:
            result.successor = self.successor[0]._as_it_is(), self.successor[1]
        elif not self.packed:
            result.counts, result.touches = self.counts.copy(), self.touches.copy()
            result._vectors = np.empty((self.vectors.shape[0], 0), self.dtype)
            result.packed = [np.empty(block.count(), self.dtype) for block in self.blocks()]
            for block, target in zip(self.blocks(), result.packed, strict=True):
                compiled_loop(make_compress)(block.of(self.vectors), *block.bits, target)
        return result

    # ------------------------------------------------------------------------------------------- rest

    def can_part(self) -> bool:
        return not self.has_many

    def part(self, awake: Array) -> TouchedHalfSpaces:
        """Some go on in a state of their own; of the others, who have learned everything, the touched weights are kept.

        Their sums are worked out at the end: till then they would only take memory.
        """
        self._compress()
        known = self.n_features, self.dtype, self.read_rows, self.longest
        noted = int(self.counts[:, NOTED].sum())
        result = TouchedHalfSpaces(len(awake), *known, helper=self.helper, in_order=True, most_notes=noted)
        result.ledger[: len(awake)] = self.ledger[awake]
        numbers = np.full(self.vectors.shape[0], -1)
        numbers[awake] = np.arange(len(awake))
        self._hand_over_notes(result, numbers)
        starts, steps = result._weights_of(np.maximum(numbers, 0))
        where = starts + steps, steps  # the first place is that of no feature
        for block, weights in zip(self.blocks(), self.packed, strict=True):
            self._spread_packed(block, weights, numbers, result.vectors, where)
            touched = block.places, *block.bits[:2], block.wanted(numbers), numbers[block.slice]
            new = *touched, result.touches, result.lanes
            self._share(functools.partial(compiled_loop(make_hand_over), *new), self._halves())
        self._drop(numbers)
        self.successor = result, awake
        return result

    def _weights_of(self, numbers: Array) -> tuple[Array, Array]:
        """Where half-spaces begin in the memory of the weights, and how far apart their weights stand."""
        first = numbers // self.lanes * self.lanes
        widths = np.minimum(self.lanes, self.vectors.shape[0] - first)
        return first * (self.n_features + 1) + numbers - first, widths

    def _hand_over_notes(self, other: TouchedHalfSpaces, numbers: Array) -> None:
        """Give notes of half-spaces that have a number there to another state."""
        for block in self.blocks():
            notes = tuple(part[: block.noted] for part in block.notes)
            owners = numbers[block.first + notes[1].astype(np.intp)]
            for new in other.blocks():
                theirs = (owners >= 0) & (owners // self.lanes == new.number)
                stop = new.noted + int(theirs.sum())
                taken = notes[0][theirs], owners[theirs] - new.first, notes[2][theirs]
                for part, some in zip(new.notes, taken, strict=True):
                    part[new.noted : stop] = some
                other.counts[new.number, NOTED] = stop
            kept = owners < 0
            self.counts[block.number, NOTED] = int(kept.sum())
            for part in notes:
                part[: int(kept.sum())] = part[kept]


def _carried(state: HalfSpaces) -> Array:
    """The sums that `HalfSpaces.settle` arrives at; one half-space at a time, which takes less memory."""
    total = np.zeros((state.count, state.n_features)) if state.total is None else state.total
    vectors, lag, reach = state.vectors.reshape(-1), state.lag.reshape(-1), state._reach()
    for k, (start, step) in enumerate(zip(*state.places(np.arange(state.count)), strict=True)):
        own = slice(start, start + step * state.n_features, step)
        total[k] += reach[k : k + 1] * vectors[own] - lag[own]
    return total


def may_be_touched(task: Task, state: HalfSpaces) -> bool:
    """Whether a run may be trained so: from zero, on sparse rows, by a rule that leaves alone what a row lacks."""
    return (
        task.layout == "columns"
        and state.is_fresh()
        and task.n_rows < 2**32
        and compiled.never_shrinks(task.rule)
        and _is_modest(task)
    )


def _is_modest(task: Task) -> bool:
    """Whether no number is so large that a bound on sums of them could come near the end of float32."""
    return all(_are_modest(part) for part in (task.rows[0], task.params, task.sample_weight))


def _are_modest(numbers: Array) -> bool:
    if sum_of_squares(numbers.reshape(-1)) <= MODEST**2:  # one look at every number is mostly enough
        return True
    return bool(numbers.max() <= MODEST and numbers.min() >= -MODEST)
