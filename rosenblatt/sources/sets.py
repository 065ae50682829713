"""The field's real sets, split into training and test rows as they were published.

`fetch.locate` looks for them in the folder ROSENBLATT_DATA names, in the cache, and at their public home.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import shortened

from .fetch import locate
from .idx import read_idx
from .libsvm import read_libsvm

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows = TypeVar("Rows")
Bytes: TypeAlias = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Split(Generic[Rows]):
    """Training and test rows with their labels.

    Attributes
    ----------
    X_train, X_test : ndarray, csr_array or list of str
    y_train, y_test : ndarray of integers
    target_names : tuple of str
        The name of label k at position k; empty where labels speak for themselves.

    Examples
    --------
    >>> from rosenblatt.sources import iris
    >>> iris().X_train.shape, iris().target_names
    ((112, 4), ('setosa', 'versicolor', 'virginica'))
    """

    X_train: Rows
    y_train: npt.NDArray[Any]
    X_test: Rows
    y_test: npt.NDArray[Any]
    target_names: tuple[str, ...] = ()


def mnist() -> Split[Bytes]:
    """MNIST: 60,000 training and 10,000 test images of handwritten digits.

    Each row is an image of 28 x 28 grey values from 0 to 255, one line after another; labels are the
    digits, uint8. The arrays are read-only and nothing is copied.

    Returns
    -------
    Split
        X of shape (n, 784), uint8.

    Examples
    --------
    >>> mnist().y_train[:5]  # doctest: +SKIP
    array([5, 0, 4, 1, 9], dtype=uint8)
    """
    X_train, y_train, X_test, y_test = _arrays("mnist", "train", "t10k")
    return Split(X_train.reshape(len(X_train), -1), y_train, X_test.reshape(len(X_test), -1), y_test)


def mnist_pair(a: int, b: int) -> Split[Bytes]:
    """The images of two digits of MNIST, in their order there, labelled with their digit.

    Zeros and ones can be separated by a hyperplane; fours and nines are among the hard pairs.

    Parameters
    ----------
    a, b : int
        Two different digits.

    Returns
    -------
    Split
        X of shape (n, 784), uint8; y holds only a and b.

    Examples
    --------
    >>> mnist_pair(0, 1).X_train.shape  # doctest: +SKIP
    (12665, 784)
    >>> mnist_pair(3, 3)
    Traceback (most recent call last):
    ValueError: a and b must be two different digits from 0 to 9, but 3 and 3 came; pass two digits.
    """
    if a == b or not {a, b} <= set(range(10)):
        raise ValueError(
            f"a and b must be two different digits from 0 to 9, but {shortened(a)} and {shortened(b)} came; pass two "
            f"digits."
        )
    whole = mnist()
    train, test = np.isin(whole.y_train, (a, b)), np.isin(whole.y_test, (a, b))
    return Split(whole.X_train[train], whole.y_train[train], whole.X_test[test], whole.y_test[test])


def pedestrians() -> Split[Bytes]:
    """Windows of the INRIA Person set: 2,426 and 1,016 grey images of 128 x 64 pixels, 1 for a person.

    Returns
    -------
    Split
        X of shape (n, 128, 64), uint8; y of 0 and 1.

    Examples
    --------
    >>> pedestrians().X_train.shape  # doctest: +SKIP
    (2426, 128, 64)
    """
    X_train, y_train, X_test, y_test = _arrays("inria-person", "train", "test")
    return Split(X_train, y_train, X_test, y_test, ("no person", "person"))


def _arrays(folder: str, *parts: str) -> list[Any]:
    """Images and labels of each part."""
    kinds = ("images-idx3-ubyte", "labels-idx1-ubyte")
    return [read_idx(locate(f"{folder}/{part}-{kind}")) for part in parts for kind in kinds]


def a9a(dtype: npt.DTypeLike = np.float64) -> Split[csr_array]:
    """Adult in LIBSVM's coding: 32,561 and 16,281 people, 123 yes-or-no features, +1 for a high income.

    About 24 in a hundred are positive; no hyperplane separates the classes.

    Parameters
    ----------
    dtype : float64 or float32
        The dtype of the values.

    Returns
    -------
    Split
        X a csr_array; y of -1 and +1, int64.

    Examples
    --------
    >>> a9a().X_train.nnz  # doctest: +SKIP
    451592
    """
    return _libsvm_split("libsvm/a9a", "libsvm/a9a.t", 123, dtype)


def mushrooms(dtype: npt.DTypeLike = np.float64) -> Split[csr_array]:
    """Mushrooms (agaricus): 6,513 and 1,611 mushrooms, 126 yes-or-no features, +1 for the poisonous.

    Each row has 22 ones. A hyperplane separates the classes.

    `dtype` as for `a9a`.

    Returns
    -------
    Split
        X a csr_array; y of -1 and +1, int64.

    Examples
    --------
    >>> mushrooms().X_train.shape  # doctest: +SKIP
    (6513, 126)
    """
    return _libsvm_split("libsvm/mushrooms-agaricus.train", "libsvm/mushrooms-agaricus.test", 126, dtype)


def reuters(dtype: npt.DTypeLike = np.float64) -> Split[csr_array]:
    """Reuters-21578 news: 7,770 and 3,299 stories, 8,315 weighted terms, +1 for the topic money-fx.

    About 7 in a hundred training stories are positive.

    `dtype` as for `a9a`.

    Returns
    -------
    Split
        X a csr_array; y of -1 and +1, int64.

    Examples
    --------
    >>> reuters().X_train.nnz  # doctest: +SKIP
    339837
    """
    return _libsvm_split("libsvm/reuters-lasvm", "libsvm/reuters-lasvm.t", 8315, dtype)


def _libsvm_split(train: str, test: str, n_features: int, dtype: npt.DTypeLike) -> Split[csr_array]:
    parts: list[Any] = []
    for name in (train, test):
        X, y = read_libsvm(locate(name), n_features, dtype)
        # Some copies write out a zero to show the number of features; rows must not depend on the copy.
        X.eliminate_zeros()
        parts += [X, y.astype(np.int64)]
    return Split(*parts)
