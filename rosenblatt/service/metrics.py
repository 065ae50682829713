"""Figures for Prometheus, in its text format."""

from __future__ import annotations

from rosenblatt.service.models import Models
from rosenblatt.service.writer import Writer

#: name, type, what it is, and the figure of one model
FIGURES = (
    ("rosenblatt_examples_total", "counter", "Examples learned.", lambda w: w.served.examples),
    ("rosenblatt_mistakes_total", "counter", "Mistakes on examples before they were learned.",
     lambda w: w.served.mistakes),
    ("rosenblatt_skipped_total", "counter", "Examples beyond the range of floats.", lambda w: w.served.skipped),
    ("rosenblatt_predictions_total", "counter", "Predictions made since the start.", lambda w: w.predictions),
    ("rosenblatt_waiting_requests", "gauge", "Requests that wait to be made durable.", lambda w: w.waiting),
    ("rosenblatt_sequence_number", "gauge", "The newest entry that was learned.", lambda w: w.seq),
    ("rosenblatt_version", "gauge", "The newest version that was written.", lambda w: w.saved),
    ("rosenblatt_commits_total", "counter", "Groups of entries made durable since the start.", lambda w: w.commits),
    ("rosenblatt_commit_seconds_total", "counter", "Seconds spent on that.", lambda w: w.commit_seconds),
    ("rosenblatt_read_only", "gauge", "1 where nothing can be learned.", lambda w: int(bool(w.broken or w.read_only))),
)  # fmt: skip


def text(models: Models, refused: dict[int, int]) -> str:
    """All figures of all models, and the requests that were refused."""
    lines = []
    for name, kind, meaning, figure in FIGURES:
        lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
        writers: dict[str, Writer] = models.writers
        lines += [f'{name}{{model="{model}"}} {figure(writer)}' for model, writer in writers.items()]
    lines += ["# HELP rosenblatt_refused_total Requests that were refused.", "# TYPE rosenblatt_refused_total counter"]
    lines += [f'rosenblatt_refused_total{{status="{status}"}} {count}' for status, count in sorted(refused.items())]
    return "\n".join(lines) + "\n"
