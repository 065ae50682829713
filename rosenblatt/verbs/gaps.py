"""Gaps in rows of numbers, which NumPy writes as NaN: the policies of `--missing`, as tables have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.verbs.errors import InputError
from rosenblatt.wording import counted

if TYPE_CHECKING:
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

Array = npt.NDArray[Any]
SAMPLE = 2**22  # numbers from which a median is taken where nothing is missing


def has_gaps(rows: Any) -> bool:
    """Whether values of a matrix are missing."""
    return not issparse(rows) and rows.dtype.kind == "f" and bool(np.isnan(rows).any())


def may_have_gaps(rows: Any) -> bool:
    """Whether such rows may come with gaps one day: numbers do, bytes and sparse rows do not."""
    return not issparse(rows) and rows.dtype != np.uint8 and rows.dtype.kind != "b"


def filler(missing: str) -> SimpleImputer:
    """What fills gaps with the median of the column; with "indicator", a further column tells where they were."""
    from sklearn.impute import SimpleImputer  # here: it is slow to load, and few models need it

    return SimpleImputer(strategy="median", keep_empty_features=True, add_indicator=missing == "indicator")


def fit_filler(filling: Any, rows: Any) -> Any:
    """Fit it, and fill the rows; where there are no gaps, for those to come, with the medians of a sample."""
    if has_gaps(rows):
        return filling.fit_transform(rows)
    every = max(1, rows.size // SAMPLE)
    filling.fit(np.median(rows[::every], axis=0)[None].astype(np.float64))
    return rows


def note_on_gaps(count: int, *, estimated: bool = False) -> str:
    """How many values were filled, and with what; `estimated`: with the median of a sample of the rows.

    Examples
    --------
    >>> note_on_gaps(1)
    '1 missing value is filled with the median of the column.'
    """
    some = f"{counted(count, 'missing value')} {'is' if count == 1 else 'are'}"
    return f"{some} filled with the median of the column{', estimated from a sample' if estimated else ''}."


def check_gaps(rows: Any, name: str, before: int = 0) -> None:
    """Refuse gaps, as `ColumnEncoder` does with missing="error"; `before`: rows of the file that stand before these.

    Examples
    --------
    >>> check_gaps(np.array([[1.0, 2.0], [np.nan, 3.0]]), "x.npy")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.InputError: x.npy lacks a value in row 2, column 1, and missing values are refused.
    """
    if not has_gaps(rows):
        return
    row, column = (int(at) for at in np.argwhere(np.isnan(rows))[0])
    raise InputError(
        f"{name} lacks a value in row {before + row + 1:,}, column {column + 1:,}, and missing values are refused."
    )


def labelled_rows(y: Array, name: str, before: int = 0) -> Array | None:
    """Which rows of a matrix have a label, where some have none (NaN); an infinite label is refused.

    Examples
    --------
    >>> labelled_rows(np.array([1.0, np.nan, 0.0]), "x.npy").tolist()
    [True, False, True]
    >>> labelled_rows(np.array([1.0, np.inf]), "x.npy")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.InputError: x.npy has the label inf in row 2.
    """
    if y.dtype.kind != "f" or np.isfinite(y).all():
        return None
    infinite = np.flatnonzero(np.isinf(y))
    if len(infinite):
        row = int(infinite[0])
        raise InputError(f"{name} has the label {y[row]} in row {before + row + 1:,}.")
    if np.isnan(y).all() and not before:
        raise InputError(f"Every label of {name} is missing (NaN).")
    return np.asarray(~np.isnan(y))


def note_on_labels(missing: int, name: str, first: int) -> str:
    """How many rows are left out for want of a label, and the first of them, counted from 0.

    Examples
    --------
    >>> note_on_labels(2, "x.npy", 6)
    '2 rows without a label are left out, the first of them row 7 of x.npy.'
    """
    if missing == 1:
        return f"1 row without a label is left out, row {first + 1:,} of {name}."
    return f"{missing:,} rows without a label are left out, the first of them row {first + 1:,} of {name}."


@dataclass(eq=False)
class GapsOfStream:
    """What passes over rows that come block by block, to fill their gaps without a look at all of them at once."""

    rows: int = 0
    missing: Array | None = None  # by column

    def add(self, block: Any) -> None:
        found = np.isnan(block).sum(axis=0) if block.dtype.kind == "f" else np.zeros(block.shape[1], np.int64)
        self.missing = found if self.missing is None else self.missing + found
        self.rows += block.shape[0]

    @property
    def count(self) -> int:
        return 0 if self.missing is None else int(self.missing.sum())

    def filling(self, sample: Any, missing: str) -> SimpleImputer:
        """With the medians of a sample of the rows."""
        assert self.missing is not None
        held = np.asarray(sample, np.float64)
        empty = np.isnan(held).all(axis=0)
        medians = np.full(held.shape[1], np.nan)
        medians[~empty] = np.nanmedian(held[:, ~empty], axis=0)
        medians[empty & (self.missing < self.rows)] = 0.0
        # Two rows that have these medians, and gaps where there are some.
        return filler(missing).fit(np.vstack([medians, np.where(self.missing > 0, np.nan, medians)]))

    def refit_scaler(self, scaler: StandardScaler, filling: SimpleImputer) -> None:
        """Mean and deviation of the filled rows from those of the values that are there."""
        assert self.missing is not None
        share = self.missing / self.rows
        there, spread = np.nan_to_num(scaler.mean_), np.nan_to_num(scaler.var_)
        medians = np.asarray(filling.statistics_, np.float64)
        mean = (1 - share) * there + share * medians
        variance = (1 - share) * (spread + (there - mean) ** 2) + share * (medians - mean) ** 2
        if filling.indicator_ is not None:
            told = share[filling.indicator_.features_]
            mean, variance = np.append(mean, told), np.append(variance, told * (1 - told))
        scale = np.where(variance > 0, np.sqrt(variance), 1.0)
        whole = np.flatnonzero(self.missing == 0)
        scale[whole] = scaler.scale_[whole]
        scaler.mean_, scaler.var_, scaler.scale_ = mean, variance, scale
        scaler.n_features_in_, scaler.n_samples_seen_ = len(mean), np.int64(self.rows)
