"""What a text table looks like, by its first lines: separator, quotes, header, decimal commas, types of the columns.

What a later line says otherwise is the business of `delimited`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.wording import shortened

from . import numerals
from .cells import records
from .compressed import check_text

SAMPLE_BYTES = 2**20  # of text that is looked at
SAMPLE_ROWS = 1000
LONG_NAME = 100  # letters, beyond which a cell of the first line may be text rather than a name
SEPARATED = 200  # records that tell the separator
BYTE_ORDER_MARK = "\ufeff"
SEPARATORS = ",\t;|"
#: Words that mean "there is no value", beside empty cells. NaN is read as a number and treated alike later.
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "<NA>", "NaN", "nan", "-nan", "-NaN")
NUMBER = re.compile(rf"{numerals.PLAIN}|[+-]?(inf|Inf|nan|NaN)")
WHOLE = re.compile(r"[+-]?\d+")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
YEARS = range(1900, 2101)


@dataclass
class Dialect:
    """What a text table looks like."""

    separator: str = ","
    quote: str | None = '"'
    comment: str | None = None
    header: bool = True
    commas: bool = False  # decimal ones; where commas separate the columns too, those between quotes
    names: tuple[str, ...] = ()
    types: dict[str, Any] = field(default_factory=dict)
    thousands: set[str] = field(default_factory=set)  # columns where points separate them, beside decimal commas
    spaces: bool = False  # around numbers
    runs: bool = False  # any number of spaces separates two columns
    start: int = 0  # byte at which the rows begin
    skipped: int = 0  # lines before them, where what is read is not the whole file
    notes: list[str] = field(default_factory=list)


def find_dialect(
    sample: bytes,
    name: str,
    *,
    header: bool | None = None,
    separator: str | None = None,
    missing: Sequence[str] = MISSING,
) -> Dialect:
    """Look at the first lines of a file in UTF-8 (its name is for messages and for the ending .tsv)."""
    text = sample.decode(errors="replace").removeprefix(BYTE_ORDER_MARK)
    cut = len(sample) >= SAMPLE_BYTES
    if cut and "\n" in text.rstrip():
        text = text[: text.rindex("\n") + 1]
    lines = [line for line in text.splitlines() if line.strip()]
    _check_lines(lines, sample, name)
    comment = "#" if lines[0].startswith("#") else None
    content = [line for line in lines if not (comment and line.startswith(comment))][:SAMPLE_ROWS]
    if not content:
        raise ValueError(f"{name} has no rows, only comments.")
    chosen, runs = (separator, False) if separator else _find_separator(content, name, cut)
    runs = runs or (chosen == " " and _aligned(content))
    if runs:
        text = one_space(text.encode()).decode()
        content = [" ".join(line.split()) for line in content]
    if comment and len(_first(lines[0], chosen)) == len(_first(content[0], chosen)) > 1:
        comment = None  # "#id,age" is a header, not a comment
    quote = _find_quote(text, chosen, cut)
    places, rows = [], []
    for line, row in records(text, chosen, quote is not None):
        if (row[0].strip() or len(row) > 1 or row == [""]) and not (comment and row[0].startswith(comment)):
            places.append(line)
            rows.append(row)
        if len(rows) > SAMPLE_ROWS:
            break
    has_header = _has_header(rows, missing) if header is None else header
    dialect = Dialect(chosen, quote, comment, has_header, runs=runs)
    first = places[has_header] if len(rows) > has_header else text.count("\n") + 1
    dialect.start = len(b"\n".join([*sample.split(b"\n")[:first], b""]))
    dialect.names = _names(rows[0], has_header, dialect.notes)
    _check_names(dialect.names, sample)
    body = [row for row in rows[has_header:] if len(row) == len(rows[0])]
    dialect.spaces = any(cell != cell.strip() for row in body[:100] for cell in row if is_number(cell))
    columns = [_values(column, missing) for column in zip(*body, strict=True)] if body else [[] for _ in rows[0]]
    if chosen != "," or quote is not None:
        dialect.commas = any(numerals.has_decimal_commas(column, ambiguous=chosen == ";") for column in columns)
    for column, values in zip(dialect.names, columns, strict=True):
        dialect.types[column] = guess_type(values, dialect.commas)
        numbers = dialect.types[column].is_numeric() or numerals.has_decimal_commas(values, ambiguous=True)
        if dialect.commas and numbers and numerals.has_points_between_thousands(values):
            dialect.thousands.add(column)
    return dialect


def one_space(text: bytes) -> bytes:
    """Columns that any number of spaces separates, with one between them."""
    text = re.sub(rb"[ \t]+", b" ", text)
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", text)


def _check_lines(lines: list[str], sample: bytes, name: str) -> None:
    if not lines:
        raise ValueError(f"{name} is empty.")
    if "\0" in lines[0]:
        raise ValueError(
            f"{name} is no text table: its first line has zero bytes; if it is text in UTF-16, pass encoding='utf-16' "
            "(--encoding utf-16)."
        )
    if b"\n" not in sample and b"\r" in sample.rstrip():
        raise ValueError(
            f"The lines of {name} end with carriage returns, as on old Macs; convert it, for instance with "
            "tr '\\r' '\\n'."
        )


def _values(column: tuple[str, ...], missing: Sequence[str]) -> list[str]:
    """The cells of a column that are not missing."""
    return [cell.strip() for cell in column if cell.strip() not in missing]


def guess_type(values: Sequence[str], commas: bool) -> Any:
    """The narrowest type of the cells of a sample."""
    import polars as pl

    if not values:
        return pl.Float64
    if all(WHOLE.fullmatch(value) for value in values):
        coded = len(values) > 1 and len({len(value) for value in values}) == 1 and any(v[0] == "0" for v in values)
        if coded and len(values[0]) > 1:
            return pl.String  # 01234 is a code, not a number
        return pl.Int64 if all(abs(int(value)) < 2**63 for value in values) else pl.Float64
    if all(
        NUMBER.fullmatch(value) or (commas and re.fullmatch(f"{numerals.COMMA}|{numerals.THOUSANDS}", value))
        for value in values
    ):
        return pl.Float64
    if all(value.lower() in ("true", "false") for value in values):
        return pl.Boolean
    if all(ISO_DATE.fullmatch(value) for value in values):
        return pl.Date if all(len(value) == 10 for value in values) else pl.Datetime("us")
    return pl.String


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


# ---------------------------------------------------------------------- what separates the columns


def separator_of(lines: list[str]) -> str:
    """What separates the columns of these lines.

    Examples
    --------
    >>> separator_of(["a;b", "1,5;2"])
    ';'
    """
    return _find_separator(lines, "")[0]


def _first(line: str, separator: str) -> list[str]:
    return next((row for _, row in records(line, separator)), [])


def _find_separator(lines: list[str], name: str, cut: bool = False) -> tuple[str, bool]:
    """The candidate that cuts most records into the same number of cells, more than one; a comma if there is none.

    Beside it, whether any number of spaces does, as in columns that are aligned.
    """
    likely = "\t" if ".tsv" in name.lower() or ".tab" in name.lower() else ","
    best, best_share, text = likely, 0.0, "\n".join(lines)
    for candidate in (likely, *(c for c in SEPARATORS + " " if c != likely)):
        quoted = candidate != "\t" or _find_quote(text, candidate, cut) is not None
        table = [row for _, row in itertools.islice(records(text, candidate, quoted), SEPARATED)]
        counts = [len(cells) for cells in table]
        common = max(set(counts), key=counts.count)
        share = counts.count(common) / len(counts) if common > 1 else 0.0
        if candidate == " " and share < 1.0:
            continue
        if counts[0] != common and len(counts) > 1:
            share /= 2  # the first line has the names, or it is a row like the others
        if candidate in ";\t|" and best == "," and share > 0.5:
            columns = zip(*(cells for cells in table if len(cells) == common), strict=True)
            if any(numerals.has_decimal_commas(_values(c, MISSING), ambiguous=candidate == ";") for c in columns):
                share += 0.1  # then commas would cut numbers in two
        if share > best_share + 0.05:
            best, best_share = candidate, share
    if best_share < 0.5 and _aligned(lines):
        return " ", True
    return best, False


def _aligned(lines: list[str]) -> bool:
    """Whether spaces, any number of them, separate the cells of every line, numbers among them."""
    table = [line.split() for line in lines[:SEPARATED]]
    width = len(table[0])
    if width < 2 or len(table) < 2 or any(len(cells) != width for cells in table):
        return False
    return any(re.search(r"\S\s{2,}\S|^\s", line) for line in lines[:SEPARATED]) and any(
        is_number(cell) for cells in table[1:] for cell in cells
    )


def _find_quote(text: str, separator: str, cut: bool = False) -> str | None:
    """Whether quotes enclose cells. In tab-separated text they often do not: there both ends must fit.

    Where the text is cut, the last cell may have its end behind the cut.
    """
    s = re.escape(separator)
    begins = [found.end() for found in re.finditer(rf'(?:^|{s})"', text, re.M)]
    ends = [found.start() for found in re.finditer(rf'"(?:\r?$|{s})', text, re.M)]
    if separator in "\t ":
        return '"' if begins and len(begins) - len(ends) in (0, int(cut)) else None
    return '"' if begins or '"' not in text else None


# ---------------------------------------------------------------------- the first line


def _check_names(names: Sequence[str], sample: bytes) -> None:
    """Names of columns are kept: a byte in them that is no text must not become a question mark."""
    if not any("\ufffd" in column for column in names):
        return
    for number, line in enumerate(sample.split(b"\n"), 1):
        check_text(line, "utf-8", number)


def _has_header(rows: list[list[str]], missing: Sequence[str]) -> bool:
    """A first line of names: words above numbers, or words that do not come again below.

    A name does not stand among the values of its own column. A long one, such as a question of a survey, must have
    words above numbers beside it: long text may be a value. Numbers are names where they count, 0, 1, 2 or 2019, 2020,
    and the other cells are words that do not come again.
    """
    first, below = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = list(zip(*below, strict=True))
    words = [cell for cell in first if not is_number(cell)]
    new = not any(cell in column for cell, column in zip(first, columns, strict=False) if not is_number(cell))
    if len(words) < len(first):
        short = all(0 < len(cell.split()) <= 2 for cell in words)
        return bool(words) and new and short and _count_up([cell for cell in first if is_number(cell)])
    long = any(len(cell) > LONG_NAME for cell in first)
    above = [cell for cell, column in zip(first, columns, strict=False) if _typed(_values(column, missing))]
    if above:
        # An empty cell or a missing-value sign above numbers is a missing number, unless all others are names.
        return any(cell.strip() not in missing for cell in (above if long else first))
    return not long and new


def _typed(values: list[str]) -> bool:
    """Whether all are numbers, or all are dates."""
    return bool(values) and any(all(kind.fullmatch(value) for value in values) for kind in (NUMBER, ISO_DATE))


def _count_up(cells: list[str]) -> bool:
    """Whether numbers of the first line count columns, from 0 or 1, or years."""
    if len(cells) < 2 or not all(WHOLE.fullmatch(cell.strip()) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    by_one = all(after - before == 1 for before, after in itertools.pairwise(numbers))
    return by_one and (numbers[0] in (0, 1) or all(number in YEARS for number in numbers))


def _names(first: list[str], header: bool, notes: list[str]) -> tuple[str, ...]:
    if not header:
        return tuple(f"column_{j + 1}" for j in range(len(first)))
    names: dict[str, None] = {}  # in order, and quick to look up among thousands
    for j, cell in enumerate(first):
        wanted = cell.strip().strip(BYTE_ORDER_MARK) or f"column_{j + 1}"
        name, number = wanted, 2
        while name in names:
            name, number = f"{wanted}_{number}", number + 1
        if name != wanted:
            notes.append(f"Several columns are called {shortened(wanted)}; column {j + 1} becomes {shortened(name)}.")
        names[name] = None
    return tuple(names)
