"""How far rows lie from the boundary, as a histogram, with the mistakes on the left of 0."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.arguments import numbers_in, shortened, whole_number, yes_or_no
from rosenblatt.engine.online.state import Array
from rosenblatt.features.anatomy import Anatomy, labels_of
from rosenblatt.plots.geometry import margins
from rosenblatt.plots.style import ACCENT, INK, POSITIVE, axes

MOST_BARS = 10_000


class MarginDisplay:
    """A histogram of margins: distances from the boundary, above 0 on the right side, below 0 (shaded) for mistakes.

    The unit is the geometric one: the score divided by the length of the weights, so that it is a distance in the
    space that the learner sees (behind a pipeline's scalers; for a kernel, the kernel's space). A model whose weights
    have no length (a vote, a network) is drawn in units of its score.

    Parameters
    ----------
    margins : array of shape (n_samples,)
    geometric : bool
        Whether they are distances.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import MarginDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> display = MarginDisplay.from_estimator(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> display.margins.round(2).tolist(), display.ax_.get_title()
    ([1.11, 0.55, 0.28, 0.28], '0 of 4 rows on the wrong side, nearest 0.277')
    """

    def __init__(self, margins: Any, *, geometric: bool = True) -> None:
        self.margins: Array = numbers_in("margins", margins, "a vector")
        yes_or_no(geometric=geometric)
        if self.margins.ndim != 1 or not len(self.margins):
            raise ValueError(
                f"There must be one margin for each row, but their shape is {self.margins.shape}; pass a vector."
            )
        self.geometric = geometric

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, bins: Any = None, ax: Any = None) -> Self:
        """The margins of these rows under a fitted classifier or pipeline.

        Parameters
        ----------
        estimator : a fitted classifier with ``decision_function``, or a Pipeline that ends with one
        X, y : rows and their labels
        bins : how many bars, about, or their edges; None goes by the number of rows
        ax : axes to draw in
        """
        anatomy = Anatomy(estimator)
        if not hasattr(estimator, "decision_function") or not hasattr(anatomy.learner, "classes_"):
            raise TypeError(
                f"Margins are about a classifier with decision_function, but {anatomy.name} has none; use one that "
                f"scores its classes."
            )
        found, geometric = margins(anatomy, X, labels_of(X, y))
        return cls(found, geometric=geometric).plot(ax, bins=bins)

    def plot(self, ax: Any = None, *, bins: Any = None) -> Self:
        from matplotlib.ticker import MaxNLocator

        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        found = self.margins[np.isfinite(self.margins)]
        edges = self._edges(found, bins)
        wrong = self.margins < 0
        low, high = float(edges[0]), float(edges[-1])
        beyond = not np.ndim(bins) and bool(((found < low) | (found > high)).any())
        found = np.clip(found, low, high) if beyond else found
        ax.hist(found[found >= 0], edges, color=ACCENT, alpha=0.85, label="right side")
        ax.hist(found[found < 0], edges, color=POSITIVE, alpha=0.85, label="wrong side", hatch="////", ec="white", lw=0)
        if low < 0:
            ax.axvspan(low, 0, color=POSITIVE, alpha=0.07, lw=0, zorder=0)
        ax.axvline(0, color=INK, lw=1.2)
        ax.set_xlim(low, high)
        unit = "distance from the boundary" if self.geometric else "score on the right side (no unit of length)"
        ax.set(xlabel=unit + (", rows beyond at the ends" if beyond else ""), ylabel="rows")
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        nearest = "" if not len(found) or wrong.any() else f", nearest {found.min():.3g}"
        ax.set_title(f"{wrong.sum():,} of {len(wrong):,} rows on the wrong side{nearest}", color=INK, fontsize=11)
        ax.legend(frameon=False)
        return self

    @staticmethod
    def _edges(found: Array, bins: Any) -> Array:
        """Edges of bins, one of which is 0: no bar mixes right and wrong."""
        if bins is None:
            bins = int(np.clip(2 * np.sqrt(len(found)), 8, 40))
        if np.ndim(bins):
            edges: Array = numbers_in("bins", bins, "rising edges")
            if edges.ndim != 1 or len(edges) < 2 or not np.isfinite(edges).all() or not (np.diff(edges) > 0).all():
                raise ValueError(f"The edges of bins must be finite and rise, but {shortened(bins)} came; sort them.")
            return edges
        whole_number("bins", bins, 1, "it is a number of bars, or their edges", most=MOST_BARS)
        # A few far rows must not squeeze all others into one bar: beyond three times the range of 98%, they are counted
        # in the first and last bar.
        near = np.quantile(found, [0.01, 0.99]) if len(found) else np.zeros(2)
        reach = 2.0 * (near[1] - near[0])
        least, most = float(found.min(initial=0.0)), float(found.max(initial=0.0))
        low, high = max(least, min(0.0, near[0] - reach)), min(most, max(0.0, near[1] + reach))
        low, high = min(low, -high / bins if least < 0 else 0.0), max(high, -low / bins if most > 0 else 0.0)
        width = (high - low) / bins or 1.0
        return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
