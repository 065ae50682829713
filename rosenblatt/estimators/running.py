"""A run of an estimator: its trace, who is told of it, and what may stop it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import numpy as np

from rosenblatt.progress import reporter
from rosenblatt.seeds import random_state_of
from rosenblatt.trace import Epoch, Trace

FIRST_NUMBERS = 2**31 - 1


class Run:
    """Used in a `with` block around the epochs, whose `watch` the engine asks after each of them."""

    def __init__(
        self, estimator: Any, on_epoch: Callable[[Epoch], object] | None = None, tol: float | None = None
    ) -> None:
        from rosenblatt.engine.online.stopping import Watch

        verbose = getattr(estimator, "verbose", 0)
        self.trace, self.on_epoch = Trace(), on_epoch
        self.show = reporter(verbose, type(estimator).__name__, estimator.max_iter)
        self.watch = Watch(
            time_limit=getattr(estimator, "time_limit", None),
            tol=tol,
            on_epoch=self.note,
            on_progress=self.show.progress if verbose else None,
        )

    def note(self, figures: dict[str, Any]) -> object:
        """An epoch is over; something true stops the run."""
        row = Epoch(**figures)
        self.trace.epochs.append(row)
        self.show.epoch(row)
        return None if self.on_epoch is None else self.on_epoch(row)

    def __enter__(self) -> Self:
        self.show.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.show.finish(self.trace)
        self.show.__exit__(kind, error, trace)


def seed_of(estimator: Any) -> int | None:
    """What the orders of the rows are made from; None for the order in which they came."""
    if not getattr(estimator, "shuffle", True):
        return None
    seed = estimator.random_state
    return _first_number(seed) if type(seed) is int else int(random_state_of(seed).randint(FIRST_NUMBERS))


@functools.lru_cache(maxsize=64)
def _first_number(seed: int) -> int:
    """What a generator with this seed says first. To make one takes longer than to train on a small set."""
    return int(np.random.RandomState(seed).randint(FIRST_NUMBERS))
