"""Relay: the model travels from partition to partition and learns from one after the other.

The bits of one machine's `partial_fit` over the partitions in their order. One worker learns at a time: what is gained
is room, since no machine needs all rows.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from rosenblatt.cluster.backend import Dask, size_of
from rosenblatt.cluster.partitions import Block, Partitions
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.engine.online.state import Array


def relay(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """Rounds over all partitions, each beginning with the model of the round before."""
    while not rounds.reason:
        handle = model
        for part in partitions.parts:
            [handle] = backend.map(learned, [part], handle, partitions.classes)
        after = backend.tree_reduce(max, [handle])
        backend.moved += size_of(after) * (len(partitions.parts) - 1)
        updates, mistakes = (after_ - before for after_, before in zip(counts(after), counts(model), strict=True))
        model = after
        clean = "converged" if updates == mistakes == 0 else ""
        reason = model.stop_reason_ if model.stop_reason_ == "diverged" else clean
        rounds.end(model, reason, updates=updates, mistakes=mistakes, norm=model._state.norm())


def learned(block: Block, model: Any, classes: Array) -> Any:
    """A model that has learned on from a block. The one that was given stays as it was: a task may be repeated."""
    return deepcopy(model).partial_fit(block.X, block.y, classes=classes, sample_weight=block.weights)


def counts(model: Any) -> tuple[int, int]:
    """(updates, mistakes) so far."""
    return (model._state.updates, model.mistakes_) if hasattr(model, "_state") else (0, 0)
