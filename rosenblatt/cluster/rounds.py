"""Rounds: what happened in each, who is told, and what ends them."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rosenblatt.cluster.backend import Dask
from rosenblatt.progress import reporter
from rosenblatt.trace import Epoch, Trace


class Rounds:
    """The rounds of a fit; a `with` block around them, which Ctrl-C ends: the model of the last whole round is kept."""

    def __init__(
        self, estimator: Any, backend: Dask, limit: int, on_round: Callable[[Epoch], object] | None, note: str
    ) -> None:
        self.backend, self.limit, self.on_round = backend, limit, on_round
        self.trace = Trace(note=note)
        self.model: Any = None
        self.reason = ""
        self.time_limit = getattr(estimator, "time_limit", None)
        self.show = reporter(getattr(estimator, "verbose", 0), type(estimator).__name__, limit)

    def __enter__(self) -> Self:
        self.show.__enter__()
        self.started = self.clock = time.perf_counter()
        self.moved = self.backend.moved
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        interrupted = kind is KeyboardInterrupt and self.model is not None
        if interrupted:
            self.backend.cancel()
            self.reason = "interrupted"
        self.trace.stop_reason = self.reason
        if kind is None or interrupted:
            self.show.finish(self.trace)
        self.show.__exit__(kind, error, trace)
        return interrupted

    def end(self, model: Any, reason: str, **figures: Any) -> str:
        """A round is over and has led to this model; the reason to stop, given or found, or nothing."""
        self.model, now, moved = model, time.perf_counter(), self.backend.moved
        row = Epoch(len(self.trace) + 1, seconds=now - self.clock, bytes=moved - self.moved, **figures)
        self.clock, self.moved = now, moved
        self.trace.epochs.append(row)
        self.show.epoch(row)
        told = self.on_round is not None and bool(self.on_round(row))
        late = self.time_limit is not None and now - self.started >= self.time_limit
        reasons = {reason: bool(reason), "callback": told, "time_limit": late, "max_iter": row.epoch >= self.limit}
        self.reason = next((reason for reason, holds in reasons.items() if holds), "")
        return self.reason
