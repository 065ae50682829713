"""Pictures for elsewhere: the screen as SVG or PNG, and a run as an animated GIF, by matplotlib alone."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.lab.history import Run, grid, scores_at
from rosenblatt.lab.proof import Proof
from rosenblatt.lab.sets import Data
from rosenblatt.plots.style import ACCENT, NEGATIVE, POSITIVE

View = tuple[float, float, float, float]
GIF_FRAMES = 40
PAPER = {False: ("#ffffff", "#222222"), True: ("#16181d", "#e8e8e8")}
WITNESS = "#CC79A7"  # around the points of a certificate; rings are for support vectors
POINT = 0.72  # of a printer, for a pixel of the page
PLAIN = ("−1", "+1")


class Screen:
    """What is drawn, and how: the same for every frame."""

    def __init__(
        self, data: Data, runs: list[Run], view: View, proofs: Sequence[Proof] = (), dark: bool = False,
        sizes: bool = True,
    ) -> None:  # fmt: skip
        self.data, self.runs, self.view, self.dark, self.sizes = data, runs, view, dark, sizes
        self.proofs = [*proofs, *[None] * len(runs)][: len(runs)]
        self.paper, self.ink = PAPER[dark]

    def figure(self, frame: int, inches: float, dpi: int) -> Any:
        """All learners at one frame; under those that learn from images, their weights as an image."""
        from matplotlib.figure import Figure

        lines, n = 2 if self.data.shape else 1, len(self.runs)
        figure = Figure((inches * n, inches * lines), layout="constrained", facecolor=self.paper, dpi=dpi)
        for place, (run, proof) in enumerate(zip(self.runs, self.proofs, strict=True), start=1):
            k = min(frame, run.frames - 1)
            self.draw(figure.add_subplot(lines, n, place), run, k, proof)
            if lines == 2 and run.weights is not None:
                self.weights(figure.add_subplot(lines, n, n + place), run, k)
        return figure

    def weights(self, ax: Any, run: Run, frame: int) -> None:
        assert run.weights is not None and self.data.shape is not None
        values = run.weights[frame, :-1].reshape(self.data.shape)
        most = float(np.abs(values).max()) or 1.0
        ax.imshow(values, cmap=_colours(NEGATIVE, "#f7f7f7", POSITIVE), vmin=-most, vmax=most)
        minus, plus = self.data.classes
        ax.set_title(f"The weights: orange for {plus}, blue for {minus}", color=self.ink, fontsize=10)
        ax.set_axis_off()

    def draw(self, ax: Any, run: Run, frame: int, proof: Proof | None = None) -> None:
        """One learner at one frame."""
        data, view, ink = self.data, self.view, self.ink
        ax.set(xlim=view[:2], ylim=view[2:], facecolor=self.paper)
        ax.set_xlabel(data.axes[0], color=ink)
        ax.set_ylabel(data.axes[1], color=ink)
        ax.tick_params(colors=ink)
        for spine in ax.spines.values():
            spine.set_color(ink)
        noun = "update" if run.kind == "updates" else "epoch"
        step = "" if run.kind == "once" else f", {noun} {int(run.numbers[frame]):,}"
        ax.set_title(f"{run.choice.learner.title}{step}", color=ink, fontsize=11)
        self._regions(ax, run, frame)
        if data.flat and run.weights is not None and run.weights[frame, :2].any():
            self._lines(ax, run, frame)
        if data.flat and run.stages:
            below = run.stages[frame].below_
            for unit in np.column_stack([below.weights_, below.bias_]):
                _line(ax, unit, 0.0, self.view, color=ACCENT, linewidth=1.3)
        if proof is not None:
            self._hulls(ax, proof)
        size = self._points(ax, run, frame, proof)
        self._marks(ax, run, frame, size, proof)
        if data.classes != PLAIN:
            ax.legend(loc="upper right", fontsize=8, facecolor=self.paper, edgecolor=ink, labelcolor=ink)

    def _regions(self, ax: Any, run: Run, frame: int) -> None:
        scores = _scores(self.data, run, frame, self.view)
        if scores is None:
            return
        side = round(len(scores) ** 0.5)
        x, y = (grid(self.view, side)[:, j].reshape(side, side) for j in (0, 1))
        table = scores.reshape(side, side)
        if run.weights is None and table.min() < 0 <= table.max():
            ax.contour(x, y, table, levels=[0.0], colors=[self.ink], linewidths=1.6)
        ax.pcolormesh(x, y, np.where(table >= 0, 1.0, 0.0), cmap=_colours(NEGATIVE, POSITIVE), vmin=0, vmax=1,
                      alpha=0.16, shading="nearest", rasterized=True)  # fmt: skip

    def _lines(self, ax: Any, run: Run, frame: int) -> None:
        """The line with its arrow, the street, the line before this update, and the perceptron underneath."""
        assert run.weights is not None
        w = run.weights[frame]
        street = street_of(run, w, self.data)
        for shift in (-street, street) if street else ():
            _line(ax, w, shift, self.view, color=self.ink, linewidth=0.9, linestyle=":")
        if run.kind == "updates" and frame:
            _line(ax, run.weights[frame - 1], 0.0, self.view, color=self.ink, linewidth=1.2, linestyle="--", alpha=0.5)
        if run.path is not None:
            _line(ax, run.path[frame], 0.0, self.view, color=ACCENT, linewidth=0.9)
        _line(ax, w, 0.0, self.view, color=self.ink, linewidth=2.2)
        arrow = arrow_of(run, w, self.view)
        if arrow is not None:
            start, end = arrow
            ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": ACCENT, "linewidth": 2.2,
                        "mutation_scale": 16, "shrinkA": 0, "shrinkB": 0, "zorder": 5})  # fmt: skip

    def _hulls(self, ax: Any, proof: Proof) -> None:
        for hull, colour in zip(proof.hulls, (NEGATIVE, POSITIVE), strict=False):
            ax.fill(*np.array(hull).T, facecolor=(colour, 0.08), edgecolor=(colour, 0.8), linewidth=1.1)

    def _points(self, ax: Any, run: Run, frame: int, proof: Proof | None) -> Array:
        """The points, bigger where more mistakes were made on them; gives the diameter of each row."""
        data, rows = self.data, self.data.sample()
        n = len(rows)
        size = np.full(len(data.y), 6.0 if n > 600 else 8.0 if n > 200 else 10.0)
        if run.kind == "updates" and self.sizes:
            size = np.minimum(24.0, size + 2.0 * np.sqrt(np.bincount(run.rows[:frame], minlength=len(data.y))))
        if proof is not None:
            rows = np.union1d(rows, np.asarray(proof.rows, rows.dtype))  # what is in diamonds is drawn
        for sign, colour, marker, name in ((-1, NEGATIVE, "o", data.classes[0]), (1, POSITIVE, "s", data.classes[1])):
            chosen = rows[data.y[rows] == sign]
            ax.scatter(*data.plane[chosen].T, s=(POINT * size[chosen]) ** 2, c=colour, marker=marker,
                       edgecolors=self.paper, linewidths=0.5, label=name)  # fmt: skip
        return size

    def _marks(self, ax: Any, run: Run, frame: int, size: Array, proof: Proof | None) -> None:
        """Rings around support vectors, a thick one around this update's point, diamonds and a star for a witness."""
        ringed = support_at(run, frame)
        ringed = ringed[np.isin(ringed, self.data.sample())]
        ax.scatter(*self.data.plane[ringed].T, s=(POINT * (size[ringed] + 6)) ** 2, facecolors="none",
                   edgecolors=self.ink, linewidths=1.0)  # fmt: skip
        if proof is not None and proof.rows:
            ax.scatter(*self.data.plane[proof.rows].T, s=(POINT * (size[proof.rows] + 14)) ** 2, marker="D",
                       facecolors="none", edgecolors=WITNESS, linewidths=1.8)  # fmt: skip
        if frame and len(run.rows):
            ax.scatter(*self.data.plane[run.rows[frame - 1]], s=(POINT * 22) ** 2, facecolors="none",
                       edgecolors=ACCENT, linewidths=2.5)  # fmt: skip
        if proof is not None and proof.point:
            ax.scatter(*proof.point, s=240, marker="*", facecolors="#F0E442", edgecolors=self.ink, zorder=4)


