"""`evaluate`: how good a model is on the rows of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.estimators.classes import classes_of
from rosenblatt.plain import Figures
from rosenblatt.report import Summary, summarise
from rosenblatt.report.summary import class_named
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import check_number, reading, setting
from rosenblatt.verbs.examples import index_names
from rosenblatt.verbs.models import load_model, read_for, rows_for, unknown_counts, unknown_notes
from rosenblatt.verbs.pipelines import in_the_file
from rosenblatt.verbs.testing import check_known


@dataclass(frozen=True, eq=False)
class Evaluation(Figures):
    """The summary of a model on rows that are not its own, and remarks about these."""

    summary: Summary
    model: str
    data: str
    same_data: bool
    notes: list[str] = field(default_factory=list)


def evaluate(
    model: str,
    data: str | Sequence[str],
    target: str | int | None = None,
    *,
    positive: Any = None,
    top: int = 10,
    reading_options: ReadOptions | None = None,
) -> Evaluation:
    """Evaluate a model on the rows of a file that has the answers.

    Parameters
    ----------
    model : a model file, or "-" for standard input
    data : a file, several, a pattern, or "-" for standard input
    target : the column with the answers, where it is not named as in training
    positive : the class that precision and recall are about
    top : how many features to name
    reading_options : how to read the data

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt.verbs import export_dataset, train
    >>> folder = Path(tempfile.mkdtemp())
    >>> names = [str(folder / name) for name in ("train.csv", "test.csv", "wine.safetensors")]
    >>> for part, path in zip(("train", "test"), names):
    ...     _ = export_dataset("wine", path, part=part)
    >>> _ = train(names[0], "grower", out=names[2])
    >>> evaluate(names[2], names[1]).summary.accuracy.total
    45
    """
    check_number("--top", top, 1)
    saved = load_model(model)
    found = read_for(saved, data, target, reading_options, labelled=True, least=1, digest=True)
    classes = getattr(saved.learner, "classes_", None)
    if classes is not None:
        check_known(found, np.asarray(classes))
    if positive is not None:
        with setting(True):
            class_named(positive, classes_of(found.labels()).tolist())
    rows, notes = rows_for(saved, found)
    same = found.digest is not None and found.digest == saved.about.get("digest")
    with reading(found.name), in_the_file(found):
        summary = summarise(
            saved.model, rows, found.labels(), target=found.target, held_out=f"the rows of {found.name}", most=top,
            positive=positive if positive is not None else (saved.about.get("summary") or {}).get("positive"),
            feature_names=None if found.is_frame else index_names(rows.shape[1], saved.zero_based),
            rows_train=saved.about.get("learned_rows"),
        )  # fmt: skip
    notes = [*found.notes, *notes, *unknown_notes(saved, unknown_counts(saved))]
    if same:
        notes.append("This is the file that the model was trained on, which flatters it.")
    return Evaluation(summary, model, found.name, same, notes)
