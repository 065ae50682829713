"""IDX and NumPy files as matrices."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from .idx import read_idx
from .matrix import Matrix
from .reading import ReadOptions

#: The keys of an .npz file that hold the rows and the labels.
ROWS = ("X", "x", "data", "X_train", "x_train", "features", "images", "arr_0")
LABELS = ("y", "target", "labels", "y_train", "label", "arr_1")

#: What sparse numbers are kept as; all others as float64.
SPARSE = {"uint8": np.float32, "float32": np.float32, "float64": np.float64}

BLOCK_BYTES = 2**24

#: What NumPy and the ZIP reader raise for a damaged file, beside ValueError.
DAMAGED = (OSError, EOFError, BadZipFile, zlib.error, SyntaxError, TokenError, NotImplementedError, KeyError, TypeError,
           OverflowError, RuntimeError, MemoryError)  # fmt: skip


def read(path: str, name: str, format: str, reading: ReadOptions, whole: bool) -> Iterator[Matrix]:
    """The rows of one file, whole or in blocks of megabytes."""
    if format == "npy":
        yield from _npy(path, name, whole)
        return
    found = {"idx": _idx, "npz": _npz}[format](path, name)
    n_rows = len(found) if whole else _rows_of_a_block(found.X)
    for start in range(0, len(found), n_rows):
        yield found if whole else found.take(slice(start, start + n_rows))


def read_labels(path: str, format: str) -> npt.NDArray[Any]:
    """The labels of an IDX or NumPy file that holds nothing else: an array of one dimension, or of one column.

    In an .npz file they are called as in `LABELS` or, where there is a single array, as anybody likes.
    """
    if format == "idx":
        values = read_idx(path)
    else:
        values = _stored_labels(path)
    shape = values.shape
    if values.dtype.kind not in "biufU" or not shape or (len(shape) > 1 and shape != (len(values), 1)):
        what = f"{values.dtype} of shape {shape}" if values.dtype.kind in "biufU" else f"{values.dtype}"
        raise ValueError(
            f"A file of labels must have one column of numbers or text, but {path} has {what}; save one label per row."
        )
    return values.reshape(-1)


def _stored_labels(path: str) -> npt.NDArray[Any]:
    try:
        with Path(path).open("rb") as file:
            stored = np.load(file, allow_pickle=False)
            if not hasattr(stored, "files"):
                return np.asarray(stored)
            keys: list[str] = list(stored)
            named = [key for key in (*LABELS, *ROWS) if key in keys]
            if len(keys) == 1 or named:
                return np.asarray(stored[(named or keys)[0]])
    except (*DAMAGED, ValueError) as error:
        raise ValueError(
            f"A file of labels must hold a whole array, but {path} does not ({_short(error)}); save it again without "
            "objects."
        ) from error
    raise ValueError(
        f"A file of labels must hold them as 'y', but {path} has {', '.join(keys) or 'nothing'}; "
        "save it with np.savez(path, y=...)."
    )


def _rows_of_a_block(rows: Any) -> int:
    size = rows.data.nbytes // rows.shape[0] if hasattr(rows, "indptr") else rows[:1].nbytes
    return max(1, BLOCK_BYTES // max(1, size))


def _idx(path: str, name: str) -> Matrix:
    """Images and, where the file of labels stands beside them as for MNIST, labels."""
    values = read_idx(path)
    if values.ndim < 2:
        raise ValueError(
            f"An IDX file of rows must have at least two dimensions, but {name} has {values.ndim}: it holds labels; "
            "pass the file of images, the labels beside it are found."
        )
    labels = labels_beside(path)
    y = None if labels is None else read_idx(labels)
    if y is not None and y.shape != values.shape[:1]:
        raise ValueError(
            f"There must be one label per row, but {name} has {len(values)} rows and {labels} {y.shape}; "
            "put the labels that belong to it beside it."
        )
    shape = values.shape[1:] if values.ndim == 3 else None
    return Matrix(values.reshape(len(values), -1), y, shape)


def labels_beside(images: str) -> str | None:
    """The file of labels that belongs to a file of images by MNIST's convention, if it is there.

    Examples
    --------
    >>> labels_beside("no/such/train-images-idx3-ubyte") is None
    True
    """
    path = Path(images)
    stem = re.sub(r"images([-.])idx3", r"labels\1idx1", path.name)
    if stem == path.name:
        return None
    stem = re.sub(r"\.(gz|xz|bz2|zst)$", "", stem)
    candidates = [path.with_name(stem + ending) for ending in ("", ".gz", ".xz", ".bz2", ".zst")]
    return next((str(candidate) for candidate in candidates if candidate.exists()), None)


def _npy(path: str, name: str, whole: bool) -> Iterator[Matrix]:
    """The file is mapped to see what it holds, but read: a map of a file that is cut meanwhile ends the process."""
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
        start, in_rows = getattr(values, "offset", 0), values.ndim > 0 and values.flags.c_contiguous
    except (*DAMAGED, ValueError) as error:
        raise ValueError(
            f"A .npy file must hold an array of numbers, but {name} does not ({_short(error)}); save it again without "
            "objects."
        ) from error
    if not in_rows:  # column after column in the file
        yield Matrix(_rows(np.load(path, allow_pickle=False), name))
        return
    kind, mapped = values.dtype, _rows(values, name)
    n_rows = len(mapped) if whole else _rows_of_a_block(mapped)
    width, bytes_of_a_row = mapped.shape[1], mapped[:1].nbytes
    for first in range(0, len(mapped), n_rows):
        count = min(n_rows, len(mapped) - first)
        block = np.fromfile(path, kind, count * width, offset=start + first * bytes_of_a_row)
        yield Matrix(block.reshape(count, width))  # which refuses too few, of a file that is cut meanwhile


def _npz(path: str, name: str) -> Matrix:
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            keys = list(stored)
            sparse = _sparse(stored) if {"format", "shape"} <= {*keys} else None
            rows = next((key for key in ROWS if key in keys), None) if sparse is None else None
            labels = next((key for key in LABELS if key in keys), None)
            values, y = sparse if rows is None else stored[rows], None if labels is None else stored[labels]
    except (*DAMAGED, ValueError) as error:
        raise ValueError(
            f"An .npz file must hold whole arrays of numbers, but {name} does not ({_short(error)}); save it again."
        ) from error
    if values is None:
        raise ValueError(
            f"An .npz file must hold its rows as 'X', but {name} has {', '.join(keys) or 'nothing'}; "
            "save it with np.savez(path, X=..., y=...)."
        )
    X = _rows(values, name) if sparse is None else _finite(sparse, name)
    if y is not None and y.shape != X.shape[:1]:
        raise ValueError(f"There must be one label per row, but {name} has {X.shape[0]} rows and labels {y.shape}.")
    return Matrix(X, y, values.shape[1:] if values.ndim == 3 else None)


def _sparse(stored: Any) -> Any:
    """Sparse rows as `convert` and SciPy's save_npz write them, by column too."""
    from scipy.sparse import csc_array, csr_array

    kinds = {"csr": csr_array, "csc": csc_array}
    kind = stored["format"].item()
    kind = kind.decode("ascii", "replace") if isinstance(kind, bytes) else str(kind)
    if kind not in kinds:
        raise ValueError(f"sparse rows must be CSR or CSC, but they are {kind[:20]}")
    shape = tuple(map(int, stored["shape"]))
    if 0 in shape:
        raise ValueError(f"there must be rows and columns, but the shape is {shape}")
    found = kinds[kind]((stored["data"], stored["indices"], stored["indptr"]), shape=shape)
    found.check_format(full_check=True)
    if found.dtype.kind not in "biuf":
        raise ValueError(f"sparse rows must hold numbers, but they hold {found.dtype}")
    # Bytes are float32 without rounding, and learned from with float32 weights anyway; float64 would be twice as large.
    X = found.tocsr().astype(SPARSE.get(found.dtype.name, np.float64), copy=False)
    X.sum_duplicates()
    return X


def _finite(X: Any, name: str) -> Any:
    """Sparse rows, which have no gaps: what is not there is 0."""
    wrong = np.flatnonzero(~np.isfinite(X.data))
    if len(wrong):
        row = int(np.searchsorted(X.indptr, wrong[0], side="right"))
        raise ValueError(
            f"Numbers must be finite, but {name} has {X.data[wrong[0]]} in row {row:,}, column "
            f"{X.indices[wrong[0]] + 1:,}; replace it or leave the feature out."
        )
    return X


def _short(error: Exception) -> str:
    """What was said, on one line; of several sentences the first."""
    return " ".join(str(error).split()).partition(". ")[0].rstrip(".")[:200]


def _rows(values: Any, name: str) -> Any:
    if values.dtype.kind not in "biuf" or values.ndim not in (2, 3):
        raise ValueError(
            f"Rows must be numbers in two dimensions, but {name} has {values.dtype} of shape {values.shape}; "
            "save one row per example."
        )
    if not len(values):
        raise ValueError(f"A source must have at least one row, but {name} has none; pass another file.")
    if not values[:1].size:
        raise ValueError(f"Rows must have at least one number, but those of {name} have none; pass another file.")
    return values.reshape(len(values), -1)
