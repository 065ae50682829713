"""Parquet, Arrow and JSON lines, read by polars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rosenblatt.arguments import shortened

from .compressed import encoding_of, is_packed, open_stored, open_text
from .reading import ReadOptions

if TYPE_CHECKING:
    import polars as pl

ROWS = 2**17  # of a binary table read at a time
BLOCK_BYTES = 2**24


def read(path: str, name: str, format: str, reading: ReadOptions, whole: bool) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet, Arrow or JSON file, in blocks."""
    from polars.exceptions import PanicException, PolarsError

    try:
        for frame in _json(path, reading.encoding) if format == "jsonl" else _binary(path, format):
            yield flat(frame)
    except (PolarsError, PanicException, OSError) as error:
        if getattr(error, "errno", None):
            raise
        if format == "jsonl":
            raise ValueError(_bad_json(path, name, reading.encoding, error)) from error
        raise ValueError(f"{name} is damaged, or no {format.title()} file; write or fetch it again.") from error


def _binary(path: str, format: str) -> Iterator[pl.DataFrame]:
    import polars as pl

    source: Any = path
    with open_stored(path) as file:
        start = file.read(4)
        if format == "arrow" and start == b"\xff\xff\xff\xff":  # a stream, which has no table of contents
            yield pl.read_ipc_stream(start + file.read())
            return
        if is_packed(path):
            source = start + file.read()
    yield from _in_blocks(pl.scan_parquet(source) if format == "parquet" else pl.scan_ipc(source))


def _json(path: str, encoding: str) -> Iterator[pl.DataFrame]:
    """One object a line, or one list of objects, which is read whole."""
    import polars as pl

    source: Any = path
    with open_text(path, encoding) as file:
        start = file.read(2**12)
        inner = start.lstrip(b"\xef\xbb\xbf \t\r\n")
        if inner.startswith(b"["):
            yield pl.read_json(inner + file.read(), infer_schema_length=None)
            return
        if start.startswith(b"\xef") or is_packed(path) or encoding_of(path, encoding) != "utf-8":
            source = inner + file.read()
    if inner:
        yield from _in_blocks(pl.scan_ndjson(source, infer_schema_length=None))


def _in_blocks(lazy: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    rows = max(256, min(ROWS, BLOCK_BYTES // (8 * max(1, len(lazy.collect_schema())))))
    found = False
    for frame in lazy.collect_batches(chunk_size=rows, maintain_order=True):
        found = True
        yield frame
    if not found:
        yield lazy.head(0).collect()


def _bad_json(path: str, name: str, encoding: str, error: Exception) -> str:
    """What is wrong with the first line that is no JSON object."""
    with open_text(path, encoding) as file:
        for number, text in enumerate(file, 1):
            if number == 1 and text.lstrip().startswith(b"["):
                return f"{name} is no list of JSON objects, one for each row ({str(error).splitlines()[0]})."
            try:
                value = json.loads(text) if text.strip() else {}
            except ValueError as wrong:
                return f"Line {number} of {name} is not valid JSON ({wrong})."
            if not isinstance(value, dict):
                return f"Line {number} of {name} is {shortened(value)}, not a JSON object."
    return f"{name} cannot be read as JSON lines ({str(error).splitlines()[0]})."


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Objects inside of objects become columns "outer.inner"; lists stay, and are refused where they are used."""
    import polars as pl

    while any(isinstance(kind, pl.Struct) for kind in frame.dtypes):
        for column, kind in frame.schema.items():
            if isinstance(kind, pl.Struct):
                inner = frame[column].struct.unnest()
                inner.columns = [f"{column}.{part}" for part in inner.columns]
                frame = frame.drop(column).hstack(inner)
    return frame
