"""Half-spaces in training that take memory only for what lessons have touched.

Twenty classes of text have millions of weights, and lessons touch few of them: of 20 newsgroups 14 %, though three
features in four are touched for some class. So a feature gets its place when the first lesson touches it, and the sums
for the averages are not kept at all: the lessons are few, and noted down. At the end the sums are worked out from the
notes, and of weights and sums only those are kept that were touched.

It takes half of the memory, at the usual speed of one thread. Nobody who asks for the result can tell:
`HalfSpaces.hold` takes these in, and has everything in its usual place as soon as somebody looks.
"""

from __future__ import annotations

import functools
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.sparse import U, fetch
from rosenblatt.engine.state import VECTOR_BYTES, Array, HalfSpaces
from rosenblatt.engine.touched import COUNTS, LATEST, LAYOUT, NOTED, TAGS, USED
from rosenblatt.engine.vector import count_ones, fused, lowest_one

if TYPE_CHECKING:
    from rosenblatt.engine.run import Task

NOTES = 64  # weights for one note, at most: beyond, the sums are worked out and the notes begin anew
FEWEST_NOTES = 4096
LARGE = 2**22  # bytes: the first half of a block as large as this is given large pages
MODEST = 1e10
ONE = U(1)

# Private pages: nobody else sees them, and those that are only read are never there.
PRIVATE: dict[str, int] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}  # not so on Windows
)


def untouched_zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros that take memory page by page, as they are written to; in large arrays numpy's take 2 MB at a time."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape))
    return np.frombuffer(mmap.mmap(-1, max(1, size * kind.itemsize), **PRIVATE), kind, size).reshape(shape)


