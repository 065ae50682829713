"""One column of a table: what it is, how it is read, what it becomes, and how that is worded."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from rosenblatt.features.text_numbers import STYLES, reads_dates, text_as_numbers
from rosenblatt.features.words import WordColumns
from rosenblatt.models.linear import Array
from rosenblatt.stored import checked, choice, finite, flag, instance, items, kinds, optional, text, whole
from rosenblatt.wording import LONGEST, listed, shortened

KINDS = ("number", "boolean", "category", "hashed", "text", "dropped")
KEPT = "kept"  # asked for: whatever it holds, it is not left out for looking like a name or number of the row
EPOCH = datetime.datetime(1970, 1, 1)
FEW = 3  # columns that get a sentence each
#: What 1 more of a column is, by what it measures, and how that is described.
UNITS = {"date": "day", "duration": "day", "time": "hour"}
MEASURES = {"date": "in days since 1970-01-01", "duration": "in days", "time": "in hours"}
#: Why a column is what it is, where that is not obvious.
REASONS = {
    "empty": "every value is missing",
    "constant": "it is constant",
    "row_numbers": "it numbers the rows",
    "row_names": "nearly every value is different: it names the rows",
    "identifier": "it is called like an identifier and every value is different",
    "text": "text is left out, as asked for",
    "asked": "as asked for",
    "many_values": "it has more than {detail} values",
}
GUESSED = ("row_numbers", "row_names", "identifier")  # reasons that may be mistaken
MOST_FEATURES = 2**31


@dataclass
class Column:
    """One column of a fitted `ColumnEncoder`: what it is and what it becomes.

    Attributes
    ----------
    name : str
    kind : "number", "boolean", "category", "hashed", "text" or "dropped"
    reason, detail : str
        A key of `REASONS` where it is not obvious why, and what that sentence is about.
    style : str
        A key of `STYLES` where numbers are read from text.
    measure : "", "date", "duration" or "time"
        What the numbers measure.
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
    reason: str = ""
    detail: str = ""
    style: str = ""
    measure: str = ""
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
    strange: int = 0  # of numbers read from text: how many values are none
    first_strange: tuple[int, str] | None = None  # and row and value of the first

    _stored: ClassVar = kinds({
        "name": text, "kind": choice(*KINDS), "reason": choice("", *REASONS), "detail": text,
        "style": choice("", *STYLES), "measure": choice("", *MEASURES), "width": whole, "missing": whole,
        "strange": whole, "indicator": flag, "categories": items(text), "words": optional(instance(WordColumns)),
        **dict.fromkeys(("median", "factor", "shift", "filled"), finite),
    })  # fmt: skip

    def to_state(self) -> dict[str, Any]:
        """What a model file keeps of it."""
        return {name: getattr(self, name) for name in self._stored}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The column of a state, all of which is checked."""
        checked("Column", state, cls._stored)
        column = cls(**state)
        own = column.width - column.indicator
        features = {"number": 1, "boolean": 1, "category": len(column.categories), "dropped": 0}.get(column.kind, own)
        if column.kind == "text":
            features = -1 if column.words is None else column.words.width
        if own != features or not 0 <= own < MOST_FEATURES or (column.kind == "hashed" and own < 1):
            raise ValueError(f"the column {column.name!r} has {own} features")
        if len(set(column.categories)) != len(column.categories):
            raise ValueError("the categories of a column must differ")
        if column.kind == "boolean" and len(column.categories) not in (0, 2):
            raise ValueError("a Boolean must have two words or none")
        return column

    @property
    def unit(self) -> str:
        """What 1 more of it is, where that is known: a "day" of dates and durations, an "hour" of times of day."""
        return UNITS.get(self.measure, "") if self.kind == "number" else ""

    @property
    def holds_dates(self) -> bool:
        return self.kind == "number" and self.measure == "date"

    @property
    def called(self) -> str:
        """What its values are, in a word."""
        return "date" if self.holds_dates else self.kind

    @property
    def why(self) -> str:
        """What is not obvious about it, in a sentence without an end."""
        told = STYLES.get(self.style, "") or MEASURES.get(self.measure, "")
        if self.reason:
            told = REASONS[self.reason].format(detail=self.detail)
        if not self.strange or self.first_strange is None:
            return told
        what = f"1 value is no {self.called}" if self.strange == 1 else f"{self.strange:,} values are no {self.called}s"
        return f"{told}; {what} ({self.first_strange[1][:40]!r}) and count{'s' * (self.strange == 1)} as missing"

    def shown(self, value: float) -> str:
        """A value as its user knows it.

        Examples
        --------
        >>> joined = Column("joined", "number", measure="date")
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

    def remarks(self, keep: Callable[[str], str]) -> list[tuple[tuple[str, ...], str]]:
        """Sentences about what is not obvious, each with what it is about; `keep` says how to keep a column."""
        name = shortened(self.name)
        found: list[tuple[tuple[str, ...], str]] = []
        if self.kind == "dropped":
            way_out = f"; {keep(self.name)} keeps it" if self.reason in GUESSED else ""
            found.append((("dropped", self.reason), f"The column {name} is left out: {self.why}{way_out}."))
        elif self.why:
            found.append(
                (("read", self.reason, self.style), f"The column {name} is taken as {self.called}: {self.why}.")
            )
        if not self.missing or self.kind in ("dropped", "text"):
            return found
        some = "1 missing value" if self.missing == 1 else f"{self.missing:,} missing values"
        are = "is" if self.missing == 1 else "are"
        if self.kind == "number":
            told = f"{some} of {name} {are} filled with the median, {self.shown(self.median)}."
        elif self.kind == "boolean":
            words = self.categories or ["false", "true"]
            told = f"{some} of {name} {are} filled with {words[int(self.median)]!r}, the more frequent value."
        else:
            told = f"{some} of {name} {are} in none of its categories."
        return [*found, (("filled", self.kind), told)]

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

    def read_numbers(self, series: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Text as the numbers of this column, and which of the values are none."""
        style = self.style or ("dates" if self.holds_dates else "plain")
        numbers = text_as_numbers(series, style if not self.holds_dates or reads_dates(style) else "dates")
        return numbers, series.is_not_null() & numbers.is_null()


def kept_kind(name: str) -> str:
    """How a library user keeps a column."""
    return f"kinds={{{name!r}: '{KEPT}'}}"


def keep_option(name: str) -> str:
    """How a user of the command line keeps a column; one of a long name is better called by its number.

    Examples
    --------
    >>> keep_option("nr"), keep_option("row nr"), keep_option("nr" * 100)
    ('--keep nr', "--keep 'row nr'", '--keep with its number')
    """
    return f"--keep {shlex.quote(name)}" if len(name) <= LONGEST else "--keep with its number"


def notes_on(columns: Iterable[Column], keep: Callable[[str], str] = kept_kind) -> list[str]:
    """Sentences about columns; of many that say the same, the first, with the other columns named.

    Examples
    --------
    >>> notes_on([Column(f"x{n}", "dropped", "constant") for n in range(100)])
    ["The column 'x0' is left out: it is constant. The same holds for x1, x2, x3 and 96 more."]
    """
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for column in columns:
        for about, sentence in column.remarks(keep):
            groups.setdefault(about, []).append((column.name, sentence))
    notes = []
    for alike in groups.values():
        if len(alike) > FEW:
            others = listed([name for name, _ in alike[1:]], FEW)
            notes.append(f"{alike[0][1]} The same holds for {others}.")
        else:
            notes += [sentence for _, sentence in alike]
    return notes
