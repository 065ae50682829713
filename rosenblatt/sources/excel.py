"""The first sheet of Excel and OpenDocument spreadsheets, read by polars with fastexcel."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .reading import ReadOptions

if TYPE_CHECKING:
    import polars as pl


def read(path: str, name: str, format: str, reading: ReadOptions, whole: bool) -> Iterator[pl.DataFrame]:
    """The rows of the first sheet; its first row has the names unless `header` is False."""
    if find_spec("fastexcel") is None:
        raise ImportError('Spreadsheets are read with fastexcel: pip install "rosenblatt[excel]".')
    import polars as pl

    try:
        yield pl.read_excel(path, engine="calamine", has_header=reading.header is not False)
    except Exception as error:  # fastexcel has errors of its own, which are no class of Python's
        raise ValueError(f"{name} cannot be read as a spreadsheet ({str(error).splitlines()[0]}).") from error
