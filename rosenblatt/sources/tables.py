"""Parquet, Arrow and JSON lines, read by polars."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from rosenblatt.arguments import shortened

from .arrow import NotWholeError, record_batches
from .compressed import compression_of, open_stored
from .delimited import BLOCK_BYTES
from .whole_lines import text_blocks

if TYPE_CHECKING:
    import polars as pl

ROWS = 2**17  # of a binary table read at a time


def binary_frames(path: str, format: str, name: str) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet or Arrow file."""
    from polars.exceptions import PanicException, PolarsError

    arrow = format == "arrow" and "://" not in path
    try:
        for frame in _arrow_frames(path) if arrow else _scanned_frames(path, format):
            yield flat(frame, name)
    except (PolarsError, PanicException, OSError, NotWholeError) as error:
        if arrow and not getattr(error, "errno", None):  # what polars says of such a file is about its own inside
            reason = f" ({error})" if isinstance(error, NotWholeError) else ""
            raise ValueError(f"{name} must be a whole Arrow file, but is damaged{reason}; make it again.") from error
        raise ValueError(
            f"A file of format {format} must be whole, but {name} cannot be read "
            f"({str(error).splitlines()[0]}); fetch or write it again."
        ) from error


def _scanned_frames(path: str, format: str) -> Iterator[pl.DataFrame]:
    import polars as pl

    source: Any = path
    if "://" not in path and compression_of(path) is not None:
        with open_stored(path) as file:
            source = file.read()
    lazy = pl.scan_parquet(source) if format == "parquet" else pl.scan_ipc(source)
    width = max(1, len(lazy.collect_schema()))
    yield from lazy.collect_batches(chunk_size=_rows_of(width), maintain_order=True)


def _arrow_frames(path: str) -> Iterator[pl.DataFrame]:
    import polars as pl

    with open_stored(path) as file:
        if _is_arrow_stream(path):
            yield pl.read_ipc_stream(file.read())
            return
        whole = io.BytesIO(file.read()) if compression_of(path) is not None else file  # what can go back to its start
        for batch in record_batches(whole):
            yield from batch.iter_slices(_rows_of(max(1, batch.width))) if batch.height else (batch,)


def _rows_of(width: int) -> int:
    return max(256, min(ROWS, BLOCK_BYTES // (8 * width)))


def _is_arrow_stream(path: str) -> bool:
    with open_stored(path) as file:
        return file.read(4) == b"\xff\xff\xff\xff"


def json_frames(file: BinaryIO, name: str) -> Iterator[pl.DataFrame]:
    """The rows of a file of JSON: one object a line, or one list of objects, which is read whole."""
    import polars as pl
    from polars.exceptions import PolarsError

    if file.peek(2**12).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):  # type: ignore[attr-defined]
        yield flat(_json_list(file.read(), name), name)
        return
    line = 1
    schema: dict[str, Any] | None = None
    for block in text_blocks(file, None, BLOCK_BYTES):
        try:
            frame = pl.read_ndjson(block, infer_schema_length=None)
        except PolarsError as error:
            raise ValueError(_bad_json(block, line, name, error)) from error
        line += block.count(b"\n")
        frame = flat(frame, name)
        if schema is not None:
            missing = [n for n in schema if n not in frame.columns]
            frame = frame.with_columns(pl.lit(None).cast(schema[n]).alias(n) for n in missing)
        schema = schema or dict(frame.schema)
        yield frame


def _json_list(text: bytes, name: str) -> pl.DataFrame:
    import polars as pl
    from polars.exceptions import PolarsError

    try:
        return pl.read_json(text.removeprefix(b"\xef\xbb\xbf"), infer_schema_length=None)
    except PolarsError as error:
        raise ValueError(
            f"{name} must be a list of JSON objects, one for each row, but it cannot be read as one "
            f"({str(error).splitlines()[0]}); correct it, or write one object a line."
        ) from error


def _bad_json(block: bytes, line: int, name: str, error: Exception) -> str:
    import json

    for number, text in enumerate(block.splitlines(), line):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except ValueError as wrong:
            return (
                f"Every line of {name} must be one JSON object, but line {number} is not ({wrong}); correct that line."
            )
        if not isinstance(value, dict):
            came = shortened(value)
            return f"Every line of {name} must be one JSON object, but line {number} is {came}; correct that line."
    return f"{name} must be JSON lines, but it cannot be read ({str(error).splitlines()[0]}); correct it."


def flat(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Objects inside of objects become columns "outer.inner"; lists have no place in a table."""
    import polars as pl

    while any(isinstance(kind, pl.Struct) for kind in frame.dtypes):
        for column, kind in frame.schema.items():
            if isinstance(kind, pl.Struct):
                inner = frame[column].struct.unnest()
                inner.columns = [f"{column}.{part}" for part in inner.columns]
                frame = frame.drop(column).hstack(inner)
    nested = [column for column, kind in frame.schema.items() if kind.is_nested() or kind == pl.Binary]
    if nested:
        raise ValueError(
            f"Every cell of a table must be one value, but the column {nested[0]!r} of {name} holds lists; "
            "leave it out or spread it over several columns."
        )
    return frame


def remote_text_frames(path: str, header: bool | None, separator: str | None) -> Iterator[pl.DataFrame]:
    """A CSV file that polars reads over the network."""
    import polars as pl
    from polars.exceptions import PolarsError

    from .dialect import MISSING

    try:
        lazy = pl.scan_csv(
            path,
            has_header=header is not False,
            separator=separator or ",",
            null_values=list(MISSING),
            infer_schema_length=10_000,
        )
        yield from lazy.collect_batches(chunk_size=ROWS, maintain_order=True)
    except (PolarsError, OSError) as error:
        raise ValueError(f"{path} must be a table that polars can read, but {str(error).splitlines()[0]}.") from error
