"""The compiled step for one example of a linear classifier, from a row or from a dict of named features.

A dict is a sparse row: `Names` gives every name the slot of its weight, and the vocabulary and the weight arrays grow
as names appear (amortised doubling). A stream is mostly more of the same, so `OneByOne` takes an example after a few
comparisons and calls compiled code. Whatever it cannot take (a first example, a new class, a full vocabulary, a bad
value) goes the way that checks everything (`one_example.py`). Predictions are computed by numpy until something is
learned in this process: nothing is compiled to answer.
"""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import half_space_count, positive_codes
from rosenblatt.estimators.validation import class_factors
from rosenblatt.features.named_features import numbers_of

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier

FIRST_CAPACITY = 1024  # weights, and features of one dict; doubled whenever it is outgrown
INFINITY = float("inf")
UNSURE = object()  # the answer when everything must be checked
ONE = 1.0  # the default weight of an example: this very object needs no check
NOT_TAKEN = KeyError, TypeError, AttributeError  # a label, an example or a number of features to be checked


def doubled(capacity: int, needed: int) -> int:
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
        self.capacity = doubled(FIRST_CAPACITY, n_names)
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
        self.may_answer = answer in ("last", "averaged") and state.total is None and n_classes > 1
        self.learn, self.answer = self._for_names(estimator, *compiled) if self.named else self._for_rows(*compiled)
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
                    return False
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
                    return UNSURE
                n, numbers = len(x), buffer.numbers
                packers[n](numbers, 0, *x.values(), *map(place, x))
                return labels[ask(numbers, found, n)]
            except NOT_TAKEN:
                return UNSURE
            except struct.error:
                return answer(numbers_of(x), found)

        return learn, answer
