"""Learning one example at a time, from rows or from dicts of named features (lecture row L6).

A dict is a sparse row: `Names` gives every name the slot of its weight, and the vocabulary and the weight arrays grow
as names appear (amortised doubling). A stream is mostly more of the same, so `OneByOne` takes an example after a few
comparisons and calls compiled code. Whatever it cannot take (a first example, a new class, a full vocabulary, a bad
value) goes through `learn` and `predict`, which check everything before anything changes. Predictions are computed by
numpy until something is learned in this process: nothing is compiled to answer.
"""

from __future__ import annotations

import math
import struct
import threading
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import training
from rosenblatt.estimators.classes import check_kind, half_space_count, positive_codes
from rosenblatt.estimators.named_features import Names, number_of, numbers_of
from rosenblatt.estimators.validation import (
    check_label,
    check_weight,
    class_factors,
    unchanged_on_failure,
)
from rosenblatt.models import LinearModel

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier

BEYOND_RANGE = "x must hold numbers in the range of float64, but has larger ones; scale the features first."
FIRST_CAPACITY = 1024  # weights, and features of one dict; doubled whenever it is outgrown
INFINITY = float("inf")
UNSURE = object()  # the answer when everything must be checked
ONE = 1.0  # the default weight of an example: this very object needs no check
NOT_TAKEN = KeyError, TypeError, AttributeError  # a label, an example or a number of features to be checked


def _doubled(capacity: int, needed: int) -> int:
    while capacity < needed:
        capacity *= 2
    return capacity


