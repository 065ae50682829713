"""Batches whose features go by name: lists of dicts, and frames for a model that learned from dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array

from rosenblatt.estimators import one_by_one, training
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.named_features import Names, numbers_of
from rosenblatt.estimators.validation import check_labels, check_rows, check_weights, unchanged_on_failure

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier


def _are_dicts(X: Any) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(x, Mapping) for x in X)


def _read_named(estimator: LinearClassifier, X: Any) -> tuple[list[Any], Callable[[Names], Any]]:
    """The names in dicts or in the columns of a frame, and what makes CSR rows once all of them are known."""
    if _are_dicts(X):
        examples = [numbers_of(x) for x in X]
        return [name for x in examples for name in x], lambda names: names.matrix(examples)
    if not hasattr(X, "columns"):
        one_by_one.refuse_rows_after_dicts(estimator)
    numbers = check_array(X, dtype=np.float64, input_name="X")
    return list(X.columns), lambda names: names.matrix_of_columns(numbers, X.columns)


def rows_to_predict(estimator: LinearClassifier, X: Any) -> Any:
    """Rows like those of the fit; after dicts, a list of dicts or a frame, whose names that were never seen are 0."""
    if "_names" in vars(estimator):
        return _read_named(estimator, X)[1](estimator._names)
    if _are_dicts(X):
        return np.array([one_by_one.read(estimator, x) for x in X])
    return check_rows(estimator, X, reset=False)


def learn_many(estimator: LinearClassifier, X: Any, y: Any, w: Any) -> None:
    if "_names" not in vars(estimator) and (hasattr(estimator, "_state") or not _are_dicts(X)):
        if not _are_dicts(X):
            estimator.partial_fit(X, y, sample_weight=w)
            return
        rows = [one_by_one.read(estimator, x) for x in X]
        labels = check_labels(y, len(rows)).tolist()
        weights = [1.0] * len(rows) if w is None else check_weights(w, np.empty((len(rows), 1))).tolist()
        for row, label, weight in zip(rows, labels, weights, strict=True):
            estimator.learn_one(row, label, weight)
        return
    with unchanged_on_failure(estimator):
        estimator._check_parameters()
        estimator._check_online()
        names, rows_of = _read_named(estimator, X)
        labels = check_labels(y, len(X))
        if len(estimator.__dict__.get("classes_", ())):
            check_kind(estimator.classes_, labels)
        weights = None if w is None else check_weights(w, np.empty((len(X), 1)), ensure_non_negative=True)
        one_by_one.admit_names(estimator, names)
        estimator._admit(np.unique(labels))
        matrix = rows_of(estimator._names)
        training.pass_once(estimator, training.task_of(estimator, matrix, labels, weights, listening=True), matrix)
    training.pass_on_interrupt(estimator)
