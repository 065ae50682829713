"""The pictures of a report: matplotlib's SVG, with the page's own colours in place of fixed ones.

Every colour of `plots.style` becomes a variable of the page's style sheet, and the paper is left transparent, so that
one picture is readable in light, in dark and in print.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, take
from rosenblatt.plots import BoundaryDisplay, MarginDisplay, SeparabilityDisplay, TraceDisplay, WeightsDisplay
from rosenblatt.plots.style import ACCENT, CLASSES, INK, NEGATIVE, PAPER, POSITIVE, QUIET, entry
from rosenblatt.report.scores import Confusion, lead
from rosenblatt.report.summary import Summary
from rosenblatt.report.words import quoted
from rosenblatt.wording import short

WIDTH = 5.2  # inches: text keeps its size on a narrow screen
ROWS_FOR_MARGINS = 20_000
ROWS_FOR_POINTS = 1_200
NUMBERS_FOR_CERTIFICATE = 2_000_000
CLASSES_IN_MATRIX = 30
CLASSES_WITH_COUNTS = 12
CLASSES_WITH_BARS = 6
CLASSES_WITH_IMAGES = 20
BARS = 10

VARIABLES = {INK: "ink", QUIET: "quiet", PAPER: "paper", "#000000": "ink"} | {
    colour: f"class-{number}" for number, colour in enumerate(CLASSES)
}
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 10.5,
    "axes.titlesize": 10.5,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.labelcolor": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "text.parse_math": False,
}


@dataclass(frozen=True)
class Picture:
    """An inline SVG, what it shows for those who do not see it, and what to read from it."""

    svg: str
    alt: str
    caption: str


class Album:
    """Draws the pictures of one report, each with ids of its own."""

    def __init__(self, anatomy: Anatomy, summary: Summary, image_shape: Any = None) -> None:
        self.anatomy, self.summary, self.image_shape = anatomy, summary, image_shape
        self.count = 0

    def _draw(self, height: float, draw: Any) -> str:
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
        return inline(stream.getvalue(), f"p{self.count}")

    def _rows(self) -> str:
        return "training rows" if self.summary.cross_validated else "held-out rows"

    # ------------------------------------------------------------------ pictures

    def trace(self) -> Picture | None:
        trace = getattr(self.anatomy.learner, "trace_", None)
        if trace is None or len(trace) < 2:
            return None

        def draw(figure: Any) -> None:
            display = TraceDisplay(trace).plot(figure.subplots())
            display.ax_.set_title("")
            legend_above(display.ax_, 3, behind=display.updates_ax_)

        first, last = trace.epochs[0], trace.epochs[-1]
        alt = (
            f"Line chart of {len(trace)} epochs; {first.updates:,} updates in the first, {last.updates:,} in the last."
        )
        caption = (
            "An epoch is one pass over the training rows. An update is made when a row teaches something; the fewer, "
            "the more has been learned."
        )
        return Picture(self._draw(3.1, draw), alt, caption)

    def margins(self, X: Any, y: Array) -> Picture | None:
        if not hasattr(self.anatomy.model, "decision_function") or self.anatomy.regression:
            return None
        chosen, total = sample(len(y), ROWS_FOR_MARGINS), len(y)
        X, y = take(X, chosen), y[chosen]
        shown: list[MarginDisplay] = []

        def draw(figure: Any) -> None:
            shown.append(MarginDisplay.from_estimator(self.anatomy.model, X, y, ax=figure.subplots()))
            shown[0].ax_.set_title("")
            legend_above(shown[0].ax_, 3)

        svg = self._draw(3.1, draw)
        wrong = int((shown[0].margins < 0).sum())
        rows = self._rows()
        alt = f"Histogram of the distances of {len(y):,} {rows} from the boundary; {wrong:,} on the wrong side."
        caption = (
            f"How far {rows} lie from the boundary. Far to the right is clearly right; near 0 the answer could "
            "tip; left of 0 it is wrong."
        )
        return Picture(svg, alt, caption + sampled(len(y), total))

    def confusion(self) -> Picture | None:
        found = self.summary.confusion
        if found is None or len(found.classes) > CLASSES_IN_MATRIX:
            return None
        small = len(found.classes) <= 4
        svg = self._draw(3.4 if small else 4.6, lambda figure: draw_confusion(figure.subplots(), found))
        alt = (
            f"Confusion matrix of {found.accuracy.total:,} held-out rows; {found.accuracy.count:,} lie on the diagonal."
        )
        caption = "Every held-out row in one field: its true class down, the answer across. The diagonal is right."
        return Picture(svg, alt, caption)

    def roc(self, X: Any, y: Array) -> Picture | None:
        classes = self.summary.classes
        if not 2 <= len(classes) <= CLASSES_WITH_BARS or not hasattr(self.anatomy.model, "decision_function"):
            return None
        if self.summary.cross_validated:  # the model has seen these rows: its curve would flatter it
            return None
        chosen = sample(len(y), ROWS_FOR_MARGINS)
        scores = np.asarray(self.anatomy.model.decision_function(take(X, chosen)), np.float64)
        truth = y[chosen]
        if scores.shape[1:] not in ((), (len(classes),)):  # not a score for each class
            return None
        shown = [self.summary.positive] if scores.ndim == 1 else classes
        curves = {name: lead(scores, classes, name) for name in shown}
        curves = {name: found for name, found in curves.items() if 0 < (truth == name).sum() < len(truth)}
        if not curves:
            return None
        svg = self._draw(3.4, lambda figure: draw_roc(figure.subplots(), truth, curves))
        alt = f"ROC curve{'s' * (len(curves) > 1)} of {', '.join(map(str, curves))}."
        caption = (
            "If the model is asked to find more (upwards), how many false alarms come along (to the right). The nearer "
            "to the upper left corner, the better; the dashed line is guessing."
        )
        if len(classes) > 2:
            caption += " A row counts by the score of the class minus the best score of the others."
        return Picture(svg, alt, caption + sampled(len(chosen), len(y)))

    def boundary(self, X: Any, y: Array) -> Picture | None:
        shape = getattr(X, "shape", (0, 0))
        if self.anatomy.regression or len(shape) != 2 or shape[1] != 2:
            return None
        chosen = sample(len(y), ROWS_FOR_POINTS)
        rows, labels = take(X, chosen), y[chosen]

        def draw(figure: Any) -> None:
            ax = figure.subplots()
            display = BoundaryDisplay.from_estimator(self.anatomy.model, rows, labels, ax=ax, grid_resolution=120)
            columns = min(4, len(display.classes) + 1)
            legend_above(ax, columns)

        try:
            svg = self._draw(4.2, draw)
        except (ValueError, TypeError):  # columns that are not two numbers
            return None
        regions = len(self.summary.classes)
        alt = f"The plane of the two columns in {regions} regions, with {len(labels):,} {self._rows()}."
        caption = f"What the model answers in every place. Points are {self._rows()}."
        return Picture(svg, alt, caption + sampled(len(labels), len(y)))

    def weights(self, X: Any) -> list[Picture]:
        weights = self.anatomy.coefficients
        if weights is None:
            return []
        if self.image_shape is not None and weights.shape[1] == int(np.prod(self.image_shape)):
            return self._images(weights)
        if len(weights) > CLASSES_WITH_BARS:
            return []
        found = self.summary.drivers
        classes = self.summary.classes
        lists = [found.top] if len(weights) == 1 else [found.by_class.get(name, []) for name in classes]
        pictures = []
        for k, drivers in enumerate(lists):
            if not drivers:
                continue
            shown = drivers[:BARS]
            values, names = [driver.effect for driver in shown], [short(driver.feature, 22) for driver in shown]
            around = classes if len(weights) == 1 else [classes[k]]

            def draw(figure: Any, values: Any = values, names: Any = names, around: Any = around) -> None:
                display = WeightsDisplay(values, classes=around, names=names, ylabel="weight × standard deviation")
                display.plot(figure.subplots(), most=BARS)
                display.ax_.set_title("")

            svg = self._draw(0.8 + 0.3 * len(shown), draw)
            alt = (
                "Bars of the most important features: " + ", ".join(f"{d.feature} {d.effect:+.3g}" for d in shown) + "."
            )
            pictures.append(Picture(svg, alt, self._what_bars_say(len(weights), around)))
        return pictures

    def _what_bars_say(self, count: int, around: list[Any]) -> str:
        if self.summary.kind == "regression":
            return "Orange raises the answer, blue lowers it."
        if count == 1:
            return f"Orange speaks for {quoted(around[1])}, blue for {quoted(around[0])}."
        return f"{quoted(around[0])}: orange speaks for it, blue against it."

    def _images(self, weights: Array) -> list[Picture]:
        classes = self.summary.classes if len(weights) > 1 else [self.summary.classes[1]]
        shown = weights[:CLASSES_WITH_IMAGES]
        across = min(5, len(shown))
        down = -(-len(shown) // across)

        def draw(figure: Any) -> None:
            display = WeightsDisplay(shown, classes=classes[: len(shown)], image_shape=self.image_shape)
            display.plot(figure.subplots())

        svg = self._draw(WIDTH if len(shown) == 1 else down * (WIDTH / across + 0.3), draw)
        alt = f"The weights of {', '.join(map(str, classes[: len(shown)]))} as images of {self.image_shape} pixels."
        caption = "Ink on an orange pixel speaks for the class, ink on a blue one against it."
        return [Picture(svg, alt, caption)]

    def certificate(self, X: Any, y: Array) -> Picture | None:
        separation = self.summary.separation
        found = None if separation is None else separation.certificate
        if separation is None or separation.verdict not in ("separable", "not separable") or found is None:
            return None
        if separation.asked is not None:
            X, y = take(X, separation.asked), y[separation.asked]
        rows = self.anatomy.seen(X)
        if rows.shape[0] * rows.shape[1] > NUMBERS_FOR_CERTIFICATE:
            return None
        counted = f"{rows.shape[0]:,} training rows"

        def draw(figure: Any) -> None:
            display = SeparabilityDisplay.from_certificate(found, rows, y, ax=figure.subplots())
            thin(display.ax_)
            display.ax_.set_title("")
            if rows.shape[1] > 2:
                display.ax_.set(xlabel="", ylabel="", xticks=[], yticks=[])
            columns = min(2, len(display.ax_.get_legend().get_texts()))
            legend_above(display.ax_, columns)

        svg = self._draw(4.0, draw)
        if separation.verdict == "separable":
            alt = f"{counted} on both sides of a band that has no row in it."
            caption = f"The proof, flattened to the page: a band between the classes that none of {counted} enters."
        else:
            alt = f"The hulls of {counted}, with a point that lies in both."
            caption = (
                "The proof, flattened to the page: the star is a mixture of rows of one class and also of rows of the "
                "other, so it would have to lie on both sides of any flat boundary."
            )
        return Picture(svg, alt, caption)

    def regression(self, y: Array, answers: Array) -> Picture:
        chosen = sample(len(y), ROWS_FOR_POINTS)

        def draw(figure: Any) -> None:
            from sklearn.metrics import PredictionErrorDisplay

            display = PredictionErrorDisplay(y_true=y[chosen], y_pred=answers[chosen])
            points = {"color": NEGATIVE, "alpha": 0.6, "s": 12, "lw": 0}
            line = {"color": INK, "lw": 1.2, "ls": "--"}
            display.plot(figure.subplots(), kind="actual_vs_predicted", scatter_kwargs=points, line_kwargs=line)
            display.ax_.spines[["top", "right"]].set_visible(False)

        alt = f"Answers against true values of {len(chosen):,} held-out rows; on the dashed line they agree."
        caption = "Each point is a held-out row: the answer across, the true value up. On the dashed line they agree."
        return Picture(self._draw(3.8, draw), alt, caption + sampled(len(chosen), len(y)))


def sample(n: int, most: int) -> Array:
    """Rows to draw: all, or `most` of them, the same in every report."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def sampled(shown: int, total: int) -> str:
    return "" if shown >= total else f" The picture shows {shown:,} of {total:,} rows, taken at random."


