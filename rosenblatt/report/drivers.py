"""What drives the decision: weights in the units of the data, or how much worse it gets without a feature.

A weight w_j says how far the score moves when feature j grows by 1. Features differ in how far they move, so that they
are ranked by |w_j| times the standard deviation of the feature: what a usual change of it does. A model without
weights (a kernel, a vote) is asked instead how many more held-out rows it gets wrong when the values of one feature
are dealt to other rows.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.pipeline import Pipeline

from rosenblatt.features.anatomy import Anatomy, Array, count_rows, plain, spread, take
from rosenblatt.features.original_space import to_original_space

ROWS_FOR_SPREAD = 20_000
ROWS_TO_SHUFFLE = 400
FEATURES_TO_SHUFFLE = 64
DEALS = 3
HASHED = re.compile(r" #\d+$")  # how the column encoder names slots of hashed words


@dataclass(frozen=True)
class Driver:
    """One feature: its weight per unit of the data, what a usual change of it does, and in whose favour.

    `effect` is the weight times the feature's standard deviation, or the accuracy lost without the feature; `share` is
    its part of all effects. `towards` is the class that a larger value speaks for; with several classes and a negative
    weight it speaks against `against`. `unit` is what the weight is per, where that is known: a "day" of dates.
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
        """The feature with the unit of its weight."""
        return f"{self.feature} (per {self.unit})" if self.unit else self.feature

    def to_dict(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class Drivers:
    """The most important features, for all classes together and for each of several."""

    kind: str  # "weights", "shuffling" or "none"
    named: bool  # whether the features have names
    note: str
    top: list[Driver] = field(default_factory=list)
    by_class: dict[Any, list[Driver]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "named": self.named,
            "note": self.note,
            "top": [driver.to_dict() for driver in self.top],
            "by_class": {str(name): [d.to_dict() for d in found] for name, found in self.by_class.items()},
        }


def drivers_of(
    anatomy: Anatomy, X: Any, y: Array, classes: list[Any], *, most: int, seed: int, deadline: float
) -> Drivers:
    if anatomy.coefficients is not None:
        return _by_weights(anatomy, X, classes, most, seed)
    return _by_shuffling(anatomy, X, y, most, seed, deadline)


def _sample(X: Any, most: int, seed: int) -> Array:
    n = count_rows(X)
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def _feature_names(anatomy: Anatomy, count: int) -> tuple[list[str], bool]:
    names = anatomy.names(count)
    return (names, True) if names is not None else ([f"feature {number}" for number in range(count)], False)


def _by_weights(anatomy: Anatomy, X: Any, classes: list[Any], most: int, seed: int) -> Drivers:
    assert anatomy.coefficients is not None
    weights = anatomy.coefficients
    if anatomy.scalers:
        weights = to_original_space(Pipeline([*anatomy.scalers, ("learner", anatomy.learner)])).coef
    rows = anatomy.encoded(take(X, _sample(X, ROWS_FOR_SPREAD, seed)))
    effects = weights * spread(rows)
    scaling = anatomy.scaling_of_encoder(weights.shape[1])
    if scaling is not None:  # the encoder scales too: a weight per unit of the column is one factor away
        weights = weights * scaling
    names, named = _feature_names(anatomy, weights.shape[1])
    note = (
        "A weight is what 1 more of the feature, in the units of the data, adds to the score; features are ranked by "
        "weight times standard deviation."
    )
    if not named:
        note += " The features have no names (they are numbered; hashed words cannot be turned back into words)."
    elif any(HASHED.search(name) for name in names) and hasattr(
        anatomy.encoders[-1][1] if anatomy.encoders else 0, "columns_"
    ):
        note += " A name like 'text #17' is a slot that several words share: hashed words cannot be turned back."
    total, units = np.abs(effects).sum(axis=1), anatomy.units(weights.shape[1])

    def driver(k: int, j: int) -> Driver:
        share = abs(effects[k, j]) / total[k] if total[k] else 0.0
        up = effects[k, j] >= 0
        towards, against = None, None
        if len(weights) == 1 and len(classes) == 2:
            towards, against = classes[int(up)], classes[1 - int(up)]
        elif len(weights) == len(classes):
            towards, against = (classes[k], None) if up else (None, classes[k])
        weight, effect = float(weights[k, j]), float(effects[k, j])
        return Driver(names[j], weight, effect, float(share), towards, against, units.get(j, ""))

    def leading(values: Array) -> list[int]:
        order = np.argsort(-values, kind="stable")[:most]
        return [int(j) for j in order if values[j] > 0]

    sizes = np.abs(effects)
    if len(weights) == 1:
        return Drivers("weights", named, note, [driver(0, j) for j in leading(sizes[0])])
    top = [driver(int(sizes[:, j].argmax()), j) for j in leading(sizes.max(axis=0))]
    by_class = {}
    if len(weights) == len(classes):
        by_class = {name: [driver(k, j) for j in leading(sizes[k])] for k, name in enumerate(classes)}
    return Drivers("weights", named, note, top, by_class)


def _by_shuffling(anatomy: Anatomy, X: Any, y: Array, most: int, seed: int, deadline: float) -> Drivers:
    chosen = _sample(X, ROWS_TO_SHUFFLE, seed)
    rows, truth = anatomy.seen(take(X, chosen)), y[chosen]
    d = rows.shape[1]
    if scipy.sparse.issparse(rows) or d > FEATURES_TO_SHUFFLE:
        note = f"{anatomy.name} has no weights, and with {d:,} features it is not asked what each does."
        return Drivers("none", False, note)
    rows = np.asarray(rows)
    names, named = _feature_names(anatomy, d)

    def error(given: Any) -> float:
        answers = np.asarray(anatomy.learner.predict(given))
        if anatomy.regression:
            return float(np.abs(answers - truth).mean())
        return float((answers != truth).mean())

    usual, random, losses = error(rows), np.random.default_rng(seed), np.zeros(d)
    for j in range(d):
        if time.monotonic() > deadline:
            return Drivers("none", named, f"{anatomy.name} has no weights, and there was no time to shuffle features.")
        for _ in range(DEALS):
            dealt = rows.copy()
            dealt[:, j] = random.permutation(dealt[:, j])
            losses[j] += (error(dealt) - usual) / DEALS
    what = "error on held-out rows" if anatomy.regression else "share of wrong answers on held-out rows"
    note = (
        f"{anatomy.name} has no weights; the effect is how much the {what} grows when a feature's values are shuffled."
    )
    total = np.maximum(losses, 0).sum()
    order = [int(j) for j in np.argsort(-losses, kind="stable")[:most] if losses[j] > 0]
    return Drivers("shuffling", named, note, [Driver(names[j], None, losses[j], losses[j] / total) for j in order])
