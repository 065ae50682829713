"""Which rows are learned from and which ones are held out to be tested on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.estimators.classes import coded
from rosenblatt.verbs.errors import InputError, UsageError
from rosenblatt.verbs.examples import Array


def hold_out(
    y: Array, share: float, seed: int, *, numbers: bool = False, time: Any = None, groups: Any = None
) -> tuple[Array, Array]:
    """Row numbers to learn from and to test on, in their order in the file; every class in proportion.

    A class of a single row is learned from. With `time`, one value for each row, the latest rows are held out; with
    `groups`, all rows of some groups.

    Examples
    --------
    >>> learned, tested = hold_out(np.array(["a", "b"] * 10), 0.2, seed=0)
    >>> len(learned), len(tested), np.array(["a", "b"] * 10)[tested].tolist().count("a")
    (16, 4, 2)
    >>> hold_out(np.array(["a", "b"] * 3), 0.34, seed=0, time=np.array([5, 1, 2, 4, 3, 0]))[1].tolist()
    [0, 3]
    """
    random = np.random.default_rng(seed)
    order = random.permutation(np.arange(len(y), dtype=np.int32 if len(y) < 2**31 else np.int64))
    codes = np.zeros(len(y), dtype=np.int8) if numbers else coded(y)[1]
    if time is not None:
        tested = np.argsort(time, kind="stable")[len(y) - max(1, round(share * len(y))) :]
    elif groups is not None:
        tested = np.flatnonzero(np.isin(groups, _some_groups(groups, share * len(y), random)))
    else:
        classes = [order] if numbers else _by_class(codes, order)
        tested = np.concatenate([group[: _rounded(share, len(group), random)] for group in classes])
        if len(tested) == 0:
            tested = order[: max(1, round(share * len(y)))]
    kept = np.ones(len(y), dtype=bool)
    kept[tested] = False
    if not kept.any() or (not numbers and (codes[kept] == codes[kept][0]).all()):
        raise InputError(
            f"Too few rows are left to learn from: of {len(y):,} rows {share:.0%} are held out, and the others are of "
            "one class; add rows, or use --holdout 0 or --test."
        )
    if not numbers and not np.isin(codes[~kept], codes[kept]).any():
        raise InputError(
            f"There are too few rows of each class, {len(y):,} rows of {int(codes.max()) + 1:,} classes, to hold some "
            "out; add rows, or use --holdout 0 or --test."
        )
    return np.flatnonzero(kept).astype(order.dtype), np.flatnonzero(~kept).astype(order.dtype)


def folds(
    y: Array, count: int, seed: int, *, numbers: bool = False, groups: Any = None
) -> Iterator[tuple[Array, Array]]:
    """Row numbers to learn from and to test on for each fold; every row is tested on once.

    Examples
    --------
    >>> sorted(row for _, tested in folds(np.array([0, 1] * 5), 3, seed=0) for row in tested.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    names, members = (None, None) if groups is None else np.unique(groups, return_inverse=True)
    units = len(y) if names is None else len(names)
    if count > units:
        raise UsageError(f"--cv {count} needs at least {count} {'rows' if names is None else 'groups'}, not {units:,}.")
    order = np.random.default_rng(seed).permutation(units)
    fold = np.empty(units, dtype=np.int64)
    classes = [order] if numbers or names is not None else _by_class(coded(y)[1], order)
    # One class after another is dealt out like cards, so that folds differ by at most one row.
    fold[np.concatenate(classes)] = np.arange(units) % count
    fold = fold if members is None else fold[members]
    for number in range(count):
        tested = fold == number
        if not numbers and len(np.unique(y[~tested])) < 2:
            raise UsageError("A fold of --cv leaves rows of a single class to learn from; use fewer folds.")
        yield np.flatnonzero(~tested), np.flatnonzero(tested)


def _some_groups(groups: Array, rows: float, random: np.random.Generator) -> Array:
    """Groups that have about so many rows together, at least one, and not all."""
    names, counts = np.unique(groups, return_counts=True)
    if len(names) < 2:
        raise InputError("--group needs at least two groups, one to learn from and one to hold out.")
    order = random.permutation(len(names))
    chosen = int(np.searchsorted(np.cumsum(counts[order]), rows)) + 1
    return names[order[: min(chosen, len(names) - 1)]]


def _by_class(codes: Array, order: Array) -> list[Array]:
    """The rows of each class, in this order."""
    shuffled = codes[order]
    return [order[shuffled == number] for number in range(int(codes.max()) + 1)]


def _rounded(share: float, size: int, random: np.random.Generator) -> int:
    """How many of a class to test on: the share, rounded up or down by chance so that small classes have their turn."""
    if size == 1:
        return 0
    wanted = share * size
    return min(size - 1, int(wanted) + int(random.random() < wanted - int(wanted)))
