"""Epochs for many settings at once: each setting stops when a separate fit would, with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.grid import loop as tile
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import (
    BIAS,
    BIAS_LAG,
    MARK,
    REACH,
    SCALE,
    SEEN,
    SETTLE_AFTER,
    UPDATES,
    Array,
    HalfSpaces,
    aligned_zeros,
)
from rosenblatt.engine.online.stopping import Watch
from rosenblatt.engine.online.task import Task, segment_length

# The rows of a tile's ledger that a state keeps too, and their columns there.
SHARED = (
    (tile.BIAS, BIAS),
    (tile.BIAS_LAG, BIAS_LAG),
    (tile.SCALE, SCALE),
    (tile.REACH, REACH),
    (tile.MARK, MARK),
    (tile.UPDATES, UPDATES),
)


class SearchInterrupted(Exception):  # noqa: N818  what happened is no error
    """Ctrl-C was pressed before the settings were done."""


@dataclass
class Ending:
    """How a setting ended; without a state if it needs a separate fit."""

    state: HalfSpaces | None = None
    stop_reason: str = "max_iter"
    mistakes: tuple[int, ...] = ()


class Tile:
    """The half-spaces of several settings, which differ in nothing but the rule's parameters."""

    def __init__(self, task: Task, n_features: int, dtype: np.dtype[Any], params: Array, averages: bool) -> None:
        self.task, self.n_features, self.dtype = task, n_features, dtype
        self.classes = len(task.positive)
        self.params, self.seen = params, 0
        self.numbers = np.arange(len(params))  # which settings are still here
        width = tile.lanes_for(self.classes * len(params), dtype)
        longest = n_features if task.layout == "rows" else int(np.diff(task.rows[2].astype(np.int64)).max(initial=0))
        self.vectors = aligned_zeros((n_features, width), dtype)
        self.lag = aligned_zeros((n_features if averages else 0, width), dtype)
        self.ledger = tile.new_ledger(width)
        self.totals: dict[int, Array | None] = {}
        self.longest = longest
        self.kernel = tile.visit_rows(task.rule, params.shape[1], task.weighted, task.layout)
        self._allocate()

    def _allocate(self) -> None:
        """What depends on which settings are here."""
        settings = len(self.numbers)
        self.positive = np.repeat(self.task.positive, settings)
        self.lane_params = np.ascontiguousarray(np.tile(self.params[self.numbers], (self.classes, 1)))
        self.workspace = tile.new_workspace(self.task.layout, self.longest, self.vectors.shape[1], self.dtype)
        self.mistakes = np.zeros(settings, np.int64)

    def visit(self, order: Array) -> None:
        task = self.task
        self.kernel(
            task.rows, order, task.codes, task.sample_weight, self.positive, self.lane_params, len(self.numbers),
            (self.vectors, self.lag, self.ledger), self.seen, self.workspace, self.mistakes,
            float(task.intercept), task.shrink_intercept,
        )  # fmt: skip
        self.seen += len(order)

    def lanes(self, place: int) -> slice:
        """The lanes of the setting at this place."""
        settings = len(self.numbers)
        return slice(place, self.classes * settings, settings)

    def updates(self, place: int) -> int:
        return int(self.ledger[tile.UPDATES, self.lanes(place)].sum())

    def overflowed(self, place: int) -> bool:
        return bool(self.ledger[tile.OVERFLOWED, self.lanes(place)].any())

    def state(self, place: int) -> HalfSpaces:
        """The half-spaces of one setting, as a separate fit would leave them."""
        lanes = self.lanes(place)
        state = HalfSpaces(self.classes, self.n_features, self.dtype, self.task.layout, averages=len(self.lag) > 0)
        state._write(state.vectors, self.vectors[:, lanes].T)
        if len(self.lag):
            state._write(state.lag, self.lag[:, lanes].T)
        for row, column in SHARED:
            state.ledger[: self.classes, column] = self.ledger[row, lanes]
        state.ledger[: self.classes, SEEN] = self.seen
        state.total = self.totals.get(int(self.numbers[place]))
        return state

    def settle(self) -> None:
        """As `HalfSpaces.settle`, for every setting whose sum of weights has outgrown float32."""
        if not len(self.lag) or self.dtype != np.float32:
            return
        reach = self.ledger[tile.REACH] + (self.seen - self.ledger[tile.MARK]) * self.ledger[tile.SCALE]
        for place, number in enumerate(self.numbers):
            if not reach[self.lanes(place)].max() > SETTLE_AFTER:
                continue
            state = self.state(place)
            state.settle()
            self.totals[int(number)] = state.total
            self.lag[:, self.lanes(place)] = 0
            for row, column in SHARED:
                self.ledger[row, self.lanes(place)] = state.ledger[: self.classes, column]

    def keep(self, places: list[int]) -> None:
        """Drop all settings but these."""
        before = self.vectors, self.lag, self.ledger
        chosen = np.concatenate([np.array(places) + c * len(self.numbers) for c in range(self.classes)])
        width = tile.lanes_for(len(chosen), self.dtype)
        self.vectors = aligned_zeros((self.n_features, width), self.dtype)
        self.lag = aligned_zeros((len(before[1]), width), self.dtype)
        self.ledger = tile.new_ledger(width)
        for old, new in zip(before, (self.vectors, self.lag, self.ledger), strict=True):
            new[:, : len(chosen)] = old[:, chosen]
        self.numbers = self.numbers[places]
        self._allocate()


def train_together(
    task: Task,
    n_features: int,
    dtype: np.dtype[Any],
    params: Array,
    *,
    max_iter: int,
    seed: int | None,
    tol: float | None = None,
    averages: bool = False,
    interrupted: Callable[[], bool] = lambda: False,
) -> list[Ending]:
    """The endings of settings, one for each row of `params`, all trained on the rows of `task`.

    Every setting has the bits of a separate fit (`online.epochs.train`), with `averages` those of the sums of the
    weights as well.
    """
    here = Tile(task, n_features, dtype, params, averages)
    endings = [Ending() for _ in params]
    watches = [Watch(tol=tol) for _ in params]
    kept = task.kept
    shuffler = None if seed is None else Shuffler(kept, seed)
    separate = HalfSpaces(here.classes, n_features, dtype, task.layout, averages=False)
    length = segment_length(task, separate)
    for number in range(1, max_iter + 1):
        order = kept if shuffler is None else shuffler()
        updates = [here.updates(place) for place in range(len(here.numbers))]
        here.mistakes[:] = 0
        for start in range(0, len(order), length):
            here.visit(order[start : start + length])
            here.settle()
            if interrupted():
                raise SearchInterrupted
        going = []
        for place, setting in enumerate(here.numbers):
            ending, mistakes = endings[setting], int(here.mistakes[place])
            ending.mistakes += (mistakes,)
            asked = watches[setting].after_epoch({"mistakes": mistakes}, len(order))
            if here.overflowed(place):
                endings[setting] = Ending()
                continue
            if here.updates(place) == updates[place] and mistakes == 0:
                asked = "converged"
            if asked or number == max_iter:
                ending.stop_reason = asked or ending.stop_reason
                ending.state = here.state(place)
            else:
                going.append(place)
        if not going:
            break
        if len(going) < len(here.numbers):
            here.keep(going)
    return endings
