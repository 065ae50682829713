"""LIBSVM text files: one row a line, `label index:value index:value ...`, indices from 1."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .compressed import DAMAGED, open_stored

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
    the same number of columns. scikit-learn's parser does the reading.

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
    from scipy.sparse import csr_array, get_index_dtype
    from sklearn.datasets import load_svmlight_file

    if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(
            f"dtype must be float64 or float32, but {np.dtype(dtype).name} came; "
            "pass one of the two and convert afterwards."
        )
    try:
        with open_stored(path) as file:
            stored, y = load_svmlight_file(file, dtype=dtype, zero_based=True)
    except DAMAGED as error:
        raise ValueError(
            f"A compressed LIBSVM file must decompress to its end, but {path} does not ({error}); fetch it again."
        ) from error
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"A LIBSVM file must have lines of the form 'label index:value ...' with rising indices, but "
            f"{path} does not ({str(error).rstrip('.')}); correct the file."
        ) from error
    if not len(y):
        raise ValueError(f"A LIBSVM file must have at least one row, but {path} has none; pass another file.")
    first = 0 if zero_based else 1
    _check_indices(stored, first, n_features, path)
    n_columns = n_features if n_features is not None else max(1, stored.shape[1] - first)
    # scikit-learn's parser counts in 64 bits; 32 halve the memory and are what its own solvers ask for.
    integer = get_index_dtype(maxval=max(stored.nnz, n_columns))
    indices, indptr = (stored.indices - first).astype(integer), stored.indptr.astype(integer)
    return csr_array((stored.data, indices, indptr), shape=(len(y), n_columns)), y


def _check_indices(stored: Any, first: int, n_features: int | None, path: str | PathLike[str]) -> None:
    """Refuse indices below the first one or above the promised number of features."""
    if not stored.nnz:
        return
    lowest, found = int(stored.indices.min()), int(stored.indices.max()) + 1 - first
    if lowest < first:
        raise ValueError(
            f"The indices of a LIBSVM file must start at {first}, but {path} has the index {lowest}; "
            "pass zero_based=True if its indices start at 0."
        )
    if n_features is not None and found > n_features:
        raise ValueError(
            f"n_features must be at least the {found} features of {path}, but {n_features} came; "
            f"pass n_features={found} or leave it out."
        )
