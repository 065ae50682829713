"""One question of separability: rows in two classes, as they were given."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.certificates.reading import plain
from rosenblatt.engine.online.state import Array

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

    @functools.cached_property
    def _groups(self) -> tuple[Array, Array]:
        """The rows in an order that puts those of equal hash together, and where each group starts."""
        hashes = row_hashes(self.X)
        order = np.argsort(hashes, kind="stable")
        return order, np.flatnonzero(np.r_[True, hashes[order][1:] != hashes[order][:-1]])

    def distinct(self) -> Array | None:
        """The first of equal rows of one class, for each set of them; None where no row repeats.

        What the theorem promises depends on the rows, not on how often they are there (lecture row L7).
        """
        order, starts = self._groups
        if len(starts) == self.n:
            return None
        first = order[np.repeat(starts, np.diff(np.r_[starts, self.n]))]
        later = order[order != first]
        earlier = first[order != first]
        equal = self.signs[later] == self.signs[earlier]
        step = max(1, BLOCK // self.d)
        for start in range(0, len(later), step):
            part = slice(start, start + step)
            differ = self.X[later[part]] != self.X[earlier[part]]
            same = np.asarray(differ.sum(axis=1)).ravel() == 0
            equal[part] &= same
        return np.setdiff1d(np.arange(self.n), later[equal])

    def contradiction(self) -> tuple[int, int] | None:
        """Two equal rows of opposite classes, if there are any."""
        order, starts = self._groups
        sizes = np.diff(np.r_[starts, len(order)])
        mixed = np.abs(np.add.reduceat(self.signs[order].astype(np.int64), starts)) != sizes
        for start, size in zip(starts[mixed], sizes[mixed], strict=True):
            found = _equal_opposites(self.X, self.signs, order[start : start + size])
            if found:
                return found
        return None


def two_classes(X: Any, codes: Array, classes: Array, intercept: bool) -> Problem:
    signs = np.where(codes == 1, 1, -1).astype(np.int8)
    return Problem(X, signs, (plain(classes[0]), plain(classes[1])), intercept)


def _blocks(X: Any) -> Iterator[slice]:
    step = max(1, BLOCK // max(1, X.shape[1]))
    return (slice(first, first + step) for first in range(0, X.shape[0], step))


def _words(values: Array) -> tuple[Array, Array | None]:
    """64 bits for each number, the same for the same number in any dtype; 1 and 2 mark whole numbers, positive and
    negative, that no float64 holds, None that there are none."""
    if values.dtype.kind == "f" or values.dtype.itemsize < 8:
        floats = values.astype(np.float64)
        return np.ascontiguousarray(floats + 0.0).view(np.uint64), None  # + 0.0 makes -0.0 the same as 0.0
    as_float = values.astype(np.float64)
    inside = as_float < (2.0**63 if values.dtype.kind == "i" else 2.0**64)
    exact = inside & (np.where(inside, as_float, 0.0).astype(values.dtype) == values)
    words = np.where(exact, (as_float + 0.0).view(np.uint64), np.ascontiguousarray(values).view(np.uint64))
    return words, None if exact.all() else np.where(exact, 0, np.where(values > 0, 1, 2)).astype(np.uint8)


def row_hashes(X: Any) -> Array:
    """A 64-bit number for each row, equal for equal rows."""
    keys = np.random.default_rng(0).integers(1, 2**63, X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    hashes = np.zeros(X.shape[0], dtype=np.uint64)
    with np.errstate(over="ignore"):
        if scipy.sparse.issparse(X):
            mixed = _mix(_words(X.data)[0]) * keys[X.indices]
            mixed[X.data == 0] = 0
            np.add.at(hashes, np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), mixed)
            return hashes
        for block in _blocks(X):
            hashes[block] = (_mix(_words(X[block])[0]) * keys).sum(axis=1)
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
    """SHA-256 over the numbers that are not 0, their places, and the signs (int8) or numbers of classes."""
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
            places = np.broadcast_to(np.arange(part.shape[1], dtype="<i4"), part.shape)
            counts, columns, values = mask.sum(axis=1), places[mask], part[mask]
        sha.update(counts.astype("<i8").tobytes())
        sha.update(columns.astype("<i4").tobytes())
        words, marks = _words(values)
        sha.update(words.astype("<u8").tobytes())
        if marks is not None:
            sha.update(b"whole numbers" + marks.tobytes())
    sha.update(signs.astype(np.int8 if signs.dtype == np.int8 else "<i8").tobytes())
    return sha.hexdigest()
