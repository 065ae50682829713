"""Files as a source of rows, all at once or in batches; `opening` makes one.

A source is of one of two kinds. A *frame* is a table with named, typed columns, one of which may be the target: CSV,
TSV, Parquet, Arrow, JSON lines, KEEL. A *matrix* is numbers with their labels beside them: LIBSVM, Vowpal Wabbit, IDX,
NumPy.
"""

from __future__ import annotations

import codecs
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rosenblatt.arguments import generator, shortened, whole_number
from rosenblatt.digests import digest_later, digest_of

from . import arrays, delimited, keel, sparse_text, tables
from . import dialect as dialects
from .addresses import is_remote
from .batches import in_batches
from .compressed import compression_of, described, open_text, wide_encoding
from .formats import MATRICES
from .matrix import Matrix
from .whole_lines import Place, first_line

if TYPE_CHECKING:
    import polars as pl

    from .batches import Rows

Kind = Literal["frame", "matrix"]
COMPILED_BYTES = 2**25  # of text, from which it pays to load the compiled reader
STREAMED_BYTES = 2**22  # of text in a block that is learned from while the next one is read
COLUMN_BYTES = 2**15  # of text for each column in a block, which costs some time for each of them
OFFSETS = 2**44  # of blocks in one file


@dataclass
class Source:
    """Files of one format that hold rows; made by `open_source`.

    Attributes
    ----------
    paths : tuple of str
        The files, in the order in which they are read.
    format : str
        One of "csv", "tsv", "parquet", "arrow", "jsonl", "keel", "libsvm", "vw", "idx", "npy", "npz".
    kind : "frame" or "matrix"
        What `read` gives: a polars DataFrame, or a `Matrix`.
    notes : list of str
        Sentences about what was assumed or changed on the way.
    """

    paths: tuple[str, ...]
    format: str
    header: bool | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    n_features: int | None = None
    zero_based: bool = False
    bits: int = 18
    notes: list[str] = field(default_factory=list)
    types: dict[str, Any] = field(default_factory=dict, repr=False)
    digesting: Future[str] | None = field(default=None, repr=False)  # the digest, where somebody wants it
    written: bool = field(default=False, repr=False)  # every cell is the text that stands there, see `as_written`
    _copies: Any = field(default=None, repr=False)  # the folder of what came from elsewhere
    _called: dict[str, str] = field(default_factory=dict, repr=False)  # and where each file in it came from
    _begun: Future[Any] | None = field(default=None, repr=False)
    _grouped: set[str] = field(default_factory=set, repr=False)  # columns with points between thousands
    _commas: set[str] = field(default_factory=set, repr=False)  # files whose decimal commas come late
    _not_plain: set[str] = field(default_factory=set, repr=False)  # text that the compiled reader gave up on
    _places: dict[str, list[Place]] = field(default_factory=dict, repr=False)
    _states: dict[str, os.stat_result] = field(default_factory=dict, repr=False)  # of the files when they were opened

    def __post_init__(self) -> None:
        for path in self.paths:
            if not is_remote(path):
                with suppress(OSError):  # said when it is read
                    self._states[path] = os.stat(path)

    @property
    def kind(self) -> Kind:
        return "matrix" if self.format in MATRICES else "frame"

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        more = len(self.paths) - 1
        return self.name_of(self.paths[0]) + (f" and {more} more" if more else "")

    def name_of(self, path: str) -> str:
        """How one of the files is called in messages."""
        return self._called.get(path, path)

    @property
    def n_bytes(self) -> int:
        """The size of the files as they are stored, in bytes; 0 for a URL."""
        return sum(os.path.getsize(path) for path in self.paths if not is_remote(path))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of a frame."""
        if self.kind == "matrix":
            raise ValueError(f"Only a table has named columns, but {self.name} is {self.format}; use read().")
        for frame in self._frames():
            return tuple(frame.columns)
        return ()

    def begin(self) -> None:
        """Begin to read on a thread of its own; `read` waits for it, and says what went wrong."""
        import polars  # noqa: F401  here: two threads that import the same may wait for each other

        if self.format in ("csv", "tsv") and any(map(self._is_large_and_plain, self.paths)):
            from .number_table import load

            load()
        future: Future[Any] = Future()
        self._begun = future

        def work() -> None:
            try:
                future.set_result(self._read())
            except BaseException as error:
                future.set_exception(error)

        # A daemon, so that a command that is refused meanwhile can end.
        threading.Thread(target=work, daemon=True).start()

    @property
    def is_being_read(self) -> bool:
        """Whether `begin` was called and is not done."""
        return self._begun is not None and not self._begun.done()

    def read(self) -> Rows:
        """All rows: a polars DataFrame, or a `Matrix`."""
        begun, self._begun = self._begun, None
        blocks = self._read() if begun is None else begun.result()
        return self._joined(blocks) if isinstance(blocks, list) else blocks

    def _read(self) -> Matrix | list[Any]:
        """All rows; of a table, its blocks, some of which are cells that are not a frame yet.

        A thread that reads while others import must not ask for Python's lock a thousand times to make columns.
        """
        with self._unchanged():
            if self.kind == "matrix":
                return self._read_matrix()
            while True:
                try:
                    blocks = list(self._frames(later=True))
                    break
                except delimited.TypesWidened:
                    continue
            if not any(block.height for block in blocks):  # an Arrow file without rows still has columns
                raise self._no_rows()
            return blocks

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Watch the files while they are read: one that is cut meanwhile is refused, another change is noted."""
        try:
            yield
        except ValueError as error:
            self._check_cut(error)  # the reason for what is wrong with it
            raise
        self._check_cut()
        for path, before in self._states.items():
            with suppress(OSError):
                now = os.stat(path)
                if (now.st_size, now.st_mtime_ns, now.st_ino) != (before.st_size, before.st_mtime_ns, before.st_ino):
                    self._note(
                        f"{self.name_of(path)} was changed while it was read, so that old and new rows may be mixed; "
                        "run it again when the file is written."
                    )

    def _check_cut(self, error: Exception | None = None) -> None:
        for path, before in self._states.items():
            with suppress(OSError):
                size = os.stat(path).st_size
                if size < before.st_size:
                    raise ValueError(
                        f"A file must stay as it is while it is read, but {self.name_of(path)} was cut from "
                        f"{before.st_size:,} to {size:,} bytes meanwhile; run it again when the file is written."
                    ) from error

    def _joined(self, blocks: list[Any]) -> pl.DataFrame:
        import polars as pl

        whole = pl.concat(map(_as_frame, blocks), how="vertical_relaxed", rechunk=False)
        if self.format in ("csv", "tsv") and not self.written:
            for name, row in delimited.strangers(whole).items():
                self._note(
                    f"The column {shortened(name)} holds numbers, except that {self.place_of(row)} has "
                    f"{shortened(whole[name][row])}."
                )
        return whole

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def place_of(self, row: int, block: int | None = None) -> str:
        """A row, counted from 0, as its user finds it: by its line in a text table, where that is quickly known.

        With the number of a block of `placed_blocks`, the row is counted in that block, however large the file is.
        """
        whole_number("row", row, 0, "rows are counted from 0")
        number, offset = divmod(block or 0, OFFSETS)
        path = self.paths[number]
        text = self.format in ("csv", "tsv") and not is_remote(path)
        if not text or (block is None and (len(self.paths) > 1 or row > delimited.COUNTED_ROWS)):
            return f"row {row + 1:,}"
        dialect, encoding = self._dialect(path, self.name_of(path)), self._byte_encoding(path)
        before = first_line(path, Place(offset, 0), self.encoding) - 1
        with open_text(path, self.encoding) as file:
            if offset:
                file.seek(offset)
                dialect.header = False
            line = before + delimited.line_of_row(file, dialect, encoding, row)
        return f"line {line:,}" + (f" of {self.name_of(path)}" if len(self.paths) > 1 else "")

    def _byte_encoding(self, path: str) -> str:
        """The encoding of the bytes that `open_text` gives."""
        return self.encoding if wide_encoding(path, self.encoding) is None else "utf-8"

    def _dialect(self, path: str, name: str) -> dialects.Dialect:
        with open_text(path, self.encoding) as file:
            sample = file.read(dialects.SAMPLE_BYTES)
        separator = self.separator or ("\t" if self.format == "tsv" else None)
        encoding = self._byte_encoding(path)
        found = dialects.find_dialect(sample, name, header=self.header, separator=separator, encoding=encoding)
        found.mark = sample.startswith(codecs.BOM_UTF8) or wide_encoding(path, self.encoding) is not None
        return found

    @property
    def is_text_table(self) -> bool:
        """Whether the rows stand in files of text with a separator between the columns."""
        return self.format in ("csv", "tsv") and not any(map(is_remote, self.paths))

    def dialect(self) -> dialects.Dialect | None:
        """What a text table looks like (the first, where there are several); None for other formats."""
        if not self.is_text_table:
            return None
        path = self.paths[0]
        found = self._dialect(path, self.name_of(path))
        if path in self._commas:
            found.take_commas()
        return found

    def as_written(self) -> Source | None:
        """The same rows with every cell as the text that stands in the file, signs of missing values included.

        None for what is not a text table, and for files of which some have decimal commas and others not: text of both
        in one column would be read in two ways.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from rosenblatt import open_source
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.csv"
        >>> _ = path.write_text("a;b\\n1 234,50;NA\\n007;x\\n")
        >>> open_source(path).as_written().read().rows()
        [('1 234,50', 'NA'), ('007', 'x')]
        """
        if not self.is_text_table:
            return None
        if len(self.paths) > 1:
            found = [self._dialect(path, self.name_of(path)) for path in self.paths]
            if len({each.has_commas or path in self._commas for path, each in zip(self.paths, found, strict=True)}) > 1:
                return None
        return replace(
            self, written=True, notes=[], types={}, digesting=None, _begun=None, _grouped=set(), _commas=set(),
            _not_plain=set(), _places={}, _states={},
        )  # fmt: skip

    def batches(self, n_rows: int = 65_536) -> Iterator[Rows]:
        """The rows again, `n_rows` at a time (fewer in the last batch), in bounded memory.

        The types of the columns are those of `read`. Where a line in the middle of a file turns out not to fit them,
        `delimited.TypesWidened` is raised: begin again, the types are known then.
        """
        whole_number("n_rows", n_rows, 1, "it is the number of rows of a batch")
        n_rows = min(n_rows, sys.maxsize)
        found = False
        with self._unchanged():
            pieces = self._matrices(n_rows) if self.kind == "matrix" else self._frames(lean=True)
            for piece in in_batches(pieces, n_rows):
                found = True
                yield piece
            if not found:
                raise self._no_rows()

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
            if not found:
                raise self._no_rows()

    def _placed(self, path: str, seed: int | None, *, fresh: bool) -> Iterator[tuple[int, Rows]]:
        """The blocks of one file, with the offset or number of each."""
        text = self.format in ("csv", "tsv", "libsvm", "vw") and not is_remote(path)
        if not text:
            yield from enumerate(self._matrices_of(path, 0) if self.kind == "matrix" else self._frames_of(path, fresh))
            return
        known = self._places.get(path)
        places = None
        plain = compression_of(path) is None and wide_encoding(path, self.encoding) is None
        if known is not None and seed is not None and plain:
            places = [known[k] for k in np.random.default_rng([seed, 1]).permutation(len(known))]
        name = self.name_of(path)
        seen: list[Place] = []
        blocks: Iterator[tuple[Place, Rows]]
        with described(name):
            if self.kind == "matrix":
                blocks = sparse_text.placed_matrices(path, name, self, places)
            else:
                blocks = self._text_frames(path, name, fresh, STREAMED_BYTES, places)
            for place, rows in blocks:
                seen.append(place)
                yield place.offset, rows
        if known is None:
            self._places[path] = seen

    def digest_later(self) -> Future[str]:
        """The digest, computed on a thread of its own while other things are done."""
        if self.digesting is None:
            self._check_digestible()
            self.digesting = digest_later(self.paths)
        return self.digesting

    def digest(self) -> str:
        """SHA-256 of the files as they are stored, one after another."""
        self._check_digestible()
        return digest_of(self.paths)

    def _check_digestible(self) -> None:
        for path in filter(is_remote, self.paths):
            raise ValueError(f"The digest of a file needs its bytes, but {path} is remote; download it first.")

    @property
    def is_copy(self) -> bool:
        """Whether this is a copy of standard input or of what an address sent, which `close` removes."""
        return self._copies is not None

    def close(self) -> None:
        """Remove the copies of what came from elsewhere, if there are any."""
        if self._copies is not None:
            self._copies.cleanup()

    # ------------------------------------------------------------------ frames

    def _frames(self, later: bool = False, lean: bool = False) -> Iterator[Any]:
        """The rows of all files, block by block; every file has the columns of the first.

        `later`: some may be `Cells`, of which a frame is still to be made. `lean`: in blocks that take little memory.
        """
        expected: tuple[str, ...] = ()
        for path in self.paths:
            for frame in self._frames_of(path, not expected, later, lean):
                if not expected:
                    expected = tuple(frame.columns)
                elif tuple(frame.columns) != expected:
                    if set(frame.columns) != set(expected):
                        differ = sorted(set(frame.columns) ^ set(expected))
                        raise ValueError(
                            f"Files that are read together must have the same columns, but {self.name_of(path)} and "
                            f"{self.name_of(self.paths[0])} "
                            f"differ in {', '.join(map(repr, differ[:5]))}; pass them one by one."
                        )
                    frame = _as_frame(frame).select(expected)
                yield frame

    def _frames_of(self, path: str, fresh: bool, later: bool = False, lean: bool = False) -> Iterator[Any]:
        name = self.name_of(path)
        with described(name):
            if self.format in ("csv", "tsv"):
                for _, frame in self._text_frames(path, name, fresh, later=later, lean=lean):
                    yield frame
            elif self.format == "keel":
                with open_text(path, self.encoding) as file:
                    yield from keel.frames(file, name, self._byte_encoding(path))
            elif self.format == "jsonl":
                with open_text(path, self.encoding) as file:
                    yield from tables.json_frames(file, name)
            else:
                yield from tables.binary_frames(path, self.format, name)

    def _text_frames(
        self,
        path: str,
        name: str,
        fresh: bool,
        block_bytes: int | None = None,
        places: Any = None,
        later: bool = False,
        lean: bool = False,
    ) -> Iterator[tuple[Place, Any]]:
        if is_remote(path):
            for frame in tables.remote_text_frames(path, self.header, self.separator):
                yield Place(0, 0), frame
            return
        dialect = self._dialect(path, name)
        self.header = dialect.header
        if lean:
            block_bytes = min(delimited.BLOCK_BYTES, max(STREAMED_BYTES, COLUMN_BYTES * len(dialect.names)))
        if self.written:
            dialect = dialect.as_text()
        if path in self._commas:
            dialect.take_commas()
        for note in dialect.notes:
            self._note(note)
        for column, kind in dialect.types.items():
            self.types.setdefault(column, kind)
        table = delimited.TextTable(
            name, dialect, self._byte_encoding(path), self.types, path, self.encoding, grouped=self._grouped,
            commas=self._commas, missing=() if self.written else dialects.MISSING,
        )  # fmt: skip
        with open_text(path, self.encoding) as file:
            offset = 0
            if self._is_large_and_plain(path):
                from .number_table import NumberTable

                if NumberTable.fits(dialect, self.types):
                    quick = NumberTable(dialect, self.types, table.missing)
                    start, _ = table.table_start(file.read(dialects.SAMPLE_BYTES))
                    with closing(quick.blocks(file, start, places, block_bytes)) as blocks:
                        for place, cells in blocks:
                            fresh = False
                            yield place, cells if later else cells.frame()
                    if quick.stopped is None:
                        return
                    self._not_plain.add(path)
                    offset = quick.stopped.offset
                    places = places if places is None else places[places.index(quick.stopped) :]
                file.seek(offset)
            yield from table.frames(file, fresh=fresh, block_bytes=block_bytes, places=places, offset=offset)
            for note in (*dialect.notes, *table.told.values()):  # also what was found on the way
                self._note(note)

    def _is_large_and_plain(self, path: str) -> bool:
        """Whether a file may be one for the compiled reader, which takes half a second to load."""
        if is_remote(path):
            return False
        coded = compression_of(path) is not None or self.encoding != "utf-8" or self._byte_encoding(path) != "utf-8"
        wide = wide_encoding(path, self.encoding) is not None
        return not (coded or wide or path in self._not_plain) and os.path.getsize(path) >= COMPILED_BYTES

    # ------------------------------------------------------------------ matrices

    def _read_matrix(self) -> Matrix:
        parts = list(self._matrices(None))
        if not parts:
            raise self._no_rows()
        return parts[0] if len(parts) == 1 else Matrix.stacked(parts)

    def _matrices(self, n_rows: int | None) -> Iterator[Matrix]:
        for path in self.paths:
            yield from self._matrices_of(path, n_rows)

    def _matrices_of(self, path: str, n_rows: int | None) -> Iterator[Matrix]:
        name = self.name_of(path)
        with described(name):
            if self.format in ("libsvm", "vw"):
                yield from sparse_text.matrices(path, name, self, n_rows)
            else:
                yield from arrays.matrices(path, name, self.format, n_rows)

    def _no_rows(self) -> ValueError:
        return ValueError(f"A source must have at least one row, but {self.name} has none; pass another file.")


def _as_frame(block: Any) -> pl.DataFrame:
    return block.frame() if hasattr(block, "frame") else block
