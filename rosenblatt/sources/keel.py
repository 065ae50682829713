"""KEEL and ARFF tables: lines of `@attribute name type`, then `@data` and comma-separated rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from .compressed import check_text, open_text
from .delimited import TextTable
from .dialect import BYTE_ORDER_MARK, Dialect
from .reading import ReadOptions

if TYPE_CHECKING:
    import polars as pl

NUMBERS = ("real", "integer", "numeric")


def read(path: str, name: str, format: str, reading: ReadOptions, whole: bool) -> Iterator[pl.DataFrame]:
    """The rows of a KEEL or ARFF file, in blocks."""
    missing = (*reading.missing, "<null>")
    with open_text(path, reading.encoding) as file:
        yield from _frames(file, name, missing)


def _frames(file: BinaryIO, name: str, missing: tuple[str, ...]) -> Iterator[pl.DataFrame]:
    """The rows, with the names and types that the header of the file states."""
    import polars as pl

    names: list[str] = []
    types: dict[str, Any] = {}
    skipped = 0
    while True:
        stored = file.readline()
        if not stored:
            raise ValueError(f"{name} has no line '@data' before its rows.")
        skipped += 1
        check_text(stored, "utf-8", skipped)
        line = stored.decode().lstrip(BYTE_ORDER_MARK).strip()
        if line.lower().startswith("@attribute"):
            column, kind = _attribute(line, name, skipped)
            names.append(column)
            types[column] = pl.Float64 if kind in NUMBERS else pl.String
        elif line.lower().startswith("@data"):
            break
    dialect = Dialect(",", '"', "%", False, names=tuple(names), types=types, spaces=True, skipped=skipped)
    table = TextTable(name, dialect, types, missing=missing)
    for _, frame in table.frames(file):
        yield frame


def _attribute(line: str, name: str, number: int) -> tuple[str, str]:
    """The name and the lower-case type of `@attribute name real [0, 1]` or `@attribute 'a b' {x, y}`."""
    found = re.match(r"@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{]+)\s*(\{|\w+)", line, re.I)
    if found is None:
        raise ValueError(f"Line {number} of {name} must be '@attribute NAME TYPE', but it is {line[:60]!r}.")
    return found[1].strip("'\""), found[2].lower()
