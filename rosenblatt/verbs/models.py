"""Model files in and out, and rows that fit the model that they are given to."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.sources import ReadOptions
from rosenblatt.sources.paths import not_found
from rosenblatt.verbs.errors import InputError, UsageError, reading, writing
from rosenblatt.verbs.examples import Examples, open_data, places, read_examples
from rosenblatt.verbs.gaps import check_gaps
from rosenblatt.verbs.pipelines import DENSE_ONLY, check_numbers, with_width
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source

SOME_ROWS = 200  # that are looked at to tell lines of text from a table


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A model from a file, with what the file says about it.

    Attributes
    ----------
    model : a fitted Pipeline; a bare estimator becomes one of a single step
    path : where it was
    description : the header of the file, see `rosenblatt.describe`
    """

    model: Pipeline
    path: str
    description: dict[str, Any]

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

    def places(self, count: int) -> list[str]:
        """Names for the columns of a matrix, as in training."""
        shape = self.about.get("image_shape")
        if shape is not None and int(np.prod(shape)) != count:
            shape = None
        return places(count, None if shape is None else tuple(shape), self.zero_based)

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
            with (
                nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as pipe,
                file.open("wb") as stream,
            ):
                shutil.copyfileobj(pipe, stream)
            found = load_model(str(file))
        return SavedModel(found.model, path, found.description)
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder, not a model file.")
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
    if not found.is_frame:
        width = getattr(saved.model.steps[0][1], "n_features_in_", found.rows.shape[1])
        before = 0 if found.places is None or len(found) == 0 else int(found.places[0])
        check_numbers(found.rows, found.name, before=before)
        if "imputer" not in saved.model.named_steps:
            check_gaps(found.rows, found.name, before)
        return with_width(found.rows, width, found.name)
    names = getattr(saved.model.steps[0][1], "feature_names_in_", None)
    frame = found.rows
    if names is not None:
        _check_columns(list(names), list(frame.columns), found.name)
        frame = frame.select([str(name) for name in names])
    wrong = [column for column, kind in frame.schema.items() if not (kind.is_numeric() or kind.is_nested() is None)]
    if wrong:
        raise InputError(f"The model takes numbers, but {found.name} has other values in {listed(wrong)}.")
    if names is not None:  # scikit-learn would wonder about rows without the names of the fit
        import polars

        return frame.cast(polars.Float64), []
    rows = frame.to_numpy().astype(np.float64)
    return with_width(rows, getattr(saved.model.steps[0][1], "n_features_in_", rows.shape[1]), found.name)


def _table_for(saved: SavedModel, found: Examples) -> tuple[Any, list[str]]:
    encoder: ColumnEncoder = saved.model.steps[0][1]
    if not found.is_frame:
        raise UsageError(
            f"{found.name} is {found.format}, but the model was trained on a table with the columns "
            f"{listed(encoder.feature_names_in_)}."
        )
    known = {*map(str, encoder.feature_names_in_), str(saved.target), *saved.about.get("left_out", [])}
    extra = [name for name in found.rows.columns if name not in known]
    which, they = ("column", "is") if len(extra) == 1 else ("columns", "are")
    notes = [
        f"The {which} {listed(extra)} {they} ignored: the model does not know {'it' if len(extra) == 1 else 'them'}."
    ]
    rows = columns_for(encoder, found)
    empty = [
        column.name
        for column in encoder.columns_
        if column.width and len(rows) > 1 and rows[column.name].null_count() == len(rows)
    ]
    filled = [f"Every value of {listed(empty)} is missing; all are filled as in training."] if empty else []
    return rows, [*(notes if extra else []), *filled]


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
            f"{name} lacks the column{'s' * (len(missing) > 1)} {listed(missing)} that the model was trained on"
            f"{_mended(missing, needed, there)}."
        )


def _mended(missing: list[str], needed: Sequence[str], there: Sequence[str]) -> str:
    """What to do about columns that are missing: names written otherwise, no names at all, or nothing there."""
    spare = {column.casefold(): column for column in there if column not in needed}
    pairs = [(close[0], column) for column in missing if (close := get_close_matches(column.casefold(), spare, n=1))]
    if pairs and len(set(pairs)) == len({close for close, _ in pairs}):
        told = " and ".join(f"{shortened(spare[close])} to {shortened(column)}" for close, column in pairs)
        return f"; rename {told}, if that is what is meant"
    if there and all(map(_numbered, there)):
        return "; its first line has no names of columns"
    return ""


def _numbered(column: str) -> bool:
    """Whether it is the name of a column in a file without a header."""
    return re.fullmatch(r"column_\d+", column) is not None


def unknown_counts(saved: SavedModel) -> dict[str, int]:
    """How many values the last answers met, by column, that training had not."""
    return dict(getattr(saved.model.steps[0][1], "unknown_counts_", {}))


def unknown_notes(saved: SavedModel, counts: dict[str, int] | None = None) -> list[str]:
    """What the answers met that training had not: categories that are new, text among numbers."""
    encoder = saved.model.steps[0][1]
    numbers = {column.name: column.called for column in getattr(encoder, "columns_", []) if column.kind == "number"}
    return [
        f"{counted(count, 'row')} {'has' if count == 1 else 'have'} a value of {shortened(name)} that "
        + (
            f"is no {numbers[name]} and counts as missing."
            if name in numbers
            else "was not seen in training and counts for nothing."
        )
        for name, count in (unknown_counts(saved) if counts is None else counts).items()
        if count
    ]


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
    numbers = saved.learner.__class__.__name__ == "LeastSquares"
    source, names = open_for(saved, data, reading_options, labelled=labelled)
    wanted = saved.target if target is None and source.kind == "frame" else target  # only a table has it by that name
    found = read_examples(source, wanted, labelled=labelled, numbers=numbers, least=least, names=names, digest=digest)
    return replace(found, rows=found.rows.toarray()) if _needs_dense(saved, found.rows) else found


