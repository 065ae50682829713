"""Products with a matrix of rows, dense or CSR, in fixed blocks of rows that are spread over threads.

A block stays in the cache while it is used, and the sums over blocks are made in their order: the same bits for any
number of threads. W is (K, d + 1), the intercept last: a column of ones that is never stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import map_blocks, row_blocks, thread_count

BLOCK = 2**19  # numbers
GROUPS = 8  # partial sums of a Gram matrix


class Products:
    """Products with the rows of X in the dtype `kind`: by default float32 unless the rows are float64."""

    def __init__(self, X: Any, kind: Any = None, n_jobs: int | None = 1) -> None:
        self.n, self.width = X.shape
        self.sparse = bool(scipy.sparse.issparse(X))
        self.numbers = int(X.nnz if self.sparse else X.size)
        self.kind = np.dtype(kind or (np.float64 if X.dtype == np.float64 else np.float32))
        self.n_jobs = n_jobs
        slices = row_blocks(self.n, int(BLOCK * self.n / max(1, self.numbers)))
        self.blocks = [(block, _rows_of_block(X, block) if self.sparse else X[block]) for block in slices]

    def _rows(self, rows: Any) -> Any:
        return rows if rows.dtype == self.kind else rows.astype(self.kind)

    def _map(self, function: Any, blocks: Any, work: float) -> list[Any]:
        return map_blocks(function, blocks, thread_count(self.n_jobs, work))

    def scores(self, weights: Array) -> Array:
        """X·wᵀ + b for every row and output, (n, K) in float64."""
        result = np.empty((self.n, len(weights)))
        turned = np.ascontiguousarray(weights[:, :-1].T, self.kind)

        def fill(part: tuple[slice, Any]) -> None:
            block, rows = part
            result[block] = self._rows(rows) @ turned
            result[block] += weights[:, -1]

        self._map(fill, self.blocks, self.numbers * len(weights))
        return result

    def back(self, slopes: Array) -> Array:
        """The sum over rows of slopes times row, (K, d + 1)."""

        def add(part: tuple[slice, Any]) -> Array:
            block, rows = part
            own = np.ascontiguousarray(slopes[block], self.kind)
            return (self._rows(rows).T @ own).T if self.sparse else own.T @ self._rows(rows)

        result = np.zeros((slopes.shape[1], self.width + 1))
        for part in self._map(add, self.blocks, self.numbers * slopes.shape[1]):
            result[:, :-1] += part
        result[:, -1] = slopes.sum(axis=0)
        return result

    def gram(self, weights: Array) -> Array:
        """The sum over rows of c x xᵀ for weights c >= 0, where x ends with a 1: (d + 1, d + 1)."""
        used = np.flatnonzero(weights)
        roots = np.sqrt(weights).astype(self.kind)

        def add(parts: list[tuple[slice, Any]]) -> tuple[Array, Array]:
            total, sums = np.zeros((self.width, self.width)), np.zeros(self.width)
            for block, rows in parts:
                own = used[np.searchsorted(used, block.start) : np.searchsorted(used, block.stop)]
                if not len(own):
                    continue
                chosen = self._rows(rows if len(own) == rows.shape[0] else rows[own - block.start])
                root = roots[own]
                if self.sparse:
                    scaled = scipy.sparse.diags_array(root) @ chosen
                    total += (scaled.T @ scaled).toarray()
                else:
                    scaled = chosen * root[:, None]
                    total += scaled.T @ scaled
                sums += scaled.T @ root
            return total, sums

        result = np.zeros((self.width + 1, self.width + 1))
        groups = [self.blocks[start::GROUPS] for start in range(min(GROUPS, len(self.blocks)))]
        per_row = (self.numbers / max(1, self.n)) ** 2 if self.sparse else self.width**2 / 8
        for total, sums in self._map(add, groups, len(used) * per_row):
            result[:-1, :-1] += total
            result[-1, :-1] += sums
        result[:-1, -1] = result[-1, :-1]
        result[-1, -1] = weights.sum()
        return result

    def square_sums(self, weights: Array) -> Array:
        """The sum over rows of c x² for weights c (n, K), where x ends with a 1: the diagonals of Gram matrices."""

        def add(part: tuple[slice, Any]) -> Array:
            block, rows = part
            rows, own = self._rows(rows), np.ascontiguousarray(weights[block], self.kind)
            return (rows.multiply(rows).T @ own).T if self.sparse else own.T @ (rows * rows)

        result = np.zeros((weights.shape[1], self.width + 1))
        for part in self._map(add, self.blocks, self.numbers * weights.shape[1]):
            result[:, :-1] += part
        result[:, -1] = weights.sum(axis=0)
        return result


def _rows_of_block(X: Any, block: slice) -> Any:
    """Some rows of a CSR matrix, as views of its arrays."""
    start, stop = int(X.indptr[block.start]), int(X.indptr[block.stop])
    starts = X.indptr[block.start : block.stop + 1] - X.indptr[block.start]
    arrays = X.data[start:stop], X.indices[start:stop], starts
    return scipy.sparse.csr_array(arrays, shape=(block.stop - block.start, X.shape[1]), copy=False)
