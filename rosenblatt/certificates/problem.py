"""One question of separability: rows in two classes, as they were given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.finite import sentence_on
from rosenblatt.wording import counted

BLOCK = 1 << 21  # numbers that are looked at together


@dataclass
class Problem:
    """Rows `X` with `signs` -1 and +1, standing for `classes`; the hyperplane may leave the origin if `intercept`."""

    X: Any
    signs: Array
    classes: tuple[Any, Any]
    intercept: bool

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def sparse(self) -> bool:
        return bool(scipy.sparse.issparse(self.X))

    def digest(self) -> str:
        """A name for these numbers and labels, whatever dtype and layout they are in."""
        return digest(self.X, self.signs)

    def contradiction(self) -> tuple[int, int] | None:
        """Two equal rows of opposite classes, if there are any."""
        hashes = row_hashes(self.X)
        order = np.argsort(hashes, kind="stable")
        starts = np.flatnonzero(np.r_[True, hashes[order][1:] != hashes[order][:-1]])
        sizes = np.diff(np.r_[starts, len(order)])
        mixed = np.abs(np.add.reduceat(self.signs[order].astype(np.int64), starts)) != sizes
        for start, size in zip(starts[mixed], sizes[mixed], strict=True):
            found = _equal_opposites(self.X, self.signs, order[start : start + size])
            if found:
                return found
        return None


def read_rows(X: Any) -> Any:
    """The rows as an array or CSR matrix of numbers that are used as they are."""
    if scipy.sparse.issparse(X):
        X = _canonical(X)
        values = X.data
    else:
        X = values = _as_table(X)
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise ValueError(
            f"X must hold real numbers of at most 64 bits, but its dtype is {values.dtype}; convert it to float64."
        )
    if 0 in X.shape:
        raise ValueError(f"X must have rows and features, but its shape is {X.shape}; pass at least one of each.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError(sentence_on("X", X))
    if values.dtype.kind == "b":
        X = X.astype(np.uint8)
    if values.dtype == np.float16:
        X = X.astype(np.float32)
    return X


def _canonical(X: Any) -> Any:
    """CSR with sorted features, none of them twice."""
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and features, but it has {X.ndim} dimension; reshape it to 2-D.")
    X = X.tocsr()
    if X.nnz and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
        raise ValueError(
            f"The indices of a sparse matrix must be at least 0 and below {X.shape[1]}, its number of features, but X "
            f"has others; build the matrix again."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _as_table(X: Any) -> Array:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X must not have masked values, but it has some; fill them or leave their rows out.")
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    try:
        table = np.asarray(X)
    except ValueError:
        raise ValueError("X must have rows of one length, but they differ; pass a table.") from None
    if table.dtype.kind == "O":
        try:
            exact = table.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                "X must hold numbers of at most 64 bits, but it holds other objects; encode text and categories first."
            ) from None
        if not all(a == b for a, b in zip(exact.ravel().tolist(), table.ravel().tolist(), strict=True)):
            raise ValueError(
                "X must hold numbers that 64 bits hold exactly, but some are too long; scale or round them."
            )
        table = exact
    if table.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and features, but it has {table.ndim} dimension{'s' * (table.ndim != 1)}; "
            f"reshape it to 2-D."
        )
    return table


def check_time_limit(time_limit: Any) -> None:
    if time_limit is None:
        return
    if not as_float(time_limit) > 0:
        came = shortened(time_limit)
        raise ValueError(f"time_limit must be a number of seconds above 0 or None, but got {came}; 60 is a minute.")


def check_tolerance(tolerance: Any) -> None:
    if not 0 < as_float(tolerance) <= 1:
        came = shortened(tolerance)
        raise ValueError(f"tolerance must be above 0 and at most 1, but got {came}; 0.01 means one per cent.")


def read_labels(y: Any, n: int) -> tuple[Array, Array]:
    """The classes, and for each row the number of its class."""
    if y is None:
        raise ValueError("y must name a class for every row, but it is None; pass one label per row.")
    if hasattr(y, "collect"):
        raise ValueError(f"y must be in memory, but got {type(y).__name__}; call y.collect() first.")
    given = set(map(type, y)) if isinstance(y, list | tuple) else set()
    if str in given and len(given) > 1:
        raise ValueError("y must hold labels of one kind, but text is mixed with other kinds; convert them.")
    try:
        labels = np.asarray(y)
    except ValueError:
        raise ValueError(
            "y must have one label for every row, but some rows have several; pass one label per row."
        ) from None
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(
            f"y must have {counted(n, 'label')}, one for each row, but its shape is {labels.shape}; pass "
            f"one label per row."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(sentence_on("y", labels))
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise ValueError("y must hold labels of one kind, but they cannot be compared; convert them.") from None
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least two classes, but every label is {_plain(classes[0])!r}; pass rows of two classes."
        )
    return classes, codes


def two_classes(X: Any, codes: Array, classes: Array, intercept: bool) -> Problem:
    signs = np.where(codes == 1, 1, -1).astype(np.int8)
    return Problem(X, signs, (_plain(classes[0]), _plain(classes[1])), intercept)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _blocks(X: Any) -> Iterator[slice]:
    step = max(1, BLOCK // max(1, X.shape[1]))
    return (slice(first, first + step) for first in range(0, X.shape[0], step))


def _words(values: Array) -> Array:
    """64 bits for each number, the same for the same number in any dtype."""
    if values.dtype.kind != "f" and values.dtype.itemsize == 8:
        as_float = values.astype(np.float64)
        small = np.where(np.abs(as_float) <= 2.0**53, as_float, 0.0)
        exact = small.astype(values.dtype) == values
        whole = values.view(np.uint64) ^ np.uint64(0x9E3779B97F4A7C15)
        return np.where(exact, (as_float + 0.0).view(np.uint64), whole)
    return np.ascontiguousarray(values.astype(np.float64) + 0.0).view(np.uint64)  # + 0.0 makes -0.0 the same as 0.0


def row_hashes(X: Any) -> Array:
    """A 64-bit number for each row, equal for equal rows."""
    keys = np.random.default_rng(0).integers(1, 2**63, X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    with np.errstate(over="ignore"):
        if scipy.sparse.issparse(X):
            mixed = _mix(_words(X.data)) * keys[X.indices]
            mixed[X.data == 0] = 0
            np.add.at(hashes, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), mixed)
            return hashes
        for block in _blocks(X):
            hashes[block] = (_mix(_words(X[block])) * keys).sum(axis=1)
    return hashes


def _mix(words: Array) -> Array:
    """Let the high bits, where floats differ, reach the low ones."""
    return words ^ (words >> np.uint64(32))


def _equal_opposites(X: Any, signs: Array, rows: Array) -> tuple[int, int] | None:
    """Among rows of equal hash, one positive and one negative that are equal."""
    positive, negative = rows[signs[rows] > 0], rows[signs[rows] < 0]
    for first in positive[:8]:
        for second in negative[:8]:
            if scipy.sparse.issparse(X):
                same = (X[[first]] != X[[second]]).nnz == 0
            else:
                same = bool(np.array_equal(X[first], X[second]))
            if same:
                return int(first), int(second)
    return None


def digest(X: Any, signs: Array) -> str:
    """SHA-256 over the numbers that are not 0, their places, and the signs."""
    sha = hashlib.sha256(f"{X.shape[0]} {X.shape[1]} ".encode())
    for block in _blocks(X):
        if scipy.sparse.issparse(X):
            part = X[block]
            part.sort_indices()
            kept = part.data != 0
            line = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))[kept]
            columns, values = part.indices[kept], part.data[kept]
            counts = np.bincount(line, minlength=part.shape[0])
        else:
            part = np.asarray(X[block])
            mask = part != 0
            counts, columns, values = mask.sum(axis=1), np.nonzero(mask)[1], part[mask]
        sha.update(counts.astype("<i8").tobytes())
        sha.update(columns.astype("<i4").tobytes())
        sha.update(_words(values).astype("<u8").tobytes())
    sha.update(signs.astype(np.int8).tobytes())
    return sha.hexdigest()
