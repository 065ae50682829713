"""Shows a run while it runs: a live table in a terminal or a notebook with ipywidgets, plain lines elsewhere."""

from __future__ import annotations

import builtins
import importlib.util
import sys
from types import TracebackType
from typing import Any, Self

from rosenblatt.trace import FORMATS, Epoch, Trace
from rosenblatt.wording import counted

SHOWN = 12  # epochs on the screen at a time


class Silent:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def progress(self, fraction: float) -> None: ...

    def epoch(self, row: Epoch) -> None: ...

    def finish(self, trace: Trace) -> None: ...


class Lines(Silent):
    """One line per epoch; after the twentieth, only at epochs that are few and far between."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.printed = 0

    def epoch(self, row: Epoch) -> None:
        step = 10 ** (len(str(row.epoch)) - 1)
        if row.epoch > 20 and row.epoch % step:
            return
        names = [name for name in Trace([row]).columns if name != "epoch"]
        cells = [f"{name.replace('_', ' ')} {FORMATS.get(name, '{}').format(row[name])}" for name in names]
        print(f"{self.title}: epoch {row.epoch}: {', '.join(cells)}", flush=True)

    def finish(self, trace: Trace) -> None:
        print(f"{self.title}: {trace.ending()} after {counted(len(trace), 'epoch')}", flush=True)


class LiveTable(Silent):
    """A table that grows with the epochs, and a bar with the time left."""

    def __init__(self, title: str, max_iter: int) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.title, self.max_iter = title, max_iter
        self.trace = Trace()
        self.bar = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} epochs"),
            TimeRemainingColumn(),
        )
        self.job = self.bar.add_task(title, total=max_iter)
        self.live = Live(console=Console(), refresh_per_second=12, get_renderable=self.render)

    def render(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2), header_style="bold")
        for name in self.trace.columns:
            table.add_column(name.replace("_", " "), justify="right")
        cells = self.trace.cells()
        if len(cells) > SHOWN:
            table.add_row(*["…"] * len(self.trace.columns))
        for row in cells[-SHOWN:]:
            table.add_row(*row)
        if not self.trace.stop_reason:
            return Group(table, self.bar)
        colour = "green" if self.trace.stop_reason == "converged" else "yellow"
        return Group(table, Text(f"{self.title} {self.trace.ending()}", style=colour))

    def __enter__(self) -> Self:
        self.live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.live.__exit__(kind, error, trace)

    def progress(self, fraction: float) -> None:
        self.bar.update(self.job, completed=len(self.trace) + fraction)

    def epoch(self, row: Epoch) -> None:
        self.trace.epochs.append(row)
        self.bar.update(self.job, completed=row.epoch)

    def finish(self, trace: Trace) -> None:
        self.trace.stop_reason = trace.stop_reason


def in_live_notebook() -> bool:
    """Whether this is a notebook in which a picture can be drawn again: rich needs ipywidgets for that."""
    get_shell = getattr(builtins, "get_ipython", None)  # IPython puts it there
    notebook = get_shell is not None and type(get_shell()).__name__ == "ZMQInteractiveShell"
    return notebook and importlib.util.find_spec("ipywidgets") is not None


def reporter(verbose: int, title: str, max_iter: int) -> Silent:
    """What fits the place where the output goes."""
    if not verbose:
        return Silent()
    if sys.stdout.isatty() or in_live_notebook():
        return LiveTable(title, max_iter)
    return Lines(title)


class Tenths(Silent):
    """One line for every tenth that is done."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.printed = 0

    def progress(self, fraction: float) -> None:
        tenths = int(10 * fraction + 1e-6)  # a sum of shares may end just below 1
        if tenths > self.printed:
            self.printed = tenths
            print(f"{self.title}: {self.printed * 10} %", flush=True)


class LiveBar(Silent):
    """A bar with the time left."""

    def __init__(self, title: str) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self.bar = Progress(
            TextColumn("[bold]{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
        )
        self.job = self.bar.add_task(title, total=1.0)

    def __enter__(self) -> Self:
        self.bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.__exit__(kind, error, trace)

    def progress(self, fraction: float) -> None:
        self.bar.update(self.job, completed=fraction)


def bar(verbose: int, title: str) -> Silent:
    """A bar for work that is not made of epochs, as fits the place where the output goes."""
    if not verbose:
        return Silent()
    if sys.stdout.isatty() or in_live_notebook():
        return LiveBar(title)
    return Tenths(title)
