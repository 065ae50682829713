"""One shuffle of the rows, for methods that want every partition to be like all rows."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
import scipy.sparse

from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import blocks_of, in_memory, lengths_of, matching
from rosenblatt.engine.online.state import Array


def shuffled(X: Any, y: Any, *, seed: int = 0, client: Any = None) -> tuple[list[Any], list[Any]]:
    """Deal the rows of every partition out to all partitions, lazily: (delayed blocks, delayed labels) for `fit`.

    Every row travels once each time the blocks are loaded; ``fit(..., persist=True)`` keeps them.

    Parameters
    ----------
    X, y
        As in `fit`.
    seed : int
        The same seed gives the same partitions.
    client : distributed.Client, optional
        As in `fit`; used only where `y` is an array and the sizes of the partitions are not known.
    """
    blocks, _ = blocks_of(X, "X")
    lengths = None
    if in_memory(y):
        with Dask(client) as backend:
            lengths = lengths_of(backend, X, blocks)
    labels, count = matching(y, blocks, lengths, "y"), len(blocks)
    deal, gather = dask.delayed(_dealt, nout=count, pure=False), dask.delayed(_gathered, nout=2, pure=False)
    hands = [deal(*both, count, [seed, number]) for number, both in enumerate(zip(blocks, labels, strict=True))]
    pairs = [gather([hand[number] for hand in hands], [seed, count + number]) for number in range(count)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _dealt(X: Any, y: Any, count: int, seed: list[int]) -> list[tuple[Any, Array]]:
    """The rows of a partition in as many hands as there are partitions."""
    rows = scipy.sparse.csr_array(X) if scipy.sparse.issparse(X) else np.asarray(X)
    labels, order = np.asarray(y), np.random.default_rng(seed).permutation(rows.shape[0])
    return [(rows[order[start::count]], labels[order[start::count]]) for start in range(count)]


def _gathered(hands: list[tuple[Any, Array]], seed: list[int]) -> tuple[Any, Array]:
    """What was dealt to one partition, in a new order."""
    blocks, labels = [hand[0] for hand in hands], np.concatenate([hand[1] for hand in hands])
    sparse = scipy.sparse.issparse(blocks[0])
    rows = scipy.sparse.vstack(blocks, format="csr") if sparse else np.concatenate(blocks)
    order = np.random.default_rng(seed).permutation(len(labels))
    return rows[order], labels[order]
