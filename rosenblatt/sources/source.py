"""Files as a source of rows: which format they have, and rows all at once or in batches.

A source is of one of two kinds. A *frame* is a table with named, typed columns, one of which may be the target: CSV,
TSV, Parquet, Arrow, JSON lines, KEEL. A *matrix* is numbers with their labels beside them: LIBSVM, Vowpal Wabbit, IDX,
NumPy.
"""

from __future__ import annotations

import codecs
import glob
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from rosenblatt.arguments import generator, shortened, whole_number
from rosenblatt.digests import digest_later, digest_of

from . import addresses, arrays, delimited, keel, sparse_text, tables
from . import dialect as dialects
from .compressed import DAMAGED, WIDE_MARKS, compression_of, open_stored, open_text, wide_encoding
from .libsvm import MOST_COLUMNS
from .matrix import Matrix
from .whole_lines import Place, first_line

if TYPE_CHECKING:
    import polars as pl

    Rows = pl.DataFrame | Matrix

Kind = Literal["frame", "matrix"]
PathsLike = Union[str, "PathLike[str]", Sequence[Union[str, "PathLike[str]"]]]

#: The formats, and the endings of file names that say so (before .gz, .xz, .bz2, .zst).
FORMATS: dict[str, tuple[str, ...]] = {
    "csv": (".csv", ".txt", ".data"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "keel": (".dat", ".arff"),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "vw": (".vw",),
    "idx": (".idx",),
    "npy": (".npy",),
    "npz": (".npz",),
}
MATRICES = ("libsvm", "vw", "idx", "npy", "npz")
PACKED = (".gz", ".xz", ".bz2", ".zst", ".zstd")
COMPILED_BYTES = 2**25  # of text, from which it pays to load the compiled reader
STREAMED_BYTES = 2**22  # of text in a block that is learned from while the next one is read
COLUMN_BYTES = 2**15  # of text for each column in a block, which costs some time for each of them
START = 2**16  # bytes of a file that tell its format
MOST_BITS = 31  # that tell a column of Vowpal Wabbit text
OFFSETS = 2**44  # of blocks in one file
NEAR = 0.75  # likeness of two names of files from which one may have been meant for the other
REMOTE = ("s3://", "gs://", "gcs://", "az://", "abfs://", "hf://")


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
        >>> path = Path(tempfile.mkdtemp()) / "two.csv"
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


def in_batches(pieces: Iterable[Rows], n_rows: int) -> Iterator[Rows]:
    """The same rows `n_rows` at a time, wherever the pieces end; fewer in the last batch.

    Examples
    --------
    >>> import numpy as np
    >>> files = [Matrix(np.array([[1], [2], [3]])), Matrix(np.array([[4]]))]
    >>> [batch.X.ravel().tolist() for batch in in_batches(files, 2)]
    [[1, 2], [3, 4]]
    """
    waiting: list[Rows] = []
    height = 0
    for piece in pieces:
        start = 0
        while height + len(piece) - start >= n_rows:
            stop = start + n_rows - height
            yield _together([*waiting, _part(piece, start, stop)])
            start, waiting, height = stop, [], 0
        if start < len(piece):
            waiting.append(_part(piece, start, len(piece)))
            height += len(piece) - start
    if waiting:
        yield _together(waiting)


def _part(rows: Rows, start: int, stop: int) -> Rows:
    if stop - start == len(rows):
        return rows
    return rows.take(slice(start, stop)) if isinstance(rows, Matrix) else rows.slice(start, stop - start)


def _together(parts: list[Any]) -> Rows:
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    return Matrix.stacked(parts) if isinstance(parts[0], Matrix) else pl.concat(parts, how="vertical_relaxed")


class described:  # noqa: N801  a context manager
    """Turns what the system and the decompressors say into a sentence about the file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PermissionError):
            raise PermissionError(
                f"{self.name} must be readable, but this user may not read it; change its permissions."
            ) from error
        if isinstance(error, DAMAGED):
            raise ValueError(
                f"A compressed file must decompress to its end, but {self.name} does not ({error}); fetch it again."
            ) from error


def is_remote(path: str) -> bool:
    return path.startswith(REMOTE)


def open_source(
    paths: PathsLike,
    *,
    format: str | None = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    n_features: int | None = None,
    zero_based: bool = False,
    bits: int = 18,
) -> Source:
    """Open files of rows; what they are is found out from their names and first bytes.

    Parameters
    ----------
    paths : str, path-like, or a sequence of them
        A file, a pattern (``"part-*.csv"``), a folder whose files are tables of one format, ``"-"`` for standard
        input, an ``http://`` or ``https://`` address, or ``s3://`` and others that polars reads. Files may be
        compressed with gzip, xz, bzip2 or zstd.
    format : str, optional
        One of the names in `FORMATS`, where it should not be found out.
    header : bool, optional
        Whether the first line of a text table has the names of the columns. When not given: a first line with a
        number in it, or with a value that comes again in its column, is a row.
    separator : str, optional
        What stands between the columns of a text table; found out when not given.
    encoding : str
        Of a text table. A byte order mark of UTF-16 or UTF-32 is recognised without it.
    n_features, zero_based
        Of LIBSVM files, as in `read_libsvm`.
    bits : int
        Vowpal Wabbit features are hashed to ``2**bits`` columns.

    Returns
    -------
    Source

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "three.csv"
    ...     _ = path.write_text("height;kind\\n1,5;a\\n2,5;b\\n")
    ...     source = open_source(path)
    ...     source.format, source.kind, source.read().to_dicts()
    ('csv', 'frame', [{'height': 1.5, 'kind': 'a'}, {'height': 2.5, 'kind': 'b'}])
    """
    if format is not None and (not isinstance(format, str) or format not in FORMATS):
        raise ValueError(
            f"format must be one of {', '.join(FORMATS)}, but {shortened(format)} came; choose one of them."
        )
    single = isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    if separator is not None and (not single or separator in '"\r\n'):
        raise ValueError(
            f"separator must be one ASCII character, but {shortened(separator)} came; pass for instance ';'."
        )
    try:
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"encoding must be one that Python knows, but {shortened(encoding)} came; pass for instance 'latin-1'."
        ) from error
    if n_features is not None:
        whole_number("n_features", n_features, 1, "it is the number of columns of LIBSVM text", most=MOST_COLUMNS)
    whole_number("bits", bits, 1, "Vowpal Wabbit features are hashed to 2**bits columns", most=MOST_BITS)
    if not (header is None or isinstance(header, bool)) or not isinstance(zero_based, bool):
        name, value = ("header", header) if isinstance(zero_based, bool) else ("zero_based", zero_based)
        raise ValueError(
            f"{name} must be True or False, but {shortened(value)} came; choose one of them, or leave it out."
        )
    _check_paths(paths)
    given: list[str | PathLike[str]] = [paths] if isinstance(paths, str | PathLike) else list(paths)
    encoding = "utf-8" if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig") else encoding
    copies, called = _copied(given) if any(is_elsewhere(os.fspath(path)) for path in given) else (None, {})
    own = {origin: path for path, origin in called.items()}
    names = {path: "standard input" if origin == "-" else origin for path, origin in called.items()}
    try:
        found = [path for each in given for path in _expand(own.get(os.fspath(each), os.fspath(each)), format)]
        if not found:
            raise ValueError("paths must name at least one file, but none came; pass a file.")
        known = _one_format({path: format or recognise(path, names.get(path)) for path in found})
    except BaseException:
        if copies is not None:
            copies.cleanup()
        raise
    return Source(
        tuple(found), known, header, separator, encoding, n_features, zero_based and known == "libsvm", bits,
        _copies=copies, _called=names,
    )  # fmt: skip


def _check_paths(paths: Any) -> None:
    each = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    try:
        wrong = [path for path in each if not isinstance(path, str | PathLike)]
    except TypeError:
        wrong = [paths]
    if wrong:
        raise TypeError(
            f"paths must be names of files, but {shortened(wrong[0])} came; pass a str or a path-like object."
        )


def _one_format(formats: dict[str, str]) -> str:
    different = sorted(set(formats.values()))
    if different == ["csv", "tsv"]:
        return "csv"  # what parts the columns is found out for each
    if len(different) > 1:
        raise ValueError(
            f"Files that are read together must have one format, but they have {' and '.join(different)}; "
            "pass them one by one, or pass format."
        )
    return different[0]


def is_elsewhere(path: str) -> bool:
    """Whether rows come from no file of this machine, but can be copied into one."""
    return path == "-" or addresses.is_address(path)


def _copied(given: Sequence[str | PathLike[str]]) -> tuple[Any, dict[str, str]]:
    """Standard input and what addresses send, copied to files once, since rows are read more than once."""
    folder = tempfile.TemporaryDirectory(prefix="rosenblatt-")
    called: dict[str, str] = {}
    try:
        for number, origin in enumerate(dict.fromkeys(os.fspath(path) for path in given)):
            if not is_elsewhere(origin):
                continue
            place = Path(folder.name) / str(number)
            place.mkdir()
            if origin == "-":
                with (place / "input").open("wb") as file:
                    shutil.copyfileobj(sys.stdin.buffer, file, 2**20)
                called[str(place / "input")] = origin
            else:
                called[str(addresses.copied(origin, place))] = origin
    except BaseException:
        folder.cleanup()
        raise
    return folder, called


def _expand(path: str, format: str | None) -> list[str]:
    """The files that a name, a pattern or a folder stands for."""
    if is_remote(path):
        return [path]
    expanded = os.path.expanduser(path)
    if os.path.isdir(expanded):
        return _tables_in(expanded)
    if os.path.exists(expanded):
        if not os.access(expanded, os.R_OK):
            raise PermissionError(f"{path} must be readable, but this user may not read it; change its permissions.")
        return [expanded]
    found = sorted(glob.glob(expanded)) if any(sign in expanded for sign in "*?[") else []
    found = [name for name in found if os.path.isfile(name)]
    if not found:
        raise FileNotFoundError(_not_found(path))
    return found


def _not_found(path: str) -> str:
    import difflib

    if any(sign in path for sign in "*?["):
        return f"The pattern {path} must match at least one file, but it matches none; correct the pattern."
    if not path:
        return "The name of a file must have letters, but an empty one came; pass the name of a file."
    if os.path.islink(os.path.expanduser(path)):
        return f"{path} must be a file, but it is a link that leads to none; correct the link."
    folder = Path(path).expanduser().parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() and os.access(folder, os.R_OK) else []
    wanted = Path(path).name
    stems = {
        name: name.split(".")[0] or name for name in sorted(names, key=lambda name: not _same_ending(name, wanted))
    }
    near = difflib.get_close_matches(wanted.split(".")[0], list(stems.values()), 1, cutoff=NEAR)
    meant = next((name for name, stem in stems.items() if near and stem == near[0]), None)
    advice = f"did you mean {folder / meant}?" if meant else "check the name."
    return f"{path} must be a file, but there is none of that name; {advice}"


def _same_ending(name: str, other: str) -> bool:
    return name.partition(".")[2] == other.partition(".")[2]


def _tables_in(folder: str) -> list[str]:
    entries = sorted(entry for entry in Path(folder).iterdir() if entry.is_file() and not entry.name.startswith("."))
    endings = {format_by_name(entry.name) for entry in entries} - {None}
    if len(endings) != 1:
        what = "files of several formats" if endings else "no tables"
        raise IsADirectoryError(
            f"A folder must hold tables of one format to be read as one, but {folder} has {what}; "
            "pass a file or a pattern like 'folder/*.csv'."
        )
    return [str(entry) for entry in entries if format_by_name(entry.name) is not None]


def format_by_name(name: str) -> str | None:
    """The format that the ending of a file's name says, if it does."""
    stem = name.lower()
    for ending in PACKED:
        stem = stem.removesuffix(ending)
    if "-idx" in stem or ".idx" in stem:
        return "idx"
    return next((known for known, endings in FORMATS.items() if stem.endswith(endings)), None)


def recognise(path: str, name: str | None = None) -> str:
    """The format of a file: by its first bytes, which cannot lie, then by its name, then by its first lines.

    `name` is what the file is called in messages, where that is not its path.
    """
    named = format_by_name(path.split("?")[0] if is_remote(path) else Path(path).name)
    if is_remote(path):
        if named is None:
            raise ValueError(f"The format of a URL must be told by its ending, but {path} has none; pass format.")
        return named
    with described(name or path), open_stored(path) as file:
        start = file.read(START)
    check_readable(start, name or path)
    return by_content(start, named)


#: What else people have, by its first bytes, and what to do about it.
FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet or document", "save it as CSV"),
    b"%PDF": ("a PDF document", "export its table as CSV"),
    b"SQLite format 3": ("an SQLite database", "export a table of it as CSV"),
    b"\x89HDF": ("an HDF5 file", "write its table as Parquet, or its rows as .npz"),
    b"<!doctype html": ("a web page", "pass the address of the file itself"),
    b"<html": ("a web page", "pass the address of the file itself"),
}


