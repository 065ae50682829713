"""CSV, TSV and other text tables: what they look like is found out by `dialect`, polars does the parsing.

A file is read in blocks of whole lines, so that memory stays bounded, standard input and compressed files work like
plain ones, and a complaint can name the line. Columns get the narrowest type that fits every value: whole numbers,
numbers, Booleans (true/false), dates (2024-12-31 and 2024-12-31 23:59:00), text. The type is guessed from the first
lines and widened when a later one does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from rosenblatt.wording import shortened

from .ahead import ahead
from .cells import open_quote, records
from .compressed import check_text, open_text
from .dialect import MISSING, Dialect, is_number
from .numerals import ENGLISH, two_ways, with_points
from .whole_lines import Place, blocks_at, blocks_in_order, first_line

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**24  # of text parsed at a time


class TypesWidened(Exception):  # noqa: N818  not an error: a signal to begin again
    """A later line needed a wider type than was guessed: read again from the start, the new types are known."""


@dataclass
class TextTable:
    """Reads one text table, block by block, with types that fit.

    `types` is shared by the passes over a source, and changed in place.
    """

    name: str
    dialect: Dialect
    types: dict[str, Any]
    path: str | None = None  # to count lines in, when there is something to complain about
    encoding: str = "utf-8"  # of that file; what is read is UTF-8
    missing: tuple[str, ...] = MISSING
    labels: str | None = None  # a column of text whose words stay, also those that mean "missing" elsewhere

    def frames(
        self,
        file: BinaryIO,
        *,
        fresh: bool = True,
        block_bytes: int | None = None,
        places: list[Place] | None = None,
    ) -> Iterator[tuple[Place, pl.DataFrame]]:
        """The rows in blocks and where they stand: in order, or at the `places` that an earlier pass has found.

        `fresh` says that no rows of earlier files have been passed on yet.
        """
        changed = False
        if places is None:
            blocks = blocks_in_order(file, self.dialect.quote, block_bytes or BLOCK_BYTES)
        else:
            blocks = blocks_at(file, places)
        for place, text, attempt in ahead(blocks, self._attempt, 2):
            frame, widened = self._settled(text, place, attempt)
            changed |= widened and not fresh  # go on, to know all that must be widened, and begin again
            if frame.height and not changed:
                yield place, frame
                fresh = False
        if changed:
            raise TypesWidened

    def _attempt(self, item: tuple[Place, bytes]) -> tuple[Place, bytes, pl.DataFrame | None]:
        """(place, text of the rows, the rows themselves if the types that are known fit)."""
        from polars.exceptions import PolarsError

        place, text = item
        if self.dialect.runs:
            text = _one_space(text)
        rows = text[self.table_start(text)[0] :] if place.offset == 0 else text
        try:
            return place, rows, self._parsed(rows, place)
        except PolarsError:
            return place, rows, None

    def _settled(self, text: bytes, place: Place, frame: pl.DataFrame | None) -> tuple[pl.DataFrame, bool]:
        """The rows of a block, all checks passed, and whether earlier ones have columns that became text."""
        from polars.exceptions import PolarsError

        widened = False
        if frame is None or any(kind != self.types[name] for name, kind in frame.schema.items()):
            try:
                frame = self._parsed(text, place)
            except PolarsError as error:
                check_text(text, "utf-8", self._line(place))
                self._check_quotes(text, place)
                self._check_widths(text, place)
                try:
                    widened = self._widen(text, place)
                    frame = self._parsed(text, place)
                except PolarsError:
                    raise ValueError(
                        f"{self.name} cannot be read as a table from line {self._line(place)} on "
                        f"({str(error).splitlines()[0]})."
                    ) from error
        self._check_quotes(text, place)
        if frame.height and frame.to_series(-1).null_count():  # a short line, or an empty one
            if b"\n\n" in text or b"\n\r\n" in text or text[:1] in b"\r\n":
                frame = self._parsed(_without_empty_lines(text, self.dialect.quote), place)
            if text.count(self.dialect.separator.encode()) != frame.height * (frame.width - 1):
                self._check_widths(text, place)
        return frame, widened

    # ------------------------------------------------------------------ parsing

    def _read(self, text: bytes, types: dict[str, Any], words: tuple[str, ...], only: str | None = None) -> Any:
        import polars as pl

        return pl.read_csv(
            text.lstrip(b"\r\n") if text[:1] in (b"\r", b"\n") else text,  # the first line tells the width
            has_header=False,
            schema={name: types[name] for name in self.dialect.names},
            columns=None if only is None else [self.dialect.names.index(only)],
            separator=self.dialect.separator,
            quote_char=self.dialect.quote,
            comment_prefix=self.dialect.comment,
            null_values=list(words) or None,
        )

    def _parsed(self, text: bytes, place: Place) -> pl.DataFrame:
        """The rows of a block in the types that are known; PolarsError where they do not fit."""
        dialect = self.dialect
        if not (dialect.spaces or dialect.commas):
            return self._with_labels(self._read(text, self.types, self.missing), text)
        return self._cells(text, place).select(_typed(name, self.types[name]) for name in dialect.names)

    def _cells(self, text: bytes, place: Place) -> pl.DataFrame:
        """The rows of a block as text with decimal points, without what means "missing"."""
        import polars as pl

        cells = self._read(text, dict.fromkeys(self.dialect.names, pl.String), self.missing)
        if self.dialect.spaces and self.missing:
            cells = cells.select(pl.all().str.strip_chars())
            cells = cells.select(pl.when(~pl.all().is_in(self.missing)).then(pl.all()))
        if self.dialect.commas:
            wrong = two_ways(cells, self.dialect.points)
            if wrong is not None:
                raise self._two_ways(*wrong, cells[wrong[0]][wrong[1]], text, place)
            cells = with_points(cells, self.dialect.points)
        return self._with_labels(cells, text)

    def _with_labels(self, frame: pl.DataFrame, text: bytes) -> pl.DataFrame:
        """In the column of the labels, NA and None are words like others."""
        import polars as pl

        name = self.labels
        if name is None or not self.missing or self.types.get(name) != pl.String or not frame[name].null_count():
            return frame
        words = self._read(text, dict.fromkeys(self.dialect.names, pl.String), (), only=name).to_series()
        words = words.alias(name).str.strip_chars()
        return frame.with_columns(words.set(words == "", None)) if len(words) == frame.height else frame

    def _widen(self, text: bytes, place: Place) -> bool:
        """Let the types fit this block too; true if a column has become text."""
        import polars as pl

        cells = self._cells(text, place)
        changed = False
        for name in self.dialect.names:
            wider = {pl.Int64: (pl.Int64, pl.Float64), pl.Float64: (pl.Float64,)}
            fitting = (t for t in wider.get(self.types[name], (self.types[name],)) if _fits(cells[name], t))
            kind = next(fitting, pl.String)
            changed |= kind == pl.String != self.types[name]
            self.types[name] = kind
        return changed

    # ------------------------------------------------------------------ complaints

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

    def _line(self, place: Place) -> int:
        """The line of the first row of a block."""
        if self.path is None:
            return 1 + self.dialect.skipped
        if place.offset:
            return first_line(self.path, place, self.encoding)
        with open_text(self.path, self.encoding) as file:
            return 1 + self.table_start(file.read(place.length))[1]

    def find_row(self, text: bytes, place: Place, row: int) -> tuple[int | None, int]:
        """The line of a row of a block, if it has so many, and how many rows it has."""
        rows = text[self.table_start(text)[0] :] if place.offset == 0 else text
        count = 0
        for line, _ in self._records(rows):
            if count == row:
                return self._line(place) + line, count
            count += 1
        return None, count

    def _records(self, rows: bytes) -> Iterator[tuple[int, list[str]]]:
        comment, quoted = self.dialect.comment, self.dialect.quote is not None
        for line, cells in records(rows.decode(errors="replace"), self.dialect.separator, quoted):
            if not (comment and cells[0].startswith(comment)):
                yield line, cells

    def _two_ways(self, column: str, row: int, cell: str, text: bytes, place: Place) -> ValueError:
        english = re.fullmatch(rf"\s*({ENGLISH})\s*", cell)
        rule = "commas are decimal points" if english else "points separate thousands"
        if not english and not self.dialect.points[column].thousands:
            rule = "points are decimal points"
        line = next((line for number, (line, _) in enumerate(self._records(text)) if number == row), 0)
        return ValueError(
            f"The column {shortened(column)} of {self.name} writes numbers in two ways: {rule}, but line "
            f"{self._line(place) + line:,} has {cell!r}."
        )

    def _check_widths(self, text: bytes, place: Place) -> None:
        """Complain about a line of another width than the first."""
        width = len(self.dialect.names)
        for line, row in self._records(text):
            if len(row) != width:
                if any("\n" in cell for cell in row):
                    raise self._open_quote(line, next(j for j, cell in enumerate(row) if "\n" in cell), place)
                raise ValueError(
                    f"Line {self._line(place) + line} of {self.name} has {len(row)} column{'s' * (len(row) > 1)} "
                    f"instead of {width}: {self._where_wrong(row)}."
                )

    def _where_wrong(self, row: list[str]) -> str:
        """The first cell of a line of the wrong width that does not fit its column."""
        names = self.dialect.names
        for name, cell in zip(names, row, strict=False):
            value = cell.strip().replace(",", ".") if self.dialect.commas else cell.strip()
            numeric = name in self.types and self.types[name].is_numeric()
            if numeric and value not in self.missing and not is_number(value):
                return f"in the column {shortened(name)}, which holds numbers, it has {cell[:40]!r}"
        if len(row) < len(names):
            return f"it ends before the column {names[len(row)]!r}"
        return f"after the last column, {names[-1]!r}, it goes on with {row[len(names)][:40]!r}"

    def _check_quotes(self, text: bytes, place: Place) -> None:
        """A quote that is never closed would take all that follows into its cell."""
        if self.dialect.quote and text.count(b'"') % 2:
            found = open_quote(text.decode(errors="replace"), self.dialect.separator)
            if found is not None:
                raise self._open_quote(*found, place)

    def _open_quote(self, line: int, number: int, place: Place) -> ValueError:
        names = self.dialect.names
        column = f"the column {names[number]!r}" if number < len(names) else f"column {number + 1}"
        return ValueError(
            f"The quote that opens in line {self._line(place) + line} of {self.name}, in {column}, is never closed; "
            "close it, or write a quote that belongs to the text twice."
        )


def _one_space(text: bytes) -> bytes:
    """Columns that any number of spaces separates, with one between them."""
    text = re.sub(rb"[ \t]+", b" ", text)
    return re.sub(rb"(?m)^ | (?=\r?$)", b"", text)


def _without_empty_lines(text: bytes, quote: str | None) -> bytes:
    """The lines that hold something; what stands between quotes stays as it is."""
    empty = rb"(?:\r?\n){2,}"
    kept = rb'"[^"]*"|' if quote else b""
    text = re.sub(kept + empty, lambda found: found[0] if found[0].startswith(b'"') else b"\n", text)
    return text.lstrip(b"\r\n")


def _typed(name: str, kind: Any, *, strict: bool = True) -> pl.Expr:
    """A column of text as values of a type; where it is not strict, what does not fit is missing."""
    import polars as pl

    cells = pl.col(name)
    if kind == pl.Boolean:
        other = {} if strict else {"default": None}
        return cells.str.to_lowercase().replace_strict({"true": True, "false": False}, return_dtype=kind, **other)
    if kind == pl.Date:
        return cells.str.to_date(strict=strict)
    if kind == pl.Datetime("us"):
        return cells.str.to_datetime(time_unit="us", strict=strict)
    return cells.cast(kind, strict=strict)


def _fits(column: pl.Series, kind: Any) -> bool:
    """Whether every value of a column of text can be read as this type."""
    read = column.to_frame().select(_typed(column.name, kind, strict=False)).to_series()
    return read.null_count() == column.null_count()
