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
from rosenblatt.stored import anything, array, checked, choice, flag, items, kinds, mapping, maybe, text, whole

NUMBERS = ("median", "factor", "shift", "filled")
PARAMETERS = (
    "text", "missing", "scale", "max_categories", "hash_features", "max_words", "sparse", "dtype", "kinds",
)  # fmt: skip
MOST_FEATURES = 2**31
#: What is kept of a column, beside its numbers.
COLUMN = kinds({
    "name": text, "kind": choice(*KINDS), "reason": choice("", *REASONS), "detail": text, "style": choice("", *STYLES),
    "measure": choice("", *MEASURES), "width": whole, "missing": whole, "strange": whole, "indicator": flag,
    "categories": items(text), "words": maybe(whole), "slots": maybe(whole),
})  # fmt: skip
STATE = kinds({
    "parameters": mapping(text, anything), "columns": items(anything), "n_rows": whole, "sparse": flag,
    "dtype": choice("float32", "float64"),
})  # fmt: skip


def to_state(encoder: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """The dict says what the columns are; the arrays hold what must keep its bits, and the words."""
    arrays = {"numbers": np.array([[getattr(c, name) for name in NUMBERS] for c in encoder.columns_], np.float64)}
    columns = []
    for k, column in enumerate(encoder.columns_):
        plain = (name for name in COLUMN if name not in ("words", "slots"))
        entry: dict[str, Any] = {name: getattr(column, name) for name in plain}
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
    try:
        checked("ColumnEncoder", state, STATE)
        checked("ColumnEncoder", {"numbers": arrays.get("numbers")}, {"numbers": array("f", "columns", len(NUMBERS))})
        if len(arrays["numbers"]) != len(state["columns"]):
            raise ValueError("ColumnEncoder: it must have numbers for each of its columns")
        columns = [_column(entry, arrays, k) for k, entry in enumerate(state["columns"])]
    except ValueError as error:
        raise _wrong(str(error).partition(": ")[2] or str(error)) from error
    start = 0
    for column in columns:
        column.start, start = start, start + column.width
    if len({column.name for column in columns}) != len(columns):
        raise _wrong("the columns must have different names")
    if not 0 < start < MOST_FEATURES:
        raise _wrong(f"it must have from 1 to {MOST_FEATURES} features")
    encoder._settle(columns, state["n_rows"])
    encoder.sparse_, encoder.dtype_ = state["sparse"], np.dtype(state["dtype"])


def _column(entry: Any, arrays: dict[str, Array], k: int) -> Column:
    if not isinstance(entry, dict):
        raise ValueError("every column must be an object")
    checked("Column", entry, COLUMN)
    column = Column(**{name: value for name, value in entry.items() if name not in ("words", "slots")})
    for name, value in zip(NUMBERS, arrays["numbers"][k].tolist(), strict=True):
        if not np.isfinite(value):
            raise ValueError("its numbers must be finite")
        setattr(column, name, value)
    if column.kind == "text":
        column.words = _words(entry, arrays, k)
    if len(set(column.categories)) != len(column.categories):
        raise ValueError("the categories of a column must differ")
    own = column.width - column.indicator
    expected = {"number": 1, "boolean": 1, "category": len(column.categories), "dropped": 0}.get(column.kind, own)
    expected = expected if column.words is None else column.words.width
    if own != expected or column.width >= MOST_FEATURES or (column.kind == "hashed" and own < 1):
        raise ValueError(f"the column {column.name!r} must have {expected} features")
    if column.kind == "boolean" and len(column.categories) not in (0, 2):
        raise ValueError("a Boolean must have two words or none")
    return column


def _words(entry: dict[str, Any], arrays: dict[str, Array], k: int) -> WordColumns:
    if "words" not in entry:
        return WordColumns(None, None, entry.get("slots", -1))
    count = entry["words"]
    stored: dict[str, Any] = {"words": arrays.get(f"words_{k}"), "weights": arrays.get(f"weights_{k}")}
    checked("Column", stored, {"words": array("u", "bytes"), "weights": array("f", count)})
    vocabulary = stored["words"].tobytes().decode().split("\n") if len(stored["words"]) else []
    if len(vocabulary) != count or len(set(vocabulary)) != count:
        raise ValueError(f"it must have {count} different words")
    if not np.isfinite(stored["weights"]).all():
        raise ValueError("the weights of its words must be finite")
    return WordColumns(vocabulary, stored["weights"])


def _wrong(what: str) -> ValueError:
    return ValueError(f"The state of a ColumnEncoder is damaged: {what}; save the model again.")
