"""Which rows are learned from and which ones are kept aside to be tested on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.features.labels import coded
from rosenblatt.verbs.errors import InputError, UsageError
from rosenblatt.verbs.examples import Array


def hold_out(y: Array, share: float, seed: int, *, numbers: bool = False) -> tuple[Array, Array]:
    """Row numbers to learn from and to test on, in their order in the file; every class in proportion.

    A class of a single row is learned from.

    Examples
    --------
    >>> learned, tested = hold_out(np.array(["a", "b"] * 10), 0.2, seed=0)
    >>> len(learned), len(tested), np.array(["a", "b"] * 10)[tested].tolist().count("a")
    (16, 4, 2)
    """
    random = np.random.default_rng(seed)
    kind = np.int32 if len(y) < 2**31 else np.int64
    order = random.permutation(np.arange(len(y), dtype=kind))
    codes = np.zeros(len(y), dtype=np.uint8) if numbers else coded(y)[1]
    groups = [order] if numbers else _by_class(codes, order)
    tested = np.concatenate([group[: _rounded(share, len(group), random)] for group in groups])
    if len(tested) == 0:
        tested = order[: max(1, round(share * len(y)))]
    kept = np.ones(len(y), dtype=bool)
    kept[tested] = False
    del order, groups, tested  # before there is more of their size
    learned = np.flatnonzero(kept).astype(kind)
    if len(learned) == 0 or (not numbers and (codes[learned] == codes[learned[0]]).all()):
        raise InputError(
            f"There must be rows of two classes left to learn from, but of {len(y):,} rows {share:.0%} are kept aside "
            f"to test on; add rows, or use --holdout 0 or --test."
        )
    if not numbers and not np.isin(codes[~kept], codes[learned]).any():
        raise InputError(
            f"There must be two rows of a class, one to learn from and one to keep aside to test on, but there are "
            f"too few rows per class ({len(y):,} rows of {int(codes.max()) + 1:,} classes); add rows, or use "
            f"--holdout 0 or --test."
        )
    return learned, np.flatnonzero(~kept).astype(kind)


def folds(y: Array, count: int, seed: int, *, numbers: bool = False) -> Iterator[tuple[Array, Array]]:
    """Row numbers to learn from and to test on for each fold; every row is tested on once.

    Examples
    --------
    >>> sorted(row for _, tested in folds(np.array([0, 1] * 5), 3, seed=0) for row in tested.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    if count > len(y):
        raise UsageError(
            f"There must be at least as many rows as folds, but there are {len(y):,} rows and {count} folds; "
            f"lower --cv or add rows."
        )
    order = np.random.default_rng(seed).permutation(len(y))
    groups = [order] if numbers else _by_class(coded(y)[1], order)
    fold = np.empty(len(y), dtype=np.int64)
    # One class after another is dealt out like cards, so that folds differ by at most one row.
    fold[np.concatenate(groups)] = np.arange(len(y)) % count
    for number in range(count):
        tested = fold == number
        if not numbers and len(np.unique(y[~tested])) < 2:
            raise UsageError(
                "Every fold must leave rows of two classes to learn from, but one leaves a single class; lower --cv."
            )
        yield np.flatnonzero(~tested), np.flatnonzero(tested)


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
