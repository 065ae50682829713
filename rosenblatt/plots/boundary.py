"""The regions of the classes in the plane of two features, with margin lines and support vectors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.arguments import whole_number
from rosenblatt.engine.online.state import Array
from rosenblatt.features.anatomy import Anatomy, labels_of
from rosenblatt.plots.style import CLASSES, INK, MARKERS, as_written, axes, entry
from rosenblatt.wording import short

MOST_PLACES = 5000  # along a side, where the learner is asked
SHOWN = 4000  # rows that are drawn
RINGED = 300  # support vectors that are ringed


class BoundaryDisplay:
    """What a classifier answers in every place of the plane, and the rows on top.

    Dashed lines are the margin: where an SVM's score is -1 and 1; for other linear models that get every row right,
    as far from the boundary as the nearest row. Rings are around support vectors (an SVM's rows on or inside the
    margin, a kernel perceptron's rows with a coefficient) or, for these others, around the nearest rows.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,)
    classes : the labels, in the model's order
    grid_x, grid_y : the places along the two axes
    regions : array of shape (len(grid_y), len(grid_x)) of the numbers of the answers
    scores : the scores at the same places, with a last axis over the classes if there are more than two; or None
    margin : the score at the margin's lines; or None
    rings : array of shape (n, 2)
    ringed : what the rows with a ring are called in the legend
    names : the names of the features

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> from rosenblatt.plots import BoundaryDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["out", "in", "in", "out"]
    >>> display = BoundaryDisplay.from_estimator(KernelPerceptron(shuffle=False).fit(X, y), X, y)
    >>> len(display.rings), [text.get_text() for text in display.ax_.get_legend().get_texts()]
    (4, ['in', 'out', 'support vectors'])
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        classes: Any,
        grid_x: Array,
        grid_y: Array,
        regions: Array,
        scores: Array | None = None,
        margin: float | None = None,
        rings: Array | None = None,
        ringed: str = "support vectors",
        names: tuple[str, str] = ("feature 0", "feature 1"),
    ) -> None:
        self.X, self.y, self.classes = np.asarray(X, np.float64), np.asarray(y), list(classes)
        self.grid_x, self.grid_y, self.regions, self.scores = grid_x, grid_y, regions, scores
        self.margin, self.names, self.ringed = margin, names, ringed
        self.rings = np.empty((0, 2)) if rings is None else rings

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, grid_resolution: int = 200, ax: Any = None) -> Self:
        """The regions of a fitted classifier or pipeline around these rows of two features."""
        anatomy = Anatomy(estimator)
        if not hasattr(anatomy.learner, "classes_"):
            raise TypeError(f"Regions are about a classifier, but {anatomy.name} has no classes; use a classifier.")
        whole_number("grid_resolution", grid_resolution, 2, "200 is a start", most=MOST_PLACES)
        labels = labels_of(X, y)
        points = _plane(X)
        low, high = points.min(axis=0), points.max(axis=0)
        pad = 0.08 * np.where(high > low, high - low, 1.0)
        grid_x, grid_y = (np.linspace(low[j] - pad[j], high[j] + pad[j], grid_resolution) for j in (0, 1))
        places = _like(X, np.stack(np.meshgrid(grid_x, grid_y), axis=-1).reshape(-1, 2))
        classes = np.asarray(anatomy.learner.classes_)
        shape = (len(grid_y), len(grid_x))
        regions = np.searchsorted(classes, np.asarray(estimator.predict(places))).reshape(shape)
        scores = None
        if hasattr(estimator, "decision_function"):
            found = np.asarray(estimator.decision_function(places), np.float64)
            scores = found.reshape(*shape, *found.shape[1:])
        margin, rings, ringed = _margin_and_rings(anatomy, X, points, labels, classes)
        names = tuple(map(str, getattr(X, "columns", ("feature 0", "feature 1"))))
        display = cls(
            points, labels, classes=classes, grid_x=grid_x, grid_y=grid_y, regions=regions, scores=scores,
            margin=margin, rings=rings, ringed=ringed, names=(names[0], names[1]),
        )  # fmt: skip
        return display.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        colours = [CLASSES[k % len(CLASSES)] for k in range(len(self.classes))]
        levels = np.arange(len(self.classes) + 1) - 0.5
        x, y = self.grid_x, self.grid_y
        ax.contourf(x, y, self.regions, levels=levels, colors=colours, alpha=0.14, zorder=0)
        self._lines(ax)
        step = max(1, len(self.X) // SHOWN)
        size = 26 if len(self.X) < 500 else 8
        for k, name in enumerate(self.classes):
            rows = self.X[::step][self.y[::step] == name]
            marker = MARKERS[k % len(MARKERS)]
            ax.scatter(*rows.T, s=size, c=colours[k], marker=marker, lw=0, alpha=0.85, label=entry(name), zorder=2)
        if len(self.rings):
            shown = self.rings[:: max(1, len(self.rings) // RINGED)]
            ax.scatter(*shown.T, s=3 * size, facecolors="none", edgecolors=INK, lw=0.8, label=self.ringed, zorder=3)
        ax.set(xlabel=short(self.names[0]), ylabel=short(self.names[1]), xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        legend = ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        for handle in legend.legend_handles:
            handle.set_sizes([36])  # points may be too small to tell their colour
        as_written(ax)
        return self

    def _lines(self, ax: Any) -> None:
        """The boundary where scores are known, else the edges of the regions; and the margin."""
        x, y, scores = self.grid_x, self.grid_y, self.scores
        boundary = {"colors": [INK], "linewidths": 1.5, "zorder": 1}
        present = np.unique(self.regions)
        if len(present) < 2:
            return
        if scores is None:
            for k in present:
                ax.contour(x, y, self.regions == k, levels=[0.5], **boundary)
        elif scores.ndim == 2:
            ax.contour(x, y, scores, levels=[0], **boundary)
            if self.margin is not None and self.margin > 0:
                dashed = boundary | {"linewidths": 0.9, "linestyles": "dashed"}
                ax.contour(x, y, scores, levels=[-self.margin, self.margin], **dashed)
        else:
            for k in present:
                ahead = scores[..., k] - np.delete(scores, k, axis=-1).max(axis=-1)
                ax.contour(x, y, ahead, levels=[0], **boundary | {"linewidths": 1.1})


def _plane(X: Any) -> Array:
    points = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"The picture is of rows of 2 features, but X has shape {points.shape}; choose two columns and fit on them."
        )
    return np.asarray(points, np.float64)


def _like(X: Any, points: Array) -> Any:
    """The points as a frame with the columns of X, where X is one."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return points
    return type(X)({name: points[:, j] for j, name in enumerate(columns)})


def _margin_and_rings(
    anatomy: Anatomy, X: Any, points: Array, labels: Array, classes: Array
) -> tuple[float | None, Array | None, str]:
    learner, support = anatomy.learner, "support vectors"
    if hasattr(learner, "dual_coef_") and hasattr(learner, "support_vectors_"):
        return None, _back(anatomy, learner.support_vectors_), support
    if len(classes) != 2 or not hasattr(learner, "coef_"):
        return None, None, support
    scores = np.asarray(anatomy.model.decision_function(X), np.float64)
    signed = np.where(labels == classes[1], scores, -scores)
    if type(learner).__name__ in ("LinearSVM", "LinearSVC"):
        return 1.0, points[signed <= 1 + 1e-3], support
    if signed.min() <= 0:
        return None, None, support
    margin = float(signed.min())
    nearest = points[signed <= margin * (1 + 1e-9)]
    return margin, nearest, "nearest row" if len(nearest) == 1 else "nearest rows"


def _back(anatomy: Anatomy, rows: Any) -> Array | None:
    """The way back through scalers to the plane; None where there is none."""
    rows = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
    for _, step in reversed(anatomy.steps):
        if not hasattr(step, "inverse_transform"):
            return None
        rows = step.inverse_transform(rows)
    return rows if rows.ndim == 2 and rows.shape[1] == 2 else None
