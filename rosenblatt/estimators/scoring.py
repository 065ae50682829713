"""`score`: what scikit-learn computes, and what cannot be judged in a sentence of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.validation import check_labels, check_targets, check_weights
from rosenblatt.wording import short


def accuracy(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The fraction of rows that are answered correctly."""
    from sklearn.metrics import accuracy_score  # large

    def check(answers: Array) -> None:
        if answers.ndim == 1:
            check_kind(estimator.classes_, check_labels(y, len(answers)))

    return _compare(accuracy_score, estimator, X, y, sample_weight, ("label", "labels"), check)


def explained(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """The share of the targets' variance that is explained, R²."""
    from sklearn.metrics import r2_score  # large

    def check(answers: Array) -> None:
        check_targets(y, len(answers))

    return _compare(r2_score, estimator, X, y, sample_weight, ("number", "targets"), check)


def _compare(
    measure: Callable[..., float], estimator: Any, X: Any, y: Any, sample_weight: Any, words: tuple[str, str],
    check: Callable[[Array], None],
) -> float:  # fmt: skip
    """What scikit-learn makes of the answers; where it refuses, `check` and we say why."""
    one, many = words
    _check_lengths(estimator, X, y, sample_weight, one)
    answers = estimator.predict(X)
    try:
        with np.errstate(invalid="ignore"):  # of NaN, which is said below
            return float(measure(y, answers, sample_weight=sample_weight))
    except (TypeError, ValueError) as error:
        said = short(error, 80)
    check(answers)
    if sample_weight is not None:
        check_weights(sample_weight, answers)
    raise ValueError(f"y must hold {many} like those of the fit, but they cannot be compared ({said}); pass such.")


def _check_lengths(estimator: Any, X: Any, y: Any, sample_weight: Any, what: str) -> None:
    """Before anything is computed: something for every row."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name}.score requires y to be passed, but the target y is None; pass one {what} per row.")
    rows = _length(X)
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        count = _length(given)
        if rows is not None and count is not None and count != rows:
            one = what if name == "y" else "weight"
            raise ValueError(
                f"X and {name} must have the same number of rows, but got {rows} and {count}; pass one {one} per row."
            )


def _length(given: Any) -> int | None:
    """How many rows there are; None where that is not known before it is read."""
    shape = getattr(given, "shape", None)
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int | np.integer):
        return int(shape[0])
    return len(given) if isinstance(given, list | tuple) else None
