"""`KernelPerceptron` while examples come one by one or in batches: rows or dicts, and classes that appear late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from rosenblatt.arguments import shortened
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import kernel_answers, kernel_training, one_by_one
from rosenblatt.estimators.classes import arrange_classes, check_kind, half_space_count
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.named_features import Names, numbers_of
from rosenblatt.estimators.validation import check_is_given, check_labels, check_rows, check_weight, check_weights
from rosenblatt.kernels import Function
from rosenblatt.trace import Trace

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron


def learn_batch(estimator: KernelPerceptron, X: Any, y: Array, labels: Array, sample_weight: Any) -> None:
    """One pass over some rows; `labels` are the classes that are known to exist, new ones among them."""
    first = not hasattr(estimator, "_state")
    if first:
        estimator.kernel_ = kernel_training.kernel_of(estimator, X, batch=True)
        estimator._intercept, estimator._together = bool(estimator.fit_intercept), estimator.multi_class == "coupled"
        kernel_training.warn_of_kernel(estimator.kernel_, X)
        _start(estimator, weight_dtype(X.dtype))
    elif isinstance(estimator.kernel_, MissingFunction):
        estimator.kernel_ = kernel_answers.usable_kernel(estimator)
    if len(estimator.classes_):
        check_kind(estimator.classes_, labels)
    if isinstance(estimator.kernel_, Function):  # which may fail in the middle of a batch
        estimator._state, estimator._store, estimator._pocket = deepcopy(
            (estimator._state, estimator._store, estimator._pocket)
        )
    _listen(estimator)
    _admit(estimator, labels)
    task = kernel_training.task_of(estimator, estimator.kernel_, X, y, sample_weight, batch=True)
    if task.dtype != estimator._state.dtype:
        estimator._state.dtype = task.dtype
        estimator._store = None if estimator._store is None else estimator._store.cast(task.dtype)
    estimator._models = {}
    kernel_training.pass_once(estimator, task)


def _listen(estimator: KernelPerceptron) -> None:
    """Have a shadow for late classes or none; under a budget it would take the room of support vectors."""
    wanted = not estimator._coupled and not estimator.budget
    if wanted != estimator._listening:
        sources = [*range(estimator._state.count), -1] if wanted else [*range(estimator._state.count - 1)]
        estimator._state = estimator._state.select(sources, [1.0] * len(sources))
        estimator._listening = wanted


def _start(estimator: KernelPerceptron, dtype: Any) -> None:
    from rosenblatt.engine.kernel.epochs import DualPocket

    estimator.classes_ = np.empty(0, object)
    estimator._state = Expansion(0, dtype)
    if estimator.budget:
        estimator._state.history = None
    estimator._store, estimator._pocket = None, DualPocket()
    estimator._listening = False
    estimator.n_iter_ = estimator._mistakes = 0
    estimator.trace_, estimator.stop_reason_ = Trace(), ""


def _admit(estimator: KernelPerceptron, labels: Array) -> None:
    """Give every class among `labels` that is new a place."""
    from rosenblatt.engine.kernel.epochs import DualPocket

    arranged = arrange_classes(estimator.classes_, labels, estimator._coupled)
    if arranged is None:
        return
    known = half_space_count(len(estimator.classes_), estimator._coupled)
    estimator.classes_, sources, signs = arranged
    if not estimator._coupled and not estimator._listening:  # no shadow to copy: what is new starts at zero
        sources, signs = [source if source < known else -1 for source in sources[:-1]], signs[:-1]
    estimator._state = estimator._state.select(sources, signs)
    estimator._pocket = DualPocket()


def _named_row(estimator: KernelPerceptron, x: Mapping[Any, Any], *, learn: bool) -> Any:
    """A dict as a sparse row over the names seen so far; new names are added when it is learned from."""
    names: Names | None = estimator.__dict__.get("_names")
    names = Names(None) if names is None else names
    numbers = numbers_of(x)
    if learn:
        new = names.unknown(numbers)
        if new:
            names = deepcopy(names)  # an example that is refused later must leave no names behind
            names.add(new)
        estimator._names, estimator.n_features_in_ = names, max(1, names.width)
    return estimator._check_kind_of_rows(names.matrix([numbers]))


def checked_row(estimator: KernelPerceptron, x: Any, *, learn: bool) -> Any:
    """One example as a matrix of one row; with `learn`, names that are new are remembered."""
    one_by_one.refuse_sparse(x)
    if isinstance(x, Mapping) and ("_names" in estimator.__dict__ or not hasattr(estimator, "_state")):
        return _named_row(estimator, x, learn=learn)
    one_by_one.refuse_rows_after_dicts(estimator)
    if isinstance(x, Mapping):
        x = [x[name] for name in one_by_one.known_features(estimator, x)]
    try:
        row = np.asarray(x)
        if row.dtype not in (np.float64, np.float32, np.uint8):
            row = row.astype(np.float64)
    except OverflowError:
        raise ValueError(one_by_one.BEYOND_RANGE) from None
    except (TypeError, ValueError):
        raise ValueError(
            f"x must be a row of numbers, but got {type(x).__name__}; make it a one-dimensional array of numbers."
        ) from None
    if row.ndim != 1 or not len(row):
        raise ValueError(
            f"x must be one row, of shape (n_features,), but got shape {row.shape}; use partial_fit for several."
        )
    if hasattr(estimator, "_state") and len(row) != estimator.n_features_in_:
        raise ValueError(
            f"x has {len(row)} features, but KernelPerceptron is expecting {estimator.n_features_in_} features as "
            f"input; pass the ones it was fitted on."
        )
    if not np.isfinite(row).all():
        j = int(np.flatnonzero(~np.isfinite(row))[0])
        raise ValueError(f"x must be finite, but feature {j} is {row[j]}; leave the example out or fill it in.")
    return np.ascontiguousarray(row)[None, :]


def check_online(estimator: KernelPerceptron) -> None:
    """Refuse parameters with which nothing can be learned online."""
    if isinstance(estimator.class_weight, str):
        raise ValueError(
            f"class_weight must be a dict or None while learning online, but got {shortened(estimator.class_weight)}: "
            f"one batch does not tell how frequent the classes are; pass the weights as a dict."
        )
    if estimator._precomputed:
        raise ValueError(
            "kernel='precomputed' knows the values between the rows of one fit only, and cannot learn from rows "
            "that come later; use fit, or another kernel."
        )
    if estimator.answer == "voted" and hasattr(estimator, "_state") and estimator._state.history is None:
        raise ValueError(
            "answer='voted' needs every update from the start, but this estimator has learned without keeping "
            "them; fit it again with answer='voted' and budget=None."
        )


def _holds_examples(X: Any) -> bool:
    """Whether this may be several examples; what they are is looked at one by one."""
    if isinstance(X, np.ndarray):
        return X.ndim > 1 or (X.ndim == 1 and X.dtype == object)  # dicts, maybe
    return scipy.sparse.issparse(X) or (isinstance(X, Iterable) and not isinstance(X, str | bytes | Set | Mapping))


def examples_of(estimator: KernelPerceptron, X: Any) -> list[Any]:
    """Several examples one by one; rows of a frame by their names, unless rows without names were learned from."""
    if hasattr(X, "collect"):
        raise ValueError(f"X must be rows in memory, but got {type(X).__name__}; call X.collect() first.")
    if not _holds_examples(X):
        X = check_rows(estimator, X, reset=not hasattr(estimator, "_state"))  # whose complaints are those of `fit`
    named = "_names" in vars(estimator) or hasattr(estimator, "feature_names_in_") or not hasattr(estimator, "_state")
    if hasattr(X, "columns") and named:
        return list(X.to_dicts() if hasattr(X, "to_dicts") else X.to_dict("records"))
    if isinstance(X, list | tuple) and (not len(X) or isinstance(X[0], Mapping)):
        return list(X)
    if scipy.sparse.issparse(X):
        X = X.toarray()
    return list(X.to_numpy() if hasattr(X, "to_numpy") else X)


def learn_many(estimator: KernelPerceptron, X: Any, y: Any, w: Any) -> None:
    """Examples one after another; all are looked at before the first is learned from."""
    check_is_given(estimator, y)
    examples = examples_of(estimator, X)
    labels = check_labels(y, len(examples))
    if len(labels) and len(vars(estimator).get("classes_", ())):
        check_kind(estimator.classes_, labels)
    weights = [1.0] * len(examples) if w is None else check_weights(w, np.empty((len(examples), 1))).tolist()
    shapes = set()
    for x, weight in zip(examples, weights, strict=True):
        check_weight(weight)
        row = checked_row(estimator, x, learn=False)
        shapes.add(None if isinstance(x, Mapping) else row.shape)
    if len(shapes) > 1:
        raise ValueError(
            "X must have examples of one kind and length, but dicts and rows, or rows of several lengths, came; make "
            "them equal."
        )
    for x, label, weight in zip(examples, labels.tolist(), weights, strict=True):
        estimator.learn_one(x, label, weight)
