"""Writes tables and matrices of rows in the format that a file's ending names, whole or not at all."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np
from scipy.sparse import csr_array, issparse

from rosenblatt.models.whole_file import whole_file
from rosenblatt.verbs.errors import InputError, UsageError, nearest, writing
from rosenblatt.wording import listed, shortened

if TYPE_CHECKING:
    import polars

    from rosenblatt.sources.dialect import Dialect

TABLES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
PIECE = 2**16  # bytes written at a time
MATRICES = {".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".npz": "npz"}
COMPRESSIONS = (".gz", ".xz", ".zst")
DENSE_CELLS = 200_000_000  # numbers that a sparse matrix may have as a table


def format_of(path: str, given: str | None = None, option: str | None = "--to") -> str:
    """The format that a path's ending names, or the one given; standard output is CSV unless told otherwise.

    `option` is the one that would name it, if there is one.

    Examples
    --------
    >>> format_of("scored.parquet"), format_of("rows.tsv.gz"), format_of("-"), format_of("-", "jsonl")
    ('parquet', 'tsv', 'csv', 'jsonl')
    """
    known = {**TABLES, **MATRICES}
    if given is not None:
        if given not in known.values():
            names = listed(dict.fromkeys(known.values()))
            raise UsageError(
                f"There is no format {shortened(given)}{nearest(given, known.values())}; there are {names}."
            )
        return given
    if path == "-":
        return "csv"
    name = Path(path).name.casefold()
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    for ending, format in known.items():
        if name.endswith(ending):
            return format
    raise UsageError(
        f"{path} does not end like a format that can be written ({listed(TABLES if option is None else known, 99)})"
        f"{f'; {option} names one' if option else ''}."
    )


def check_table(path: str, format: str | None = None, option: str | None = None) -> str:
    """The format of a table to write; refused where it holds numbers only."""
    format = format_of(path, format, option)
    if format in MATRICES.values():
        raise UsageError(
            f"{format} holds numbers only; write {listed(dict.fromkeys(TABLES.values()))}, or use rosenblatt convert, "
            "which turns columns into numbers."
        )
    return format


def names_data(path: str) -> bool:
    """Whether a path's ending is that of data.

    Examples
    --------
    >>> names_data("flowers.csv.gz"), names_data("flowers.safetensors"), names_data("-")
    (True, False, False)
    """
    try:
        return path != "-" and bool(format_of(path))
    except UsageError:
        return False


def write_table(path: str, frame: polars.DataFrame, format: str | None = None) -> None:
    """Write a frame as CSV, TSV, Parquet, Arrow or JSON lines.

    Examples
    --------
    >>> import polars, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.csv"
    >>> write_table(str(path), polars.DataFrame({"a": [1, 2]}))
    >>> path.read_text()
    'a\\n1\\n2\\n'
    """
    with table_writer(path, format) as add:
        add(frame)


@dataclass(frozen=True)
class TextStyle:
    """How a text table is written: as plain CSV, unless another table's habits are kept."""

    separator: str = ","
    decimal_comma: bool = False
    line_end: str = "\n"
    mark: bool = False
    quotes: bool = True

    @classmethod
    def like(cls, dialect: Dialect | None, path: str, to: str | None = None) -> TextStyle:
        """As the file that the rows come from, so that who reads that can read this.

        An ending says more than the file: .tsv has tabs, and .csv has what is usual there, with semicolons for others
        where commas are decimal points.

        Examples
        --------
        >>> from rosenblatt.sources.dialect import Dialect
        >>> tabs = Dialect("\\t", commas=True, names=("a", "b"))
        >>> [TextStyle.like(tabs, path).separator for path in ("x.tsv", "x.csv", "-")]
        ['\\t', ';', '\\t']
        """
        format = format_of(path, to)
        if dialect is None or format not in ("csv", "tsv"):
            return cls("\t" if format == "tsv" else ",")
        separator = dialect.separator if len(dialect.names) > 1 else ","
        named = path != "-" or to is not None
        if format == "tsv":
            separator = "\t"
        elif named and separator not in ",;|":
            separator = ";" if dialect.commas else ","
        quotes = dialect.quote is not None or separator != dialect.separator
        return cls(separator, dialect.commas, dialect.line_end, dialect.mark, quotes)


@contextmanager
def table_writer(
    path: str, format: str | None = None, *, heading: bool = True, style: TextStyle | None = None
) -> Iterator[Callable[[polars.DataFrame], None]]:
    """Write a table block by block, in bounded memory: call what is given with each, all of the same columns.

    Examples
    --------
    >>> import polars, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "three.jsonl"
    >>> with table_writer(str(path)) as add:
    ...     add(polars.DataFrame({"a": [1, 2]}))
    ...     add(polars.DataFrame({"a": [3]}))
    >>> path.read_text()
    '{"a":1}\\n{"a":2}\\n{"a":3}\\n'
    """
    format = check_table(path, format, "--to")
    with output(path) as stream:
        if format in ("parquet", "arrow"):
            with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
                blocks = _BinaryBlocks(stream, format, Path(folder))
                yield blocks.add
                blocks.finish()
        else:
            yield _TextBlocks(stream, format, heading, style or TextStyle.like(None, path, format)).add


