"""The loops over rows: half-spaces that learn one against the rest, and classes that learn together.

A loop combines a rule (what one row changes) with a layout (how a row is read), and contains neither. The arrays and
the columns of the ledger are those of `state`. A single half-space has a shorter loop, `binary_loop`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.numba_private import to_fixed_tuple, tuple_setitem
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.layouts.table import LAYOUTS, Layout
from rosenblatt.engine.online.state import (
    BIAS,
    BIAS_BEFORE,
    BIAS_LAG,
    BOUND,
    CHANGE,
    LAGGED,
    MARK,
    REACH,
    SAFE,
    SCALE,
    SCORE,
    SEEN,
    UPDATES,
)

SMALLEST_SCALE = 1e-6  # below it the scale is multiplied into the vector


def make_step(function: Any, n_parameters: int, weighted: int) -> Any:
    """(step, shrink) of half-space k, with the sample weight c where the rule takes it."""
    rule = compiled.named_copy(function)

    if n_parameters == 0:

        @part
        def step_of(m: Any, sqnorm: Any, t: Any, params: Any, k: Any, c: Any) -> Any:
            step, shrink = rule(m, sqnorm, t, ())
            return c * step, shrink

    elif weighted < 0:

        @part
        def step_of(m: Any, sqnorm: Any, t: Any, params: Any, k: Any, c: Any) -> Any:
            step, shrink = rule(m, sqnorm, t, to_fixed_tuple(params[k], n_parameters))
            return c * step, shrink

    else:

        @part
        def step_of(m: Any, sqnorm: Any, t: Any, params: Any, k: Any, c: Any) -> Any:
            values = to_fixed_tuple(params[k], n_parameters)
            return rule(m, sqnorm, t, tuple_setitem(values, weighted, values[weighted] * c))

    return step_of


@part
def _reach(ledger: Any, k: Any) -> float:
    """The sum of the scales after every example before the one that is being seen."""
    return ledger[k, REACH] + (ledger[k, SEEN] - 1.0 - ledger[k, MARK]) * ledger[k, SCALE]


@part
def _shrink(ledger: Any, k: Any, shrink: Any, shrink_intercept: Any) -> None:
    """w <- shrink·w, by the scale alone."""
    ledger[k, REACH] = _reach(ledger, k)
    ledger[k, MARK] = ledger[k, SEEN] - 1.0
    ledger[k, SCALE] *= shrink
    if shrink_intercept:
        _move_bias(ledger, k, ledger[k, BIAS] * (shrink - 1.0))


@part
def _may_grow(ledger: Any, k: Any, shrink: Any, shrink_intercept: Any) -> bool:
    """Whether bounds show that weights and bias stay finite if they are multiplied by a number beyond 1."""
    weights = abs(shrink * ledger[k, SCALE]) * max(1.0, ledger[k, BOUND])
    bias = abs(shrink * ledger[k, BIAS]) if shrink_intercept else 0.0
    return max(weights, bias) < SAFE


@part
def _move_bias(ledger: Any, k: Any, change: Any) -> None:
    ledger[k, BIAS] += change
    ledger[k, BIAS_LAG] += (ledger[k, SEEN] - 1.0) * change


@part
def _move(ledger: Any, k: Any, step: Any, intercept: Any) -> None:
    """Note w <- w + step·x, which `Layout.add` carries out for all half-spaces at once."""
    ledger[k, BIAS_BEFORE] = ledger[k, BIAS]
    _move_bias(ledger, k, intercept * step)
    ledger[k, UPDATES] += 1.0
    ledger[k, CHANGE] = step / ledger[k, SCALE]
    ledger[k, LAGGED] = ledger[k, CHANGE] * _reach(ledger, k)


@part
def rollback(ledger: Any, first: Any, last: Any) -> bool:
    """Roll back this row's pending updates. Returns False."""
    for k in range(first, last):
        if ledger[k, CHANGE] != 0.0:
            ledger[k, BIAS_LAG] -= (ledger[k, SEEN] - 1.0) * (ledger[k, BIAS] - ledger[k, BIAS_BEFORE])
            ledger[k, BIAS] = ledger[k, BIAS_BEFORE]
            ledger[k, UPDATES] -= 1.0
        ledger[k, CHANGE] = 0.0
        ledger[k, LAGGED] = 0.0
    return False


