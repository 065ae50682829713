"""Text tables of plain numbers, and of words of which there are few: cells straight into columns, by compiled code.

It reads what is written in the plainest way and nothing else: digits with a point, a minus or an exponent, and words
without quotes. Whatever else it meets (an empty cell, a quote, a line of another width, more digits than a float64
has room for), it gives up, and `delimited` reads on from there with all its patience. So types, values and complaints
are the same as without it.

What is compiled is in `number_cells`.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from . import machine_code
from .ahead import ahead
from .dialect import Dialect
from .powers import POWERS_OF_TEN, powers_of_five
from .whole_lines import Place

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**24
THREADS = 2
# As in `number_cells`, which is not imported for the sake of them.
BEYOND, MOST_WORDS, SLOTS = 32, 1000, 4096
NUMBER, WHOLE, WORD = range(3)
NOT_PLAIN, FULL = -1, -2
LINE_END = 10


@functools.cache
def _parse_table() -> Callable[..., int]:
    def compiled() -> tuple[str, str]:
        from . import number_cells

        return number_cells.compiled()

    address, whole = ctypes.c_void_p, ctypes.c_int64
    return machine_code.function(
        Path(__file__).with_name("number_cells.py"), compiled,
        [address, whole, whole, ctypes.c_uint8, address, whole, address, address, whole] + [address] * 5,
    )  # fmt: skip


def load() -> None:
    """Have the compiled code ready, for a thread that is about to need it."""
    _parsed(_Room(1, BEYOND), np.empty((1, 1)), 0, 0, ord(","), np.zeros(1, np.int64))


def _parsed(room: _Room, cells: Any, start: int, length: int, separator: int, kinds: Any) -> int:
    room.slots.fill(-1)
    room.counts.fill(0)
    width, rows = cells.shape
    return _parse_table()(
        room.text.ctypes.data, start, length, separator, kinds.ctypes.data, width, cells.ctypes.data,
        cells.ctypes.data, rows, room.slots.ctypes.data, room.words.ctypes.data, room.counts.ctypes.data,
        powers_of_five().ctypes.data, POWERS_OF_TEN.ctypes.data,
    )  # fmt: skip


class NumberTable:
    """Reads the blocks of a text table while they are plain.

    Attributes
    ----------
    stopped : Place or None
        The block at which `blocks` gave up; None where it came to the end.
    """

    def __init__(self, dialect: Dialect, kinds: dict[str, Any], missing: Iterable[str]) -> None:
        import polars as pl

        codes = {pl.Float64: NUMBER, pl.Int64: WHOLE, pl.String: WORD}
        self.names, self.missing = dialect.names, frozenset(missing)
        self.kinds = np.array([codes[kinds[name]] for name in self.names], np.int64)
        self.separator = ord(dialect.separator)
        self.stopped: Place | None = None
        self._rooms: deque[_Room] = deque()
        self._lines_per_byte = 0.0

    @staticmethod
    def fits(dialect: Dialect, kinds: dict[str, Any]) -> bool:
        """Whether a table is written plainly, as far as its first lines tell."""
        import polars as pl

        odd = dialect.comment or dialect.decimal_comma or dialect.spaces or dialect.runs or dialect.quoted_commas
        known = all(kinds[name] in (pl.Float64, pl.Int64, pl.String) for name in dialect.names)
        numbers = sum(kinds[name] != pl.String for name in dialect.names)
        return not odd and known and 2 * numbers > len(dialect.names) and dialect.separator not in "+-.eE0123456789"

    def blocks(
        self, file: BinaryIO, start: int, places: list[Place] | None = None, block_bytes: int | None = None
    ) -> Generator[tuple[Place, Cells], None, None]:
        """The rows in blocks, as long as these are plain; `start` bytes of the first are no rows."""
        file.seek(0)
        blocks = self._in_order(file, block_bytes or BLOCK_BYTES) if places is None else self._at(file, places)

        def parse(item: tuple[Place, _Room, int]) -> tuple[Place, Cells | None]:
            place, room, length = item
            cells = self._cells(room, start if place.offset == 0 else 0, length)
            self._rooms.append(room)
            return place, cells

        self.stopped = None
        for place, found in ahead(blocks, parse, THREADS):
            if found is None:
                self.stopped = place
                return
            if found.height:
                yield place, found

    def _room(self, n_bytes: int) -> _Room:
        """Memory that was used before, where there is some: new memory costs more than a copy."""
        try:
            room = self._rooms.popleft()
        except IndexError:
            room = _Room(len(self.kinds), n_bytes + BEYOND)
        if len(room.text) < n_bytes + BEYOND:
            room.text = _memory(n_bytes + BEYOND)
        return room

    def _in_order(self, file: BinaryIO, n_bytes: int) -> Iterator[tuple[Place, _Room, int]]:
        offset, kept = 0, np.empty(0, np.uint8)
        while True:
            room = self._room(max(n_bytes, 2 * len(kept)))
            room.text[: len(kept)] = kept
            filled = _read_into(file, room.text, len(kept), max(n_bytes, 2 * len(kept)))
            if filled == len(kept):  # the end
                if filled:
                    room.text[filled] = LINE_END
                    yield Place(offset, filled), room, filled + 1
                return
            end = _last_line_end(room.text, filled)
            kept = room.text[end:filled].copy()
            if end:
                yield Place(offset, end), room, end
                offset += end

    def _at(self, file: BinaryIO, places: list[Place]) -> Iterator[tuple[Place, _Room, int]]:
        for place in places:
            room = self._room(place.length)
            file.seek(place.offset)
            filled = _read_into(file, room.text, 0, place.length)
            closed = bool(filled) and room.text[filled - 1] == LINE_END
            room.text[filled] = LINE_END
            yield place, room, filled + (not closed)

    def _cells(self, room: _Room, start: int, length: int) -> Cells | None:
        cells = _memory_for(len(self.kinds), int(self._lines_per_byte * length) + 16)
        rows = _parsed(room, cells, start, length, self.separator, self.kinds)
        if rows == FULL:
            lines = int(np.count_nonzero(room.text[:length] == LINE_END))
            self._lines_per_byte = 1.02 * lines / length
            cells = _memory_for(len(self.kinds), lines)
            rows = _parsed(room, cells, start, length, self.separator, self.kinds)
        if rows < 0:
            return None
        words = {}
        for j in np.flatnonzero(self.kinds == WORD).tolist():
            try:
                found = [bytes(room.text[a:b]).decode() for a, b in room.words[j, : room.counts[j]].tolist()]
            except UnicodeDecodeError:
                return None
            words[j] = [None if word in self.missing else word for word in found]
        return Cells(self.names, self.kinds, cells, rows, words)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a block: numbers as they are, words by their numbers in a list of the column's own."""

    columns: tuple[str, ...]
    kinds: Any
    cells: Any
    height: int
    words: dict[int, list[str | None]]

    def frame(self) -> pl.DataFrame:
        """The same as a polars frame, which keeps these very numbers."""
        import polars as pl

        columns = []
        for j, (name, kind) in enumerate(zip(self.columns, self.kinds, strict=True)):
            column = self.cells[j, : self.height]
            if kind == WORD:
                columns.append(pl.Series(name, self.words[j], dtype=pl.String).gather(column.view(np.int64)))
            else:
                columns.append(pl.Series(name, column if kind == NUMBER else column.view(np.int64)))
        return pl.DataFrame(columns)


