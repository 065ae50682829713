"""What may end a run: the clock, Ctrl-C, a callback, a lack of progress."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

# A run stops after so many epochs without improvement, and not before so many examples. Few rows are never given up:
# they cost nothing, and a perceptron may make two mistakes in each of ten thousand epochs before it separates two rows.
EPOCHS_WAITED, EXAMPLES_WAITED = 5, 20_000
FEW_ROWS = 1000
SOON = 1.0  # seconds within which a second Ctrl-C ends more than the run that received the first

_last_interrupt = [-math.inf]  # when Ctrl-C was last pressed


@contextmanager
def interrupt_flag() -> Iterator[Callable[[], bool]]:
    """Ctrl-C sets a flag, which is read between segments; a second one soon after interrupts at once.

    That holds across runs, too: a series of short ones would otherwise swallow one Ctrl-C each.
    """
    raised = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield raised.is_set
        return

    def note(number: int, frame: Any) -> None:
        before, _last_interrupt[0] = _last_interrupt[0], time.monotonic()
        if raised.is_set() or _last_interrupt[0] - before < SOON:
            raise KeyboardInterrupt
        raised.set()

    try:
        handler = signal.signal(signal.SIGINT, note)
    except ValueError:  # an interpreter inside another program, whose signals are not ours
        yield raised.is_set
        return
    try:
        yield raised.is_set
    finally:
        signal.signal(signal.SIGINT, handler)


@dataclass
class Watch:
    """What may end a run: the clock, Ctrl-C, a callback, a lack of progress."""

    time_limit: float | None = None
    tol: float | None = None
    on_epoch: Callable[[dict[str, Any]], object] | None = None
    on_progress: Callable[[float], None] | None = None
    interrupted: Callable[[], bool] = lambda: False
    started: float = field(default_factory=time.perf_counter)
    best: float = math.inf
    waited: int = 0

    def within_epoch(self, done: float) -> str:
        """A reason to stop in the middle of an epoch, or nothing."""
        if self.on_progress is not None:
            self.on_progress(done)
        if self.interrupted():
            return "interrupted"
        if self.time_limit is not None and time.perf_counter() - self.started >= self.time_limit:
            return "time_limit"
        return ""

    def after_epoch(self, figures: dict[str, Any], n_rows: int) -> str:
        """A reason to stop after a whole epoch, or nothing."""
        try:
            wants_stop = self.on_epoch is not None and bool(self.on_epoch(figures))
        except KeyboardInterrupt:
            return "interrupted"
        if wants_stop:
            return "callback"
        if self.tol is not None and n_rows >= FEW_ROWS:
            mistakes = figures["mistakes"]
            self.waited = 0 if mistakes < (1.0 - self.tol) * self.best else self.waited + 1
            self.best = min(self.best, mistakes)
            if self.waited >= max(EPOCHS_WAITED, EXAMPLES_WAITED / n_rows):
                return "no_improvement"
        return "interrupted" if self.interrupted() else ""
