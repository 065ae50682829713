"""LIBSVM text files: one row a line, `label index:value index:value ...`, indices from 1."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import existing_file, float_type, whole_number, yes_or_no

from .compressed import described, open_stored
from .matrix import Matrix
from .reading import MOST_COLUMNS, ReadOptions
from .sparse_text import gathered, sparse_blocks

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def read_libsvm(
    path: str | PathLike[str],
    n_features: int | None = None,
    dtype: npt.DTypeLike = np.float64,
    *,
    zero_based: bool = False,
) -> tuple[csr_array, npt.NDArray[np.float64]]:
    r"""Read a LIBSVM text file into a sparse matrix and its labels.

    A test file often lacks the last features of its training file: pass `n_features` so that both get
    the same number of columns. Values are the float64 nearest to what is written, as Python's `float()` has it (for
    float32, that rounded once more).

    Parameters
    ----------
    path : str or path-like
        The file, plain or compressed with gzip, xz or bzip2.
    n_features : int, optional
        The number of columns. When not given, the largest index in the file.
    dtype : float64 or float32
        The dtype of the values; labels are always float64.
    zero_based : bool
        True for the files found in the wild whose indices start at 0. It is never guessed: a file
        that happens to lack its first feature would be shifted by one.

    Returns
    -------
    X : csr_array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.txt"
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     X, y = read_libsvm(path)
    >>> X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]])
    >>> y
    array([ 1., -1.])
    """
    kind = float_type(dtype)
    existing_file(path)
    yes_or_no(zero_based=zero_based)
    if n_features is not None:
        whole_number("n_features", n_features, 1, "it is the number of columns of the result", most=MOST_COLUMNS)
    name = os.fspath(path)
    reading = ReadOptions(zero_based=zero_based)
    with described(name), open_stored(path) as file:
        found = [rows for _, rows in gathered(sparse_blocks(file, name, name, reading, finite=False))]
    if not found:
        raise ValueError(f"A LIBSVM file must have at least one row, but {path} has none; pass another file.")
    rows = widened(found[0], n_features, path)
    return rows.X.astype(kind, copy=False), rows.y


def widened(rows: Matrix, n_features: int | None, path: str | PathLike[str]) -> Matrix:
    """The same sparse rows with so many columns; refused where they have more."""
    from scipy.sparse import csr_array

    found = rows.X.shape[1]
    if n_features in (None, found):
        return rows
    if found > n_features:
        raise ValueError(f"{path} has {found} features, more than n_features={n_features}.")
    kind = np.int32 if n_features < 2**31 and len(rows.X.data) < 2**31 else np.int64
    indices, indptr = (part.astype(kind, copy=False) for part in (rows.X.indices, rows.X.indptr))
    return replace(rows, X=csr_array((rows.X.data, indices, indptr), shape=(len(rows), n_features)))
