"""Model files in and out, and rows that fit the model that they are given to."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.sources import ReadOptions
from rosenblatt.sources.paths import not_found
from rosenblatt.verbs.errors import InputError, UsageError, reading, writing
from rosenblatt.verbs.examples import Examples, open_data, read_examples
from rosenblatt.verbs.gaps import check_gaps
from rosenblatt.verbs.pipelines import with_width
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model from a file, with what the file says about it."""

    model: Pipeline  # fitted; a bare estimator becomes one of a single step
    path: str
    description: dict[str, Any]  # the header of the file, see `rosenblatt.describe`

    @property
    def about(self) -> dict[str, Any]:
        """What `train` wrote: target, source, digest, split; empty for models saved otherwise."""
        return self.description.get("about") or {}

    @property
    def target(self) -> str | None:
        return self.about.get("target")

    @property
    def zero_based(self) -> bool:
        """Whether the features of the LIBSVM file that it was trained on are counted from 0."""
        return bool(self.about.get("zero_based"))

    @property
    def learner(self) -> Any:
        return self.model.steps[-1][1]

    @property
    def takes_tables(self) -> bool:
        """Whether the rows are a table with named columns."""
        return isinstance(self.model.steps[0][1], ColumnEncoder)


def save_model(model: Any, path: str, about: dict[str, Any]) -> None:
    """Write a model file, or send it to standard output."""
    from rosenblatt import save

    if path != "-":
        with writing(path):
            save(model, path, about=about)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        save(model, file, about=about)
        with file.open("rb") as stream, writing(path):
            shutil.copyfileobj(stream, sys.stdout.buffer)
            sys.stdout.buffer.flush()


def load_model(path: str) -> SavedModel:
    """A model from a file, from a pipe that has a name such as /dev/stdin, or from standard input."""
    from rosenblatt import describe, load

    if path == "-" or Path(path).is_fifo():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.safetensors"
            file.write_bytes(sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes())
            return replace(load_model(str(file)), path=path)
    if not os.path.exists(path):
        raise InputError(not_found(path))
    if not os.access(path, os.R_OK):
        raise InputError(f"No permission to read {path}.")
    with reading(path):
        model, description = load(path), describe(path)
    if not hasattr(model, "predict"):
        raise InputError(f"{path} holds a {type(model).__name__}, which does not predict.")
    return SavedModel(model if isinstance(model, Pipeline) else Pipeline([("learner", model)]), path, description)


def rows_for(saved: SavedModel, found: Examples) -> tuple[Any, list[str]]:
    """The rows as the model takes them, and remarks; a column that is not there is a failure that names it."""
    if saved.takes_tables:
        return _table_for(saved, found)
    first, rows = saved.model.steps[0][1], found.rows
    if found.is_frame:
        names = getattr(first, "feature_names_in_", None)
        if names is not None:  # scikit-learn would wonder about rows without the names of the fit
            _check_columns(list(names), list(rows.columns), found.name)
            rows = rows.select([str(name) for name in names])
        wrong = [column for column, kind in rows.schema.items() if not kind.is_numeric()]
        if wrong:
            raise InputError(f"The model takes numbers, but {found.name} has other values in {listed(wrong)}.")
        if names is not None:
            return rows.cast(float), []
        rows = rows.to_numpy().astype(np.float64)
    elif "imputer" not in saved.model.named_steps:
        check_gaps(rows, found.name, 0 if found.places is None or len(found) == 0 else int(found.places[0]))
    return with_width(rows, getattr(first, "n_features_in_", rows.shape[1]), found.name)


def _table_for(saved: SavedModel, found: Examples) -> tuple[Any, list[str]]:
    encoder: ColumnEncoder = saved.model.steps[0][1]
    if not found.is_frame:
        raise UsageError(
            f"{found.name} is {found.format}, but the model was trained on a table with the columns "
            f"{listed(encoder.feature_names_in_)}."
        )
    known = {*map(str, encoder.feature_names_in_), str(saved.target), *saved.about.get("left_out", [])}
    extra = [name for name in found.rows.columns if name not in known]
    notes = [f"Columns that the model does not know are ignored: {listed(extra)}."] if extra else []
    rows = columns_for(encoder, found)
    empty = [
        column.name
        for column in encoder.columns_
        if column.width and len(rows) > 1 and rows[column.name].null_count() == len(rows)
    ]
    if empty:
        notes.append(f"Every value of {listed(empty)} is missing; all are filled as in training.")
    return rows, notes


def columns_for(encoder: ColumnEncoder, found: Examples) -> Any:
    """The columns that a fitted encoder takes, in its order; one that training left out need not be there."""
    names, columns = [str(name) for name in encoder.feature_names_in_], list(found.rows.columns)
    needed = [column.name for column in encoder.columns_ if column.width]
    unlike = {*names} - {*needed}  # the model knows them, and does without
    _check_columns(needed, [name for name in columns if name not in unlike], found.name)
    frame, unused = found.rows, [name for name in names if name not in columns]
    if unused:
        import polars

        frame = frame.with_columns(polars.lit(None).alias(name) for name in unused)
    return frame.select(names)


