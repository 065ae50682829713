"""Rows as learners and feature maps take them: scikit-learn's check, and what it lets through.

scikit-learn words its own complaints. Added here are the place of a NaN, and input that would pass its check and be
misread: dates as nanoseconds, masked values, lazy frames, and sparse matrices whose indices lie outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from rosenblatt.arguments import shortened
from rosenblatt.finite import refuse_not_finite
from rosenblatt.wording import listed


def validated(estimator: Any, X: Any, *, ensure_all_finite: bool = True, **settings: Any) -> Any:
    """scikit-learn's `validate_data` for rows; NaN and infinity are refused with their place.

    >>> from rosenblatt import RadialFeatures
    >>> validated(RadialFeatures(), [[1.0, 2.0], [np.nan, 3.0]])
    Traceback (most recent call last):
    ValueError: Input X contains NaN: every number must be finite, but row 1, column 0 has nan; fill it in, ...
    """
    _refuse_what_would_pass(X)
    if not settings.get("reset", True):
        _refuse_other_columns(estimator, X)
    X = with_plain_indices(X)
    _refuse_indices_outside(X)
    rows = validate_data(estimator, X, ensure_all_finite=False, **settings)
    if ensure_all_finite:
        refuse_not_finite("X", rows, getattr(estimator, "feature_names_in_", None))
    return rows


def names_of_features(estimator: Any, given: Any) -> Any:
    """The names of a fitted transformer's features: those of the fit, or the ones that are given for them.

    >>> from rosenblatt import RadialFeatures
    >>> names_of_features(RadialFeatures().fit([[1.0, 2.0]]), ["a", "b"])
    array(['a', 'b'], dtype=object)
    """
    known = getattr(estimator, "feature_names_in_", None)
    if given is None:
        return [f"x{j}" for j in range(estimator.n_features_in_)] if known is None else known
    names = np.asarray(given, dtype=object)
    if names.shape != (estimator.n_features_in_,):
        raise ValueError(
            f"input_features should have length equal to number of features ({estimator.n_features_in_}), got "
            f"{shortened(given)}. Pass one name for each feature of the fit, or leave it out."
        )
    if known is not None and not np.array_equal(known, names):
        raise ValueError(
            f"input_features is not equal to feature_names_in_, got {shortened(given)}. Pass the names of the fit, or "
            f"leave it out."
        )
    return names


def _refuse_what_would_pass(X: Any) -> None:
    """Dates would be read as nanoseconds, masks be ignored, and frames that are not yet computed have no rows."""
    if hasattr(X, "collect"):
        raise ValueError(f"X is a {type(X).__name__}, which has no rows yet. Call X.collect() first.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            f"X has {int(np.ma.getmaskarray(X).sum())} masked values. Fill them in with X.filled(...), or leave their "
            f"rows out."
        )
    columns = getattr(X, "columns", None)
    dtypes = [getattr(X, "dtype", None)] if columns is None else list(getattr(X, "dtypes", ()))
    for number, dtype in enumerate(dtypes):
        temporal = getattr(dtype, "is_temporal", None)  # polars
        if getattr(dtype, "kind", "") in ("m", "M") or (callable(temporal) and temporal()):
            where = "X" if columns is None else f"Column {columns[number]!r} of X"
            raise ValueError(
                f"{where} holds dates or times ({dtype}), not numbers. Convert them first, with ColumnEncoder for "
                f"tables."
            )


def _refuse_other_columns(estimator: Any, X: Any) -> None:
    """Another number of columns than at the fit: scikit-learn's sentence, and the names of those that are wanted."""
    shape: Any = getattr(X, "shape", ())
    wanted = estimator.n_features_in_
    if len(shape) == 2 and shape[1] != wanted and not hasattr(X, "columns"):
        names = getattr(estimator, "feature_names_in_", None)
        raise ValueError(
            f"X has {shape[1]} features, but {type(estimator).__name__} is expecting {wanted} features as input. Pass "
            f"the columns that it was fitted on{'' if names is None else ': ' + listed(names, 8)}."
        )


def with_plain_indices(X: Any) -> Any:
    """Sparse rows whose indices are int32 or int64 of this machine, as compiled loops read them; others converted.

    >>> import scipy.sparse
    >>> X = scipy.sparse.csr_array(np.eye(3))
    >>> X.indices = X.indices.astype(">i2")
    >>> with_plain_indices(X).indices.dtype
    dtype('int32')
    """
    if getattr(X, "format", "") not in ("csr", "csc") or not hasattr(X, "indptr"):
        return X
    parts = X.indices, X.indptr
    if all(part.dtype in (np.int32, np.int64) for part in parts):
        return X
    if any(part.dtype.kind not in "iu" for part in parts):
        kinds = " and ".join(sorted({str(part.dtype) for part in parts}))
        raise ValueError(f"The indices of the sparse matrix X are {kinds}, not integers. Build the matrix again.")
    wide = any(part.dtype.itemsize > 4 or part.dtype == np.uint32 for part in parts)
    indices, indptr = (part.astype(np.int64 if wide else np.int32) for part in parts)
    plain = type(X)(X.shape, dtype=X.dtype)
    plain.data, plain.indices, plain.indptr = X.data, indices, indptr  # the constructor would check them in its words
    return plain


def _refuse_indices_outside(X: Any) -> None:
    """Compiled loops rely on every index of a sparse matrix being within it, and scipy does not check."""
    indices = getattr(X, "indices", None)
    if getattr(X, "format", "") not in ("csr", "csc") or indices is None or len(indices) == 0:
        return
    width = X.shape[1] if X.format == "csr" else X.shape[0]
    if indices.dtype.kind == "i" and indices.flags.c_contiguous:
        indices = indices.view(f"u{indices.itemsize}")  # a negative index, seen as unsigned, is a huge one
    if int(indices.max()) >= width or (indices.dtype.kind != "u" and indices.min() < 0):
        raise ValueError(
            f"The sparse matrix X has indices outside 0 to {width - 1}, its number of features. Build the matrix again."
        )
