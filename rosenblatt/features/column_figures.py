"""The figures of one column that tell what it is.

They add up over batches, so that a table that does not fit into memory is looked at like one that does.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rosenblatt.features.tables import CellError, as_numbers, measure_of
from rosenblatt.features.text_numbers import CODE, MOSTLY, reads_dates, style_of, text_as_numbers
from rosenblatt.features.words import document_frequencies
from rosenblatt.wording import shortened

#: Pairs of words that stand for no and yes.
BOOLEANS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"))
WORDS_OF_TEXT = 3.0  # on average, from which text is taken for text
SAMPLE = 20_000  # values kept for the median
HUGE = 1e150  # numbers of this size and more cannot be squared
FEW_WORDS = 3  # different words among numbers that may stand for missing values, however often
MANY_NUMBERS = 20  # different numbers from which a column with such words is one of numbers
GAPS = 2.5  # from one row number to the next on average, since some rows are kept aside


@dataclass
class ColumnFigures:
    """What is known of one column after the batches so far."""

    name: str
    most_categories: int
    count_documents: bool
    rows: int = 0
    missing: int = 0
    first_missing: int | None = None  # row
    # numbers
    numeric: bool | None = None  # not known while every value is missing
    boolean: bool = False
    measure: str = ""  # of dates and times
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances from the mean
    zeros: int = 0
    low: float = np.inf
    high: float = -np.inf
    unique_whole: bool = False  # so far as the first batch tells, as for the row numbers
    numbers_the_rows: bool = False  # they grow by little more than 1: those between are of rows kept aside
    sample: list[pl.Series] = field(default_factory=list)
    whole: pl.Series | None = None
    stride: int = 1
    # text
    counts: dict[str, int] | None = field(default_factory=dict)  # None when there are too many
    unique_share: float = 0.0
    words: float = 0.0
    style: str = "plain"  # of numbers in text
    numbers: ColumnFigures | None = None  # of the text that reads as numbers, while most of it does
    strange: int = 0  # values that do not
    strange_words: set[str] | None = field(default_factory=set)  # None when there are too many
    many_numbers: bool = False
    first_strange: tuple[int, str] | None = None  # row and value
    frequencies: pl.DataFrame | None = None

    @property
    def present(self) -> int:
        return self.rows - self.missing

    def add(self, series: pl.Series) -> None:
        """Take note of one more batch."""
        kind = series.dtype
        if isinstance(kind, pl.Categorical | pl.Enum):
            series = series.cast(pl.String)
        if self.first_missing is None and series.null_count():
            self.first_missing = self.rows + int(series.is_null().arg_max() or 0)
        if series.dtype == pl.Null or series.null_count() == len(series):
            self.rows += len(series)
            self.missing += len(series)
        elif series.dtype == pl.String:
            self._add_text(series)
        elif series.dtype == pl.Boolean:
            self.boolean = True
            self._add_numbers(series.cast(pl.Float64), whole=False)
        else:
            self.measure = self.measure or measure_of(kind)
            self._add_numbers(as_numbers(series), whole=series.dtype.is_integer())

    def _become(self, numeric: bool) -> None:
        if self.numeric is not None and self.numeric != numeric:
            raise ValueError(f"The column {shortened(self.name)} has both numbers and text; convert it to one of them.")
        self.numeric = numeric

    # ------------------------------------------------------------------ numbers

    def _add_numbers(self, numbers: pl.Series, *, whole: bool) -> None:
        missing = numbers.null_count()
        if missing and self.first_missing is None:
            self.first_missing = self.rows + int(numbers.is_null().arg_max() or 0)
        self.rows += len(numbers)
        self.missing += missing
        n = len(numbers) - missing
        if n == 0:
            return
        self._become(True)
        first = self.present == n
        low, high = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
        if not max(-low, high) < HUGE:
            at = int((numbers.abs() >= HUGE).fill_null(False).arg_max() or 0)
            raise too_large(self.name, float(numbers[at]), self.rows - len(numbers) + at)
        mean = float(numbers.mean())  # type: ignore[arg-type]
        squares = float(numbers.var(ddof=0) or 0.0) * n  # type: ignore[arg-type]
        apart = mean - self.mean
        self.squares += squares + apart * apart * (self.present - n) * n / self.present
        self.mean += apart * n / self.present
        self.low, self.high = min(self.low, low), max(self.high, high)
        self.zeros += int((numbers == 0.0).sum())
        if first:
            self.unique_whole = whole and not missing and numbers.n_unique() == n
            grows = self.unique_whole and bool((numbers.diff().drop_nulls() >= 1.0).all())
            self.numbers_the_rows = grows and high - low <= GAPS * (n - 1)
        every = max(self.stride, len(numbers) // SAMPLE)
        self._keep(numbers if every == 1 else numbers.gather_every(every))
        self.whole = numbers if self.rows == len(numbers) and self.missing else None

    def _keep(self, some: pl.Series) -> None:
        """Keep values for the median; only every second one when there are too many."""
        self.whole = None
        self.sample.append(some)
        while sum(map(len, self.sample)) > 2 * SAMPLE:
            self.stride *= 2
            self.sample = [pl.concat([piece.rechunk() for piece in self.sample]).gather_every(2)]

    @property
    def median(self) -> float:
        """Exact where it stands for missing values of a table in one piece; otherwise of a sample."""
        if not self.sample:
            return 0.0
        found = (pl.concat(self.sample) if self.whole is None else self.whole).median()
        return 0.0 if found is None else float(found)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ text

    def _add_text(self, series: pl.Series) -> None:
        values = series.drop_nulls()
        first = self.present == 0
        self.rows += len(series)
        self.missing += series.null_count()
        self._become(False)
        if first:
            self.unique_share = values.n_unique() / len(values)
            self.words = float(values.str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
            self.style = style_of(values.gather_every(max(1, len(values) // SAMPLE)))  # a column may be sorted
        if first or self.numbers is not None:
            self._read_as_numbers(series, values, first)
        if self.counts is not None:
            if first and self.unique_share > 0.5 and len(values) > 2 * self.most_categories + 2:
                self.counts = None
            else:
                self._count(values)
        if self.count_documents and self.looks_like_text:
            found = document_frequencies(series)
            if self.frequencies is not None:
                found = pl.concat([self.frequencies, found]).group_by("word").agg(pl.col("texts").sum())
            self.frequencies = found

    def _read_as_numbers(self, series: pl.Series, values: pl.Series, first: bool) -> None:
        """Look at the numbers in text, as long as nearly all of it is numbers, or all but a word or two."""
        numbers = text_as_numbers(series, self.style)
        wrong = series.is_not_null() & numbers.is_null()
        strange = int(wrong.sum())
        if self.strange == 0 and strange:
            row = int(wrong.arg_max() or 0)
            self.first_strange = (self.rows - len(series) + row, series[row])
        self.strange += strange
        if strange and self.strange_words is not None:
            self.strange_words |= set(series.filter(wrong).unique().to_list())
            if len(self.strange_words) > FEW_WORDS:
                self.strange_words = None
        if first:
            self.many_numbers = numbers.n_unique() > MANY_NUMBERS
        few_words = self.strange_words is not None and self.many_numbers and 2 * self.strange < self.present
        mostly = self.strange <= (1.0 - MOSTLY) * self.present
        coded = self.style == "plain" and bool(values.str.contains(CODE).any())
        if not (mostly or few_words) or coded:
            self.numbers = None
            return
        if first:
            self.numbers = ColumnFigures(self.name, self.most_categories, False)
            self.numbers.rows = self.numbers.missing = self.rows - len(series)
        assert self.numbers is not None
        found = numbers.drop_nulls()
        whole = not reads_dates(self.style) and bool((found == found.round()).all())
        self.numbers._add_numbers(numbers, whole=whole)
        if first:
            self.numbers.unique_whole = whole and found.n_unique() == len(found)

    @property
    def read_from_text(self) -> ColumnFigures | None:
        """The figures of the numbers, where text is taken for numbers.

        Text that holds nothing but numbers, and few different ones, was meant as text.
        """
        if self.numbers is None or self.numbers.present == 0:
            return None
        few = self.counts is not None and not self.strange and self.style == "plain" and self.unique_share <= 0.5
        return None if few else self.numbers

    def _count(self, values: pl.Series) -> None:
        assert self.counts is not None
        found = values.value_counts()
        if found.height > self.most_categories:
            self.counts = None
            return
        for value, count in found.iter_rows():
            self.counts[value] = self.counts.get(value, 0) + count
        if len(self.counts) > self.most_categories:
            self.counts = None

    @property
    def looks_like_text(self) -> bool:
        """Several words a value, and too many values for categories."""
        return self.words >= WORDS_OF_TEXT and (self.counts is None or self.unique_share > 0.5)

    def boolean_pair(self) -> tuple[str, str] | None:
        """How no and yes are spelled, if these are the only values."""
        if self.counts is None or not 1 <= len(self.counts) <= 2:
            return None
        found = {value.strip().lower() for value in self.counts}
        return next((pair for pair in BOOLEANS if found <= set(pair) and len(found) == 2), None)


def too_large(column: str, number: float, row: int) -> CellError:
    """Why an infinite number, or one whose square would be, is refused; or one far beyond all that was learned from."""
    problem = "infinite" if not np.isfinite(number) else "huge" if abs(number) >= HUGE else "far"
    return CellError(problem, row, column, f"{number:g}")


def holds_numbers(series: pl.Series, most_categories: int) -> bool:
    """Whether a column is numbers, Booleans or dates, or text that is read as numbers."""
    if not isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum):
        return True
    figures = ColumnFigures(series.name, most_categories, False)
    figures.add(series)
    return figures.read_from_text is not None


def quantity(series: pl.Series) -> pl.Series | None:
    """Text as numbers, where every value is one, as a column of a table would be read; None where one is not.

    Examples
    --------
    >>> quantity(pl.Series(["1 234.50 €", "5 €"])).to_list(), quantity(pl.Series(["5 €", "much"]))
    ([1234.5, 5.0], None)
    """
    figures = ColumnFigures(series.name, len(series), False)
    figures.add(series)
    if figures.numbers is None or figures.strange or reads_dates(figures.style):
        return None
    return text_as_numbers(series, figures.style)
