"""Rows as the compiled loops read them: plain arrays, never a copy of a C-contiguous matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array

UNSIGNED = {np.dtype(np.int32): np.uint32, np.dtype(np.int64): np.uint64}


class _Holder:
    """Keeps the owner of borrowed memory alive."""

    def __init__(self, owner: Array) -> None:
        self.owner = owner
        address = owner.__array_interface__["data"][0]
        self.__array_interface__ = {**owner.__array_interface__, "data": (address, False)}


def readable(array: Array) -> Array:
    """The array itself, or a view of a read-only one that has the same type as any other for the compiler.

    The loops never write to rows; without this, each would be compiled once more for read-only memory.
    """
    array = np.asarray(array)
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.ascontiguousarray(array)
    return array if array.flags.writeable or array.size == 0 else np.asarray(_Holder(array))


def rows_of(X: Any, *, squared_norms: bool = False) -> tuple[str, tuple[Array, ...]]:
    """(layout, arrays) of a dense matrix or of a CSR matrix.

    A sparse row may name a feature twice, or features in any order: sums do not mind. Its squared norm does, so that
    for `squared_norms` repeated features are added up in a copy.
    """
    if not scipy.sparse.issparse(X):
        return "rows", (readable(X),)
    if squared_norms and not X.has_canonical_format:
        from rosenblatt.engine.layouts.csr import repeats_a_feature

        if repeats_a_feature(rows_of(X)[1], X.shape[1]):
            X = X.copy()
            X.sum_duplicates()
    indices, indptr = (readable(part).view(UNSIGNED[part.dtype]) for part in (X.indices, X.indptr))
    # Seen as unsigned, a negative index is a huge one: the loops rely on every index being within the matrix.
    if (len(indices) and int(indices.max()) >= X.shape[1]) or int(indptr[-1]) > min(len(indices), len(X.data)):
        raise ValueError(
            f"The indices of a sparse matrix must be at least 0 and below {X.shape[1]}, its number of features, but X "
            f"has others; build the matrix again."
        )
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(
            "The indptr of a sparse matrix must begin with 0 and never fall, but X's does not; build the matrix again."
        )
    return "columns", (readable(X.data), indices, indptr)
