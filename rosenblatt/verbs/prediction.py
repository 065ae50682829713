"""`predict`: the answers of a model for the rows of a file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.blocks import Blocks, blocks_for
from rosenblatt.verbs.errors import UsageError, check_number, reading
from rosenblatt.verbs.examples import Examples
from rosenblatt.verbs.models import (
    SavedModel,
    load_model,
    rows_for,
    unknown_counts,
    unknown_notes,
)
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.pipelines import in_the_file, score_columns, seen
from rosenblatt.verbs.tables import TextStyle, check_table, format_of, table_writer
from rosenblatt.wording import shortened

if TYPE_CHECKING:
    import polars

COLUMN = "prediction"
MOST_COUNTED = 1000  # different answers that are counted


@dataclass(frozen=True, eq=False)
class Predictions:
    """The answers, in the order of the rows.

    Attributes
    ----------
    table : the rows with the columns that were added, or these alone; None where they went to a file
    answers : the predictions; None where they went to a file
    rows : how many rows were answered
    counts : how often each answer was given
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
    so are the results written, so that memory does not grow with it.

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
        check_table(out, to, "--to")  # refused before the work, not after it
        check_outputs({"The predictions": out}, files_of(model, data))
    saved = load_model(model)
    as_written = out is not None and not only and format_of(out, to) in ("csv", "tsv")
    blocks = blocks_for(saved, data, reading_options, as_written=as_written)
    asked = _Asked(saved, blocks, only=only, scores=scores, probabilities=probabilities, threshold=threshold)
    asked.check()
    table = answers = None
    if out is None:
        table = _joined(list(asked.tables()))
        answers = np.concatenate(asked.answers)
    else:
        bare = out == "-" and only and not (scores or probabilities) and format_of(out, to) == "csv"
        tables = asked.tables(keep=False)
        first = next(tables)  # what the file looks like is known for sure when it has been read
        style = TextStyle() if bare else TextStyle.like(blocks.dialect(), out, to)
        with table_writer(out, to, heading=not bare, style=style) as add:
            for block in itertools.chain([first], tables):
                add(block)
    return Predictions(table, answers, asked.rows, asked.counts(), out, asked.notes())


@dataclass(eq=False)
class _Asked:
    """A model that is asked about blocks of rows, and what is kept of its answers."""

    saved: SavedModel
    blocks: Blocks
    only: bool
    scores: bool
    probabilities: bool
    threshold: float | None = None
    rows: int = 0
    answers: list[Any] = field(default_factory=list)
    counted: Counter[Any] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Refuse what the model cannot answer, before anything is read."""
        learner = self.saved.learner
        name, classes = type(learner).__name__, getattr(learner, "classes_", ())
        if self.scores and not hasattr(learner, "decision_function"):
            raise UsageError(f"--scores needs a classifier, but the model is a {name}.")
        if self.probabilities and not hasattr(learner, "predict_proba"):
            raise UsageError(
                f"A {name} has no probabilities; train with --learner logistic or discriminant, or use --scores."
            )
        if self.threshold is not None:
            if len(classes) != 2 or not hasattr(learner, "decision_function"):
                raise UsageError("--threshold needs a model of two classes.")
            if hasattr(learner, "predict_proba"):
                check_number("--threshold", self.threshold, 0, 1)

    def _answers(self, learner: Pipeline, values: Any) -> Any:
        if self.threshold is None:
            return np.asarray(learner.predict(values))
        if hasattr(learner, "predict_proba"):
            second = np.asarray(learner.predict_proba(values))[:, 1]
        else:
            second = score_columns(learner, values)[0][:, 0]
        return np.asarray(learner.classes_)[(second >= self.threshold).astype(int)]

    def tables(self, *, keep: bool = True) -> Iterator[polars.DataFrame]:
        """The rows with the columns that are added, block by block."""
        learner = Pipeline(self.saved.model.steps[-1:])
        for block in self.blocks:
            rows, notes = rows_for(self.saved, block)
            with reading(block.name), in_the_file(block):
                values = seen(self.saved.model, rows)
                answers = self._answers(learner, values)
                added = {COLUMN: answers, **_further(learner, values, self.scores, self.probabilities)}
            self.rows += len(answers)
            self.said += [note for note in notes if note not in self.said]
            self.unknown.update(unknown_counts(self.saved))
            if len(self.counted) <= MOST_COUNTED:
                names, counts = np.unique(answers, return_counts=True)
                self.counted.update(dict(zip(names.tolist(), counts.tolist(), strict=True)))
            if keep:
                self.answers.append(answers)
            table = _table(block, added, self.only)
            self._say_where(table)
            yield table

    def _say_where(self, table: polars.DataFrame) -> None:
        """The file may have a column of that name already, which stays as it is."""
        name = next(name for name in reversed(table.columns) if name.rstrip("_") == COLUMN)
        note = f"The file has a column {COLUMN!r} of its own, which is kept; the answers are in {shortened(name)}."
        if name != COLUMN and note not in self.said:
            self.said.append(note)

    def counts(self) -> dict[str, int]:
        """How often each answer was given; nothing where there are too many different ones."""
        if len(self.counted) > MOST_COUNTED:
            return {}
        return {str(name): count for name, count in sorted(self.counted.items())}

    def notes(self) -> list[str]:
        self.unknown.update(self.blocks.strange)
        return [*self.blocks.notes, *self.said, *unknown_notes(self.saved, dict(self.unknown))]


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


def _joined(tables: list[polars.DataFrame]) -> polars.DataFrame:
    import polars

    return tables[0] if len(tables) == 1 else polars.concat(tables)


def _table(found: Examples, added: dict[str, Any], only: bool) -> polars.DataFrame:
    import polars

    frame = found.given if found.given is not None and not only else polars.DataFrame()
    for name, values in added.items():
        while name in frame.columns:
            name += "_"
        frame = frame.with_columns(polars.Series(name, values)) if frame.width else polars.DataFrame({name: values})
    return frame
