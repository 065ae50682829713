"""The half-spaces of Gaussian classes that share one covariance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

Array = npt.NDArray[Any]

ROUNDING = 1e-14  # of a square: what is left of a variance of 0


def moments(X: Any, weights: Array) -> tuple[Array, Array]:
    """(mean, covariance) of weighted rows. Sparse rows stay sparse: S = E(x xᵀ) - m mᵀ."""
    share = weights / weights.sum()
    mean = np.asarray(X.T @ share).ravel()
    if scipy.sparse.issparse(X):
        products = (X.T @ X.multiply(share[:, None]).tocsr()).toarray() - np.outer(mean, mean)
        # What rounding leaves of the variance of a constant column is 0.
        flat = np.diag(products) <= ROUNDING * mean**2
        products[flat], products[:, flat] = 0.0, 0.0
        return mean, products
    deviations = X - mean
    return mean, (deviations * share[:, None]).T @ deviations


def ledoit_wolf_of_classes(X: Any, codes: Array, weights: Array, means: Array) -> Array:
    """The covariance of each class, shrunk by itself with features in units of their standard deviation there."""
    from sklearn.covariance import ledoit_wolf  # here, since it loads most of scikit-learn

    result = np.zeros((means.shape[1], means.shape[1]))
    for k, mean in enumerate(means):
        own, weight = X[codes == k], weights[codes == k]
        rows = (own.toarray() if scipy.sparse.issparse(own) else own) - mean
        rows *= np.sqrt(weight / weight.mean())[:, None]
        if not rows.any():  # one row, or equal ones: nothing to add, and scikit-learn would warn
            continue
        unit = np.sqrt(np.mean(rows**2, axis=0))
        unit[unit == 0.0] = 1.0
        shrunk, _ = ledoit_wolf(rows / unit, assume_centered=True)
        result += weight.sum() / weights.sum() * shrunk * np.outer(unit, unit)
    return result


def solve(covariance: Array, means: Array, size: Array) -> tuple[Array, int, int | None]:
    """(means · S⁺, the rank of S, the feature that counts most in what S⁺ leaves out, if anything).

    In units in which the diagonal of S is 1. A variance that is rounding beside the `size` of a feature is 0.
    """
    unit = np.sqrt(np.diag(covariance))
    flat = unit <= np.sqrt(ROUNDING) * 1e-4 * size
    unit[flat] = 1.0
    scaled = np.where(flat[:, None] | flat[None, :], 0.0, covariance / np.outer(unit, unit))
    values, vectors = np.linalg.eigh(scaled)
    kept = values > ROUNDING * len(values) * max(float(values[-1]), np.finfo(float).tiny)
    wanted = means / unit
    along = wanted @ vectors
    coef = (along[:, kept] / values[kept]) @ vectors[:, kept].T / unit
    left = wanted - along[:, kept] @ vectors[:, kept].T
    left[np.abs(means) <= 1e-9 * np.maximum(size, np.finfo(float).tiny)] = 0.0
    outside = np.abs(left).max(axis=0)
    unseen = int(outside.argmax()) if (outside > 1e-6 * np.abs(wanted).max(initial=0.0)).any() else None
    return coef, int(kept.sum()), unseen
