"""Is a kernel positive semi-definite? A sample of rows can show that it is not, and never that it is."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.kernels.functions import KERNELS, Array, Function, Kernel, Precomputed, _floats

MOST_ROWS = 1000


@dataclass(frozen=True, eq=False)
class MercerReport:
    """What a look at a sample found.

    `violation` says whether the kernel is not positive semi-definite. `eigenvalue` is the smallest one of the sample's
    matrix, `rows` the rows of X in the sample, and `weights` its eigenvector: the weights c with a negative
    sum_ij c_i c_j K(x_i, x_j), where there is a violation.
    """

    violation: bool
    eigenvalue: float
    rows: Array
    weights: Array

    def __str__(self) -> str:
        if self.violation:
            return (
                f"not positive semi-definite: among {len(self.rows):,} rows the most negative eigenvalue is "
                f"{self.eigenvalue:.3g}"
            )
        return f"no violation found among {len(self.rows):,} rows"

    __repr__ = __str__


def as_kernel(kernel: Any, **parameters: Any) -> Kernel:
    """A kernel from its name or class and parameters, from a function, or as it is."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel) and kernel.name in KERNELS:
        kernel = kernel.name
    if isinstance(kernel, str):
        name = {"poly": "polynomial"}.get(kernel, kernel)
        if name not in KERNELS:
            known = ", ".join(repr(one) for one in KERNELS)
            raise ValueError(
                f"kernel must be one of {known}, a kernel object or a function of two blocks of rows, but got "
                f"{shortened(kernel)}; choose one of them."
            )
        kind = KERNELS[name]
        known_names = {field.name for field in fields(kind)}
        return kind(**{key: value for key, value in parameters.items() if key in known_names})
    if callable(kernel) and not isinstance(kernel, type):
        return Function(kernel)
    raise ValueError(
        f"kernel must be a name, a kernel object or a function of two blocks of rows, but got "
        f"{shortened(kernel)}; 'rbf' and 'polynomial' are usual."
    )


def is_mercer(kernel: Any, X: Any, *, random_state: Any = None, **parameters: Any) -> MercerReport:
    """Look for a violation of Mercer's condition among at most 1,000 rows of X.

    A matrix of kernel values with a negative eigenvalue shows that the kernel is no inner product. Its absence in a
    sample shows nothing, so the other answer is "no violation found", never "valid".

    Parameters
    ----------
    kernel : str, kernel or callable
        As in `KernelPerceptron`; for "precomputed" X is the matrix of values.
    X : array of shape (n_samples, n_features)
    random_state : int, RandomState or None
        Chooses the sample where X has more than 1,000 rows.
    **parameters
        Of a kernel given by name: degree, gamma, coef0, sigma; gamma is "scale" where `KernelPerceptron`'s would be.

    Returns
    -------
    MercerReport
        With ``violation``, ``eigenvalue``, ``rows`` and ``weights``.

    Raises
    ------
    ValueError
        If `X` is not finite, or there is no kernel of that name.

    Examples
    --------
    >>> from rosenblatt.kernels import is_mercer
    >>> is_mercer("sigmoid", [[0.0, 1.0], [1.0, 0.0]], gamma=1.0, coef0=-1.0)
    not positive semi-definite: among 2 rows the most negative eigenvalue is -0.762
    >>> is_mercer("rbf", [[0.0, 1.0], [1.0, 0.0]], gamma=0.5)
    no violation found among 2 rows
    """
    X = X.toarray() if hasattr(X, "toarray") else X
    given = _floats(X)
    kernel = _with_parameters(kernel, given, parameters)
    X = given.astype(np.float64)
    if not np.isfinite(X).all():
        raise ValueError("X must be finite, but contains NaN or infinity; leave those rows out or fill them in.")
    if not len(X):
        raise ValueError("X must have at least one row, but has none; pass some rows.")
    rows = np.arange(len(X))
    if len(X) > MOST_ROWS:
        from rosenblatt.seeds import random_state_of

        rows = np.sort(random_state_of(random_state).choice(len(X), MOST_ROWS, replace=False))
    if isinstance(kernel, Precomputed):
        check_matrix(given)
        values = given[np.ix_(rows, rows)]
    else:
        values = np.asarray(kernel(X[rows]))
    precision = np.finfo(values.dtype if values.dtype.kind == "f" else np.float64).eps
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(
            "The kernel must return finite numbers, but returned NaN or infinity; look at its parameters and at the "
            "scale of the features."
        )
    asymmetry = np.abs(values - values.T).max()
    if asymmetry > 1e-6 * np.abs(values).max():
        i, j = np.unravel_index(np.abs(values - values.T).argmax(), values.shape)
        raise ValueError(
            f"A kernel must be symmetric, but K(x, y) = {values[i, j]:.6g} and K(y, x) = {values[j, i]:.6g} for the "
            f"rows {rows[i]} and {rows[j]}; write it so that the order of its arguments does not matter."
        )
    eigenvalues, vectors = np.linalg.eigh((values + values.T) / 2)
    # What rounding can make of an eigenvalue of 0; a kernel of float32 values is judged by its own precision.
    noise = 10 * len(rows) * precision * max(1e-300, float(np.abs(eigenvalues).max())) + 10 * asymmetry
    smallest = float(eigenvalues[0])
    return MercerReport(smallest < -noise, smallest, rows, vectors[:, 0])


