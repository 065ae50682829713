"""Every update of a run, where someone asked for them: the voted answer, an audit, a replay."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.online.state import Array


class UpdateLog:
    """Every update of every half-space, in order: the row, the signed step, the shrink, and when.

    ``rows[k]``, ``steps[k]``, ``shrinks[k]`` and ``times[k]`` are arrays with one entry per update of half-space
    k: w_k <- shrink·w_k + step·x_row, made at the example number `time` that the half-space saw.
    """

    def __init__(self, count: int) -> None:
        self._rows: list[list[Array]] = [[] for _ in range(count)]
        self._numbers: list[list[Array]] = [[] for _ in range(count)]

    def __repr__(self) -> str:
        return f"UpdateLog({len(self):,} updates of {self.count} half-spaces)"

    def __len__(self) -> int:
        return sum(len(part) for parts in self._rows for part in parts)

    @property
    def count(self) -> int:
        return len(self._rows)

    def append(self, log: tuple[Array, ...], offset: int = 0) -> None:
        rows, numbers, sizes = log
        for k, size in enumerate(sizes):
            if size:
                self._rows[k].append(rows[k, :size].astype(np.int64) + offset)
                self._numbers[k].append(numbers[k, :size].copy())

    def _column(self, k: int, column: int) -> Array:
        return np.concatenate([part[:, column] for part in self._numbers[k]] or [np.empty(0)])

    @property
    def rows(self) -> list[Array]:
        return [np.concatenate(parts or [np.empty(0, np.int64)]) for parts in self._rows]

    @property
    def steps(self) -> list[Array]:
        return [self._column(k, 0) for k in range(self.count)]

    @property
    def shrinks(self) -> list[Array]:
        return [self._column(k, 1) for k in range(self.count)]

    @property
    def times(self) -> list[Array]:
        return [self._column(k, 2).astype(np.int64) for k in range(self.count)]
