"""Blocks of whole lines of a file of text, and where they stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from .compressed import open_text


def _last_end(text: bytes, mark: bytes) -> int:
    """Behind the last line break that stands outside of quotes; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    quotes = text.count(mark, 0, end) if mark and mark in text else 0
    while end and quotes % 2:
        before = text.rfind(b"\n", 0, end - 1) + 1
        quotes -= text.count(mark, before, end)
        end = before
    return end


class Place(NamedTuple):
    """Where a block of text stands in its file: its first byte and its length."""

    offset: int
    length: int


def blocks_in_order(
    file: BinaryIO, quote: str | None, block_bytes: int, offset: int = 0
) -> Iterator[tuple[Place, bytes]]:
    """Blocks of whole lines, from the line that begins at `offset` on; a line break inside quotes does not end one."""
    if offset:  # what is decompressed on the way cannot always be sought in
        file.seek(offset) if file.seekable() else file.read(offset)
    mark = quote.encode() if quote else b""
    kept = b""  # of a line whose end has not come
    while read := file.read(max(block_bytes, len(kept))) + file.readline():  # most often whole lines
        text = kept + read
        end = _last_end(text, mark)
        if end:
            yield Place(offset, end), text[:end]
        offset, kept = offset + end, text[end:]
    if kept:
        yield Place(offset, len(kept)), kept


def first_line(path: str, offset: int, encoding: str = "utf-8") -> int:
    """The number of the line that begins at a byte; counted only when there is something to complain about."""
    line, left = 1, offset
    with open_text(path, encoding) as file:
        while left and (read := file.read(min(left, 2**20))):
            line += read.count(b"\n")
            left -= len(read)
    return line


def blocks_at(file: BinaryIO, places: Iterable[Place]) -> Iterator[tuple[Place, bytes]]:
    """The blocks at places that are known."""
    for place in places:
        file.seek(place.offset)
        yield place, file.read(place.length)
