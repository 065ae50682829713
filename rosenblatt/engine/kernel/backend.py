"""What the epochs of the kernel engine ask of a backend: the task, and a typed contract for the CPU and for CUDA.

A backend computes kernel values, holds the scores of the rows, and scans blocks of rows. Which rows are visited, and
what is recorded of them, is decided in `epochs`, which does not know the backend that it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.kernel.values import Store
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.online.task import rows_that_count


@dataclass
class DualTask:
    """Rows and targets. Half-space k has target +1 for rows of class `positive[k]`; `classes` of them answer.

    `drop_after` and `budget` are 0 where there are none.
    """

    X: Any
    codes: Array
    sample_weight: Array
    positive: Array
    classes: int
    coupled: bool
    kernel: Any
    dtype: np.dtype[Any]
    drop_after: int = 0
    budget: int = 0
    block: int = 1024
    n_jobs: int | None = None

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def kept(self) -> Array:
        return rows_that_count(self.n_rows, self.sample_weight)

    def errors(self, scores: Array, rows: Array) -> float:
        """The weight of the rows that these scores answer wrongly."""
        wrong = answers(scores, self.classes) != self.codes[rows]
        return float(self.sample_weight[rows][wrong].sum() if len(self.sample_weight) else wrong.sum())


def answers(scores: Array, classes: int) -> Array:
    """The codes that scores of shape (rows, half-spaces) answer: a score of 0, or equal ones of two, is class 1."""
    if classes == 1:
        return (scores[:, 0] >= 0).astype(np.int32)
    if classes == 2:
        return (scores[:, 1] >= scores[:, 0]).astype(np.int32)
    return scores[:, :classes].argmax(axis=1)


class Block(Protocol):
    """Some rows on their visit. The arrays may be changed where support rows leave."""

    rows: Array
    coefficients: Array  # (rows, half-spaces)
    counts: Array  # (half-spaces, rows)
    held: Array  # which rows are support rows
    stopped: Array  # [1]: half-spaces moved so far

    def updates(self, start: int, stop: int) -> tuple[Array, Array, Array, Array]:
        """(positions, steps, mistakes, dropped) of the rows that made an update in the last scan."""
        ...


class Backend(Protocol):
    """Where kernel values, scores and scans are computed. Used in a `with` block."""

    fresh: bool  # scores are computed from the support at every visit, not kept
    store: Any  # support rows, or the rows of this epoch's updates; has `keep(slots)`
    test: list[Any]  # what `add_test_rows` was given; empty without

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: Any) -> None: ...

    def begin_epoch(self) -> None: ...

    def mark(self) -> int:
        """How many updates there are in this epoch so far."""
        ...

    def open(self, rows: Array, slots: Array, state: Expansion) -> Any:
        """A `Block` with up-to-date scores; `slots` are those of its rows in the expansion, -1 for none."""
        ...

    def scan(self, block: Any, start: int, room: int, squared: Array) -> tuple[int, int]:
        """Visit rows from `start` on, adding to ‖w‖² in `squared`; (why it stopped, where)."""
        ...

    def learn(self, block: Any, positions: Array, steps: Array, new: Array) -> None:
        """Rows at these positions have made updates; those marked `new` had no coefficient before."""
        ...

    def forget(self, block: Any, start: int, slot: int, coefficients: Array) -> tuple[Array, float]:
        """Take the support row in `slot` out of the block's scores; (its own scores, K of it with itself)."""
        ...

    def bring_all_up_to_date(self, visits: list[tuple[Array, int]]) -> None:
        """Add what was learned since these marks to the scores of the rows visited at them."""
        ...

    def training_errors(self, rows: Array, coefficients: Array) -> float:
        """The weight of these rows that are misclassified now; all rows must be up to date."""
        ...

    def add_test_rows(self, X: Any, codes: Array) -> None: ...

    def test_error(self, coefficients: Array) -> float: ...

    def store_of(self, state: Expansion) -> Store:
        """The support rows, slot by slot, on the host."""
        ...
