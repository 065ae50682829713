"""What a user hands in, as partitions that tasks load: blocks of rows with their labels and sample weights.

A dask array, a dask dataframe or a list of delayed blocks (CSR matrices, arrays). A first pass looks at every block:
widths and dtypes must agree, and the counts of the classes tell which classes there are and how rows are sorted.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import dask.array
import dask.dataframe
import numpy as np
import scipy.sparse

from rosenblatt.checked_labels import check_labels, check_targets
from rosenblatt.checked_rows import with_plain_indices
from rosenblatt.cluster.backend import Dask, Part
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.validation import ROW_DTYPES, check_weights
from rosenblatt.finite import refuse_not_finite
from rosenblatt.wording import listed


class Block(NamedTuple):
    """The rows of a partition, as learners take them."""

    X: Any
    y: Array
    weights: Array | None


class Look(NamedTuple):
    """What is known of a block."""

    rows: int
    width: int
    dtype: str
    layout: str
    size: int  # in bytes
    classes: Array
    counts: Array


@dataclass
class Partitions:
    """Parts, and what the first pass found out about them."""

    parts: list[Part]
    looks: list[Look]
    names: Array | None = None  # of the features
    classes: Array = field(default_factory=lambda: np.empty(0))

    @property
    def n_rows(self) -> int:
        return sum(look.rows for look in self.looks)

    @property
    def width(self) -> int:
        return self.looks[0].width

    @property
    def dtype(self) -> Any:
        return np.dtype(self.looks[0].dtype)


def partitions_of(backend: Dask, X: Any, y: Any, sample_weight: Any, *, targets: bool, persist: Any) -> Partitions:
    """The partitions of rows and labels (numbers, if they are `targets`), looked at once, and kept where they fit."""
    blocks, names = blocks_of(X, "X")
    lengths = None if not in_memory(y) and not in_memory(sample_weight) else lengths_of(backend, X, blocks)
    labels = matching(y, blocks, lengths, "y")
    weights = (
        [None] * len(blocks) if sample_weight is None else matching(sample_weight, blocks, lengths, "sample_weight")
    )
    load = dask.delayed(_load, pure=False)
    parts = [Part(n, load(*block, targets)) for n, block in enumerate(zip(blocks, labels, weights, strict=True))]
    if persist is True:
        parts = backend.persist(parts)
    looks: list[Look] = backend.tree_reduce(operator.add, backend.map(_look, parts, targets))
    parts, looks = _used(parts, looks)
    _check_alike(looks)
    if persist == "auto" and backend.fits(sum(look.size for look in looks)):
        parts = backend.persist(parts)
    found = Partitions(parts, looks, names)
    if not targets:
        for look in looks[1:]:
            check_kind(looks[0].classes, look.classes)
        found.classes = np.unique(np.concatenate([look.classes for look in looks]))
    return found


def blocks_of(X: Any, name: str) -> tuple[list[Any], Array | None]:
    """(delayed blocks, the names of the columns)."""
    if isinstance(X, dask.array.Array):
        if X.ndim == 2 and len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        return list(X.to_delayed().ravel()), None
    if isinstance(X, dask.dataframe.DataFrame | dask.dataframe.Series):
        columns = list(getattr(X, "columns", ()))
        named = bool(columns) and all(isinstance(column, str) for column in columns)
        # Not optimised: Dask would read several files as one partition where few columns are used, so that the
        # partitions of labels would be others than those of their rows. Rows and labels share what they read.
        return list(X.to_delayed(optimize_graph=False)), np.array(columns, object) if named else None
    if isinstance(X, list | tuple) and X and all(dask.is_dask_collection(block) for block in X):
        return list(X), None
    raise TypeError(
        f"{name} must be a dask array, a dask dataframe or a list of delayed blocks, but got {type(X).__name__}; rows "
        f"that are in memory are for the estimator's own fit, or for dask.array.from_array."
    )


def in_memory(values: Any) -> bool:
    """Whether values for all rows are here, to be cut as the rows are."""
    delayed = isinstance(values, list | tuple) and len(values) > 0 and all(map(dask.is_dask_collection, values))
    return values is not None and not dask.is_dask_collection(values) and not delayed


def lengths_of(backend: Dask, X: Any, blocks: list[Any]) -> list[int]:
    """The rows of every block: where they are not known, blocks are loaded to count them."""
    known = X.chunks[0] if isinstance(X, dask.array.Array) else (np.nan,)
    if not np.isnan(known).any():
        return [int(rows) for rows in known]
    parts = [Part(number, block) for number, block in enumerate(blocks)]
    lengths: list[int] = backend.tree_reduce(operator.add, backend.map(_length, parts))
    warnings.warn(
        f"The sizes of the partitions of X are not known, but are needed to cut y as X is: they were computed, "
        f"{listed(lengths, 6)} rows. Give y as a dask collection with the partitions of X to save this pass.",
        UserWarning,
        stacklevel=4,
    )
    return lengths


def _length(block: Any) -> list[int]:
    return [int(block.shape[0])]


def matching(values: Any, blocks: list[Any], lengths: Sequence[int] | None, name: str) -> list[Any]:
    """Labels or weights in the partitions of the rows."""
    if lengths is None:
        found, _ = blocks_of(values, name)
    else:
        values = values if dask.is_dask_collection(values) else np.asarray(values)
        if not isinstance(values, np.ndarray | dask.array.Array):
            found, _ = blocks_of(values, name)
        elif len(values) != sum(lengths):
            raise ValueError(
                f"X and {name} must have the same number of rows, but got {sum(lengths):,} and {len(values):,}; pass "
                f"one value per row."
            )
        else:
            edges = np.cumsum([0, *lengths])
            found = [values[start:stop] for start, stop in pairwise(edges)]
    if len(found) != len(blocks):
        raise ValueError(
            f"{name} must have the {len(blocks)} partitions of X, but has {len(found)}; rechunk it, or pass an array."
        )
    return found


def _load(X: Any, y: Any, weights: Any, targets: bool) -> Block:
    """A block as learners take it; the task that begins every partition."""
    if scipy.sparse.issparse(X):
        rows = with_plain_indices(scipy.sparse.csr_array(X))
    else:
        rows = np.asarray(X)
        if rows.dtype.kind not in "biuf":
            raise ValueError(
                f"X must hold numbers, but has {rows.dtype} columns; put a ColumnEncoder before the learner, with "
                f"make_pipeline(ColumnEncoder(), ...)."
            )
    if rows.ndim != 2:
        raise ValueError(f"X must have rows and columns, but a partition has the shape {rows.shape}; reshape it.")
    if rows.dtype not in ROW_DTYPES:
        rows = rows.astype(np.float64)
    if not scipy.sparse.issparse(rows):
        rows = np.ascontiguousarray(rows)
    refuse_not_finite("X", rows)
    n_rows = rows.shape[0]
    values = np.asarray(y) if hasattr(y, "__array__") else y
    labels = check_targets(values, n_rows) if targets else check_labels(values, n_rows)
    return Block(rows, labels, None if weights is None else check_weights(weights, rows.shape[0]))


def _look(block: Block, targets: bool) -> list[Look]:
    X, y = block.X, block.y
    sparse = bool(scipy.sparse.issparse(X))
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse else X.nbytes
    classes, counts = (np.empty(0), np.empty(0, np.int64)) if targets else np.unique(y, return_counts=True)
    return [
        Look(X.shape[0], X.shape[1], X.dtype.name, "sparse" if sparse else "dense", size + y.nbytes, classes, counts)
    ]


def _used(parts: list[Part], looks: list[Look]) -> tuple[list[Part], list[Look]]:
    """Partitions that have rows."""
    used = [(part, look) for part, look in zip(parts, looks, strict=True) if look.rows]
    if not used:
        raise ValueError("X must have rows, but all its partitions are empty; look at how it is read.")
    return [part for part, _ in used], [look for _, look in used]


def _check_alike(looks: list[Look]) -> None:
    """Partitions have one width, one dtype and one layout."""
    for what, column in (("width", 1), ("dtype", 2), ("layout", 3)):
        found = [look[column] for look in looks]
        other = next((number for number, value in enumerate(found) if value != found[0]), None)
        if other is not None:
            raise ValueError(
                f"The partitions of X must have one {what}, but partition {other} has {found[other]} after "
                f"{found[0]}; convert them to one."
            )
