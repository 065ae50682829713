"""Labels and targets as learners and proofs take them: one value for every row, of one kind, none missing.

scikit-learn words what it refuses itself. Added here is what would pass its checks and be misread (masked values, text
among numbers, dates), and the row in which a value is missing.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Set
from datetime import date, timedelta
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import shortened
from rosenblatt.finite import refuse_not_finite

Array = npt.NDArray[Any]

NUMBERS = "biuf"  # kinds of dtypes
MISSING = {"NoneType", "NAType", "NaTType", "float"}  # types of labels that may say that there is none
TIMES = date | timedelta | np.datetime64 | np.timedelta64


def array_of(y: Any, what: str) -> Array:
    """A list or array of values, one (of `what` they are) for each row, or several in two dimensions.

    >>> array_of([[1], [2, 3]], "label")
    Traceback (most recent call last):
    ValueError: y must have one label for every row, but row 1 has 2; pass one label per row.
    """
    if y is None:
        raise ValueError(f"This requires y to be passed, but the target y is None; pass one {what} per row.")
    if hasattr(y, "collect"):
        raise ValueError(f"y must be in memory, but got {type(y).__name__}; call y.collect() first.")
    if isinstance(y, str | bytes | Set | Mapping | Iterator) or (not hasattr(y, "toarray") and np.isscalar(y)):
        raise ValueError(
            f"y must be a list or an array of {what}s, but got {type(y).__name__}; pass one {what} per row."
        )
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        row = int(np.argwhere(np.ma.getmaskarray(y))[0][0])
        raise ValueError(
            f"y must have a {what} for every row, but the {what} of row {row} is masked; leave such rows out, or fill "
            f"them in with y.filled(...)."
        )
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "kind", "") in "biu" and hasattr(dtype, "numpy_dtype") and not y.isna().any():
        y = y.to_numpy(dtype.numpy_dtype)  # pandas' own whole numbers and truth values stay such
    try:
        values = np.asarray(y)
    except ValueError:
        counts = [len(one) if hasattr(one, "__len__") and not isinstance(one, str) else 1 for one in y]
        row = next((row for row, count in enumerate(counts) if count != 1), 0)
        raise ValueError(
            f"y must have one {what} for every row, but row {row} has {counts[row]}; pass one {what} per row."
        ) from None
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y must hold real {what}s, but has complex ones; pass real ones.")
    return values


def check_length(y: Array, n_rows: int | None, what: str) -> Array:
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows, but got {n_rows} and {len(y)}; pass one {what} per row."
        )
    return y


def check_labels(y: Any, n_rows: int | None = None) -> Array:
    """One label per row, all of one kind: numbers that are whole, Booleans, or text."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    if isinstance(y, list | tuple):
        check_kinds(y)  # numpy would quietly turn numbers among text into text
    values = array_of(y, "label")
    values = np.asarray(column_or_1d(values, warn=True))
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        _refuse_missing("NaN" if np.isnan(values[row]) else "infinity", row, values[row])
    if values.dtype.kind in "OmM":
        check_kinds(values)
        values = _plain(values)
    if values.dtype.kind == "S" or (values.dtype.kind == "O" and len(values) and isinstance(values[0], bytes)):
        raise ValueError(
            "y must hold numbers or text, but has bytes; turn them into text, with [label.decode() for label in y] for "
            "instance."
        )
    text = values.dtype.kind == "U" or (values.dtype.kind == "O" and len(values) and isinstance(values[0], str))
    few = values.dtype.kind in "biu" and 0 < spread(values) <= round(0.5 * len(values))
    if not text and not few:  # which are classes: scikit-learn's check would sort all of them
        check_classification_targets(values)
    return check_length(values, n_rows, "label")


def check_label(y: Any) -> Array:
    """A single label, as an array of one."""
    if y is None or isinstance(y, Mapping | Set) or np.ndim(y):
        raise ValueError(
            f"y must be one label, a number or text, but got {shortened(y)}; use learn_many for several examples."
        )
    return check_labels([y])


def check_targets(y: Any, n_rows: int) -> Array:
    """One number per row, or several, as float64."""
    values = array_of(y, "number")
    first = values.flat[0] if values.size else None
    if values.dtype.kind in "mM" or isinstance(first, date | timedelta):
        raise ValueError(
            "y must hold numbers, but has dates or times; turn them into numbers first, into days since a day of your "
            "choice for instance."
        )
    if values.dtype.kind in "US" or isinstance(first, str | bytes):
        raise ValueError("y must hold numbers, but has text; use a classifier for labels, Perceptron for instance.")
    if values.ndim not in (1, 2) or len(values) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows, but got {n_rows} and y of shape {values.shape}; pass one "
            f"number per row, or one row of numbers."
        )
    try:
        targets = values.astype(np.float64)
    except OverflowError:
        raise ValueError("y must hold numbers in the range of float64, but has larger ones; scale them.") from None
    except (TypeError, ValueError):
        raise ValueError("y must hold numbers, but has other objects; convert them first.") from None
    refuse_not_finite("y", targets)
    return targets


def check_kinds(labels: Any) -> None:
    """Refuse a missing label, and text among other things."""
    kinds = {str if issubclass(kind, str) else kind for kind in set(map(type, labels))}
    if MISSING & {kind.__name__ for kind in kinds}:
        for row, label in enumerate(labels):
            if type(label).__name__ in MISSING and not (isinstance(label, float) and label == label):
                _refuse_missing("None" if label is None else "NaN", row, label)
    if len(kinds) > 1 and (str in kinds or hasattr(labels, "dtype")):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"y must hold labels of one kind, but got {names}; convert them to one kind first.")


def spread(labels: Array) -> int:
    """How many whole numbers there are from the smallest label to the largest."""
    return int(labels.max()) - int(labels.min()) + 1 if len(labels) else 0


def _plain(y: Array) -> Array:
    """Numbers that came as objects, as numbers."""
    first = y[0] if len(y) else ""
    if isinstance(first, TIMES):
        raise ValueError(
            f"y must hold numbers or text, but got {type(first).__name__} objects; convert them, with "
            f"[str(label) for label in y] for instance."
        )
    if not isinstance(first, numbers.Real):
        return y
    plain = np.array(y.tolist())
    if plain.dtype.kind not in NUMBERS:
        raise ValueError("y must hold whole numbers of at most 64 bits, but has larger ones; use text.")
    return plain


def _refuse_missing(what: str, row: int, label: Any) -> NoReturn:
    raise ValueError(
        f"Input y contains {what}: every label must be a value, but row {row} has {label}; leave the row out or give "
        f"it a label."
    )
