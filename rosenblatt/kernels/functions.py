"""Kernels: inner products in a space of features that is never visited (lecture row L12).

Each is a function of the dot product x·y and, where it is radial, of ‖x‖² and ‖y‖². The engine computes dot products
of whole blocks of rows, on a CPU or a GPU, and a kernel turns them into its own values in place (`from_dots`); for a
GPU it says the same as one expression of C (`device_code`).

A kernel is *valid* (Mercer) if every matrix of its values is positive semi-definite: then it is an inner product, and
the perceptron's theorems hold in its space.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import as_float, numbers_in, shortened

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Kernel:
    """What every kernel has. Calling it gives the matrix of its values between two blocks of rows."""

    name: ClassVar[str] = ""
    needs_norms: ClassVar[bool] = False
    device_code: ClassVar[str] = ""  # v, the dot product, becomes the value; a and b are squared norms, T the type

    @property
    def valid(self) -> bool:
        """Whether it is known to be positive semi-definite."""
        return False

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        """The values, in place of the dot products; `left` and `right` are squared norms where they are needed."""
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """K(x, y) for every row x of X and y of Y (of X where Y is left out)."""
        X, Y = (_floats(rows) for rows in (X, X if Y is None else Y))
        if X.shape[1] != Y.shape[1]:
            raise ValueError(
                f"X and Y must have the same number of columns, but have {X.shape[1]} and {Y.shape[1]}; pass rows of "
                f"the same features."
            )
        if not self.needs_norms:
            with np.errstate(over="ignore", invalid="ignore"):
                return self.from_dots(np.array(X @ Y.T))
        # A radial kernel looks at differences alone: seen from one of the rows they lose no digits.
        X, Y = X - Y[:1].sum(axis=0), Y - Y[:1].sum(axis=0)
        return self.from_dots(np.array(X @ Y.T), *(np.einsum("ij,ij->i", rows, rows) for rows in (X, Y)))


def _floats(rows: Any) -> Array:
    array = np.asarray(rows)
    if array.ndim != 2:
        raise ValueError(f"A kernel takes blocks of rows with 2 dimensions, but got {array.ndim}; use row[None, :].")
    return array if array.dtype in (np.float32, np.float64) else numbers_in("Rows", array, "an array")


@dataclass(frozen=True)
class Linear(Kernel):
    """x·y: the perceptron itself, in its dual form.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    name: ClassVar[str] = "linear"
    device_code: ClassVar[str] = "v"

    @property
    def valid(self) -> bool:
        return True

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        return dots


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(gamma x·y + coef0)^degree.

    >>> Polynomial(degree=2)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()  # (1 + 11)²
    [[144.0]]
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0
    name: ClassVar[str] = "polynomial"
    device_code: ClassVar[str] = "power(gamma * v + coef0, (int)degree)"

    def __post_init__(self) -> None:
        if isinstance(self.degree, bool) or not isinstance(self.degree, numbers.Integral) or self.degree < 1:
            raise ValueError(
                f"degree must be a whole number of at least 1, but got {shortened(self.degree)}; 2 to 5 are usual."
            )
        _check_number("gamma", self.gamma, positive=True)
        _check_number("coef0", self.coef0)

    @property
    def valid(self) -> bool:
        return self.coef0 >= 0

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        if self.gamma != 1.0:
            dots *= _within(self.gamma, dots.dtype)
        if self.coef0 != 0.0:
            dots += _within(self.coef0, dots.dtype)
        return _power(dots, int(self.degree))


@dataclass(frozen=True)
class RBF(Kernel):
    """exp(-gamma ‖x - y‖²).

    >>> round(float(RBF(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]])[0, 0]), 6)  # exp(-1)
    0.367879
    """

    gamma: float = 1.0
    name: ClassVar[str] = "rbf"
    needs_norms: ClassVar[bool] = True
    device_code: ClassVar[str] = "exp(-gamma * apart(a + b, v))"

    def __post_init__(self) -> None:
        _check_number("gamma", self.gamma, positive=True)

    @property
    def valid(self) -> bool:
        return True

    @property
    def radial(self) -> RBF:
        return self

    @staticmethod
    def noise(dtype: Any) -> Any:
        """A squared distance of less than this, times the squared norms, is rounding's: then it is taken for 0."""
        return 8 * np.finfo(dtype).eps

    def factor(self, dtype: Any) -> Any:
        """-gamma, as near as a number of this dtype can be."""
        return _within(-self.gamma, dtype)

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        assert left is not None and right is not None
        norms = np.add.outer(left, right)
        dots *= -2
        dots += norms
        dots[dots <= self.noise(dots.dtype) * norms] = 0
        with np.errstate(over="ignore"):
            dots *= self.factor(dots.dtype)
        return np.exp(dots, out=dots)


