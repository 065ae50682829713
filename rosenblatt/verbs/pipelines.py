"""Columns to numbers to an answer: the steps of a model, fitted one by one so that the learner can be watched."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.features.column import KEPT, keep_option, notes_on
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.features.tables import CellError
from rosenblatt.verbs.errors import InputError, reading, setting
from rosenblatt.verbs.examples import Array, Examples
from rosenblatt.verbs.gaps import check_gaps, filler, fit_filler
from rosenblatt.verbs.options import TrainOptions

WATCHED = 20_000_000  # numbers in the held-out rows up to which their error is measured after every epoch


def unfitted(found: Examples, learner: Any, options: TrainOptions) -> Pipeline:
    """The steps for these rows: columns are encoded, dense numbers scaled, bytes and sparse rows left as they are."""
    if found.is_frame:
        encoder = ColumnEncoder(
            text=options.text, missing=options.missing, scale="standard" if options.scale else None,
            kinds=dict.fromkeys(found.keep, KEPT) or None,
        )  # fmt: skip
        return Pipeline([("columns", encoder), ("learner", learner)])
    steps: list[tuple[str, Any]] = [("learner", learner)]
    numbers = not issparse(found.rows) and found.rows.dtype != np.uint8
    if options.scale and numbers:
        steps.insert(0, ("scaler", StandardScaler()))
    if options.missing == "error":
        check_gaps(found.rows, found.name)
    elif numbers and found.rows.dtype.kind != "b":  # they may come with gaps one day
        steps.insert(0, ("imputer", filler(options.missing)))
    return Pipeline(steps)


def fit_columns(model: Pipeline, found: Examples) -> Any:
    """Fit what comes before the learner, and return the rows that the learner sees."""
    rows = found.rows
    with reading(found.name), in_the_file(found):
        for name, step in model.steps[:-1]:
            rows = fit_filler(step, rows) if name == "imputer" else step.fit(rows).transform(rows)
    return rows


@contextmanager
def in_the_file(found: Examples) -> Iterator[None]:
    """A complaint about a cell of some rows of a file gives the line, or the number, that the row has in the file."""
    try:
        yield
    except CellError as error:
        row = error.row if found.places is None else int(found.places[error.row])
        raise error.at(row, None if found.place_of is None else found.place_of(row)) from error


def seen(model: Pipeline, rows: Any) -> Any:
    """The rows as the learner of a fitted model sees them."""
    for _, step in model.steps[:-1]:
        rows = step.transform(rows)
    return rows


def fit_learner(
    model: Pipeline,
    rows: Any,
    found: Examples,
    tested: Examples | None = None,
    *,
    settings: Any = None,
    verbose: int = 0,
) -> None:
    """Fit the last step on rows that are encoded; the error on the tested rows is measured after every epoch."""
    learner = model.steps[-1][1]
    known = inspect.signature(learner.fit).parameters
    options: dict[str, Any] = {}
    if found.weights is not None:
        options["sample_weight"] = found.weights
    # A learner measures its last weights on the way; where it answers by others, the figure would mislead.
    last = getattr(learner, "answer", "last") == "last"
    if tested is not None and last and "eval_set" in known and int(np.prod(tested.rows.shape)) <= WATCHED:
        with reading(tested.name), in_the_file(tested):
            options["eval_set"] = (seen(model, tested.rows), tested.labels())
    shown = "verbose" in learner.get_params(deep=False)
    if shown:
        learner.set_params(verbose=verbose)
    with setting(settings):
        learner.fit(rows, found.labels(), **options)
    if shown:
        learner.set_params(verbose=0)


def with_width(rows: Any, width: int, name: str) -> tuple[Any, list[str]]:
    """Rows of a matrix with as many columns as a model knows; files of sparse rows often lack the last ones.

    Examples
    --------
    >>> with_width(csr_array(np.eye(2)), 3, "x.libsvm")[0].toarray()
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    found = rows.shape[1]
    if found == width:
        return rows, []
    if not issparse(rows):
        raise InputError(f"{name} has {found:,} columns, but the model was trained on {width:,}.")
    rows = csr_array(rows)
    if found < width:
        return csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], width)), []
    return csr_array(rows[:, :width]), [f"{name} has features beyond the {width:,} of the model, which are ignored."]


def columns_of(model: Pipeline) -> list[dict[str, str]]:
    """What became of each column of a table: its name, its kind, and what is not obvious."""
    encoder = model.steps[0][1]
    if not isinstance(encoder, ColumnEncoder):
        return []
    return [{"name": column.name, "kind": column.called, "why": column.why} for column in encoder.columns_]


def notes_of(model: Pipeline, found: Examples | None = None) -> list[str]:
    """Sentences about columns that were dropped or filled, and where a cell stands that is no number among numbers."""
    columns, strange = getattr(model.steps[0][1], "columns_", []), []
    for column in columns:
        if column.first_strange is not None and found is not None and found.place_of is not None:
            row, value = column.first_strange
            place = found.place_of(row if found.places is None else int(found.places[row]))
            strange.append(
                f"The column {column.name!r} holds {column.called}s, except that {place} has {value[:60]!r}."
            )
    return [*strange, *notes_on(columns, keep_option)]


def score_columns(model: Pipeline, rows: Any) -> tuple[Array, list[Any]]:
    """The scores of rows, and the class that each column is about; two classes have one column, of the second."""
    scores = np.asarray(model.decision_function(rows))
    classes = [label.item() if isinstance(label, np.generic) else label for label in model.classes_]
    if scores.ndim == 1:
        return scores[:, None], classes[-1:]
    return scores, classes
