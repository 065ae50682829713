"""Colours that colour-blind people can tell apart (Okabe and Ito 2008), and axes without clutter."""

from __future__ import annotations

from typing import Any

NEGATIVE, POSITIVE = "#0072B2", "#D55E00"
INK, ACCENT, QUIET = "#222222", "#009E73", "#8A8A8A"


def axes(ax: Any = None) -> Any:
    """These axes, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Pictures need matplotlib, which is not installed; run: pip install matplotlib") from None
    if ax is None:
        ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax
