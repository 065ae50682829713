"""Kernel values between two blocks of rows, on the CPU: dot products, a user's function, or a matrix that is given.

An operand is a block of rows made ready once: in the dtype of the computation, with its squared norms where the
kernel wants them. The engine asks for operands and for the values between two of them, and knows no more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array

FAR = 64.0  # roundings of 1 that a kernel's value may be wrong by


class Operand(NamedTuple):
    """A block of rows (or, of a given matrix, their numbers) and their squared norms where they are needed."""

    rows: Any
    norms: Array | None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def part(self, start: int, stop: int) -> Operand:
        return Operand(self.rows[start:stop], None if self.norms is None else self.norms[start:stop])


def as_slice(rows: Any) -> Any:
    """Numbers that follow one another, as a slice: then nothing need be copied."""
    if isinstance(rows, slice) or len(rows) == 0:
        return rows
    first, last = int(rows[0]), int(rows[-1])
    follow = last - first + 1 == len(rows) and (len(rows) < 3 or bool((np.diff(rows) == 1).all()))
    return slice(first, last + 1) if follow else rows


def aligned(blocks: list[Any]) -> list[Any]:
    """Sparse blocks as wide as the widest: features by name are added as they appear."""
    width, result = max(block.shape[1] for block in blocks), []
    for block in blocks:
        if scipy.sparse.issparse(block) and block.shape[1] < width:
            block = scipy.sparse.csr_array((block.data, block.indices, block.indptr), shape=(block.shape[0], width))
        result.append(block)
    return result


class DotProducts:
    """Values of a kernel that is a function of x·y, ‖x‖² and ‖y‖²."""

    def __init__(self, kernel: Any, dtype: Any) -> None:
        self.kernel, self.dtype = kernel, np.dtype(dtype)
        self.needs_norms = bool(kernel.needs_norms)

    def operand(self, X: Any, rows: Any = None, norms: Array | None = None) -> Operand:
        """Some rows of X, or all of them; their squared norms where they are known already."""
        block = X if rows is None else X[as_slice(rows)]
        if scipy.sparse.issparse(block):
            block = scipy.sparse.csr_array(block).astype(self.dtype, copy=False)
            if norms is None and self.needs_norms:
                norms = np.asarray(block.multiply(block).sum(axis=1)).ravel()
        else:
            block = np.ascontiguousarray(block, self.dtype)
            if norms is None and self.needs_norms:
                norms = _squared_norms(block)
        return Operand(block, norms)

    def join(self, operands: list[Operand]) -> Operand:
        sparse = any(scipy.sparse.issparse(one.rows) for one in operands)
        rows = aligned([one.rows for one in operands])
        norms = None if operands[0].norms is None else np.concatenate([one.norms for one in operands])
        return Operand(scipy.sparse.vstack(rows, format="csr") if sparse else np.concatenate(rows), norms)

    def values(self, left: Operand, right: Operand, out: Array | None = None) -> Array:
        """K(x, y) for every x on the left and y on the right."""
        radial = self.kernel.radial if self.needs_norms else None
        if scipy.sparse.issparse(left.rows) or scipy.sparse.issparse(right.rows):
            wide_left, wide_right = aligned([left.rows, right.rows])
            dots = wide_left @ wide_right.T
            dots = dots.toarray() if scipy.sparse.issparse(dots) else np.ascontiguousarray(dots)
        else:
            if radial is not None and is_far(radial, left.norms, right.norms):
                left, right = around(left, right, _squared_norms)
            dots = np.matmul(left.rows, right.rows.T, out=out)
        with np.errstate(over="ignore", invalid="ignore"):  # a run that leaves the range of floats says so itself
            if radial is None:
                return self.kernel.from_dots(dots)
            from rosenblatt.engine.kernel.scan import radial_exponents  # here: models are loaded without the compiler

            radial_exponents(dots, left.norms, right.norms, radial.factor(self.dtype), radial.noise(self.dtype))
            return np.exp(dots, out=dots)


def _squared_norms(rows: Array) -> Array:
    return np.einsum("ij,ij->i", rows, rows)


def is_far(radial: Any, *norms: Any) -> bool:
    """Whether rows of these squared norms are so far from the origin that ‖x‖² + ‖y‖² - 2 x·y loses digits that tell.

    The rounding of ‖x‖² reaches exp(-gamma ‖x - y‖²) as gamma ‖x‖² roundings of 1.
    """
    return not radial.gamma * max((float(part.max()) for part in norms if len(part)), default=0.0) <= FAR


def around(left: Operand, right: Operand, squared_norms: Any) -> tuple[Operand, Operand]:
    """Both operands as seen from one of the rows on the right: a radial kernel looks at differences alone."""
    centre = right.rows[:1]
    near = left.rows - centre, right.rows - centre
    return Operand(near[0], squared_norms(near[0])), Operand(near[1], squared_norms(near[1]))


class FunctionValues(DotProducts):
    """Values of a user's function of two blocks of rows."""

    def operand(self, X: Any, rows: Any = None, norms: Array | None = None) -> Operand:
        block = X if rows is None else X[as_slice(rows)]
        return Operand(block if scipy.sparse.issparse(block) else np.ascontiguousarray(block, self.dtype), None)

    def values(self, left: Operand, right: Operand, out: Array | None = None) -> Array:
        return np.array(self.kernel.values(*aligned([left.rows, right.rows])), self.dtype, order="C")


