"""What a fitted model is worth, in figures, sentences and one self-contained page."""

from __future__ import annotations

from rosenblatt.report.summary import Summary, summarise

__all__ = ["Summary", "summarise"]
