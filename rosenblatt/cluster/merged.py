"""Merged: what a formula needs of all rows is computed for each partition, and merged in a fixed tree.

Of rows z = (x, y) of weights c: the total weight n, the mean m, and a triangle R with RᵀR = the scatter, the sum of
c (z - m)(z - m)ᵀ. Two sets of rows have together (Chan, Golub and LeVeque 1979, in the form of roots)

    n + n',    m + n'/(n + n') (m' - m),    the triangle of [R; R'; sqrt(n n'/(n + n')) (m' - m)ᵀ]

where the triangle of a matrix is that of its QR decomposition. No squares are formed, so that least squares lose no
more digits than on one machine. Discriminants merge the scatter itself, of each class.

J. Demmel, L. Grigori, M. Hoemmen, J. Langou (2012). Communication-optimal parallel and sequential QR and LU
factorizations. SIAM Journal on Scientific Computing 34(1).
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from rosenblatt.closed_form.least_squares import MOST_COLUMNS, Moments
from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import Block, Partitions
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import codes_of

STRETCH = 2**22  # numbers that are decomposed together
SMALLEST = 1e-12  # singular values, as a fraction of the largest: smaller ones count as 0, as on one machine


class Triangle(NamedTuple):
    """The total weight, the mean and the root of the scatter of some rows; of none, where the weight is 0."""

    total: float
    center: Array
    root: Array

    @classmethod
    def of(cls, rows: Array, weights: Array, *, centred: bool) -> Triangle:
        """That of rows; about 0 instead of their mean if they are not `centred`."""
        total = float(weights.sum())
        center = weights @ rows / total if centred and total > 0.0 else np.zeros(rows.shape[1])
        return cls(total, center, _triangle(np.sqrt(weights)[:, None] * (rows - center)))

    def __add__(self, other: Any) -> Triangle:
        total = self.total + other.total
        share = other.total / total if total > 0.0 else 0.0
        apart = other.center - self.center
        between = np.sqrt(self.total * share) * apart
        return Triangle(total, self.center + share * apart, _triangle(np.vstack([self.root, other.root, between])))


def _triangle(rows: Array) -> Array:
    root: Array = np.linalg.qr(rows, mode="r")  # type: ignore[assignment]
    return root


def merged_squares(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """`LeastSquares`, from the triangle of all rows."""
    if partitions.looks[0].layout == "sparse" and partitions.width > MOST_COLUMNS:
        raise ValueError(
            f"LeastSquares on a cluster keeps a square matrix of the features, at most {MOST_COLUMNS:,} of sparse "
            f"rows, but X has {partitions.width:,}; use LinearSVM or LogisticRegression."
        )
    leaves = backend.map(_triangle_of, partitions.parts, bool(model.fit_intercept))
    (total, center, root), flat = backend.tree_reduce(_both, leaves)
    if not np.isfinite(root).all():
        raise ValueError("The squares of X and y must be in the range of float64, but are larger; scale the features.")
    width, ridge = partitions.width, 2.0 * float(model.lam) * total
    left, right = root[:, :width], root[:, width:]
    if ridge > 0.0:
        left = np.vstack([left, np.sqrt(ridge) * np.eye(width)])
        right = np.vstack([right, np.zeros((width, right.shape[1]))])
    coef, _, _, values = scipy.linalg.lstsq(left, right, cond=SMALLEST)
    found = np.column_stack([coef.T, center[width:] - coef.T @ center[:width]])
    model.n_features_in_ = width
    model.objective_ = float(np.sum((left @ coef - right) ** 2)) / (2.0 * total)
    model._keep(found, partitions.dtype, flat, rounds.trace)
    rounds.trace.note += f"; {_condition(values)}"
    norm = float(np.linalg.norm(found))
    rounds.end(model, "converged", updates=1, mistakes=0, norm=norm, loss=model.objective_)


def _triangle_of(block: Block, centred: bool) -> tuple[Triangle, bool]:
    """The triangle of a block, and whether it has one target; by stretches of rows, in float64."""
    X, y = block.X, block.y
    targets = y.reshape(len(y), -1)
    weights = np.ones(len(y)) if block.weights is None else block.weights
    height = max(1, STRETCH // (X.shape[1] + targets.shape[1]))
    stretches = []
    for start in range(0, len(y), height):
        part = slice(start, start + height)
        rows = X[part].toarray() if scipy.sparse.issparse(X) else X[part]
        both = np.hstack([rows.astype(np.float64), targets[part]])
        stretches.append(Triangle.of(both, weights[part], centred=centred))
    return functools.reduce(operator.add, stretches), y.ndim == 1


def _both(one: tuple[Triangle, bool], other: tuple[Triangle, bool]) -> tuple[Triangle, bool]:
    return one[0] + other[0], one[1]


def _condition(values: Array) -> str:
    """The condition number, from singular values."""
    least = float(values.min(initial=np.inf))
    condition = float(values.max(initial=0.0)) / least if least > 0.0 else np.inf
    return f"condition number {condition:.3g}"


def merged_classes(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """`GaussianDiscriminant`, from the moments of every class."""
    classes = partitions.classes
    moments = backend.tree_reduce(_added, backend.map(_moments_of, partitions.parts, classes))
    totals = np.array([0.0 if one is None else one.total for one in moments])
    there = [one for one in moments if one is not None]
    means = np.stack([np.zeros(partitions.width) if one is None else one.center for one in moments])
    covariance = sum(one.scatter for one in there) / totals.sum()
    model.n_features_in_ = partitions.width
    model._settle(classes, totals, means, covariance)
    rounds.trace.note += f"; {_condition(np.abs(np.linalg.eigvalsh(model.covariance_)))}"
    rounds.end(model, "converged", updates=1, mistakes=0, norm=float(np.linalg.norm(model.coef_)))


def _moments_of(block: Block, classes: Array) -> list[Moments | None]:
    """The moments of each class; None for a class without rows that weigh anything."""
    codes = codes_of(classes, block.y)
    weights = np.ones(len(block.y)) if block.weights is None else block.weights
    found: list[Moments | None] = []
    for code in range(len(classes)):
        own = np.flatnonzero((codes == code) & (weights > 0.0))
        nothing = np.empty((len(own), 0))
        found.append(Moments.of(block.X[own], nothing, weights[own], centred=True) if len(own) else None)
    return found


def _added(one: list[Moments | None], other: list[Moments | None]) -> list[Moments | None]:
    pairs = zip(one, other, strict=True)
    return [a + b if a is not None and b is not None else b if a is None else a for a, b in pairs]
