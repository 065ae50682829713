"""LIBSVM text files: one row a line, `label index:value index:value ...`, indices from 1."""

from __future__ import annotations

import os
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import existing_file, float_type, whole_number, yes_or_no

from .compressed import DAMAGED, open_stored
from .reading import MOST_COLUMNS

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
    from scipy.sparse import csr_array

    from .sparse_text import check_width, gather, libsvm_blocks

    kind = float_type(dtype)
    existing_file(path)
    yes_or_no(zero_based=zero_based)
    if n_features is not None:
        whole_number("n_features", n_features, 1, "it is the number of columns of the result", most=MOST_COLUMNS)
    try:
        with open_stored(path) as file:
            blocks = libsvm_blocks(file, os.fspath(path), os.fspath(path), zero_based=zero_based, dtype=kind)
            data, indices, indptr, y, width, _ = gather(blocks, kind)
    except DAMAGED as error:
        raise ValueError(
            f"A compressed LIBSVM file must decompress to its end, but {path} does not ({error}); fetch it again."
        ) from error
    if not len(y):
        raise ValueError(f"A LIBSVM file must have at least one row, but {path} has none; pass another file.")
    check_width(width, n_features, path)
    n_columns = n_features if n_features is not None else max(1, width)
    return csr_array((data, indices.astype(indptr.dtype, copy=False), indptr), shape=(len(y), n_columns)), y