def _check_columns(needed: Sequence[str], there: Sequence[str], name: str) -> None:
    missing = [column for column in needed if column not in there]
    if missing:
        raise InputError(
            f"{name} lacks the column{'s' * (len(missing) > 1)} {listed(missing)} that the model was trained on."
        )


def _numbered(column: str) -> bool:
    """Whether it is the name of a column in a file without a header."""
    return re.fullmatch(r"column_\d+", column) is not None


def unknown_counts(saved: SavedModel) -> dict[str, int]:
    """How many values the last answers met, by column, that training had not."""
    return dict(getattr(saved.model.steps[0][1], "unknown_counts_", {}))


def unknown_notes(saved: SavedModel, counts: dict[str, int]) -> list[str]:
    """What the answers met that training had not: categories that are new, text among numbers."""
    encoder = saved.model.steps[0][1]
    numbers = {column.name: column.called for column in getattr(encoder, "columns_", []) if column.kind == "number"}
    notes = []
    for name, count in counts.items():
        rows = f"{counted(count, 'row')} {'has' if count == 1 else 'have'} a value of {shortened(name)} that"
        if count and name in numbers:
            notes.append(f"{rows} is no {numbers[name]} and counts as missing.")
        elif count:
            notes.append(f"{rows} was not seen in training and counts for nothing.")
    return notes


def read_for(
    saved: SavedModel,
    data: str | Sequence[str],
    target: str | int | None = None,
    reading_options: ReadOptions | None = None,
    *,
    labelled: bool,
    least: int = 2,
    digest: bool = False,
) -> Examples:
    """Rows for a model; the target is the one that it was trained for unless another is named."""
    source, rename = open_for(saved, data, reading_options, labelled=labelled)
    if target is None and source.kind == "frame":  # only a table has it by that name
        columns = [rename.get(name, name) for name in source.columns] if rename else source.columns
        target = saved.target if labelled or saved.target in columns else None
    numbers = saved.learner.__class__.__name__ == "LeastSquares"
    return read_examples(source, target, labelled=labelled, numbers=numbers, least=least, rename=rename, digest=digest)


def open_for(
    saved: SavedModel, data: str | Sequence[str], reading_options: ReadOptions | None, *, labelled: bool = False
) -> tuple[Source, dict[str, str] | None]:
    """Files as a source of rows for a model, and the model's names for their columns where these have none."""
    options = reading_options or ReadOptions()
    words = saved.about.get("na_values")
    if words is not None and options.na_values is None:
        options = replace(options, na_values=tuple(words))
    if saved.about.get("format") == "libsvm" and options.zero_based and not saved.zero_based:
        raise UsageError("--zero-based does not fit the model, which was trained on features counted from 1.")
    source = open_data(data, replace(options, zero_based=options.zero_based or saved.zero_based))
    if not saved.takes_tables or not source.is_text_table:
        return source, None
    with reading(source.name):
        return source, _placed(saved, source, labelled)


def _placed(saved: SavedModel, source: Source, labelled: bool) -> dict[str, str] | None:
    """The model's names for columns that are known by their place, since its own file had no header.

    A first line with names that the model knows is a header. Of a model whose file had none, so is one that differs
    from the rows below it in that these hold numbers; over columns of text alone nothing shows that it is.
    """
    features = [str(name) for name in saved.model.steps[0][1].feature_names_in_]
    left_out = list(saved.about.get("left_out") or [])
    target = [saved.target] if saved.target else []
    by_place = all(map(_numbered, [*features, *target, *left_out]))
    if source.header is None:
        named = replace(source, reading=replace(source.reading, header=True), notes=[], types={})
        if set(named.columns) & set(features):
            source.reading = named.reading
        elif by_place:
            dialect = source.dialect()
            numbers = dialect is not None and any(str(kind) != "String" for kind in dialect.types.values())
            header = dialect is not None and dialect.header and numbers
            source.reading = replace(source.reading, header=header)
    columns = list(source.columns)
    if not by_place or (source.header and set(columns) & set(features)):
        return None
    if source.header:
        source.notes.append(
            f"The first line of {source.name} has names, which the model does not know: its columns are taken by their "
            "position."
        )
    whole = sorted([*features, *target, *left_out], key=lambda name: int(name.removeprefix("column_")))
    if len(columns) > len(whole):
        return None  # what comes after the model's columns is ignored
    answered = [name for name in whole if name not in target]
    for names in [whole] if labelled else [whole, answered]:
        if len(names) == len(columns):
            return dict(zip(columns, names, strict=True))
    raise InputError(
        f"{source.name} has {counted(len(columns), 'column')}, but the file that the model was trained on has "
        f"{len(whole)}."
    )