@dataclass(frozen=True)
class Gaussian(Kernel):
    """exp(-‖x - y‖² / 2 sigma²), the RBF kernel with gamma = 1 / 2 sigma².

    >>> Gaussian(sigma=2.0).radial
    RBF(gamma=0.125)
    """

    sigma: float = 1.0
    name: ClassVar[str] = "gaussian"
    needs_norms: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_number("sigma", self.sigma, positive=True)

    @property
    def valid(self) -> bool:
        return True

    @property
    def radial(self) -> RBF:
        gamma = 0.5 / float(self.sigma) / float(self.sigma)
        return RBF(min(max(gamma, sys.float_info.min), sys.float_info.max))

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        return self.radial.from_dots(dots, left, right)


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """tanh(gamma x·y + coef0); the lecture's eta and theta. Often not positive semi-definite.

    >>> Sigmoid(gamma=1.0, coef0=0.0).valid
    False
    """

    gamma: float = 1.0
    coef0: float = 1.0
    name: ClassVar[str] = "sigmoid"
    device_code: ClassVar[str] = "tanh(gamma * v + coef0)"

    def __post_init__(self) -> None:
        _check_number("gamma", self.gamma)
        _check_number("coef0", self.coef0)

    def from_dots(self, dots: Array, left: Array | None = None, right: Array | None = None) -> Array:
        dots *= _within(self.gamma, dots.dtype)
        dots += _within(self.coef0, dots.dtype)
        return np.tanh(dots, out=dots)


@dataclass(frozen=True)
class Precomputed(Kernel):
    """The values are the input itself: X is the square matrix of K(x_i, x_j).

    >>> import numpy as np
    >>> from rosenblatt import KernelPerceptron
    >>> rows = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> values = (rows @ rows.T + 1.0) ** 2
    >>> KernelPerceptron("precomputed").fit(values, [0, 1, 1, 0]).predict(values).tolist()
    [0, 1, 1, 0]
    """

    name: ClassVar[str] = "precomputed"

    def __call__(self, X: Any, Y: Any = None) -> Array:
        raise TypeError("A precomputed kernel has no formula; pass the matrix of its values to fit.")


@dataclass(frozen=True)
class Function(Kernel):
    """A function of two blocks of rows that returns the matrix of values; say `known_valid=True` if you know it.

    >>> Function(lambda X, Y: X @ Y.T, known_valid=True)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    function: Callable[[Any, Any], Any]
    known_valid: bool = False
    name: ClassVar[str] = "function"

    @property
    def valid(self) -> bool:
        return self.known_valid

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = _floats(X)
        return self.values(X, X if Y is None else _floats(Y))

    def values(self, X: Any, Y: Any) -> Any:
        """What the function returns for two blocks of rows, looked at."""
        result = self.function(X, Y)
        label = getattr(self.function, "__name__", "The kernel")
        shape, wanted = getattr(result, "shape", None), (X.shape[0], Y.shape[0])
        if shape != wanted:
            raise ValueError(
                f"{label} must return a matrix of shape {wanted} for blocks of {wanted[0]} and {wanted[1]} rows, but "
                f"returned {type(result).__name__ if shape is None else f'shape {shape}'}; return one value for every "
                f"pair of rows."
            )
        if result.dtype.kind not in "fiub":
            raise ValueError(f"{label} must return real numbers, but returned {result.dtype}; return floats.")
        if result.size and not bool(abs(result).max() < math.inf):
            raise ValueError(
                f"{label} must return finite numbers, but returned NaN or infinity; look at its formula and at the "
                f"scale of the features."
            )
        return result


KERNELS: dict[str, type[Kernel]] = {
    kind.name: kind for kind in (Linear, Polynomial, RBF, Gaussian, Sigmoid, Precomputed)
}


def _check_number(name: str, value: Any, *, positive: bool = False) -> None:
    if not math.isfinite(as_float(value)) or (positive and value <= 0):
        what = "a finite number above 0" if positive else "a finite number"
        raise ValueError(f"{name} must be {what}, but got {shortened(value)}; pass one.")


def _within(value: float, dtype: Any) -> Any:
    """A number of this dtype; the largest it has in place of infinity."""
    most = np.finfo(dtype).max
    return np.dtype(dtype).type(min(max(float(value), -float(most)), float(most)))


def _power(base: Array, degree: int) -> Array:
    """base ** degree in place, by squaring: exact wherever the result is."""
    if degree == 1:
        return base
    if degree == 2:
        return np.multiply(base, base, out=base)
    if degree == 4:
        np.multiply(base, base, out=base)
        return np.multiply(base, base, out=base)
    result = base.copy()
    for bit in bin(degree)[3:]:
        np.multiply(result, result, out=result)
        if bit == "1":
            np.multiply(result, base, out=result)
    base[...] = result
    return base
