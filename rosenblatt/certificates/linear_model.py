"""Reads a linear model: scores w·x + b, one function for two classes, one for each class otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.certificates.reading import plain, same_label
from rosenblatt.certificates.verify_numbers import Number
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted


@dataclass(frozen=True)
class LinearScores:
    """`weights` and `offsets` of the score functions, exact, and the `classes` that they choose between.

    With two classes there is one function, and its positive side is that of the second class. With more classes the
    highest score wins.
    """

    weights: tuple[tuple[Number, ...], ...]
    offsets: tuple[Number, ...]
    classes: tuple[Any, ...]


def read_linear(model: Any, classes: Array, d: int) -> LinearScores:
    """A fitted linear model, ours or scikit-learn's, or a pair (w, b), for labels of these classes."""
    names = [plain(name) for name in classes]
    if isinstance(model, tuple | list):
        if len(model) != 2:
            raise ValueError(f"A hyperplane is a pair (w, b), but got {counted(len(model), 'part')}; pass both.")
        weights, offsets = model
    else:
        weights, offsets = _of_estimator(model)
        if hasattr(model, "classes_"):
            names = _known(names, [plain(name) for name in model.classes_])
    lines = np.atleast_2d(_numbers("weights", weights))
    constants = np.atleast_1d(_numbers("intercept", offsets)).ravel()
    wanted = 1 if len(names) == 2 else len(names)
    if lines.ndim != 2 or lines.shape != (wanted, d) or len(constants) not in (1, wanted):
        raise ValueError(
            f"A linear model of {len(names)} classes and {counted(d, 'feature')} has weights of shape {(wanted, d)}, "
            f"but these have shape {lines.shape} with {counted(len(constants), 'intercept')}; pass the model of these "
            f"rows."
        )
    if len(constants) < wanted:
        constants = np.repeat(constants, wanted)
    return LinearScores(tuple(map(tuple, lines.tolist())), tuple(constants.tolist()), tuple(names))


def _of_estimator(model: Any) -> tuple[Any, Any]:
    kind = type(model).__name__
    if hasattr(model, "steps"):
        raise ValueError(
            "A pipeline is certified by its last step, on the rows as that step sees them; pass pipeline[-1] and "
            "pipeline[:-1].transform(X)."
        )
    if not hasattr(model, "coef_"):
        raise ValueError(
            f"A linear model has coef_ and intercept_, but this {kind} has none (it is not linear, or not fitted); "
            f"pass a fitted linear model, or a pair (w, b)."
        )
    if hasattr(model, "decision_function_shape") and len(model.classes_) > 2:
        raise ValueError(
            f"{kind} decides between more than two classes by votes of pairs, which is not linear; pass LinearSVC."
        )
    weights = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    return weights, getattr(model, "intercept_", 0.0)


def _known(names: list[Any], known: list[Any]) -> list[Any]:
    for name in names:
        if not any(same_label(name, other) for other in known):
            raise ValueError(f"The model knows no class {shortened(name)}; pass the labels that it was fitted on.")
    return known


def _numbers(name: str, values: Any) -> Array:
    """An array of Python's own exact numbers: whole numbers, floats, fractions."""
    try:
        array = np.array(values, dtype=object)
    except ValueError:
        array = np.array(None, dtype=object)
    for value in array.ravel().tolist():
        value = plain(value)
        if not isinstance(value, int | float | Fraction) or not math.isfinite(value):
            raise ValueError(f"The {name} of a linear model must be finite numbers, but got {shortened(value)}.")
    return np.array([plain(value) for value in array.ravel().tolist()], dtype=object).reshape(array.shape)