def scale_of(X: Any) -> float:
    """gamma="scale": 1 / (n_features X.var()), or 1 where nothing varies."""
    with np.errstate(over="ignore"):
        variance = _variance(X)
    if np.isinf(variance):
        raise ValueError(
            "gamma='scale' needs squares of X in the range of float64, but X has larger numbers; scale the features "
            "(StandardScaler), or set gamma."
        )
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _variance(X: Any) -> float:
    """Of all numbers of X, zeros of a sparse matrix included: around their mean, so that no digits are lost."""
    size = X.shape[0] * X.shape[1]
    values = X.data if hasattr(X, "indptr") else X
    mean = values.sum(dtype=np.float64) / size
    step = max(1, (1 << 21) // max(1, X.shape[1]))
    blocks = (values[start : start + step].astype(np.float64) - mean for start in range(0, len(values), step))
    absent = size - values.size
    zeros = float(absent * mean**2) if absent else 0.0  # 0 times what is beyond the range would be no number
    return (sum(float(np.square(block).sum()) for block in blocks) + zeros) / size


def _with_parameters(kernel: Any, X: Array, parameters: dict[str, Any]) -> Kernel:
    """The kernel that `KernelPerceptron` would use on these rows, from parameters that all belong to it."""
    named = as_kernel(kernel)
    known = [field.name for field in fields(named)] if kernel is not named and not isinstance(named, Function) else []
    for name in parameters:
        if name not in known:
            near = get_close_matches(name, known, 1)
            about = f"{named.name!r} has {', '.join(known)}" if known else "this kernel takes none here"
            hint = f"did you mean {near[0]}?" if near else "leave it out."
            raise ValueError(f"The parameters must be the kernel's, but got {shortened(name)}: {about}; {hint}")
    given = dict(parameters)
    if "gamma" in known and X.size and (given.get("gamma", "scale" if named.name != "polynomial" else 1.0) == "scale"):
        given["gamma"] = scale_of(X)
    return as_kernel(kernel, **given)


def check_matrix(matrix: Array) -> None:
    """A precomputed matrix is square and symmetric."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A precomputed kernel must be a square matrix, but X has shape {matrix.shape}; pass K(x_i, x_j) for all "
            f"pairs of training rows."
        )
    step = max(1, 2**22 // max(1, len(matrix)))
    largest = max(
        (float(np.abs(matrix[s : s + step]).max(initial=0.0)) for s in range(0, len(matrix), step)), default=0
    )
    tolerance = largest * (1e-4 if matrix.dtype == np.float32 else 1e-8)
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        difference = np.abs(block - matrix[:, start : start + step].T)
        if difference.size and float(difference.max()) > tolerance:
            i, j = np.unravel_index(int(difference.argmax()), difference.shape)
            raise ValueError(
                f"A precomputed kernel must be a symmetric matrix, but X[{start + i}, {j}] = {block[i, j]:.6g} and "
                f"X[{j}, {start + i}] = {matrix[j, start + i]:.6g}; compute K(x_i, x_j) for the same rows in both "
                f"places."
            )
