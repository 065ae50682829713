"""A run of an estimator: its trace, its callbacks, and what may stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosenblatt.progress import reporter
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch, Trace

if TYPE_CHECKING:
    from rosenblatt.engine.online.stopping import Watch


@dataclass
class Run:
    """The trace of a run, and what the engine asks after each of its epochs."""

    trace: Trace
    watch: Watch


@contextmanager
def running(
    estimator: Any, on_epoch: Callable[[Epoch], object] | None = None, tol: float | None = None
) -> Iterator[Run]:
    """A run around the epochs: every epoch is kept, shown if `verbose`, and passed to the callback."""
    from rosenblatt.engine.online.stopping import Watch

    verbose, trace = getattr(estimator, "verbose", 0), Trace()

    def keep(figures: dict[str, Any]) -> object:
        row = Epoch(**figures)
        trace.epochs.append(row)
        show.epoch(row)
        return None if on_epoch is None else on_epoch(row)

    with reporter(verbose, type(estimator).__name__, estimator.max_iter) as show:
        limit = getattr(estimator, "time_limit", None)
        yield Run(trace, Watch(limit, tol, on_epoch=keep, on_progress=show.progress if verbose else None))
        show.finish(trace)


def seed_of(estimator: Any) -> int | None:
    """What the orders of the rows are made from; None for the order in which they came."""
    if not getattr(estimator, "shuffle", True):
        return None
    return int(random_state_of(estimator.random_state).randint(2**31 - 1))