def advise(array: Array, start: int, stop: int, advice: str) -> None:
    """Tell the system something about the memory of array[start:stop] of `untouched_zeros`, where it listens."""
    pages: Any = array
    while isinstance(pages, np.ndarray):
        pages = pages.base
    pages = getattr(pages, "obj", pages)  # numpy holds on to a buffer by a memoryview
    page = mmap.PAGESIZE
    first, last = -(-start * array.itemsize // page) * page, stop * array.itemsize // page * page
    if hasattr(mmap, advice) and last > first:
        pages.madvise(getattr(mmap, advice), first, last - first)


@functools.cache
def _replay(key: str) -> Any:
    def replay(read: Any, places: Any, shift: Any, width: Any, noted: Any, notes: Any, lag: Any) -> None:
        """lag += lagged·x for every note of a block, which begins at lane `shift` of its group, one after the other."""
        key  # noqa: B018  part of the key under which the machine code is kept
        data, indices, indptr = read
        rows, lanes, lagged = notes
        for n in range(noted):
            lane = U(lanes[n]) - shift
            fetch(read, rows[min(n + 4, noted - 1)])
            if lane < width:
                for p in range(indptr[rows[n]], indptr[rows[n] + ONE]):
                    place = U(places[indices[p]]) * width + lane
                    lag[place] = fused(lag[place], lag.dtype.type(data[p]), lagged[n])

    return compiled.jit(replay)


@functools.cache
def _compress(key: str) -> Any:
    def compress(weights: Any, touches: Any, shift: Any, width: Any, starts: Any) -> Any:
        """Move the touched weights of a block to its beginning, in order, and note where those of a place start."""
        key  # noqa: B018
        found = U(0)
        for s in range(U(len(starts))):
            starts[s] = found
            bits = (U(touches[s]) >> shift) & ((ONE << width) - ONE)
            while bits:
                weights[found] = weights[s * width + lowest_one(bits)]  # never ahead of what is still to be read
                found += ONE
                bits &= bits - ONE
        return found

    return compiled.jit(compress)


@functools.cache
def _replay_packed(key: str) -> Any:
    def replay_packed(
        read: Any, places: Any, touches: Any, shift: Any, width: Any, noted: Any, notes: Any, starts: Any, sums: Any
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
                    s = places[indices[p]]
                    place = U(starts[s]) + count_ones((U(touches[s]) >> shift) & below)
                    sums[place] = fused(sums[place], sums.dtype.type(data[p]), lagged[n])

    return compiled.jit(replay_packed)


@functools.cache
def _spread(key: str) -> Any:
    def spread(source: Any, places: Any, width: Any, wanted: Any, target: Any, starts: Any, steps: Any) -> None:
        """Every feature's numbers of a block, in the lanes that are wanted, to where the target has them."""
        key  # noqa: B018
        for j in range(len(places)):
            if places[j]:
                for lane in range(width):
                    if (wanted >> lane) & ONE:
                        target[starts[lane] + j * steps[lane]] = source[U(places[j]) * width + lane]

    return compiled.jit(spread)


@functools.cache
def _spread_packed(key: str) -> Any:
    def spread_packed(
        source: Any, places: Any, touches: Any, shift: Any, width: Any, packed: Any, wanted: Any, target: Any,
        starts: Any, steps: Any,
    ) -> None:  # fmt: skip
        """As `spread`, where only touched weights have a number, those of place s from packed[s] on."""
        key  # noqa: B018
        for j in range(len(places)):
            bits = (U(touches[places[j]]) >> shift) & ((ONE << width) - ONE)
            left = bits & wanted
            while left:
                lane = lowest_one(left)
                place = U(packed[places[j]]) + count_ones(bits & ((ONE << lane) - ONE))
                target[starts[lane] + j * steps[lane]] = source[place]
                left &= left - ONE

    return compiled.jit(spread_packed)


@functools.cache
def _take(key: str) -> Any:
    def take(
        source: Any, places: Any, touches: Any, shift: Any, width: Any, packed: Any, wanted: Any, numbers: Any,
        target: Any, new_touches: Any, starts: Any, steps: Any, group: Any,
    ) -> None:  # fmt: skip
        """Have the touched weights of some lanes of a packed block as those of half-spaces that have all features."""
        key  # noqa: B018
        for j in range(len(places)):
            bits = (U(touches[places[j]]) >> shift) & ((ONE << width) - ONE)
            left = bits & wanted
            while left:
                lane = lowest_one(left)
                n = numbers[lane]
                new_touches[n // group, j + 1] |= np.uint32(ONE << U(n % group))
                place = U(packed[places[j]]) + count_ones(bits & ((ONE << lane) - ONE))
                target[starts[n] + (j + 1) * steps[n]] = source[place]
                left &= left - ONE

    return compiled.jit(take)


def _compiled(make: Any) -> Any:
    return make(f"{make.__name__} {compiled.engine_digest()}")


class Block:
    """One block of half-spaces that stand side by side: where it is, and which half-spaces it has."""

    def __init__(self, state: TouchedHalfSpaces, first: int) -> None:
        self.first, self.group = first, first // state.group
        self.shift = U(first - self.group * state.group)
        self.lanes = min(state.lanes, state.vectors.shape[0] - first)
        self.width = U(self.lanes)
        self.start = first * (state.n_features + 1)
        self.places = (
            state.given[self.group] if state.given.size else np.arange(1, state.n_features + 1, dtype=np.uint32)
        )
        self.touches = state.touches[self.group]
        self.used = int(state.counts[self.group, USED]) + 1
        self.noted = int(state.counts[self.group, NOTED])

    def of(self, array: Array) -> Array:
        """The part of an array like the weights that belongs to the places given away."""
        return array.reshape(-1)[self.start : self.start + self.used * self.lanes]

    def notes(self, state: TouchedHalfSpaces) -> tuple[Array, ...]:
        return tuple(part[self.group] for part in state.notes)

    def wanted(self, numbers: Array) -> Any:
        """A bit for every half-space of the block that has a number, which is one from 0 on."""
        mine = numbers[self.first : self.first + self.lanes]
        return U(sum(1 << lane for lane, number in enumerate(mine) if number >= 0))


class TouchedHalfSpaces(HalfSpaces):
    """`count` half-spaces, all zero, to be taught by `rows` in stretches of at most `longest` of them.

    There is room for `most_notes` to begin with, however many. With `all_placed` every feature has its place from the
    beginning: for few half-spaces that is as small, and quicker.
    """

    def __init__(
        self,
        count: int,
        n_features: int,
        dtype: Any,
        rows: tuple[Array, ...],
        longest: int,
        *,
        all_placed: bool = False,
        most_notes: int = 0,
    ) -> None:
        super().__init__(count, n_features, dtype, LAYOUT)
        self.lanes = VECTOR_BYTES // self.dtype.itemsize
        self.group = 2 * self.lanes
        self.read_rows, self.longest = rows, longest
        self.longest_row = int(np.diff(rows[2]).max(initial=1))
        self.packed: list[tuple[Array, Array]] = []  # the weights and the sums of each block, once training is over
        self.successor: tuple[TouchedHalfSpaces, Array] | None = None  # who still learns, and which of these they are
        shape = self._shape(count, n_features + 1)  # the first place is that of all features without one
        groups = -(-shape[0] // self.group)
        self._vectors = untouched_zeros(shape, self.dtype)
        self.given = untouched_zeros((groups, 0 if all_placed else n_features), np.uint32)
        self.touches = untouched_zeros((groups, n_features + 1), np.uint32)
        self.counts = np.zeros((groups, COUNTS), np.int64)
        self.counts[:, USED] = n_features if all_placed else 0
        self.kept_notes = max(FEWEST_NOTES, self.vectors.size // NOTES // groups)
        room = groups, max(self.kept_notes, most_notes) + longest * self.group
        self.notes = tuple(untouched_zeros(room, kind) for kind in (np.uint32, np.uint8, self.dtype))
        for block in self.blocks():
            half = block.lanes * n_features // 2
            if half * self.dtype.itemsize >= LARGE // 2:  # as good as sure to be used, and quicker
                advise(self._vectors, block.start, block.start + half, "MADV_HUGEPAGE")

    def _shape(self, count: int, n_features: int) -> tuple[int, ...]:
        return super()._shape(max(count, 2), n_features)  # one half-space alone is a block like others

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.vectors, (self.counts, self.touches, *self.notes), self.ledger

    def reads(self, rows: tuple[Array, ...]) -> tuple[Array, ...]:
        if self.notes and self.counts[:, NOTED].max() > self.notes[0].shape[1] - self.longest * self.group:
            self.flush()  # a loop relies on room for all that a stretch can teach
        groups = len(self.given)
        tags = np.full((groups, TAGS), -1, np.int64)
        tags[:, LATEST] = 0
        return *rows, self.given, np.empty(2 * groups * self.longest_row, np.uint32), tags

    def places_of(self, group: int) -> Array:
        all_placed = self.given.size == 0
        return np.arange(1, self.n_features + 1, dtype=np.uint32) if all_placed else self.given[group]

    def blocks(self) -> list[Block]:
        return [Block(self, first) for first in range(0, self.vectors.shape[0], self.lanes)]

    def _numbers(self) -> list[Array]:
        return [block.of(self.vectors) for block in self.blocks()]

    def latest(self) -> TouchedHalfSpaces:
        """Those who still learn."""
        return self if self.successor is None else self.successor[0].latest()

    # ------------------------------------------------------------------------------------------- the sums

    def notes_are_full(self) -> bool:
        return bool((self.counts[:, NOTED] > self.kept_notes).any())

    def must_settle(self) -> bool:
        return self.latest().notes_are_full() or super().must_settle()

    def settle(self) -> None:
        latest = self.latest()
        if latest.notes_are_full():
            latest.flush()
        if super().must_settle():
            whole = self.plain()
            whole.settle()
            self.total = whole.total
            self.ledger[...] = whole.ledger
            self._forget_sums()

    def flush(self) -> None:
        """Work out the sums for the averages as they are now, for every feature that has a place."""
        if self._lag is None:
            self._lag = untouched_zeros((self.vectors.size,), self.dtype)
        for block in self.blocks():
            _compiled(_replay)(
                self.read_rows, block.places, block.shift, block.width, block.noted, block.notes(self),
                block.of(self._lag),
            )  # fmt: skip
        self.counts[:, NOTED] = 0

    def _forget_sums(self) -> None:
        self._lag = None
        self.counts[:, NOTED] = 0
        for _, sums in self.packed:
            sums[...] = 0
        if self.successor is not None:
            self.successor[0]._forget_sums()

    # ------------------------------------------------------------------------------------------- the end

    def pack(self) -> None:
        """Training is over: work out the sums for the averages, keep what was touched alone, let go of the rows."""
        if self.successor is not None:
            self.successor[0].pack()
        elif self._lag is not None:
            self.flush()
        else:
            self._pack()
        self.read_rows, self.notes = (), ()

    def _pack(self) -> None:
        for block in self.blocks():
            weights, starts = block.of(self.vectors), np.empty(block.used, np.uint32)
            part = block.touches, block.shift, block.width
            count = int(_compiled(_compress)(weights, *part, starts))
            fits = 2 * count <= len(weights)
            sums = weights[count : 2 * count] if fits else np.empty(count, self.dtype)
            sums[...] = 0  # mostly where weights were
            advise(self.vectors, block.start + (1 + fits) * count, block.start + len(weights), "MADV_DONTNEED")
            replay = _compiled(_replay_packed)
            replay(self.read_rows, block.places, *part, block.noted, block.notes(self), starts, sums)
            self.packed.append((weights[:count], sums))

    def _starts(self, block: Block) -> Array:
        """Where the touched weights of each place start among those of a packed block."""
        bits = (block.touches[: block.used] >> np.uint32(block.shift)) & np.uint32((1 << block.lanes) - 1)
        starts = np.zeros(block.used, np.uint32)
        np.cumsum(np.bitwise_count(bits[:-1]), dtype=np.uint32, out=starts[1:])
        return starts

    def fill(self, state: HalfSpaces, averages: bool = True, numbers: Array | None = None) -> None:
        """Write weights, and sums for the averages, into half-spaces in the "columns" layout, each as its number."""
        own = np.arange(self.count) if numbers is None else numbers.copy()
        if self.successor is not None:
            working, awake = self.successor
            working.fill(state, averages, own[awake])
            own[awake] = -1
        own = np.append(own, np.full(self.vectors.shape[0] - self.count, -1))
        starts, steps = state.places(np.maximum(own, 0))
        for n, block in enumerate(self.blocks()):
            lanes = slice(block.first, block.first + block.lanes)
            where = block.wanted(own), starts[lanes], steps[lanes]
            if self.packed:
                part = block.places, block.touches, block.shift, block.width, self._starts(block)
                for numbers_of, target in zip(self.packed[n], (state.vectors, state.lag), strict=True):
                    if target.size:
                        _compiled(_spread_packed)(numbers_of, *part, where[0], target.reshape(-1), *where[1:])
                continue
            sources = [(self.vectors, state.vectors), *([(self.lag, state.lag)] if averages else [])]
            for source, target in sources:
                spread = _compiled(_spread)
                spread(block.of(source), block.places, block.width, where[0], target.reshape(-1), *where[1:])

    def plain(self, averages: bool = True) -> HalfSpaces:
        """The same half-spaces in the "columns" layout."""
        result = HalfSpaces(self.count, self.n_features, self.dtype, "columns", averages=averages)
        latest = self.latest()
        if averages and not latest.packed:
            latest.flush()
        self.fill(result, averages)
        result.ledger[...] = self.ledger
        result.total = self.total if averages else None
        return result

    def whole(self) -> HalfSpaces:
        return self if self.successor is None else self.plain(averages=False)

    def copy_weights(self) -> HalfSpaces:
        return self.plain(averages=False)

    # ------------------------------------------------------------------------------------------- rest

    def can_part(self) -> bool:
        return self._lag is None

    def part(self, awake: Array) -> TouchedHalfSpaces:
        """Some go on in a state of their own; the others have learned everything, and are packed."""
        known = self.n_features, self.dtype, self.read_rows, self.longest
        noted = int(self.counts[:, NOTED].sum())
        result = TouchedHalfSpaces(len(awake), *known, all_placed=True, most_notes=noted)
        result.ledger[: len(awake)] = self.ledger[awake]
        numbers = np.full(self.vectors.shape[0], -1)
        numbers[awake] = np.arange(len(awake))
        self._hand_over_notes(result, numbers)
        self._pack()
        starts_and_steps = result._weights_of(np.arange(len(awake)))
        for block, (weights, _) in zip(self.blocks(), self.packed, strict=True):
            _compiled(_take)(
                weights, block.places, block.touches, block.shift, block.width, self._starts(block),
                block.wanted(numbers), numbers[block.first : block.first + block.lanes],
                result.vectors.reshape(-1), result.touches, *starts_and_steps, result.group,
            )  # fmt: skip
        self.successor = result, awake
        return result

    def _weights_of(self, numbers: Array) -> tuple[Array, Array]:
        """Where half-spaces begin in the memory of the weights, and how far apart their weights stand."""
        first = numbers // self.lanes * self.lanes
        widths = np.minimum(self.lanes, self.vectors.shape[0] - first)
        return first * (self.n_features + 1) + numbers - first, widths

    def _hand_over_notes(self, other: TouchedHalfSpaces, numbers: Array) -> None:
        """Give notes of half-spaces that have a number there to another state."""
        for g in range(len(self.counts)):
            noted = int(self.counts[g, NOTED])
            notes = tuple(part[g, :noted] for part in self.notes)
            owners = numbers[g * self.group + notes[1].astype(np.intp)]
            for new_group in range(len(other.counts)):
                theirs = (owners >= 0) & (owners // self.group == new_group)
                start = int(other.counts[new_group, NOTED])
                stop = start + int(theirs.sum())
                taken = notes[0][theirs], owners[theirs] - new_group * self.group, notes[2][theirs]
                for part, new in zip(other.notes, taken, strict=True):
                    part[new_group, start:stop] = new
                other.counts[new_group, NOTED] = stop
            kept = owners < 0
            self.counts[g, NOTED] = int(kept.sum())
            for part in notes:
                part[: int(kept.sum())] = part[kept]


def may_be_touched(task: Task, state: HalfSpaces) -> bool:
    """Whether a run may be trained so: from zero, on sparse rows, by a rule that leaves alone what a row lacks.

    Several threads are asked for by those who want speed, and have more of it with the usual half-spaces.
    """
    return (
        task.layout == "columns"
        and task.n_jobs == 1
        and state.count > 1
        and state.is_fresh()
        and task.n_rows < 2**32
        and compiled.never_shrinks(task.rule)
        and _is_modest(task)
    )


def _is_modest(task: Task) -> bool:
    """Whether no number is so large that a bound on sums of them could come near the end of float32."""
    numbers = task.rows[0], task.params, task.sample_weight
    return all(part.size == 0 or (part.max() <= MODEST and part.min() >= -MODEST) for part in numbers)
