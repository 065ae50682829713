"""Zeros that take memory page by page, and what the system may be told about their pages."""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array

# Private pages: nobody else sees them, and those that are only read are never there.
PRIVATE: dict[str, int] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}  # not so on Windows
)

# Have pages at once, as when they are written to, which is quicker than one by one; only mmap of Python 3.15 names it.
POPULATE = {"MADV_POPULATE_WRITE": 23} if sys.platform == "linux" else {}


def untouched_zeros(shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros that take memory page by page, as they are written to; in large arrays numpy's take 2 MB at a time."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape))
    zeros = np.frombuffer(mmap.mmap(-1, max(1, size * kind.itemsize), **PRIVATE), kind, size)
    advise(zeros, 0, size, "MADV_NOHUGEPAGE")
    return zeros.reshape(shape)


def advise(array: Array, start: int, stop: int, advice: str) -> None:
    """Tell the system something about the memory of array[start:stop] of `untouched_zeros`, where it listens."""
    pages: Any = array
    while isinstance(pages, np.ndarray):
        pages = pages.base
    pages = getattr(pages, "obj", pages)  # numpy holds on to a buffer by a memoryview
    page = mmap.PAGESIZE
    first, last = -(-start * array.itemsize // page) * page, stop * array.itemsize // page * page
    number = getattr(mmap, advice, POPULATE.get(advice))
    if number is not None and last > first:
        with suppress(OSError):  # an older system does not know what it is told
            pages.madvise(number, first, last - first)
