"""The epochs of a run, drawn: what was still wrong, and how much was still changed."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.features.anatomy import learner_of
from rosenblatt.plots.style import INK, NEGATIVE, POSITIVE, QUIET, axes
from rosenblatt.trace import STOP_REASONS, Trace
from rosenblatt.wording import counted

LINES = {
    "test_error": ("held-out error", POSITIVE, "-"),
    "train_error": ("training error", NEGATIVE, "-"),
    "test_loss": ("held-out loss", POSITIVE, "-"),
    "loss": ("training loss", NEGATIVE, "-"),
    "mistakes": ("mistakes on the way", POSITIVE, "-"),
    "updates": ("updates", NEGATIVE, (0, (4, 2))),
}


class TraceDisplay:
    """Errors and updates per epoch.

    Where errors (or losses) were measured they are lines, and the updates are grey bars with a scale at the right
    (unless every epoch of a minimisation has the same number); otherwise the mistakes met on the way and the updates
    are lines.

    Parameters
    ----------
    trace : Trace
        The ``trace_`` of a fitted learner.

    Attributes
    ----------
    ax_, figure_ : the axes and their figure; `updates_ax_` has the bars, or is None

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import TraceDisplay
    >>> model = Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> display = TraceDisplay.from_estimator(model)
    >>> display.ax_.get_title()
    'stopped after 9 epochs: converged'
    """

    def __init__(self, trace: Trace) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(f"This is the picture of a Trace, but got {type(trace).__name__}; pass fitted.trace_.")
        if not len(trace):
            raise ValueError("A trace must have an epoch to be drawn, but this has none; fit the learner with fit.")
        self.trace = trace

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """The run of a fitted learner, or of the one at the end of a pipeline."""
        learner = learner_of(estimator)
        if not hasattr(learner, "trace_"):
            raise TypeError(
                f"The learner must keep a trace_ of its epochs, but {type(learner).__name__} has none; fit it first, "
                f"or use a learner that counts epochs, like Perceptron."
            )
        return cls(learner.trace_).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_, self.updates_ax_ = ax.figure, None
        trace, epochs = self.trace, self.trace["epoch"]
        shown = self._measured("test_error", "train_error") or self._measured("test_loss", "loss")
        if shown:
            self._bars(epochs)
        else:
            shown = [name for name in ("mistakes", "updates") if trace[name].any()] or ["mistakes"]
            if np.array_equal(trace["updates"], trace["mistakes"]):
                shown = ["mistakes"]
        for name in shown:
            label, colour, dashes = LINES[name]
            there = np.isfinite(trace[name].astype(np.float64))  # some learners measure now and then
            marker = "o" if there.sum() <= 40 else None
            ax.plot(
                epochs[there],
                trace[name][there],
                color=colour,
                ls=dashes,
                lw=1.8,
                marker=marker,
                ms=4,
                label=label,
                zorder=3,
            )
        self._scales(shown, epochs)
        return self

    def _measured(self, *names: str) -> list[str]:
        """Those of these columns that were measured at least twice, or in every epoch."""
        found = [name for name in names if name in self.trace.columns]
        return [n for n in found if np.isfinite(self.trace[n].astype(np.float64)).sum() >= min(2, len(self.trace))]

    def _scales(self, shown: list[str], epochs: Array) -> None:
        ax = self.ax_
        from matplotlib.ticker import MaxNLocator, PercentFormatter

        name = "error" if shown[0].endswith("error") else "loss" if shown[0].endswith("loss") else "rows"
        if name == "error":
            ax.yaxis.set_major_formatter(PercentFormatter(1.0))
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        if name != "loss":
            ax.set_ylim(bottom=0)
        count = len(epochs)
        reason = STOP_REASONS.get(self.trace.stop_reason, "")
        title = f"stopped after {counted(count, 'epoch')}: {reason}" if reason else counted(count, "epoch")
        ax.set(xlabel="epoch", ylabel=name if name != "rows" else "count per epoch")
        ax.set_title(title, color=INK, fontsize=11)
        handles, labels = ax.get_legend_handles_labels()
        if self.updates_ax_ is not None:
            more = self.updates_ax_.get_legend_handles_labels()
            handles, labels = handles + more[0], labels + more[1]
        ax.legend(handles, labels, frameon=False)

    def _bars(self, epochs: Array) -> None:
        updates = self.trace["updates"]
        every_row = "loss" in self.trace.columns and len(updates) > 1 and len(set(updates.tolist())) == 1
        if not updates.any() or every_row:  # a step for every row in every epoch: bars of one height say nothing
            return
        self.updates_ax_ = behind = self.ax_.twinx()
        behind.bar(epochs, updates, width=0.8, color=QUIET, alpha=0.3, lw=0, label="updates")
        behind.spines[["top", "left"]].set_visible(False)
        behind.spines["right"].set_color(QUIET)
        behind.tick_params(colors=QUIET)
        behind.set_ylabel("updates", color=QUIET)
        behind.set_ylim(top=1.15 * updates.max())
        self.ax_.set_zorder(behind.get_zorder() + 1)
        self.ax_.patch.set_visible(False)
