"""`predict`: the answers of a model for the rows of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.verbs.errors import UsageError, reading
from rosenblatt.verbs.examples import Examples
from rosenblatt.verbs.models import SavedModel, load_model, read_for, rows_for, unknown_notes
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.pipelines import score_columns
from rosenblatt.verbs.tables import deliver, format_of, write_table

if TYPE_CHECKING:
    import polars

COLUMN = "prediction"


@dataclass(frozen=True, eq=False)
class Predictions:
    """The answers, in the order of the rows.

    Attributes
    ----------
    table : the rows with the columns that were added, or these alone
    answers : the predictions
    counts : how often each answer was given
    path : the file that was written, or None
    notes : remarks about columns and categories
    """

    table: polars.DataFrame
    answers: Any
    counts: dict[str, int]
    path: str | None = None
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {"rows": len(self.answers), "counts": self.counts, "out": self.path, "notes": self.notes}


def predict(
    model: str,
    data: str | Sequence[str],
    *,
    out: str | None = None,
    only: bool = False,
    scores: bool = False,
    probabilities: bool = False,
    header: bool | None = None,
    encoding: str | None = None,
    format: str | None = None,
    to: str | None = None,
) -> Predictions:
    """Answer every row of a file: its rows and columns as they were, and a column `prediction` after them.

    The order of the columns does not matter, unless the model was trained on a file without a header: then a file
    without one is read by position, with or without the target's column.

    Parameters
    ----------
    model : a model file, or "-" for standard input
    data : a file, several, a pattern, or "-" for standard input
    out : the file to write, "-" for standard output
    only : the predictions alone, without the rows; on standard output one a line, without a heading
    scores, probabilities : further columns; only learners with probabilities have these
    header, encoding, format : of the data
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
        raise UsageError("Model and data cannot both come from standard input; name a file for one of them.")
    if out is not None:
        format_of(out, to)  # refused before the work, not after it
        check_outputs({"The predictions": out}, files_of(model, data))
    saved = load_model(model)
    found = read_for(saved, data, labelled=False, header=header, encoding=encoding, format=format)
    rows, notes = rows_for(saved, found)
    with reading(found.name):
        answers = np.asarray(saved.model.predict(rows))
        added = {COLUMN: answers, **_further(saved, rows, scores, probabilities)}
    table = _table(found, added, only)
    if out == "-" and only and table.width == 1 and format_of(out, to) == "csv":
        deliver(out, "".join(f"{answer}\n" for answer in answers.tolist()).encode())
    elif out is not None:
        write_table(out, table, to)
    names, counts = np.unique(answers, return_counts=True)
    counted = {str(name): int(count) for name, count in zip(names.tolist(), counts.tolist(), strict=True)}
    notes = [*found.notes, *notes, *unknown_notes(saved)]
    return Predictions(table, answers, counted if len(counted) <= 1000 else {}, out, notes)


def _further(saved: SavedModel, rows: Any, scores: bool, probabilities: bool) -> dict[str, Any]:
    """Columns of scores and probabilities, named after their classes."""
    added: dict[str, Any] = {}
    name = type(saved.learner).__name__
    if scores:
        if not hasattr(saved.model, "decision_function"):
            raise UsageError(f"Scores must come from a classifier, but the model is a {name}; leave out --scores.")
        values, classes = score_columns(saved.model, rows)
        added |= {f"score_{label}": values[:, k] for k, label in enumerate(classes)}
    if probabilities:
        if not hasattr(saved.model, "predict_proba"):
            raise UsageError(
                f"Probabilities must come from a learner that has them, but the model is a {name}; "
                f"train with --learner logistic or discriminant, or use --scores."
            )
        values = np.asarray(saved.model.predict_proba(rows))
        added |= {f"probability_{label}": values[:, k] for k, label in enumerate(saved.model.classes_.tolist())}
    return added


def _table(found: Examples, added: dict[str, Any], only: bool) -> polars.DataFrame:
    import polars

    frame = found.given if found.is_frame and not only else polars.DataFrame()
    for name, values in added.items():
        while name in frame.columns:
            name += "_"
        frame = frame.with_columns(polars.Series(name, values)) if frame.width else polars.DataFrame({name: values})
    return frame
