"""CSV, TSV and other text tables: what they look like is found out by `dialect`, polars does the parsing.

A file is read in blocks of whole lines, so that memory stays bounded, standard input and compressed files work like
plain ones, and a complaint can name the line. Columns get the narrowest type that fits every value: whole numbers,
numbers, Booleans (true/false), dates (2024-12-31 and 2024-12-31 23:59:00), text. The type is guessed from the first
lines and widened when a later one does not fit.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, BinaryIO

from rosenblatt.wording import shortened

from . import notation
from .ahead import ahead
from .dialect import DECIMAL_COMMA, GROUPED, MISSING, SAMPLE_ROWS, THOUSAND_POINTS, Dialect, is_number, not_text
from .long_cells import cells_of_any_length
from .whole_lines import Place, blocks_at, blocks_in_order, first_line

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**24  # of text parsed at a time
COUNTED_ROWS = 2_000_000  # up to which the line of a row is looked up
MOSTLY = 0.95  # of the values that are numbers, from which the others are strange


class TypesWidened(Exception):  # noqa: N818  not an error: a signal to begin again
    """A later line needed a wider type than was guessed: read again from the start, the new types are known."""


@dataclass
class TextTable:
    """Reads one text table, block by block, with types that fit.

    `types` is shared by all files of a source and widened in place.
    """

    name: str
    dialect: Dialect
    encoding: str
    types: dict[str, Any]
    path: str | None = None  # to count lines in, when there is something to complain about
    stored: str = "utf-8"  # the encoding of that file, where it is not that of what is read
    missing: tuple[str, ...] = MISSING
    missing_among_numbers: bool = False
    grouped: set[str] = field(default_factory=set)  # columns with points between thousands; shared like the types
    commas: set[str] = field(default_factory=set)  # files whose decimal commas come late; shared, too
    told: dict[str, str] = field(default_factory=dict)  # how the numbers of a column are taken, where that is not sure
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)  # how they are written, see `notation`

    def __post_init__(self) -> None:
        self.grouped |= self.dialect.grouped
        self.kinds = {name: {"comma": 0} for name in self.dialect.commas}

    def frames(
        self,
        file: BinaryIO,
        *,
        fresh: bool = True,
        block_bytes: int | None = None,
        places: list[Place] | None = None,
        offset: int = 0,
    ) -> Iterator[tuple[Place, pl.DataFrame]]:
        """The rows in blocks and where they stand: in order, or at the `places` that an earlier pass has told.

        In order they may begin with the line at `offset`. `fresh` says that nobody has been given rows of earlier
        files yet.
        """
        widened = careful = False
        if places is None:
            blocks = blocks_in_order(file, self.dialect.quote, block_bytes or BLOCK_BYTES, offset)
        else:
            blocks = blocks_at(file, places)
        for place, text, attempt in ahead(blocks, self._attempt, 2):
            regrouped = self._regrouped(text, place)
            careful |= regrouped  # what was read ahead did not know it
            frame, to_text = self._settled(text, place, None if careful else attempt)
            if (to_text or regrouped) and not fresh:
                widened = True  # go on to the end, to know all that must be widened, and begin again
            self._check_thousands(frame, text, place)
            if frame.height and not widened:
                yield place, self._with_points(frame)
                fresh = False
        if widened:
            raise TypesWidened

    def _check_thousands(self, frame: pl.DataFrame, block: bytes, place: Place) -> None:
        """Refuse 1,234,567 in a column of decimal commas, whichever of them comes first."""
        import polars as pl

        for name in self.dialect.commas:
            wrong = notation.commas_between_thousands(frame[name]) if frame.schema[name] == pl.String else None
            if wrong is not None:
                start, lines = self.table_start(block) if place.offset == 0 else (0, 0)
                line = self._line(block[start:], self._first_line(place) + lines, wrong)
                raise self._two_ways(name, line, frame[name][wrong])

    def _two_ways(self, name: str, line: int, cell: str) -> ValueError:
        return ValueError(
            f"The numbers of a column must be written in one way, but in the column {shortened(name)} of {self.name} "
            f"commas are decimal points, and line {line:,} has {cell!r}; "
            "write its numbers without commas between thousands."
        )

    def _attempt(self, item: tuple[Place, bytes]) -> tuple[Place, bytes, pl.DataFrame | None]:
        """(place, text, its rows if the types that are known fit)."""
        from polars.exceptions import PolarsError

        place, block = item
        text = block if self.encoding == "utf-8" else self._recode(block, place)
        if self.dialect.runs:
            text = _one_space(text)
        start, _ = self.table_start(text) if place.offset == 0 else (0, 0)
        rows = text[start:] if start else text
        try:
            return place, text, self._read_quickly(rows)
        except PolarsError:
            return place, text, None

    def _with_points(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Where commas are decimal points, numbers in columns that are text for the sake of others get a point too."""
        import polars as pl

        if not (self.dialect.decimal_comma or self.dialect.quoted_commas):
            return frame
        cells = pl.col(pl.String)
        number = cells.str.contains(rf"^\s*{DECIMAL_COMMA.pattern}\s*$")
        plain = cells.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        spaced = cells.str.contains(rf"^\s*{notation.SPACED}\s*$")
        pointed = cells.str.replace(",", ".", literal=True)
        frame = frame.with_columns(pl.when(number).then(plain).when(spaced).then(pointed).otherwise(cells))
        marked = [name for name in self.dialect.marked if frame.schema[name] == pl.String]
        if marked:
            cells = pl.col(marked)
            signed = cells.str.contains(rf"^\s*{notation.SIGNED}\s*$")
            frame = frame.with_columns(pl.when(signed).then(cells.str.replace(",", ".", literal=True)).otherwise(cells))
        grouped = [name for name, kind in frame.schema.items() if kind == pl.String and self._parts_thousands(name)]
        if not grouped:
            return frame
        cells = pl.col(grouped)
        whole = cells.str.contains(rf"^\s*{THOUSAND_POINTS.pattern}\s*$")
        return frame.with_columns(pl.when(whole).then(cells.str.replace_all(".", "", literal=True)).otherwise(cells))

    def _regrouped(self, block: bytes, place: Place) -> bool:
        """Look at the points in numbers where commas are decimal points; true if some part thousands, as is new."""
        import polars as pl
        from polars.exceptions import PolarsError

        if not (self.dialect.decimal_comma or self.dialect.quoted_commas) or b"." not in block:
            return False
        start, lines = self.table_start(block) if place.offset == 0 else (0, 0)
        text = block[start:]
        try:
            cells = self._read(text, dict.fromkeys(self.dialect.names, pl.String), self.missing)
        except PolarsError:
            return False  # complained about later
        return self._note_points(cells, text, self._first_line(place) + lines)

    def _parts_thousands(self, name: str) -> bool:
        """Whether the points in a column part thousands."""
        return name in self.grouped - self.dialect.grouped or "both" in self.kinds.get(name, ())

    def _note_points(self, cells: pl.DataFrame, text: bytes, line: int) -> bool:
        import polars as pl

        before = set(self.grouped)
        for name, found in notation.seen(cells).items():
            kinds = self.kinds.setdefault(name, {})
            kinds |= found
            if notation.has_points_between_thousands(kinds):
                self.grouped.add(name)
            if self._parts_thousands(name) and "point" in found:
                raise ValueError(
                    f"The numbers of a column must be written in one way, but in the column {shortened(name)} "
                    f"of {self.name} "
                    f"points part thousands, and line {self._line(text, line, found['point']):,} has "
                    f"{cells[name][found['point']]!r}; correct it."
                )
            example = next((cells[name][found[kind]] for kind in ("thousands", "point") if kind in found), None)
            if example is not None and "both" not in kinds:
                parts = self._parts_thousands(name) or (name in self.grouped and self.types[name] == pl.Float64)
                meant = "to part thousands" if parts else "for decimal points"
                self.told[name] = (
                    f"The points in the column {shortened(name)}, as in {shortened(example)}, are taken {meant}."
                )
        return not before >= self.grouped

    def _line(self, text: bytes, first: int, row: int) -> int:
        """The line of a row of a block of text that begins with the line `first`."""
        return first - 1 + line_of_row(io.BytesIO(text), replace(self.dialect, header=False), "utf-8", row)

    def table_start(self, text: bytes) -> tuple[int, int]:
        """How many bytes and lines stand before the first row: a byte order mark, comments, empty lines, the header."""
        start = 3 if text.startswith(b"\xef\xbb\xbf") else 0
        lines, header = 0, self.dialect.header
        comment, quote = (self.dialect.comment or "").encode(), (self.dialect.quote or "").encode()
        while start < len(text):
            end = text.find(b"\n", start) + 1 or len(text)
            found = text[start:end]
            if found.strip() and not (comment and found.startswith(comment)):
                if not header:
                    break
                while quote and text.count(quote, start, end) % 2 and end < len(text):
                    end = text.find(b"\n", end) + 1 or len(text)
                header = False
            lines += text.count(b"\n", start, end)
            start = end
        return start, lines

    def _recode(self, text: bytes, place: Place) -> bytes:
        try:
            return text.decode(self.encoding).encode()
        except UnicodeDecodeError as error:
            raise self._bad_byte(text, error.start, self._first_line(place)) from error

    def _first_line(self, place: Place) -> int:
        first = first_line(self.path, place, self.stored) if self.path else 1
        return first + self.dialect.skipped

    def _bad_byte(self, text: bytes, at: int, line: int) -> ValueError:
        return not_text(self.name, self.encoding, text[at], line + text.count(b"\n", 0, at))

    def _settled(self, block: bytes, place: Place, frame: pl.DataFrame | None) -> tuple[pl.DataFrame, bool]:
        """The rows of a block, all checks passed, and whether a column had to become text for it."""
        from polars.exceptions import PolarsError

        start, lines = self.table_start(block) if place.offset == 0 else (0, 0)
        text = block[start:] if start else block
        to_text = False
        fits = frame is not None and all(kind == self.types[name] for name, kind in frame.schema.items())
        if frame is None or not fits:  # types may have been widened since
            try:
                frame = self._read_quickly(text)
            except PolarsError as error:
                line = self._first_line(place) + lines
                self._check_text(text, line)
                self._check_quotes(text, place, lines)
                try:
                    to_text = self._widen(text, line)
                    frame = self._read(text, self.types, self.missing)
                except PolarsError:
                    raise ValueError(
                        f"{self.name} must be a table of text, but from line {line} on it cannot be read "
                        f"({str(error).splitlines()[0]}); correct it there."
                    ) from error
        self._check_quotes(text, place, lines)
        if frame.height and frame.to_series(-1).null_count():
            if b"\n\n" in text or b"\n\r\n" in text or text[:1] in b"\r\n":
                frame = self._read(_without_empty_lines(text, self.dialect.quote), self.types, self.missing)
            if text.count(self.dialect.separator.encode()) != frame.height * (frame.width - 1):
                self._check_widths(text, self._first_line(place) + lines)
        return frame, to_text

    def _read_quickly(self, text: bytes) -> pl.DataFrame:
        """Look for signs of missing values only where there is text, until one is met among numbers."""
        import polars as pl
        from polars.exceptions import PolarsError

        if self.missing and not self.missing_among_numbers and not self.dialect.spaces:
            try:
                frame = self._read(text, self.types, ())
            except PolarsError:
                self.missing_among_numbers = True
            else:
                words = [name for name, kind in frame.schema.items() if kind == pl.String]
                if not words:
                    return frame
                cells = pl.col(words)
                return frame.with_columns(pl.when(~cells.is_in(self.missing)).then(cells))
        return self._read(text, self.types, self.missing)

    def _read(self, text: bytes, types: dict[str, Any], missing: tuple[str, ...]) -> pl.DataFrame:
        import polars as pl

        dialect = self.dialect
        grouped = [name for name in dialect.names if name in self.grouped and types[name] == pl.Float64]
        read_as = {name: pl.String if dialect.spaces or name in grouped else types[name] for name in dialect.names}
        text = text.lstrip(b"\r\n") if text[:1] in (b"\r", b"\n") else text  # the first line tells the width
        frame = pl.read_csv(
            text,
            has_header=False,
            schema=read_as,
            separator=dialect.separator,
            quote_char=dialect.quote,
            comment_prefix=dialect.comment,
            null_values=list(missing) or None,
            decimal_comma=dialect.decimal_comma,
        )
        if dialect.spaces:
            stripped = frame.select(pl.all().str.strip_chars())
            stripped = stripped.select(pl.when(~pl.all().is_in(self.missing)).then(pl.all()))
            frame = stripped.with_columns(map(_ungrouped, grouped))
            frame = frame.select(pl.col(name).cast(types[name]) for name in dialect.names)
        elif grouped:
            frame = frame.with_columns(_ungrouped(name, self.missing).cast(pl.Float64) for name in grouped)
        return frame

    def _widen(self, text: bytes, line: int) -> bool:
        """Let the types fit this block too; true if earlier ones are read in another way then."""
        import polars as pl

        cells = self._read(text, dict.fromkeys(self.dialect.names, pl.String), self.missing)
        to_text = self._commas_come_late(cells)
        if to_text:
            self._note_points(cells, text, line)
        for name in self.dialect.names:
            column = cells[name]
            wrong = notation.commas_between_thousands(column) if name in self.dialect.commas else None
            if wrong is not None and self.dialect.decimal_comma:
                raise self._two_ways(name, self._line(text, line, wrong), column[wrong])
            if name in self.grouped and self.types[name] == pl.Float64:
                column = cells.select(_ungrouped(name))[name]
            elif self.dialect.decimal_comma:
                column = column.str.replace(",", ".", literal=True)
            chain = {pl.Int64: (pl.Int64, pl.Float64), pl.Float64: (pl.Float64,)}.get(
                self.types[name], (self.types[name],)
            )
            for wider in chain:
                if _fits(column, wider):
                    self.types[name] = wider
                    break
            else:
                to_text |= self.types[name] != pl.String
                self.types[name] = pl.String
        return to_text

    def _commas_come_late(self, cells: pl.DataFrame) -> bool:
        """Whether numbers have decimal commas which the first rows did not show; from here on they are read so."""
        import polars as pl

        dialect = self.dialect
        if dialect.decimal_comma or dialect.quoted_commas or self.path is None:
            return False
        numbers = [name for name in dialect.names if self.types[name] in (pl.Int64, pl.Float64)]
        late = [name for name in numbers if self._has_decimal_commas(cells[name])]
        if late:
            dialect.take_commas()
            dialect.commas |= frozenset(late)
            self.commas.add(self.path)
            self.types |= dict.fromkeys(late, pl.Float64)
        return bool(late)

    def _has_decimal_commas(self, column: pl.Series) -> bool:
        """As in the first rows: between semicolons 1,234 beside whole numbers is a decimal number, too."""
        import polars as pl

        between = self.dialect.separator == ";" and self.types[column.name] == pl.Int64
        if between and column.str.contains(rf"^\s*{DECIMAL_COMMA.pattern}\s*$").any():
            return True
        return notation.has_decimal_commas(column)

    def _check_text(self, text: bytes, line: int) -> None:
        """Complain about bytes that are not text, and about lines of another width than the first."""
        try:
            text.decode()
        except UnicodeDecodeError as error:
            raise self._bad_byte(text, error.start, line) from error
        self._check_widths(text, line)

    @cells_of_any_length()
    def _check_widths(self, text: bytes, line: int) -> None:
        dialect, width = self.dialect, len(self.dialect.names)
        lines = io.StringIO(text.decode(), newline="")
        reader = csv.reader(
            lines, delimiter=dialect.separator, quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
        )
        before = 0
        for row in reader:
            if row and len(row) != width and not (dialect.comment and row[0].startswith(dialect.comment)):
                if reader.line_num - before > 1:
                    raise self._open_quote(row, line + before)
                raise ValueError(
                    f"Every line of {self.name} must have {width} column{'s' * (width > 1)} as its first line has, "
                    f"but line {line + before} has {len(row)}: {self._where_wrong(row)}; correct that line."
                )
            before = reader.line_num

    def _where_wrong(self, row: list[str]) -> str:
        """The first cell of a line of the wrong width that does not fit its column."""
        names = self.dialect.names
        for name, cell in zip(names, row, strict=False):
            value = cell.strip().replace(",", ".") if self.dialect.decimal_comma else cell.strip()
            numeric = name in self.types and self.types[name].is_numeric()
            if numeric and value not in self.missing and not is_number(value):
                return f"in the column {shortened(name)}, which holds numbers, it has {cell[:40]!r}"
        if len(row) < len(names):
            return f"it ends before the column {names[len(row)]!r}"
        return f"behind the last column, {names[-1]!r}, it goes on with {row[len(names)][:40]!r}"

    @cells_of_any_length()
    def _check_quotes(self, text: bytes, place: Place, lines: int) -> None:
        """A quote that is never closed would take all that follows into its cell."""
        dialect = self.dialect
        if not dialect.quote or text.count(dialect.quote.encode()) % 2 == 0:
            return
        cells = text.decode(errors="replace")
        try:
            for _ in csv.reader(io.StringIO(cells, newline=""), delimiter=dialect.separator, strict=True):
                pass
        except csv.Error as error:
            if "unexpected end" not in str(error):
                return  # a quote inside of a cell, as in 5" disk
            reader = csv.reader(io.StringIO(cells, newline=""), delimiter=dialect.separator)
            last: list[str] = []
            start = before = 0
            for row in reader:
                last, start, before = row, before, reader.line_num
            raise self._open_quote(last, self._first_line(place) + lines + start) from error

    def _open_quote(self, row: list[str], line: int) -> ValueError:
        names = self.dialect.names
        at = next((j for j, cell in enumerate(row) if "\n" in cell), len(row) - 1)
        column = f"the column {names[at]!r}" if at < len(names) else f"column {at + 1}"
        return ValueError(
            f"A quote must be closed in its own cell, but in {self.name} the one that opens in line "
            f"{line + sum(cell.count(chr(10)) for cell in row[:at])}, in {column}, is not; close it, or write a quote "
            "that belongs to the text twice."
        )


