"""What one column of a table becomes, by what it holds and by what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.features.column import Column
from rosenblatt.features.column_kinds import KEPT, ColumnFigures
from rosenblatt.features.tables import CellError
from rosenblatt.features.words import WordColumns, vocabulary_of

if TYPE_CHECKING:
    from rosenblatt.features.columns import ColumnEncoder

TINY = 1e-140  # largest number of a column whose squares would vanish: half its range is taken for its deviation
SMALLEST = 1e-307  # deviation that can be divided by


def decide(encoder: ColumnEncoder, known: ColumnFigures, tfidf: bool) -> Column:
    """What one column becomes."""
    asked = (encoder.kinds or {}).get(known.name)
    kind, why = known.kind(asked == KEPT)
    if asked not in (None, KEPT, kind):
        assert asked is not None
        kind, why = _allowed(known, asked), "as asked for"
    if kind == "text" and encoder.text == "drop":
        kind, why = "dropped", "text is left out, as asked for"
    column = Column(known.name, kind, why, missing=known.missing)
    if kind == "number" and known.numeric is False:
        column.missing += known.strange
        column.first_strange = known.first_strange
    if column.missing and encoder.missing == "error" and kind != "dropped":
        raise _lacking(known, column)
    if kind == "number":
        _scale(encoder, column, known.read_from_text or known)
    elif kind == "boolean":
        pair = known.boolean_pair()
        column.categories = list(pair) if pair else []
        column.width, column.filled = 1, 1.0
        column.median = float(round(known.mean)) if pair is None else float(_more_yes(known, pair))
    elif kind == "category":
        column.categories = sorted(known.counts or {})
        column.width, column.filled = len(column.categories), 1.0
    elif kind == "hashed":
        column.width, column.filled = int(encoder.hash_features), 1.0
    elif kind == "text":
        if tfidf and known.frequencies is not None:
            column.words = vocabulary_of(known.frequencies, known.rows, int(encoder.max_words))
        else:
            column.words = WordColumns(None, None, int(encoder.hash_features))
        column.width, column.filled = column.words.width, min(known.words, column.words.width)
    if kind in ("number", "boolean", "category", "hashed") and encoder.missing == "indicator" and column.missing:
        column.indicator = True
        column.width += 1
    return column


def _scale(encoder: ColumnEncoder, column: Column, known: ColumnFigures) -> None:
    column.width = 1
    column.filled = 1.0 - known.zeros / max(1, known.rows)
    column.median, column.estimated = known.median, not known.median_is_exact
    if encoder.scale is None:
        return
    deviation, largest = np.sqrt(known.squares / max(1, known.present)), max(abs(known.low), abs(known.high))
    if largest < TINY:
        deviation = known.high / 2 - known.low / 2
    # Below this a deviation is rounding, as in scikit-learn's scalers.
    usual = 10.0 * np.finfo(np.float64).eps * largest
    column.factor = 1.0 / deviation if deviation > max(usual, SMALLEST) else 1.0
    if known.zeros <= known.rows / 2:
        column.shift = -known.mean * column.factor
        column.filled = 1.0


def _lacking(known: ColumnFigures, column: Column) -> CellError:
    """Why a column with missing values is refused."""
    if column.missing > known.missing and known.first_strange is not None:
        row, value = known.first_strange
        return CellError(
            f"Every value of {shortened(column.name)} must be a {column.called} with missing='error', but row "
            f"{{row}} has "
            f"{shortened(value)}{_and_more(known.strange)}; correct it, or use missing='median' or "
            "missing='indicator'.",
            row,
        )
    return CellError(
        f"No value may be missing with missing='error', but the column {shortened(column.name)} lacks "
        f"{known.missing:,} of "
        f"{known.rows:,}, the first in row {{row}}; use missing='median' or missing='indicator', "
        "or leave the column out.",
        known.first_missing or 0,
    )


def _and_more(count: int) -> str:
    return f" and {count - 1:,} more are none either" if count > 1 else ""


def _allowed(known: ColumnFigures, asked: str) -> str:
    """The kind that was asked for, if the values allow it."""
    text = known.numeric is False
    if asked == "dropped" or (asked in ("hashed", "text") and text) or (asked == "number" and known.numeric):
        return asked
    if asked == "category" and text and known.counts is not None:
        return asked
    if asked == "category" and text:
        return "hashed"
    raise ValueError(
        f"A column of kind {shortened(asked)} must hold {'numbers' if asked == 'number' else 'text'}, but "
        f"{shortened(known.name)} does "
        "not; convert it or choose another kind."
    )


def _more_yes(known: ColumnFigures, pair: tuple[str, str]) -> bool:
    counts = {value.strip().lower(): count for value, count in (known.counts or {}).items()}
    return counts.get(pair[1], 0) > counts.get(pair[0], 0)
