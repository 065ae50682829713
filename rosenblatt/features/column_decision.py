"""What one column of a table becomes, by what it holds and by what was asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.features.column import KEPT, Column
from rosenblatt.features.column_figures import ColumnFigures
from rosenblatt.features.tables import CellError
from rosenblatt.features.text_numbers import reads_dates
from rosenblatt.features.words import WordColumns, vocabulary_of
from rosenblatt.wording import shortened

if TYPE_CHECKING:
    from rosenblatt.features.columns import ColumnEncoder

IDENTIFIER_NAME = re.compile(r"(.*[_ .-])?(id|uuid|guid|index|idx|row|nr|no)|.*Id|unnamed: 0|column_1 id", re.I)
UNIQUE = 0.95  # of the values, from which short text is taken for identifiers
FEW_ROWS = 20  # below which nothing is taken for an identifier
TINY = 1e-140  # largest number of a column whose squares would vanish: half its range is taken for its deviation
SMALLEST = 1e-307  # deviation that can be divided by


def decide(encoder: ColumnEncoder, known: ColumnFigures, tfidf: bool) -> Column:
    """What one column becomes."""
    asked = (encoder.kinds or {}).get(known.name)
    column = _recognised(known, kept=asked == KEPT)
    if asked not in (None, KEPT, column.kind):
        assert asked is not None
        column = Column(known.name, _allowed(known, asked), "asked")
    kind = column.kind
    if kind == "text" and encoder.text == "drop":
        return Column(known.name, "dropped", "text", missing=known.missing)
    column.missing = known.missing
    if kind == "number" and known.numeric is False:
        column.missing += known.strange
        column.strange, column.first_strange = known.strange, known.first_strange
    if column.missing and encoder.missing == "error" and kind != "dropped":
        raise _lacking(known, column)
    if kind == "number":
        _scale(encoder, column, known.read_from_text or known)
    elif kind == "boolean":
        pair = known.boolean_pair()
        column.categories = list(pair) if pair else []
        column.width = 1
        column.median = float(round(known.mean)) if pair is None else float(_more_yes(known, pair))
    elif kind == "category":
        column.categories = sorted(known.counts or {})
        column.width = len(column.categories)
    elif kind == "hashed":
        column.width = int(encoder.hash_features)
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


def _recognised(known: ColumnFigures, *, kept: bool) -> Column:
    """What a column is by itself; `kept`: it is left out only if every value is missing."""
    name = known.name
    if known.present == 0:
        return Column(name, "dropped", "empty")
    if known.numeric:
        return _of_numbers(known, kept)
    if known.read_from_text is not None:
        column = _of_numbers(known.read_from_text, kept)
        if column.kind == "dropped":
            return column
        return Column(name, "number", style=known.style, measure="date" if reads_dates(known.style) else "")
    if known.counts is not None and len(known.counts) == 1 and not known.missing and not kept:
        return Column(name, "dropped", "constant")
    if known.counts is not None and known.boolean_pair() is not None:
        return Column(name, "boolean")
    if known.looks_like_text:
        return Column(name, "text")
    if known.unique_share >= UNIQUE and (known.counts is None or known.present >= FEW_ROWS) and not kept:
        return Column(name, "dropped", "row_names")
    if known.counts is None:
        return Column(name, "hashed", "many_values", str(known.most_categories))
    return Column(name, "category")


def _of_numbers(known: ColumnFigures, kept: bool) -> Column:
    name = known.name
    if known.low == known.high and not known.missing and not kept:
        return Column(name, "dropped", "constant")
    if known.boolean:
        return Column(name, "boolean")
    many = known.present >= FEW_ROWS and not kept
    if many and known.numbers_the_rows:
        return Column(name, "dropped", "row_numbers")
    if many and known.unique_whole and IDENTIFIER_NAME.fullmatch(name):
        return Column(name, "dropped", "identifier")
    return Column(name, "number", measure=known.measure)


def _scale(encoder: ColumnEncoder, column: Column, known: ColumnFigures) -> None:
    column.width = 1
    column.filled = 1.0 - known.zeros / max(1, known.rows)
    column.median = known.median
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
        return CellError(f"no_{column.called}", known.first_strange[0], column.name, known.first_strange[1])
    return CellError("missing", known.first_missing or 0, column.name, f"{known.missing:,} of {known.rows:,}")


def _allowed(known: ColumnFigures, asked: str) -> str:
    """The kind that was asked for, if the values allow it."""
    text = known.numeric is False
    if asked == "dropped" or (asked in ("hashed", "text") and text) or (asked == "number" and known.numeric):
        return asked
    if asked == "category" and text:
        return "category" if known.counts is not None else "hashed"
    raise ValueError(
        f"The column {shortened(known.name)} holds no {'numbers' if asked == 'number' else 'text'}, so it cannot be of "
        f"kind {shortened(asked)}."
    )


def _more_yes(known: ColumnFigures, pair: tuple[str, str]) -> bool:
    counts = {value.strip().lower(): count for value, count in (known.counts or {}).items()}
    return counts.get(pair[1], 0) > counts.get(pair[0], 0)
