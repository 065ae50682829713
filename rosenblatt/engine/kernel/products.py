"""Sums of kernel values, sum_j c_j K(x_i, x_j), tile by tile on several threads.

A tile is a matrix product that stays near one core: dot products, the kernel in place, and the product with the
coefficients before anything leaves for memory. Tiles are cut the same way for any number of threads, each is computed
by one thread with one BLAS thread, and sums are added up in the order of the tiles: the same bits for any number. At
most TILE_ROWS x TILE_COLUMNS values are in memory for each thread, however many rows there are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Self

import numpy as np

from rosenblatt.engine.kernel.values import DotProducts, Operand, values_of
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import one_blas_thread, thread_count

TILE_ROWS, TILE_COLUMNS = 256, 512
ENOUGH = 2  # pieces of work for each thread, so that they end at about the same time
WORTH_CUTTING = 2**25  # multiplications: with fewer, handing out strips takes longer than they do


class Products:
    """Kernel values and their sums, on at most `n_jobs` threads. Use it in a `with` block."""

    def __init__(self, source: DotProducts, n_jobs: int | None) -> None:
        self.source, self.threads = source, thread_count(n_jobs)
        self.local = threading.local()
        self.pool: ThreadPoolExecutor | None = None
        self.resources = ExitStack()

    def __enter__(self) -> Self:
        self.resources.enter_context(one_blas_thread())
        return self

    def __exit__(self, *error: Any) -> None:
        self.resources.close()
        self.pool = None

    def matrix(self, left: Operand, right: Operand) -> Array:
        """All values between two operands, in strips of rows."""
        work = _work(left, len(right))
        if work < WORTH_CUTTING:
            return self.source.values(left, right)
        strips = _cuts(len(left), TILE_ROWS)
        result = np.empty((len(left), len(right)), self.source.dtype)

        def fill(strip: slice) -> None:
            result[strip] = self.source.values(left.part(strip.start, strip.stop), right)

        for _ in self._run(fill, strips, work):
            pass
        return result

    def each(self, work: Callable[[Any], None], items: list[Any]) -> None:
        """Do the work for every item; one thread does a whole item where there are enough of them."""
        if self.threads == 1 or len(items) < ENOUGH * self.threads:
            for item in items:
                work(item)
            return

        def whole(item: Any) -> None:
            self.local.whole = True
            try:
                work(item)
            finally:
                self.local.whole = False

        for _ in self._threads().map(whole, items):
            pass

    def sums(self, left: Operand, right: Operand, coefficients: Array) -> Array:
        """sum_j coefficients[j] K(x_i, x_j) in float64, of shape (left, half-spaces)."""
        n, m = len(left), len(coefficients)
        result = np.zeros((n, coefficients.shape[1]))
        if m == 0 or n == 0:
            return result
        weights = coefficients.astype(self.source.dtype)
        tiles = [(rows, columns) for rows in _cuts(n, TILE_ROWS) for columns in _cuts(m, TILE_COLUMNS)]

        def tile(place: tuple[slice, slice]) -> Array:
            rows, columns = place
            out = self._buffer(rows.stop - rows.start, columns.stop - columns.start)
            block = self.source.values(left.part(rows.start, rows.stop), right.part(columns.start, columns.stop), out)
            with np.errstate(over="ignore", invalid="ignore"):
                return block @ weights[columns]

        for (rows, _), part in zip(tiles, self._run(tile, tiles, _work(left, m)), strict=True):
            result[rows] += part  # in the order of the tiles, not in that of the threads
        return result

    def _buffer(self, height: int, width: int) -> Array:
        """This thread's own memory for a tile: fresh memory for every tile would cost as much as the kernel."""
        if not hasattr(self.local, "memory"):
            self.local.memory = np.empty(TILE_ROWS * TILE_COLUMNS, self.source.dtype)
        memory: Array = self.local.memory[: height * width]
        return memory.reshape(height, width)

    def _run(self, work: Callable[[Any], Any], items: list[Any], multiplications: float) -> Iterable[Any]:
        """The results in the order of the items, on several threads where the work is worth it."""
        inside = getattr(self.local, "whole", False)  # this thread already is one of several
        if inside or len(items) == 1 or thread_count(self.threads, multiplications) == 1:
            return map(work, items)
        return self._threads().map(work, items)

    def _threads(self) -> ThreadPoolExecutor:
        if self.pool is None:
            self.pool = self.resources.enter_context(ThreadPoolExecutor(self.threads))
        return self.pool


def _cuts(length: int, step: int) -> list[slice]:
    return [slice(start, min(start + step, length)) for start in range(0, length, step)]


def _work(left: Operand, columns: int) -> float:
    """Multiplications in the products of these rows with so many others."""
    return float(np.prod(left.rows.shape, dtype=float)) * columns


def expansion_scores(kernel: Any, X: Any, support: Any, coefficients: Array, dtype: Any, n_jobs: int | None) -> Array:
    """The scores of the rows X under an expansion over support rows; at most a few tiles are in memory."""
    source = values_of(kernel, X, dtype)
    with Products(source, n_jobs) as products:
        right = source.operand(support, support if kernel.name == "precomputed" else None)
        result = np.empty((X.shape[0], coefficients.shape[1]))
        step = 2 * ENOUGH * TILE_ROWS * products.threads
        for start in range(0, X.shape[0], step):
            rows = np.arange(start, min(start + step, X.shape[0]))
            left = source.operand(X, rows if kernel.name == "precomputed" else slice(start, start + step))
            result[start : start + step] = products.sums(left, right, coefficients)
    return result
