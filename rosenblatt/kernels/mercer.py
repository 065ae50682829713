"""Is a kernel positive semi-definite? A theorem may say yes; rows can show that it is not, never that it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.kernels.exact_values import as_floats, quadratic_form
from rosenblatt.kernels.functions import KERNELS, Array, Function, Kernel, Precomputed, _floats

MOST_ROWS = 1000
FEW = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)  # rows of a witness, tried in turn

THEOREMS = {
    "linear": "it is an inner product",
    "polynomial": "sums and products of positive semi-definite kernels are positive semi-definite (Schur)",
    "rbf": "it is a limit of sums and products of inner products (Schoenberg)",
    "gaussian": "it is a limit of sums and products of inner products (Schoenberg)",
    "function": "it was declared so (known_valid)",
}


@dataclass(frozen=True, eq=False)
class MercerReport:
    """What is known about a kernel, from a theorem or from a sample of rows.

    `violation` says whether the kernel is not positive semi-definite, which `witness` proves: rational weights c on the
    rows `witness_rows` of X with sum_ij c_i c_j K(x_i, x_j) <= `witness_value` < 0, without rounding. `theorem` says
    why a kernel of a known family is positive semi-definite. `eigenvalue` is the smallest one of the sample's matrix in
    float64, `rows` the rows of X in the sample, and `weights` its eigenvector.
    """

    violation: bool
    eigenvalue: float
    rows: Array
    weights: Array
    theorem: str = ""
    witness_rows: tuple[int, ...] = ()
    witness: tuple[Fraction, ...] = field(default=(), repr=False)
    witness_value: Fraction = field(default=Fraction(0), repr=False)
    kernel: Kernel | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        raise ValueError("A report is neither yes nor no; look at .violation and .theorem.")

    def verify(self, X: Any) -> bool:
        """Whether the witness shows a violation on these rows, computed again without rounding."""
        if not self.witness or self.kernel is None:
            return False
        if not all(0 <= row < len(X) for row in self.witness_rows) or len(self.witness) != len(self.witness_rows):
            return False
        return quadratic_form(self.kernel, X, self.witness_rows, self.witness) <= self.witness_value < 0

    def __str__(self) -> str:
        if self.violation:
            return (
                f"not positive semi-definite: among {len(self.rows):,} rows the most negative eigenvalue is "
                f"{self.eigenvalue:.3g}; proven by exact weights on {len(self.witness_rows):,} rows"
            )
        return (
            f"positive semi-definite: {self.theorem}"
            if self.theorem
            else (f"no violation found among {len(self.rows):,} rows")
        )

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
    """Say whether a kernel is positive semi-definite: by a theorem, or by a violation among at most 1,000 rows of X.

    Kernels of a family that is known to be positive semi-definite are accepted by its theorem. For others a matrix of
    kernel values with a negative eigenvalue shows that the kernel is no inner product: the answer has a rational vector
    c with c'Kc < 0, computed without rounding. No violation in a sample shows nothing, and is reported as such.

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
        With ``violation``, ``witness``, ``theorem``, ``eigenvalue``, ``rows``, ``weights`` and ``verify``.

    Raises
    ------
    ValueError
        If `X` is not finite, or there is no kernel of that name.

    Examples
    --------
    >>> from rosenblatt.kernels import is_mercer
    >>> is_mercer("sigmoid", [[0.0, 1.0], [1.0, 0.0]], gamma=1.0, coef0=-1.0)
    not positive semi-definite: among 2 rows the most negative eigenvalue is -0.762; proven by exact weights on 2 rows
    >>> is_mercer("rbf", [[0.0, 1.0], [1.0, 0.0]], gamma=0.5)
    positive semi-definite: it is a limit of sums and products of inner products (Schoenberg)
    """
    X = X.toarray() if hasattr(X, "toarray") else X
    given = _floats(X)
    kernel = _with_parameters(kernel, given, parameters)
    X = as_floats(X)
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
    # What rounding can make of an eigenvalue of 0; a kernel of float32 values has that precision only.
    noise = 10 * len(rows) * precision * max(1e-300, float(np.abs(eigenvalues).max())) + 10 * asymmetry
    smallest, weights = float(eigenvalues[0]), vectors[:, 0]
    if kernel.valid:
        return MercerReport(False, smallest, rows, weights, theorem=THEOREMS.get(kernel.name, "it was declared so"))
    if smallest >= -noise:
        return MercerReport(False, smallest, rows, weights)
    source = given if isinstance(kernel, Precomputed) else X
    for chosen, witness in _witnesses(values, weights):
        named = tuple(int(rows[place]) for place in chosen)
        value = quadratic_form(kernel, source, named, witness)
        if value < 0:
            return MercerReport(True, smallest, rows, weights, "", named, witness, value, kernel)
    return MercerReport(False, smallest, rows, weights)


def _witnesses(values: Array, weights: Array) -> Iterator[tuple[Array, tuple[Fraction, ...]]]:
    """Rational weights on few rows, those of the largest weights, with a negative form in float64."""
    order = np.argsort(-np.abs(weights))
    for count in FEW:
        chosen = np.sort(order[:count])
        part = values[np.ix_(chosen, chosen)]
        levels, vectors = np.linalg.eigh((part + part.T) / 2)
        if levels[0] < 0:
            whole = np.rint(vectors[:, 0] * 2**20).astype(np.int64).tolist()
            kept = [(place, Fraction(value, 2**20)) for place, value in zip(chosen, whole, strict=True) if value]
            yield np.array([place for place, _ in kept]), tuple(value for _, value in kept)
        if count >= len(order):
            return


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
