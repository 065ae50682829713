"""One example at a time: the loop's own step, called without the loop.

numba's dispatcher inspects the type of every argument of every call, which takes longer than the step itself.
Here the types are settled once, when the arrays are made, and the compiled entry points are called directly.

An example is a row of numbers, or named features in a `Buffer`, n values followed by n codes. A code is a slot
(the index of a weight), ~slot where the value counts with the opposite sign (hashed names), or NOWHERE for a name
without a slot. Compiled code sorts the features by slot, adds values that share a slot and drops zeros: what is then
read is the very row that a CSR matrix would have.
"""

from __future__ import annotations

import functools
import struct
import threading
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
    NOWHERE,
    REACH,
    SCALE,
    SCORE,
    SEEN,
    Array,
    HalfSpaces,
)

REFUSED, LEARNED, NEW_NAMES = 0, 1, 2  # what `learn` returns


class Buffer(threading.local):
    """Where a thread puts the features of one dict for compiled code."""

    def __init__(self, capacity: int) -> None:
        self.numbers = np.zeros(2 * capacity)


class Packers(dict[int, Callable[..., None]]):
    """packers[n](numbers, 0, *values, *codes) puts n features into a buffer; a KeyError where it is too small."""

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity

    def __missing__(self, n: int) -> Callable[..., None]:
        if n > self.capacity:
            raise KeyError(n)
        self[n] = pack = struct.Struct(f"{2 * n}d").pack_into
        return pack


@compiled.part
def _sort(values: Any, slots: Any, n: Any) -> None:
    """Shell's sort by slot. Most dicts come in the order of their slots, and cost one comparison a feature."""
    gap = n // 2
    for i in range(1, n):
        if slots[i] < slots[i - 1]:
            break
    else:
        return
    while gap > 0:
        for i in range(gap, n):
            slot, value, j = slots[i], values[i], i
            while j >= gap and slots[j - gap] > slot:
                slots[j], values[j] = slots[j - gap], values[j - gap]
                j -= gap
            slots[j], values[j] = slot, value
        gap = 1 if gap == 2 else gap * 5 // 11


@compiled.part
def _read_features(n: Any, values: Any, slots: Any) -> Any:
    """Make n values and n codes a sparse row, in the same memory: the values at its beginning, then the slots.

    (size of the row, whether a name had no slot); (-1, False) for a value that is not finite.
    """
    found, unknown = 0, False
    for p in range(n):
        x, code = values[p], values[n + p]
        if not np.isfinite(x):
            return -1, False
        if code == NOWHERE:
            unknown = True
        elif x != 0.0:
            values[found] = x if code >= 0.0 else -x
            slots[found] = np.uint32(code if code >= 0.0 else -1.0 - code)
            found += 1
    _sort(values, slots, found)
    kept = 0
    for p in range(found):
        if kept > 0 and slots[kept - 1] == slots[p]:
            values[kept - 1] += values[p]
        else:
            values[kept], slots[kept] = values[p], slots[p]
            kept += 1
    return kept, unknown


@compiled.part
def _count_mistake(ledger: Any, code: Any, positive: Any, count: Any, coupled: Any) -> None:
    """Count a mistake: the scores are still those from before the update."""
    classes = count
    while not coupled and classes > 0 and positive[classes - 1] < 0:
        classes -= 1  # the shadow answers for no class
    wrong = False
    if classes == 1 and not coupled:
        wrong = ledger[0, SCORE] <= 0.0 if code == positive[0] else ledger[0, SCORE] >= 0.0
    else:
        for k in range(classes):
            wrong |= k != code and ledger[k, SCORE] >= ledger[code, SCORE]
    if wrong:
        ledger[0, MISTAKES] += 1.0


