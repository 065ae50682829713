"""The rows of files block by block, so that a file of any size is answered or converted in bounded memory.

A large table is read twice: once for the types of its columns, which the last line may still change, and to find what
is wrong with it before anything is written; once for the rows. A small file is read in one piece, and its blocks are
the same: the last digit of a matrix product may depend on how many rows are multiplied together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.sources.batches import in_batches
from rosenblatt.verbs.errors import reading
from rosenblatt.verbs.memory import unpacked_size

if TYPE_CHECKING:
    from rosenblatt.sources import Source

WHOLE_BYTES = 2**26  # up to which a file is read in one piece
BLOCK_NUMBERS = 2**20  # in the rows of a block, as the learner sees them
MOST_ROWS = 2**17  # of a block
SURVEYED_ROWS = 2**13  # looked at at a time, so that not many are held that were read and are not needed


def rows_of_width(width: int) -> int:
    """How many rows of so many columns make a block.

    Examples
    --------
    >>> [rows_of_width(width) for width in (2, 30, 100_000)]
    [131072, 34952, 256]
    """
    return max(256, min(MOST_ROWS, BLOCK_NUMBERS // max(1, width)))


def blocks_of(source: Source, n_rows: int) -> Iterator[Any]:
    """The rows of a source, `n_rows` at a time: frames that all have the types of the whole table, or matrices."""
    with reading(source.name):
        try:
            if sum(map(unpacked_size, source.paths)) <= WHOLE_BYTES:
                yield from in_batches([source.read()], n_rows)
            elif source.kind == "matrix":
                yield from source.batches(n_rows)
            else:
                types = _types_of(source)
                for frame in source.batches(n_rows):
                    yield frame.cast(types)  # type: ignore[union-attr]  # no matrix
        finally:
            source.close()


def _types_of(source: Source) -> Any:
    """The types of the columns, from a pass over all rows, or several where a later line needs a wider type."""
    import polars

    from rosenblatt.sources.delimited import TypesWidened

    while True:
        whole = None
        try:
            for frame in source.batches(SURVEYED_ROWS):
                if whole is None or frame.schema != whole.schema:  # type: ignore[union-attr]  # no matrix
                    parts: Any = [part.clear() for part in (whole, frame) if part is not None]  # type: ignore[union-attr]
                    whole = polars.concat(parts, how="vertical_relaxed")
            return None if whole is None else whole.schema
        except TypesWidened:
            continue
