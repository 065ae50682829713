"""From the cells of one column to its features, as the fit decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rosenblatt.features.column import Column
from rosenblatt.features.column_figures import HUGE, too_large
from rosenblatt.features.tables import CellError, as_numbers, without_nan
from rosenblatt.features.words import hash_places
from rosenblatt.models.linear import Array

if TYPE_CHECKING:
    from rosenblatt.features.columns import ColumnEncoder


def entries(
    encoder: ColumnEncoder, column: Column, series: pl.Series, start: int
) -> Iterator[tuple[Array | None, Any, Array]]:
    """(rows or None for all, columns, values) of a column's features."""
    if series.dtype.is_float():
        series = without_nan(series)
    if series.null_count() and encoder.missing == "error":
        raise CellError("lacks_one", start + int(series.is_null().arg_max() or 0), column.name)
    if series.null_count() and column.indicator:
        rows = np.flatnonzero(series.is_null().to_numpy())
        yield rows, column.start + column.width - 1, np.ones(len(rows))
    if column.kind == "number":
        yield None, column.start, _numbers(encoder, column, series, start)
    elif column.kind == "boolean":
        yield None, column.start, _booleans(encoder, column, series)
    elif column.kind == "category":
        yield _categories(encoder, column, series)
    elif column.kind == "hashed":
        yield _hashed(column, series)
    elif column.kind == "text":
        assert column.words is not None
        rows, columns, values = column.words.transform(_text(series))
        yield rows, columns + column.start, values


def _numbers(encoder: ColumnEncoder, column: Column, series: pl.Series, start: int) -> Array:
    present = as_numbers(series)
    numbers = (present.fill_null(column.median) if present.null_count() else present).to_numpy()
    values = column.scaled(numbers)
    with np.errstate(invalid="ignore"):  # whatever they are scaled to; NaN is among them
        wrong = ~((np.abs(numbers) < HUGE) & (np.abs(values) < np.finfo(encoder.dtype_).max))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise too_large(column.name, float(numbers[row]), start + row)
    return values


def readable(encoder: ColumnEncoder, column: Column, series: pl.Series) -> pl.Series:
    """Text as numbers where the model has numbers; a few cells that are none count as missing."""
    if column.kind != "number" or series.dtype != pl.String:
        return series
    numbers, wrong = column.read_numbers(series)
    strange = int(wrong.sum())
    if strange:
        row = int(wrong.arg_max() or 0)
        encoder.check_strange(column, strange, len(series), row, series[row])
        _count_unknown(encoder, column, strange)
    return numbers


def _booleans(encoder: ColumnEncoder, column: Column, series: pl.Series) -> Array:
    if series.dtype == pl.String:
        pair = column.categories or ["false", "true"]
        lowered = series.str.strip_chars().str.to_lowercase()
        known = lowered.is_in(pair)
        _count_unknown(encoder, column, int((series.is_not_null() & ~known).sum()))
        truth = (lowered == pair[1]).set(~known, None)
    else:
        truth = series.cast(pl.Boolean)
    return truth.cast(pl.Float64).fill_null(column.median).to_numpy()


def _categories(encoder: ColumnEncoder, column: Column, series: pl.Series) -> tuple[Array, Array, Array]:
    codes = _text(series).cast(pl.Enum(column.categories), strict=False).to_physical()
    _count_unknown(encoder, column, codes.null_count() - series.null_count())
    rows = np.flatnonzero(codes.is_not_null().to_numpy())
    return rows, column.start + codes.drop_nulls().to_numpy().astype(np.int64), np.ones(len(rows))


def _hashed(column: Column, series: pl.Series) -> tuple[Array, Array, Array]:
    values = _text(series)
    unique = values.drop_nulls().unique().to_list()
    slots = column.width - column.indicator
    places, signs = hash_places(unique, slots)
    known = pl.DataFrame(
        {"value": unique, "place": places, "sign": signs},
        schema={"value": pl.String, "place": pl.Int64, "sign": pl.Float64},
    )
    found = pl.DataFrame({"value": values}).join(known, on="value", how="left", maintain_order="left")
    rows = np.flatnonzero(found["place"].is_not_null().to_numpy())
    return rows, column.start + found["place"].drop_nulls().to_numpy(), found["sign"].drop_nulls().to_numpy()


def _count_unknown(encoder: ColumnEncoder, column: Column, count: int) -> None:
    if count:
        encoder.unknown_counts_[column.name] = encoder.unknown_counts_.get(column.name, 0) + count


def _text(series: pl.Series) -> pl.Series:
    return series if series.dtype == pl.String else series.cast(pl.String)
