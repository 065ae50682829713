"""The quick way for one example: checked in a few comparisons, then straight into compiled code.

A stream is mostly more of the same: the same kind of row, or dicts with the same names. The first example of a kind
takes the careful way, in `one_by_one`, and leaves a `OneByOne` behind for those that follow.
"""

from __future__ import annotations

import struct
import threading
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import half_space_count, positive_codes
from rosenblatt.estimators.validation import class_factors

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier

INFINITY = float("inf")
UNSURE = object()  # what the quick way answers when the careful way must
ONE = 1.0  # the weight of an example by default: this very object, which need not be checked


class OneByOne:
    """The quick way for examples like the last one. Belongs to one state of one estimator.

    `learn(x, y, w)` learns and is True, or leaves everything as it is and is False; `answer(x)` is a label, or UNSURE.
    They are closures, since looking an attribute up takes as long as the arithmetic.
    """

    def __init__(self, estimator: LinearClassifier) -> None:
        from rosenblatt.engine.online.single import entry_points, readable

        state = estimator._state
        rule, params = estimator._learning_rule()
        n_classes, coupled = len(estimator.classes_), estimator._coupled
        positive = positive_codes(n_classes, coupled, estimator._listening)
        table = np.tile(np.array(params, np.float64), (max(1, state.count), 1))
        averaged = estimator._chosen == "averaged"
        self.enter, self.ask = entry_points(
            state, rule.function, table, rule.weighted_index, positive, coupled, averaged
        )
        self.dtype = state.dtype
        self.labels = estimator.classes_.tolist()
        self.codes = {label: code for code, label in enumerate(self.labels)}
        weights = estimator.class_weight
        self.class_weight = None if weights is None else class_factors(weights, estimator.classes_).tolist()
        self.may_learn = estimator._listening and estimator._committee is None and estimator._pocket is None
        self.may_answer = estimator._chosen in ("last", "averaged") and state.total is None and n_classes > 1
        self.learn_tail = (
            positive, table, *state.arrays, float(estimator.fit_intercept), estimator._shrinks_intercept(),
            state.count,
        )  # fmt: skip
        classes = half_space_count(n_classes, coupled)
        self.answer_tail = (*readable(state, averaged), classes)

    def weight(self, code: int, w: Any) -> float:
        """The weight times that of the class; not a number if w is none."""
        if not isinstance(w, float | int):
            return float("nan")
        try:
            return float(w) if self.class_weight is None else w * self.class_weight[code]
        except OverflowError:  # a whole number beyond the floats
            return float("nan")

    def expect_rows(self) -> None:
        """Rows of the state's dtype are what comes."""
        enter, ask, codes, dtype, weights = self.enter, self.ask, self.codes, self.dtype, self.class_weight
        weigh = self.weight
        learn_tail, answer_tail, array = self.learn_tail, self.answer_tail, np.ndarray
        labels = [*self.labels, UNSURE]  # code -1, which is no answer, is the last of them

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
                return enter(x, code, w, *learn_tail)
            return False

        def answer(x: Any) -> Any:
            if x.__class__ is array and x.dtype is dtype and x.ndim == 1:
                return labels[ask(x, *answer_tail)]
            return UNSURE

        self._offer(learn, answer)

    def expect_names(self, names: list[Any], slots: Array, signs: Array | None) -> None:
        """Dicts with these names, in any order, are what comes."""
        enter, ask, codes, weights, weigh = self.enter, self.ask, self.codes, self.class_weight, self.weight
        values = np.zeros(len(names))
        buffer: Any = values.view(np.uint8)
        pack = struct.Struct(f"{len(names)}d").pack_into
        length, lock = len(names), threading.Lock()
        # With as many names as expected and every expected name there, the names are the expected ones.
        read = itemgetter(*names) if length > 1 else lambda x: tuple(x[name] for name in names)
        learn_tail = self.learn_tail
        places = slots.astype(np.uint32)
        labels = [*self.labels, UNSURE]  # code -1, which is no answer, is the last of them
        answer_tail = (values, places, *self.answer_tail)

        def learn(x: Any, y: Any, w: float) -> bool:
            if x.__class__ is not dict or len(x) != length:
                return False
            try:
                code = codes[y]
                if w is not ONE or weights is not None:
                    w = weigh(code, w)
                    if not 0.0 < w < INFINITY:
                        return False
                with lock:  # the buffer is one for all threads
                    pack(buffer, 0, *read(x))
                    if signs is not None:
                        np.multiply(values, signs, out=values)
                    return enter(values, places, code, w, *learn_tail)
            except (KeyError, TypeError, struct.error):
                return False

        def answer(x: Any) -> Any:
            if x.__class__ is not dict or len(x) != length:
                return UNSURE
            try:
                with lock:
                    pack(buffer, 0, *read(x))
                    if signs is not None:
                        np.multiply(values, signs, out=values)
                    return labels[ask(*answer_tail)]
            except (struct.error, KeyError):
                return UNSURE

        self._offer(learn, answer)

    def _offer(self, learn: Any, answer: Any) -> None:
        self.learn = learn if self.may_learn else None
        self.answer = answer if self.may_answer else None
