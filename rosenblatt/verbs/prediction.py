"""`predict`: the answers of a model for the rows of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars
from sklearn.pipeline import Pipeline

from rosenblatt.sources import ReadOptions, Source
from rosenblatt.verbs.blocks import blocks_of, rows_of_width
from rosenblatt.verbs.errors import UsageError, check_number, reading
from rosenblatt.verbs.examples import Examples, Roles, examples_of
from rosenblatt.verbs.models import SavedModel, load_model, open_for, rows_for, unknown_counts, unknown_notes
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.pipelines import in_the_file, score_columns, seen
from rosenblatt.verbs.tables import check_table, format_of, table_writer

COLUMN = "prediction"


@dataclass(frozen=True, eq=False)
class Predictions:
    """The answers, in the order of the rows.

    Attributes
    ----------
    table : the rows with the columns that were added, or these alone; None where they went to a file
    answers : the predictions; None where they went to a file
    rows : how many rows were answered
    counts : how often each class was given as the answer
    path : the file that was written, or None
    notes : remarks about columns and categories
    """

    table: polars.DataFrame | None
    answers: Any
    rows: int
    counts: dict[str, int]
    path: str | None = None
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "counts": self.counts, "out": self.path, "notes": self.notes}


def predict(
    model: str,
    data: str | Sequence[str],
    *,
    out: str | None = None,
    only: bool = False,
    scores: bool = False,
    probabilities: bool = False,
    threshold: float | None = None,
    reading_options: ReadOptions | None = None,
    to: str | None = None,
) -> Predictions:
    """Answer every row of a file: its rows and columns as they were, and a column `prediction` after them.

    The order of the columns does not matter, unless the model was trained on a file without a header: then a file
    without one is read by position, with or without the target's column. A large file is answered block by block, and
    text is written as it comes, so that memory does not grow with it.

    Parameters
    ----------
    model : a model file, or "-" for standard input
    data : a file, several, a pattern, or "-" for standard input
    out : the file to write, "-" for standard output
    only : the predictions alone, without the rows; on standard output one a line, without a heading
    scores, probabilities : further columns; only learners with probabilities have these
    threshold : of two classes, the second is the answer from this probability on (this score, for learners without
        probabilities)
    reading_options : how to read the data
    to : the format to write, where the ending of `out` does not say it

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt.verbs import export_dataset, train
    >>> folder = Path(tempfile.mkdtemp())
    >>> data, model = str(folder / "iris.csv"), str(folder / "iris.safetensors")
    >>> _ = export_dataset("iris", data)
    >>> _ = train(data, "species", out=model)
    >>> predict(model, data, only=True).table.head(2)["prediction"].to_list()
    ['versicolor', 'setosa']
    """
    if model == "-" and "-" in ([data] if isinstance(data, str) else data):
        raise UsageError("Model and data cannot both come from standard input.")
    if out is not None:
        check_table(out, to)  # refused before the work, not after it
        check_outputs({"The predictions": out}, files_of(model, data))
    saved = load_model(model)
    asked = _Asked(saved, *open_for(saved, data, reading_options), only, scores, probabilities, threshold)
    asked.check()
    if out is None:
        tables = list(asked.tables())
        table = polars.concat(tables)
        return Predictions(table, table[asked.column].to_numpy(), asked.rows, asked.counts(), None, asked.notes())
    bare = out == "-" and only and not (scores or probabilities) and format_of(out, to) == "csv"
    with table_writer(out, to, heading=not bare) as add:
        for block in asked.tables():
            add(block)
    return Predictions(None, None, asked.rows, asked.counts(), out, asked.notes())


@dataclass(eq=False)
class _Asked:
    """A model that is asked about the rows of a source, and what is kept of its answers."""

    saved: SavedModel
    source: Source
    rename: dict[str, str] | None
    only: bool
    scores: bool
    probabilities: bool
    threshold: float | None
    rows: int = 0
    column: str = COLUMN
    counted: Counter[Any] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Refuse what the model cannot answer, before anything is read."""
        learner = self.saved.learner
        name, scored = type(learner).__name__, hasattr(learner, "decision_function")
        if self.scores and not scored:
            raise UsageError(f"--scores needs a classifier, but the model is a {name}.")
        if self.probabilities and not hasattr(learner, "predict_proba"):
            raise UsageError(
                f"A {name} has no probabilities; train with --learner logistic or discriminant, or use --scores."
            )
        if self.threshold is not None and (len(getattr(learner, "classes_", ())) != 2 or not scored):
            raise UsageError("--threshold needs a model of two classes.")
        if hasattr(learner, "predict_proba"):
            check_number("--threshold", self.threshold, 0, 1)

    def tables(self) -> Iterator[polars.DataFrame]:
        """The rows with the columns that are added, block by block."""
        first = self.saved.model.steps[0][1]
        width = int(getattr(self.saved.learner, "n_features_in_", 1))
        if getattr(first, "sparse_", False):
            width = len(first.columns_)
        for content in blocks_of(self.source, rows_of_width(width)):
            given = content.rename(self.rename) if self.rename else content
            table = self._answered(given)
            self.rows += table.height
            yield table

    def _answered(self, given: Any) -> polars.DataFrame:
        block = self._examples(given)
        rows, notes = rows_for(self.saved, block)
        learner = Pipeline(self.saved.model.steps[-1:])
        with reading(block.name), in_the_file(block):
            values = seen(self.saved.model, rows)
            answers = self._answers(learner, values)
            added = {COLUMN: answers, **_further(learner, values, self.scores, self.probabilities)}
        self.remarks += notes
        self.unknown.update(unknown_counts(self.saved))
        if hasattr(self.saved.learner, "classes_"):
            self.counted.update(answers.tolist())
        return self._table(polars.DataFrame() if self.only or not block.is_frame else given, added)

    def _examples(self, given: Any) -> Examples:
        if self.source.kind == "matrix":
            block = examples_of(self.source, given, Roles(), labelled=False, before=self.rows)
        else:
            rows = given if self.saved.target is None else given.drop(self.saved.target, strict=False)
            block = Examples(rows, name=self.source.name, format=self.source.format, place_of=self.source.place_of)
        return replace(block, places=np.arange(self.rows, self.rows + len(block)))

    def _answers(self, learner: Pipeline, values: Any) -> Any:
        if self.threshold is None:
            return np.asarray(learner.predict(values))
        if hasattr(learner, "predict_proba"):
            second = np.asarray(learner.predict_proba(values))[:, 1]
        else:
            second = score_columns(learner, values)[0][:, 0]
        return np.asarray(learner.classes_)[(second >= self.threshold).astype(int)]

    def _table(self, frame: polars.DataFrame, added: dict[str, Any]) -> polars.DataFrame:
        """A table with further columns; the file may have one of that name already, which stays as it is."""
        names = list(added)
        while set(names) & set(frame.columns):
            names = [f"{name}_" for name in names]
        self.column = names[0]
        columns = [polars.Series(name, values) for name, values in zip(names, added.values(), strict=True)]
        return frame.hstack(columns) if frame.width else polars.DataFrame(columns)

    def counts(self) -> dict[str, int]:
        """How often each class was given as the answer."""
        return {str(name): count for name, count in sorted(self.counted.items())}

    def notes(self) -> list[str]:
        return [*dict.fromkeys([*self.source.notes, *self.remarks]), *unknown_notes(self.saved, dict(self.unknown))]


def _further(learner: Pipeline, rows: Any, scores: bool, probabilities: bool) -> dict[str, Any]:
    """Columns of scores and probabilities, named after their classes."""
    added: dict[str, Any] = {}
    if scores:
        values, classes = score_columns(learner, rows)
        added |= {f"score_{label}": values[:, k] for k, label in enumerate(classes)}
    if probabilities:
        values = np.asarray(learner.predict_proba(rows))
        added |= {f"probability_{label}": values[:, k] for k, label in enumerate(learner.classes_.tolist())}
    return added
