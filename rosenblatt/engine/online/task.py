"""What a run has to do: what is learned from what, and how much of it at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array, HalfSpaces

SCORES_KEPT = 2**18  # bytes in one stretch
ROWS = 2**14  # rows in one stretch; for a single half-space, which keeps no scores,
ROWS_OF_ONE = 2**16  # more
PRODUCTS = 2**27  # multiplications in one stretch, about a twentieth of a second


@dataclass
class Task:
    """What is learned from what: rows, class codes, and the half-spaces that are told of them.

    Half-space k is told +1 for rows of class `positive[k]` and -1 for the others. `classes` half-spaces
    answer together (1: two classes, told apart by one half-space); any further ones only listen.
    """

    rows: tuple[Array, ...]
    codes: Array
    sample_weight: Array
    layout: str
    rule: Any
    params: Array
    weighted: int
    positive: Array
    classes: int
    coupled: bool = False
    intercept: bool = True
    shrink_intercept: bool = False
    n_jobs: int = 1

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def total_weight(self) -> float:
        return float(self.sample_weight.sum()) if len(self.sample_weight) else float(self.n_rows)

    @property
    def kept(self) -> Array:
        """The rows that count: a weight of 0 is the row left out."""
        if len(self.sample_weight) == 0:
            return np.arange(self.n_rows, dtype=np.int32 if self.n_rows < 2**31 else np.int64)
        return np.flatnonzero(self.sample_weight).astype(np.int32 if self.n_rows < 2**31 else np.int64)


def products_per_row(task: Task, count: int) -> float:
    numbers = task.rows[0].shape[1] if task.layout == "rows" else max(1.0, len(task.rows[0]) / max(1, task.n_rows))
    return float(numbers * max(1, count))


def products(task: Task, kept: Array, count: int) -> float:
    """Multiplications in a pass over the rows that count."""
    if task.layout == "rows" or len(kept) == task.n_rows:
        return products_per_row(task, count) * len(kept)
    return float(np.diff(task.rows[2])[kept].sum() * max(1, count))


def stretch_length(task: Task, state: HalfSpaces, check_every_update: bool) -> int:
    if check_every_update:
        return 1
    kept = SCORES_KEPT if task.layout == "rows" else 4 * SCORES_KEPT  # beside many sparse weights they weigh little
    per_row = max(1, state.count) * state.dtype.itemsize
    most = ROWS_OF_ONE if state.count == 1 else min(kept / per_row, ROWS)
    longest = min(PRODUCTS / products_per_row(task, state.count), most)
    return max(256, int(longest))
