"""Reads rows and labels: every number as it is given, or not at all."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.arguments import as_float, shortened
from rosenblatt.checked_labels import array_of, check_kinds
from rosenblatt.engine.online.state import Array
from rosenblatt.finite import sentence_on
from rosenblatt.wording import counted

WHOLE = 2.0**53  # up to here float64 holds every whole number


def read_rows(X: Any) -> Any:
    """The rows as an array or CSR matrix of numbers that are used as they are."""
    if scipy.sparse.issparse(X):
        X = _canonical(X)
        values = X.data
    else:
        X = values = _as_table(X)
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise ValueError(f"X must hold real numbers of at most 64 bits, but {_wrong_kind(values)}.")
    if 0 in X.shape:
        raise ValueError(f"X must have rows and features, but its shape is {X.shape}; pass at least one of each.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(sentence_on("X", X))
    if values.dtype.kind == "b":
        X = X.astype(np.uint8)
    if values.dtype == np.float16:
        X = X.astype(np.float32)
    return X


def _wrong_kind(values: Array) -> str:
    if values.dtype.kind in "mM":
        return "it has dates or durations; convert them, with astype('int64') for instance"
    if values.dtype.kind in "SU":
        return "it has text; encode it first"
    return f"its dtype is {values.dtype}; convert it to float64"


def _canonical(X: Any) -> Any:
    """CSR with sorted features, none of them twice."""
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and features, but it has {X.ndim} dimension; reshape it to 2-D.")
    X = X.tocsr()
    if X.nnz and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
        raise ValueError(
            f"The indices of a sparse matrix must be at least 0 and below {X.shape[1]}, its number of features, but X "
            f"has others; build the matrix again."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _as_table(X: Any) -> Array:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X must not have masked values, but it has some; fill them or leave their rows out.")
    _in_memory("X", X)
    if hasattr(X, "to_numpy"):
        table = _joined(X)
    else:
        try:
            table = np.asarray(X)
        except ValueError:
            raise ValueError("X must have rows of one length, but they differ; pass a table.") from None
        if table.dtype.kind == "O" or _rounded(X, table):
            table = _of_objects(np.array(X, dtype=object))
    if table.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and features, but it has {table.ndim} dimension{'s' * (table.ndim != 1)}; "
            f"reshape it to 2-D."
        )
    return table


def _in_memory(name: str, values: Any) -> None:
    if hasattr(values, "collect"):
        raise ValueError(f"{name} must be in memory, but got {type(values).__name__}; call {name}.collect() first.")


def _rounded(given: Any, values: Array) -> bool:
    """Whether whole numbers of a list may have been rounded to float64."""
    return values.dtype.kind == "f" and not hasattr(given, "dtype") and _beyond(values)


def _beyond(values: Array) -> bool:
    """Whether there are numbers that float64 may have been rounded to."""
    return bool((np.abs(values) >= WHOLE).any())


def _joined(frame: Any) -> Array:
    """The columns of a frame in one array of a dtype that holds every number exactly."""
    columns = getattr(frame, "get_columns", None)
    parts = columns() if columns is not None else [part for _, part in frame.items()] if _is_table(frame) else []
    arrays = [_column(part) for part in parts]
    kinds = {array.dtype for array in arrays}
    if len(kinds) < 2 and np.dtype(object) not in kinds and (whole := np.asarray(frame.to_numpy())).dtype.kind != "O":
        return whole
    for array in arrays:
        if array.dtype.kind in "mM":
            raise ValueError(f"X must hold real numbers of at most 64 bits, but {_wrong_kind(array)}.")
    if all(kind.kind in "buif" for kind in kinds):
        table = np.column_stack(arrays)
        if table.dtype.kind != "f" or not _beyond(table):
            return table
    return _of_objects(np.column_stack([array.astype(object) for array in arrays]))


def _column(part: Any) -> Array:
    if str(part.dtype).endswith("128"):  # whole numbers of 128 bits, which numpy does not have
        return np.array(part.to_list(), dtype=object)
    return np.asarray(part.to_numpy())


def _is_table(frame: Any) -> bool:
    return len(getattr(frame, "shape", ())) == 2 and hasattr(frame, "items")


def _of_objects(table: Array) -> Array:
    """Python's numbers in the first 64-bit dtype that holds every one exactly: floats, whole numbers with or without
    a sign."""
    given = [plain(value) for value in table.ravel().tolist()]
    for value in given:
        if not isinstance(value, Real | Decimal):
            raise ValueError(
                f"X must hold numbers, but it holds {shortened(value)}; encode text and categories and fill in what is "
                f"missing first."
            )
    for dtype in (np.float64, np.int64, np.uint64):
        if dtype is not np.float64 and not all(isinstance(value, int) for value in given):
            break
        try:
            exact = table.astype(dtype)
        except OverflowError:
            continue
        if all(a == b or (a != a and b != b) for a, b in zip(exact.ravel().tolist(), given, strict=True)):
            return exact
    raise ValueError(
        "No 64-bit type holds every number of X exactly, and a proof must not round them. Whole numbers above 2^53 "
        "beside fractions, and fractions that are not floats, cannot be used; subtract a constant from such a column."
    )


def check_time_limit(time_limit: Any) -> None:
    if time_limit is None:
        return
    if not as_float(time_limit) > 0:
        came = shortened(time_limit)
        raise ValueError(f"time_limit must be a number of seconds above 0 or None, but got {came}; 60 is a minute.")


def check_tolerance(tolerance: Any) -> None:
    if not 0 < as_float(tolerance) <= 1:
        came = shortened(tolerance)
        raise ValueError(f"tolerance must be above 0 and at most 1, but got {came}; 0.01 means one per cent.")


def read_labels(y: Any, n: int, least: int = 2) -> tuple[Array, Array]:
    """The classes, at least so many, and for each row the number of its class."""
    if y is None:
        raise ValueError("y must name a class for every row, but it is None; pass one label per row.")
    if isinstance(y, list | tuple):
        check_kinds(y)
    labels = array_of(y, "label")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(
            f"y must have {counted(n, 'label')}, one for each row, but its shape is {labels.shape}; pass "
            f"one label per row."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(sentence_on("y", labels))
    labels = _with_names(np.array(y, dtype=object).reshape(n) if _rounded(y, labels) else labels)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y must hold labels of one kind, but they cannot be compared; convert them.") from None
    if len(classes) < least:
        raise ValueError(
            f"y must hold at least two classes, but every label is {plain(classes[0])!r}; pass rows of two classes."
        )
    return classes, codes


def _with_names(labels: Array) -> Array:
    """Labels none of which is missing; dates that Python has no type for (nanoseconds) by their text."""
    missing = [False]
    if labels.dtype.kind == "O":
        missing = [label is None or (isinstance(label, float) and label != label) for label in labels.tolist()]
    elif labels.dtype.kind in "mM":
        missing = np.isnat(labels).tolist()
    if any(missing):
        row = missing.index(True)
        raise ValueError(f"y must name a class for every row, but row {row} has none; leave it out or give it a label.")
    if labels.dtype.kind in "mM" and len(labels) and isinstance(labels[0].item(), int):
        return labels.astype(str)
    return labels


def plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def same_label(name: Any, label: Any) -> bool:
    """Whether two labels are one: the same kind of scalar, and equal. True is not 1, a list is no label."""
    number = (int, float)
    same_kind = type(name) is type(label) or (type(name) in number and type(label) in number)
    return same_kind and not isinstance(name, list | dict) and bool(name == label)
