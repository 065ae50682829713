"""What a fitted model is worth, in figures, sentences and one self-contained page."""

from __future__ import annotations

from typing import Any

from rosenblatt.report.summary import Summary, summarise

__all__ = ["Summary", "summarise", "write_report"]


def __getattr__(name: str) -> Any:
    """The page draws pictures, and loads what draws them only when it is asked for."""
    if name != "write_report":
        raise AttributeError(f"rosenblatt.report has no {name!r}; it has {', '.join(__all__)}.")
    from rosenblatt.report.page import write_report

    return write_report