def _one_space(text: bytes) -> bytes:
    """Columns that any number of spaces part, with one between them."""
    text = re.sub(rb"[ \t]+", b" ", text)
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", text)


def _without_empty_lines(text: bytes, quote: str | None) -> bytes:
    """The lines that hold something; what stands between quotes stays as it is."""
    empty = rb"(?:\r?\n){2,}"
    kept = rb'"[^"]*"|' if quote else b""
    text = re.sub(kept + empty, lambda found: found[0] if found[0].startswith(b'"') else b"\n", text)
    return text.lstrip(b"\r\n")


def _ungrouped(name: str, missing: tuple[str, ...] = ("",)) -> pl.Expr:
    """Cells like 1.234,5 as 1234.5; what is no such number gets a sign that no number has, and so is refused."""
    import polars as pl

    cells = pl.col(name).str.strip_chars()
    plain = cells.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    number = cells.str.contains(rf"^({GROUPED.pattern})$")
    return pl.when(number).then(plain).when(~cells.is_in(list(missing))).then(pl.lit("!") + cells).alias(name)


def _fits(column: pl.Series, kind: Any) -> bool:
    """Whether every value of a column of text can be read as this type."""
    import polars as pl

    if kind == pl.String:
        return True
    if kind == pl.Boolean:
        return bool(column.drop_nulls().str.to_lowercase().is_in(["true", "false"]).all())
    if kind == pl.Date or kind == pl.Datetime("us"):
        read = column.str.to_datetime(strict=False) if kind != pl.Date else column.str.to_date(strict=False)
    else:
        read = column.cast(kind, strict=False)
    return read.null_count() == column.null_count()


def strangers(frame: pl.DataFrame) -> dict[str, int]:
    """Columns of text that hold numbers but for a few cells, each with the row of the first such cell, from 0."""
    import polars as pl

    found = {}
    for column in frame.select(pl.col(pl.String)):
        values = column.drop_nulls()
        start = values.head(SAMPLE_ROWS).str.strip_chars().cast(pl.Float64, strict=False)
        if start.null_count() == len(start):
            continue  # words
        wrong = column.is_not_null() & column.str.strip_chars().cast(pl.Float64, strict=False).is_null()
        if 0 < wrong.sum() <= (1.0 - MOSTLY) * len(values):
            found[column.name] = int(wrong.arg_max() or 0)
    return found


@cells_of_any_length()
def line_of_row(file: BinaryIO, dialect: Dialect, encoding: str, row: int) -> int:
    """The line of a file on which a row, counted from 0, begins."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")
    reader = csv.reader(
        text, delimiter=dialect.separator, quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
    )
    left, line = row + dialect.header, 1
    for cells in reader:
        if any(cells) and not (dialect.comment and cells[0].startswith(dialect.comment)):
            if left == 0:
                break
            left -= 1
        line = reader.line_num + 1
    text.detach()  # whoever opened the file closes it
    return line
