"""KEEL and ARFF tables: lines of `@attribute name type`, then `@data` and comma-separated rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from .delimited import TextTable
from .dialect import BYTE_ORDER_MARK, MISSING, Dialect, not_text

if TYPE_CHECKING:
    import polars as pl

NUMBERS = ("real", "integer", "numeric")


def frames(file: BinaryIO, name: str, encoding: str) -> Iterator[pl.DataFrame]:
    """The rows, with the names and types that the header of the file states."""
    import polars as pl

    names: list[str] = []
    types: dict[str, Any] = {}
    skipped = 0
    while True:
        stored = file.readline()
        if not stored:
            raise ValueError(f"A KEEL table must have a line '@data' before its rows, but {name} has none; add it.")
        skipped += 1
        try:
            line = stored.decode(encoding).lstrip(BYTE_ORDER_MARK).strip()
        except UnicodeDecodeError as error:
            raise not_text(name, encoding, stored[error.start], skipped) from error
        if line.lower().startswith("@attribute"):
            column, kind = _attribute(line, name, skipped)
            names.append(column)
            types[column] = pl.Float64 if kind in NUMBERS else pl.String
        elif line.lower().startswith("@data"):
            break
    dialect = Dialect(",", '"', "%", False, names=tuple(names), spaces=True, skipped=skipped)
    dialect.types = types
    table = TextTable(name, dialect, encoding, types, missing=(*MISSING, "<null>"))
    for _, frame in table.frames(file):
        yield frame


def _attribute(line: str, name: str, number: int) -> tuple[str, str]:
    """The name and the lower-case type of `@attribute name real [0, 1]` or `@attribute 'a b' {x, y}`."""
    found = re.match(r"@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{]+)\s*(\{|\w+)", line, re.I)
    if found is None:
        raise ValueError(
            f"A line '@attribute' must have a name and a type, but line {number} of {name} is "
            f"{line[:60]!r}; correct it."
        )
    return found[1].strip("'\""), found[2].lower()