@dataclass
class _TextBlocks:
    """Blocks of a text table, one after another; the first has the names of the columns above it."""

    stream: BinaryIO
    format: str
    heading: bool
    style: TextStyle
    first: bool = True

    def add(self, frame: polars.DataFrame) -> None:
        style = self.style
        if self.format == "jsonl":
            text = frame.write_ndjson()
        else:
            text = frame.write_csv(
                include_header=self.heading,
                separator=style.separator,
                decimal_comma=style.decimal_comma,
                line_terminator=style.line_end,
                include_bom=style.mark and self.first,
                quote_style="necessary" if style.quotes or self._needs_quotes(frame) else "never",
            )
        self.heading = self.first = False
        _write(self.stream, text.encode())  # here, since polars does not say which error of the system it met

    def _needs_quotes(self, frame: polars.DataFrame) -> bool:
        """Whether a cell would be read as several; so it may be where a column has been added."""
        import polars

        parts = polars.col(polars.String).str.contains_any([self.style.separator, "\n", "\r"]).any()
        names = any(self.style.separator in name for name in frame.columns)
        return names or any(frame.select(parts).row(0))


@dataclass
class _BinaryBlocks:
    """Blocks of a Parquet or Arrow file, which are kept in files of their own until the last has come."""

    stream: BinaryIO
    format: str
    folder: Path
    only: polars.DataFrame | None = None
    parts: list[Path] = field(default_factory=list)

    def add(self, frame: polars.DataFrame) -> None:
        if self.only is None and not self.parts:
            self.only = frame
            return
        for each in (frame,) if self.only is None else (self.only, frame):
            self.parts.append(self.folder / f"{len(self.parts):09d}.arrow")
            with _written_by_polars():
                each.write_ipc(self.parts[-1], compression="lz4")
        self.only = None

    def finish(self) -> None:
        import polars

        path = self.folder / f"whole.{self.format}"
        with _written_by_polars():
            if self.only is not None:
                self.only.write_parquet(path) if self.format == "parquet" else self.only.write_ipc(path)
            elif self.parts:
                whole = polars.scan_ipc(self.parts)
                whole.sink_parquet(path) if self.format == "parquet" else whole.sink_ipc(path)
        with path.open("rb") as file:
            shutil.copyfileobj(file, self.stream, 2**20)


@contextmanager
def _written_by_polars() -> Iterator[None]:
    """An error of the system that polars hides in one of its own, as it is."""
    from polars.exceptions import PolarsError

    try:
        yield
    except PolarsError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error


def write_matrix(
    path: str,
    X: Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    zero_based: bool = False,
    target: str = "target",
    format: str | None = None,
) -> None:
    """Write rows of numbers and their labels; as a table, the labels are the last column.

    Columns without names are called x1, x2 and so on in a table, or x0, x1 where they are `zero_based`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.libsvm"
    >>> write_matrix(str(path), np.array([[0.5, 0, 2], [0, 1, 0]]), np.array([1, -1]))
    >>> path.read_text()
    '1 1:0.5 3:2\\n-1 2:1\\n'
    """
    format = format_of(path, format)
    if format == "libsvm":
        deliver(path, _libsvm(X, y))
    elif format == "npz":
        deliver(path, _npz(X, y))
    else:
        write_table(path, as_frame(X, y, names=names, zero_based=zero_based, target=target), format)


