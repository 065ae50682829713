"""Cells of text tables may be of any length: documents are ordinary text.

The limit of Python's csv module, 131,072 characters in a cell, is one for the whole process. It is lifted only while
one of our functions reads, and put back when the last of them has finished, whatever threads they run on.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 2**31 - 1  # what a C long holds everywhere

_lock = threading.Lock()
_readers: list[int] = []  # for each function that reads, the limit that it found


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """In here csv.reader takes cells of any length.

    Examples
    --------
    >>> with cells_of_any_length():
    ...     [row] = csv.reader(["x" * 200_000])
    >>> len(row[0]), csv.field_size_limit()
    (200000, 131072)
    """
    with _lock:
        found = csv.field_size_limit()
        _readers.append(_readers[-1] if _readers else found)
        csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        with _lock:
            limit = _readers.pop()
            if not _readers:
                csv.field_size_limit(limit)
