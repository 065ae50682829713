"""Pictures for elsewhere: the screen as SVG or PNG, and a run as an animated GIF, by matplotlib alone."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from rosenblatt.engine.state import Array
from rosenblatt.lab.history import Run, grid, scores_at
from rosenblatt.lab.sets import Data
from rosenblatt.plots.style import ACCENT, NEGATIVE, POSITIVE

View = tuple[float, float, float, float]
GIF_FRAMES = 40
PAPER = {False: ("#ffffff", "#222222"), True: ("#16181d", "#e8e8e8")}


def picture(data: Data, runs: list[Run], frame: int, view: View, kind: str, dark: bool = False) -> bytes:
    """All learners of the screen at one frame."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * len(runs), 5.2), layout="constrained", facecolor=PAPER[dark][0])
    for place, run in enumerate(runs, start=1):
        draw(figure.add_subplot(1, len(runs), place), data, run, min(frame, run.frames - 1), view, dark)
    file = io.BytesIO()
    figure.savefig(file, format=kind, dpi=144, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()


def animation(data: Data, runs: list[Run], view: View, dark: bool = False) -> bytes:
    """The run as a GIF: every frame, or an even part of them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    last = max(run.frames for run in runs) - 1
    shown = np.unique(np.linspace(0, last, min(last + 1, GIF_FRAMES)).astype(np.int64))
    pictures = []
    for frame in shown.tolist():
        figure = Figure(figsize=(4 * len(runs), 4), layout="constrained", facecolor=PAPER[dark][0], dpi=90)
        canvas: Any = FigureCanvasAgg(figure)
        for place, run in enumerate(runs, start=1):
            draw(figure.add_subplot(1, len(runs), place), data, run, min(frame, run.frames - 1), view, dark)
        canvas.draw()
        pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("P", palette=Image.Palette.ADAPTIVE))
    file = io.BytesIO()
    waits = [150] * (len(pictures) - 1) + [2000]
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:], duration=waits, loop=0)
    return file.getvalue()


def draw(ax: Any, data: Data, run: Run, frame: int, view: View, dark: bool) -> None:
    """One learner at one frame."""
    paper, ink = PAPER[dark]
    ax.set(xlim=view[:2], ylim=view[2:], facecolor=paper)
    ax.set_xlabel(data.axes[0], color=ink)
    ax.set_ylabel(data.axes[1], color=ink)
    ax.tick_params(colors=ink)
    for spine in ax.spines.values():
        spine.set_color(ink)
    noun = "update" if run.kind == "updates" else "epoch"
    ax.set_title(f"{run.choice.learner.title}, {noun} {int(run.numbers[frame]):,}", color=ink, fontsize=11)
    scores = _scores(data, run, frame, view)
    if scores is not None:
        side = round(len(scores) ** 0.5)
        x, y = (grid(view, side)[:, j].reshape(side, side) for j in (0, 1))
        table = scores.reshape(side, side)
        if table.min() < 0 <= table.max():
            ax.contour(x, y, table, levels=[0.0], colors=[ink], linewidths=1.6)
        ax.pcolormesh(x, y, np.where(table >= 0, 1.0, 0.0), cmap=_two_colours(), vmin=0, vmax=1, alpha=0.16,
                      shading="nearest", rasterized=True)  # fmt: skip
    rows = data.sample()
    for sign, colour, marker in ((-1, NEGATIVE, "o"), (1, POSITIVE, "s")):
        chosen = rows[data.y[rows] == sign]
        ax.scatter(*data.plane[chosen].T, s=26, c=colour, marker=marker, edgecolors=paper, linewidths=0.5)
    if frame and len(run.rows):
        ax.scatter(*data.plane[run.rows[frame - 1]], s=160, facecolors="none", edgecolors=ACCENT, linewidths=2)


def _two_colours() -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap([NEGATIVE, POSITIVE])


def _scores(data: Data, run: Run, frame: int, view: View) -> Array | None:
    """The scores over the view, or None where there is nothing to say yet."""
    if not data.flat:
        return None
    if run.weights is None:
        return scores_at(run, data, grid(view), np.array([frame]))[0] if frame else None
    weights = run.weights[frame]
    return grid(view, 160) @ weights[:2] + weights[2] if weights[:2].any() else None
