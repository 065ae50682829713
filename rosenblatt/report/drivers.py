"""The most important features: weights in the units of the data, or permutation importance.

A weight w_j is how far the score moves when feature j grows by 1. Features are ranked by |w_j| times the standard
deviation of the feature. For a model without weights (a kernel, a vote) the importance of a feature is how much the
error on held-out rows grows when its values are permuted (Breiman 2001).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.pipeline import Pipeline

from rosenblatt.features.anatomy import Anatomy, Array, count_rows, spread, take
from rosenblatt.features.original_space import to_original_space
from rosenblatt.plain import Figures

ROWS_FOR_SPREAD = 20_000
ROWS_TO_PERMUTE = 400
FEATURES_TO_PERMUTE = 64
REPEATS = 3
NOTES = {
    "weights": "The weight is what one more unit of the feature adds to the score. Features are ranked by weight times "
    "standard deviation.",
    "permutation": "The model has no weights. The importance is how much the error on held-out rows grows when the "
    "feature's values are permuted.",
    "too many": f"The model has no weights, and more than {FEATURES_TO_PERMUTE} features to permute.",
    "no time": "The model has no weights, and the time limit left no time to permute its features.",
}


@dataclass(frozen=True)
class Driver(Figures):
    """One feature.

    `weight` is per unit of the data. `effect` is the weight times the feature's standard deviation, or the accuracy
    lost without the feature; `share` is its part of all effects. `towards` is the class that a larger value favours;
    with several classes and a negative weight it counts against `against`. `unit` is what the weight is per ("day").
    """

    feature: str
    weight: float | None
    effect: float
    share: float
    towards: Any = None
    against: Any = None
    unit: str = ""

    @property
    def title(self) -> str:
        return f"{self.feature} (per {self.unit})" if self.unit else self.feature


@dataclass(frozen=True)
class Drivers(Figures):
    """The most important features, of all classes together and of each of several; `kind` is a key of NOTES."""

    kind: str
    named: bool  # whether the features have names
    top: list[Driver] = field(default_factory=list)
    by_class: dict[Any, list[Driver]] = field(default_factory=dict)
    computed = ("note",)

    @property
    def note(self) -> str:
        return NOTES[self.kind] + ("" if self.named or not self.top else " The features have no names, only numbers.")


def drivers_of(
    anatomy: Anatomy, X: Any, y: Array, classes: list[Any], *, most: int, seed: int, deadline: float
) -> Drivers:
    if anatomy.coefficients is not None:
        return _by_weights(anatomy, anatomy.coefficients, X, classes, most, seed)
    return _by_permutation(anatomy, X, y, most, seed, deadline)


def some_rows(n: int, most: int, seed: int) -> Array:
    """The numbers of all rows, or of `most` of them at random."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def _names(anatomy: Anatomy, count: int) -> tuple[list[str], bool]:
    names = anatomy.names(count)
    return ([f"feature {number}" for number in range(count)], False) if names is None else (names, True)


def _by_weights(anatomy: Anatomy, weights: Array, X: Any, classes: list[Any], most: int, seed: int) -> Drivers:
    if anatomy.scalers:
        weights = to_original_space(Pipeline([*anatomy.scalers, ("learner", anatomy.learner)])).coef
    effects = weights * spread(anatomy.encoded(take(X, some_rows(count_rows(X), ROWS_FOR_SPREAD, seed))))
    scaling = anatomy.scaling_of_encoder(weights.shape[1])
    if scaling is not None:  # the encoder scales too: a weight per unit of the column is one factor away
        weights = weights * scaling
    names, named = _names(anatomy, weights.shape[1])
    sizes, units = np.abs(effects), anatomy.units(weights.shape[1])
    total = sizes.sum(axis=1)

    def driver(k: int, j: int) -> Driver:
        up = effects[k, j] >= 0
        towards, against = None, None
        if len(weights) == 1 and len(classes) == 2:
            towards, against = classes[int(up)], classes[1 - int(up)]
        elif len(weights) == len(classes):
            towards, against = (classes[k], None) if up else (None, classes[k])
        share = float(sizes[k, j] / total[k]) if total[k] else 0.0
        return Driver(names[j], float(weights[k, j]), float(effects[k, j]), share, towards, against, units.get(j, ""))

    top = [driver(int(sizes[:, j].argmax()), j) for j in _leading(sizes.max(axis=0), most)]
    by_class = {}
    if len(weights) == len(classes) > 1:
        by_class = {name: [driver(k, j) for j in _leading(sizes[k], most)] for k, name in enumerate(classes)}
    return Drivers("weights", named, top, by_class)


def _leading(values: Array, most: int) -> list[int]:
    return [int(j) for j in np.argsort(-values, kind="stable")[:most] if values[j] > 0]


def _by_permutation(anatomy: Anatomy, X: Any, y: Array, most: int, seed: int, deadline: float) -> Drivers:
    chosen = some_rows(count_rows(X), ROWS_TO_PERMUTE, seed)
    rows, truth = anatomy.seen(take(X, chosen)), y[chosen]
    d = rows.shape[1]
    if scipy.sparse.issparse(rows) or d > FEATURES_TO_PERMUTE:
        return Drivers("too many", False)
    rows = np.asarray(rows)
    names, named = _names(anatomy, d)

    def error(given: Any) -> float:
        answers = np.asarray(anatomy.learner.predict(given))
        return float(np.abs(answers - truth).mean() if anatomy.regression else (answers != truth).mean())

    usual, random, losses = error(rows), np.random.default_rng(seed), np.zeros(d)
    for j in range(d):
        if time.monotonic() > deadline:
            return Drivers("no time", named)
        for _ in range(REPEATS):
            permuted = rows.copy()
            permuted[:, j] = random.permutation(permuted[:, j])
            losses[j] += (error(permuted) - usual) / REPEATS
    total = np.maximum(losses, 0).sum()
    top = [Driver(names[j], None, float(losses[j]), float(losses[j] / total)) for j in _leading(losses, most)]
    return Drivers("permutation", named, top)
