"""`convert`: the rows of a file in another format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.features.column import KEPT, keep_option, notes_on
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.blocks import MOST_ROWS, Survey, has_commas, is_small, rows_of_width, with_text_as_written
from rosenblatt.verbs.errors import UsageError, reading
from rosenblatt.verbs.examples import Examples, find_column, find_columns, missing_labels, open_data, read_examples
from rosenblatt.verbs.gaps import check_gaps, filler, fit_filler, has_gaps, note_on_gaps
from rosenblatt.verbs.options import check_columns_policy
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.tables import MATRICES, TextStyle, format_of, matrix_writer, table_writer, write_matrix

if TYPE_CHECKING:
    import polars

    from rosenblatt.sources import Matrix, Source
    from rosenblatt.sources.dialect import Dialect

MATRIX_ROWS = 2**14  # of numbers that are written at a time


@dataclass(frozen=True, eq=False)
class Conversion:
    """What was written: rows, columns, and what the labels of a file of numbers mean."""

    data: str
    path: str
    format: str
    rows: int
    columns: int
    classes: list[str] | None = None
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def convert(
    data: str | Sequence[str],
    out: str,
    target: str | int | None = None,
    *,
    missing: str = "median",
    text: str = "auto",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    reading_options: ReadOptions | None = None,
    to: str | None = None,
) -> Conversion:
    """Write the rows of a file in another format; for LIBSVM and NumPy, columns become numbers as in training.

    A large file is converted block by block, so that memory hardly grows with it, except where all rows must be known
    before the first is written: text that is weighed by its words or hashed, gaps that are filled with a median, and
    sparse rows to NumPy.

    Parameters
    ----------
    data, target, drop, keep, reading_options : as for `train`; LIBSVM and NumPy need a target,
        but for rows of numbers to NumPy, and LIBSVM is written with indices from 1
    out : the file to write, "-" for standard output
    missing, text : how columns become numbers, see `ColumnEncoder`
    to : the format to write, where the ending of `out` does not say it

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "fruit.csv").write_text("weight,colour,fruit\\n150,green,apple\\n120,red,cherry\\n")
    >>> convert(str(folder / "fruit.csv"), str(folder / "fruit.libsvm"), "fruit").classes
    ['apple', 'cherry']
    >>> (folder / "fruit.libsvm").read_text()
    '0 1:150 2:1\\n1 1:120 3:1\\n'
    """
    check_columns_policy(missing, text)
    wanted = format_of(out, to)
    check_outputs({"The rows": out}, files_of(data))
    source = open_data(data, reading_options)
    if source.kind == "matrix":
        check_outputs({"The rows": out}, files_of(target))  # a file of labels
    numeric = wanted in MATRICES.values()
    if source.kind == "frame" and not numeric:
        return _tables(source, out, wanted, target, drop, keep, TextStyle.like(_dialect(source), out, to))
    plain = source.format in ("libsvm", "vw") and target is None and not (drop or keep)
    if plain and wanted != "npz" and not is_small(source):
        return _matrices(source, out, wanted)
    if source.kind == "frame" and target is not None and not is_small(source) and not source.is_copy:
        done = _encoded(source, out, wanted, target, drop, keep, missing, text)
        if done is not None:
            return done
    as_they_are = source.kind == "matrix" and wanted == "npz" and target is None  # with labels or without
    found = read_examples(source, target, labelled=None if as_they_are else numeric, numbers=None, drop=drop, keep=keep)
    return _whole(found, out, wanted, missing, text)


def _dialect(source: Source) -> Dialect | None:
    with reading(source.name):
        return source.dialect()


def _tables(
    source: Source,
    out: str,
    wanted: str,
    target: str | int | None,
    drop: Sequence[str],
    keep: Sequence[str],
    style: TextStyle,
) -> Conversion:
    """From table to table: the columns as they are, without those that are dropped, the target last.

    From text to text the cells are carried over as they are written.
    """
    rows = 0
    with closing(source):
        with reading(source.name):
            written = source.written()
            given = written if written is not None and wanted in ("csv", "tsv") else source
            frames, names = _read_once(given) if is_small(given) else _read_twice(given)
            if written is not None and given is source and has_commas(source):
                texts, _ = _read_once(written) if is_small(written) else _read_twice(written)
                frames = map(with_text_as_written, frames, texts)
        columns = _columns(names, source.name, target, drop, keep)
        with table_writer(out, wanted, style=style) as add:
            for frame in frames:
                add(frame.select(columns))
                rows += frame.height
    return Conversion(source.name, out, wanted, rows, len(columns), None, list(given.notes))


def _read_once(source: Source) -> tuple[Iterator[polars.DataFrame], list[str]]:
    frame: Any = source.read()
    return iter([frame]), list(frame.columns)


def _read_twice(source: Source) -> tuple[Iterator[polars.DataFrame], list[str]]:
    """The rows in blocks, with the types that the whole table needs, which a first pass finds."""
    survey = Survey.of(source)
    assert survey.whole is not None
    n_rows = min(MOST_ROWS, rows_of_width(survey.whole.width))

    def frames() -> Iterator[polars.DataFrame]:
        with reading(source.name):
            for frame in source.batches(n_rows):
                yield survey.fitted(frame)  # type: ignore[arg-type]  # no matrix

    return frames(), list(survey.whole.columns)


def _columns(
    names: list[str], where: str, target: str | int | None, drop: Sequence[str], keep: Sequence[str]
) -> list[str]:
    away = find_columns(names, drop, where)
    find_columns(names, keep, where)
    last = None if target is None else find_column(names, target, where)
    if last in away:
        raise UsageError(f"{last!r} has the target; leave it out of --drop.")
    left = [name for name in names if name not in away and name != last]
    return left if last is None else [*left, last]


def _matrices(source: Source, out: str, wanted: str) -> Conversion:
    """From numbers to numbers, or to a table, block by block, once all were counted."""
    n_rows = width = 0
    whole = True  # labels, which are written without a point then
    with closing(source):
        for batch in _batches(source):
            n_rows, width = n_rows + len(batch), batch.X.shape[1]
            whole = whole and batch.y is not None and bool((batch.y == np.rint(batch.y)).all())
        with matrix_writer(out, (n_rows, width), zero_based=source.reading.zero_based, format=wanted) as add:
            for batch in _batches(source):
                add(batch.X, batch.y.astype(np.int64) if whole and batch.y is not None else batch.y)
    return Conversion(source.name, out, wanted, n_rows, width, None, list(source.notes))


def _batches(source: Source) -> Iterator[Matrix]:
    with reading(source.name):
        yield from source.batches(MATRIX_ROWS)  # type: ignore[misc]  # no frames


def _encoded(
    source: Source,
    out: str,
    wanted: str,
    target: str | int,
    drop: Sequence[str],
    keep: Sequence[str],
    missing: str,
    text: str,
) -> Conversion | None:
    """From a table to numbers, in blocks; None where only all rows together tell what becomes of a column."""
    with reading(source.name):
        survey = Survey.of(source)
        assert survey.whole is not None
        names = list(survey.whole.columns)
        *left, last = _columns(names, source.name, target, drop, keep)
        labels: list[Any] = []

        def rows_of_blocks() -> Iterator[Any]:
            for frame in source.batches(MOST_ROWS):
                block = survey.fitted(frame)  # type: ignore[arg-type]  # no matrix
                column = block[last].fill_nan(None) if block[last].dtype.is_float() else block[last]
                labels.append(column)
                yield block.select(left).filter(column.is_not_null())

        kinds = dict.fromkeys(find_columns(names, keep, source.name), KEPT) or None
        encoder = ColumnEncoder(text=text, missing=missing, scale=None, kinds=kinds).fit_batches(rows_of_blocks())
    if not _is_settled(encoder, survey.whole) or (encoder.sparse_ and wanted == "npz"):
        return None
    import polars

    y, lost = _labels(polars.concat(labels))
    notes = [*source.notes, *notes_on(encoder.columns_, keep_option), *([lost] if lost else [])]
    classes = None
    if y.dtype.kind not in "biuf" and wanted == "libsvm":
        values, y = np.unique(y, return_inverse=True)
        classes = [str(value) for value in values.tolist()]
    shape, start = (len(y), encoder.n_features_out_), 0
    labels.clear()
    with matrix_writer(out, shape, format=wanted, dtype=encoder.dtype_, y=y) as add, reading(source.name):
        for block in rows_of_blocks():
            add(encoder.transform(block), y[start : start + block.height])
            start += block.height
    return Conversion(source.name, out, wanted, *shape, classes, notes)


def _is_settled(encoder: ColumnEncoder, types: polars.DataFrame) -> bool:
    """Whether blocks made of every column what all rows together would have made of it."""
    for column in encoder.columns_:
        plain = column.kind in ("number", "boolean") and types[column.name].dtype.is_numeric() and not column.missing
        sure = column.kind == "dropped" and column.reason not in ("row_names", "identifier", "text")
        text = column.kind == "boolean" and not column.missing
        if not (plain or text or column.kind == "category" or sure):
            return False
    return True


def _labels(column: polars.Series) -> tuple[Any, str]:
    """The labels as they are, numbers with fractions among them, and a word on rows that have none."""
    from rosenblatt.features.target import quantities_of

    there = column.drop_nulls()
    lost = len(column) - len(there)
    return quantities_of(there, needed=False), missing_labels(lost, column.name) if lost else ""


def _whole(found: Examples, out: str, wanted: str, missing: str, text: str) -> Conversion:
    """What takes all rows at once."""
    notes, classes = list(found.notes), None
    rows, names = found.rows, found.names
    if found.is_frame:
        with reading(found.name):
            kinds = dict.fromkeys(found.keep, KEPT) or None
            encoder = ColumnEncoder(text=text, missing=missing, scale=None, kinds=kinds)
            rows = encoder.fit_transform(found.rows)
        notes += notes_on(encoder.columns_, keep_option)
        names = [str(name) for name in encoder.get_feature_names_out()]
    elif has_gaps(rows) and wanted in MATRICES.values():  # a table keeps its gaps
        if missing == "error":
            check_gaps(rows, found.name)
        else:
            notes.append(note_on_gaps(int(np.isnan(rows).sum())))
            rows = fit_filler(filler(missing), rows)
    if found.y is not None and found.y.dtype.kind not in "biuf" and wanted == "libsvm":
        classes = [str(name) for name in np.unique(found.y).tolist()]
    target = found.target or "target"
    write_matrix(out, rows, found.y, names=names, zero_based=found.zero_based, target=target, format=wanted)
    return Conversion(found.name, out, wanted, int(rows.shape[0]), int(rows.shape[1]), classes, notes)
