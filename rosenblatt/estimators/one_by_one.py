"""Learning one example at a time, from rows or from dicts of named features (lecture row L6): the careful way.

Everything is checked before anything changes. What follows in the stream and is like this example is taken by the
quick way (`quick_way`), which this one prepares.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import training
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.named_features import Names, Reading, number_of
from rosenblatt.estimators.quick_way import OneByOne
from rosenblatt.estimators.validation import (
    check_label,
    check_labels,
    check_weight,
    check_weights,
    unchanged_on_failure,
)

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier

BEYOND_RANGE = "x must hold numbers in the range of float64, but has larger ones; scale the features first."
FIRST_CAPACITY = 64  # features; doubled whenever names outgrow it


def forget_names(estimator: Any) -> None:
    """A fit on rows starts afresh."""
    estimator.__dict__.pop("_names", None)


def refuse_rows_after_dicts(estimator: Any) -> None:
    if "_names" in estimator.__dict__:
        raise ValueError(
            f"{type(estimator).__name__} has learned from dicts of named features, but got rows; pass dicts to "
            f"predict_one and learn_one, or call fit to start afresh with rows."
        )


def known_features(estimator: Any, x: Mapping[Any, Any]) -> Any:
    """The names of the features that rows had before, all of which a dict must have."""
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        raise ValueError(
            f"{type(estimator).__name__} has learned from rows without feature names, but got a dict; pass a row "
            f"of {estimator.n_features_in_} numbers, or start afresh with dicts."
        )
    missing = [name for name in known if name not in x]
    if missing:
        raise ValueError(
            f"x must have the features {', '.join(known)}, but {missing[0]!r} is missing; add it to the dict."
        )
    return known


def refuse_sparse(x: Any) -> None:
    """A row of a sparse matrix is neither a row nor a dict, though the dictionary of keys among them is a Mapping."""
    if scipy.sparse.issparse(x):
        raise ValueError(
            f"x must be a row of numbers or a dict of named features, but got {type(x).__name__}; pass "
            f"x.toarray().ravel(), or use partial_fit, which takes sparse rows."
        )


def _check_example(estimator: LinearClassifier, x: Any) -> tuple[str, Any]:
    """("row", an array) or ("names", a Reading); nothing is changed."""
    fitted = hasattr(estimator, "_state")
    refuse_sparse(x)
    if isinstance(x, Mapping) and not (fitted and "_names" not in estimator.__dict__):
        names = estimator.__dict__.get("_names") or Names(estimator.hash_features)
        return "names", names.read(x)
    if isinstance(x, Mapping):
        x = np.array([number_of(name, x[name], or_text=False) for name in known_features(estimator, x)])
    elif fitted:
        refuse_rows_after_dicts(estimator)
    return "row", _check_row(estimator, x, fitted)


def _place(estimator: LinearClassifier, x: Any, reading: Reading) -> tuple[Any, Any]:
    """((values, slots), (names, signs) when the quick way can take more like x, or None)."""
    names: Names = estimator.__dict__["_names"]
    values, slots, signs, plain = names.place(reading)
    more = (list(x), signs if names.size is not None else None) if plain and type(x) is dict else None
    return (values * signs, slots), more


def _check_row(estimator: LinearClassifier, x: Any, fitted: bool) -> Array:
    try:
        row = np.asarray(x)
        if row.dtype.kind == "c":
            raise TypeError("complex")
        if row.dtype not in (np.float64, np.float32, np.uint8):
            row = row.astype(np.float64)
    except OverflowError:
        raise ValueError(BEYOND_RANGE) from None
    except (TypeError, ValueError):
        raise ValueError(
            f"x must be a row of numbers or a dict of named features, but got {type(x).__name__}; make it a "
            f"one-dimensional array of numbers."
        ) from None
    if row.ndim != 1 or not len(row):
        raise ValueError(
            f"x must be one row, of shape (n_features,), but got shape {row.shape}; use learn_many for several."
        )
    if fitted and len(row) != estimator.n_features_in_:
        raise ValueError(
            f"x has {len(row)} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} "
            f"features as input; pass the ones it was fitted on."
        )
    if not np.isfinite(row).all():
        j = int(np.flatnonzero(~np.isfinite(row))[0])
        raise ValueError(f"x must be finite, but feature {j} is {row[j]}; leave the example out or fill it in.")
    return np.ascontiguousarray(row)


# ---------------------------------------------------------------------- the careful way


def learn(estimator: LinearClassifier, x: Any, y: Any, w: float) -> None:
    with unchanged_on_failure(estimator):
        estimator._check_parameters()
        estimator._check_online()
        weight = check_weight(w)
        kind, example = _check_example(estimator, x)
        label = check_label(y)
        if len(estimator.__dict__.get("classes_", ())):
            check_kind(estimator.classes_, label)
        if weight == 0.0:
            return
        more = None
        if kind == "row":
            estimator._prepare_online(len(example), weight_dtype(example.dtype), "rows")
            estimator.n_features_in_ = len(example)
        else:
            names = estimator.__dict__.setdefault("_names", Names(estimator.hash_features))
            if names.size is None:
                names.add(example.new)
            _make_room(estimator)
            example, more = _place(estimator, x, example)
        estimator._admit(label)
        one = OneByOne(estimator)
        code = one.codes[label.tolist()[0]]
        if one.weight(code, weight) == 0.0:
            return
        if not one.may_learn:
            _learn_with_record(estimator, kind, example, y, weight)
        elif not one.enter(*_row(estimator, kind, example), code, one.weight(code, weight), *one.learn_tail):
            warnings.warn(
                f"{type(estimator).__name__} met a score beyond the range of {estimator._state.dtype} and did not "
                f"learn from this example; scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )
        _expect_more(estimator, one, kind, example, more)
    if not one.may_learn:
        training.pass_on_interrupt(estimator)


def _expect_more(estimator: LinearClassifier, one: OneByOne, kind: str, example: Any, more: Any) -> None:
    forget(estimator)
    if kind == "row":
        one.expect_rows()
    elif more is not None:
        one.expect_names(more[0], example[1], more[1])
    else:
        return
    estimator._learn_quickly, estimator._answer_quickly = one.learn, one.answer


def forget(estimator: LinearClassifier) -> None:
    """Something has changed: the next example takes the careful way."""
    estimator._learn_quickly = estimator._answer_quickly = None


def _make_room(estimator: LinearClassifier) -> None:
    names: Names = estimator.__dict__["_names"]
    capacity = names.width
    if names.size is None:
        held = estimator._state.n_features if hasattr(estimator, "_state") else FIRST_CAPACITY
        capacity = held
        while capacity < names.width:
            capacity *= 2
    estimator._prepare_online(capacity, np.float64, "columns")
    estimator.n_features_in_ = names.width


def _row(estimator: LinearClassifier, kind: str, example: Any) -> tuple[Array, ...]:
    if kind == "row":
        return (example.astype(estimator._state.dtype, copy=False),)
    values, slots = _combined(*example)
    return values, slots.astype(np.uint32)


def _combined(values: Array, slots: Array) -> tuple[Array, Array]:
    """Each slot once, the values of names that share one added."""
    unique, inverse = np.unique(slots, return_inverse=True)
    if len(unique) == len(slots):
        return values, slots
    return np.bincount(inverse, weights=values, minlength=len(unique)), unique


def _as_matrix(estimator: LinearClassifier, kind: str, example: Any) -> Any:
    if kind == "row":
        return example[None, :]
    values, slots = _combined(*example)
    shape = (1, estimator._state.n_features)
    return scipy.sparse.csr_array((values, slots, [0, len(slots)]), shape=shape)


def _learn_with_record(estimator: LinearClassifier, kind: str, example: Any, y: Any, weight: float) -> None:
    """The voted answer keeps every update and the pocket counts runs: one example is a batch of one."""
    X = _as_matrix(estimator, kind, example)
    task = training.task_of(estimator, X, check_label(y), np.array([weight]), listening=True)
    training.pass_once(estimator, task, X)


def predict(estimator: LinearClassifier, x: Any) -> Any:
    if not hasattr(estimator, "_state") or len(estimator.classes_) == 0:
        return None
    kind, example = _check_example(estimator, x)
    more = None
    if kind == "names":
        example, more = _place(estimator, x, example)
    state = estimator._state
    layout = "rows" if kind == "row" else "columns"
    if estimator._chosen in ("last", "averaged") and state.layout == layout and len(estimator.classes_) > 1:
        one = OneByOne(estimator)
        _expect_more(estimator, one, kind, example, more)
        if one.may_answer:
            code = one.ask(*_row(estimator, kind, example), *one.answer_tail)
            if code >= 0:
                return one.labels[code]
    return estimator._model(estimator._chosen).predict(_as_answered(estimator, kind, example)).tolist()[0]


def scores(estimator: LinearClassifier, x: Any) -> Array | None:
    """The scores of one example as a batch of one, or None before anything was learned."""
    if not hasattr(estimator, "_state") or len(estimator.classes_) == 0:
        return None
    kind, example = _check_example(estimator, x)
    if kind == "names":
        example, _ = _place(estimator, x, example)
    return estimator._model(estimator._chosen).decision_function(_as_answered(estimator, kind, example))


def _as_answered(estimator: LinearClassifier, kind: str, example: Any) -> Any:
    return _as_matrix(estimator, kind, example)[:, : estimator.n_features_in_]


def _named_columns(estimator: LinearClassifier, X: Any, grow: bool) -> Any:
    """The rows of a frame as CSR over the slots of its columns."""
    names: Names = estimator.__dict__["_names"]
    columns = [str(column) for column in X.columns]
    numbers = check_array(X, dtype=np.float64, input_name="X")
    if grow and names.size is None:
        names.add(columns)
    places = [names.slot(column) for column in columns]
    known = [j for j, place in enumerate(places) if place is not None]
    table = np.zeros((len(columns), max(names.width, 1)))
    for j in known:
        slot, sign = places[j]  # type: ignore[misc]
        table[j, slot] += sign
    return scipy.sparse.csr_array(numbers) @ scipy.sparse.csr_array(table)


def learn_many(estimator: LinearClassifier, X: Any, y: Any, w: Any) -> None:
    if _are_dicts(X):
        _learn_dicts(estimator, X, y, w)
        return
    if "_names" not in estimator.__dict__:
        estimator.partial_fit(X, y, sample_weight=w)
        return
    if not hasattr(X, "columns"):
        refuse_rows_after_dicts(estimator)
    with unchanged_on_failure(estimator):
        estimator._check_online()
        labels = check_labels(y, len(X))
        matrix = _named_columns(estimator, X, grow=True)
        _make_room(estimator)
        matrix.resize(matrix.shape[0], estimator._state.n_features)
        estimator._admit(np.unique(labels))
        task = training.task_of(estimator, matrix, labels, w, listening=True)
        training.pass_once(estimator, task, matrix)
    training.pass_on_interrupt(estimator)


def _are_dicts(X: Any) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def _learn_dicts(estimator: LinearClassifier, X: Any, y: Any, w: Any) -> None:
    """Dicts one after another; all are looked at before the first is learned from."""
    labels = check_labels(y, len(X)).tolist()
    weights = [1.0] * len(X) if w is None else check_weights(w, np.empty((len(X), 1))).tolist()
    for x, weight in zip(X, weights, strict=True):
        _check_example(estimator, x)
        check_weight(weight)
    for x, label, weight in zip(X, labels, weights, strict=True):
        estimator.learn_one(x, label, weight)


def predict_many(estimator: LinearClassifier, X: Any) -> Array:
    if _are_dicts(X):
        return np.array([estimator.predict_one(x) for x in X])
    if "_names" not in estimator.__dict__:
        return estimator.predict(X)
    if not hasattr(X, "columns"):
        refuse_rows_after_dicts(estimator)
    matrix = _named_columns(estimator, X, grow=False)
    matrix.resize(matrix.shape[0], estimator.n_features_in_)
    return estimator._model(estimator._chosen).predict(matrix)