def picture(screen: Screen, frame: int, kind: str) -> bytes:
    """All learners of the screen at one frame."""
    file = io.BytesIO()
    screen.figure(frame, 5.2, 144).savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()


def animation(screen: Screen) -> bytes:
    """The run as a GIF: every frame, or an even part of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    last = max(run.frames for run in screen.runs) - 1
    shown = np.unique(np.linspace(0, last, min(last + 1, GIF_FRAMES)).astype(np.int64))
    pictures = []
    for frame in shown.tolist():
        canvas: Any = FigureCanvasAgg(screen.figure(frame, 4.0, 90))
        canvas.draw()
        pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("P", palette=Image.Palette.ADAPTIVE))
    file = io.BytesIO()
    waits = [150] * (len(pictures) - 1) + [2000]
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=waits, loop=0)
    return file.getvalue()


def street_of(run: Run, w: Array, data: Data) -> float:
    """Half the width of the street that is drawn, in scores; 0 for none."""
    name = run.choice.name
    if name in ("svm", "passive_aggressive", "adaline", "least_squares"):
        return 1.0
    if name == "margin":
        return float(run.choice.options["theta"])
    if name in ("logistic", "neuron", "discriminant"):
        return math.log(9.0)
    return max(0.0, float((data.y * (data.X @ w[:2] + w[2])).min()))


def arrow_of(run: Run, w: Array, view: View) -> tuple[Array, Array] | None:
    """w as an arrow from the line, its length a share of the longest; None where it would not stand upright."""
    assert run.weights is not None
    left, right, bottom, top = view
    width = right - left
    if abs(width - (top - bottom)) > 0.01 * width:
        return None
    length, longest = math.hypot(*w[:2]), float(np.hypot(*run.weights[:, :2].T).max())
    middle = np.array([(left + right) / 2, (bottom + top) / 2])
    start = middle - (w[:2] @ middle + w[2]) / length**2 * w[:2]
    if not (left <= start[0] <= right and bottom <= start[1] <= top):
        return None
    return start, start + width * (0.05 + 0.17 * length / longest) * w[:2] / length


def support_at(run: Run, frame: int) -> Array:
    """The rows that are ringed at a frame: those a kernel expansion has so far, and the support vectors at the end."""
    if frame == run.frames - 1:
        return np.unique(run.support).astype(np.int64)
    return np.unique(run.rows[:frame]) if run.is_kernel else np.empty(0, np.int64)


def _line(ax: Any, w: Array, shift: float, view: View, **style: Any) -> None:
    if not w[:2].any():
        return
    along = 0 if abs(w[1]) >= abs(w[0]) else 1
    ends = np.array(view[:2] if along == 0 else view[2:])
    other = -(w[along] * ends + w[2] + shift) / w[1 - along]
    ax.plot(*((ends, other) if along == 0 else (other, ends)), **style)


def _colours(*stops: str) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("classes", stops)


def _scores(data: Data, run: Run, frame: int, view: View) -> Array | None:
    """The scores over the view, or None where there is nothing to say yet."""
    if not data.flat:
        return None
    if run.weights is None:
        return scores_at(run, data, grid(view), np.array([frame]))[0] if frame or run.stages else None
    weights = run.weights[frame]
    return grid(view, 160) @ weights[:2] + weights[2] if weights[:2].any() else None
