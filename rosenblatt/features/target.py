"""The target of a table: which column it is, and its values as labels."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.arguments import names_in, shortened
from rosenblatt.features.labels import FEW_CLASSES, distinct
from rosenblatt.models.linear import Array
from rosenblatt.wording import listed

MOST_CLASSES = 1000
IN_MEMORY = " --no-stream"  # what least squares needs


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
    n_without : int
        How many rows were left out because they have no target.
    """

    name: str
    y: Array
    rows: pl.DataFrame
    n_without: int


def find_column(columns: Sequence[str], wanted: str | int, where: str = "the table", what: str = "The target") -> str:
    """The column of a name or a number (from 1; -1 is the last). A name that is a column's wins over a number.

    `where` and `what` are for the complaint.

    Examples
    --------
    >>> find_column(["a", "b", "c"], "-1"), find_column(["a", "b"], 1)
    ('c', 'a')
    >>> find_column(["age", "species"], "specis", "x.csv")
    Traceback (most recent call last):
    ValueError: The target must be a column of x.csv, but it has none named 'specis'; did you mean 'species'?
    """
    names_in("columns", columns)
    text = str(wanted).strip()
    if text in columns:
        return text
    number = int(text) if text.lstrip("+-").isdecimal() else None
    if number is None:
        lowered = {name.casefold(): name for name in columns}
        near = difflib.get_close_matches(text.casefold(), lowered, 1, cutoff=0.5)
        advice = f"did you mean {shortened(lowered[near[0]])}?" if near else f"it has {listed(columns, 20)}."
        if len(columns) == 1:
            advice = f"it has one, {columns[0][:60]!r}; if that is several, pass separator, the sign that parts them."
        raise ValueError(f"{what} must be a column of {where}, but it has none named {shortened(text)}; {advice}")
    if not 1 <= abs(number) <= len(columns):
        raise ValueError(
            f"{what} must be a number from 1 to {len(columns)}, or -1 for the last column of {where}, but got {text}; "
            f"it has {listed(columns, 20)}."
        )
    return columns[number - 1] if number > 0 else columns[number]


def take_target(frame: pl.DataFrame, target: str | int) -> Target:
    """Separate the target from the other columns; rows without a target are left out and counted."""
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(
            f"A target is taken from a polars DataFrame, but {shortened(frame)} came; make one with "
            f"polars.DataFrame or polars.from_pandas."
        )
    name = find_column(frame.columns, target)
    column = frame[name]
    if column.dtype.is_float():
        column = column.fill_nan(None)
    without = column.null_count()
    rows = frame.drop(name)
    if without:
        kept = column.is_not_null()
        rows, column = rows.filter(kept), column.filter(kept)
    if len(column) == 0:
        raise ValueError(
            f"The target must have values, but every one of {shortened(name)} is missing; choose another column."
        )
    return Target(name, labels_of(column), rows, without)


def check_classes(
    y: Array, name: str, n_values: int | None = None, n_rows: int | None = None, *, in_passes: bool = False
) -> None:
    """Refuse to learn whole numbers as classes where they look like a quantity: many, and hardly a row for each.

    Parameters
    ----------
    y : array
        Labels to learn from.
    name : str
        How the target is called.
    n_values, n_rows : int, optional
        How many different labels and rows there are, where `y` holds only some of them.
    in_passes : bool
        Whether the file is learned from in passes, which least squares is not.

    Examples
    --------
    >>> check_classes(np.arange(10), "grade")
    >>> check_classes(np.arange(100), "price")
    Traceback (most recent call last):
    ValueError: The target must name classes, but 'price' has 100 different numbers in 100 rows, like a quantity; ...
    """
    if y.dtype.kind not in "iuf":
        return
    values, rows = n_values or len(distinct(y)), n_rows or len(y)
    if values > FEW_CLASSES and 5 * values > rows:
        raise ValueError(
            f"The target must name classes, but {shortened(name)} has {values:,} different numbers in {rows:,} "
            "rows, like a "
            f"quantity; learn it by least squares (rosenblatt train --learner least-squares"
            f"{IN_MEMORY if in_passes else ''}), or write the numbers as text, such as 'c17', if they are classes."
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
            raise ValueError(f"Labels must be finite, but {where} has {wrong}; replace it.")
        if (numbers == np.rint(numbers)).all() and (np.abs(numbers) < 2**53).all():
            return numbers.astype(np.int64)
        distinct = column.n_unique()
        if distinct > max(20, len(column) // 10):
            raise ValueError(
                f"The target must name classes, but {shortened(column.name)} has {distinct:,} different numbers "
                "with fractions, "
                f"like a quantity; learn it by least squares (rosenblatt train --learner least-squares{IN_MEMORY}), or "
                "group the numbers into classes."
            )
        return numbers
    text = column.cast(pl.String).str.strip_chars()  # "yes " is no class of its own
    classes = sorted(text.unique().to_list())
    if len(column) > 20 and len(classes) > max(MOST_CLASSES, len(column) // 2):
        raise ValueError(
            f"The target must name classes, but {shortened(column.name)} has {len(classes):,} values in "
            f"{len(column):,} "
            "rows; choose another column."
        )
    return np.array(classes, dtype=str)[text.cast(pl.Enum(classes)).to_physical().to_numpy()]
