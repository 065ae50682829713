"""One example at a time: the loop's own step, called without the loop.

numba's dispatcher looks at the type of every argument of every call, which takes longer than the step itself.
Here the types are settled once, when the arrays are made, and the compiled entry points are called directly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.layouts import csr as sparse
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.loop import loop_key, make_visit
from rosenblatt.engine.online.state import (
    BIAS,
    BIAS_BEFORE,
    BIAS_LAG,
    MARK,
    MISTAKES,
    REACH,
    SCALE,
    SCORE,
    SEEN,
    Array,
    HalfSpaces,
)


@compiled.part
def _note_mistake(ledger: Any, code: Any, positive: Any, count: Any, coupled: Any) -> None:
    """Count a mistake: the scores are still those from before the lesson."""
    classes = count
    while not coupled and classes > 0 and positive[classes - 1] < 0:
        classes -= 1  # the shadow listens and does not answer
    met = False
    if classes == 1 and not coupled:
        met = ledger[0, SCORE] <= 0.0 if code == positive[0] else ledger[0, SCORE] >= 0.0
    else:
        for k in range(classes):
            met |= k != code and ledger[k, SCORE] >= ledger[code, SCORE]
    if met:
        ledger[0, MISTAKES] += 1.0


def _learn(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> Any:
    teach = make_visit(key, function, n_parameters, weighted, LAYOUTS[layout_name], coupled=coupled)

    def learn_row(
        x: Any, code: Any, c: Any, positive: Any, params: Any, vectors: Any, lag: Any, ledger: Any,
        intercept: Any, shrink_intercept: Any, count: Any,
    ) -> bool:  # fmt: skip
        key  # noqa: B018
        if x.shape[0] != vectors.shape[1] or x.strides[0] != x.itemsize:
            return False
        rows = (x.reshape(1, x.shape[0]),)
        state = (vectors, lag, ledger)
        if not teach(rows, 0, 0, 0, code, c, positive, params, state, intercept, shrink_intercept, 0, count, None):
            return False
        _note_mistake(ledger, code, positive, count, coupled)
        return True

    def learn_features(
        values: Any, slots: Any, code: Any, c: Any, positive: Any, params: Any, vectors: Any,
        lag: Any, ledger: Any, intercept: Any, shrink_intercept: Any, count: Any,
    ) -> bool:  # fmt: skip
        key  # noqa: B018
        rows = (values, slots, (np.uint64(0), np.uint64(values.shape[0])))
        state = (vectors, lag, ledger)
        if not teach(rows, 0, 0, 0, code, c, positive, params, state, intercept, shrink_intercept, 0, count, None):
            return False
        _note_mistake(ledger, code, positive, count, coupled)
        return True

    return compiled.jit(learn_features if layout_name == sparse.LAYOUT else learn_row, alone=True)


@functools.cache
def _answer(key: str, layout_name: str, averaged: bool) -> Any:
    scores = LAYOUTS[layout_name].scores

    @compiled.part
    def answer(rows: Any, vectors: Any, lag: Any, ledger: Any, classes: Any) -> int:
        best, best_score = 0, -np.inf
        scores(rows, 0, vectors, 0, classes, ledger)
        if averaged:
            # (reach·v - lag)·x, the lag's own products taken in a second reading.
            for k in range(classes):
                reach = ledger[k, REACH] + (ledger[k, SEEN] - ledger[k, MARK]) * ledger[k, SCALE]
                ledger[k, BIAS_BEFORE] = reach * ledger[k, SCORE]
            scores(rows, 0, lag, 0, classes, ledger)
        for k in range(classes):
            if averaged:
                bias = ledger[k, SEEN] * ledger[k, BIAS] - ledger[k, BIAS_LAG]
                s = ledger[k, BIAS_BEFORE] - ledger[k, SCORE] + bias
            else:
                s = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
            if not np.isfinite(s):
                return -1
            if s > best_score or (classes == 2 and s == best_score):  # equal scores of two classes: the second
                best, best_score = k, s
        if classes == 1:
            return 1 if best_score >= 0.0 else 0
        return best

    answer = compiled.adopt(answer, key)

    def average_of_row(x: Any, vectors: Any, lag: Any, ledger: Any, classes: Any) -> int:
        key  # noqa: B018
        if x.shape[0] != vectors.shape[1] or x.strides[0] != x.itemsize:
            return -1
        return answer((x.reshape(1, x.shape[0]),), vectors, lag, ledger, classes)

    def average_of_features(values: Any, slots: Any, vectors: Any, lag: Any, ledger: Any, classes: Any) -> int:
        key  # noqa: B018
        rows = (values, slots, (np.uint64(0), np.uint64(values.shape[0])))
        return answer(rows, vectors, lag, ledger, classes)

    def last_of_row(x: Any, vectors: Any, ledger: Any, classes: Any) -> int:
        key  # noqa: B018
        if x.shape[0] != vectors.shape[1] or x.strides[0] != x.itemsize:
            return -1
        return answer((x.reshape(1, x.shape[0]),), vectors, vectors, ledger, classes)

    def last_of_features(values: Any, slots: Any, vectors: Any, ledger: Any, classes: Any) -> int:
        key  # noqa: B018
        rows = (values, slots, (np.uint64(0), np.uint64(values.shape[0])))
        return answer(rows, vectors, vectors, ledger, classes)

    if layout_name == sparse.LAYOUT:
        return compiled.jit(average_of_features if averaged else last_of_features, alone=True)
    return compiled.jit(average_of_row if averaged else last_of_row, alone=True)


def readable(state: HalfSpaces, averaged: bool) -> tuple[Array, ...]:
    """The arrays that an answer is read from."""
    return state.arrays if averaged else (state.vectors, state.ledger)


_kernels: dict[str, Any] = {}


def _entry(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled function for arguments of exactly these types, without the dispatcher in front."""
    import numba

    signature = tuple(numba.typeof(argument) for argument in arguments)
    if signature not in dispatcher.overloads:
        dispatcher.compile(signature)
    return dispatcher.overloads[signature].entry_point


def entry_points(
    state: HalfSpaces, rule: Any, params: Array, weighted: int, positive: Array, coupled: bool, averaged: bool
) -> tuple[Callable[..., bool], Callable[..., int]]:
    """(learn, answer) for examples of the state's dtype and layout.

    learn(*row, code, c, positive, params, vectors, lag, ledger, intercept, shrink_intercept, count) is False, and
    teaches nothing, when a number was not finite or the row is not a contiguous one of the right length.
    answer(*row, *readable, classes) is a class code, or -1 in such a case; readable are
    (vectors, ledger), or (vectors, lag, ledger) for the averaged answer. A row is (x,), with
    one dimension, or (values, slots). The caller answers for the dtypes: nobody looks at them again.
    """
    what = rule, params.shape[1], weighted, state.layout, coupled
    key = f"one {loop_key(*what)}"
    if key not in _kernels:
        _kernels[key] = _learn(key, *what)
    learn = _kernels[key]
    answer = _answer(f"answer {compiled.engine_digest()} {state.layout} {averaged}", state.layout, averaged)
    numbers = np.empty(1, state.dtype)
    row: tuple[Array, ...] = (numbers,)
    if state.layout == sparse.LAYOUT:
        row = (numbers, np.empty(1, np.uint32))
    learned = (*row, 0, 1.0, positive, params, *state.arrays, 1.0, False, 1)
    with compiled.explained(rule, params.shape[1]):
        entered = _entry(learn, learned)
    return entered, _entry(answer, (*row, *readable(state, averaged), 1))