@part
def _record(log: Any, ledger: Any, k: Any, i: Any, step: Any, shrink: Any) -> None:
    if log is not None:
        rows, numbers, sizes = log
        if rows.shape[1] > 0:
            n = sizes[k]
            rows[k, n] = i
            numbers[k, n, 0], numbers[k, n, 1], numbers[k, n, 2] = step, shrink, ledger[k, SEEN]
            sizes[k] = n + 1


def make_note(layout: Layout) -> Any:
    """Note the update of half-space k from row i, a signed step and a shrink, for `Layout.add` to carry out.

    False, with nothing changed, if a number would not be finite.
    """
    fold = layout.fold

    @part
    def note(
        ledger: Any, k: Any, i: Any, step: Any, shrink: Any, vectors: Any, lag: Any, intercept: Any,
        shrink_intercept: Any, log: Any,
    ) -> bool:  # fmt: skip
        if not np.isfinite(step * shrink):
            return False
        if shrink != 1.0:
            if abs(shrink) > 1.0 and not _may_grow(ledger, k, shrink, shrink_intercept):
                return False
            _shrink(ledger, k, shrink, shrink_intercept)
            if abs(ledger[k, SCALE]) < SMALLEST_SCALE:
                fold(vectors, lag, k, ledger)
        if step != 0.0:
            if not np.isfinite(vectors.dtype.type(ledger[k, BIAS] + intercept * step)):
                return False
            _move(ledger, k, step, intercept)
        if step != 0.0 or shrink != 1.0:
            _record(log, ledger, k, i, step, shrink)
        return True

    return note


def make_learn(key: str, function: Any, n_parameters: int, weighted: int, layout: Layout) -> Any:
    """Update the half-spaces first <= k < last from row i, whose scores are known. False if a number is not finite."""
    step_of = make_step(function, n_parameters, weighted)
    reads_sqnorm = compiled.reads_argument(function, 1)
    squared_norm, add, note = layout.squared_norm, layout.add, make_note(layout)

    @part
    def learn(
        rows: Any, i: Any, code: Any, c: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, log: Any,
    ) -> bool:  # fmt: skip
        vectors, lag, ledger = state
        sqnorm = 0.0
        if reads_sqnorm:
            sqnorm = squared_norm(rows, i, ledger) + intercept
        updated, finite = False, True
        for k in range(first, last):
            ledger[k, SCORE] = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
            finite &= np.isfinite(ledger[k, SCORE])
        if not finite:
            return False  # before any half-space has seen the row
        for k in range(first, last):
            y = 1.0 if code == positive[k] else -1.0
            ledger[k, SEEN] += 1.0
            step, shrink = step_of(y * ledger[k, SCORE], sqnorm, np.int64(ledger[k, SEEN]), params, k, c)
            if not note(ledger, k, i, step * y, shrink, vectors, lag, intercept, shrink_intercept, log):
                return rollback(ledger, first, last)
            updated |= step != 0.0
        if not updated:
            return True
        return add(rows, i, vectors, lag, first, last, ledger) or rollback(ledger, first, last)

    return compiled.adopt(learn, f"{key} learn")


