"""Sparse text in blocks of whole lines, read into buffers that are used again: new memory costs more than a copy.

A block says how many lines and separators it has, so that the arrays it becomes are made in the right size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from .whole_lines import Place

NO_LIMIT = 2**62
FIRST_BYTES = 2**21  # read before anything is known about the length of lines
LINE_END = 10
BEYOND = 3  # bytes behind the last line that a parser may look at


@dataclass
class Buffer:
    """Room for a block of text, and for notes on the numbers in it that are left to `float()`."""

    text: Any
    notes: Any = field(default_factory=lambda: np.empty((0, 3), np.int64))

    def lengthen(self, filled: int, n_bytes: int) -> None:
        """Room for so many bytes, of which those that are there stay."""
        if len(self.text) < n_bytes + BEYOND:
            self.text = np.concatenate([self.text[:filled], np.empty(n_bytes + BEYOND - filled, np.uint8)])

    def room_for_notes(self, count: int) -> Any:
        if len(self.notes) < count:
            self.notes = np.empty((count, 3), np.int64)
        return self.notes


@dataclass
class Block:
    """Whole lines of a file: `length` bytes of the buffer's text, the last of them a line's end."""

    place: Place
    buffer: Buffer
    length: int
    lines: int
    colons: int
    gaps: int

    def bytes(self) -> bytes:
        return bytes(self.buffer.text[: self.length])


class Buffers:
    """Buffers that nobody reads from at the moment; any thread may bring one back."""

    def __init__(self) -> None:
        self._free: deque[Buffer] = deque()

    def take(self, n_bytes: int) -> Buffer:
        try:
            buffer = self._free.pop()
        except IndexError:
            return Buffer(np.empty(n_bytes + BEYOND, np.uint8))
        if len(buffer.text) < n_bytes + BEYOND:
            buffer.text = np.empty(n_bytes + BEYOND, np.uint8)
        return buffer

    def give_back(self, buffer: Buffer) -> None:
        self._free.append(buffer)


def blocks_in_order(file: BinaryIO, buffers: Buffers, n_bytes: int, n_lines: int = NO_LIMIT) -> Iterator[Block]:
    """The lines of a file from its beginning to its end, `n_lines` in a block where so many have at most `n_bytes`."""
    from .parsing import cut_lines

    buffer = buffers.take(n_bytes)
    filled, wanted, offset = 0, min(n_bytes, FIRST_BYTES), 0
    while True:
        filled, ended = _fill(file, buffer.text, filled, wanted)
        length = _closed(buffer.text, filled) if ended else filled
        end, lines, colons, gaps = cut_lines(buffer.text, length, n_lines)
        if not end and ended:
            return
        if lines < n_lines and not ended and (filled < n_bytes or not end):
            wanted = 2 * filled if filled >= n_bytes else min(n_bytes, 2 * filled)
            buffer.lengthen(filled, wanted)  # for a line that is longer than the block
            continue
        stored = min(end, filled)
        filled -= stored
        following = buffers.take(max(n_bytes, filled))
        following.text[:filled] = buffer.text[stored : stored + filled]
        buffer.text[end : end + BEYOND] = LINE_END
        yield Block(Place(offset, stored), buffer, end, lines, colons, gaps)
        offset += stored
        wanted = min(n_bytes, end + end // 16)  # about what the next block needs
        buffer = following


def blocks_at(file: BinaryIO, buffers: Buffers, places: Iterable[Place]) -> Iterator[Block]:
    """The blocks at places that are known."""
    from .parsing import cut_lines

    for place in places:
        buffer = buffers.take(place.length)
        file.seek(place.offset)
        filled, _ = _fill(file, buffer.text, 0, place.length)
        end, lines, colons, gaps = cut_lines(buffer.text, _closed(buffer.text, filled), NO_LIMIT)
        buffer.text[end : end + BEYOND] = LINE_END
        yield Block(place, buffer, end, lines, colons, gaps)


def _fill(file: BinaryIO, text: Any, filled: int, wanted: int) -> tuple[int, bool]:
    """Read on until so much is there: (bytes that are there, whether the file has ended)."""
    while filled < wanted:
        read = file.readinto(text[filled:wanted])  # type: ignore[attr-defined]
        if not read:
            return filled, True
        filled += read
    return filled, False


def _closed(text: Any, filled: int) -> int:
    """The length with an end for the last line, where it has none of its own."""
    if not filled or text[filled - 1] == LINE_END:
        return filled
    text[filled] = LINE_END
    return filled + 1
