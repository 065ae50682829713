"""The pictures of a report: matplotlib's SVG, with variables of the page's style sheet in place of colours.

The background is transparent, so that one picture is readable in light, in dark and in print.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, take
from rosenblatt.plots import MarginDisplay, TraceDisplay, WeightsDisplay
from rosenblatt.plots.style import ACCENT, CLASSES, INK, NEGATIVE, PAPER, POSITIVE, QUIET, entry
from rosenblatt.report.drivers import some_rows
from rosenblatt.report.scores import Confusion, lead
from rosenblatt.report.summary import Summary
from rosenblatt.wording import short

WIDTH = 5.2  # inches: text keeps its size on a narrow screen
ROWS_FOR_MARGINS = 20_000
ROWS_FOR_POINTS = 1_200
CLASSES_IN_MATRIX = 30
CLASSES_WITH_COUNTS = 12
CLASSES_WITH_BARS = 6
CLASSES_WITH_IMAGES = 20
VARIABLES = {INK: "ink", QUIET: "quiet", PAPER: "paper", "#000000": "ink"} | {
    colour: f"class-{number}" for number, colour in enumerate(CLASSES)
}
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none", "font.size": 10.5, "axes.titlesize": 10.5, "text.parse_math": False,
    "axes.edgecolor": QUIET, "xtick.color": QUIET, "ytick.color": QUIET,
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    "legend.labelcolor": INK,
    **dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), "none"),
}  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """An inline SVG, a text for those who do not see it, and a caption."""

    svg: str
    alt: str
    caption: str

    def html(self) -> str:
        return (
            f'<figure class="picture"><div role="img" aria-label="{escape(self.alt, quote=True)}">{self.svg}</div>'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )


class Album:
    """Draws the pictures of one report, each with its own ids."""

    def __init__(self, anatomy: Anatomy, summary: Summary, image_shape: Any = None) -> None:
        self.anatomy, self.summary, self.image_shape = anatomy, summary, image_shape
        self.rows = "training rows" if summary.cross_validated else "held-out rows"
        self.count = 0

    def _draw(self, height: float, draw: Callable[[Any], Any], alt: str, caption: str) -> Picture:
        import matplotlib as mpl
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self.count += 1
        with mpl.rc_context(SETTINGS | {"svg.hashsalt": f"picture {self.count}"}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")  # the reader's browser has fonts of its own
            figure = Figure(figsize=(WIDTH, height), layout="constrained")
            FigureCanvasSVG(figure)
            draw(figure)
            stream = io.StringIO()
            figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        return Picture(inline(stream.getvalue(), f"p{self.count}"), alt, caption)

    def trace(self) -> Picture | None:
        trace = getattr(self.anatomy.learner, "trace_", None)
        if trace is None or len(trace) < 2:
            return None

        def draw(figure: Any) -> None:
            display = TraceDisplay(trace).plot(figure.subplots())
            display.ax_.set_title("")
            legend_above(display.ax_, 3, behind=display.updates_ax_)

        updates = [epoch.updates for epoch in trace.epochs]
        alt = f"Line chart of {len(trace)} epochs; {updates[0]:,} updates in the first, {updates[-1]:,} in the last."
        return self._draw(3.1, draw, alt, "An epoch is one pass over the training rows.")

    def margins(self, X: Any, y: Array) -> Picture | None:
        if not hasattr(self.anatomy.model, "decision_function") or self.anatomy.regression:
            return None
        chosen = some_rows(len(y), ROWS_FOR_MARGINS, 0)

        def draw(figure: Any) -> None:
            rows = take(X, chosen)
            display = MarginDisplay.from_estimator(self.anatomy.model, rows, y[chosen], ax=figure.subplots())
            display.ax_.set_title("")
            legend_above(display.ax_, 3)

        alt = f"Histogram of the margins of {len(chosen):,} {self.rows}."
        caption = f"The margins of {self.rows}: distances from the boundary, negative where the prediction is wrong."
        return self._draw(3.1, draw, alt, caption + sampled(len(chosen), len(y)))

    def confusion(self) -> Picture | None:
        found = self.summary.confusion
        if found is None or len(found.classes) > CLASSES_IN_MATRIX:
            return None
        share = found.accuracy
        alt = f"Confusion matrix of {share.total:,} held-out rows; {share.count:,} lie on the diagonal."
        caption = "Confusion matrix: true class down, prediction across. The diagonal is right."
        height = 3.4 if len(found.classes) <= 4 else 4.6
        return self._draw(height, lambda figure: draw_confusion(figure.subplots(), found), alt, caption)

    def roc(self, X: Any, y: Array) -> Picture | None:
        """None for predictions by cross-validation: the model has seen these rows."""
        classes, model = self.summary.classes, self.anatomy.model
        scored = hasattr(model, "decision_function") and not self.summary.cross_validated
        if not scored or not 2 <= len(classes) <= CLASSES_WITH_BARS:
            return None
        chosen = some_rows(len(y), ROWS_FOR_MARGINS, 0)
        scores, truth = np.asarray(model.decision_function(take(X, chosen)), np.float64), y[chosen]
        if scores.shape[1:] not in ((), (len(classes),)):  # not a score for each class
            return None
        shown = [self.summary.positive] if scores.ndim == 1 else classes
        curves = {n: lead(scores, classes, n) for n in shown if 0 < (truth == n).sum() < len(truth)}
        if not curves:
            return None
        alt = f"ROC curves: {', '.join(map(str, curves))}."
        caption = "ROC curve: recall against the false positive rate. The dashed line is guessing."
        if len(classes) > 2:
            caption += " The score of a class is taken minus the best score of the others."
        draw = lambda figure: draw_roc(figure.subplots(), truth, curves)  # noqa: E731
        return self._draw(3.4, draw, alt, caption + sampled(len(chosen), len(y)))

    def weights(self) -> list[Picture]:
        weights, classes, found = self.anatomy.coefficients, self.summary.classes, self.summary.drivers
        if weights is None:
            return []
        if self.image_shape is not None and weights.shape[1] == int(np.prod(self.image_shape)):
            return [self._images(weights, classes if len(weights) > 1 else classes[1:])]
        if len(weights) > CLASSES_WITH_BARS:
            return []
        if len(weights) == 1:
            signs = (
                f"Orange favours “{classes[1]}”, blue “{classes[0]}”." if classes else "Orange raises, blue lowers it."
            )
            return [self._bars(found.top, classes, signs)] if found.top else []
        signs = "“{}”: orange counts for it, blue against it."
        by_class = [(name, found.by_class.get(name)) for name in classes]
        return [self._bars(drivers, [name], signs.format(name)) for name, drivers in by_class if drivers]

    def _bars(self, drivers: list[Any], classes: list[Any], caption: str) -> Picture:
        effects, names = [driver.effect for driver in drivers], [short(driver.feature, 22) for driver in drivers]

        def draw(figure: Any) -> None:
            display = WeightsDisplay(effects, classes=classes, names=names, ylabel="weight × standard deviation")
            display.plot(figure.subplots(), most=len(drivers)).ax_.set_title("")

        told = ", ".join(f"{driver.feature} {driver.effect:+.3g}" for driver in drivers)
        return self._draw(0.8 + 0.3 * len(drivers), draw, f"Bars of the most important features: {told}.", caption)

    def _images(self, weights: Array, classes: list[Any]) -> Picture:
        shown, names = weights[:CLASSES_WITH_IMAGES], classes[:CLASSES_WITH_IMAGES]
        across = min(5, len(shown))
        height = WIDTH if len(shown) == 1 else -(-len(shown) // across) * (WIDTH / across + 0.3)
        display = WeightsDisplay(shown, classes=names, image_shape=self.image_shape)
        alt = f"The weights of {', '.join(map(str, names))} as images of {self.image_shape} pixels."
        caption = "The weights of the pixels: orange counts for the class, blue against it."
        return self._draw(height, lambda figure: display.plot(figure.subplots()), alt, caption)

    def regression(self, y: Array, answers: Array) -> Picture:
        chosen = some_rows(len(y), ROWS_FOR_POINTS, 0)

        def draw(figure: Any) -> None:
            from sklearn.metrics import PredictionErrorDisplay

            display = PredictionErrorDisplay(y_true=y[chosen], y_pred=answers[chosen])
            points = {"color": NEGATIVE, "alpha": 0.6, "s": 12, "lw": 0}
            line = {"color": INK, "lw": 1.2, "ls": "--"}
            display.plot(figure.subplots(), kind="actual_vs_predicted", scatter_kwargs=points, line_kwargs=line)
            display.ax_.spines[["top", "right"]].set_visible(False)

        caption = "Held-out rows: prediction across, true value up; equal on the dashed line."
        alt = f"True values against predictions of {len(chosen):,} held-out rows."
        return self._draw(3.8, draw, alt, caption + sampled(len(chosen), len(y)))


def sampled(shown: int, total: int) -> str:
    return "" if shown >= total else f" A random sample of {shown:,} of {total:,} rows."


def legend_above(ax: Any, columns: int, behind: Any = None) -> None:
    """A legend above the axes, where it hides nothing; `behind` are axes that share the picture."""
    found = [axes.get_legend_handles_labels() for axes in (ax, behind) if axes is not None]
    handles, labels = ([item for pair in found for item in pair[k]] for k in (0, 1))
    if not handles:
        return
    where = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns}
    legend = ax.legend(handles, [short(label, 20) for label in labels], frameon=False, handletextpad=0.4, **where)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):  # points
            handle.set_sizes([40])


def draw_confusion(ax: Any, found: Confusion) -> None:
    """A cell is as dark as its share of its class: green on the diagonal, orange beside it."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba
    from sklearn.metrics import ConfusionMatrixDisplay

    shares = found.counts / np.maximum(found.counts.sum(axis=1, keepdims=True), 1)
    signed = np.where(np.eye(len(shares), dtype=bool), shares, -np.sqrt(shares))  # a few errors are visible, too
    colours = [to_rgba(POSITIVE, 0.75), to_rgba(POSITIVE, 0.0), to_rgba(ACCENT, 0.0), to_rgba(ACCENT, 0.55)]
    shades = LinearSegmentedColormap.from_list("cells", list(zip((0.0, 0.5, 0.5, 1.0), colours, strict=True)))
    labels, many = [short(name, 16) for name in found.classes], len(found.classes) > CLASSES_WITH_COUNTS
    rotation = "vertical" if max(map(len, labels)) * len(labels) > 36 else "horizontal"
    ConfusionMatrixDisplay(signed, display_labels=labels).plot(
        ax=ax, include_values=False, cmap=shades, colorbar=False, xticks_rotation=rotation,
        im_kw={"vmin": -1.0, "vmax": 1.0},
    )  # fmt: skip
    for (i, j), count in np.ndenumerate(found.counts):
        if not many:
            style = {"color": INK if count else QUIET, "weight": "bold" if i == j else "normal"}
            ax.text(j, i, f"{count:,}", ha="center", va="center", fontsize=12 if len(labels) <= 4 else 8.5, **style)
    ax.set(xlabel="prediction", ylabel="true class")
    ax.spines[:].set_color(QUIET)
    ax.tick_params(length=0, **({"labelsize": 7} if many else {}))


def draw_roc(ax: Any, truth: Array, curves: dict[Any, Array]) -> None:
    from sklearn.metrics import RocCurveDisplay

    for k, (name, scores) in enumerate(curves.items()):
        style = {"color": POSITIVE if len(curves) == 1 else CLASSES[k % len(CLASSES)], "lw": 1.8}
        RocCurveDisplay.from_predictions(truth == name, scores, ax=ax, name=entry(name, 16), curve_kwargs=style)
    ax.plot([0, 1], [0, 1], color=QUIET, lw=1, ls="--", zorder=0)
    ax.set(xlabel="false positive rate", ylabel="recall")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")


def inline(svg: str, prefix: str) -> str:
    """An SVG file as a part of a page: without its head and size, with variables for colours and ids of its own."""
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    head = r'<svg viewBox="\1" aria-hidden="true" focusable="false">'
    svg = re.sub(r"^<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", head, svg)
    names = {colour.lower(): f"var(--{name})" for colour, name in VARIABLES.items()}

    def styled(found: re.Match[str]) -> str:
        return re.sub(r"#[0-9a-fA-F]{6}\b", lambda one: names.get(one[0].lower(), one[0]), found[0])

    return re.sub(r'style="[^"]*"', styled, svg).strip()
