"""Arrow files, one record batch at a time, by plain reads.

polars would map the file, and to cut a mapped file ends the process that reads it. So every record batch is read into
memory with what it needs, its dictionaries and the file's footer, and polars is given this as a small Arrow file of its
own. A file that has been cut is met by a read that comes short.

The format: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format. The footer is a flatbuffer: a table
whose fields 2 and 3 are lists of the places of dictionaries and of record batches.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"ARROW1"
ALIGNED = 64  # bytes
DICTIONARIES, BATCHES = 2, 3  # fields of a footer


class NotWholeError(Exception):
    """A file that has been cut, or damaged."""


class Block(NamedTuple):
    """Where a message stands: its first byte, and the bytes of what describes it and of what it holds."""

    offset: int
    described: int
    held: int


BLOCK = struct.Struct("<qi4xq")


@dataclass
class Footer:
    """The end of an Arrow file, which says where everything is."""

    content: bytearray

    def blocks(self, field: int) -> list[Block]:
        at = self._list_at(field)
        if at is None:
            return []
        (count,) = struct.unpack_from("<I", self.content, at)
        return [Block(*BLOCK.unpack_from(self.content, at + 4 + BLOCK.size * k)) for k in range(count)]

    def with_blocks(self, places: dict[int, list[Block]]) -> bytes:
        """The same footer with other places, at most as many as there are now."""
        changed = bytearray(self.content)
        for field, blocks in places.items():
            at = self._list_at(field)
            if at is not None:
                struct.pack_into("<I", changed, at, len(blocks))
                for k, block in enumerate(blocks):
                    BLOCK.pack_into(changed, at + 4 + BLOCK.size * k, *block)
        return bytes(changed)

    def _list_at(self, field: int) -> int | None:
        """Where the list in a field of the table begins; None where the field is not there."""
        (table,) = struct.unpack_from("<I", self.content, 0)
        layout = table - struct.unpack_from("<i", self.content, table)[0]
        (size,) = struct.unpack_from("<H", self.content, layout)
        place = 4 + 2 * field
        (offset,) = struct.unpack_from("<H", self.content, layout + place) if place < size else (0,)
        if not offset:
            return None
        at = int(table + offset)
        return at + int(struct.unpack_from("<I", self.content, at)[0])


def record_batches(file: BinaryIO) -> Iterator[pl.DataFrame]:
    """The record batches of an Arrow file. NotWholeError where some of it is missing.

    Examples
    --------
    >>> import io, polars
    >>> file = io.BytesIO()
    >>> polars.DataFrame({"a": ["x", "y"], "b": [1.5, None]}).write_ipc(file)
    >>> [batch.rows() for batch in record_batches(file)]
    [[('x', 1.5), ('y', None)]]
    >>> list(record_batches(io.BytesIO(file.getvalue()[:-9])))
    Traceback (most recent call last):
    rosenblatt.sources.arrow.NotWholeError: its end is missing
    """
    import polars as pl

    try:
        footer = _footer(file)
        dictionaries = [_Message.read(file, block) for block in footer.blocks(DICTIONARIES)]
        batches = footer.blocks(BATCHES)
        if not batches:  # a table without rows still has columns
            yield pl.read_ipc(_small_file(footer, dictionaries, []))
        for block in batches:
            yield pl.read_ipc(_small_file(footer, dictionaries, [_Message.read(file, block)]))
    except (struct.error, OverflowError) as error:
        raise NotWholeError("what it says about itself makes no sense") from error


@dataclass
class _Message:
    block: Block
    content: bytes

    @classmethod
    def read(cls, file: BinaryIO, block: Block) -> _Message:
        length = block.described + block.held
        if block.offset < 0 or block.described < 0 or block.held < 0:
            raise NotWholeError("what it says about itself makes no sense")
        missing = NotWholeError("a part of it is missing")
        if block.offset + length > file.seek(0, 2):  # before room is made for what is not there
            raise missing
        file.seek(block.offset)
        content = file.read(length)
        if len(content) < length:  # cut meanwhile
            raise missing
        return cls(block, content)


def _footer(file: BinaryIO) -> Footer:
    end = file.seek(0, 2)
    file.seek(max(0, end - 10))
    last = file.read(10)
    if len(last) < 10 or not last.endswith(MAGIC):
        raise NotWholeError("its end is missing")
    (size,) = struct.unpack_from("<i", last)
    if not 0 < size <= end - 10:
        raise NotWholeError("its end is missing")
    file.seek(end - 10 - size)
    return Footer(bytearray(file.read(size)))


def _small_file(footer: Footer, dictionaries: list[_Message], batches: list[_Message]) -> bytes:
    """An Arrow file of these messages alone."""
    pieces, length = [MAGIC, b"\0\0"], len(MAGIC) + 2
    places: dict[int, list[Block]] = {DICTIONARIES: [], BATCHES: []}
    for field, messages in ((DICTIONARIES, dictionaries), (BATCHES, batches)):
        for message in messages:
            gap = -length % ALIGNED
            places[field].append(Block(length + gap, message.block.described, message.block.held))
            pieces += [bytes(gap), message.content]
            length += gap + len(message.content)
    end = footer.with_blocks(places)
    return b"".join([*pieces, end, struct.pack("<i", len(end)), MAGIC])
