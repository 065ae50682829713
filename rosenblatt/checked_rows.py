"""scikit-learn's check of rows, and its paragraphs as a sentence: what must hold, what came, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, validate_data

from rosenblatt.arguments import shortened
from rosenblatt.finite import in_one_sentence
from rosenblatt.wording import listed

TEXT_ADVICE = (
    "turn text into numbers first, with ColumnEncoder for tables or scikit-learn's TfidfVectorizer for sentences"
)
# What scikit-learn and numpy say, and what to do about it. Where a sentence of theirs stays, their checks look for it.
ADVICE = {
    "Found array with dim": "Make a row of every example, with X.reshape(len(X), -1) for instance.",
    "0 sample(s)": "Pass at least one row.",
    "0 feature(s)": "Pass at least one column.",
}


def validated(estimator: Any, X: Any, *y: Any, **settings: Any) -> Any:
    """scikit-learn's `validate_data`, whose complaints become sentences that say what to do."""
    with in_our_words(X, estimator), in_one_sentence(X=X, y=y[0] if y else None):
        refuse_what_would_pass(X)
        X = with_plain_indices(X)
        refuse_indices_outside(X)
        return validate_data(estimator, X, *y, **settings)


def names_of_features(estimator: Any, given: Any) -> Any:
    """The names of a fitted transformer's features: those of the fit, or the ones that are given for them."""
    try:
        return _check_feature_names_in(estimator, given)
    except (TypeError, ValueError) as error:
        if str(error).startswith("input_features "):  # scikit-learn's own sentence says what must hold and what came
            raise ValueError(f"{error}; pass the names of the features of the fit, or leave it out.") from None
        raise ValueError(
            f"input_features must be None or a list of names, one for each of the features of the fit "
            f"({estimator.n_features_in_}), but {shortened(given)} came; leave it out."
        ) from None


@contextmanager
def in_our_words(X: Any, estimator: Any = None) -> Iterator[None]:
    """What is said in here of rows that cannot be used becomes one sentence.

    >>> from sklearn.utils import check_array
    >>> with in_our_words([1.0, 2.0]):
    ...     check_array([1.0, 2.0])
    Traceback (most recent call last):
    ValueError: X must be two-dimensional, rows by features, but has shape (2,) (Expected 2D array, got 1D array ...
    """
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        sentence = our_words(str(error), X, getattr(estimator, "feature_names_in_", None))
        if sentence is None:
            raise
        raise kind(sentence) from None


def our_words(said: str, X: Any, names: Any = None) -> str | None:
    """Our sentence instead of what was said; None where that is a sentence already."""
    if "could not convert string to float" in said:
        return f"X must hold numbers, but has text ({said}); {TEXT_ADVICE}."
    if "argument must be a string or a real number" in said:
        return f"X must hold numbers, but has other things ({said}); {_advice_on_things(said)}."
    if "features as input" in said:
        return f"{said} Pass the columns that it was fitted on{'' if names is None else ': ' + listed(names, 8)}."
    if "feature names should match" in said and names is not None:
        return f"{said}Pass the columns that it was fitted on, in their order: {listed(names, 8)}."
    if "Complex data not supported" in said:
        return (
            "Complex data not supported: X must hold real numbers, but has complex ones; pass their real and imaginary "
            "parts as features of their own."
        )
    if "Expected 2D" in said:
        return _on_dimensions(said, X)
    if "setting an array element with a sequence" in said:
        return _on_ragged_rows(X)
    if "too large to convert to float" in said:
        return "X must hold numbers in the range of float64, but has larger ones; scale the features first."
    if "Cannot cast array data from dtype([" in said:
        return (
            "X must have one type for all columns, but is a structured array; convert it with "
            "numpy.lib.recfunctions.structured_to_unstructured(X)."
        )
    advice = next((advice for words, advice in ADVICE.items() if words in said), None)
    return None if advice is None else f"{said} {advice}"


def refuse_what_would_pass(X: Any) -> None:
    """Dates would be counted in nanoseconds, masks be overlooked, and frames not yet made be asked for their names."""
    if hasattr(X, "collect"):
        raise ValueError(f"X must be rows in memory, but got {type(X).__name__}; call X.collect() first.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            f"X must have no masked numbers, but {int(np.ma.getmaskarray(X).sum())} are masked; fill them in with "
            f"X.filled(...), or leave their rows out."
        )
    columns = getattr(X, "columns", None)
    dtypes = [getattr(X, "dtype", None)] if columns is None else list(getattr(X, "dtypes", ()))
    for number, dtype in enumerate(dtypes):
        temporal = getattr(dtype, "is_temporal", None)  # polars
        if getattr(dtype, "kind", "") in ("m", "M") or (callable(temporal) and temporal()):
            where = "it" if columns is None else f"column {columns[number]!r}"
            raise ValueError(
                f"X must hold numbers, but {where} holds dates or times ({dtype}); turn them into numbers first, with "
                f"ColumnEncoder for tables."
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
        raise ValueError(
            f"The indices of a sparse matrix must be whole numbers, but those of X are {kinds}; build the matrix again."
        )
    wide = any(part.dtype.itemsize > 4 or part.dtype == np.uint32 for part in parts)
    indices, indptr = (part.astype(np.int64 if wide else np.int32) for part in parts)
    plain = type(X)(X.shape, dtype=X.dtype)
    # Not by its constructor, which would look at the indices in words of its own.
    plain.data, plain.indices, plain.indptr = X.data, indices, indptr
    return plain


def refuse_indices_outside(X: Any) -> None:
    """Compiled loops rely on every index of a sparse matrix being within it, and scipy does not look."""
    indices = getattr(X, "indices", None)
    if getattr(X, "format", "") not in ("csr", "csc") or indices is None or len(indices) == 0:
        return
    width = X.shape[1] if X.format == "csr" else X.shape[0]
    if indices.dtype.kind == "i" and indices.flags.c_contiguous:
        indices = indices.view(f"u{indices.itemsize}")  # a negative index, seen as unsigned, is a huge one
    if int(indices.max()) >= width or (indices.dtype.kind != "u" and indices.min() < 0):
        raise ValueError(
            f"The indices of a sparse matrix must be at least 0 and below {width}, but X has others; build the matrix "
            f"again."
        )


def _advice_on_things(said: str) -> str:
    if "'dict'" in said:
        return "turn dicts into rows with scikit-learn's DictVectorizer, or use a learner's learn_one and predict_one"
    return "convert them first"


def _on_dimensions(said: str, X: Any) -> str:
    if X is None or isinstance(X, str):
        return (
            f"X must be rows of numbers, but got {shortened(X)} (Expected 2D array); pass an array of rows by features."
        )
    came = said.split(":")[0].split("\n")[0].rstrip(".")
    return (
        f"X must be two-dimensional, rows by features, but has shape {np.shape(X)} ({came}). Reshape your data: "
        f"X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row."
    )


def _on_ragged_rows(X: Any) -> str:
    if isinstance(X, list | tuple):
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                return (
                    f"X must have rows of one length, but row 0 has {lengths[0]} numbers and row {row} has {length}; "
                    f"make them equal."
                )
    return f"X must be rows of numbers, but got {type(X).__name__}; make it an array of rows by features."
