"""Ring: groups of half-spaces start at different partitions and move round, each in a relay of its own.

One class against the rest, half-spaces do not depend on each other. So each group has the bits of `partial_fit` on one
machine with the partitions in the order in which the group meets them. As many workers are busy as there are groups.
What is counted as a mistake is an update: classes are never all in one place to be compared.
"""

from __future__ import annotations

import operator
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster.backend import Dask, Each, size_of
from rosenblatt.cluster.partitions import Block, Partitions
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.engine.online.state import HalfSpaces, weight_dtype
from rosenblatt.estimators.classes import positive_codes


class Group(NamedTuple):
    """Half-spaces that go round together."""

    classes: slice
    state: HalfSpaces


def ring(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """Rounds in which every group visits all partitions."""
    parts, count = partitions.parts, prepared(model, partitions)
    groups = [slice(edges[0], edges[-1] + 1) for edges in np.array_split(np.arange(count), min(count, len(parts)))]
    starts = [number * len(parts) // len(groups) for number in range(len(groups))]
    states = [fresh(partitions, len(range(count)[group])) for group in groups]
    while not rounds.reason:
        held: list[Any] = [[Group(*pair)] for pair in zip(groups, states, strict=True)]
        for step in range(len(parts)):
            held = backend.map(_learned, [parts[(start + step) % len(parts)] for start in starts], Each(held), model)
        before = sum(state.updates for state in states)
        states = [group.state for group in backend.tree_reduce(operator.add, held)]
        backend.moved += size_of(states) * (len(parts) - 1)
        state = joined(states)
        updates = state.updates - before
        reason = "diverged" if not np.isfinite(state.norm()) else "" if updates else "converged"
        whole = adopted(model, state, state.updates)
        rounds.end(whole, reason, updates=updates, mistakes=updates, norm=state.norm())


def _learned(block: Block, held: list[Group], model: Any) -> list[Group]:
    [group] = held
    return [group._replace(state=passed(block, model, group.state, group.classes)[0])]


def prepared(model: Any, partitions: Partitions) -> int:
    """Makes ready for passes over blocks; the number of half-spaces."""
    model.classes_, model.n_features_in_ = partitions.classes, partitions.width
    model._listening, model._mistakes, model._models = False, 0, {}
    return len(positive_codes(len(partitions.classes), model._coupled, False))


def fresh(partitions: Partitions, count: int) -> HalfSpaces:
    """Half-spaces that are zero, for the rows of these partitions."""
    layout = "columns" if partitions.looks[0].layout == "sparse" else "rows"
    return HalfSpaces(count, partitions.width, weight_dtype(partitions.dtype), layout)


def passed(block: Block, model: Any, state: HalfSpaces, group: slice | None = None) -> tuple[HalfSpaces, int]:
    """(some half-spaces after a pass over the block, the mistakes of all together where all are there)."""
    from rosenblatt.engine.compile.jit import explained
    from rosenblatt.engine.online.epochs import train
    from rosenblatt.engine.online.stopping import Watch

    task = model._task(block.X, block.y, block.weights, listening=False)
    if group is not None:
        task = replace(task, positive=task.positive[group], params=task.params[group], classes=0)
    after, counted = state.copy(), [0]
    watch = Watch(on_epoch=lambda figures: counted.append(figures["mistakes"]))
    with explained(task.rule, task.params.shape[1]):
        train(task, after, max_iter=1, watch=watch, stop_when_clean=False)
    return after, counted[-1]


def joined(states: list[HalfSpaces]) -> HalfSpaces:
    """The half-spaces of all groups as one state."""
    parts = [state.to_state() for state in states]
    whole: dict[str, Any] = {"layout": parts[0]["layout"]}
    for name in ("vectors", "lag"):
        whole[name] = np.concatenate([part[name] for part in parts])
    whole["ledger"] = {name: np.concatenate([part["ledger"][name] for part in parts]) for name in parts[0]["ledger"]}
    if any("total" in part for part in parts):
        whole["total"] = np.concatenate([part.get("total", np.zeros(part["vectors"].shape)) for part in parts])
    return HalfSpaces.from_state(whole)


def adopted(model: Any, state: HalfSpaces, mistakes: int) -> Any:
    """A copy of the model with this state, after so many mistakes."""
    result = copy(model)
    result._state, result._pocket, result._committee = state, None, None
    result._models, result._mistakes = {}, mistakes
    return result
