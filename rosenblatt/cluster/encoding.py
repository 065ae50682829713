"""Columns of a table: the figures of every partition are merged, and tell what each column is.

As in `ColumnEncoder.fit_batches`, the median is that of a sample, and the first partition with values decides whether
short text names the rows. Whether text is read as numbers is decided in every partition, and must hold in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import dask
import polars as pl
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rosenblatt.cluster.backend import Dask, Part
from rosenblatt.features.column_decision import decide
from rosenblatt.features.column_figures import FEW_WORDS, SAMPLE, ColumnFigures
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.features.tables import as_frame
from rosenblatt.wording import listed, shortened


def taken_apart(estimator: Any) -> tuple[ColumnEncoder | None, Any]:
    """(the encoder in front of a learner or None, the learner)."""
    if isinstance(estimator, ColumnEncoder):
        raise ValueError("A ColumnEncoder learns nothing; put a learner behind it, with make_pipeline.")
    if not isinstance(estimator, Pipeline):
        return None, estimator
    first, *others = (step for _, step in estimator.steps)
    if not isinstance(first, ColumnEncoder) or len(others) != 1:
        names = [type(step).__name__ for step in (first, *others)]
        raise ValueError(
            f"A pipeline that learns on a cluster must have a ColumnEncoder and a learner, but has "
            f"{listed(names)}; transform the rows in the collection instead, with map_partitions."
        )
    if first.text == "tfidf":
        raise ValueError("text='tfidf' needs the words of all rows in one place; use text='hashed' on a cluster.")
    return first, others[0]


def fit_columns(backend: Dask, encoder: ColumnEncoder, blocks: Sequence[Any]) -> ColumnEncoder:
    """A copy of the encoder, fitted on the tables that delayed blocks hold."""
    fitted: ColumnEncoder = clone(encoder)
    fitted._check_parameters()
    parts = [Part(number, block) for number, block in enumerate(blocks)]
    figures: dict[str, ColumnFigures] = backend.tree_reduce(_both, backend.map(_figures, parts, fitted))
    fitted._check_kinds(figures)
    n_rows = max((known.rows for known in figures.values()), default=0)
    if n_rows == 0:
        raise ValueError("X must have rows and columns, but all its partitions are empty; look at how it is read.")
    columns = [decide(fitted, known, False) for known in figures.values()]
    if not any(column.width for column in columns):
        reasons = "; ".join(f"{shortened(column.name)}: {column.why}" for column in columns[:5])
        raise ValueError(
            f"There is no column to learn from: of {n_rows:,} rows, every column is left out ({reasons}); add columns, "
            f"or keep one of them."
        )
    fitted._set_fitted({"columns_": columns, "n_rows_": n_rows})
    return fitted


def encoded(encoder: ColumnEncoder, blocks: Sequence[Any]) -> list[Any]:
    """Delayed rows of numbers, of delayed tables."""
    shared, encode = dask.delayed(encoder, traverse=False, pure=False), dask.delayed(_encoded, pure=False)
    return [encode(block, shared) for block in blocks]


def _encoded(block: Any, encoder: ColumnEncoder) -> Any:
    return copy(encoder).transform(block)


def _figures(block: Any, encoder: ColumnEncoder) -> dict[str, ColumnFigures]:
    """The figures of the columns of one table."""
    found = {}
    for series in as_frame(block).iter_columns():
        found[series.name] = ColumnFigures(series.name, int(encoder.max_categories), False)
        found[series.name].add(series)
    return found


def _both(one: dict[str, ColumnFigures], other: dict[str, ColumnFigures]) -> dict[str, ColumnFigures]:
    if list(one) != list(other):
        differ = sorted(set(one) ^ set(other)) or list(one)
        raise ValueError(
            f"The partitions of X must have the same columns in the same order, but differ in "
            f"{listed(map(repr, differ), 5)}; convert them to one table."
        )
    return {name: merged(figures, other[name]) for name, figures in one.items()}


def merged(one: ColumnFigures, other: ColumnFigures) -> ColumnFigures:
    """The figures of a column in some rows and in the rows after them."""
    decides = one if one.present else other
    found = replace(decides, rows=one.rows + other.rows, missing=one.missing + other.missing)
    found.first_missing = _place(one, one.first_missing, other.first_missing)
    found.numbers = _numbers(one, other)
    strange = (figures.first_strange for figures in (one, other))
    first, second = (None if each is None else each[0] for each in strange)
    place = _place(one, first, second)
    if place is not None:
        known = one.first_strange or other.first_strange
        assert known is not None
        found.first_strange = (place, known[1])
    if not (one.present and other.present):
        return found
    if one.numeric != other.numeric:
        raise ValueError(f"The column {shortened(one.name)} has both numbers and text; convert it to one of them.")
    if one.numeric:
        _add_numbers(found, one, other)
    else:
        _add_text(found, one, other)
    return found


def _place(one: ColumnFigures, first: int | None, second: int | None) -> int | None:
    """The first of two rows that may be None, the second of which is counted from the end of `one`."""
    return first if first is not None else None if second is None else one.rows + second


def _add_numbers(found: ColumnFigures, one: ColumnFigures, other: ColumnFigures) -> None:
    """Mean and squares as of Chan, Golub and LeVeque (1979)."""
    found.boolean, found.measure = one.boolean or other.boolean, one.measure or other.measure
    apart, share = other.mean - one.mean, other.present / found.present
    found.mean = one.mean + apart * share
    found.squares = one.squares + other.squares + apart * apart * one.present * share
    found.zeros = one.zeros + other.zeros
    found.low, found.high = min(one.low, other.low), max(one.high, other.high)
    found.stride = max(one.stride, other.stride)
    found.sample = [
        piece.gather_every(found.stride // figures.stride) for figures in (one, other) for piece in figures.sample
    ]
    found.whole = None
    while sum(map(len, found.sample)) > 2 * SAMPLE:
        found.stride *= 2
        found.sample = [pl.concat(found.sample).gather_every(2)]


def _add_text(found: ColumnFigures, one: ColumnFigures, other: ColumnFigures) -> None:
    found.counts = None
    if one.counts is not None and other.counts is not None:
        counts = {
            value: one.counts.get(value, 0) + other.counts.get(value, 0) for value in {**one.counts, **other.counts}
        }
        found.counts = counts if len(counts) <= one.most_categories else None
    found.strange = one.strange + other.strange
    found.strange_words = None
    if one.strange_words is not None and other.strange_words is not None:
        words = one.strange_words | other.strange_words
        found.strange_words = words if len(words) <= FEW_WORDS else None


def _numbers(one: ColumnFigures, other: ColumnFigures) -> ColumnFigures | None:
    """The figures of text that reads as numbers, where that of both does."""
    if any(figures.present and figures.numbers is None for figures in (one, other)):
        return None
    if not (one.present or other.present):
        return None
    if one.present and other.present and one.style != other.style:
        raise ValueError(
            f"The column {shortened(one.name)} has numbers that are written in different ways in different "
            f"partitions; convert them to numbers before."
        )
    parts = [
        figures.numbers
        or ColumnFigures(figures.name, figures.most_categories, False, rows=figures.rows, missing=figures.rows)
        for figures in (one, other)
    ]
    return merged(parts[0], parts[1])
