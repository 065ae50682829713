"""Mix: every partition learns from the same start, and the next start is the mean of what they have learned.

Iterative parameter mixing. From a zero start, with the perceptron's rule and a constant learning rate, the mistakes of
each half-space, counted with the weights of the mixture (here 1/S for each of S partitions), are at most R²/gamma² in
all rounds together if the rows are separable: the mean of the weights gains gamma towards a separating direction with
every such mistake, and its square at most R². So separable rows become clean.

The averaged answer is the mean of the weights after every example that any partition has seen.

R. McDonald, K. Hall, G. Mann (2010). Distributed training strategies for the structured perceptron. NAACL.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import Block, Partitions
from rosenblatt.cluster.ring import adopted, fresh, passed, prepared
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.engine.online.state import UPDATES, Array, HalfSpaces

SORTED = 0.25  # of the rows in the wrong partition, from which they count as sorted by label


class Learned(NamedTuple):
    """The sums over partitions of what they have learned, in float64; one weight vector a row, the bias last."""

    last: Array
    lifetime: Array  # of the weights after each example
    seen: Array
    updates: Array
    mistakes: int
    partitions: int

    def __add__(self, other: Any) -> Learned:
        return Learned(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def mix(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """Rounds in which every partition is learned from once, all of them from the same weights."""
    _tell_if_sorted(partitions)
    count = prepared(model, partitions)
    mixed = rounds.trace.mixed = []
    start = np.zeros((count, partitions.width + 1))
    lifetime, seen, updates, mistakes = np.zeros_like(start), np.zeros(count), np.zeros(count), 0
    while not rounds.reason:
        learned: Learned = backend.tree_reduce(_plus, backend.map(_learned, partitions.parts, model, start))
        start = learned.last / learned.partitions
        lifetime, seen = lifetime + learned.lifetime, seen + learned.seen
        updates, mistakes = updates + learned.updates, mistakes + learned.mistakes
        mixed.append(learned.updates / learned.partitions)
        made = int(learned.updates.sum())
        state = _state(partitions, start, lifetime, seen, updates)
        reason = "diverged" if not np.isfinite(start).all() else "" if made or learned.mistakes else "converged"
        norm = float(np.linalg.norm(start))
        whole = adopted(model, state, mistakes)
        rounds.end(whole, reason, updates=made, mistakes=learned.mistakes, norm=norm)


def _learned(block: Block, model: Any, start: Array) -> Learned:
    """What one partition makes of the start."""
    X = block.X
    layout = "rows" if isinstance(X, np.ndarray) else "columns"
    kind = np.float64 if X.dtype == np.float64 else np.float32
    state = HalfSpaces(len(start), X.shape[1], kind, layout)
    state.set_weights(start[:, :-1], start[:, -1])
    after, mistakes = passed(block, model, state)
    seen = np.full(len(start), float(after.seen))
    last, mean = (np.column_stack(pair).astype(np.float64) for pair in (after.last(), after.averaged()))
    updates = after.ledger[: after.count, UPDATES].copy()
    return Learned(last, mean * seen[:, None], seen, updates, mistakes, 1)


def _plus(one: Any, other: Any) -> Any:
    return one + other


def _state(partitions: Partitions, last: Array, lifetime: Array, seen: Array, updates: Array) -> HalfSpaces:
    """Half-spaces with these last weights, and these sums for their averages."""
    empty = fresh(partitions, len(last))
    ledger = dict(empty.to_state()["ledger"])
    kind = empty.dtype
    bias = last[:, -1]
    ledger |= {"bias": bias, "bias_lag": seen * bias - lifetime[:, -1], "seen": seen, "mark": seen, "updates": updates}
    ledger["bound"] = np.abs(last[:, :-1]).max(axis=1, initial=0.0)
    state = {"layout": empty.layout, "vectors": last[:, :-1].astype(kind), "lag": np.zeros(last[:, :-1].shape, kind)}
    return HalfSpaces.from_state(state | {"ledger": ledger, "total": lifetime[:, :-1]})


def _tell_if_sorted(partitions: Partitions) -> None:
    """One-sided partitions learn one-sided weights, whose mean is worth little."""
    counts = np.zeros((len(partitions.looks), len(partitions.classes)))
    for row, look in zip(counts, partitions.looks, strict=True):
        row[np.searchsorted(partitions.classes, look.classes)] = look.counts
    even = np.outer(counts.sum(axis=1), counts.sum(axis=0) / counts.sum())
    misplaced = float(np.abs(counts - even).sum() / 2.0 / counts.sum())
    if misplaced > SORTED:
        warnings.warn(
            f"The rows are sorted by label: {misplaced:.0%} of them would have to be in another partition for all to "
            f"have the same mixture of classes. A mixture of such partitions is worth little (on ten digits in 16 "
            f"sorted partitions it ends at several times the error). Shuffle once, with X, y = "
            f"rosenblatt.cluster.shuffled(X, y), or use method='relay'.",
            UserWarning,
            stacklevel=4,
        )
