"""Shows how a search for a proof goes: a bar in a terminal or notebook, a line per question in a log."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import Any, Self

from rosenblatt.progress import in_live_notebook


class Watcher:
    """Shows nothing."""

    interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def question(self, name: str) -> None: ...

    def bounds(self, lower: float, upper: float) -> None: ...


def _told(lower: float, upper: float) -> str:
    """Bounds on the margin; in coordinates that are scaled for the verdict's sake there are none."""
    if upper == math.inf:
        return "looking for a hyperplane or a common point"
    return f"margin between {max(0.0, lower):.3g} and {upper:.3g}"


class Lines(Watcher):
    def __init__(self, title: str) -> None:
        self.title = title
        self.told = time.monotonic()

    def question(self, name: str) -> None:
        print(f"{self.title}: {name}", flush=True)

    def bounds(self, lower: float, upper: float) -> None:
        if time.monotonic() - self.told > 5:
            self.told = time.monotonic()
            print(f"{self.title}: {_told(lower, upper)}", flush=True)


class Bar(Watcher):
    def __init__(self, title: str, questions: int) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns: list[Any] = [TextColumn("[bold]{task.description}")]
        if questions > 1:
            columns += [BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f}")]
        self.bar = Progress(*columns, TextColumn("{task.fields[state]}"), TimeElapsedColumn(), transient=True)
        self.job = self.bar.add_task(title, total=questions, state="")
        self.begun = False

    def __enter__(self) -> Self:
        self.bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.__exit__(kind, error, trace)

    def question(self, name: str) -> None:
        self.bar.update(self.job, description=name, advance=int(self.begun), state="")
        self.begun = True

    def bounds(self, lower: float, upper: float) -> None:
        self.bar.update(self.job, state=_told(lower, upper))


def watcher(verbose: int, title: str, questions: int) -> Watcher:
    """What fits the place where the output goes."""
    if not verbose:
        return Watcher()
    return Bar(title, questions) if sys.stdout.isatty() or in_live_notebook() else Lines(title)
