"""Sums of kernel values, sum_j c_j K(x_i, x_j), tile by tile on several threads.

A tile is a matrix product that stays near one core: dot products, the kernel in place, and the product with the
coefficients before anything leaves for memory. Tiles are cut the same way for any number of threads, and each is
computed by one thread, so the sums are the same bits for any number. No more than TILE values stand in memory for each
thread, however many rows there are.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

import numpy as np
from threadpoolctl import ThreadpoolController

from rosenblatt.engine.kernel.values import DotProducts, Operand, values_of
from rosenblatt.engine.online.state import Array

TILE_ROWS, TILE_COLUMNS = 1024, 512
SHARES = 4  # a row of tiles is cut into a multiple of this, so that threads end at about the same time
NARROW = 256  # columns of a tile of half the height that is still well shaped
MANY = 8  # pieces of work that are not cut any further
STRIP = 512  # rows of a strip of a small product
WORTH_THREADS = 2**13  # kernel values


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def cores(n_jobs: int | None) -> int:
    """How many threads to use; None is as many as there are cores, as for any matrix product."""
    if n_jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


class Products:
    """Kernel values and their sums, by `threads` threads. Use it in a `with` block."""

    def __init__(self, source: DotProducts, intercept: bool, threads: int) -> None:
        self.source, self.intercept, self.threads = source, intercept, threads
        self.local = threading.local()
        self.pool: ThreadPoolExecutor | None = None
        self.values_summed = 0  # kernel values in sums so far, for those who measure
        self.counting = threading.Lock()

    def __enter__(self) -> Self:
        # While tiles run on threads of ours, each product is one thread's.
        self.limits = _controller().limit(limits=1, user_api="blas")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.limits.restore_original_limits()
        if self.pool is not None:
            self.pool.shutdown()
            self.pool = None

    def values(self, left: Operand, right: Operand, out: Array | None = None) -> Array:
        """K(x, y), and 1 more where there is an intercept."""
        values = self.source.values(left, right, out)
        if self.intercept:
            values += values.dtype.type(1)
        return values

    def matrix(self, left: Operand, right: Operand) -> Array:
        """All values between two operands, as columns of few rows: `right` is short."""
        cuts = [(start, min(start + STRIP, len(left))) for start in range(0, len(left), STRIP)]
        if len(cuts) == 1:
            return self.values(left, right)
        result = np.empty((len(left), len(right)), self.source.dtype)

        def strip(cut: tuple[int, int]) -> Array:
            result[cut[0] : cut[1]] = self.values(left.part(*cut), right)
            return result

        for _ in self._run(strip, cuts, result.size):
            pass
        return result

    def each(self, work: Callable[[Any], None], items: list[Any]) -> None:
        """Do the work for every item; where there are many, one thread does the whole of an item's."""
        if len(items) < MANY:
            for item in items:
                work(item)
            return

        def alone(item: Any) -> None:
            self.local.whole = True
            try:
                work(item)
            finally:
                self.local.whole = False

        for _ in map(alone, items) if self.threads == 1 else self._threads().map(alone, items):
            pass

    def sums(
        self,
        left: Operand,
        right: Operand,
        coefficients: Array,
        keep: Callable[[Array, slice, slice], None] | None = None,
        values: Callable[[slice, slice], Array] | None = None,
    ) -> Array:
        """sum_j coefficients[j] K(x_i, x_j) in float64, of shape (left, half-spaces).

        `keep` is shown every tile; `values` makes a tile where it need not be computed.
        """
        n, m = len(left), len(coefficients)
        result = np.zeros((n, coefficients.shape[1]))
        if m == 0 or n == 0:
            return result
        weights = coefficients.astype(self.source.dtype)
        height, width = self._tile_shape(m)
        tiles = [
            (slice(i, min(i + height, n)), slice(j, min(j + width, m)))
            for i in range(0, n, height)
            for j in range(0, m, width)
        ]

        def tile(place: tuple[slice, slice]) -> Array:
            rows, columns = place
            if values is None:
                out = self._buffer(rows.stop - rows.start, columns.stop - columns.start)
                block = self.values(left.part(rows.start, rows.stop), right.part(columns.start, columns.stop), out)
            else:
                block = values(rows, columns)
            if keep is not None:
                keep(block, rows, columns)
            with np.errstate(over="ignore", invalid="ignore"):
                return block @ weights[columns]

        with self.counting:
            self.values_summed += n * m
        for (rows, _), part in zip(tiles, self._run(tile, tiles, n * m), strict=True):
            result[rows] += part  # in the order of the tiles, whoever made them
        return result

    def _tile_shape(self, columns: int) -> tuple[int, int]:
        """Rows and columns of a tile; narrow sums are cut so that several threads have something to do."""
        if getattr(self.local, "whole", False):
            return TILE_ROWS, TILE_COLUMNS
        if columns <= TILE_COLUMNS:
            return TILE_ROWS // 2, max(columns // 2, min(NARROW, columns)) + 1
        return TILE_ROWS, -(-columns // (SHARES * -(-columns // (SHARES * TILE_COLUMNS))))

    def _buffer(self, height: int, width: int) -> Array:
        """This thread's own memory for a tile: fresh memory for every tile would cost as much as the kernel."""
        if not hasattr(self.local, "memory"):
            self.local.memory = np.empty(TILE_ROWS * TILE_COLUMNS, self.source.dtype)
        memory: Array = self.local.memory[: height * width]
        return memory.reshape(height, width)

    def _run(self, work: Callable[[Any], Array], items: list[Any], values: int) -> Any:
        """Do the work on several threads where so many kernel values are worth waking them for."""
        alone = self.threads == 1 or getattr(self.local, "whole", False)
        if alone or len(items) == 1 or values < WORTH_THREADS:
            return map(work, items)
        return self._threads().map(work, items)

    def _threads(self) -> ThreadPoolExecutor:
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.threads)
        return self.pool


def expansion_scores(
    kernel: Any, X: Any, support: Any, coefficients: Array, intercept: bool, dtype: Any, n_jobs: int | None
) -> Array:
    """The scores of the rows X under an expansion over support rows; no more than a few tiles stand in memory."""
    source = values_of(kernel, X, dtype)
    with Products(source, intercept, cores(n_jobs)) as products:
        right = source.operand(support, support if kernel.name == "precomputed" else None)
        result = np.empty((X.shape[0], coefficients.shape[1]))
        step = TILE_ROWS * max(2, 2 * products.threads)
        for start in range(0, X.shape[0], step):
            rows = np.arange(start, min(start + step, X.shape[0]))
            left = source.operand(X, rows if kernel.name == "precomputed" else slice(start, start + step))
            result[start : start + step] = products.sums(left, right, coefficients)
    return result
