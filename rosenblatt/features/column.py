"""One column of a table: what it is, how it is read, and what it becomes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rosenblatt.features.column_kinds import (
    BETWEEN_THOUSANDS,
    SINCE_1970,
    WITH_SIGNS,
    dates_as_numbers,
    text_as_numbers,
)
from rosenblatt.features.words import WordColumns
from rosenblatt.models.linear import Array

UNITS = {"in days": "day", "in hours": "hour"}  # of dates and times, by how `why` begins
EPOCH = datetime.datetime(1970, 1, 1)


@dataclass
class Column:
    """One column of a fitted `ColumnEncoder`: what it is and what it becomes.

    Attributes
    ----------
    name : str
    kind : "number", "boolean", "category", "hashed", "text" or "dropped"
    why : str
        The reason, where it was dropped or is not obvious.
    start, width : int
        Its features: columns `start` to `start + width - 1` of what `transform` gives.
    median, factor, shift : float
        Of a number: what stands for a missing value, and the scaling, factor · x + shift.
    categories : list of str
        Of a category, in order; of a Boolean that was text, the words for no and yes.
    missing : int
        How many values were missing in the fit.
    indicator : bool
        Whether the last of its features says that the value is missing.
    """

    name: str
    kind: str
    why: str = ""
    start: int = 0
    width: int = 0
    median: float = 0.0
    factor: float = 1.0
    shift: float = 0.0
    categories: list[str] = field(default_factory=list)
    missing: int = 0
    indicator: bool = False
    filled: float = 1.0  # the share of its entries that are not 0, times its width
    words: WordColumns | None = None
    estimated: bool = False  # whether the median is that of a sample
    first_strange: tuple[int, str] | None = None  # of numbers read from text: row and value of the first that is none

    @property
    def unit(self) -> str:
        """What 1 more of it is, where that is known: a "day" of dates and durations, an "hour" of times of day."""
        return next((unit for told, unit in UNITS.items() if self.kind == "number" and self.why.startswith(told)), "")

    @property
    def holds_dates(self) -> bool:
        return self.kind == "number" and self.why.startswith(SINCE_1970)

    @property
    def called(self) -> str:
        """What its values are, in a word."""
        return "date" if self.holds_dates else self.kind

    def shown(self, value: float) -> str:
        """A value as its user knows it.

        Examples
        --------
        >>> joined = Column("joined", "number", SINCE_1970)
        >>> joined.shown(19896.0), joined.shown(19896.5), Column("age", "number").shown(19896.0)
        ('2024-06-22', '2024-06-22 12:00', '19896')
        """
        if not self.holds_dates:
            return f"{value:g}"
        try:
            moment = EPOCH + datetime.timedelta(days=value)
        except (OverflowError, ValueError):
            return f"{value:g}"
        return f"{moment:%Y-%m-%d}" if value == np.floor(value) else f"{moment:%Y-%m-%d %H:%M}"

    def scaled(self, values: Array) -> Array:
        values = values.astype(np.float64, copy=False)
        return values if self.factor == 1.0 and self.shift == 0.0 else values * self.factor + self.shift

    @property
    def feature_names(self) -> list[str]:
        """The names of its features."""
        width = self.width - self.indicator
        if self.kind == "category":
            names = [f"{self.name}={category}" for category in self.categories]
        elif self.kind == "boolean" and self.categories:
            names = [f"{self.name}={self.categories[1]}"]
        elif self.kind == "text" and self.words is not None and self.words.vocabulary is not None:
            names = [f"{self.name}: {word}" for word in self.words.vocabulary]
        elif self.kind in ("text", "hashed"):
            names = [f"{self.name} #{j}" for j in range(width)]
        else:
            names = [self.name] * width
        return [*names, *([f"{self.name} is missing"] if self.indicator else [])]


def read_numbers(column: Column, series: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Text as the numbers of a column, and which of the values are none."""
    if column.holds_dates:
        numbers = dates_as_numbers(series)
    else:
        numbers = text_as_numbers(series, column.why.startswith((*BETWEEN_THOUSANDS, WITH_SIGNS)))
    return numbers, series.is_not_null() & numbers.is_null()
