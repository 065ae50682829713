"""Writes tables and matrices of rows in the format that a file's ending names, whole or not at all."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from rosenblatt.models.whole_file import whole_file
from rosenblatt.verbs.errors import InputError, UsageError, check_choice, writing
from rosenblatt.wording import listed

if TYPE_CHECKING:
    import polars

TEXT = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
TABLES = {**TEXT, ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
MATRICES = {".libsvm": "libsvm", ".svm": "libsvm", ".svmlight": "libsvm", ".npz": "npz"}
FORMATS = {**TABLES, **MATRICES}
PIECE = 2**16  # bytes written at a time
COMPRESSED = ".gz"
DENSE_CELLS = 200_000_000  # numbers that a sparse matrix may have as a table


def format_of(path: str, given: str | None = None, known: Mapping[str, str] = FORMATS) -> str:
    """The format that a path's ending names, or the one given; standard output is CSV unless told otherwise.

    Examples
    --------
    >>> format_of("scored.parquet"), format_of("rows.tsv.gz"), format_of("-"), format_of("-", "jsonl")
    ('parquet', 'tsv', 'csv', 'jsonl')
    """
    if given is not None:
        check_choice("--to", given, FORMATS.values())
        return given
    if path == "-":
        return "csv"
    name = Path(path).name.casefold().removesuffix(COMPRESSED)
    for ending, format in FORMATS.items():
        if name.endswith(ending):
            return format
    raise UsageError(f"{path} does not end like a format that can be written: {listed(known, 99)}.")


def check_table(path: str, format: str | None = None) -> str:
    """The format of a table to write; refused where it holds numbers only."""
    format = format_of(path, format, TABLES)
    if format in MATRICES.values():
        raise UsageError(
            f"{format} holds numbers only; write {listed(dict.fromkeys(TABLES.values()))}, or use rosenblatt convert, "
            "which turns columns into numbers."
        )
    return format


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


@contextmanager
def table_writer(
    path: str, format: str | None = None, *, heading: bool = True
) -> Iterator[Callable[[polars.DataFrame], None]]:
    """Write a table block by block: call what is given with each, all of the same columns.

    Text is written as it comes; the blocks of Parquet and Arrow files wait in memory for the last.

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
    import polars

    format = check_table(path, format)
    with output(path) as stream:
        if format in ("parquet", "arrow"):
            blocks: list[polars.DataFrame] = []
            yield blocks.append
            data, whole = io.BytesIO(), polars.concat(blocks)
            whole.write_parquet(data) if format == "parquet" else whole.write_ipc(data)
            _write(stream, data.getbuffer())
        elif format == "jsonl":
            yield lambda frame: _write(stream, frame.write_ndjson().encode())
        else:
            separator, headings = "\t" if format == "tsv" else ",", iter([heading])
            yield lambda frame: _write(
                stream, frame.write_csv(separator=separator, include_header=next(headings, False)).encode()
            )


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
    if format in MATRICES.values():
        data = _libsvm(X, y) if format == "libsvm" else _npz(X, y)
        with output(path) as stream:
            _write(stream, data)
    else:
        write_table(path, _as_frame(X, y, names, zero_based, target), format)


def _as_frame(X: Any, y: Any, names: Sequence[str] | None, zero_based: bool, target: str) -> polars.DataFrame:
    """Rows of numbers as a frame, with the labels as its last column."""
    import polars

    if issparse(X):
        if X.shape[0] * X.shape[1] > DENSE_CELLS:
            raise InputError(
                f"A table of {X.shape[0]:,} x {X.shape[1]:,} numbers, most of them 0, would be huge; write .libsvm or "
                ".npz."
            )
        X = X.toarray()
    X = np.asarray(X).reshape(len(X), -1)
    columns = list(names) if names is not None else column_names(X.shape[1], zero_based, padded=True)
    frame = polars.DataFrame(X, schema=columns, orient="row")
    if y is None:
        return frame
    while target in columns:
        target += "_"
    return frame.with_columns(polars.Series(target, np.asarray(y)))


def column_names(count: int, zero_based: bool = False, *, padded: bool = False) -> list[str]:
    """Names for columns of numbers that have none, counted from 1 or from 0; padded, they sort in their order.

    Examples
    --------
    >>> column_names(2), column_names(2, zero_based=True), column_names(10, padded=True)[:1]
    (['x1', 'x2'], ['x0', 'x1'], ['x01'])
    """
    first, width = 0 if zero_based else 1, len(str(count)) if padded else 1
    return [f"x{n:0{width}d}" for n in range(first, first + count)]


def _write(stream: IO[bytes], data: bytes | memoryview) -> None:
    """Piece by piece, so that a reader that has gone is met by the next piece and not first by the end."""
    for start in range(0, len(data), PIECE):
        stream.write(memoryview(data)[start : start + PIECE])


@contextmanager
def output(path: str) -> Iterator[Any]:
    """A stream to a file, compressed as its ending says, whole or not at all; or to standard output."""
    if path == "-":
        with writing(path):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with writing(path), whole_file(path) as file:
        if path.casefold().endswith(COMPRESSED):
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
                yield stream
        else:
            yield file


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
    arrays: dict[str, Any] = {"X": np.asarray(X)} if not issparse(X) else {"format": np.array(b"csr"), "shape": X.shape}
    if issparse(X):
        rows = csr_array(X)
        arrays |= {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr}
    if y is not None:
        arrays["y"] = np.asarray(y)
    np.savez_compressed(data, **arrays)
    return data.getvalue()
