"""The page as a bokeh document: empty figures, a wire, and the script that draws what comes over it.

The server sends a whole history once; playing and scrubbing are done by the page itself (`page/lab.js`). Bokeh draws
the axes and the curves that stand still; what moves is painted over them (`page/paint.js`). What a reader does becomes
a request, a dictionary in JSON on `wire.request`; the answer comes back on `wire.reply`, and proofs on `wire.proof`
when they are ready.
"""

from __future__ import annotations

import functools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bokeh
import numpy as np
from bokeh.core.properties import String
from bokeh.document import Document
from bokeh.model import DataModel
from bokeh.models import ColumnDataSource, CustomJS, LinearColorMapper, LogTicker, Range1d, Span
from bokeh.palettes import cividis
from bokeh.plotting import figure
from jinja2 import Environment

from rosenblatt.lab.session import Session, menu
from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, QUIET

HERE = Path(__file__).parent / "page"


class Wire(DataModel):  # type: ignore[misc]
    """What goes back and forth."""

    request = String("")
    reply = String("")
    proof = String("")


def _figure(label: str, **settings: Any) -> Any:
    plot = figure(
        sizing_mode="stretch_both", toolbar_location=None, tools="", min_width=120, min_height=100,
        background_fill_alpha=0.0, border_fill_alpha=0.0, outline_line_color=None, name=label, **settings,
    )  # fmt: skip
    plot.toolbar.logo = None
    plot.min_border = 4
    return plot


def _source(**columns: Any) -> ColumnDataSource:
    return ColumnDataSource(columns)


def plane(number: int) -> dict[str, Any]:
    """The axes of the picture; the page paints the points and the lines over them (`page/paint.js`)."""
    return {"plot": _figure(f"plane{number}", x_range=Range1d(0, 1), y_range=Range1d(0, 1))}


def proof() -> dict[str, Any]:
    """‖w_k‖² between the two curves of the proof, on logarithmic axes."""
    plot = _figure("proof", x_axis_type="log", y_axis_type="log", x_range=Range1d(1, 10), y_range=Range1d(1, 10))
    plot.xaxis.axis_label, plot.yaxis.axis_label = "updates k", "‖w‖²"
    for axis in (plot.xaxis, plot.yaxis):
        axis.ticker = LogTicker(desired_num_ticks=4, num_minor_ticks=0)
    sources = {"ceiling": _source(x=[], y=[]), "floor": _source(x=[], y=[]), "all": _source(x=[], y=[])}
    for name, colour, dash, width in (
        ("ceiling", POSITIVE, "solid", 2.5), ("floor", NEGATIVE, "dashed", 2.5), ("all", QUIET, "solid", 1),
    ):  # fmt: skip
        plot.line("x", "y", line_color=colour, line_dash=dash, line_width=width, source=sources[name])
    bound = Span(dimension="height", location=1, line_dash="dotted", line_width=2, line_color=INK, visible=False)
    plot.add_layout(bound)
    return {"plot": plot, "bound": bound, **sources}


def curve() -> dict[str, Any]:
    """The share of points on the wrong side."""
    plot = _figure("curve", x_range=Range1d(0, 1), y_range=Range1d(0, 1))
    plot.xaxis.axis_label, plot.yaxis.axis_label = "updates", "points wrong, %"
    sources = {"first": _source(x=[], y=[]), "second": _source(x=[], y=[])}
    plot.step("x", "y", mode="after", line_color=INK, line_width=1.8, source=sources["first"])
    plot.step("x", "y", mode="after", line_color=ACCENT, line_width=1.8, line_dash="dashed", source=sources["second"])
    return {"plot": plot, **sources}


def landscape() -> dict[str, Any]:
    """The loss over the weights; the page paints the way down over it, or the weights as an image."""
    plot = _figure("landscape", x_range=Range1d(0, 1), y_range=Range1d(0, 1))
    field = _source(image=[np.zeros((48, 48), np.float32)], x=[0], y=[0], dw=[1], dh=[1])
    heat = plot.image("image", "x", "y", "dw", "dh", source=field, visible=False,
        color_mapper=LinearColorMapper(palette=list(cividis(64)), low=0, high=1))  # fmt: skip
    return {"plot": plot, "heat": heat, "field": field}


@functools.cache
def _template() -> Any:
    return Environment().from_string((HERE / "lab.html").read_text("utf-8"))


@functools.cache
def _asset(name: str) -> str:
    return (HERE / name).read_text("utf-8")


class Workers:
    """Threads for all tabs together: proofs take their time and must not keep a click waiting."""

    def __init__(self) -> None:
        self.training = ThreadPoolExecutor(4, "rosenblatt-lab-training")
        self.proving = ThreadPoolExecutor(2, "rosenblatt-lab-proving")

    def stop(self) -> None:
        for pool in (self.training, self.proving):
            pool.shutdown(wait=False, cancel_futures=True)


def fill(document: Document, workers: Workers) -> None:
    """Make the page of one tab."""
    address = _argument(document, "s")
    session = Session(address)
    wire = Wire(name="wire", reply=json.dumps(session.screen()))
    figures = {"plane0": plane(0), "plane1": plane(1), "proof": proof(), "curve": curve(), "landscape": landscape()}
    models = {f"{name}_{part}": model for name, parts in figures.items() for part, model in parts.items()}
    for parts in figures.values():
        for model in parts["plot"].references():  # what the page draws by itself is nobody else's business
            model.syncable = False
    figures["plane0"]["plot"].tags = [wire]  # which makes it part of the document
    with document.models.freeze():  # so that they are counted once
        for parts in figures.values():
            document.add_root(parts["plot"])

    queue: list[str] = []

    def asked(attribute: str, old: str, new: str) -> None:
        if new:
            queue.append(new)
            workers.training.submit(work)

    def work() -> None:
        with session.lock:  # the requests of one tab in their order
            reply = session.handle(json.loads(queue.pop(0)))
            told = json.dumps(reply)
            document.add_next_tick_callback(functools.partial(wire.update, reply=told))
            if "runs" in reply:
                workers.proving.submit(prove, session.generation)

    def prove(generation: int) -> None:
        if generation != session.generation:  # the reader has gone on meanwhile
            return
        told = json.dumps(session.proofs())
        if generation == session.generation:
            document.add_next_tick_callback(functools.partial(wire.update, proof=told))

    wire.on_change("request", asked)
    document.js_on_event(
        "document_ready",
        CustomJS(args={"wire": wire, **models}, code="export default (args) => window.lab.start(args)"),
    )
    document.js_on_event("connection_lost", CustomJS(code="window.lab.lost(true)"))
    document.js_on_event("client_reconnected", CustomJS(code="window.lab.lost(false)"))
    document.config.notify_connection_status = False  # the page says it in its own words
    document.template = _template()
    document.template_variables.update(
        css=_asset("lab.css"), paint=_asset("paint.js"), script=_asset("lab.js"), menu=menu(), version=bokeh.__version__
    )
    document.title = "Rosenblatt lab"
    workers.proving.submit(prove, session.generation)


def _argument(document: Document, name: str) -> str:
    context = document.session_context
    values = context.request.arguments.get(name, []) if context is not None and context.request else []
    return values[0].decode("ascii", "replace") if values else ""