def make_learn_coupled(key: str, function: Any, n_parameters: int, weighted: int, layout: Layout) -> Any:
    """Update all classes together from row i, whose scores are known: the true class and the best other one.

    The margin is (score of the true class) - (best other score); seen as one long vector, the row that is
    added has twice the squared norm. `positive[k] == k`: half-space k is class k.
    """
    step_of = make_step(function, n_parameters, weighted)
    reads_sqnorm = compiled.reads_argument(function, 1)
    squared_norm, add, note = layout.squared_norm, layout.add, make_note(layout)

    @part
    def learn(
        rows: Any, i: Any, code: Any, c: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, log: Any,
    ) -> bool:  # fmt: skip
        vectors, lag, ledger = state
        rival = -1
        for k in range(first, last):
            ledger[k, SCORE] = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
            if not np.isfinite(ledger[k, SCORE]):
                return False
            if k != code and (rival < 0 or ledger[k, SCORE] > ledger[rival, SCORE]):
                rival = k
        if rival < 0:  # a single class so far has nothing to move apart from
            return True
        sqnorm = 0.0
        if reads_sqnorm:
            sqnorm = 2.0 * (squared_norm(rows, i, ledger) + intercept)
        m = ledger[code, SCORE] - ledger[rival, SCORE]
        t = np.int64(ledger[first, SEEN]) + 1
        step, shrink = step_of(m, sqnorm, t, params, code, c)
        if not np.isfinite(step * shrink):
            return False
        for k in range(first, last):
            ledger[k, SEEN] += 1.0
            side = 0.0
            if k == code:
                side = 1.0
            elif k == rival:
                side = -1.0
            if not note(ledger, k, i, step * side, shrink, vectors, lag, intercept, shrink_intercept, log):
                return rollback(ledger, first, last)
        if step == 0.0:
            return True
        if not add(rows, i, vectors, lag, first, last, ledger):
            return rollback(ledger, first, last)
        ledger[rival, UPDATES] -= 1.0  # one update moves two vectors; the true class counts it
        return True

    return compiled.adopt(learn, f"{key} learn")


def make_visit(
    key: str, function: Any, n_parameters: int, weighted: int, layout: Layout, *, coupled: bool = False
) -> Any:
    """Score row i and update the half-spaces first <= k < last. False if a number is not finite."""
    learn = (make_learn_coupled if coupled else make_learn)(key, function, n_parameters, weighted, layout)
    scores = layout.scores_and_fetch

    @part
    def visit(
        rows: Any, i: Any, near: Any, coming: Any, code: Any, c: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, log: Any,
    ) -> bool:  # fmt: skip
        scores(rows, i, near, coming, state[0], first, last, state[2])
        return learn(
            rows, i, code, c, positive, params, state, intercept, shrink_intercept, first, last, log
        )  # fmt: skip

    return compiled.adopt(visit, key)


def _compile(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> Any:
    layout = LAYOUTS[layout_name]
    visit = make_visit(key, function, n_parameters, weighted, layout, coupled=coupled)
    approach, ahead = layout.approach, layout.ahead

    def visit_rows(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, scores: Any, log: Any,
    ) -> int:  # fmt: skip
        """Visit the rows in `order`; returns how many were visited before a number was not finite."""
        n = order.shape[0]
        soon = ahead(rows)
        ledger = state[2]
        for r in range(n):
            i, following = np.int64(order[r]), np.int64(order[min(r + 1, n - 1)])
            near = np.int64(order[min(r + 2, n - 1)])
            coming = following  # in file order the processor prefetches by itself
            if following != i + 1:
                coming = np.int64(order[min(r + soon, n - 1)])
                prefetch(codes, np.uint64(coming))
            approach(rows, following, state[0], first, last)
            c = sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
            if not visit(
                rows, i, near, coming, codes[i], c, positive, params, state,
                intercept, shrink_intercept, first, last, log,
            ):  # fmt: skip
                return r
            for k in range(first, last):
                scores[k, r] = ledger[k, SCORE]
        return n

    return compiled.jit(visit_rows)


def loop_key(function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> str:
    """Everything that a compiled loop depends on."""
    return f"{compiled.fingerprint(function)} {n_parameters} {weighted} {layout_name} {coupled}"


_loops: dict[str, Any] = {}


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> Any:
    """The compiled loop for a rule and a layout; the same object for rules that do the same."""
    key = loop_key(function, n_parameters, weighted, layout_name, coupled)
    if key not in _loops:
        _loops[key] = _compile(key, function, n_parameters, weighted, layout_name, coupled)
    return _loops[key]