def _needs_dense(saved: SavedModel, rows: Any) -> bool:
    return hasattr(rows, "toarray") and type(saved.learner).__name__ in DENSE_ONLY


def open_for(
    saved: SavedModel, data: str | Sequence[str], reading_options: ReadOptions | None, *, labelled: bool
) -> tuple[Source, Callable[[list[str]], list[str]] | None]:
    """Files as a source of rows for a model, and the model's names for their columns where these have none."""
    options = reading_options or ReadOptions()
    words = saved.about.get("na_values")
    if words is not None and options.na_values is None:
        options = replace(options, na_values=tuple(words))
    if saved.about.get("format") == "libsvm" and options.zero_based and not saved.zero_based:
        raise UsageError("--zero-based does not fit the model, which was trained on features counted from 1.")
    source = open_data(data, replace(options, zero_based=options.zero_based or saved.zero_based))
    names = None
    if saved.takes_tables and source.is_text_table:
        known = _Known.of(saved)
        header, separator = source.reading.header, source.reading.separator
        if header is None:
            header = known.has_header(source)
            source.reading = replace(source.reading, header=header)
        if len(known.features) == 1 and not labelled and separator is None and known.is_lines(source, saved):
            header = header is not False
            source.reading = replace(source.reading, separator="\t", header=header)  # lines of text with commas in it
        if known.by_position and not known.knows(source):
            names = partial(known.placed, name=source.name, labelled=labelled)
            if header:
                source.notes.append(f"The first line of {source.name} has names, which the model does not know: its "
                                    "columns are taken by their position.")  # fmt: skip
    return source, names


@dataclass(frozen=True)
class _Known:
    """The columns of the file that a model was trained on."""

    features: list[str]
    target: str | None
    left_out: list[str]

    @classmethod
    def of(cls, saved: SavedModel) -> _Known:
        features = [str(name) for name in saved.model.steps[0][1].feature_names_in_]
        return cls(features, saved.target, list(saved.about.get("left_out") or []))

    @property
    def by_position(self) -> bool:
        """Whether that file had no header, so that columns are known by their place alone."""
        return all(map(_numbered, [*self.features, *([self.target] if self.target else []), *self.left_out]))

    def has_header(self, source: Source) -> bool | None:
        """Whether the first line has names that the model knows; None where that is left to be guessed."""
        import polars

        with suppress(ValueError, OSError):  # reported when the rows are read
            named = _with(source, header=True)
            if set(named.columns) & set(self.features):
                return True
            dialect = source.dialect()
            if not self.by_position or dialect is None:
                return None
            # Over columns of text alone nothing shows that a line is a header, and the training file had none.
            frame: Any = next(iter(_with(source).batches(SOME_ROWS)), polars.DataFrame())
            return dialect.header and any(kind != polars.String for kind in frame.dtypes)
        return False if self.by_position else None

    def knows(self, source: Source) -> bool:
        """Whether the file names columns as the model does."""
        with suppress(ValueError, OSError):
            return bool(source.header and set(source.columns) & set(self.features))
        return False

    def is_lines(self, source: Source, saved: SavedModel) -> bool:
        """Whether a file for a model of one column of text is that column alone, its commas being part of the text.

        So it is when the first line is the name of the column, and where the file has no header, when it does not have
        the columns of the one that the model was trained on, or what would be the target is none of the classes.
        """
        with suppress(ValueError, OSError):
            start = _first_line(source)
            if source.header is not False:
                return start.strip().strip('"') == self.features[0]
            if not self.by_position:
                return False
            frame = next(iter(_with(source).batches(SOME_ROWS)))
            if not 1 <= frame.width <= 1 + bool(self.target) + len(self.left_out):  # type: ignore[union-attr]
                return True
            whole = _in_place([*self.features, *([self.target] if self.target else []), *self.left_out])
            if frame.width == len(whole) and self.target:  # type: ignore[union-attr]
                classes = set(map(str, getattr(saved.learner, "classes_", [])))
                answers = frame[:, whole.index(self.target)].drop_nulls()  # type: ignore[index]
                return bool(classes) and not any(str(answer) in classes for answer in answers)
            return False
        return True

    def placed(self, columns: list[str], name: str, labelled: bool) -> list[str]:
        """The model's names for columns that are known by their place."""
        target = [self.target] if self.target else []
        whole = _in_place([*self.features, *target, *self.left_out])
        ways = [whole, _in_place([*self.features, *target])]
        if not labelled:
            ways += [_in_place([*self.features, *self.left_out]), self.features]
        for way in ways:
            if len(way) == len(columns):
                return way
        if len(columns) > len(whole):
            return columns  # what comes after the model's columns is ignored
        fewer = f", or {len(whole) - 1} without the {self.target} that it predicts" if target and not labelled else ""
        raise InputError(
            f"{name} has {len(columns)} column{'s' * (len(columns) != 1)}, but the file that the model was trained on "
            f"has {len(whole)}{fewer}."
        )


def _with(source: Source, **changes: Any) -> Source:
    """The same files, read in another way, with nothing known yet."""
    return replace(source, reading=replace(source.reading, **changes), notes=[], types={})


def _first_line(source: Source) -> str:
    from rosenblatt.sources.compressed import open_text

    with open_text(source.paths[0], source.reading.encoding) as file:
        return file.readline().decode("utf-8-sig", errors="replace")


def _in_place(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: int(name.removeprefix("column_")))
