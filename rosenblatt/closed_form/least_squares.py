"""The exact minimum of a squared loss with a quadratic prior, for rows of any shape."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

Array = npt.NDArray[Any]

WHOLE = 2**27  # numbers of a matrix that is decomposed as it is; a larger one by its products
MOST_COLUMNS = 4096  # of sparse rows: 128 MB for the products of columns
MOST_REFINEMENTS = 20


def exact(objective: Any) -> Array:
    """The minimum, by a decomposition of the centred rows; the shortest weights where there are several."""
    X, targets = objective.X, objective.targets
    n, width = X.shape
    weights = objective.weights if len(objective.weights) else np.ones(n)
    ridge = 2.0 * objective.lam * n
    found = np.zeros((targets.shape[1], width + 1))
    middle, level = np.zeros(width), np.zeros(targets.shape[1])
    if objective.fit_intercept:
        middle = np.asarray(X.T @ weights, np.float64).ravel() / n
        level = targets.T @ weights / n
    if n * width > (WHOLE // 16 if scipy.sparse.issparse(X) else WHOLE):
        coef = _by_products(objective, weights, middle, level, ridge)
    else:
        root = np.sqrt(weights)[:, None]
        whole = X.toarray() if scipy.sparse.issparse(X) else X
        rows, wanted = root * (whole.astype(np.float64) - middle), root * (targets - level)
        if ridge > 0.0:
            rows = np.vstack([rows, np.sqrt(ridge) * np.eye(width)])
            wanted = np.vstack([wanted, np.zeros((width, targets.shape[1]))])
        coef = scipy.linalg.lstsq(rows, wanted, cond=1e-12)[0].T
    found[:, :-1] = coef
    if objective.fit_intercept:
        found[:, -1] = level - coef @ middle
    return found


def _by_products(objective: Any, weights: Array, middle: Array, level: Array, ridge: float) -> Array:
    """From XᵀX of the centred rows, which is small where the rows are many."""
    X, targets = objective.X, objective.targets
    width = X.shape[1]
    if scipy.sparse.issparse(X):
        return _sparse_by_products(X, targets, weights, middle, level, ridge)
    square, side = np.zeros((width, width)), np.zeros((width, targets.shape[1]))
    for block in objective.blocks():
        rows = X[block].astype(np.float64) - middle  # first: far from the origin, the squares would drown the rest
        square += rows.T @ (rows * weights[block, None])
        side += rows.T @ ((targets[block] - level) * weights[block, None])
    square[np.diag_indices(width)] += ridge
    return scipy.linalg.lstsq(square, side, lapack_driver="gelsy")[0].T


def _sparse_by_products(X: Any, targets: Array, weights: Array, middle: Array, level: Array, ridge: float) -> Array:
    """Sparse rows stay as they are: the centre is taken off the products instead.

    This loses digits where a column is far from 0, so the result is refined with residuals, which do not. Where XᵀX
    would be large, or refining does not end, LSQR finds the minimum without it.
    """
    wide = X.astype(np.float64)
    root = np.sqrt(weights)
    residual = targets - level

    def apply(coef: Array) -> Array:
        return np.asarray(wide @ coef) - middle @ coef

    def slope(left: Array) -> Array:
        weighted = weights[:, None] * left
        return np.asarray(wide.T @ weighted) - np.outer(middle, weighted.sum(axis=0))

    if X.shape[1] <= MOST_COLUMNS:
        square = np.asarray((wide.T @ wide.multiply(weights[:, None]).tocsr()).todense())
        square -= float(weights.sum()) * np.outer(middle, middle)
        square[np.diag_indices(X.shape[1])] += ridge
        coef, last = np.zeros((X.shape[1], targets.shape[1])), np.inf
        for _ in range(MOST_REFINEMENTS):
            step = scipy.linalg.lstsq(square, slope(residual - apply(coef)) - ridge * coef, lapack_driver="gelsy")[0]
            coef, length = coef + step, float(np.linalg.norm(step))
            if length <= 1e-13 * float(np.linalg.norm(coef)):
                return coef.T
            if length > 0.5 * last:  # the squares have lost too much
                break
            last = length
    centred = scipy.sparse.linalg.LinearOperator(
        X.shape,
        matvec=lambda v: root * apply(v.reshape(-1, 1)).ravel(),
        rmatvec=lambda r: wide.T @ (root * r.ravel()) - middle * float(root @ r.ravel()),
        dtype=np.float64,
    )
    limits = {"damp": np.sqrt(ridge), "atol": 1e-14, "btol": 1e-14, "conlim": 1e14, "iter_lim": 20 * min(X.shape)}
    return np.stack([scipy.sparse.linalg.lsqr(centred, root * one, **limits)[0] for one in residual.T])


class Moments(NamedTuple):
    """Of rows z = (x, y) of weights c: the total weight, the mean m, and the scatter, the sum of c (z - m)(z - m)ᵀ."""

    total: float
    center: Array
    scatter: Array

    @classmethod
    def of(cls, X: Any, targets: Array, weights: Array, *, centred: bool) -> Moments:
        """The moments of a batch; those about 0 if they are not `centred`."""
        batch, width = float(weights.sum()), X.shape[1]
        rows = X.astype(np.float64)
        center = np.zeros(width + targets.shape[1])
        if centred:
            center = np.concatenate([np.asarray(rows.T @ weights).ravel(), targets.T @ weights]) / batch
        middle, wanted = center[:width], targets - center[width:]
        if scipy.sparse.issparse(rows):
            square = np.asarray((rows.T @ rows.multiply(weights[:, None]).tocsr()).todense())
            square -= batch * np.outer(middle, middle)
        else:
            rows = rows - middle
            square = rows.T @ (rows * weights[:, None])
        side = np.asarray(rows.T @ (wanted * weights[:, None]))
        return cls(batch, center, np.block([[square, side], [side.T, wanted.T @ (wanted * weights[:, None])]]))

    def __add__(self, other: Any) -> Moments:
        """Those of both sets of rows (Chan, Golub and LeVeque 1979)."""
        apart, total = other.center - self.center, self.total + other.total
        scatter = self.scatter + other.scatter + self.total * other.total / total * np.outer(apart, apart)
        return Moments(total, self.center + other.total / total * apart, scatter)

    def solved(self, width: int, lam: float) -> Array:
        """The weights, and the intercept in the last column: (Z_xx + 2 lam n I) w = Z_xy."""
        square = self.scatter[:width, :width] + 2.0 * lam * self.total * np.eye(width)
        coef = scipy.linalg.lstsq(square, self.scatter[:width, width:], lapack_driver="gelsy")[0].T
        return np.column_stack([coef, self.center[width:] - coef @ self.center[:width]])

    def objective(self, coef: Array, lam: float) -> float:
        """lam ‖w‖² plus the mean of half the squares."""
        both = np.hstack([coef, -np.eye(len(coef))])
        mean = float(np.einsum("ki,ij,kj->", both, self.scatter, both)) / (2.0 * self.total)
        return mean + lam * float(np.vdot(coef, coef))
