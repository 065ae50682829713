"""Prime implicants of a Boolean function, and a small set of them that covers it.

A cube fixes some inputs to 0 or 1 and leaves the others free. All 3^n cubes are one array with an axis of length 3 for
each input, 0, 1 and 2 = free, so that Quine and McCluskey's method is a few operations on whole arrays.
"""

from __future__ import annotations

import heapq
import itertools

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic.function import BooleanFunction

MOST_INPUTS = 14  # 3^14 cubes


def prime_implicants(f: BooleanFunction) -> Array:
    """The largest cubes on which f is true, one per row: 0, 1 or 2 (free) for each input.

    >>> prime_implicants(BooleanFunction("a & b | ~a & c")).tolist()
    [[0, 2, 1], [1, 1, 2], [2, 1, 1]]
    """
    true = f.cube
    for axis in range(f.n):
        low, high = (np.take(true, [value], axis) for value in (0, 1))
        true = np.concatenate([low, high, low & high], axis)
    prime = true.copy()
    for axis in range(f.n):
        np.moveaxis(prime, axis, 0)[:2] &= ~np.moveaxis(true, axis, 0)[2]
    found = np.argwhere(prime)
    return found.astype(np.uint8).reshape(len(found), f.n)


def cover(f: BooleanFunction) -> Array:
    """Few prime implicants that together are f: those that nothing can replace, then always the one that adds most.

    None of them can be left out; it is not always the smallest number that there is.
    """
    cubes = prime_implicants(f)
    covers = [_rows(cube) for cube in cubes]
    times = np.zeros(1 << f.n, dtype=np.int64)
    for rows in covers:
        times[rows] += 1
    chosen = [i for i, rows in enumerate(covers) if (times[rows] == 1).any()]
    open_ = f.table.copy()
    for i in chosen:
        open_[covers[i]] = False
    # The counts of what a cube would add only fall: one that is still true and on top is the largest.
    heap = [(-int(np.count_nonzero(open_[rows])), i) for i, rows in enumerate(covers)]
    heapq.heapify(heap)
    while open_.any():
        promised, best = heapq.heappop(heap)
        count = int(np.count_nonzero(open_[covers[best]]))
        if count < -promised:
            heapq.heappush(heap, (-count, best))
            continue
        chosen.append(best)
        open_[covers[best]] = False
    return cubes[_without_spare(chosen, covers, 1 << f.n)]


def _without_spare(chosen: list[int], covers: list[Array], size: int) -> list[int]:
    times = np.zeros(size, dtype=np.int64)
    for i in chosen:
        times[covers[i]] += 1
    for i in sorted(chosen, key=lambda i: len(covers[i])):
        if (times[covers[i]] > 1).all():
            chosen = [other for other in chosen if other != i]
            times[covers[i]] -= 1
    return sorted(chosen)


def _rows(cube: Array) -> Array:
    """The rows of the truth table that lie in a cube."""
    digits = 1 << np.arange(len(cube) - 1, -1, -1, dtype=np.int64)
    rows = np.array([int(digits[cube == 1].sum())])
    for digit in digits[cube == 2].tolist():
        rows = np.concatenate([rows, rows + digit])
    return rows


def literals(cube: Array, inputs: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The inputs that a cube fixes, with the value."""
    return [(name, bool(value)) for name, value in itertools.compress(zip(inputs, cube, strict=True), cube != 2)]
