"""The rows and updates that the voted answer is made of, gathered while learning."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array
from rosenblatt.engine.online.update_log import UpdateLog
from rosenblatt.models.voted import VotedModel, survival_counts
from rosenblatt.stored import MOST, array, checked, items, matrix


def votes_of(
    log: UpdateLog, count: int, seen: int, classes: Array, *, coupled: bool, n_jobs: int | None
) -> dict[str, Any]:
    """What the votes of `count` half-spaces are made of, after `seen` examples."""
    from rosenblatt.engine.online.votes import tally, tally_together

    return {
        "rows": log.rows[:count], "steps": log.steps[:count], "shrinks": log.shrinks[:count],
        "times": log.times[:count], "counts": [survival_counts(times, seen) for times in log.times[:count]],
        "seen": seen, "classes": classes, "coupled": coupled,
        "tally": tally_together if coupled else functools.partial(tally, n_jobs=n_jobs),
    }  # fmt: skip


class Committee:
    """Updates of `count` half-spaces, and a copy of each row that made one."""

    def __init__(self, count: int) -> None:
        self.log = UpdateLog(count)
        self.support: list[Any] = []

    def add(self, X: Any, log: UpdateLog) -> None:
        """Keep the updates that training on X made."""
        used = np.unique(np.concatenate([*log.rows, np.empty(0, np.int64)]))
        offset = sum(block.shape[0] for block in self.support)
        self.support.append(X[used])
        for k in range(log.count):
            rows = np.searchsorted(used, log.rows[k]) + offset
            numbers = np.stack([log.steps[k], log.shrinks[k], log.times[k]], axis=1)
            self.log._rows[k].append(rows)
            self.log._numbers[k].append(numbers)

    def fits(self, count: int, width: int) -> bool:
        """Whether it has so many half-spaces, and rows of this width (sparse rows may be narrower)."""
        sparse = any(scipy.sparse.issparse(block) for block in self.support)
        fits = [block.shape[1] <= width if sparse else block.shape[1] == width for block in self.support]
        return self.log.count == count and all(fits)

    def model(self, width: int, fit_intercept: bool, shrink_intercept: bool, **votes: Any) -> VotedModel:
        """The model of these updates over rows of this width; `votes` are those of `votes_of`."""
        if any(scipy.sparse.issparse(block) for block in self.support):
            blocks = [scipy.sparse.csr_array(block) for block in self.support]
            for block in blocks:
                block.resize(block.shape[0], width)
            support: Any = scipy.sparse.vstack(blocks, format="csr")
        else:
            support = np.concatenate(self.support)
        return VotedModel(support=support, fit_intercept=fit_intercept, shrink_intercept=shrink_intercept, **votes)

    def to_state(self) -> dict[str, Any]:
        """For a model file: the rows, and of every update its row, step, shrink and time."""
        log = self.log
        numbers = [np.stack([log.steps[k], log.shrinks[k], log.times[k]], axis=1) for k in range(log.count)]
        return {"support": list(self.support), "rows": log.rows, "numbers": numbers}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Committee:
        kinds = {"support": items(matrix), "rows": items(array("i", "updates"), "count"),
                 "numbers": items(array("f", "updates", 3), "count")}  # fmt: skip
        result = cls(checked("Committee", state, kinds)["count"])
        result.support = list(state["support"])
        total = sum(block.shape[0] for block in result.support)
        for k, (rows, numbers) in enumerate(zip(state["rows"], state["numbers"], strict=True)):
            check_updates(rows, numbers, total)
            result.log._rows[k].append(rows)
            result.log._numbers[k].append(numbers)
        return result


def check_updates(rows: Array, numbers: Array, total: int) -> None:
    """Row numbers that exist, and times that count examples."""
    if rows.dtype != np.int64 or numbers.dtype != np.float64 or len(rows) != len(numbers):
        raise ValueError("Committee: the updates have another dtype or length")
    if len(rows) and not (rows.min() >= 0 and rows.max() < total):
        raise ValueError("Committee: an update names a row that is not there")
    if not ((numbers[:, 2] >= 0) & (numbers[:, 2] < MOST)).all():
        raise ValueError("Committee: a time is not a number of examples")
