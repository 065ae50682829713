"""The rows of files for a model, block by block, so that a file of any size is answered in bounded memory.

A text table is read twice when it is large: once for the types of its columns, which the last line may still change,
and to find what is wrong with it before anything is written; once for the rows. A small file is read in one piece, and
its blocks are the same: the last digit of a matrix product may depend on how many rows are multiplied together.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from rosenblatt.features.column import Column
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.sources import ReadOptions
from rosenblatt.sources.batches import in_batches
from rosenblatt.verbs.errors import reading
from rosenblatt.verbs.examples import Examples
from rosenblatt.verbs.models import SavedModel, open_for
from rosenblatt.verbs.pipelines import DENSE_ONLY, in_the_file

if TYPE_CHECKING:
    import polars

    from rosenblatt.sources import Source
    from rosenblatt.sources.dialect import Dialect

WHOLE_BYTES = 2**26  # up to which a file is read in one piece
UNPACKED = 8  # bytes of rows, about, for a byte of a compressed file
BLOCK_NUMBERS = 2**20  # in the rows of a block, as the learner sees them
MOST_ROWS = 2**17  # of a block
SURVEYED_ROWS = 2**13  # looked at at a time, so that not many are held that were read and are not needed


@dataclass(eq=False)
class Blocks:
    """The rows that a model is asked about, in order; made by `blocks_for`, gone through once.

    Attributes
    ----------
    name : where the rows come from
    notes : sentences about what was assumed, complete once all rows have been given
    strange : by column, how many values are no numbers where the model has numbers
    """

    saved: SavedModel
    source: Source
    rename: Callable[[list[str]], list[str]] | None
    as_written: bool = False
    strange: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def notes(self) -> list[str]:
        return list(self.source.notes)

    def dialect(self) -> Dialect | None:
        """What the file looks like, where it is a text table."""
        return self.source.dialect()

    def __iter__(self) -> Iterator[Examples]:
        start = 0
        small = is_small(self.source)
        contents = self._whole() if small else self._in_blocks()
        written: Iterator[Any] | None = None
        try:
            while True:
                with reading(self.name):
                    content = next(contents, None)
                    if content is None:
                        return
                    if written is None:  # not sooner: how numbers are written may be seen late
                        written = self._written(small)
                    text = next(written)
                block = self._examples(content, start, text)
                start += len(block)
                yield block
        finally:
            self.source.close()

    def _whole(self) -> Iterator[Any]:
        content: Any = self.source.read()
        if self.source.kind != "matrix":
            survey = Survey(self._encoder, self.rename)
            survey.add(content)
            self._judge(survey)
        yield from in_batches([content], self._rows_of_a_block())

    def _in_blocks(self) -> Iterator[Any]:
        if self.source.kind == "matrix":
            yield from self.source.batches(self._rows_of_a_block())
            return
        survey = Survey.of(self.source, self._encoder, self.rename)
        self._judge(survey)
        for frame in self.source.batches(self._rows_of_a_block()):
            yield survey.fitted(frame)  # type: ignore[arg-type]  # no matrix

    def _judge(self, survey: Survey) -> None:
        with in_the_file(Examples(None, place_of=self.source.place_of)):
            self.strange = survey.judged()

    @property
    def _encoder(self) -> Any:
        return self.saved.model.steps[0][1]

    def _written(self, small: bool) -> Iterator[Any]:
        """The same rows as text, in the same blocks; None for each of them where nobody needs it."""
        source = self.source.written() if self.as_written or has_commas(self.source) else None
        if source is None:
            return itertools.repeat(None)
        n_rows = self._rows_of_a_block()
        return in_batches([source.read()], n_rows) if small else source.batches(n_rows)

    def _rows_of_a_block(self) -> int:
        """As many that what is made of them stays small, whatever their width."""
        width = int(getattr(self.saved.learner, "n_features_in_", 1))
        if getattr(self._encoder, "sparse_", False):
            width = len(self._encoder.columns_)
        return rows_of_width(width)

    def _examples(self, content: Any, start: int, written: Any) -> Examples:
        source = self.source
        if source.kind == "matrix":
            rows = content.X if issparse(content.X) else content.X.reshape(len(content), -1)
            rows = rows.toarray() if issparse(rows) and type(self.saved.learner).__name__ in DENSE_ONLY else rows
            given = None
        else:
            given = content if self.rename is None else _renamed(content, self.rename)
            rows = self._as_judged(_without(given, self.saved.target))
            if written is not None:
                written = written if self.rename is None else _renamed(written, self.rename)
                given = written if self.as_written else with_text_as_written(given, written)
        places = np.arange(start, start + rows.shape[0]) if start else None
        return Examples(
            rows, name=source.name, format=source.format, given=given, places=places, place_of=source.place_of
        )

    def _as_judged(self, rows: polars.DataFrame) -> polars.DataFrame:
        """Text among numbers becomes missing where the whole table has been judged, not this block alone."""
        if not self.strange:
            return rows
        columns = {column.name: column for column in self._encoder.columns_}
        return rows.with_columns(columns[name].read_numbers(rows[name])[0] for name in self.strange)


def blocks_for(
    saved: SavedModel, data: str | Sequence[str], reading_options: ReadOptions | None, *, as_written: bool = False
) -> Blocks:
    """The rows of files for a model.

    `as_written`: the tables that are `given` have the cells of a text table as they stand there.
    """
    source, rename = open_for(saved, data, reading_options, labelled=False)
    return Blocks(saved, source, rename, as_written)


def rows_of_width(width: int) -> int:
    """How many rows of so many columns make a block.

    Examples
    --------
    >>> [rows_of_width(width) for width in (2, 30, 100_000)]
    [131072, 34952, 256]
    """
    return max(256, min(MOST_ROWS, BLOCK_NUMBERS // max(1, width)))


def has_commas(source: Source) -> bool:
    """Whether decimal commas of a text table have become points where it is read, also in columns of text."""
    dialect = source.dialect()
    return dialect is not None and dialect.commas


def with_text_as_written(frame: polars.DataFrame, written: polars.DataFrame) -> polars.DataFrame:
    """A table whose columns of text are as they stand in the file; its other columns and its gaps stay.

    Examples
    --------
    >>> import polars
    >>> read = polars.DataFrame({"a": [1.5, 2.5], "b": ["1 234.5", None]})
    >>> with_text_as_written(read, polars.DataFrame({"a": ["1,5", "2,5"], "b": ["1 234,5", "NA"]})).rows()
    [(1.5, '1 234,5'), (2.5, None)]
    """
    import polars

    texts = [name for name, kind in frame.schema.items() if kind == polars.String]
    kept = [written[name].set(frame[name].is_null(), None) for name in texts]
    return frame.with_columns(kept)


def is_small(source: Source) -> bool:
    """Whether the rows of a source may well be read in one piece."""
    sizes = [
        os.path.getsize(path) * (UNPACKED if _is_packed(path) else 1) for path in source.paths if "://" not in path
    ]
    return len(sizes) == len(source.paths) and sum(sizes) <= WHOLE_BYTES


class Survey:
    """What a pass over a table has found: the types of its columns, and text among the numbers of an encoder."""

    @classmethod
    def of(cls, source: Source, encoder: Any = None, rename: Callable[[list[str]], list[str]] | None = None) -> Survey:
        """One pass over a table, again where a later line needed a wider type."""
        from rosenblatt.sources.delimited import TypesWidened

        while True:
            survey = cls(encoder, rename)
            try:
                for frame in source.batches(min(MOST_ROWS, SURVEYED_ROWS)):
                    survey.add(frame)  # type: ignore[arg-type]  # no matrix
                return survey
            except TypesWidened:
                continue

    def __init__(self, encoder: Any, rename: Callable[[list[str]], list[str]] | None) -> None:
        self.encoder = encoder
        self.rename = rename
        self.numbers = {
            column.name: column
            for column in (encoder.columns_ if isinstance(encoder, ColumnEncoder) else ())
            if column.kind == "number"
        }
        self.whole: polars.DataFrame | None = None  # no rows, columns of types that fit every block
        self.rows = 0
        self.strange: dict[str, tuple[int, int, str]] = {}  # how many, and row and value of the first

    def add(self, frame: polars.DataFrame) -> None:
        import polars

        if self.whole is None or frame.schema != self.whole.schema:
            known = [] if self.whole is None else [self.whole]
            self.whole = polars.concat([*known, frame.clear()], how="vertical_relaxed")
        named = frame if self.rename is None else _renamed(frame, self.rename)
        for name, column in self.numbers.items():
            if name in named.columns and named[name].dtype == polars.String:
                self._note(column, named[name])
        self.rows += frame.height

    def _note(self, column: Column, series: polars.Series) -> None:
        wrong = column.read_numbers(series)[1]
        count = int(wrong.sum())
        if count:
            row = int(wrong.arg_max() or 0)
            before, *first = self.strange.get(column.name, (0, self.rows + row, series[row]))
            self.strange[column.name] = (before + count, first[0], first[1])

    def judged(self) -> dict[str, int]:
        """How many values are no numbers, by column; refused where the encoder would refuse the whole table."""
        for column, (count, row, value) in self.strange.items():
            self.encoder.check_strange(self.numbers[column], count, self.rows, row, value)
        return {column: count for column, (count, _, _) in self.strange.items()}

    def fitted(self, frame: polars.DataFrame) -> polars.DataFrame:
        """A block with the types of the whole table."""
        assert self.whole is not None
        return frame if frame.schema == self.whole.schema else frame.cast(self.whole.schema)


def _renamed(frame: polars.DataFrame, rename: Callable[[list[str]], list[str]]) -> polars.DataFrame:
    columns = list(frame.columns)
    return frame.rename(dict(zip(columns, rename(columns), strict=True)))


def _without(frame: polars.DataFrame, target: str | None) -> polars.DataFrame:
    """The rows without the column that is predicted, which may be there or not."""
    return frame.drop(target, strict=False) if target is not None else frame


def _is_packed(path: str) -> bool:
    from rosenblatt.sources.compressed import is_packed

    return path.casefold().endswith(".parquet") or is_packed(path)
