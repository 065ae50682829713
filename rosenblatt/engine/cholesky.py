"""A Cholesky factor that rows join and leave: what an active set needs at every step."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online.state import Array

REFRESH = 200  # rows that may leave before the factor is computed again from the matrix


@compiled.jit
def _remove(factor: Array, size: int, index: int, cosines: Array, sines: Array) -> None:
    """Close the gap of one row and its column; plane rotations make the rest triangular again."""
    for row in range(index, size - 1):
        # Row `row + 1` moves up; it meets the rotations of the rows above it, then makes its own.
        carried = factor[row + 1, index]
        for column in range(index, row):
            following = factor[row + 1, column + 1]
            factor[row, column] = cosines[column] * carried + sines[column] * following
            carried = cosines[column] * following - sines[column] * carried
        last = factor[row + 1, row + 1]
        length = math.hypot(carried, last)
        cosines[row] = carried / length
        sines[row] = last / length
        factor[row, row] = length
        for column in range(index):
            factor[row, column] = factor[row + 1, column]


@compiled.jit(any_order=True)
def _solve(factor: Array, size: int, right: Array, whole: bool) -> None:
    """Put the solution of factor·factor'·x = right in its place, or of factor·x = right if not `whole`.

    `right` has one row for each right-hand side.
    """
    for side in range(right.shape[0]):
        for row in range(size):
            total = 0.0
            for column in range(row):
                total += factor[row, column] * right[side, column]
            right[side, row] = (right[side, row] - total) / factor[row, row]
        if not whole:
            continue
        for row in range(size - 1, -1, -1):
            value = right[side, row] / factor[row, row]
            right[side, row] = value
            for column in range(row):
                right[side, column] -= value * factor[row, column]


class GrowingCholesky:
    """The lower Cholesky factor of a positive definite matrix whose rows and columns come and go."""

    def __init__(self) -> None:
        self.size = 0
        self._matrix = np.zeros((64, 64))
        self._factor = np.zeros((64, 64))
        self._scratch = np.zeros((2, 64))
        self._removed = 0

    @property
    def matrix(self) -> Array:
        return self._matrix[: self.size, : self.size]

    def append(self, columns: Array, corner: Array) -> None:
        """Add rows: `columns` is (old size, added), `corner` (added, added). LinAlgError if no longer definite."""
        old, new = self.size, self.size + len(corner)
        below = np.array(columns.T, order="C")
        _solve(self._factor, old, below, False)
        remaining = cholesky(corner - below @ below.T, lower=True, check_finite=False)
        if np.any(np.diag(remaining) ** 2 <= 1e-13 * np.diag(corner)):
            raise LinAlgError("the rows are dependent to within rounding")
        self._reserve(new)
        self._matrix[:old, old:new], self._matrix[old:new, :old] = columns, columns.T
        self._matrix[old:new, old:new] = corner
        self._factor[old:new, :old], self._factor[old:new, old:new] = below, remaining
        self.size = new

    def remove(self, indices: Array) -> None:
        """Take rows out."""
        many = len(indices) > max(1, self.size // 8)
        for index in np.sort(indices)[::-1]:
            self._matrix[index : self.size - 1] = self._matrix[index + 1 : self.size]
            self._matrix[: self.size, index : self.size - 1] = self._matrix[: self.size, index + 1 : self.size]
            if not many:
                _remove(self._factor, self.size, int(index), *self._scratch)
            self.size -= 1
        self._removed += len(indices)
        if many or self._removed > REFRESH:
            self.refresh()

    def refresh(self) -> bool:
        """Compute the factor again from the matrix; False if nothing was taken out since the last time."""
        if not self._removed:
            return False
        self._factor[: self.size, : self.size] = cholesky(self.matrix, lower=True, check_finite=False)
        self._removed = 0
        return True

    def solve(self, right: Array, refine: bool = False) -> Array:
        """The solutions of matrix·x = right, one row each; `refine` takes the rounding out once more."""
        answer: Array = right.copy()
        _solve(self._factor, self.size, answer, True)
        if refine:
            residual = right - answer @ self.matrix
            _solve(self._factor, self.size, residual, True)
            answer += residual
        return answer

    def _reserve(self, size: int) -> None:
        if size > len(self._matrix):
            room = max(size, 2 * len(self._matrix))
            for name in ("_matrix", "_factor"):
                grown = np.zeros((room, room))
                grown[: self.size, : self.size] = getattr(self, name)[: self.size, : self.size]
                setattr(self, name, grown)
            self._scratch = np.zeros((2, room))