@contextmanager
def matrix_writer(
    path: str,
    shape: tuple[int, int],
    *,
    names: Sequence[str] | None = None,
    zero_based: bool = False,
    target: str = "target",
    format: str | None = None,
    dtype: Any = None,
    y: Any = None,
) -> Iterator[Callable[[Any, Any], None]]:
    """Write rows of numbers block by block: call what is given with the rows and the labels of each.

    `shape` is that of all rows together. The same as `write_matrix` writes. NumPy's format takes dense rows only, and
    needs their dtype and all labels beforehand.

    Examples
    --------
    >>> path = Path(tempfile.mkdtemp()) / "two.libsvm"
    >>> with matrix_writer(str(path), (2, 3)) as add:
    ...     add(np.array([[0.5, 0, 2]]), np.array([1]))
    ...     add(np.array([[0, 1, 0]]), np.array([-1]))
    >>> path.read_text()
    '1 1:0.5 3:2\\n-1 2:1\\n'
    """
    format = format_of(path, format)
    if format == "libsvm":
        with output(path) as stream:
            yield lambda X, y: _write(stream, _libsvm(X, y))
        return
    if format == "npz":
        with output(path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            if y is not None:
                with archive.open("y.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(y), allow_pickle=False)
            with archive.open("X.npy", "w", force_zip64=True) as member:
                header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False}
                np.lib.format.write_array_header_1_0(member, {**header, "shape": shape})
                yield lambda X, y: _write(member, np.ascontiguousarray(X, dtype).tobytes())
        return
    with table_writer(path, format) as add:
        yield lambda X, y: add(as_frame(X, y, names=names, zero_based=zero_based, target=target, rows=shape[0]))


def as_frame(
    X: Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    zero_based: bool = False,
    target: str = "target",
    rows: int | None = None,
) -> polars.DataFrame:
    """Rows of numbers as a frame, with the labels as its last column; `rows`: of a whole that these are a part of."""
    import polars

    if issparse(X):
        rows = rows or X.shape[0]
        if rows * X.shape[1] > DENSE_CELLS:
            raise InputError(
                f"A table of {rows:,} x {X.shape[1]:,} numbers, most of them 0, would be huge; write .libsvm or .npz."
            )
        X = X.toarray()
    X = np.asarray(X).reshape(len(X), -1)
    columns = list(names) if names is not None else column_names(X.shape[1], zero_based, padded=True)
    frame = polars.DataFrame(X, schema=columns, orient="row")
    if y is None:
        return frame
    name = target
    while name in columns:
        name += "_"
    return frame.with_columns(polars.Series(name, np.asarray(y)))


def column_names(count: int, zero_based: bool = False, *, padded: bool = False) -> list[str]:
    """Names for columns of numbers that have none, counted from 1 or from 0; padded, they sort in their order.

    Examples
    --------
    >>> column_names(2), column_names(2, zero_based=True), column_names(10, padded=True)[:1]
    (['x1', 'x2'], ['x0', 'x1'], ['x01'])
    """
    first, width = 0 if zero_based else 1, len(str(count)) if padded else 1
    return [f"x{n:0{width}d}" for n in range(first, first + count)]


def deliver(path: str, data: bytes) -> None:
    """Bytes to a file, compressed as its ending says, whole or not at all; or to standard output."""
    with output(path) as stream:
        _write(stream, data)


def _write(stream: IO[bytes], data: bytes) -> None:
    """Piece by piece, so that a reader that has gone is met by the next piece and not first by the end."""
    for start in range(0, len(data), PIECE):
        stream.write(memoryview(data)[start : start + PIECE])


@contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """A stream to a file, compressed as its ending says, whole or not at all; or to standard output."""
    if path == "-":
        with writing(path):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with writing(path), whole_file(path) as file, _compressing(path, file) as stream:
        yield stream


def _compressing(path: str, file: BinaryIO) -> AbstractContextManager[Any]:
    ending = Path(path).suffix.casefold()
    if ending == ".gz":
        import gzip

        return gzip.GzipFile("", "wb", fileobj=file, mtime=0)
    if ending == ".xz":
        import lzma

        return lzma.LZMAFile(file, "wb")
    if ending == ".zst":
        from rosenblatt.sources.compressed import zstd

        return zstd.ZstdFile(file, "wb")  # type: ignore[no-any-return, unused-ignore]
    return nullcontext(file)


def _libsvm(X: Any, y: Any) -> bytes:
    """Lines of "label index:value", indices from 1; a label that is text becomes its number in sorted order."""
    rows = csr_array(np.asarray(X).reshape(len(X), -1)) if not issparse(X) else csr_array(X)
    labels = np.zeros(rows.shape[0]) if y is None else np.asarray(y)
    if labels.dtype.kind not in "biuf":
        labels = np.unique(labels.astype(str), return_inverse=True)[1]
    if labels.dtype.kind == "b":
        labels = labels.astype(np.int64)
    lines = []
    indices, values = (rows.indices + 1).tolist(), rows.data.tolist()
    for row, label in enumerate(labels.tolist()):
        span = range(rows.indptr[row], rows.indptr[row + 1])
        parts = " ".join(f"{indices[k]}:{_short(values[k])}" for k in span if values[k])
        lines.append(f"{_short(label)} {parts}".rstrip())
    return ("\n".join(lines) + "\n").encode()


def _short(value: float) -> str:
    """The shortest text that is read back as the same number."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


def _npz(X: Any, y: Any) -> bytes:
    data = io.BytesIO()
    labels = {} if y is None else {"y": np.asarray(y)}
    if issparse(X):
        rows = csr_array(X)
        np.savez_compressed(
            data,
            format=np.array(b"csr"),
            shape=np.array(rows.shape),
            data=rows.data,
            indices=rows.indices,
            indptr=rows.indptr,
            allow_pickle=False,
            **labels,
        )
    else:
        np.savez_compressed(data, allow_pickle=False, X=np.asarray(X), **labels)
    return data.getvalue()