class OneByOne:
    """The compiled step for the examples of one estimator, as long as its state, classes and parameters stay.

    `learn(x, y, w)` learns and is True, or changes nothing and is False; `answer(x)` is a label, or UNSURE. They are
    closures, since looking up an attribute takes as long as the arithmetic, and since what walks over the attributes
    of a model (river measures memory so) would go from compiled functions to everything that numba holds.
    """

    def __init__(self, estimator: LinearClassifier, n_names: int = 0) -> None:
        from rosenblatt.engine.online.single import entry_points

        state, (rule, params), answer = estimator._state, estimator._learning_rule(), estimator._chosen
        n_classes, coupled = len(estimator.classes_), estimator._coupled
        positive = positive_codes(n_classes, coupled, estimator._listening)
        table = np.tile(np.array(params, np.float64), (max(1, state.count), 1))
        self.named = "_names" in vars(estimator)
        self.capacity = _doubled(FIRST_CAPACITY, n_names)
        self.count = half_space_count(n_classes, coupled)
        compiled = entry_points(
            state, rule.function, table, rule.weighted_index, positive, coupled=coupled,
            intercept=bool(estimator.fit_intercept), shrink_intercept=estimator._shrinks_intercept(),
            classes=self.count, averaged=answer == "averaged",
        )  # fmt: skip
        self.dtype = state.dtype
        self.labels = estimator.classes_.tolist()
        self.codes = {label: code for code, label in enumerate(self.labels)}
        weights = estimator.class_weight
        self.class_weight = None if weights is None else class_factors(weights, estimator.classes_).tolist()
        self.may_learn = estimator._listening and estimator._committee is None and estimator._pocket is None
        self.may_answer = answer in ("last", "averaged") and state.total is None and n_classes > 1
        self.learn, self.answer = self._for_names(estimator, *compiled) if self.named else self._for_rows(*compiled)
        if not self.may_learn:
            self.learn = lambda x, y, w: False
        if not self.may_answer:
            self.answer = lambda x, found=None: UNSURE

    def weight(self, code: int, w: Any) -> float:
        """The weight times that of the class; not a number if w is none."""
        if not isinstance(w, float | int):
            return float("nan")
        try:
            return float(w) if self.class_weight is None else w * self.class_weight[code]
        except OverflowError:  # a whole number beyond the floats
            return float("nan")

    def scores(self, x: Any) -> list[float] | None:
        """The scores of the half-spaces that answer, or None where everything must be checked."""
        found = np.empty(self.count)
        return None if self.answer(x, found) is UNSURE else found.tolist()

    def _for_rows(self, enter: Any, ask: Any) -> tuple[Any, Any]:
        """(learn, answer) of rows of the state's dtype."""
        codes, dtype, weights = self.codes, self.dtype, self.class_weight
        weigh, array, scratch = self.weight, np.ndarray, np.empty(self.count)
        labels = [*self.labels, UNSURE]  # code -1, no answer, is the last of them

        def learn(x: Any, y: Any, w: float) -> bool:
            if x.__class__ is array and x.dtype is dtype and x.ndim == 1:
                try:
                    code = codes[y]
                except (KeyError, TypeError):
                    return False
                if w is not ONE or weights is not None:
                    w = weigh(code, w)
                    if not 0.0 < w < INFINITY:
                        return False
                return enter(x, code, w) == 1
            return False

        def answer(x: Any, found: Array = scratch) -> Any:
            if x.__class__ is array and x.dtype is dtype and x.ndim == 1:
                return labels[ask(x, found)]
            return UNSURE

        return learn, answer

    def _for_names(self, estimator: LinearClassifier, enter: Any, ask: Any) -> tuple[Any, Any]:
        """(learn, answer) of dicts with any names."""
        from rosenblatt.engine.online.single import LEARNED, NEW_NAMES, Buffer, Packers

        codes, weights, weigh = self.codes, self.class_weight, self.weight
        names, buffer, packers = estimator._names, Buffer(self.capacity), Packers(self.capacity)
        place, room, lock = names.codes.__getitem__, estimator._state.n_features, threading.Lock()
        scratch = np.empty(self.count)
        labels = [*self.labels, UNSURE]  # code -1, no answer, is the last of them

        def learn(x: Any, y: Any, w: float) -> bool:
            try:
                if x.__class__ is not dict:
                    x = _plain(x)
                c, code, n, numbers = w, codes[y], len(x), buffer.numbers
                if w is not ONE or weights is not None:
                    c = weigh(code, w)
                    if not 0.0 < c < INFINITY:
                        return False
                packers[n](numbers, 0, *x.values(), *map(place, x))
                done = enter(numbers, code, c, n)
                if done == LEARNED:
                    return True
                if done == NEW_NAMES:  # and every value is a finite number
                    with lock:
                        new = names.unknown(x)
                        if names.width + len(new) > room:
                            return False
                        names.add(new)
                        estimator.__dict__["n_features_in_"] = names.width
                    packers[n](numbers, 0, *x.values(), *map(place, x))
                    done = enter(numbers, code, c, n)
                return done == LEARNED
            except NOT_TAKEN:
                return False
            except struct.error:  # text among the values, or something that is refused
                return learn(numbers_of(x), y, w)

        def answer(x: Any, found: Array = scratch) -> Any:
            try:
                if x.__class__ is not dict:
                    x = _plain(x)
                n, numbers = len(x), buffer.numbers
                packers[n](numbers, 0, *x.values(), *map(place, x))
                return labels[ask(numbers, found, n)]
            except NOT_TAKEN:
                return UNSURE
            except struct.error:
                return answer(numbers_of(x), found)

        return learn, answer


def _plain(x: Any) -> dict[Any, Any]:
    """A mapping as a dict; a KeyError for anything else, and for a sparse row that is a mapping of places."""
    if isinstance(x, Mapping) and not scipy.sparse.issparse(x):
        return dict(x)
    raise KeyError


def forget(estimator: LinearClassifier) -> None:
    """The state, the classes or a parameter have changed: everything is checked for the next example."""
    estimator._one = None


# ---------------------------------------------------------------------- checks


def forget_names(estimator: Any) -> None:
    """A fit on rows starts afresh."""
    estimator.__dict__.pop("_names", None)


