"""Refuse NaN and infinity, and say where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

ADVICE = {
    "X": "fill it in, by scikit-learn's SimpleImputer for instance, or leave the row out",
    "y": "leave the row out or give it a value",
    "sample_weight": "use 0 to leave a row out",
}


def refuse_not_finite(name: str, values: Any, names: Any = None) -> None:
    """Refuse values, dense or sparse, of which one is NaN or infinite. `names` are those of the columns.

    Examples
    --------
    >>> refuse_not_finite("y", np.array([1.0, np.inf]))
    Traceback (most recent call last):
    ValueError: Input y contains infinity: every number must be finite, but row 1 has inf; leave the row out or give ...
    """
    numbers = values.data if hasattr(values, "tocsr") else values
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind in "biu":
        return
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(np.sum(numbers)):  # one pass without a temporary array
                return
    sentence = sentence_on(name, values, names)
    if sentence is not None:
        raise ValueError(sentence)


def sentence_on(name: str, values: Any, names: Any = None) -> str | None:
    """What is wrong with the first number that is not finite; None if all are. `names` are those of the columns."""
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
