"""What a text table looks like: its separator, quotes, header, decimal commas and the types of its columns.

Found out from its first lines; what a later line says otherwise is the business of `delimited`.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.wording import shortened

from . import notation
from .long_cells import cells_of_any_length

if TYPE_CHECKING:
    pass

SAMPLE_BYTES = 2**20  # of text that is looked at to find out what the file looks like
SAMPLE_ROWS = 1000
LONG_NAME = 100  # letters, beyond which a cell of the first line may be text rather than a name
LONG_CELL = 2**16  # letters behind a quote without a line break, from which it is taken to enclose them
SEPARATED = 200  # records that tell the separator
BEYOND = "\0"  # a line after the last
BYTE_ORDER_MARK = "\ufeff"
SEPARATORS = ",\t;|"
#: Cells that mean "there is no value", beside empty ones. NaN is read as a number and treated alike later.
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "<NA>", "NaN", "nan", "-nan", "-NaN")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|Inf|nan|NaN)")
WHOLE = re.compile(r"[+-]?\d+")
DECIMAL_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][+-]?\d+)?")
THOUSAND_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")
GROUPED = re.compile(rf"({DECIMAL_COMMA.pattern})|({THOUSAND_POINTS.pattern})|[+-]?\d+")
ANY_NUMBER = re.compile(rf"({GROUPED.pattern})|({NUMBER.pattern})|({notation.COMMAS_BETWEEN_THOUSANDS.pattern})")
ONLY_DECIMAL_COMMA = re.compile(notation.DECIMAL_COMMA)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
QUOTED_COMMAS = "The commas in numbers between quotes are taken for decimal points."


@dataclass
class Dialect:
    """What a text table looks like."""

    separator: str = ","
    quote: str | None = '"'
    comment: str | None = None
    header: bool = True
    decimal_comma: bool = False
    names: tuple[str, ...] = ()
    types: dict[str, Any] = field(default_factory=dict)
    spaces: bool = False  # around numbers
    runs: bool = False  # any number of spaces parts two columns
    quoted_commas: bool = False  # decimal commas between quotes, where commas part the columns too
    commas: frozenset[str] = frozenset()  # columns with decimal commas in the first rows
    marked: frozenset[str] = frozenset()  # columns with decimal commas beside spaces between thousands, or signs
    grouped: frozenset[str] = frozenset()  # columns of numbers like 1.234,5, or with commas between quotes
    skipped: int = 0  # lines before the table
    line_end: str = "\n"
    mark: bool = False  # a byte order mark
    notes: list[str] = field(default_factory=list)

    def take_commas(self) -> None:
        """Take commas in numbers for decimal points; where commas part the columns too, those between quotes."""
        self.decimal_comma, self.quoted_commas = self.separator != ",", self.separator == ","
        if self.quoted_commas and QUOTED_COMMAS not in self.notes:
            self.notes.append(QUOTED_COMMAS)

    @property
    def has_commas(self) -> bool:
        """Whether commas are decimal points."""
        return self.decimal_comma or self.quoted_commas

    def as_text(self) -> Dialect:
        """The same table, in which every cell is text and nothing else."""
        import polars as pl

        return Dialect(
            self.separator, self.quote, self.comment, self.header, names=self.names, runs=self.runs,
            types=dict.fromkeys(self.names, pl.String), skipped=self.skipped,
        )  # fmt: skip


def decode(sample: bytes, encoding: str) -> str:
    """The text of a sample that may end in the middle of a character."""
    return sample.decode(encoding, errors="replace")


def not_text(name: str, encoding: str, byte: int, line: int) -> ValueError:
    """The failure of a byte that is no text."""
    older = "if it was written on an older system, pass encoding='latin-1' (--encoding latin-1)"
    advice = older if encoding == "utf-8" else "pass the encoding that it was written in"
    return ValueError(f"{name} must be text in {encoding}, but byte 0x{byte:02X} in line {line} is not; {advice}.")


def _check_names(names: Sequence[str], sample: bytes, name: str, encoding: str) -> None:
    """Names of columns are kept: a byte in them that is no text must not become a question mark."""
    if not any("\ufffd" in column for column in names):
        return
    lines = sample.split(b"\n")
    for number, line in enumerate(lines[:-1] if len(sample) >= SAMPLE_BYTES else lines, 1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError as error:
            raise not_text(name, encoding, line[error.start], number) from error


@cells_of_any_length()
def find_dialect(
    sample: bytes, name: str, *, header: bool | None, separator: str | None, encoding: str = "utf-8"
) -> Dialect:
    """Look at the first lines of a file (its name is for messages and for the ending .tsv)."""
    text = decode(sample, encoding).removeprefix(BYTE_ORDER_MARK)  # else a quote behind it would not begin a cell
    lines = [line for line in text.splitlines() if line.strip()]
    if len(sample) >= SAMPLE_BYTES and len(lines) > 1:
        lines.pop()  # probably cut
    if not lines:
        raise ValueError(f"A table must have at least one row, but {name} is empty; pass another file.")
    if "\0" in lines[0]:
        raise ValueError(
            f"A table of text must have no zero bytes, but the first line of {name} has; if it is text in UTF-16, pass "
            "encoding='utf-16' (--encoding utf-16), otherwise pass another file."
        )
    cut = len(sample) >= SAMPLE_BYTES
    comment = "#" if lines[0].startswith("#") else None
    content = [line for line in lines if not (comment and line.startswith(comment))][:SAMPLE_ROWS]
    if not content:
        raise ValueError(f"A table must have at least one row, but {name} holds comments only; pass another file.")
    if b"\n" not in sample and b"\r" in sample.rstrip():
        raise ValueError(
            f"The lines of {name} must end with line feeds, but they end with carriage returns, as on old Macs; "
            "convert it, for instance with tr '\\r' '\\n'."
        )
    chosen, runs = (separator, False) if separator else _find_separator(content, name, cut)
    runs = runs or (chosen == " " and _aligned(content))
    if runs:
        content = [" ".join(line.split()) for line in content]
    if comment and len(_cells(lines[0], chosen)) == len(_cells(content[0], chosen)) > 1:
        comment, content = None, lines[:SAMPLE_ROWS]  # "#id,age" is a header, not a comment
    quote = _find_quote(text, chosen, cut)
    rows = list(
        itertools.islice(
            (
                row
                for row in csv.reader(
                    io.StringIO("\n".join(content), newline=""),
                    delimiter=chosen,
                    quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
                )
                if row
            ),
            SAMPLE_ROWS,
        )
    )
    _check_first_line(rows, name, chosen)
    has_header = _has_header(rows) if header is None else header
    line_end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
    dialect = Dialect(chosen, quote, comment, has_header, runs=runs, line_end=line_end)
    dialect.names = _names(rows[0], has_header, dialect.notes)
    _check_names(dialect.names, sample, name, encoding)
    body = [row for row in (rows[1:] if has_header else rows) if len(row) == len(rows[0])]
    dialect.spaces = any(cell != cell.strip() for row in body[:100] for cell in row if is_number(cell))
    columns = list(zip(*body, strict=True)) if body else [() for _ in rows[0]]
    commas = (chosen != "," or quote is not None) and _has_decimal_commas(body, len(rows[0]), chosen)
    if commas:
        dialect.take_commas()
    dialect.types = {
        name: _guess_type(column, dialect.decimal_comma) for name, column in zip(dialect.names, columns, strict=True)
    }
    if commas:
        import polars as pl

        pairs = list(zip(dialect.names, columns, strict=True))
        dialect.commas = frozenset(
            name for name, column in pairs if _is_mostly_numbers(column) and any(map(_has_decimal_comma, column))
        )
        dialect.marked = frozenset(name for name, column in pairs if notation.has_marks_beside_commas(_values(column)))
        dialect.grouped = frozenset(
            name for name, column in pairs if dialect.types[name] == pl.String and _is_grouped(column, chosen)
        )
        dialect.types |= dict.fromkeys(dialect.grouped, pl.Float64)
    return dialect


def _values(column: tuple[str, ...]) -> list[str]:
    """The cells of a column that are not missing."""
    return [cell.strip() for cell in column if cell.strip() not in MISSING]


def _has_decimal_comma(cell: str) -> bool:
    return DECIMAL_COMMA.fullmatch(cell.strip()) is not None


def _is_mostly_numbers(column: tuple[str, ...]) -> bool:
    """Whether most cells are numbers, however they are written."""
    values = _values(column)
    return 2 * sum(ANY_NUMBER.fullmatch(value) is not None for value in values) > len(values)


def _is_grouped(column: tuple[str, ...], separator: str) -> bool:
    """Whether every cell is a number with a decimal comma, some with points between thousands or between quotes."""
    values = _values(column)
    commas = [value for value in values if DECIMAL_COMMA.fullmatch(value)]
    others = all(GROUPED.fullmatch(value) for value in values)
    # Between commas a column of 1,234 alone may have thousands.
    return bool(commas) and others and (separator != "," or not all(THOUSANDS.fullmatch(value) for value in commas))


def _guess_type(column: tuple[str, ...], decimal_comma: bool) -> Any:
    """The narrowest type of the cells of a sample."""
    import polars as pl

    values = _values(column)
    if decimal_comma:
        values = [value.replace(",", ".") for value in values]
    if not values:
        return pl.Float64
    if all(WHOLE.fullmatch(value) for value in values):
        coded = len(values) > 1 and len({len(value) for value in values}) == 1 and any(v[0] == "0" for v in values)
        if coded and len(values[0]) > 1:
            return pl.String  # 01234 is a code, not a number
        return pl.Int64 if all(abs(int(value)) < 2**63 for value in values) else pl.Float64
    if all(NUMBER.fullmatch(value) for value in values):
        return pl.Float64
    if all(value.lower() in ("true", "false") for value in values):
        return pl.Boolean
    if all(ISO_DATE.fullmatch(value) for value in values):
        return pl.Date if all(len(value) == 10 for value in values) else pl.Datetime("us")
    return pl.String


def _cells(line: str, separator: str, quoted: bool = True) -> list[str]:
    return next(csv.reader([line], delimiter=separator, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE))


def _records(lines: list[str], separator: str, cut: bool = False) -> list[list[str]]:
    """The cells of the first records; one goes over several lines where a quoted cell has line breaks.

    Where the lines are `cut`, the last cell may have its end behind them.

    Examples
    --------
    >>> _records(['a;"one', 'two";b', 'c;"never closed;d', 'e;f;g'], ";")
    [['a', 'onetwo', 'b'], ['c', 'never closed;d'], ['e', 'f', 'g']]
    """
    quoted = any('"' in line for line in lines)
    if quoted and separator == "\t":
        quoted = _find_quote("\n".join([*lines, ""]), separator, cut) is not None
    if not quoted:
        return list(csv.reader(lines[:SEPARATED], delimiter=separator, quoting=csv.QUOTE_NONE))
    records: list[list[str]] = []
    whole = 0  # lines
    reader = csv.reader([*lines, BEYOND], delimiter=separator)
    for cells in reader:
        if len(records) == SEPARATED or cells == [BEYOND]:
            return records
        if reader.line_num <= len(lines):
            records.append(cells)
            whole = reader.line_num
    if cut and records:
        return records
    # A quote that is never closed takes in all that follows, which is better seen line by line.
    return records + [_cells(line, separator) for line in lines[whole : whole + SEPARATED - len(records)]]


def _aligned(lines: list[str]) -> bool:
    """Whether spaces, any number of them, part every line into the same cells, numbers among them."""
    table = [line.split() for line in lines[:200]]
    width = len(table[0])
    if width < 2 or len(table) < 2 or any(len(cells) != width for cells in table):
        return False
    return any(re.search(r"\S\s{2,}\S|^\s", line) for line in lines[:200]) and any(
        is_number(cell) for cells in table[1:] for cell in cells
    )


def _check_first_line(rows: list[list[str]], name: str, separator: str) -> None:
    """Complain about a first line that has other columns than all the lines below it."""
    counts = [len(row) for row in rows[1:]]
    first, others = len(rows[0]), counts[0] if counts else 0
    if len(counts) < 3 or first == others or first > others or any(count != others for count in counts):
        return
    cells = [cell for row in rows[1:20] for cell in row]
    advice = "give every column a name, or remove what stands above the table"
    if separator == "," and sum(map(is_number, cells)) > 0.6 * len(cells):
        advice += "; if its numbers have decimal commas, write it with semicolons between the columns"
    elif first == 1:
        advice += "; if it is one column of text, put every text between quotes"
    raise ValueError(
        f"Every line of {name} must have as many columns as its first line, but that has {first} and all others "
        f"have {others}; {advice}."
    )


@cells_of_any_length()
def separator_of(lines: list[str]) -> str:
    """What parts the columns of these lines.

    Examples
    --------
    >>> separator_of(["a;b", "1,5;2"])
    ';'
    """
    return _find_separator(lines, "")[0]


def _find_separator(lines: list[str], name: str, cut: bool = False) -> tuple[str, bool]:
    """The candidate that cuts most records into the same number of cells, more than one; a comma if there is none.

    Beside it, whether any number of spaces does, as in columns that are aligned.
    """
    likely = "\t" if ".tsv" in name.lower() or ".tab" in name.lower() else ","
    best, best_share = likely, 0.0
    for candidate in (likely, *(c for c in SEPARATORS + " " if c != likely)):
        table = _records(lines, candidate, cut)
        counts = [len(cells) for cells in table]
        common = max(set(counts), key=counts.count)
        share = counts.count(common) / len(counts) if common > 1 else 0.0
        if candidate == " " and share < 1.0:
            continue
        if counts[0] != common and len(counts) > 1:
            share /= 2  # the first line has the names, or it is a row like the others
        if candidate in ";\t|" and best == "," and share > 0.5 and _has_decimal_commas(table, common, candidate):
            share += 0.1  # then commas would cut numbers in two
        if share > best_share + 0.05:
            best, best_share = candidate, share
    if best_share < 0.5 and _aligned(lines):
        return " ", True
    return best, False


def _has_decimal_commas(rows: list[list[str]], width: int, separator: str) -> bool:
    """Whether commas stand in numbers as decimal points do.

    Numbers like 1,234 alone may have thousands; between semicolons they are taken for decimals, as spreadsheets
    write semicolons just where the comma is the decimal point.
    """
    for column in zip(*(row for row in rows if len(row) == width), strict=True):
        if not any("," in cell for cell in column):  # as most are: the patterns would only hold up the imports
            continue
        values = _values(column)
        if notation.has_marks_beside_commas(values):
            return True
        commas = [value for value in values if DECIMAL_COMMA.fullmatch(value)]
        points = any("." in value for value in commas)  # then 1.000 is a thousand
        kind = WHOLE if not points else re.compile(f"({WHOLE.pattern})|({THOUSAND_POINTS.pattern})")
        if any(ONLY_DECIMAL_COMMA.search(value) for value in commas):
            kind = NUMBER  # 1,5 beside 1.5: a point in a number is a decimal point too
        others = sum(kind.fullmatch(value) is not None for value in values)
        if not commas or len(commas) + others < 0.8 * len(values):
            continue
        if separator == ";" or not all(THOUSANDS.fullmatch(value) for value in commas):
            return True
    return False


def _find_quote(text: str, separator: str, cut: bool = False) -> str | None:
    """Whether quotes enclose cells. In tab-separated text they often do not: there both ends must fit.

    Where the text is cut, the last cell may have its end behind the cut.
    """
    s = re.escape(separator)
    begins = [found.end() for found in re.finditer(rf'(?:^|{s})"', text, re.M)]
    ends = [found.start() for found in re.finditer(rf'"(?:\r?$|{s})', text, re.M)]
    if separator == "\t" or separator == " ":
        if cut and len(begins) == len(ends) + 1 and begins[-1] > max(ends, default=0):
            return '"' if _is_cut(text, separator, begins[-1], others=bool(ends)) else None
        return '"' if begins and len(begins) == len(ends) else None
    return '"' if begins or '"' not in text else None


def _is_cut(text: str, separator: str, start: int, others: bool) -> bool:
    """Whether a quote begins a cell that is cut, and is not a letter like others: lines behind it are no rows."""
    width = text.partition("\n")[0].count(separator)
    *whole, _ = text[text.rfind("\n", 0, start) + 1 :].split("\n")
    if not whole:
        return others or len(text) - start > LONG_CELL
    return not width or any(line.count(separator) != width for line in whole)


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def _all_match(pattern: re.Pattern[str], column: tuple[str, ...]) -> bool:
    values = _values(column)
    return bool(values) and all(pattern.fullmatch(value) for value in values)


def _has_header(rows: list[list[str]]) -> bool:
    """A first line of names: no number in it, and either numbers below it or values that do not come again below.

    A name does not stand among the values of its own column. A long one, such as a question of a survey, must have
    words above numbers beside it: long text may be a value.
    """
    first, rest = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if any(is_number(cell) for cell in first):
        return False
    long = any(len(cell) > LONG_NAME for cell in first)
    columns = list(zip(*rest, strict=True))
    above = [
        cell
        for cell, column in zip(first, columns, strict=False)
        if _all_match(NUMBER, column) or _all_match(ISO_DATE, column)
    ]
    if above:
        # An empty cell or a missing-value sign above numbers is a missing number, unless all others are names.
        return any(cell.strip() not in MISSING for cell in (above if long else first))
    return not long and not any(cell in column for cell, column in zip(first, columns, strict=False))


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
            notes.append(
                f"The column name {shortened(wanted)} stands there more than once; column {j + 1} is called "
                f"{shortened(name)}."
            )
        names[name] = None
    return tuple(names)