class MatrixValues(DotProducts):
    """Values of a matrix that is given: the columns are training rows, an operand is a list of numbers."""

    def __init__(self, matrix: Any, dtype: Any) -> None:
        self.matrix, self.dtype = matrix, np.dtype(dtype)
        self.needs_norms = False

    def operand(self, X: Any, rows: Any = None, norms: Array | None = None) -> Operand:
        return Operand(np.arange(self.matrix.shape[0]) if rows is None else np.asarray(rows), None)

    def values(self, left: Operand, right: Operand, out: Array | None = None) -> Array:
        return np.ascontiguousarray(self.matrix[left.rows[:, None], right.rows], self.dtype)


def values_of(kernel: Any, X: Any, dtype: Any) -> DotProducts:
    """Where this kernel's values of the rows X come from."""
    if kernel.name == "precomputed":
        return MatrixValues(X, dtype)
    return (FunctionValues if kernel.name == "function" else DotProducts)(kernel, dtype)


class Store:
    """An operand that grows: rows are appended, and now and then only some are kept."""

    def __init__(self, source: DotProducts) -> None:
        self.source = source
        self.size = 0
        self.rows: Any = None
        self.norms: Array | None = None
        self.waiting: list[Operand] = []  # sparse rows that are not joined yet

    def append(self, operand: Operand) -> None:
        if not len(operand):
            return
        if scipy.sparse.issparse(operand.rows):
            self.waiting.append(operand)
            self.size += len(operand)
            return
        self._reserve(operand)
        place = slice(self.size, self.size + len(operand))
        self.rows[place] = operand.rows
        if self.norms is not None:
            self.norms[place] = operand.norms
        self.size += len(operand)

    def _reserve(self, like: Operand) -> None:
        needed, room = self.size + len(like), 0 if self.rows is None else len(self.rows)
        if needed <= room:
            return
        room = max(64, 2 * room, needed)
        rows = np.empty((room, *like.rows.shape[1:]), like.rows.dtype)
        norms = None if like.norms is None else np.empty(room, like.norms.dtype)
        if self.rows is not None:
            rows[: self.size] = self.rows[: self.size]
        if norms is not None and self.norms is not None:
            norms[: self.size] = self.norms[: self.size]
        self.rows, self.norms = rows, norms

    def view(self) -> Operand:
        """All rows so far."""
        if self.waiting:
            parts = ([Operand(self.rows, self.norms)] if self.rows is not None else []) + self.waiting
            self.rows, self.norms = self.source.join(parts)
            self.waiting = []
        if self.rows is None:
            return Operand(np.empty((0, 0), self.source.dtype), np.empty(0))
        return Operand(self.rows, self.norms).part(0, self.size)

    def keep(self, places: Array) -> None:
        rows, norms = self.view()
        self.rows, self.norms = rows[places], None if norms is None else norms[places]
        self.size = len(places)

    def cast(self, dtype: Any) -> Store:
        """The same rows for computations in another dtype."""
        rows, _ = self.view()
        result = Store(type(self.source)(self.source.kernel, dtype))
        result.append(result.source.operand(rows))
        return result

    def clear(self) -> None:
        self.size, self.waiting = 0, []
        if scipy.sparse.issparse(self.rows):
            self.rows = self.norms = None