def check_readable(start: bytes, name: str) -> None:
    """Refuse what is plainly something else than rows, with a word on what to do."""
    what = next((found for sign, found in FOREIGN.items() if start.lstrip().lower().startswith(sign.lower())), None)
    if start.startswith(b"PK\x03\x04"):
        if b"[Content_Types].xml" in start or b"opendocument.spreadsheet" in start:
            what = ("a spreadsheet", "save it as CSV, or with polars: read_excel(...).write_parquet(...)")
        elif b".npy" not in start[:200]:
            what = ("a ZIP archive", "unpack it and pass the files in it")
    elif start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05" and len(start) > 1:
        what = ("a pickle, which could run any code", "write its rows as Parquet or .npz")
    elif start[8:9] == b"{" and 0 < int.from_bytes(start[:8], "little") < 2**27:
        what = ("a model file", "pass data, or look into the model with rosenblatt inspect")
    if what is not None:
        raise ValueError(f"A source must be a file of rows, but {name} is {what[0]}; {what[1]}.")


def by_content(start: bytes, named: str | None) -> str:
    binary = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"\x93NUMPY": "npy"}
    for signature, known in binary.items():
        if start.startswith(signature):
            return known
    if start.startswith(b"PK\x03\x04") and named in (None, "npz"):
        return "npz"
    if start[:2] == b"\0\0" and start[2:3] in (b"\x08", b"\x09", b"\x0b", b"\x0c", b"\x0d", b"\x0e"):
        return "idx"
    wide = next((encoding for mark, encoding in WIDE_MARKS.items() if start.startswith(mark)), "utf-8")
    text = start.decode(wide, errors="replace").lstrip("\ufeff")
    lines = [line for line in text.splitlines() if line.strip()]
    whole = lines[:-1] if len(start) >= START and len(lines) > 1 else lines  # the last one is probably cut
    if lines and lines[0].lower().startswith(("@relation", "@attribute")):
        return "keel"
    if named == "keel":
        return "csv"  # a .dat file without a header of its own
    plain = named in (None, "csv") and "," not in text
    if plain and lines and sparse_text.looks_like_libsvm(lines[:20]):
        return "libsvm"
    if named == "csv":
        return "tsv" if _has_tabs(whole) else "csv"
    if named is not None:
        return named
    if lines and (lines[0].lstrip().startswith("{") or re.match(r"\s*\[\s*\{", text)):
        return "jsonl"
    if lines and sparse_text.looks_like_vw(lines[:20]):
        return "vw"
    return "tsv" if _has_tabs(whole) else "csv"


def _has_tabs(lines: list[str]) -> bool:
    """Whether tabs part the columns of a text table."""
    return bool(lines) and "\t" in lines[0] and dialects.separator_of(lines) == "\t"
