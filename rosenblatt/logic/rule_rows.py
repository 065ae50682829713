"""Rows as rules read them: columns by name, numbers or Booleans, without missing values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic.function import refuse_masked
from rosenblatt.logic.unit import by_name
from rosenblatt.wording import counted


def read_columns(X: Any, names: tuple[str, ...], booleans: Collection[str]) -> dict[str, Array]:
    """The named columns of a frame, of a mapping, or of an array whose columns are in the order of `names`."""
    if isinstance(X, list | tuple):
        X = np.asarray(X)
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise TypeError("Rows must be there to be read, but got a LazyFrame; call its collect() first.")
    if isinstance(X, np.ndarray) and X.dtype.names is None:
        if X.ndim != 2 or X.shape[1] != len(names):
            raise ValueError(
                f"An array must have the {counted(len(names), 'column')} {', '.join(names)}, but its "
                f"shape is {X.shape}; pass "
                f"{'these columns in this order' if len(names) > 1 else 'this column'}, or a frame."
            )
        refuse_masked(X, "An array of rows")
        X = np.asarray(X)
        columns = {name: X[:, i] for i, name in enumerate(names)}
    else:
        if not hasattr(X, "columns") and not isinstance(X, Mapping | np.ndarray):
            raise TypeError(
                f"Rows must come as a frame, a mapping from columns to values or an array, but got "
                f"{type(X).__name__}; pass one of these."
            )
        known = list(X.columns if hasattr(X, "columns") else X.dtype.names if isinstance(X, np.ndarray) else X)
        missing = [name for name in names if name not in known]
        if missing:
            raise ValueError(
                f"The rules read the columns {', '.join(names)}, but there is no {missing[0]!r}; add it or "
                f"rename a column."
            )
        repeated = [name for name in names if known.count(name) > 1]
        if repeated:
            raise ValueError(f"A column must be there once, but {repeated[0]!r} is repeated; rename or drop one.")
        columns = {name: _values(X[name], name) for name in names}
    checked = {name: checked_column(values, name, name in booleans) for name, values in columns.items()}
    if len({len(values) for values in checked.values()}) > 1:
        raise ValueError("All columns must have the same number of rows, but they differ; pass whole columns.")
    return checked


def row_count(X: Any) -> int:
    """The number of rows of a table of which no column is read."""
    if not isinstance(X, Mapping):
        return len(X)
    for name, values in X.items():
        if np.ndim(values) == 0:
            raise ValueError(f"The column {name!r} must be a list of values, but it is one; use predict_one.")
        return len(values)
    return 0


def row_by_column(row: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    """The values that the rules read of one row: by name where it has names, else in the order of `columns`."""
    named = by_name(row)
    if named is None:
        if np.ndim(row) != 1 or len(row) != len(columns):
            raise ValueError(
                f"A row must have the {len(columns)} values {', '.join(columns)}, but its shape is {np.shape(row)}; "
                f"pass these in this order, or a mapping."
            )
        named = dict(zip(columns, row, strict=True))
    missing = [name for name in columns if name not in named]
    if missing:
        raise ValueError(f"A row must have the columns {', '.join(columns)}, but it has no {missing[0]!r}; add it.")
    return {name: named[name] for name in columns}


def one_row(row: Any, columns: tuple[str, ...]) -> dict[str, Array]:
    one = {}
    for name, value in row_by_column(row, columns).items():
        if value is np.ma.masked:
            raise _missing(name, 1)
        one[name] = np.array([value])
    return one


def _values(column: Any, name: str) -> Array:
    """A column as an array, without a copy where it is one already."""
    refuse_masked(column, f"The column {name!r}")
    nulls = column.null_count() if hasattr(column, "null_count") else 0  # polars
    if not nulls and hasattr(column, "isna") and getattr(column.dtype, "kind", "O") not in "biuf":  # pandas
        nulls = int(column.isna().sum())
    if nulls:
        raise _missing(name, nulls)
    if hasattr(column, "to_numpy"):
        return np.asarray(column.to_numpy())
    return np.asarray(column)


def _missing(name: str, count: int) -> ValueError:
    return ValueError(
        f"The column {name!r} must have a value in every row, but {count:,} {'is' if count == 1 else 'are'} missing; "
        f"fill "
        f"them or leave these rows out."
    )


def checked_column(values: Array, name: str, boolean: bool) -> Array:
    if values.ndim != 1:
        raise ValueError(
            f"The column {name!r} must be a list of values, but its shape is {values.shape}; "
            f"for one row use predict_one."
        )
    if values.dtype.kind == "O":
        values = _from_objects(values, name)
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise ValueError(
            f"The column {name!r} must hold numbers or Booleans, but its dtype is {values.dtype}; convert it."
        )
    if values.dtype.kind == "f":
        if values.dtype == np.float16:
            values = values.astype(np.float32)
        # A sum is not a number if one of its terms is not; or if infinities of both signs meet.
        with np.errstate(all="ignore"):
            doubtful = len(values) and math.isnan(float(values.sum()))
        if doubtful and np.isnan(values).any():
            raise _missing(name, int(np.isnan(values).sum()))
    if boolean and values.dtype.kind != "b":
        odd = (values != 0) & (values != 1)
        if odd.any():
            raise ValueError(
                f"The column {name!r} is used as true or false and must hold 0 and 1, but it holds "
                f"{values[odd][0].item()!r}; compare it with a number in the rules, or convert it."
            )
        values = values == 1
    return values


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA does not say whether it equals itself
        return True
    except ValueError:  # an array: not missing, but refused later
        return False


def _from_objects(values: Array, name: str) -> Array:
    listed = values.tolist()
    missing = sum(map(_is_missing, listed))
    if missing:
        raise _missing(name, missing)
    if all(isinstance(value, bool | np.bool_) for value in listed):
        return values.astype(bool)
    if not all(isinstance(value, int | float | np.integer | np.floating) for value in listed):
        raise ValueError(f"The column {name!r} must hold numbers or Booleans, but it holds other objects; convert it.")
    converted = np.array(listed)
    if converted.dtype.kind not in "biuf" or any(a != b for a, b in zip(converted.tolist(), listed, strict=True)):
        raise ValueError(f"The column {name!r} must hold numbers of at most 64 bits, but some are longer; round them.")
    return converted
