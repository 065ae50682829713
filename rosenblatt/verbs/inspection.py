"""`inspect`: what is in a model file, and what is in a file of data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.features.column import GUESSED, Column
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.plain import Figures
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import UsageError, check_number, reading
from rosenblatt.verbs.examples import Examples, index_names, open_data, read_examples
from rosenblatt.verbs.models import SavedModel, load_model, read_for, rows_for
from rosenblatt.verbs.pipelines import columns_of, in_the_file, seen

MODELS = (".safetensors",)


@dataclass(frozen=True, eq=False)
class ModelCard(Figures):
    """A model file described.

    Attributes
    ----------
    description : the header of the file, see `rosenblatt.describe`
    columns : what the model takes: name, kind, why; empty where it takes rows of numbers
    drivers : the most important features, as `train` found them
    explained : for one row, what each feature adds to the score of the answer
    """

    path: str
    description: dict[str, Any]
    columns: list[dict[str, str]]
    drivers: list[dict[str, Any]]
    explained: Explanation | None = None
    kind: str = "model"


@dataclass(frozen=True, eq=False)
class Explanation(Figures):
    """Why one row is answered as it is: score = sum of parts + intercept."""

    row: int
    answer: Any
    instead: Any  # the class that the score is against
    score: float
    intercept: float
    parts: list[dict[str, Any]]  # each a feature, and what it adds
    rest: float = 0.0  # what the features that are not named add


@dataclass(frozen=True, eq=False)
class DataCard(Figures):
    """A file of data described: rows, format, and what training would make of each column."""

    path: str
    format: str
    rows: int
    columns: list[dict[str, Any]]
    features: int
    sparse: bool
    notes: list[str] = field(default_factory=list)
    needs_target: bool = True  # whether training must be told the column to predict
    zero_based: bool = False  # whether the features of a LIBSVM file are counted from 0
    kind: str = "data"


def inspect(
    path: str | Sequence[str],
    *,
    data: str | Sequence[str] | None = None,
    row: int | None = None,
    top: int = 10,
    reading_options: ReadOptions | None = None,
) -> ModelCard | DataCard:
    """Look into a model file, or into a file of data.

    Parameters
    ----------
    path : a model file, by its name or first bytes, or data
    data, row : explain the answer of a model for this row of this file, counted from 1
    top : how many features to name
    reading_options : how to read the data

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight,colour,fruit\\n150,green,apple\\n120,red,cherry\\n130,green,apple\\n")
    >>> [(column["name"], column["kind"]) for column in inspect(str(path)).columns]
    [('weight', 'number'), ('colour', 'category'), ('fruit', 'category')]
    """
    paths = [path] if isinstance(path, str) else list(path)
    if any(map(_is_model, paths)):
        if len(paths) > 1:
            raise UsageError(f"One model is inspected at a time, but {len(paths)} files were given.")
        check_number("--top", top, 0)
        return _model(paths[0], data, row, top, reading_options)
    if data is not None or row is not None:
        raise UsageError("--data and --row explain an answer of a model, but the file is data.")
    return _data(paths, reading_options)


def _is_model(path: str) -> bool:
    """By its name, or by its first bytes: the length of a header, as 8 bytes, and a brace."""
    if path.casefold().endswith(MODELS):
        return True
    if not Path(path).is_file():
        return False
    try:
        with open(path, "rb") as file:
            first = file.read(9)
    except OSError:  # reported when it is read as data
        return False
    return first[8:] == b"{" and int.from_bytes(first[:8], "little") < Path(path).stat().st_size


def _model(path: str, data: Any, row: int | None, top: int, reading_options: ReadOptions | None) -> ModelCard:
    if (data is None) != (row is None):
        raise UsageError("--data FILE and --row N explain an answer together.")
    saved = load_model(path)
    explained = None
    if data is not None and row is not None:
        found = read_for(saved, data, None, reading_options, labelled=False)
        explained = explain(saved, found, row, top)
    drivers = saved.about.get("drivers", [])[:top]
    return ModelCard(path, saved.description, columns_of(saved.model), drivers, explained)


def feature_names(saved: SavedModel, count: int) -> list[str]:
    """The names of the features that the learner sees."""
    names = saved.model[:-1].get_feature_names_out() if saved.takes_tables else ()
    return [str(name) for name in names] if len(names) == count else index_names(count, saved.zero_based)


def explain(saved: SavedModel, found: Examples, row: int, top: int = 10) -> Explanation:
    """What each feature adds to the score that decides a row, in its favour or against it."""
    if not 1 <= row <= len(found):
        raise UsageError(f"--row must be from 1 to {len(found):,}, but got {row}.")
    weights = getattr(saved.learner, "coef_", None)
    if weights is None:
        name = type(saved.learner).__name__
        raise UsageError(f"A {name} has no weights to explain an answer by.")
    asked = found.take(np.array([row - 1]))
    with reading(found.name), in_the_file(asked):
        rows, _ = rows_for(saved, asked)
        values = seen(saved.model, rows)
        values = np.asarray(values.toarray() if hasattr(values, "toarray") else values, np.float64).ravel()
        answer = saved.model.predict(rows)[0]
    weights, intercepts = np.atleast_2d(weights).astype(np.float64), np.atleast_1d(saved.learner.intercept_)
    plain = answer.item() if isinstance(answer, np.generic) else answer
    direction, intercept, instead = weights[0], intercepts[0], None
    if hasattr(saved.learner, "classes_"):
        classes = saved.learner.classes_.tolist()
        chosen = classes.index(plain)
        if len(weights) == 1:
            sign, second = (1.0 if chosen == 1 else -1.0), 1 - chosen
            direction, intercept = sign * direction, sign * intercept
        else:
            second = int(np.argsort(-(weights @ values + intercepts), kind="stable")[1])
            direction, intercept = weights[chosen] - weights[second], intercepts[chosen] - intercepts[second]
        instead = classes[second]
    adds, names = direction * values, feature_names(saved, len(values))
    order = [j for j in np.argsort(-np.abs(adds), kind="stable")[:top].tolist() if adds[j]]
    parts = [{"feature": names[j], "adds": float(adds[j])} for j in order]
    rest = float(np.delete(adds, order).sum())
    return Explanation(row, plain, instead, float(adds.sum() + intercept), float(intercept), parts, rest)


def _data(paths: list[str], reading_options: ReadOptions | None) -> DataCard:
    found = read_examples(open_data(paths, reading_options), labelled=False)
    if not found.is_frame:
        rows, sparse = found.rows, hasattr(found.rows, "indptr")
        target = found.y is None and found.format != "libsvm"  # which has labels
        columns = [_card(f"{rows.shape[1]:,} features", str(rows.dtype))]
        if found.y is not None:
            names = np.unique(found.y)
            columns.insert(0, _card("label", "target", values=len(names), examples=list(map(str, names[:4].tolist()))))
        width, notes = rows.shape[1], found.notes
        return DataCard(found.name, found.format, len(found), columns, width, sparse, notes, target, found.zero_based)
    with reading(found.name), in_the_file(found):
        encoder = ColumnEncoder(missing="median").look(found.rows)
    columns = [_column(column, found.rows[column.name]) for column in encoder.columns_]
    return DataCard(
        found.name, found.format, len(found), columns, encoder.n_features_out_, bool(encoder.sparse_), found.notes
    )


def _column(column: Column, series: Any) -> dict[str, Any]:
    values = series.drop_nulls().unique(maintain_order=True)
    return _card(
        column.name, _kind(column.called, series), values=len(values), examples=list(map(str, values.head(4))),
        why=column.why, guessed=column.reason in GUESSED, missing=int(column.missing),
    )  # fmt: skip


def _card(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "kind": kind, "why": "", "missing": 0, "values": None, "examples": []} | more


def _kind(kind: str, series: Any) -> str:
    """A kind in the words of a user."""
    if series.dtype.is_temporal():
        return "date"
    return "yes/no" if kind == "boolean" and not series.dtype.is_numeric() and series.dtype != bool else kind
