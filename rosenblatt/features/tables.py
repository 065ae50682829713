"""Tables of any make as polars frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl


class CellError(ValueError):
    """A cell that cannot be used. Its row is known, so that a caller who gave only some rows can tell which it was.

    Parameters
    ----------
    message : str
        With "row {row}" where the number of the row, counted from 1, should stand.
    row : int
        Counted from 0.
    place : str, optional
        What its user finds the row by, such as "line 3"; its number otherwise.

    Examples
    --------
    >>> error = CellError("The cell in row {row} is wrong.", 1)
    >>> error, error.at(41), error.at(41, "line 43")
    (CellError('The cell in row 2 is wrong.'), CellError('The cell in row 42 is wrong.'), \
CellError('The cell in line 43 is wrong.'))
    """

    def __init__(self, message: str, row: int, place: str | None = None) -> None:
        super().__init__(message.replace("row {row}", place or f"row {row + 1}"))
        self.message, self.row = message, row

    def at(self, row: int, place: str | None = None) -> CellError:
        """The same about another row."""
        return CellError(self.message, row, place)


def as_frame(X: Any) -> pl.DataFrame:
    """A polars frame of a polars or pandas frame, a dict of columns, or a matrix (columns x0, x1, ...)."""
    if isinstance(X, pl.DataFrame):
        return X
    if isinstance(X, pl.LazyFrame):
        return X.collect()
    if hasattr(X, "toarray"):
        raise TypeError(
            "A table must have columns, but a sparse matrix came; it is encoded already, give it to the learner."
        )
    if isinstance(X, Mapping):
        return pl.DataFrame({str(name): values for name, values in X.items()}, strict=False)
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        _check_names(X.columns)
        return pl.DataFrame([_from_pandas(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)])
    values = np.asarray(X)
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead: a table must have rows and columns. "
            "Reshape your data with X.reshape(-1, 1) if it has a single column."
        )
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: numbers must be real; pass their parts as two columns.")
    if values.dtype == object:
        return pl.DataFrame([_from_objects(f"x{j}", values[:, j].tolist()) for j in range(values.shape[1])])
    return pl.DataFrame({f"x{j}": values[:, j] for j in range(values.shape[1])})


def _check_names(names: Any) -> None:
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise ValueError(f"The columns of a table must have different names, but {name!r} comes twice; rename one.")
        seen.add(name)


def _from_pandas(name: str, series: Any) -> pl.Series:
    """Without pyarrow, which polars' own conversion asks for."""
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else "extension"
    if kind in "biuf":
        return pl.Series(name, series.to_numpy())
    if kind == "M":
        return pl.Series(name, series.to_numpy().astype("datetime64[us]"))
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
    try:
        return pl.Series(name, values, strict=False)
    except (TypeError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else float(value) for value in values])


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


def unit_of(kind: pl.DataType) -> str:
    """What `as_numbers` makes of dates and times; empty for numbers.

    Examples
    --------
    >>> unit_of(pl.Date()), unit_of(pl.Float64())
    ('in days since 1970-01-01', '')
    """
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        return "in days since 1970-01-01"
    return "in days" if isinstance(kind, pl.Duration) else "in hours" if kind == pl.Time else ""
