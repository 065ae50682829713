"""The map behind a kernel, where it is small enough to be written out (lecture row L12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.kernels.functions import Array


def degree_two_map(X: Any) -> Array:
    """phi(u) = (1, √2 u_i, u_i², √2 u_i u_j for i < j), so that phi(u)·phi(v) = (1 + u·v)².

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.kernels import Polynomial, degree_two_map
    >>> u, v = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    >>> degree_two_map(u).round(3).tolist()
    [[1.0, 1.414, 2.828, 1.0, 4.0, 2.828]]
    >>> round(float((degree_two_map(u) @ degree_two_map(v).T)[0, 0]), 9), float(Polynomial(degree=2)(u, v)[0, 0])
    (144.0, 144.0)
    """
    rows = np.asarray(X, np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X must be a block of rows with 2 dimensions, but has {rows.ndim}; use row[None, :].")
    first, second = np.triu_indices(rows.shape[1], 1)
    pairs = rows[:, first] * rows[:, second]
    return np.hstack([np.ones((len(rows), 1)), np.sqrt(2) * rows, rows**2, np.sqrt(2) * pairs])
