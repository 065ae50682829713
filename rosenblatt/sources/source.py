"""Files as a source of rows, all at once or in batches; `opening` makes one.

A source is of one of two kinds. A *frame* is a table with named, typed columns, one of which may be the target: CSV,
TSV, Parquet, Arrow, JSON lines, KEEL. A *matrix* is numbers with their labels beside them: LIBSVM, IDX, NumPy.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.arguments import generator, whole_number

from . import delimited, sparse_text
from . import dialect as dialects
from .batches import in_batches
from .compressed import described, encoding_of, is_packed, open_text
from .formats import FORMATS, TEXT_TABLES, Kind
from .libsvm import widened
from .matrix import Matrix
from .reading import ReadOptions
from .whole_lines import Place, blocks_in_order

if TYPE_CHECKING:
    import polars as pl

    from .batches import Rows

STREAMED_BYTES = 2**22  # of text in a block that is learned from while the next one is read
COLUMN_BYTES = 2**15  # of text for each column in a block, which costs some time for each of them
OFFSETS = 2**44  # of blocks in one file
COUNTED_ROWS = 2_000_000  # up to which the line of a row is looked up


@dataclass
class Source:
    """Files of one format that hold rows; made by `open_source`.

    Attributes
    ----------
    paths : tuple of str
        The files, in the order in which they are read.
    format : str
        A key of `FORMATS`.
    kind : "frame" or "matrix"
        What `read` gives: a polars DataFrame, or a `Matrix`.
    reading : ReadOptions
    labels : str or None
        The column of a text table whose words are labels: NA and None are classes there.
    notes : list of str
        Sentences about what was assumed or changed on the way.
    """

    paths: tuple[str, ...]
    format: str
    reading: ReadOptions = field(default_factory=ReadOptions)
    labels: str | None = None
    notes: list[str] = field(default_factory=list)
    types: dict[str, Any] = field(default_factory=dict, repr=False)
    copies: Any = field(default=None, repr=False)  # the folder of what came from elsewhere
    called: dict[str, str] = field(default_factory=dict, repr=False)  # and where each file in it came from
    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False)
    _sizes: dict[str, int] = field(default_factory=dict, repr=False)  # of the files when they were opened

    def __post_init__(self) -> None:
        for path in self.paths:
            with suppress(OSError):  # reported when it is read
                self._sizes[path] = os.path.getsize(path)

    @property
    def kind(self) -> Kind:
        return FORMATS[self.format].kind

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        more = len(self.paths) - 1
        return self.name_of(self.paths[0]) + (f" and {more} more" if more else "")

    def name_of(self, path: str) -> str:
        """How one of the files is called in messages."""
        return self.called.get(path, path)

    @property
    def header(self) -> bool | None:
        """Whether the first line of a text table has names, as given, or as found when rows were read."""
        return self.reading.header

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a frame; of a text table, only its first lines are read."""
        if self.kind == "matrix":
            raise ValueError(f"Only a table has named columns, and {self.name} is {self.format}; use read().")
        if self.is_text_table:
            with described(self.name):
                return self._dialect(self.paths[0]).names
        return tuple(next((frame.columns for frame in self._frames(lean=True)), ()))

    # ------------------------------------------------------------------ rows

    def read(self) -> Rows:
        """All rows: a polars DataFrame, or a `Matrix`."""
        with self._unchanged():
            if self.kind == "matrix":
                parts = [rows for path in self.paths for _, rows in self._pieces(path)]
                _check_rows(bool(parts), self.name)
                return Matrix.stacked(parts)
            frames = None
            while frames is None:
                with suppress(delimited.TypesWidened):
                    frames = list(self._frames())
            _check_rows(any(frame.height for frame in frames), self.name)  # an Arrow file without rows has columns
            import polars as pl

            return pl.concat(frames, how="vertical_relaxed", rechunk=False)

    def batches(self, n_rows: int = 65_536) -> Iterator[Rows]:
        """The rows again, `n_rows` at a time (fewer in the last batch), in bounded memory.

        The types of the columns are those of `read`. Where a line in the middle of a file turns out not to fit them,
        `delimited.TypesWidened` is raised: begin again, the types are known then.
        """
        whole_number("n_rows", n_rows, 1, "it is the number of rows of a batch")
        found = False
        with self._unchanged():
            matrices = (rows for path in self.paths for _, rows in self._pieces(path, block_bytes=0))
            rows = matrices if self.kind == "matrix" else self._frames(lean=True)
            for piece in in_batches(rows, min(n_rows, sys.maxsize)):
                found = True
                yield piece
            _check_rows(found, self.name)

    def placed_blocks(self, seed: int | None = None) -> Iterator[tuple[int, Rows]]:
        """The rows in blocks of a few megabytes, each with a number of its own that is the same in every pass.

        With a seed, the blocks of plain text files come in random order, once a pass in order is done; those of other
        files come in order.
        """
        numbered = list(enumerate(self.paths))
        if seed is not None:
            numbered = [numbered[k] for k in generator(seed, "seed").permutation(len(numbered))]
        found = False
        with self._unchanged():
            for number, path in numbered:
                for place, rows in self._placed(path, seed, fresh=not found):
                    if len(rows):
                        found = True
                        yield number * OFFSETS + place, rows
            _check_rows(found, self.name)

    def _placed(self, path: str, seed: int | None, *, fresh: bool) -> Iterator[tuple[int, Rows]]:
        """The blocks of one file, with the offset or number of each."""
        known, places = self._places.get(path), None
        text = self.format in (*TEXT_TABLES, "libsvm") and not is_packed(path)
        if known is not None and seed is not None and text and encoding_of(path, self.reading.encoding) == "utf-8":
            places = [known[k] for k in np.random.default_rng([seed, 1]).permutation(len(known))]
        seen: list[Place] = []
        for place, rows in self._pieces(path, fresh, STREAMED_BYTES, places):
            seen.append(place)
            yield place.offset, rows
        self._places.setdefault(path, seen)

    def _pieces(
        self, path: str, fresh: bool = True, block_bytes: int | None = None, places: list[Place] | None = None
    ) -> Iterator[tuple[Place, Any]]:
        """The rows of one file in blocks, and where each stands; in files that are no text, its number.

        `block_bytes` None is for blocks that will be put together anyway, 0 for blocks that take little memory.
        """
        name = self.name_of(path)
        with described(name):
            if self.is_text_table:
                yield from self._text_frames(path, fresh, block_bytes, places)
            elif self.format == "libsvm":
                whole = block_bytes is None
                blocks = self._sparse_blocks(path, places, whole=whole)
                yield from sparse_text.gathered(blocks) if whole else blocks
            else:
                blocks = FORMATS[self.format].read(path, name, self.format, self.reading, block_bytes is None)
                yield from ((Place(number, 0), rows) for number, rows in enumerate(blocks))

    def _frames(self, lean: bool = False) -> Iterator[pl.DataFrame]:
        """The rows of all files, block by block; every file has the columns of the first.

        `lean`: in blocks that take little memory.
        """
        expected: tuple[str, ...] = ()
        for path in self.paths:
            for _, frame in self._pieces(path, not expected, 0 if lean else None):
                if not expected:
                    expected = tuple(frame.columns)
                elif tuple(frame.columns) != expected:
                    if set(frame.columns) != set(expected):
                        differ = sorted(set(frame.columns) ^ set(expected))
                        raise ValueError(
                            f"Files that are read together must have the same columns, but {self.name_of(path)} and "
                            f"{self.name_of(self.paths[0])} differ in {', '.join(map(repr, differ[:5]))}; pass them "
                            "one by one."
                        )
                    frame = frame.select(expected)
                yield frame

    def _sparse_blocks(
        self, path: str, places: list[Place] | None = None, *, whole: bool = False
    ) -> Iterator[tuple[Place, Matrix]]:
        """Blocks of LIBSVM text, of one width unless `whole`: then they are put together anyway."""
        name = self.name_of(path)
        if not whole and self.reading.n_features is None:  # counted in a pass of its own
            widths = (rows.X.shape[1] for each in self.paths for _, rows in self._sparse_blocks(each, whole=True))
            self.reading = replace(self.reading, n_features=max(widths, default=1))
        with open_text(path) as file:
            for place, rows in sparse_text.sparse_blocks(file, path, name, self.reading, places):
                yield place, widened(rows, self.reading.n_features, name)

    # ------------------------------------------------------------------ text tables

    @property
    def is_text_table(self) -> bool:
        """Whether the rows stand in files of text with a separator between the columns."""
        return self.format in TEXT_TABLES

    def dialect(self) -> dialects.Dialect | None:
        """What a text table looks like (the first, where there are several); None for other formats."""
        return self._dialect(self.paths[0]) if self.is_text_table else None

    def _dialect(self, path: str) -> dialects.Dialect:
        with open_text(path, self.reading.encoding, dialects.SAMPLE_BYTES) as file:
            sample = file.read(dialects.SAMPLE_BYTES)
        return dialects.find_dialect(
            sample,
            self.name_of(path),
            header=self.reading.header,
            separator=self.reading.separator or ("\t" if self.format == "tsv" else None),
            missing=self.reading.missing,
        )

    def _table(self, path: str) -> delimited.TextTable:
        import polars as pl

        dialect = self._dialect(path)
        self.notes += [note for note in dialect.notes if note not in self.notes]
        for column, kind in dialect.types.items():
            true_or_false = column == self.labels and kind == pl.Boolean  # TRUE stays TRUE, in predictions too
            self.types.setdefault(column, pl.String if true_or_false else kind)
        words = self.labels if self.reading.na_values is None else None
        name = self.name_of(path)
        return delimited.TextTable(name, dialect, self.types, path, self.reading.encoding, self.reading.missing, words)

    def _text_frames(
        self, path: str, fresh: bool, block_bytes: int | None = None, places: list[Place] | None = None
    ) -> Iterator[tuple[Place, pl.DataFrame]]:
        """Blocks of a text table and where they stand; `block_bytes` 0: of a few megabytes, more for wide tables."""
        table = self._table(path)
        if self.reading.header is None and fresh:
            self.reading = replace(self.reading, header=table.dialect.header)
        if block_bytes == 0:
            block_bytes = min(delimited.BLOCK_BYTES, max(STREAMED_BYTES, COLUMN_BYTES * len(table.dialect.names)))
        with open_text(path, self.reading.encoding) as file:
            yield from table.frames(file, fresh=fresh, block_bytes=block_bytes, places=places)

    def place_of(self, row: int) -> str:
        """A row, counted from 0, as its user finds it: by its line in a text table, where that is quickly known."""
        whole_number("row", row, 0, "rows are counted from 0")
        if self.is_text_table and len(self.paths) == 1 and row <= COUNTED_ROWS:
            table, left = self._table(self.paths[0]), row
            with open_text(self.paths[0], self.reading.encoding) as file:
                for place, text in blocks_in_order(file, table.dialect.quote, delimited.BLOCK_BYTES, 0):
                    line, rows = table.find_row(text, place, left)
                    if line is not None:
                        return f"line {line:,}"
                    left -= rows
        return f"row {row + 1:,}"

    # ------------------------------------------------------------------ the files

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Watch the files while they are read: one that is cut meanwhile is refused."""
        try:
            yield
        except ValueError as error:
            self._check_cut(error)  # the reason for what is wrong with it
            raise
        self._check_cut()

    def _check_cut(self, error: Exception | None = None) -> None:
        for path, before in self._sizes.items():
            with suppress(OSError):
                size = os.path.getsize(path)
                if size < before:
                    raise ValueError(
                        f"{self.name_of(path)} was cut from {before:,} to {size:,} bytes while it was read; "
                        "run it again when the file is written."
                    ) from error

    def digest(self) -> str:
        """SHA-256 of the files as they are stored, one after another."""
        digest = hashlib.sha256()
        for path in self.paths:
            with open(path, "rb", buffering=0) as file:
                while piece := file.read(2**20):
                    digest.update(piece)
        return digest.hexdigest()

    @property
    def is_copy(self) -> bool:
        """Whether this is a copy of standard input or of what an address sent, which `close` removes."""
        return self.copies is not None

    def close(self) -> None:
        """Remove the copies of what came from elsewhere, if there are any."""
        if self.is_copy:
            self.copies.cleanup()


def _check_rows(found: bool, name: str) -> None:
    if not found:
        raise ValueError(f"{name} has no rows.")
