"""The target of a table: which column it is, and its values as labels."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.arguments import names_in, shortened
from rosenblatt.features.column_figures import quantity
from rosenblatt.models.linear import Array
from rosenblatt.wording import listed

QUANTITY = "learn it with least squares (rosenblatt train --learner least-squares)"  # what to do with a number
FEW_CLASSES, MOST_CLASSES = 50, 1000  # up to which numbers name classes, however few rows each has; and any do


@dataclass(frozen=True, eq=False)
class Target:
    """The labels of a table and the rest of it.

    Attributes
    ----------
    name : str
    y : array
        Text as str, whole numbers as int64 (also those written 1.0), others as float64, Booleans as bool.
    rows : polars DataFrame
        The other columns, without the rows whose target is missing.
    kept : array of int or None
        The numbers of the rows that were not, where some were.
    """

    name: str
    y: Array
    rows: pl.DataFrame
    kept: Array | None = None


def find_column(columns: Sequence[str], wanted: str | int, where: str = "The table") -> str:
    """The column of a name or a number (from 1; -1 is the last). A name that is a column's wins over a number.

    Examples
    --------
    >>> find_column(["a", "b", "c"], "-1"), find_column(["a", "b"], 1)
    ('c', 'a')
    >>> find_column(["age", "species"], "specis", "x.csv")
    Traceback (most recent call last):
    ValueError: x.csv has no column 'specis' (did you mean 'species'?).
    """
    names_in("columns", columns)
    text = str(wanted).strip()
    if text in columns:
        return text
    number = int(text) if text.lstrip("+-").isdecimal() else None
    if number is None:
        lowered = {name.casefold(): name for name in columns}
        near = difflib.get_close_matches(text.casefold(), lowered, 1, cutoff=0.5)
        if near:
            raise ValueError(f"{where} has no column {shortened(text)} (did you mean {shortened(lowered[near[0]])}?).")
        has = f"it has one, {columns[0][:60]!r}" if len(columns) == 1 else f"it has {listed(columns, 20)}"
        raise ValueError(f"{where} has no column {shortened(text)}; {has}.")
    if not 1 <= abs(number) <= len(columns):
        raise ValueError(f"{where} has no column number {text}; it has {len(columns)}: {listed(columns, 20)}.")
    return columns[number - 1] if number > 0 else columns[number]


def take_target(frame: pl.DataFrame, target: str | int, *, numbers: bool | None = False) -> Target:
    """Separate the target from the other columns; rows without a target are left out and counted.

    `numbers`: it is a quantity, and stays one. None: it may be either, and is not to be learned from.
    """
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(f"A target is taken from a polars DataFrame, but got {shortened(frame)}.")
    name = find_column(frame.columns, target)
    column = frame[name]
    if column.dtype.is_float():
        column = column.fill_nan(None)
    rows, kept = frame.drop(name), None
    if column.null_count():
        kept = column.is_not_null()
        rows, column = rows.filter(kept), column.filter(kept)
        if len(column) == 0:
            raise ValueError(f"Every value of the target {shortened(name)} is missing.")
    y = labels_of(column) if numbers is False else quantities_of(column, needed=bool(numbers))
    return Target(name, y, rows, None if kept is None else np.flatnonzero(kept.to_numpy()))


def quantities_of(column: pl.Series, *, needed: bool) -> Array:
    """A target of numbers as float64; text like 1 234.50 € is read as other columns are."""
    if not needed and not column.dtype.is_float():
        return labels_of(column)
    read = quantity(column) if column.dtype == pl.String else None
    if read is not None:
        return read.to_numpy()
    if not column.dtype.is_numeric():
        what = "true and false" if column.dtype == pl.Boolean else "dates" if column.dtype.is_temporal() else "text"
        raise ValueError(f"Least squares needs a target of numbers, but {shortened(column.name)} holds {what}.")
    values = column.cast(pl.Float64).to_numpy()
    whole = not needed and bool((values == np.rint(values)).all())
    return values.astype(np.int64) if whole else values


def check_classes(y: Array, name: str, n_rows: int | None = None, least: int = 2) -> None:
    """Refuse a target of fewer than `least` classes, and one that looks like a quantity, or like names of the rows.

    `n_rows` is how many rows there are, where `y` holds only the different labels.

    Examples
    --------
    >>> check_classes(np.arange(10), "grade")
    >>> check_classes(np.arange(100), "price")
    Traceback (most recent call last):
    ValueError: The target 'price' has 100 different numbers in 100 rows, like a quantity; learn it with ...
    """
    labels, rows = pl.Series(y).unique().sort(), n_rows or len(y)
    if len(labels) < least:
        raise ValueError(
            f"The target {shortened(name)} has a single value, {shortened(labels[0])}; add rows of another "
            "class, or choose another column."
        )
    count, numbers = len(labels), y.dtype.kind in "iuf"
    fractions = y.dtype.kind == "f" and bool((labels != labels.round()).any())
    if numbers and (count > MOST_CLASSES or (count > FEW_CLASSES and 5 * count > rows) or fractions):
        raise ValueError(
            f"The target {shortened(name)} has {count:,} different numbers{' with fractions' * fractions} in {rows:,} "
            f"rows, like a quantity; {QUANTITY}, or write the numbers as text, such as 'c17', if they are classes."
        )
    if not numbers and rows > 20 and count > max(FEW_CLASSES, rows // 2):
        advice = "choose another column" if quantity(labels) is None else QUANTITY
        raise ValueError(
            f"The target {shortened(name)} has {count:,} different values in {rows:,} rows, too many for classes; "
            f"{advice}."
        )


def labels_of(column: pl.Series) -> Array:
    """The labels of a column without missing values."""
    kind: Any = column.dtype
    if kind == pl.Boolean:
        return column.to_numpy()
    if kind.is_integer():
        return column.cast(pl.Int64).to_numpy()
    if kind.is_numeric():
        numbers = column.cast(pl.Float64).to_numpy()
        if not np.isfinite(numbers).all():
            wrong = "one that is missing" if np.isnan(numbers).any() else "an infinite one"
            where = repr(column.name) if column.name else "the target"
            raise ValueError(f"Labels must be finite, but {where} has {wrong}.")
        if (numbers == np.rint(numbers)).all() and (np.abs(numbers) < 2**53).all():
            return numbers.astype(np.int64)
        return numbers
    text = column.cast(pl.String).str.strip_chars()  # "yes " is no class of its own
    classes = sorted(text.unique().to_list())
    return np.array(classes, dtype=str)[text.cast(pl.Enum(classes)).to_physical().to_numpy()]