def legend_above(ax: Any, columns: int, behind: Any = None) -> None:
    """Where no bar, line or point can lie below it; `behind` are axes that share the picture."""
    handles, labels = ax.get_legend_handles_labels()
    if behind is not None:
        more = behind.get_legend_handles_labels()
        handles, labels = handles + more[0], labels + more[1]
    if not handles:
        return
    where = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": columns}
    legend = ax.legend(handles, labels, frameon=False, handletextpad=0.4, **where)
    for handle in legend.legend_handles:
        if hasattr(handle, "set_sizes"):  # points
            handle.set_sizes([40])
    for text in legend.get_texts():
        text.set_text(short(text.get_text(), 20))


def thin(ax: Any) -> None:
    """Leave out points where there are so many that they would only make the page large."""
    for points in ax.collections:
        offsets = np.asarray(points.get_offsets()) if hasattr(points, "get_offsets") else np.empty(0)
        if len(offsets) > ROWS_FOR_POINTS // 2:
            points.set_offsets(offsets[sample(len(offsets), ROWS_FOR_POINTS // 2)])


def draw_confusion(ax: Any, found: Confusion) -> None:
    """scikit-learn's display; a field is as dark as its share of its class, right ones green, wrong ones orange."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba
    from sklearn.metrics import ConfusionMatrixDisplay

    shares = found.counts / np.maximum(found.counts.sum(axis=1, keepdims=True), 1)
    signed = np.where(np.eye(len(shares), dtype=bool), shares, -np.sqrt(shares))  # a few mistakes are seen, too
    colours = [to_rgba(POSITIVE, 0.75), to_rgba(POSITIVE, 0.0), to_rgba(ACCENT, 0.0), to_rgba(ACCENT, 0.55)]
    shades = LinearSegmentedColormap.from_list("answers", list(zip((0.0, 0.5, 0.5, 1.0), colours, strict=True)))
    labels = [short(name, 16) for name in found.classes]
    display = ConfusionMatrixDisplay(signed, display_labels=labels)
    rotation = "vertical" if max(len(label) for label in labels) * len(labels) > 36 else "horizontal"
    im = {"vmin": -1.0, "vmax": 1.0}
    display.plot(ax=ax, include_values=False, cmap=shades, colorbar=False, xticks_rotation=rotation, im_kw=im)
    if len(labels) <= CLASSES_WITH_COUNTS:
        for i, row in enumerate(found.counts):
            for j, count in enumerate(row):
                weight = "bold" if i == j else "normal"
                size = 12 if len(labels) <= 4 else 8.5
                quiet = QUIET if count == 0 else INK
                ax.text(j, i, f"{count:,}", ha="center", va="center", color=quiet, weight=weight, fontsize=size)
    ax.set(xlabel="answer", ylabel="true class")
    ax.spines[:].set_color(QUIET)
    ax.tick_params(length=0)
    if len(labels) > CLASSES_WITH_COUNTS:
        ax.tick_params(labelsize=7)


def draw_roc(ax: Any, truth: Array, curves: dict[Any, Array]) -> None:
    from sklearn.metrics import RocCurveDisplay

    for k, (name, scores) in enumerate(curves.items()):
        colour = POSITIVE if len(curves) == 1 else CLASSES[k % len(CLASSES)]
        style = {"color": colour, "lw": 1.8}
        RocCurveDisplay.from_predictions(truth == name, scores, ax=ax, name=entry(name, 16), curve_kwargs=style)
    ax.plot([0, 1], [0, 1], color=QUIET, lw=1, ls="--", zorder=0)
    from matplotlib.ticker import PercentFormatter

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0))
    ax.set(xlabel="false alarms among the others", ylabel="found of the class")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")


# ------------------------------------------------------------------ SVG for the page

COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
IDENTIFIER = re.compile(r'(\bid="|url\(#|href="#)')


def inline(svg: str, prefix: str) -> str:
    """An SVG file as a part of a page: without its head and size, with variables for colours and ids of its own."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", svg, flags=re.DOTALL)
    svg = IDENTIFIER.sub(lambda found: f"{found.group(1)}{prefix}-", svg)
    svg = re.sub(
        r"^<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", r'<svg viewBox="\1" aria-hidden="true" focusable="false">', svg
    )
    names = {colour.lower(): name for colour, name in VARIABLES.items()}

    def named(found: re.Match[str]) -> str:
        name = names.get(found.group(0).lower())
        return found.group(0) if name is None else f"var(--{name})"

    return re.sub(r'style="[^"]*"', lambda found: COLOUR.sub(named, found.group(0)), svg).strip()


def figure(picture: Picture) -> str:
    """The picture with its words, as HTML."""
    return (
        f'<figure class="picture"><div role="img" aria-label="{escape(picture.alt, quote=True)}">{picture.svg}</div>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )
