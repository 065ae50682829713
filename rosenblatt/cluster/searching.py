"""A search over a grid: every setting on every fold is a group of a ring, and all of them go round together.

The rows of each partition are dealt out to the folds at random. A group learns from the rows that are not in its fold,
partition by partition in a rotated order, with the bits of `partial_fit` on one machine. At the end every partition
scores all groups on the rows that these have left out.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arguments import whole_number
from rosenblatt.cluster.backend import Dask, Each
from rosenblatt.cluster.fitting import check_classes, fit, methods_of
from rosenblatt.cluster.partitions import Block, partitions_of
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.linear import RuleLearner
from rosenblatt.estimators.search import settings_of, with_setting
from rosenblatt.estimators.search_result import Search


class Candidate(NamedTuple):
    """A setting that learns from all folds but one."""

    model: Any
    fold: int


def search(
    estimator: Any,
    X: Any,
    y: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    folds: int = 3,
    client: Any = None,
    rounds: int = 5,
    sample_weight: Any = None,
    random_state: int = 0,
    refit: bool = True,
    persist: bool | str = "auto",
) -> Search:
    """Try every setting of a grid on every fold, as many at a time as there are workers.

    Parameters
    ----------
    estimator : Perceptron, PassiveAggressive or HalfSpace
    X, y, client, sample_weight, persist
        As in `fit`.
    grid : dict of name to values, or a list of such dicts
        As in `rosenblatt.search`.
    folds : int
        The rows of each partition are dealt out at random.
    rounds : int
        Passes over the rows, for each setting on each fold, and for the refit.
    random_state : int
        The same number gives the same folds.
    refit : bool
        Fit the best setting on all rows.

    Returns
    -------
    rosenblatt.estimators.search_result.Search
        As of `rosenblatt.search`: ``best_params_``, ``fold_scores``, ``scores`` and, refitted, ``best_``.
    """
    started = time.perf_counter()
    count = whole_number("folds", folds, 2, "each is left out once")
    limit = whole_number("rounds", rounds, 1, "it is the number of passes over the rows")
    seed = whole_number("random_state", random_state, 0, "it is the seed of the folds")
    if not isinstance(estimator, RuleLearner):
        raise ValueError(
            f"A search on a cluster tries Perceptron, PassiveAggressive or HalfSpace, but got "
            f"{type(estimator).__name__}; fit it once for each setting."
        )
    settings = settings_of(grid)
    models = [with_setting(estimator, setting) for setting in settings]
    for model in models:
        methods_of(model, "relay", sample_weight is not None)
    with Dask(client) as backend:
        found = partitions_of(backend, X, y, sample_weight, targets=False, persist=persist)
        check_classes(found)
        largest = max(look.rows for look in found.looks)
        if count > largest:
            raise ValueError(f"folds must be at most {largest}, the rows of the largest partition, but got {count}.")
        parts, deal = found.parts, (seed, count)
        candidates = [Candidate(model, fold) for model in models for fold in range(count)]
        starts = [number * len(parts) // len(candidates) for number in range(len(candidates))]
        held: list[Any] = [[candidate] for candidate in candidates]
        for step in range(limit * len(parts)):
            there = [parts[(start + step) % len(parts)] for start in starts]
            numbers = Each(part.number for part in there)
            held = backend.map(_learned, there, Each(held), found.classes, deal, numbers)
        candidates = backend.tree_reduce(_plus, held)
        numbers = Each(part.number for part in parts)
        tested, right = backend.tree_reduce(_plus, backend.map(_scored, parts, candidates, deal, numbers))
        scores = (right / tested).reshape(len(settings), count)
        result = Search(type(estimator).__name__, settings, scores)
        if refit:
            best = models[result.best_index_]
            result.best_ = fit(
                best, X, y, client=backend.client, rounds=limit, sample_weight=sample_weight, persist=persist
            )
    result.seconds_ = time.perf_counter() - started
    return result


def folds_of(rows: int, deal: tuple[int, int], number: int) -> Array:
    """The fold of every row of a partition."""
    seed, folds = deal
    return np.random.default_rng([seed, number]).permutation(rows) % folds


def _learned(block: Block, held: list[Candidate], classes: Array, deal: tuple[int, int], number: int) -> Any:
    [(model, fold)] = held
    kept = np.flatnonzero(folds_of(len(block.y), deal, number) != fold)
    if not len(kept):
        return held
    weights = None if block.weights is None else block.weights[kept]
    after = deepcopy(model).partial_fit(block.X[kept], block.y[kept], classes=classes, sample_weight=weights)
    return [Candidate(after, fold)]


def _scored(block: Block, candidates: list[Candidate], deal: tuple[int, int], number: int) -> Array:
    """[the rows that each has left out, those of them that it answers correctly]."""
    own = folds_of(len(block.y), deal, number)
    found = np.zeros((2, len(candidates)))
    for place, (model, fold) in enumerate(candidates):
        left = np.flatnonzero(own == fold)
        if len(left):
            found[:, place] = len(left), np.sum(model.predict(block.X[left]) == block.y[left])
    return found


def _plus(one: Any, other: Any) -> Any:
    return one + other
