"""Tables of any make as polars frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.arguments import shortened

#: What can be wrong with a cell, worded with its column, value and place.
PROBLEMS = {
    "infinite": "The column {column} has an infinite number in {place}; replace it or leave it empty.",
    "huge": "The column {column} has {value} in {place}, too large to compute with; replace it or leave it empty.",
    "far": "The column {column} has {value} in {place}, far beyond what was learned from; replace it.",
    "missing": "The column {column} lacks {value} values, the first in {place}, and missing values are refused; fill "
    "them with the median, or leave the column out.",
    "lacks_one": "The column {column} lacks a value in {place}, and missing values are refused; fill it in.",
    "no_number": "The column {column} holds numbers, but {place} has {value!r}; correct it or leave it empty.",
    "no_date": "The column {column} holds dates, but {place} has {value!r}; write it as 2024-12-31 or leave it empty.",
}


class CellError(ValueError):
    """A cell that cannot be used. Its row is known, so that a caller who gave only some rows can tell which it was.

    Parameters
    ----------
    problem : str
        A key of `PROBLEMS`.
    row : int
        Counted from 0.
    column, value : str
    place : str, optional
        What its user finds the row by, such as "line 3"; its number otherwise.

    Examples
    --------
    >>> error = CellError("infinite", 1, "age")
    >>> print(error)
    The column 'age' has an infinite number in row 2; replace it or leave it empty.
    >>> print(error.at(41, "line 43"))
    The column 'age' has an infinite number in line 43; replace it or leave it empty.
    """

    def __init__(self, problem: str, row: int, column: str, value: str = "", place: str | None = None) -> None:
        self.problem, self.row, self.column, self.value = problem, row, column, value
        self.place = place or f"row {row + 1:,}"
        told = PROBLEMS[problem].format(column=shortened(column), value=value[:60], place=self.place)
        super().__init__(told)

    def at(self, row: int, place: str | None = None) -> CellError:
        """The same about another row."""
        return CellError(self.problem, row, self.column, self.value, place)


def as_frame(X: Any) -> pl.DataFrame:
    """A polars frame of a polars or pandas frame, a dict of columns, or a matrix (columns x0, x1, ...)."""
    frame = X.collect() if isinstance(X, pl.LazyFrame) else X if isinstance(X, pl.DataFrame) else _from_others(X)
    for name, kind in frame.schema.items():
        if kind.is_nested() or kind in (pl.Object, pl.Binary):
            first = frame[name].drop_nulls()
            what = type(first[0]).__name__ if len(first) and kind != pl.Binary else "bytes"
            raise TypeError(
                f"argument must be a string or a number, not {what!r}: a cell must be a number, text, a truth value or "
                f"a date, but the column {shortened(name)} holds others; convert it, to text for instance."
            )
    return frame


def _from_others(X: Any) -> pl.DataFrame:
    if hasattr(X, "toarray"):
        raise TypeError(
            "A table must have columns, but a sparse matrix came; it is encoded already, give it to the learner."
        )
    if isinstance(X, Mapping):
        columns = list(X.items())
    elif hasattr(X, "columns") and hasattr(X, "iloc"):
        columns = [(name, X.iloc[:, j]) for j, name in enumerate(X.columns)]
    else:
        values = _matrix(X)
        columns = [(f"x{j}", values[:, j]) for j in range(values.shape[1])]
    try:
        return pl.DataFrame([_column(str(name), cells) for name, cells in columns])
    except (pl.exceptions.ShapeError, pl.exceptions.DuplicateError) as error:
        raise ValueError(
            f"The columns of a table must have one length and different names ({str(error).splitlines()[0]})."
        ) from error


def _matrix(X: Any) -> Any:
    try:
        values = np.asarray(X)
    except ValueError as error:
        raise ValueError("The rows of a table must have one length.") from error
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead: a table must have rows and columns, but "
            f"{shortened(X)} came. Reshape your data with X.reshape(-1, 1) if it has a single column."
        )
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: numbers must be real; pass their parts as two columns.")
    return values


def _column(name: str, cells: Any) -> pl.Series:
    """A column of numpy's, of pandas' (without pyarrow, which polars' own conversion asks for), or of any cells."""
    if hasattr(cells, "isna"):
        numeric = isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "biufmM"
        cells = cells.to_numpy() if numeric else cells.astype(object).where(~cells.isna(), None).tolist()
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        if cells.dtype.kind in "mM":
            cells = cells.astype(f"{cells.dtype.kind}8[us]")
        elif cells.dtype.kind == "f" and cells.dtype.itemsize > 8:
            with np.errstate(over="ignore"):  # infinite then, and refused
                cells = cells.astype(np.float64)
        return pl.Series(name, cells)
    if isinstance(cells, np.ndarray | list):
        return _from_objects(name, list(cells))
    return pl.Series(name, cells, strict=False)


def _from_objects(name: str, values: list[Any]) -> pl.Series:
    values = [None if isinstance(value, float) and value != value else value for value in values]
    if any(isinstance(value, str) for value in values):
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    if any(isinstance(value, int) and abs(value) >= 2**63 for value in values):
        values = [_float(value) if isinstance(value, int) else value for value in values]
    try:
        return pl.Series(name, values, strict=False)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else float(value) for value in values])


def _float(value: int) -> float:
    """A whole number of any size; infinite, and refused, where float64 does not reach."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_numbers(series: pl.Series) -> pl.Series:
    """A column of numbers, dates or times as float64; NaN becomes missing.

    A date is its days since 1970-01-01, a date with a time too, with a fraction; a time of day is in hours, a
    duration in days.
    """
    kind = series.dtype
    if kind == pl.Float64:
        numbers = series
    elif kind == pl.Date:
        numbers = series.to_physical().cast(pl.Float64)
    elif isinstance(kind, pl.Datetime):
        numbers = series.dt.epoch("us").cast(pl.Float64) / 86_400e6
    elif isinstance(kind, pl.Duration):
        numbers = series.dt.total_microseconds().cast(pl.Float64) / 86_400e6
    elif kind == pl.Time:
        numbers = series.to_physical().cast(pl.Float64) / 3_600e9
    else:
        numbers = series.cast(pl.Float64)
    return without_nan(numbers)


def without_nan(series: pl.Series) -> pl.Series:
    """A column of floats, NaN as missing. Most have none, which is quicker to tell than to fill."""
    plain = not series.null_count() and not np.isnan(series.to_numpy()).any()
    return series if plain else series.fill_nan(None)


def measure_of(kind: pl.DataType) -> str:
    """What a type of dates and times measures; empty for numbers.

    Examples
    --------
    >>> measure_of(pl.Date()), measure_of(pl.Float64())
    ('date', '')
    """
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        return "date"
    return "duration" if isinstance(kind, pl.Duration) else "time" if kind == pl.Time else ""
