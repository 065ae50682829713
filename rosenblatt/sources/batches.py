"""Rows that come in pieces of any length, handed on in batches of one length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .matrix import Matrix

if TYPE_CHECKING:
    import polars as pl

    Rows = pl.DataFrame | Matrix


def in_batches(pieces: Iterable[Rows], n_rows: int) -> Iterator[Rows]:
    """The same rows `n_rows` at a time, wherever the pieces end; fewer in the last batch.

    Examples
    --------
    >>> import numpy as np
    >>> files = [Matrix(np.array([[1], [2], [3]])), Matrix(np.array([[4]]))]
    >>> [batch.X.ravel().tolist() for batch in in_batches(files, 2)]
    [[1, 2], [3, 4]]
    """
    waiting: list[Rows] = []
    height = 0
    for piece in pieces:
        start = 0
        while height + len(piece) - start >= n_rows:
            stop = start + n_rows - height
            yield _together([*waiting, _part(piece, start, stop)])
            start, waiting, height = stop, [], 0
        if start < len(piece):
            waiting.append(_part(piece, start, len(piece)))
            height += len(piece) - start
    if waiting:
        yield _together(waiting)


def _part(rows: Rows, start: int, stop: int) -> Rows:
    if stop - start == len(rows):
        return rows
    return rows.take(slice(start, stop)) if isinstance(rows, Matrix) else rows.slice(start, stop - start)


def _together(parts: list[Any]) -> Rows:
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    return Matrix.stacked(parts) if isinstance(parts[0], Matrix) else pl.concat(parts, how="vertical_relaxed")
