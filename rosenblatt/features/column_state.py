"""A fitted `ColumnEncoder` as a JSON-able dict and arrays, and back.

Whatever comes back is checked: a state may have been altered on the way, and none of it is ever run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.features.column import KINDS, MEASURES, REASONS, Column
from rosenblatt.features.text_numbers import STYLES
from rosenblatt.features.words import WordColumns
from rosenblatt.models.linear import Array

NUMBERS = ("median", "factor", "shift", "filled")
PARAMETERS = (
    "text", "missing", "scale", "max_categories", "hash_features", "max_words", "sparse", "dtype", "kinds",
)  # fmt: skip
MOST_FEATURES = 2**31


def to_state(encoder: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """The dict says what the columns are; the arrays hold what must keep its bits, and the words."""
    arrays = {"numbers": np.array([[getattr(c, name) for name in NUMBERS] for c in encoder.columns_], np.float64)}
    columns = []
    for k, column in enumerate(encoder.columns_):
        entry: dict[str, Any] = {
            "name": column.name,
            "kind": column.kind,
            "reason": column.reason,
            "detail": column.detail,
            "style": column.style,
            "measure": column.measure,
            "width": column.width,
            "missing": column.missing,
            "strange": column.strange,
            "indicator": column.indicator,
            "categories": list(column.categories),
        }
        if column.words is not None and column.words.vocabulary is not None:
            entry["words"] = len(column.words.vocabulary)
            arrays[f"words_{k}"] = np.frombuffer("\n".join(column.words.vocabulary).encode(), np.uint8)
            arrays[f"weights_{k}"] = np.asarray(column.words.weights, np.float64)
        elif column.words is not None:
            entry["slots"] = column.words.n_slots
        columns.append(entry)
    parameters = {name: getattr(encoder, name) for name in PARAMETERS}
    parameters["dtype"] = None if encoder.dtype is None else np.dtype(encoder.dtype).name
    parameters |= {name: int(parameters[name]) for name in ("max_categories", "hash_features", "max_words")}
    state = {
        "parameters": parameters,
        "columns": columns,
        "n_rows": int(encoder.n_rows_),
        "sparse": bool(encoder.sparse_),
        "dtype": encoder.dtype_.name,
    }
    return state, arrays


def restore(encoder: Any, state: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Fill a fresh encoder, whose parameters are set already."""
    entries = _typed(state, "columns", list)
    numbers = _array(arrays, "numbers", np.float64, (len(entries), len(NUMBERS)))
    if not np.isfinite(numbers).all():
        raise _wrong("its numbers must be finite")
    columns, start = [], 0
    for k, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise _wrong("every column must be an object")
        column = Column(
            name=_typed(entry, "name", str),
            kind=_typed(entry, "kind", str),
            reason=_typed(entry, "reason", str),
            detail=_typed(entry, "detail", str),
            style=_typed(entry, "style", str),
            measure=_typed(entry, "measure", str),
            start=start,
            width=_typed(entry, "width", int),
            missing=_typed(entry, "missing", int),
            strange=_typed(entry, "strange", int),
            indicator=_typed(entry, "indicator", bool),
            categories=_typed(entry, "categories", list),
        )
        for j, name in enumerate(NUMBERS):
            setattr(column, name, float(numbers[k, j]))
        if column.kind == "text":
            column.words = _words(entry, arrays, k)
        _check(column)
        start += column.width
        columns.append(column)
    if len({column.name for column in columns}) != len(columns):
        raise _wrong("the columns must have different names")
    if not 0 < start < MOST_FEATURES:
        raise _wrong(f"it must have from 1 to {MOST_FEATURES} features")
    encoder._settle(columns, max(0, _typed(state, "n_rows", int)))
    encoder.sparse_ = _typed(state, "sparse", bool)
    if state.get("dtype") not in ("float32", "float64"):
        raise _wrong("its dtype must be float32 or float64")
    encoder.dtype_ = np.dtype(state["dtype"])


def _words(entry: dict[str, Any], arrays: dict[str, Array], k: int) -> WordColumns:
    if "words" not in entry:
        return WordColumns(None, None, _typed(entry, "slots", int))
    count = _typed(entry, "words", int)
    stored = arrays.get(f"words_{k}")
    if stored is None or stored.dtype != np.uint8 or stored.ndim != 1:
        raise _wrong("its words must be bytes")
    try:
        vocabulary = stored.tobytes().decode().split("\n") if len(stored) else []
    except UnicodeDecodeError as error:
        raise _wrong("its words must be text") from error
    if len(vocabulary) != count or len(set(vocabulary)) != count:
        raise _wrong(f"it must have {count} different words")
    weights = _array(arrays, f"weights_{k}", np.float64, (count,))
    if not np.isfinite(weights).all():
        raise _wrong("the weights of its words must be finite")
    return WordColumns(vocabulary, weights)


def _check(column: Any) -> None:
    if column.kind not in KINDS:
        raise _wrong(f"the kind of a column must be one of {', '.join(KINDS)}")
    for value, known in ((column.reason, REASONS), (column.style, STYLES), (column.measure, MEASURES)):
        if value and value not in known:
            raise _wrong(f"{value[:40]!r} is not known")
    if not all(isinstance(category, str) for category in column.categories):
        raise _wrong("categories must be text")
    if len(set(column.categories)) != len(column.categories):
        raise _wrong("the categories of a column must differ")
    own = column.width - column.indicator
    expected = {
        "number": 1,
        "boolean": 1,
        "category": len(column.categories),
        "text": column.words.width if column.words is not None else -1,
        "dropped": 0,
    }.get(column.kind, own)
    if own != expected or not 0 <= column.width < MOST_FEATURES or (column.kind == "hashed" and own < 1):
        raise _wrong(f"the column {column.name!r} must have {expected} features")
    if column.kind == "boolean" and len(column.categories) not in (0, 2):
        raise _wrong("a Boolean must have two words or none")


def _typed(state: dict[str, Any], name: str, kind: type) -> Any:
    value = state.get(name) if isinstance(state, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _wrong(f"{name!r} must be of type {kind.__name__}")
    return value


def _array(arrays: dict[str, Array], name: str, dtype: Any, shape: tuple[int, ...]) -> Array:
    found = arrays.get(name)
    if found is None or found.dtype != dtype or found.shape != shape:
        raise _wrong(f"the array {name!r} must be {np.dtype(dtype).name} of shape {shape}")
    return found


def _wrong(what: str) -> ValueError:
    return ValueError(f"The state of a ColumnEncoder is damaged: {what}; save the model again.")
