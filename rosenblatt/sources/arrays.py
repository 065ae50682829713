"""IDX and NumPy files as matrices."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np

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


@contextmanager
def _opened(path: str, name: str, *, mapped: bool = False) -> Iterator[Any]:
    """What a NumPy file holds; what is wrong with it is a ValueError with its name."""
    try:
        with Path(path).open("rb") as file:
            yield np.load(path, "r", allow_pickle=False) if mapped else np.load(file, allow_pickle=False)
    except (*DAMAGED, ValueError) as error:
        why = " ".join(str(error).split()).partition(". ")[0].rstrip(".")[:200]
        raise ValueError(f"{name} cannot be read as a NumPy file ({why}).") from error


def _named(stored: Any, names: tuple[str, ...]) -> Any:
    """The array of the first of these names that is there, or None."""
    known = next((name for name in names if name in stored), None)
    return None if known is None else np.asarray(stored[known])


def _rows_of_a_block(rows: Any) -> int:
    size = rows.data.nbytes // rows.shape[0] if hasattr(rows, "indptr") else rows[:1].nbytes
    return max(1, BLOCK_BYTES // max(1, size))


def _idx(path: str, name: str) -> Matrix:
    """Images and, where the file of labels stands beside them as for MNIST, labels."""
    values = read_idx(path)
    if values.ndim < 2:
        raise ValueError(f"{name} holds labels, not rows; pass the file of images, the labels beside it are found.")
    labels = labels_beside(path)
    y = None if labels is None else read_idx(labels)
    if y is not None and y.shape != values.shape[:1]:
        raise ValueError(f"{name} has {len(values):,} rows, but {labels} has labels of shape {y.shape}.")
    return Matrix(values.reshape(len(values), -1), y, values.shape[1:] if values.ndim == 3 else None)


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
    with _opened(path, name, mapped=True) as values:
        kind, start, in_rows = values.dtype, getattr(values, "offset", 0), values.ndim and values.flags.c_contiguous
    mapped = _rows(values, name)
    if not in_rows:  # column after column in the file
        yield Matrix(np.array(mapped))
        return
    n_rows = len(mapped) if whole else _rows_of_a_block(mapped)
    width, bytes_of_a_row = mapped.shape[1], mapped[:1].nbytes
    for first in range(0, len(mapped), n_rows):
        count = min(n_rows, len(mapped) - first)
        block = np.fromfile(path, kind, count * width, offset=start + first * bytes_of_a_row)
        yield Matrix(block.reshape(count, width))  # which refuses too few, of a file that is cut meanwhile


def _npz(path: str, name: str) -> Matrix:
    with _opened(path, name) as stored:
        sparse = {"format", "shape"} <= {*stored}
        values, y = _sparse(stored) if sparse else _named(stored, ROWS), _named(stored, LABELS)
        if values is None:
            raise ValueError(f"it has {', '.join(stored) or 'nothing'}; save the rows as 'X'")
    X = _finite(values, name) if sparse else _rows(values, name)
    if y is not None and y.shape != X.shape[:1]:
        raise ValueError(f"{name} has {X.shape[0]:,} rows, but labels of shape {y.shape}.")
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
        row, column = np.searchsorted(X.indptr, wrong[0], side="right"), X.indices[wrong[0]] + 1
        raise ValueError(f"{name} has {X.data[wrong[0]]} in row {row:,}, column {column:,}; numbers must be finite.")
    return X


def _rows(values: Any, name: str) -> Any:
    if values.dtype.kind not in "biuf" or values.ndim not in (2, 3):
        raise ValueError(f"{name} holds no rows of numbers, but {values.dtype} of shape {values.shape}.")
    if not values.size:
        raise ValueError(f"{name} has no {'numbers' if len(values) else 'rows'}.")
    return values.reshape(len(values), -1)
