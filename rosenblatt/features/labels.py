"""Labels and their numbers, quickly also where there are many."""

from __future__ import annotations

import numpy as np

from rosenblatt.models.linear import Array

FEW_CLASSES = 50  # up to which numbers name classes, however few rows each has
FIRST_ROWS = 4096


def distinct(y: Array) -> Array:
    """The different labels, sorted; quickly where there are few, and the first rows have them all.

    Examples
    --------
    >>> distinct(np.array(["b", "a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    return coded(y)[0]


def coded(y: Array) -> tuple[Array, Array]:
    """The different labels, sorted, and for each row the number of its label among them.

    Examples
    --------
    >>> coded(np.array(["b", "a", "b"]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1], dtype=uint8))
    """
    found = np.unique(y[:FIRST_ROWS])
    if len(found) <= FEW_CLASSES:
        codes = np.full(len(y), len(found), dtype=np.uint8)
        for number, label in enumerate(found):
            codes[y == label] = number
        if (codes < len(found)).all():
            return found, codes
    labels, inverse = np.unique(y, return_inverse=True)
    return labels, inverse
