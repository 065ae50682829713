"""A sentence about numbers that are not finite, instead of scikit-learn's paragraph: where they are, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

_WORDS = re.compile(r"Input (X|y|sample_weight)?\b ?contains (NaN|infinity)")
ADVICE = {
    "X": "fill it in, by scikit-learn's SimpleImputer for instance, or leave the row out",
    "y": "leave the row out or give it a value",
    "sample_weight": "use 0 to leave a row out",
}


@contextmanager
def in_one_sentence(**given: Any) -> Iterator[None]:
    """What scikit-learn says in here of NaN and infinity in X, y or sample_weight becomes a sentence that says where.

    It begins as scikit-learn's does, and costs nothing where all is well.

    Examples
    --------
    >>> from sklearn.utils import assert_all_finite
    >>> rows = np.array([[1.0, 2.0], [np.nan, 3.0]])
    >>> with in_one_sentence(X=rows):
    ...     assert_all_finite(rows, input_name="X")
    Traceback (most recent call last):
    ValueError: Input X contains NaN: every number must be finite, but row 1, column 0 has nan; fill it in, ...
    """
    try:
        yield
    except ValueError as error:
        found = _WORDS.match(str(error))
        name = None if found is None else found[1] or next(iter(given))
        sentence = None if name is None or given.get(name) is None else sentence_on(name, given[name])
        if sentence is None:
            raise
        raise ValueError(sentence) from None


def sentence_on(name: str, values: Any, names: Any = None) -> str | None:
    """What is wrong with the first number that is not finite; None where all are. `names` are those of columns."""
    found = first_not_finite(values)
    if found is None:
        return None
    at, value = found
    what = "NaN" if np.isnan(value) else "infinity"
    place = f"row {at[0]}"
    if len(at) > 1:
        names = getattr(values, "columns", names)
        place += f", column {at[1] if names is None else repr(names[at[1]])}"
    return f"Input {name} contains {what}: every number must be finite, but {place} has {value:g}; {ADVICE[name]}."


def first_not_finite(values: Any) -> tuple[tuple[int, ...], float] | None:
    """(row and column, value) of the first number that is not finite, in rows dense or sparse, or in a vector."""
    if hasattr(values, "tocsr"):
        rows = values.tocsr()
        wrong = np.flatnonzero(~np.isfinite(rows.data))
        if not len(wrong):
            return None
        place = int(wrong[0])
        row = int(np.searchsorted(rows.indptr, place, side="right")) - 1
        return (row, int(rows.indices[place])), float(rows.data[place])
    try:
        numbers: npt.NDArray[Any] = np.asarray(values, dtype=None if hasattr(values, "dtype") else np.float64)
        numbers = numbers if numbers.dtype.kind == "f" else numbers.astype(np.float64)
    except (TypeError, ValueError):  # text among them, say
        return None
    bad = ~np.isfinite(numbers)
    if not bad.any():
        return None
    at = tuple(int(k) for k in np.argwhere(bad)[0])
    return at, float(numbers[at])
