"""Tables of any make as polars frames."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.arguments import shortened

LARGEST = 10**150  # of whole numbers, whose squares are within the range of float64


#: What can be wrong with a cell, worded with its column, value and place.
PROBLEMS = {
    "infinite": "The column {column} has an infinite number in {place}; replace it or leave it empty.",
    "huge": "The column {column} has {value} in {place}, too large to compute with; replace it or leave it empty.",
    "far": "The column {column} has {value} in {place}, far beyond what was learned from; replace it.",
    "digits": "The column {column} has a number of {value} digits in {place}; correct or scale it.",
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
    frame = _as_frame(X)
    for name, kind in frame.schema.items():
        if kind.is_nested() or kind in (pl.Object, pl.Binary):
            first = frame[name].drop_nulls()
            what = type(first[0]).__name__ if len(first) and kind != pl.Binary else "bytes"
            raise TypeError(
                f"argument must be a string or a number, not {what!r}: a cell must be a number, text, a truth value or "
                f"a date, but the column {shortened(name)} holds others; convert it, to text for instance."
            )
    return frame


def _as_frame(X: Any) -> pl.DataFrame:
    if isinstance(X, pl.DataFrame):
        return X
    if isinstance(X, pl.LazyFrame):
        return X.collect()
    if hasattr(X, "toarray"):
        raise TypeError(
            "A table must have columns, but a sparse matrix came; it is encoded already, give it to the learner."
        )
    if isinstance(X, Mapping):
        return _from_columns(X)
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        _check_names(X.columns)
        return pl.DataFrame([_from_pandas(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)])
    if isinstance(X, np.ndarray) and X.dtype.names:
        return pl.DataFrame([_from_array(name, X[name]) for name in X.dtype.names])
    try:
        values = np.asarray(X)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        row = next((row for row, length in enumerate(lengths) if length != lengths[0]), 0)
        raise ValueError(
            f"The rows of a table must have one length, but row 1 has {lengths[0]} cells and row {row + 1} has "
            f"{lengths[row]}; make them equal."
        ) from None
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead: a table must have rows and columns, but "
            f"{shortened(X)} came. Reshape your data with X.reshape(-1, 1) if it has a single column."
        )
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: numbers must be real; pass their parts as two columns.")
    return pl.DataFrame([_from_array(f"x{j}", values[:, j]) for j in range(values.shape[1])])


def _from_columns(columns: Mapping[Any, Any]) -> pl.DataFrame:
    made: dict[str, Any] = {}
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.ndim == 1:
            made[str(name)] = _from_array(str(name), values)
        else:
            made[str(name)] = _from_objects(str(name), values) if isinstance(values, list) else values
    try:
        return pl.DataFrame(made, strict=False)
    except pl.exceptions.ShapeError:
        lengths = {name: len(values) for name, values in made.items() if hasattr(values, "__len__")}
        first = next(iter(lengths))
        other = next(name for name, length in lengths.items() if length != lengths[first])
        raise ValueError(
            f"The columns of a table must have one length, but {first!r} has {lengths[first]} cells and {other!r} has "
            f"{lengths[other]}; make them equal."
        ) from None


def _from_array(name: str, values: Any) -> pl.Series:
    """A column of numpy's, in a type that polars has."""
    if values.dtype == object:
        return _from_objects(name, values.tolist())
    if values.dtype.kind in "mM":
        values = values.astype(f"{values.dtype.kind}8[us]")
    elif values.dtype.kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(over="ignore"):  # infinite then, and refused
            values = values.astype(np.float64)
    return pl.Series(name, values)


def _check_names(names: Any) -> None:
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise ValueError(
                f"The columns of a table must have different names, but {shortened(name)} comes twice; rename one."
            )
        seen.add(name)


def _from_pandas(name: str, series: Any) -> pl.Series:
    """Without pyarrow, which polars' own conversion asks for."""
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else "extension"
    if kind in "biufmM":
        return _from_array(name, series.to_numpy())
    return _from_objects(
        name, [None if missing else value for value, missing in zip(series, series.isna(), strict=True)]
    )


def _from_objects(name: str, values: list[Any]) -> pl.Series:
    values = [None if isinstance(value, float) and value != value else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if kinds & {str}:
        return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)
    if any(issubclass(kind, Mapping | list | tuple | set) for kind in kinds):
        wrong = next(kind for kind in kinds if issubclass(kind, Mapping | list | tuple | set))
        raise TypeError(f"argument must be a string or a number, not {wrong.__name__!r}: a cell is one value.")
    large = [row for row, value in enumerate(values) if isinstance(value, int) and abs(value) >= 2**63]
    if large:
        _check_size(name, values, large)  # polars would take some of them for missing values
        if all(issubclass(kind, Real) for kind in kinds):
            return pl.Series(name, [None if value is None else float(value) for value in values])
    try:
        return pl.Series(name, values, strict=False)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else float(value) for value in values])


def _check_size(name: str, values: list[Any], large: list[int]) -> None:
    for row in large:
        if abs(values[row]) >= LARGEST:
            raise CellError("digits", row, name, str(len(str(abs(values[row])))))


def as_numbers(series: pl.Series) -> pl.Series:
    """A column of numbers, dates or times as float64; NaN becomes missing.

    A date is its days since 1970-01-01, a date with a time too, with a fraction; a time of day is in hours, a
    duration in days.
    """
    kind = series.dtype
    if kind == pl.Float64:
        if not series.null_count() and not np.isnan(series.to_numpy()).any():
            return series  # most columns, and quicker to tell than to fill
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
    return numbers.fill_nan(None)


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
