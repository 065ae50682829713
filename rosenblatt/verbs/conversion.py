"""`convert`: the rows of a file in another format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.features.column import KEPT, keep_option, notes_on
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.plain import Figures
from rosenblatt.sources import ReadOptions, Source
from rosenblatt.verbs.blocks import blocks_of, rows_of_width
from rosenblatt.verbs.errors import reading
from rosenblatt.verbs.examples import Examples, open_data, read_examples, roles_of
from rosenblatt.verbs.gaps import fill_gaps
from rosenblatt.verbs.options import check_columns_policy
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.tables import MATRICES, format_of, table_writer, write_matrix


@dataclass(frozen=True, eq=False)
class Conversion(Figures):
    """What was written: rows, columns, and what the labels of a file of numbers mean."""

    data: str
    path: str
    format: str
    rows: int
    columns: int
    classes: list[str] | None = None
    notes: list[str] = field(default_factory=list)


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

    Large tables become other tables block by block; whatever becomes numbers is held in memory.

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
    source = open_data(data, reading_options)
    check_outputs({"The rows": out}, files_of(data))
    numeric = wanted in MATRICES.values()
    if source.kind == "frame" and not numeric:
        roles = roles_of(source, target, drop=drop, keep=keep, learned=False)
        return _tables(source, out, wanted, roles.target, roles.drop)
    as_they_are = source.kind == "matrix" and wanted == "npz" and target is None  # with labels or without
    found = read_examples(source, target, labelled=None if as_they_are else numeric, numbers=None, drop=drop, keep=keep)
    return _numbers(found, out, wanted, missing, text)


def _tables(source: Source, out: str, wanted: str, target: str | None, drop: Sequence[str]) -> Conversion:
    """From table to table: the columns as they are, without those that are dropped, the target last."""
    columns = [name for name in source.columns if name not in drop and name != target]
    columns += [] if target is None else [target]
    rows = 0
    with table_writer(out, wanted) as add:
        for frame in blocks_of(source, rows_of_width(len(columns))):
            add(frame.select(columns))
            rows += frame.height
    return Conversion(source.name, out, wanted, rows, len(columns), None, list(source.notes))


def _numbers(found: Examples, out: str, wanted: str, missing: str, text: str) -> Conversion:
    """To numbers, or from numbers to a table."""
    notes, classes = list(found.notes), None
    rows: Any = found.rows
    names = None
    if found.is_frame:
        with reading(found.name):
            kinds = dict.fromkeys(found.keep, KEPT) or None
            encoder = ColumnEncoder(text=text, missing=missing, scale=None, kinds=kinds)
            rows = encoder.fit_transform(found.rows)
        notes += notes_on(encoder.columns_, keep_option)
        names = [str(name) for name in encoder.get_feature_names_out()]
    elif wanted in MATRICES.values():  # a table keeps its gaps
        rows, filled = fill_gaps(rows, missing, found.name)
        notes += filled
    if found.y is not None and found.y.dtype.kind not in "biuf" and wanted == "libsvm":
        classes = [str(name) for name in np.unique(found.y).tolist()]
    target = found.target or "target"
    write_matrix(out, rows, found.y, names=names, zero_based=found.zero_based, target=target, format=wanted)
    return Conversion(found.name, out, wanted, int(rows.shape[0]), int(rows.shape[1]), classes, notes)
