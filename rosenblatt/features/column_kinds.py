"""What the columns of a table are: numbers, Booleans, categories, text, or nothing that a learner can use.

The figures that the decision needs add up over batches, so that a table that does not fit into memory is judged like
one that does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from rosenblatt.features.number_columns import NumberFigures, figures, is_plain
from rosenblatt.features.tables import CellError, as_numbers, unit_of
from rosenblatt.features.words import document_frequencies
from rosenblatt.models.linear import Array
from rosenblatt.wording import shortened

KINDS = ("number", "boolean", "category", "hashed", "text", "dropped")

#: Pairs of words that stand for no and yes.
BOOLEANS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"))
IDENTIFIER_NAME = re.compile(r"(.*[_ .-])?(id|uuid|guid|index|idx|row|nr|no)|.*Id|unnamed: 0|column_1 id", re.I)
#: Numbers as 1,234.5 or 1 234.5 or 1'234.5 or $5 or 7.5 %, beside plain ones.
THOUSANDS = r"[1-9]\d{0,2}((,\d{3})+|(\s\d{3})+|(['’]\d{3})+)"
MARKED = rf"^\s*[+-]?[$€£¥]?\s?[+-]?((({THOUSANDS}|\d+)(\.\d+)?)|\.\d+)\s?[%€£¥$]?\s*$"
MARKS = r"[,$€£¥%'’\s]"
APOSTROPHES = r"['’]"
SIGNS = r"[$€£¥%]"
WORDS_OF_TEXT = 3.0  # on average, from which text is taken for text
UNIQUE = 0.95  # of the values, from which short text is taken for identifiers
FEW_ROWS = 20  # below which nothing is taken for an identifier
SAMPLE = 20_000  # values kept for the median
MOSTLY = 0.95  # of the values must be numbers, for the others to count as missing
HUGE = 1e150  # numbers of this size and more cannot be squared
CODE = r"^\s*[+-]?0\d"  # 01234 is a code, not a number
FROM_TEXT = "read from text"
WITH_COMMAS = "read as numbers with commas between thousands"
WITH_SPACES = "read as numbers with spaces between thousands"
WITH_APOSTROPHES = "read as numbers with apostrophes between thousands"
WITH_SIGNS = "read as numbers without their signs, such as $ and %"
SINCE_1970 = "in days since 1970-01-01"
BETWEEN_THOUSANDS = (WITH_COMMAS, WITH_SPACES, WITH_APOSTROPHES)
DATES = f"{SINCE_1970}, read from text"
FEW_WORDS = 3  # different words among numbers that may stand for missing values, however often
MANY_NUMBERS = 20  # different numbers from which a column with such words is one of numbers
GAPS = 2.5  # from one row number to the next on average, since some rows are kept aside
DAY = r"(\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2}))"
TIME = r"\d{1,2}:\d{2}(:\d{2})?\s*([ap]m)?"
#: Dates that can be read in one way only, as text: 2024-12-31 and 31.12.2024, perhaps with a time.
PLAIN_DATE = r"^(\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4})([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?[Zz]?)?$"
DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y")
TIME_FORMATS = ("", " %H:%M", " %H:%M:%S%.f")
OTHER_DATES = rf"^\s*({DAY}|{TIME}|{DAY}[ t]{TIME}.*)\s*$"
KEPT = "kept"  # asked for: whatever it holds, it is not left out for looking like a name or number of the row
NUMBERS_THE_ROWS = "it numbers the rows"
NAMES_THE_ROWS = "nearly every value is different: it names the rows"
LIKE_AN_IDENTIFIER = "it is called like an identifier and every value is different"
GUESSED = (NUMBERS_THE_ROWS, NAMES_THE_ROWS, LIKE_AN_IDENTIFIER)  # reasons that may be mistaken
NINES = r"-?9{2,}"  # -999 often stands for a missing value
FAR = 3.0  # times the breadth of the other values


class Chosen:
    """Which rows of a table count."""

    def __init__(self, kept: Array) -> None:
        self.kept = kept
        self.count = int(np.count_nonzero(kept))

    @cached_property
    def mask(self) -> pl.Series:
        return pl.Series(self.kept)

    @cached_property
    def places(self) -> Array:
        """The numbers of these rows."""
        return np.flatnonzero(self.kept).astype(np.uint32 if len(self.kept) < 2**32 else np.uint64)


@dataclass
class ColumnFigures:
    """What is known of one column after the batches so far."""

    name: str
    most_categories: int
    count_documents: bool
    rows: int = 0
    missing: int = 0
    # numbers
    numeric: bool | None = None  # not known while every value is missing
    boolean: bool = False
    unit: str = ""  # of dates and times
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances from the mean
    zeros: int = 0
    low: float = np.inf
    high: float = -np.inf
    consecutive: bool = True
    unique_whole: bool = False
    first: int | None = None  # of numbers that grow from row to row
    last: int | None = None
    sample: list[pl.Series] = field(default_factory=list)
    whole: pl.Series | None = None
    stride: int = 1
    # text
    counts: dict[str, int] | None = field(default_factory=dict)  # None when there are too many
    unique_share: float = 0.0
    words: float = 0.0
    marked: bool = False  # numbers with commas between thousands, $, % and the like
    signed: bool = False  # with $ or %
    between: str = WITH_COMMAS  # what stands between thousands
    dates: bool = False  # that can be read
    like_dates: str = ""  # one of its values, where they look like dates that are not in ISO 8601
    numbers: ColumnFigures | None = None  # of the text that reads as numbers, while most of it does
    strange: int = 0  # values that do not
    strange_words: set[str] | None = field(default_factory=set)  # None when there are too many
    many_numbers: bool = False
    first_strange: tuple[int, str] | None = None  # row and value
    first_missing: int | None = None  # row
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
            return
        if series.dtype == pl.String:
            self._add_text(series)
        elif series.dtype == pl.Boolean:
            self.boolean = True
            self._add_numbers(series.cast(pl.Float64), whole=False)
        else:
            self.unit = self.unit or unit_of(kind)
            self._add_numbers(as_numbers(series), whole=series.dtype.is_integer())

    def add_plain(self, series: pl.Series, chosen: Chosen) -> bool:
        """The same for some rows of many plain numbers, without a copy; False where `add` must look closer."""
        if not is_plain(series):
            return False
        found = figures(series, chosen.kept)
        if found is None or not max(-found.low, found.high) < HUGE:
            return False
        self.rows += found.count
        self._become(True)
        self.consecutive = False
        self._add_figures(found)
        every = self._every(found.count)
        self._keep(series.gather(chosen.places[::every]) if every > 1 else series.filter(chosen.mask))
        return True

    def _become(self, numeric: bool) -> None:
        if self.numeric is not None and self.numeric != numeric:
            raise ValueError(
                f"A column must hold values of one type, but {shortened(self.name)} has numbers and text; "
                "convert it to one."
            )
        self.numeric = numeric

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
        self._add_figures(NumberFigures(n, low, high, int((numbers == 0.0).sum()), mean, squares))
        if self.consecutive:
            self._look_for_row_numbers(numbers, whole and not missing)
        if first:
            self.unique_whole = whole and not missing and numbers.n_unique() == n
        every = self._every(len(numbers))
        self._keep(numbers if every == 1 else numbers.gather_every(every))
        self.whole = numbers if self.rows == len(numbers) and self.missing else None

    def _add_figures(self, new: NumberFigures) -> None:
        """Put the figures of more numbers to those so far; the numbers are counted already."""
        apart = new.mean - self.mean
        self.squares += new.squares + apart * apart * (self.present - new.count) * new.count / self.present
        self.mean += apart * new.count / self.present
        self.low, self.high = min(self.low, new.low), max(self.high, new.high)
        self.zeros += new.zeros

    def _look_for_row_numbers(self, numbers: pl.Series, whole: bool) -> None:
        start, end = numbers[0], numbers[-1]
        self.consecutive = (
            whole
            and end - start <= GAPS * len(numbers)
            and (self.last is None or start > self.last)
            and bool((numbers.diff().drop_nulls() >= 1.0).all())
        )
        if self.consecutive:
            self.first = int(start) if self.first is None else self.first
            self.last = int(end)

    @property
    def numbers_the_rows(self) -> bool:
        """Whole numbers that grow from row to row by little more than 1: those between are of rows kept aside."""
        if not self.consecutive or self.first is None or self.last is None:
            return False
        return self.last - self.first <= GAPS * (self.present - 1)

    def _every(self, count: int) -> int:
        """Of so many more values one in how many is kept for the median."""
        return max(self.stride, count // SAMPLE)

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

    @property
    def median_is_exact(self) -> bool:
        kept = sum(len(piece) - piece.null_count() for piece in self.sample)
        return self.whole is not None or kept == self.present

    def _add_text(self, series: pl.Series) -> None:
        values = series.drop_nulls()
        first = self.present == 0
        self.rows += len(series)
        self.missing += series.null_count()
        self._become(False)
        if first:
            self.unique_share = values.n_unique() / len(values)
            self.words = float(values.str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
            start = values.gather_every(max(1, len(values) // SAMPLE))  # a column may be sorted
            self.marked = _has_marks(start)
            self.dates = _are_dates(start)
            self.signed = self.marked and bool(start.str.contains(SIGNS).any())
            if start.str.contains(APOSTROPHES).any():
                self.between = WITH_APOSTROPHES
            elif not start.str.contains(",", literal=True).any():
                self.between = WITH_SPACES
            self.like_dates = _like_dates(start)
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
        """Judge text by the numbers in it, as long as nearly all of it is numbers, or all but a word or two."""
        numbers = dates_as_numbers(series) if self.dates else text_as_numbers(series, self.marked)
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
        coded = not self.marked and not self.dates and bool(values.str.contains(CODE).any())
        if not (mostly or few_words) or coded:
            self.numbers = None
            return
        if first:
            self.numbers = ColumnFigures(self.name, self.most_categories, False)
            self.numbers.rows = self.numbers.missing = self.rows - len(series)
        assert self.numbers is not None
        found = numbers.drop_nulls()
        whole = not self.dates and bool((found == found.round()).all())
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
        few = self.counts is not None and not self.strange and not self.marked and not self.dates
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

    def kind(self, kept: bool = False) -> tuple[str, str]:
        """The kind of the column, and why, where it is dropped or not obvious.

        `kept`: it is left out only if every value is missing.
        """
        if self.present == 0:
            return "dropped", "every value is missing"
        if self.numeric:
            return self._kind_of_numbers(kept)
        if self.read_from_text is not None:
            kind, why = self.read_from_text._kind_of_numbers(kept)
            return kind, why if kind == "dropped" else self._how_read()
        if self.counts is not None and len(self.counts) == 1 and not self.missing and not kept:
            return "dropped", "it is constant"
        if self.counts is not None and self.boolean_pair() is not None:
            return "boolean", ""
        kind, why = self._kind_of_text(kept)
        if self.like_dates and kind != "text":
            return kind, f"it holds dates or times like {self.like_dates}; write all as 2024-12-31, or as numbers"
        return kind, why

    def _kind_of_text(self, kept: bool) -> tuple[str, str]:
        if self.looks_like_text:
            return "text", ""
        enough = self.counts is None or self.present >= FEW_ROWS
        if self.unique_share >= UNIQUE and enough and not kept:
            return "dropped", NAMES_THE_ROWS
        if self.counts is None:
            return "hashed", f"it has more than {self.most_categories} values"
        return "category", ""

    def _how_read(self) -> str:
        marks = WITH_SIGNS if self.signed else self.between
        how = DATES if self.dates else marks if self.marked else FROM_TEXT
        if self.first_strange is None:
            return how
        value, one = self.first_strange[1], self.strange == 1
        what = "date" if self.dates else "number"
        some = f"1 value is no {what}" if one else f"{self.strange:,} values are no {what}s"
        if self.dates and re.fullmatch(OTHER_DATES, value.lower()):
            some = f"{'1 value is' if one else f'{self.strange:,} values are'} not written like the others"
        return f"{how}; {some} ({value[:40]!r}) and {'counts' if one else 'count'} as missing"

    def _kind_of_numbers(self, kept: bool) -> tuple[str, str]:
        if self.low == self.high and not self.missing and not kept:
            return "dropped", "it is constant"
        if self.boolean:
            return "boolean", ""
        many = self.present >= FEW_ROWS and not kept
        if many and self.numbers_the_rows:
            return "dropped", NUMBERS_THE_ROWS
        if many and self.unique_whole and IDENTIFIER_NAME.fullmatch(self.name):
            return "dropped", LIKE_AN_IDENTIFIER
        return "number", self.unit or self._stands_for_missing()

    def _stands_for_missing(self) -> str:
        """A remark about numbers like -999 that lie far from all others and come often."""
        for value in (self.low, self.high):
            if not re.fullmatch(NINES, f"{value:g}"):
                continue
            sample = pl.concat(self.sample).drop_nulls()
            others = sample.filter(sample != value)
            low, high = others.min(), others.max()
            if low is None or high is None or len(sample) - len(others) < max(2, 0.005 * len(sample)):
                continue
            gap = low - value if value < low else value - high  # type: ignore[operator]
            if gap > FAR * (high - low):  # type: ignore[operator]
                return f"{value:g} comes often and lies far from the other values; if it means missing, leave it empty"
        return ""

    def boolean_pair(self) -> tuple[str, str] | None:
        """How no and yes are spelled, if these are the only values."""
        if self.counts is None or not 1 <= len(self.counts) <= 2:
            return None
        found = {value.strip().lower() for value in self.counts}
        return next((pair for pair in BOOLEANS if found <= set(pair) and len(found) == 2), None)


def too_large(column: str, number: float, row: int) -> CellError:
    """Why an infinite number, or one whose square would be, is refused; or one far beyond all that was learned from.

    Examples
    --------
    >>> too_large("age", 1e200, 3)
    CellError("Numbers must be smaller than 1e+150, but the column 'age' has 1e+200 in row 4; \
replace it or leave it empty.")
    """
    what, must = f"{number:g}", f"smaller than {HUGE:g}"
    if not np.isfinite(number):
        what, must = "an infinite one", "finite"
    elif abs(number) < HUGE:
        must = "of the size that was learned from"
    return CellError(
        f"Numbers must be {must}, but the column {shortened(column)} has {what} in row {{row}}; replace it or "
        "leave it empty.",
        row,
    )


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
    if figures.numbers is None or figures.strange or figures.dates:
        return None
    return text_as_numbers(series, figures.marked)


def _has_marks(values: pl.Series) -> bool:
    """Whether nearly all are numbers like 1,234.5 or $5 or 7 %, or plain ones beside them."""
    fitting = values.filter(values.str.contains(MARKED))
    return len(fitting) >= MOSTLY * len(values) and bool(
        fitting.str.contains(MARKS.replace(r"\s", "") + r"|\d\s\d").any()
    )


def _are_dates(values: pl.Series) -> bool:
    """Whether nearly all are dates that can be read in one way only."""
    return int(values.str.strip_chars().str.contains(PLAIN_DATE).sum()) >= MOSTLY * len(values)


def _like_dates(values: pl.Series) -> str:
    """One of the values, or of each form one, if nearly all look like dates or times but not all like 2024-12-31."""
    fitting = values.filter(values.str.to_lowercase().str.contains(OTHER_DATES)).str.strip_chars()
    if not len(fitting) or len(fitting) < MOSTLY * len(values):
        return ""
    plain = fitting.str.contains(PLAIN_DATE)
    forms = [fitting.filter(chosen) for chosen in (plain, ~plain)]
    return " and ".join(str(form[-1]) for form in forms if len(form))


def text_as_numbers(series: pl.Series, marked: bool) -> pl.Series:
    """Text as float64, where `marked` without signs and what parts thousands; what is no number is missing."""
    cells = series.str.strip_chars()
    if marked:
        fits = cells.str.contains(MARKED)
        cells = cells.str.replace_all(MARKS, "").set(~fits.fill_null(True), None)
    return cells.cast(pl.Float64, strict=False).fill_nan(None)


def dates_as_numbers(series: pl.Series) -> pl.Series:
    """Dates that were written like 2024-12-31 or 31.12.2024, perhaps with a time, in days since 1970.

    Examples
    --------
    >>> dates_as_numbers(pl.Series(["1970-01-02", "3.1.1970", "1970-01-01T12:00:00Z", "12/31/1970"])).to_list()
    [1.0, 2.0, 0.5, None]
    """
    cells = series.str.strip_chars()
    cells = cells.set(~cells.str.contains(PLAIN_DATE).fill_null(True), None)
    cells = cells.str.to_uppercase().str.strip_chars_end("Z").str.replace("T", " ", literal=True)
    formats = [f"{day}{time}" for day in DATE_FORMATS for time in TIME_FORMATS]
    read = [cells.str.to_datetime(known, strict=False, time_unit="us") for known in formats]
    return as_numbers(pl.select(pl.coalesce(read)).to_series().alias(series.name))
