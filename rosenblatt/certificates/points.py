"""The rows of one problem as the prover sees them: signed, shifted and scaled, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array

BLOCK = 1 << 22  # numbers that are widened to float64 at a time
HARD = 1 << 20  # numbers in the rows that are looked at in every step, at first


def dense_product(left: Any, right: Any) -> Array:
    """left @ right as a plain array, whatever is sparse."""
    product = left @ right
    return np.asarray(product.toarray() if scipy.sparse.issparse(product) else product)


class Points:
    """The signed rows a_i = y_i ((x_i - shift) · scale), with y_i · constant as one more coordinate unless that is 0.

    `groups` says to which hull a row belongs: 0 and 1 for the two classes, 0 for all rows when there is one hull.
    """

    def __init__(self, X: Any, signs: Array, shift: Array | None, scale: Array, constant: float, groups: Array) -> None:
        self.X, self.signs, self.constant, self.groups = X, signs, constant, groups
        self.sparse = scipy.sparse.issparse(X)
        self.shift, self.scale = shift, scale
        self.push: Array | None = None  # what is added to the rows of group 0; for dense rows
        norms = self._squared_norms()
        self.radius = float(np.sqrt(norms.max())) or 1.0

    @property
    def width(self) -> int:
        return int(self.X.shape[1]) + bool(self.constant)

    def blocks(self) -> list[slice]:
        rows = max(1, BLOCK // max(1, self.X.shape[1]))
        return [slice(first, first + rows) for first in range(0, self.X.shape[0], rows)]

    def take(self, index: Any) -> Any:
        """These rows: a dense float64 array, or CSR when the data is."""
        signs = self.signs[index][:, None]
        if self.sparse:
            rows = scipy.sparse.csr_array(self.X[index], dtype=np.float64)
            rows = rows * self.scale[None, :] * signs if rows.nnz else rows
            if self.constant:
                rows = scipy.sparse.hstack([rows, scipy.sparse.csr_array(self.constant * signs)])
            return scipy.sparse.csr_array(rows)
        rows = self.X[index].astype(np.float64)
        if self.shift is not None:
            rows -= self.shift
        rows *= self.scale
        rows *= signs
        if self.push is not None:
            rows[self.groups[index] == 0] += self.push
        return np.hstack([rows, self.constant * signs]) if self.constant else rows

    @staticmethod
    def stack(above: Any, below: Any) -> Any:
        if scipy.sparse.issparse(above):
            return scipy.sparse.vstack([above, below], format="csr")
        return np.vstack([above, below])

    def scores(self, direction: Array) -> Array:
        """a_i·direction for every row."""
        weights = direction[: len(self.scale)] * self.scale
        offset = direction[-1] * self.constant if self.constant else 0.0
        if self.shift is not None:
            offset = offset - self.shift @ weights
        if self.sparse:
            return np.asarray((self.X @ weights + offset) * self.signs)
        result = np.empty(len(self.signs))
        for block in self.blocks():
            result[block] = self.X[block].astype(np.float64, copy=False) @ weights
        result = (result + offset) * self.signs
        if self.push is not None:
            result[self.groups == 0] += self.push @ direction
        return result

    def combine(self, rows: Array, weights: Array) -> Array:
        return np.asarray(dense_product(self.take(rows).T, weights)).ravel()

    def start(self) -> Array:
        """A first row of each hull: the one that lies furthest towards the mean of the others."""
        means = [self._mean(self.groups == group) for group in range(int(self.groups.max()) + 1)]
        scores = self.scores(np.sum(means, axis=0))
        members = [np.flatnonzero(self.groups == group) for group in range(len(means))]
        return np.array([rows[np.argmin(scores[rows])] for rows in members])

    def hardest(self, scores: Array, always: Array) -> Array:
        """The rows of the lowest scores, as many as are quickly looked at."""
        count = max(1500, HARD // self.width)
        if count >= len(scores):
            return np.arange(len(scores))
        return np.union1d(np.argpartition(scores, count)[:count], always)

    def _mean(self, members: Array) -> Array:
        total = np.zeros(self.X.shape[1])
        if self.sparse:
            total += (self.signs * members) @ self.X
        else:
            for block in self.blocks():
                total += (self.signs[block] * members[block]) @ self.X[block].astype(np.float64, copy=False)
        signed = float(self.signs @ members)
        if self.shift is not None:
            total -= signed * self.shift
        mean = total * self.scale / members.sum()
        return np.append(mean, self.constant * signed / members.sum()) if self.constant else mean

    def _squared_norms(self) -> Array:
        if self.sparse:
            rows = scipy.sparse.csr_array(self.X, dtype=np.float64)
            return np.asarray((rows * rows) @ self.scale**2).ravel() + self.constant**2
        result = np.empty(len(self.signs))
        for block in self.blocks():
            rows = self.X[block].astype(np.float64)
            if self.shift is not None:
                rows -= self.shift
            rows *= self.scale
            result[block] = np.einsum("ij,ij->i", rows, rows)
        return result + self.constant**2
