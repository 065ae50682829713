"""Rows of numbers: gaps, which NumPy writes as NaN, and values that cannot be computed with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.features.column_figures import HUGE
from rosenblatt.verbs.errors import InputError
from rosenblatt.wording import counted

if TYPE_CHECKING:
    from sklearn.impute import SimpleImputer

Array = npt.NDArray[Any]
SAMPLE = 2**22  # numbers from which a median is taken where nothing is missing


def count_gaps(rows: Any) -> int:
    """How many values of a matrix are missing."""
    return 0 if issparse(rows) or rows.dtype.kind != "f" else int(np.isnan(rows).sum())


def filler(missing: str) -> SimpleImputer:
    """What fills gaps with the median of the column; with "indicator", a further column tells where they were."""
    from sklearn.impute import SimpleImputer  # here: it is slow to load, and few models need it

    return SimpleImputer(strategy="median", keep_empty_features=True, add_indicator=missing == "indicator")


def fit_filler(filling: Any, rows: Any) -> Any:
    """Fit it, and fill the rows; where there are no gaps, for those to come, with the medians of a sample."""
    if count_gaps(rows):
        return filling.fit_transform(rows)
    every = max(1, rows.size // SAMPLE)
    filling.fit(np.median(rows[::every], axis=0)[None].astype(np.float64))
    return rows


def fill_gaps(rows: Any, missing: str, name: str) -> tuple[Any, list[str]]:
    """Rows without gaps, as `missing` asks for, and a note where there were some."""
    if missing == "error":
        check_gaps(rows, name)
    count = count_gaps(rows)
    return (fit_filler(filler(missing), rows), [note_on_gaps(count)]) if count else (rows, [])


def note_on_gaps(count: int) -> str:
    """How many values were filled, and with what.

    Examples
    --------
    >>> note_on_gaps(1)
    '1 missing value is filled with the median of the column.'
    """
    return f"{counted(count, 'missing value')} {'is' if count == 1 else 'are'} filled with the median of the column."


def check_gaps(rows: Any, name: str, before: int = 0) -> None:
    """Refuse gaps, as `ColumnEncoder` does with missing="error"; `before`: rows of the file that stand before these.

    Examples
    --------
    >>> check_gaps(np.array([[1.0, 2.0], [np.nan, 3.0]]), "x.npy")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.InputError: x.npy lacks a value in row 2, column 1, and missing values are refused.
    """
    if count_gaps(rows):
        _, place = _first(np.isnan(rows), rows, before)
        raise InputError(f"{name} lacks a value in {place}, and missing values are refused.")


def check_numbers(rows: Any, name: str, *, before: int = 0) -> None:
    """Refuse numbers of a matrix that cannot be computed with: infinite or huge ones.

    Examples
    --------
    >>> check_numbers(np.array([[1.0, 2.0], [np.inf, 3.0]]), "x.npy")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.InputError: x.npy has inf in row 2, column 1, too large to compute with.
    """
    if issparse(rows) or rows.dtype.kind != "f":
        return
    with np.errstate(invalid="ignore"):
        huge = np.abs(rows) >= HUGE
    if huge.any():
        value, place = _first(huge, rows, before)
        raise InputError(f"{name} has {value:g} in {place}, too large to compute with.")


def _first(wrong: Array, rows: Array, before: int) -> tuple[float, str]:
    """The first number that is wrong, and its place."""
    row, column = (int(at) for at in np.argwhere(wrong)[0])
    return float(rows[row, column]), f"row {before + row + 1:,}, column {column + 1:,}"
