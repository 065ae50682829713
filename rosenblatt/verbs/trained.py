"""What `train` found, and what is kept of it: the model file with what it says of itself, and the report."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sklearn.pipeline import Pipeline

from rosenblatt.interrupts import postponed, pressed
from rosenblatt.report import Summary
from rosenblatt.verbs.errors import writing
from rosenblatt.verbs.examples import Examples
from rosenblatt.verbs.judging import Judge, is_interrupted
from rosenblatt.verbs.models import save_model

KEPT = ("accuracy", "baseline", "regression", "classes", "rows_test", "positive")  # figures for the model file


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` did.

    Attributes
    ----------
    model : a fitted scikit-learn Pipeline, from the columns of the file to the answer
    summary : how good it is, against what, what drives it, and what to try next
    learner : the name of the learner, as the command line knows it
    searched : a frame of the settings that were tried, or None
    path, report : the files that were written, or None
    columns : what became of each column: (name, kind, what is not obvious)
    notes : sentences about what was assumed
    seconds : how long reading, learning and judging took
    about : what the model file says about where the model comes from
    interrupted : whether Ctrl-C was pressed; the notes say what it ended
    """

    model: Pipeline
    summary: Summary
    learner: str
    about: dict[str, Any]
    columns: list[tuple[str, str, str]]
    searched: Any = None
    path: str | None = None
    report: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def learned_in_part(self) -> bool:
        """Whether Ctrl-C ended the learning; the model is what was learned until then."""
        return self.summary.stop_reason == "interrupted"

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.path,
            "report": self.report,
            "learner": self.learner,
            "summary": self.summary.to_dict(),
            "searched": None if self.searched is None else self.searched.to_dicts(),
            "columns": [{"name": name, "kind": kind, "why": why} for name, kind, why in self.columns],
            "data": {key: self.about[key] for key in ("source", "digest", "target", "rows")},
            "notes": self.notes,
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


def about_model(
    found: Examples,
    learned: Examples,
    summary: Summary,
    name: str,
    told: str,
    seed: int,
    share: float,
    columns: list[tuple[str, str, str]],
) -> dict[str, Any]:
    """What the model file says about where the model comes from."""
    judged = summary.to_dict()
    return {
        "target": found.target,
        "learner": name,
        "source": found.name,
        "format": found.format,
        "zero_based": found.zero_based,
        "digest": found.digest,
        "learned_rows": len(learned),
        "held_out": told,
        "seed": seed,
        "split": {"share": share},
        "weighted": learned.weights is not None,
        "left_out": list(found.left_out),
        "columns": [{"name": name, "kind": kind} for name, kind, _ in columns],
        "image_shape": None if found.image_shape is None else list(found.image_shape),
        "summary": {key: judged[key] for key in KEPT},
        "drivers": judged["drivers"]["top"],
    }


def keep_model(
    model: Pipeline,
    summary: Summary,
    learned: Examples,
    tested: Examples | None,
    about: dict[str, Any],
    out: str | None,
    report: str | None,
    command: str | None,
    judge: Judge,
    ended: list[str],
) -> str | None:
    """Write the model and the page about it, whatever Ctrl-C ended before; where the page is, if it was written."""
    if judge.briefly:
        ended.append("Ctrl-C ended the judging: nothing else was tried; the model itself is whole.")
    if out is not None:
        with postponed():
            save_model(model, out, about)
    if report is not None:
        try:
            _write_report(report, model, summary, learned, tested, about | {"model": out, "command": command})
        except KeyboardInterrupt:
            ended.append("Ctrl-C ended the report, which is not written; the model itself is whole.")
            report = None
    if pressed() and not ended and not is_interrupted(model):
        ended.append("Ctrl-C came when the learning was done; the model is whole.")
    return report


def _write_report(
    path: str, model: Pipeline, summary: Summary, learned: Examples, tested: Examples | None, about: dict[str, Any]
) -> None:
    from rosenblatt.report import write_report

    judged = tested or learned
    with writing(path):
        write_report(
            path,
            model,
            summary,
            judged.rows,
            judged.labels(),
            X_train=learned.rows,
            y_train=learned.labels(),
            about=about,
            image_shape=learned.image_shape,
        )


class Clock:
    """Seconds between notes, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now