def _memory_for(width: int, rows: int) -> Any:
    """Memory for the columns of a block. polars may keep these very numbers, so that every block has its own."""
    return _memory(8 * width * rows).view(np.float64).reshape(width, rows)


def _memory(n_bytes: int) -> Any:
    """Noughts, asked of the system itself: they go back to it at once when nobody needs them any more."""
    if not hasattr(mmap, "MAP_ANONYMOUS"):  # Windows
        return np.zeros(n_bytes, np.uint8)
    memory = mmap.mmap(-1, max(1, n_bytes), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, np.uint8, n_bytes)


class _Room:
    """Memory for a block of text, and for the words in it."""

    def __init__(self, width: int, n_bytes: int) -> None:
        self.text = _memory(n_bytes)
        self.slots, self.words = np.empty((width, SLOTS), np.int32), np.empty((width, MOST_WORDS, 2), np.int64)
        self.counts = np.empty(width, np.int64)


def _read_into(file: BinaryIO, text: Any, filled: int, wanted: int) -> int:
    """Read until so much is there, or the file ends."""
    while filled < wanted:
        read = file.readinto(memoryview(text)[filled:wanted])  # type: ignore[attr-defined]
        if not read:
            break
        filled += read
    return filled


def _last_line_end(text: Any, filled: int) -> int:
    """Behind the last line's end; 0 if there is none."""
    step = 2**12
    for stop in range(filled, 0, -step):
        found = np.flatnonzero(text[max(0, stop - step) : stop] == LINE_END)
        if len(found):
            return max(0, stop - step) + int(found[-1]) + 1
    return 0
