"""Rows of numbers with their labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rows of numbers and their labels, as LIBSVM, IDX and NumPy files hold them.

    Attributes
    ----------
    X : array or csr_array of shape (n_samples, n_features)
    y : array of shape (n_samples,), or None where the file has no labels
    image_shape : (height, width), or None where the rows are no images
    """

    X: Any
    y: Any = None
    image_shape: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def with_target(self, column: int) -> Matrix:
        """The same rows with one column taken out to be the labels."""
        width = self.X.shape[1]
        if isinstance(column, bool) or not isinstance(column, int | np.integer):
            raise TypeError(f"The target must be the number of a column, but {shortened(column)} came; -1 is the last.")
        if not -width <= column < width:
            raise ValueError(f"The target must be a column from 0 to {width - 1}, but {column} came; -1 is the last.")
        kept = np.delete(np.arange(width), column)
        labels = self.X[:, column]
        y = np.asarray(labels.toarray() if hasattr(labels, "toarray") else labels).ravel()
        return replace(self, X=self.X[:, kept], y=y, image_shape=None)

    def take(self, rows: Any) -> Matrix:
        """Some of the rows, with their labels: by their numbers, or by a mask."""
        return replace(self, X=self.X[rows], y=None if self.y is None else self.y[rows])

    @staticmethod
    def stacked(parts: Sequence[Matrix]) -> Matrix:
        """The rows of all parts, one after another; sparse ones get as many columns as the widest."""
        if len(parts) == 1:
            return parts[0]
        widths = {part.X.shape[1] for part in parts}
        if hasattr(parts[0].X, "indptr"):
            from scipy.sparse import csr_array, vstack

            wide = ((p.X.data, p.X.indices, p.X.indptr) for p in parts)
            X = vstack([csr_array(p, shape=(len(p[2]) - 1, max(widths))) for p in wide], "csr")
        elif len(widths) > 1:
            raise ValueError(
                f"Files that are read together must have the same number of columns, but they have "
                f"{' and '.join(map(str, sorted(widths)))}; pass them one by one."
            )
        else:
            X = np.concatenate([part.X for part in parts])
        y = None
        if any(part.y is not None for part in parts):  # no label for the rows of parts without
            y = np.concatenate([np.full(len(part), np.nan) if part.y is None else part.y for part in parts])
        return Matrix(X, y, parts[0].image_shape)
