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

from .ahead import ahead
from .cells import open_quote, records
from .compressed import check_text
from .dialect import MISSING, Dialect, one_space
from .numerals import with_points
from .whole_lines import Place, blocks_at, blocks_in_order, first_line

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**23  # of text parsed at a time
QUOTED = re.compile(rb'"[^"]*"')


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
        from polars.exceptions import PolarsError

        changed, place, text = False, Place(0, 0), b""
        if places is None:
            blocks = blocks_in_order(file, self.dialect.quote, block_bytes or BLOCK_BYTES)
        else:
            blocks = blocks_at(file, places)
        for place, text, frame in ahead(blocks, self._attempt, 2):
            if frame is None:
                check_text(text, "utf-8", self._line(place))
                self._check_widths(text, place)
                changed |= self._widen(text) and not fresh  # go on, to know all that must be widened, and begin again
                try:
                    frame = self._parsed(text)
                except PolarsError:  # stray quotes
                    frame = self._typed_cells(text)
            if _ends_missing(frame):
                bare = QUOTED.sub(b"", text) if self.dialect.quote else text
                if bare.count(self.dialect.separator.encode()) != frame.height * (frame.width - 1):
                    self._check_widths(text, place)
            if frame.height and not changed:
                yield place, frame
                fresh = False
        self._check_quotes(text, place)  # of the last block: those before it end outside quotes
        if changed:
            raise TypesWidened

    def _attempt(self, item: tuple[Place, bytes]) -> tuple[Place, bytes, pl.DataFrame | None]:
        """(place, text, the rows if the types that are known fit)."""
        from polars.exceptions import PolarsError

        place, text = item[0], self._rows(*item)
        if self.dialect.runs:
            text = one_space(text)
        try:
            return place, text, self._parsed(text)
        except PolarsError:
            return place, text, None

    # ------------------------------------------------------------------ parsing

    def _read(self, text: bytes, types: dict[str, Any], words: tuple[str, ...], only: str | None = None) -> Any:
        import polars as pl

        def parsed(text: bytes) -> pl.DataFrame:
            return pl.read_csv(
                text,
                has_header=False,
                schema={name: types[name] for name in self.dialect.names},
                columns=None if only is None else [self.dialect.names.index(only)],
                separator=self.dialect.separator,
                quote_char=self.dialect.quote,
                comment_prefix=self.dialect.comment,
                null_values=list(words) or None,
                raise_if_empty=False,
            )

        try:
            frame = parsed(text)
            if not _ends_missing(frame) or not _has_empty_lines(text):
                return frame
        except pl.exceptions.PolarsError:
            if not _has_empty_lines(text):
                raise
        return parsed(_without_empty_lines(text, self.dialect.quote))

    def _parsed(self, text: bytes) -> pl.DataFrame:
        """The rows of a block in the types that are known; PolarsError where they do not fit."""
        if not (self.dialect.spaces or self.dialect.commas):
            return self._with_labels(self._read(text, self.types, self.missing), text)
        return self._typed_cells(text)

    def _typed_cells(self, text: bytes) -> pl.DataFrame:
        return self._cells(text).select(_typed(name, self.types[name]) for name in self.dialect.names)

    def _strings(self, text: bytes, words: tuple[str, ...], only: str | None = None) -> pl.DataFrame:
        """The rows of a block as text. Quotes that polars stumbles over are letters to Python's csv."""
        import polars as pl

        kinds = dict.fromkeys(self.dialect.names, pl.String)
        try:
            return self._read(text, kinds, words, only)
        except pl.exceptions.PolarsError:
            cells = pl.DataFrame([row for _, row in self._records(text)], schema=kinds, orient="row")
            return cells.select(pl.when(~pl.col(only or "*").is_in(["", *words])).then(pl.col(only or "*")))

    def _cells(self, text: bytes) -> pl.DataFrame:
        """The rows of a block as text with decimal points, without what means "missing"."""
        import polars as pl

        cells = self._strings(text, self.missing)
        if self.dialect.spaces and self.missing:
            cells = cells.select(pl.all().str.strip_chars())
            cells = cells.select(pl.when(~pl.all().is_in(self.missing)).then(pl.all()))
        if self.dialect.commas:
            cells = with_points(cells, self.dialect.thousands)
        return self._with_labels(cells, text)

    def _with_labels(self, frame: pl.DataFrame, text: bytes) -> pl.DataFrame:
        """In the column of the labels, NA and None are words like others."""
        import polars as pl

        name = self.labels
        if name is None or not self.missing or self.types.get(name) != pl.String or not frame[name].null_count():
            return frame
        words = self._strings(text, (), only=name).to_series()
        words = words.alias(name).str.strip_chars()
        return frame.with_columns(words.set(words == "", None)) if len(words) == frame.height else frame

    def _widen(self, text: bytes) -> bool:
        """Let the types fit this block too; true if a column has become text."""
        import polars as pl

        cells = self._cells(text)
        changed = False
        for name in self.dialect.names:
            wider = {pl.Int64: (pl.Int64, pl.Float64), pl.Float64: (pl.Float64,)}
            fitting = (t for t in wider.get(self.types[name], (self.types[name],)) if _fits(cells[name], t))
            kind = next(fitting, pl.String)
            changed |= kind == pl.String != self.types[name]
            self.types[name] = kind
        return changed

    # ------------------------------------------------------------------ complaints

    def _rows(self, place: Place, text: bytes) -> bytes:
        """A block without what stands above the rows."""
        return text if place.offset else text[self.dialect.start :]

    def _line(self, place: Place) -> int:
        """The line of the first row of a block."""
        if self.path is None:
            return 1 + self.dialect.skipped
        return first_line(self.path, place.offset or self.dialect.start, self.encoding)

    def find_row(self, text: bytes, place: Place, row: int) -> tuple[int | None, int]:
        """The line of a row of a block, if it has so many, and how many rows it has."""
        lines = [line for line, _ in self._records(self._rows(place, text))]
        return (self._line(place) + lines[row] if row < len(lines) else None), len(lines)

    def _records(self, rows: bytes) -> Iterator[tuple[int, list[str]]]:
        comment, quoted = self.dialect.comment, self.dialect.quote is not None
        for line, cells in records(rows.decode(errors="replace"), self.dialect.separator, quoted):
            if not (comment and cells[0].startswith(comment)):
                yield line, cells

    def _check_widths(self, text: bytes, place: Place) -> None:
        """Complain about a line of another width than the first."""
        self._check_quotes(text, place)
        width = len(self.dialect.names)
        for line, row in self._records(text):
            if len(row) != width:
                raise ValueError(
                    f"Line {self._line(place) + line} of {self.name} has {len(row)} column{'s' * (len(row) > 1)} "
                    f"instead of {width}."
                )

    def _check_quotes(self, text: bytes, place: Place) -> None:
        """A quote that is never closed would take all that follows into its cell."""
        if self.dialect.quote and text.count(b'"') % 2:
            found = open_quote(text.decode(errors="replace"), self.dialect.separator)
            if found is not None:
                line, number = found
                names = self.dialect.names
                column = f"the column {names[number]!r}" if number < len(names) else f"column {number + 1}"
                raise ValueError(
                    f"The quote that opens in line {self._line(place) + line} of {self.name}, in {column}, is never "
                    "closed; close it, or write a quote that belongs to the text twice."
                )


def _ends_missing(frame: pl.DataFrame) -> bool:
    """Whether the last column has gaps, as it has where a line is short or empty."""
    return frame.height > 0 and frame.to_series(-1).null_count() > 0


def _has_empty_lines(text: bytes) -> bool:
    return text[:1] in (b"\r", b"\n") or b"\n\n" in text or b"\n\r\n" in text


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
