"""Products of pairs of features, row by row: a row is read once and stays in the cache while its products are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.layouts.rows import readable
from rosenblatt.engine.online.state import Array, weight_dtype


@compiled.jit
def _multiply(X: Any, left: Any, right: Any, scale: Any, kept: Any, out: Any) -> None:
    width = np.uint64(kept)
    for i in range(np.uint64(X.shape[0])):
        for j in range(width):
            out[i, j] = out.dtype.type(X[i, j]) * scale
        for p in range(np.uint64(left.shape[0])):
            a, b = out.dtype.type(X[i, left[p]]), out.dtype.type(X[i, right[p]])
            out[i, width + p] = (a * scale) * (b * scale)


def pair_products(X: Array, left: Array, right: Array, *, keep: bool) -> Array:
    """The features (if kept), then X[:, left] · X[:, right]; bytes as fractions of 255."""
    kind = weight_dtype(X.dtype)
    kept = X.shape[1] if keep else 0
    out = np.empty((X.shape[0], kept + len(left)), kind)
    scale = kind.type(1.0 / 255.0 if X.dtype == np.uint8 else 1.0)
    _multiply(readable(X), left, right, scale, kept, out)
    return out