def _learn(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> Any:
    visit = make_visit(key, function, n_parameters, weighted, LAYOUTS[layout_name], coupled=coupled)

    def learn_row(
        positive: Any, params: Any, vectors: Any, lag: Any, ledger: Any, intercept: Any, shrink_intercept: Any,
        count: Any, x: Any, code: Any, c: Any,
    ) -> int:  # fmt: skip
        if x.shape[0] != vectors.shape[1] or x.strides[0] != x.itemsize:
            return REFUSED
        rows = (x.reshape(1, x.shape[0]),)
        state = (vectors, lag, ledger)
        if not visit(rows, 0, 0, 0, code, c, positive, params, state, intercept, shrink_intercept, 0, count, None):
            return REFUSED
        _count_mistake(ledger, code, positive, count, coupled)
        return LEARNED

    def learn_features(
        positive: Any, params: Any, vectors: Any, lag: Any, ledger: Any, intercept: Any, shrink_intercept: Any,
        count: Any, numbers: Any, code: Any, c: Any, n: Any,
    ) -> int:  # fmt: skip
        slots = numbers.view(np.uint32)[2 * n :]
        found, unknown = _read_features(n, numbers, slots)
        if found < 0:
            return REFUSED
        if unknown:
            return NEW_NAMES
        rows = (numbers, slots, (np.uint64(0), np.uint64(found)))
        state = (vectors, lag, ledger)
        if not visit(rows, 0, 0, 0, code, c, positive, params, state, intercept, shrink_intercept, 0, count, None):
            return REFUSED
        _count_mistake(ledger, code, positive, count, coupled)
        return LEARNED

    return compiled.jit(learn_features if layout_name == sparse.LAYOUT else learn_row, alone=True)


@functools.cache
def _answer(layout_name: str) -> Any:
    scores = LAYOUTS[layout_name].scores

    @compiled.part
    def answer(rows: Any, found: Any, vectors: Any, lag: Any, ledger: Any, classes: Any, averaged: Any) -> int:
        best, best_score = 0, -np.inf
        scores(rows, 0, vectors, 0, classes, ledger)
        for k in range(classes):
            reach = ledger[k, SCALE]
            if averaged:
                reach = ledger[k, REACH] + (ledger[k, SEEN] - ledger[k, MARK]) * ledger[k, SCALE]
            ledger[k, BIAS_BEFORE] = reach * ledger[k, SCORE]
        if averaged:  # (reach·v - lag)·x, the products with lag in a second reading
            scores(rows, 0, lag, 0, classes, ledger)
        for k in range(classes):
            s = ledger[k, BIAS_BEFORE] + ledger[k, BIAS]
            if averaged:
                bias = ledger[k, SEEN] * ledger[k, BIAS] - ledger[k, BIAS_LAG]
                s = (ledger[k, BIAS_BEFORE] - ledger[k, SCORE] + bias) / max(ledger[k, SEEN], 1.0)
            if not np.isfinite(s):
                return -1
            found[k] = s
            if s > best_score or (classes == 2 and s == best_score):  # equal scores of two classes: the second
                best, best_score = k, s
        if classes == 1:
            return 1 if best_score >= 0.0 else 0
        return best

    answer = compiled.adopt(answer, f"answer {layout_name}")

    def answer_row(
        vectors: Any, lag: Any, ledger: Any, classes: Any, averaged: Any, x: Any, found: Any
    ) -> int:  # fmt: skip
        if x.shape[0] != vectors.shape[1] or x.strides[0] != x.itemsize:
            return -1
        return answer((x.reshape(1, x.shape[0]),), found, vectors, lag, ledger, classes, averaged)

    def answer_features(
        vectors: Any, lag: Any, ledger: Any, classes: Any, averaged: Any, numbers: Any, found: Any, n: Any
    ) -> int:  # fmt: skip
        slots = numbers.view(np.uint32)[2 * n :]
        size, _ = _read_features(n, numbers, slots)
        if size < 0:
            return -1
        rows = (numbers, slots, (np.uint64(0), np.uint64(size)))
        return answer(rows, found, vectors, lag, ledger, classes, averaged)

    return compiled.jit(answer_features if layout_name == sparse.LAYOUT else answer_row, alone=True)


_kernels: dict[str, Any] = {}


def _entry(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled function for arguments of exactly these types, without the dispatcher in front."""
    import numba

    signature = tuple(numba.typeof(argument) for argument in arguments)
    if signature not in dispatcher.overloads:
        dispatcher.compile(signature)
    return dispatcher.overloads[signature].entry_point


def entry_points(
    state: HalfSpaces, rule: Any, params: Array, weighted: int, positive: Array, *, coupled: bool, intercept: bool,
    shrink_intercept: bool, classes: int, averaged: bool,
) -> tuple[Callable[..., int], Callable[..., int]]:  # fmt: skip
    """(learn, answer) for examples of the state's dtype and layout.

    learn(x, code, c) is LEARNED, or changes nothing and is NEW_NAMES for a name without a slot, and REFUSED where a
    number is not finite or a row is not a contiguous one of the right length. answer(x, scores) fills in the scores and
    is a class code, or -1 where `learn` would refuse. x is a row; for sparse rows, the numbers in a buffer, which are
    changed, and both take how many features there are as a last argument. No other thread runs meanwhile. The caller
    guarantees the dtypes: nothing checks them again.
    """
    what = rule, params.shape[1], weighted, state.layout, coupled
    key = f"one {loop_key(*what)}"
    if key not in _kernels:
        _kernels[key] = _learn(key, *what)
    learn, answer = _kernels[key], _answer(state.layout)
    learned = positive, params, *state.arrays, float(intercept), bool(shrink_intercept), state.count
    answered = *state.arrays, classes, averaged
    x, size = np.empty(1, state.dtype), (1,) if state.layout == sparse.LAYOUT else ()
    with compiled.explained(rule, params.shape[1]):
        entered = _entry(learn, (*learned, x, 0, 1.0, *size))
    asked = _entry(answer, (*answered, x, np.empty(1), *size))
    return functools.partial(entered, *learned), functools.partial(asked, *answered)
