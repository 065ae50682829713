"""`convert`: the rows of a file in another format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.features.column_kinds import KEPT
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.verbs.errors import reading, with_keep
from rosenblatt.verbs.examples import check_columns_policy, read_examples
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.tables import MATRICES, format_of, write_matrix, write_table


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
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    format: str | None = None,
    to: str | None = None,
) -> Conversion:
    """Write the rows of a file in another format; for LIBSVM and NumPy, columns become numbers as in training.

    Parameters
    ----------
    data, target, drop, keep, header, encoding, separator, format : as for `train`; LIBSVM and NumPy need a target
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
    import numpy as np

    check_columns_policy(missing, text)
    wanted = format_of(out, to)
    check_outputs({"The rows": out}, files_of(data))
    numeric = wanted in MATRICES.values()
    found = read_examples(
        data, target, labelled=numeric, drop=drop, keep=keep, header=header, encoding=encoding, separator=separator,
        format=format,
    )  # fmt: skip
    notes, classes = list(found.notes), None
    if found.is_frame and not numeric:
        frame = found.rows
        if found.y is not None and found.target is not None:
            import polars

            frame = frame.with_columns(polars.Series(found.target, found.y))  # the target comes last
        write_table(out, frame, wanted)
        return Conversion(found.name, out, wanted, frame.height, frame.width, classes, notes)
    rows, names = found.rows, found.names
    if found.is_frame:
        with reading(found.name):
            kinds = dict.fromkeys(found.keep, KEPT) or None
            encoder = ColumnEncoder(text=text, missing=missing, scale=None, kinds=kinds)
            rows = encoder.fit_transform(found.rows)
        notes += map(with_keep, encoder.notes_)
        names = [str(name) for name in encoder.get_feature_names_out()]
    if found.y is not None and found.y.dtype.kind not in "biuf" and wanted == "libsvm":
        classes = [str(name) for name in np.unique(found.y).tolist()]
    write_matrix(out, rows, found.y, names=names, target=found.target or "target", format=wanted)
    return Conversion(found.name, out, wanted, int(rows.shape[0]), int(rows.shape[1]), classes, notes)
