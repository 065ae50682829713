"""Parquet, Arrow and JSON lines, read by polars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from rosenblatt.arguments import shortened

from .compressed import is_packed, open_stored, open_text
from .reading import ReadOptions
from .whole_lines import blocks_in_order

if TYPE_CHECKING:
    import polars as pl

ROWS = 2**17  # of a binary table read at a time
BLOCK_BYTES = 2**24


def read(path: str, name: str, format: str, reading: ReadOptions, whole: bool) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet, Arrow or JSON lines file, in blocks."""
    if format == "jsonl":
        with open_text(path, reading.encoding) as file:
            yield from json_frames(file, name)
        return
    from polars.exceptions import PanicException, PolarsError

    try:
        for frame in _binary_frames(path, format):
            yield flat(frame, name)
    except (PolarsError, PanicException, OSError) as error:
        if getattr(error, "errno", None):
            raise
        raise ValueError(f"{name} is damaged, or no {format.title()} file; write or fetch it again.") from error


def _binary_frames(path: str, format: str) -> Iterator[pl.DataFrame]:
    import polars as pl

    source: Any = path
    with open_stored(path) as file:
        start = file.read(4)
        if format == "arrow" and start == b"\xff\xff\xff\xff":  # a stream, which has no table of contents
            yield pl.read_ipc_stream(start + file.read())
            return
        if is_packed(path):
            source = start + file.read()
    lazy = pl.scan_parquet(source) if format == "parquet" else pl.scan_ipc(source)
    rows = max(256, min(ROWS, BLOCK_BYTES // (8 * max(1, len(lazy.collect_schema())))))
    found = False
    for frame in lazy.collect_batches(chunk_size=rows, maintain_order=True):
        found = True
        yield frame
    if not found:
        yield lazy.head(0).collect()


def json_frames(file: BinaryIO, name: str) -> Iterator[pl.DataFrame]:
    """The rows of a file of JSON: one object a line, or one list of objects, which is read whole."""
    import polars as pl
    from polars.exceptions import PolarsError

    if file.peek(2**12).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):  # type: ignore[attr-defined]
        yield flat(_json_list(file.read(), name), name)
        return
    line = 1
    schema: dict[str, Any] | None = None
    for _, block in blocks_in_order(file, None, BLOCK_BYTES):
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
            f"{name} is no list of JSON objects, one for each row ({str(error).splitlines()[0]})."
        ) from error


def _bad_json(block: bytes, line: int, name: str, error: Exception) -> str:
    """What is wrong with the first line that is no JSON object."""
    for number, text in enumerate(block.splitlines(), line):
        try:
            value = json.loads(text) if text.strip() else {}
        except ValueError as wrong:
            return f"Line {number} of {name} is not valid JSON ({wrong})."
        if not isinstance(value, dict):
            return f"Line {number} of {name} is {shortened(value)}, not a JSON object."
    return f"{name} cannot be read as JSON lines ({str(error).splitlines()[0]})."


def flat(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Objects inside of objects become columns "outer.inner"; lists stay, and are refused where they are used."""
    import polars as pl

    while any(isinstance(kind, pl.Struct) for kind in frame.dtypes):
        for column, kind in frame.schema.items():
            if isinstance(kind, pl.Struct):
                inner = frame[column].struct.unnest()
                inner.columns = [f"{column}.{part}" for part in inner.columns]
                frame = frame.drop(column).hstack(inner)
    return frame
