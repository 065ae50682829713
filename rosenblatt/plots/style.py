"""Colours that colour-blind people can tell apart (Okabe and Ito 2008), and axes without clutter."""

from __future__ import annotations

from typing import Any

from rosenblatt.arguments import shortened
from rosenblatt.wording import short

NEGATIVE, POSITIVE = "#0072B2", "#D55E00"
INK, ACCENT, QUIET = "#222222", "#009E73", "#8A8A8A"
PAPER = "#FFFFFF"
CLASSES = (NEGATIVE, POSITIVE, ACCENT, "#CC79A7", "#E69F00", "#56B4E9", "#B8A800", "#7A5195", "#8C564B", "#5F6B6D")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")


def axes(ax: Any = None) -> Any:
    """These axes, or new ones."""
    if ax is None:
        ax = pyplot().subplots(figsize=(6.4, 4.8), layout="constrained")[1]
    checked(ax).spines[["top", "right"]].set_visible(False)
    return ax


def checked(ax: Any) -> Any:
    """These axes, if they are some."""
    if not hasattr(ax, "spines") or not hasattr(ax, "figure"):
        raise TypeError(f"ax must be axes of matplotlib or None, but {shortened(ax)} came; plt.subplots() makes some.")
    return ax


def pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Pictures need matplotlib, which is not installed; run: pip install matplotlib") from None
    return plt


def for_and_against() -> Any:
    """A map of colours from against (blue) to for (orange) that fades out at 0, on any paper."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    ends = [to_rgba(NEGATIVE, 1.0), to_rgba(NEGATIVE, 0.0), to_rgba(POSITIVE, 0.0), to_rgba(POSITIVE, 1.0)]
    return LinearSegmentedColormap.from_list("for and against", list(zip((0.0, 0.5, 0.5, 1.0), ends, strict=True)))


def entry(name: Any, most: int = 32) -> str:
    """The name of a class as matplotlib's legend takes it: one that begins with _ would be left out."""
    text = short(name, most)
    return f"\u200a{text}" if text.startswith("_") else text


def as_written(ax: Any) -> None:
    """Names of data between dollars are no formulas."""
    texts = [ax.title, ax.xaxis.label, ax.yaxis.label]
    if ax.get_legend() is not None:
        texts += ax.get_legend().get_texts()
    for text in texts:
        text.set_parse_math(False)
