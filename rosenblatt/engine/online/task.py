"""What a run has to do: what is learned from what, and how much of it between two looks at the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array, HalfSpaces

ROWS = 2**16  # in one segment, at most
PRODUCTS = 2**29  # multiplications in one segment, at most about a tenth of a second


def rows_that_count(n_rows: int, sample_weight: Array) -> Array:
    """The numbers of the rows; a weight of 0 is the row left out."""
    kind = np.int32 if n_rows < 2**31 else np.int64
    return np.flatnonzero(sample_weight).astype(kind) if len(sample_weight) else np.arange(n_rows, dtype=kind)


@dataclass
class Task:
    """What is learned from what: rows, class codes, and the half-spaces that learn from them.

    Half-space k is told +1 for rows of class `positive[k]` and -1 for the others. `classes` half-spaces
    predict together (1: two classes, separated by one half-space); any further ones only learn.
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
    def kept(self) -> Array:
        return rows_that_count(self.n_rows, self.sample_weight)

    @property
    def products_per_row(self) -> float:
        """Multiplications for the score of one half-space and a row of average length."""
        dense = self.layout == "rows"
        return float(self.rows[0].shape[1]) if dense else max(1.0, len(self.rows[0]) / max(1, self.n_rows))


def segment_length(task: Task, state: HalfSpaces) -> int:
    """How many rows are visited between two looks at the clock: it depends on the data alone, never on threads."""
    return max(256, min(ROWS, int(PRODUCTS / (task.products_per_row * max(1, state.count)))))
