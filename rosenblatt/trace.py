"""What happened in a run: one row per epoch, why it stopped, and every update if they were recorded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import shortened
from rosenblatt.stored import checked, choice, instance, items, mapping, maybe, number, optional, whole

Array = npt.NDArray[Any]

STOP_REASONS = {
    "converged": "converged",
    "max_iter": "max_iter reached",
    "no_improvement": "no improvement",
    "time_limit": "time limit reached",
    "callback": "stopped by on_epoch",
    "interrupted": "interrupted",
    "diverged": "weights diverged",
}


@dataclass(frozen=True)
class Epoch:
    """One epoch: updates made, mistakes met on the way, the length of the weights, seconds; errors if measured.

    Learners that minimise a loss also tell it, with its regulariser; `gap` bounds how far it is above the least one.
    Epochs that were gone through together have an equal share of their seconds. On a cluster an epoch is a round, and
    `bytes` are those of models and sums on their way.

    >>> row = Epoch(epoch=1, updates=3, mistakes=3, norm=2.0, seconds=0.1)
    >>> row.updates, row["mistakes"]
    (3, 3)
    """

    epoch: int
    updates: int
    mistakes: int
    norm: float
    seconds: float
    train_error: float | None = None
    test_error: float | None = None
    loss: float | None = None
    test_loss: float | None = None
    gap: float | None = None
    bytes: int | None = None

    def __getitem__(self, name: str) -> Any:
        if name not in COLUMNS:
            raise KeyError(f"An epoch has {', '.join(COLUMNS)}, but not {name!r}; ask for one of those.")
        return getattr(self, name)


COLUMNS = tuple(f.name for f in fields(Epoch))
OPTIONAL = ("train_error", "test_error", "loss", "test_loss", "gap", "bytes")
FORMATS = {
    "norm": "{:.4g}", "seconds": "{:.4f}", "train_error": "{:.2%}", "test_error": "{:.2%}",
    "loss": "{:.6g}", "test_loss": "{:.6g}", "gap": "{:.2g}", "bytes": "{:,}",
}  # fmt: skip


@dataclass
class Trace:
    """The epochs of a run, as arrays, as a frame, as a table.

    >>> trace = Trace([Epoch(1, 3, 3, 2.0, 0.1), Epoch(2, 0, 0, 2.0, 0.1)], "converged")
    >>> trace["updates"]
    array([3, 0])
    >>> trace.stop_reason
    'converged'
    """

    epochs: list[Epoch] = field(default_factory=list)
    stop_reason: str = ""
    updates: Any = None  # the engine's UpdateLog, where it was asked for
    note: str = ""  # how the run was made, where there is a choice
    mixed: Any = None  # of a mixture: the updates of every half-space in each round, as the mean over the partitions

    def __len__(self) -> int:
        return len(self.epochs)

    def __iter__(self) -> Iterator[Epoch]:
        return iter(self.epochs)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were measured."""
        return tuple(c for c in COLUMNS if c not in OPTIONAL or any(e[c] is not None for e in self.epochs))

    def __getitem__(self, name: str) -> Array:
        values = [epoch[name] for epoch in self.epochs]
        if name in OPTIONAL and any(value is not None for value in values):
            return np.array([np.nan if value is None else value for value in values])
        return np.array(values)

    def as_arrays(self) -> dict[str, Array]:
        return {name: self[name] for name in self.columns}

    def to_frame(self, library: str = "pandas") -> Any:
        """The rows as a pandas or polars frame."""
        if library not in ("pandas", "polars"):
            raise ValueError(f"library must be 'pandas' or 'polars', but got {shortened(library)}; choose one of them.")
        try:
            module = __import__(library)
        except ImportError as error:
            raise ImportError(
                f"A {library} frame needs {library}, which is not installed; run: pip install {library}"
                + (', or take to_frame("polars")' if library == "pandas" else "")
            ) from error
        return module.DataFrame(self.as_arrays())

    def cells(self) -> list[list[str]]:
        return [
            ["" if epoch[c] is None else FORMATS.get(c, "{}").format(epoch[c]) for c in self.columns]
            for epoch in self.epochs
        ]

    def ending(self) -> str:
        if not self.stop_reason:
            return ""
        ending = f"stopped: {STOP_REASONS[self.stop_reason]}"
        return f"{ending}\n{self.note}" if self.note else ending

    def __repr__(self) -> str:
        shown, skipped = self.cells(), 0
        if len(shown) > 20:
            skipped = len(shown) - 20
            shown = [*shown[:10], ["…"] * len(self.columns), *shown[-10:]]
        names = [c.replace("_", " ") for c in self.columns]
        widths = [max(len(r[j]) for r in [names, *shown]) for j in range(len(names))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in [names, *shown]]
        if skipped:
            lines.append(f"({skipped} epochs not shown)")
        return "\n".join([*lines, self.ending()]).rstrip()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(c.replace('_', ' '))}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in self.cells())
        return (
            f"<div style='max-height:24em;overflow:auto;display:inline-block'><table><thead><tr>{head}</tr>"
            f"</thead><tbody>{body}</tbody></table></div><p>{escape(self.ending())}</p>"
        )

    def to_state(self) -> dict[str, Any]:
        """For a model file; without the seconds, so that two equal trainings have equal files."""
        columns = {name: [_plain(epoch[name]) for epoch in self] for name in self.columns if name != "seconds"}
        return {"stop_reason": self.stop_reason, "columns": columns}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Trace:
        kinds = mapping(choice(*COLUMNS), items(optional(number)))
        checked("Trace", state, {"stop_reason": choice("", *STOP_REASONS), "columns": kinds})
        columns: dict[str, list[Any]] = {"seconds": [math.nan] * len(state["columns"].get("epoch", ()))}
        columns |= state["columns"]
        if len({len(column) for column in columns.values()}) != 1:
            raise ValueError("Trace: its columns differ in length")
        rows = zip(*columns.values(), strict=True)
        return cls([Epoch(**dict(zip(columns, row, strict=True))) for row in rows], state["stop_reason"])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


RUN = {  # what a fit leaves besides its weights, for model files
    "trace_": instance(Trace), "stop_reason_": choice("", *STOP_REASONS), "n_iter_": whole,
    "objective_": maybe(number), "best_iter_": maybe(whole),
}  # fmt: skip