def refuse_rows_after_dicts(estimator: Any) -> None:
    if "_names" in estimator.__dict__:
        raise ValueError(
            f"{type(estimator).__name__} has learned from dicts of named features, but got rows; pass dicts, or call "
            f"fit to start afresh with rows."
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


def read(estimator: LinearClassifier, x: Any) -> Any:
    """A row as an array, or a dict of names as a dict of numbers; nothing is changed."""
    fitted = hasattr(estimator, "_state")
    refuse_sparse(x)
    if isinstance(x, Mapping) and not (fitted and "_names" not in estimator.__dict__):
        return numbers_of(x)
    if isinstance(x, Mapping):
        x = np.array([number_of(name, x[name], or_text=False) for name in known_features(estimator, x)])
    elif fitted:
        refuse_rows_after_dicts(estimator)
    return _check_row(estimator, x, fitted)


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


# ---------------------------------------------------------------------- one example


def learn(estimator: LinearClassifier, x: Any, y: Any, w: float) -> None:
    """Check everything, then learn."""
    with unchanged_on_failure(estimator):
        estimator._check_parameters()
        estimator._check_online()
        weight = check_weight(w)
        example = read(estimator, x)
        label = check_label(y)
        if len(estimator.__dict__.get("classes_", ())):
            check_kind(estimator.classes_, label)
        if weight == 0.0:
            return
        if isinstance(example, dict):
            admit_names(estimator, list(example))
        else:
            estimator._prepare_online(len(example), weight_dtype(example.dtype), "rows")
            estimator.n_features_in_ = len(example)
        estimator._admit(label)
        one: OneByOne | None = estimator._one
        if one is None or (one.named and one.capacity < len(example)):
            one = estimator._one = OneByOne(estimator, len(example))
        value = label.tolist()[0]
        factor = one.weight(one.codes[value], weight)
        if factor == 0.0:
            return
        if not one.may_learn:
            _learn_with_record(estimator, example, label, weight)
        elif not one.learn(example if isinstance(example, dict) else example.astype(one.dtype), value, weight):
            warnings.warn(
                f"{type(estimator).__name__} met a score beyond the range of {estimator._state.dtype} and did not "
                f"learn from this example; scale the features.",
                ConvergenceWarning,
                stacklevel=3,
            )
    if not one.may_learn:
        training.pass_on_interrupt(estimator)


def admit_names(estimator: LinearClassifier, names: list[Any]) -> None:
    """Give names that are new a slot, and all names weights."""
    known: Names | None = estimator.__dict__.get("_names")
    known = Names(estimator.hash_features) if known is None else known
    new = known.unknown(names)
    capacity = known.width + len(new)
    if known.size is None:
        held = estimator._state.n_features if hasattr(estimator, "_state") else FIRST_CAPACITY
        capacity = _doubled(max(1, held), capacity)
    estimator._prepare_online(capacity, np.float64, "columns")
    known.add(new)
    estimator._names, estimator.n_features_in_ = known, known.width


def _learn_with_record(estimator: LinearClassifier, example: Any, label: Array, weight: float) -> None:
    """The voted answer keeps every update and the pocket counts runs: one example is a batch of one."""
    X = estimator._names.matrix([example]) if isinstance(example, dict) else example[None, :]
    training.pass_once(estimator, training.task_of(estimator, X, label, np.array([weight]), listening=True), X)


def scores(estimator: LinearClassifier, x: Any) -> list[float] | None:
    """The scores of one example, one for each half-space that answers, or None before anything was learned."""
    found = None if estimator._one is None else estimator._one.scores(x)
    return _scores_by_model(estimator, x) if found is None else found


def _scores_by_model(estimator: LinearClassifier, x: Any) -> list[float] | None:
    if not hasattr(estimator, "_state") or len(estimator.classes_) == 0:
        return None
    example, chosen = read(estimator, x), estimator._chosen
    model = estimator._model(chosen if estimator._has(chosen) else "last")  # no pocket yet after a late class
    if not isinstance(example, dict):
        found = model.decision_function(example[None, :])
    elif isinstance(model, LinearModel):
        values, slots = estimator._names.row(example)
        found = model.coef[:, slots] @ values + model.intercept
    else:
        found = model.decision_function(estimator._names.matrix([example]))
    return found.ravel().tolist()


def predict(estimator: LinearClassifier, x: Any) -> Any:
    """Check everything, then answer."""
    found = _scores_by_model(estimator, x)
    if found is None:
        return None
    code = int(found[0] >= 0.0) if len(found) == 1 else found.index(max(found))
    return estimator.classes_.item(code)


def sigmoid(score: float) -> float:
    """1 / (1 + exp(-score)), without overflow.

    >>> sigmoid(0.0), sigmoid(-1000.0)
    (0.5, 0.0)
    """
    if score >= 0.0:
        return 1.0 / (1.0 + math.exp(-score))
    small = math.exp(score)
    return small / (1.0 + small)
