"""A perceptron as the first thing to try on wide data: where it converges, its weights are a proof."""

from __future__ import annotations

import time

import numpy as np

from rosenblatt.certificates.problem import Problem
from rosenblatt.engine.online.state import Array

VISITS = 300_000  # rows that are looked at before another way is tried


def perceptron_weights(problem: Problem, deadline: float) -> tuple[tuple[float, ...], float] | None:
    """A normal and an offset with every row on its side, in float64; None if there were none after so many visits.

    Rows are scaled to length 1, which changes no side and makes few updates.
    """
    norms = _norms(problem)
    if not np.isfinite(norms).all():
        return None
    steps = problem.signs / np.maximum(norms, 1e-300)
    weights, offset = np.zeros(problem.d), 0.0
    for _ in range(max(1, VISITS // problem.n)):
        mistakes = 0
        for row in range(problem.n):
            columns, values = _row(problem, row)
            if (values @ weights[columns] + offset) * steps[row] <= 0:
                weights[columns] += steps[row] * values
                offset += steps[row] if problem.intercept else 0.0
                mistakes += 1
        if not mistakes:
            return tuple(weights.tolist()), offset
        if time.monotonic() > deadline:
            return None
    return None


def _row(problem: Problem, row: int) -> tuple[Array | slice, Array]:
    if not problem.sparse:
        return slice(None), problem.X[row]
    part = slice(problem.X.indptr[row], problem.X.indptr[row + 1])
    return problem.X.indices[part], problem.X.data[part]


def _norms(problem: Problem) -> Array:
    """‖(x, 1)‖ of every row, or ‖x‖ without an intercept."""
    X = problem.X
    with np.errstate(over="ignore"):
        if problem.sparse:
            rows = X.astype(np.float64)
            squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return np.sqrt(squares + problem.intercept)
