"""The small sets that come with scikit-learn, split once by a seed with the classes in proportion."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .sets import Split


def iris(test_size: float | int = 0.25, random_state: int = 0) -> Split[npt.NDArray[np.float64]]:
    """Iris: 150 flowers of three kinds, four measurements.

    Setosa is separated from the other two by a hyperplane; these two are not from each other.

    Parameters
    ----------
    test_size : float or int
        The fraction of rows held out, or how many, in proportion for each class.
    random_state : int
        The same seed gives the same split.

    Returns
    -------
    Split

    Examples
    --------
    >>> split = iris()
    >>> np.bincount(split.y_test), split.target_names[0]
    (array([13, 13, 12]), 'setosa')
    """
    from sklearn.datasets import load_iris

    return _split(load_iris(), test_size, random_state)


def digits(test_size: float | int = 0.25, random_state: int = 0) -> Split[npt.NDArray[np.float64]]:
    """Digits: 1,797 images of 8 x 8 grey values from 0 to 16, ten classes.

    `test_size`, `random_state` and what is returned as for `iris`.

    Examples
    --------
    >>> split = digits()
    >>> split.X_train.shape, float(split.X_train.max())
    ((1347, 64), 16.0)
    """
    from sklearn.datasets import load_digits

    return _split(load_digits(), test_size, random_state)


def wine(test_size: float | int = 0.25, random_state: int = 0) -> Split[npt.NDArray[np.float64]]:
    """Wine: 178 wines of three growers, 13 chemical measurements on very different scales.

    `test_size`, `random_state` and what is returned as for `iris`.

    Examples
    --------
    >>> split = wine()
    >>> split.X_train.shape, np.bincount(split.y_train)
    ((133, 13), array([44, 53, 36]))
    """
    from sklearn.datasets import load_wine

    return _split(load_wine(), test_size, random_state)


def breast_cancer(test_size: float | int = 0.25, random_state: int = 0) -> Split[npt.NDArray[np.float64]]:
    """Breast cancer (Wisconsin, diagnostic): 569 tumours, 30 measurements, 0 malignant and 1 benign.

    `test_size`, `random_state` and what is returned as for `iris`.

    Examples
    --------
    >>> split = breast_cancer()
    >>> split.X_train.shape, split.target_names
    ((426, 30), ('malignant', 'benign'))
    """
    from sklearn.datasets import load_breast_cancer

    return _split(load_breast_cancer(), test_size, random_state)


def _split(bunch: Any, test_size: float | int, random_state: int) -> Split[npt.NDArray[np.float64]]:
    from sklearn.model_selection import train_test_split

    X_train, X_test, y_train, y_test = train_test_split(
        bunch.data, bunch.target, test_size=test_size, random_state=random_state, stratify=bunch.target
    )
    return Split(X_train, y_train, X_test, y_test, tuple(str(name) for name in bunch.target_names))
