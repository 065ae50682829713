"""Many half-spaces that meet the same rows in the same order, as the settings of a grid do.

The half-spaces are lanes: the weights of one feature stand side by side, (d, lanes), so that a number of a row meets
all of them at once, and a zero none. Lane c·S + s is class c of setting s: settings of one class mostly step at the
same rows, and a vector of lanes without a step costs nothing.

The bits are those of a separate fit. There a dot product is a number of chains, each of which adds its
own features in order, and a tree over the chains (`dense`, `sparse`); here the same chains and the same tree are walked
for all lanes. A zero that is left out changes no sum. Only the ordinary case is handled: a lane whose numbers come near
the end of the range of floats is marked as overflowed, and its setting needs a separate fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import AHEAD
from rosenblatt.engine.compile.simd import accumulate, fused, load, per_vector, repeat, store, store_sums, zeros
from rosenblatt.engine.compile.simd import add as add_vectors
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.loop import SMALLEST_SCALE, make_step
from rosenblatt.engine.online.state import SAFE, VECTOR_BYTES, Array, aligned_zeros

U = np.uint64
ZERO, ONE = U(0), U(1)
TOGETHER = 8  # vectors of lanes whose sums are in registers at the same time
# The rows of the ledger: what is known of a lane besides its weights. The names are those of `state`.
BIAS, BIAS_LAG, SCALE, REACH, MARK, BOUND, LAG_BOUND, UPDATES, OVERFLOWED, SCORE, STEP, SHRINK, CHANGE, LAGGED = range(
    14
)
LEDGER_ROWS = 14


def lanes_for(count: int, dtype: np.dtype[Any]) -> int:
    """So many lanes are whole vectors."""
    lanes = VECTOR_BYTES // dtype.itemsize
    return -(-count // lanes) * lanes


def new_ledger(width: int) -> Array:
    ledger = aligned_zeros((LEDGER_ROWS, width), np.float64)
    ledger[SCALE] = 1.0
    return ledger


def new_workspace(layout: str, longest: int, width: int, dtype: np.dtype[Any]) -> tuple[Array, ...]:
    """Where a row is laid out: places and values of its numbers, where chains start, sums, and what steps."""
    lanes = VECTOR_BYTES // dtype.itemsize
    chains = LAYOUTS[layout].chain_count(dtype)
    return (
        np.zeros(longest + 1, np.uint64),
        np.zeros(longest + 1, dtype),
        np.zeros(chains + 2, np.uint64),
        aligned_zeros((max(1, chains // 2) * TOGETHER * lanes,), dtype),
        aligned_zeros((2 * width,), dtype),
        np.zeros(width // lanes, np.uint64),
    )


def _sums_of(count: int) -> Any:
    """The dot products of a row with the lanes of `count` vectors from `first` on, into the ledger."""

    @part
    def sums_of(vectors: Any, first: Any, workspace: Any, ledger: Any) -> None:
        places, values, starts, sums = workspace[0], workspace[1], workspace[2], workspace[3]
        lanes = per_vector(vectors)
        width = U(count) * lanes
        chains = U(len(starts) - 2)
        half = chains >> ONE
        for chain in range(half):
            a, b = zeros(vectors, count), zeros(vectors, count)
            for p in range(starts[chain], starts[chain + ONE]):
                a = accumulate(a, repeat(values[p], vectors), vectors, places[p] + first, lanes)
            for p in range(starts[chain + half], starts[chain + half + ONE]):
                b = accumulate(b, repeat(values[p], vectors), vectors, places[p] + first, lanes)
            store_sums(a, b, sums, chain * width, lanes)
        half >>= ONE
        while half > ZERO:
            for here in range(ZERO, half * width, lanes):
                pair = add_vectors(load(sums, here, vectors), load(sums, here + half * width, vectors))
                store(sums, here, pair)
            half >>= ONE
        for p in range(starts[chains], starts[chains + ONE]):
            x = repeat(values[p], vectors)
            for here in range(ZERO, width, lanes):
                w = load(vectors, places[p] + first + here, vectors)
                store(sums, here, fused(load(sums, here, vectors), x, w))
        for k in range(width):
            ledger[SCORE, first + k] = np.float64(sums[k])

    return sums_of


sums_1, sums_2, sums_4, sums_8 = (_sums_of(count) for count in (1, 2, 4, TOGETHER))


@part
def _sums(vectors: Any, workspace: Any, ledger: Any) -> None:
    lanes = per_vector(vectors)
    width = U(vectors.shape[1])
    k = ZERO
    while width - k >= U(8) * lanes:
        sums_8(vectors, k, workspace, ledger)
        k += U(8) * lanes
    if width - k >= U(4) * lanes:
        sums_4(vectors, k, workspace, ledger)
        k += U(4) * lanes
    if width - k >= U(2) * lanes:
        sums_2(vectors, k, workspace, ledger)
        k += U(2) * lanes
    if width - k >= lanes:
        sums_1(vectors, k, workspace, ledger)


@part
def _fold(vectors: Any, lag: Any, ledger: Any, k: Any) -> None:
    """Carry the scale into v, and what the reach stands for into lag, as the layouts do."""
    scale, reach = ledger[SCALE, k], ledger[REACH, k]
    ledger[LAG_BOUND, k] += abs(reach) * ledger[BOUND, k]
    for j in range(U(vectors.shape[0])):
        if lag.shape[0] > 0:
            lag[j, k] -= reach * np.float64(vectors[j, k])
        vectors[j, k] = vectors.dtype.type(scale * np.float64(vectors[j, k]))
    ledger[SCALE, k] = 1.0
    ledger[REACH, k] = 0.0


@part
def _shrink(vectors: Any, lag: Any, ledger: Any, used: Any, before: Any, shrink_intercept: Any) -> None:
    """w <- shrink·w, by the scale."""
    for k in range(used):
        shrink = ledger[SHRINK, k]
        if shrink != 1.0:
            ledger[REACH, k] = ledger[REACH, k] + (before - ledger[MARK, k]) * ledger[SCALE, k]
            ledger[MARK, k] = before
            ledger[SCALE, k] *= shrink
            if shrink_intercept:
                change = ledger[BIAS, k] * (shrink - 1.0)
                ledger[BIAS, k] += change
                ledger[BIAS_LAG, k] += before * change
            if abs(ledger[SCALE, k]) < SMALLEST_SCALE:
                _fold(vectors, lag, ledger, k)


@part
def _move(ledger: Any, used: Any, before: Any, intercept: Any, most: Any, averages: Any) -> None:
    """Note down w <- w + step·x for every lane; a step of 0 changes nothing."""
    for k in range(used):
        step = ledger[STEP, k]
        change = intercept * step
        ledger[BIAS, k] += change
        ledger[BIAS_LAG, k] += before * change
        ledger[UPDATES, k] += 1.0 if step != 0.0 else 0.0
    for k in range(used):
        change = ledger[STEP, k] / ledger[SCALE, k]
        ledger[CHANGE, k] = change
        ledger[BOUND, k] += abs(change) * most
    if averages:
        for k in range(used):
            lagged = ledger[CHANGE, k] * (ledger[REACH, k] + (before - ledger[MARK, k]) * ledger[SCALE, k])
            ledger[LAGGED, k] = lagged
            ledger[LAG_BOUND, k] += abs(lagged) * most


@part
def _mark_overflow(ledger: Any, used: Any) -> None:
    """Mark the lanes whose numbers are no longer sure to be finite, and change them no more."""
    largest = 0.0
    for k in range(used):
        numbers = abs(ledger[SCORE, k]) + abs(ledger[BIAS, k]) + abs(ledger[SHRINK, k])
        numbers += ledger[BOUND, k] + ledger[LAG_BOUND, k]
        largest = largest if numbers <= largest else numbers  # a NaN stays
    if largest < SAFE:
        return
    for k in range(used):
        numbers = abs(ledger[SCORE, k]) + abs(ledger[BIAS, k]) + abs(ledger[SHRINK, k])
        numbers += ledger[BOUND, k] + ledger[LAG_BOUND, k]
        if not numbers < SAFE:
            ledger[OVERFLOWED, k] = 1.0
            ledger[CHANGE, k] = 0.0
            ledger[LAGGED, k] = 0.0


@part
def _count_mistakes(ledger: Any, code: Any, used: Any, settings: Any, vectors: Any, mistakes: Any) -> None:
    """A mistake is a margin of at most 0, or a true class that is not strictly the best."""
    if used == settings:
        for s in range(settings):
            score = vectors.dtype.type(ledger[SCORE, s])
            mistakes[s] += (score <= 0) if code == 1 else (score >= 0)
    else:
        for s in range(settings):
            true = vectors.dtype.type(ledger[SCORE, code * settings + s])
            at_least = 0
            for k in range(s, used, settings):
                at_least += vectors.dtype.type(ledger[SCORE, k]) >= true
            mistakes[s] += at_least > 1


@part
def _add(vectors: Any, lag: Any, workspace: Any, ledger: Any) -> None:
    """v += CHANGE·x and lag += LAGGED·x, for the vectors of lanes in which anything changes."""
    places, values, starts, changes, active = workspace[0], workspace[1], workspace[2], workspace[4], workspace[5]
    lanes = per_vector(vectors)
    width = U(vectors.shape[1])
    averages = lag.shape[0] > 0
    found = ZERO
    for first in range(ZERO, width, lanes):
        stepping = False
        for k in range(first, first + lanes):
            stepping |= ledger[CHANGE, k] != 0.0
        if stepping:
            active[found] = first
            here = found * lanes
            for k in range(lanes):
                changes[here + k] = vectors.dtype.type(ledger[CHANGE, first + k])
            if averages:
                for k in range(lanes):
                    changes[width + here + k] = vectors.dtype.type(ledger[LAGGED, first + k])
            found += ONE
    if found == ZERO:
        return
    for p in range(starts[0], starts[len(starts) - 1]):
        x = repeat(values[p], vectors)
        for n in range(found):
            here = places[p] + active[n]
            change = load(changes, n * lanes, vectors)
            store(vectors, here, fused(load(vectors, here, vectors), x, change))
            if averages:
                lagged = load(changes, width + n * lanes, vectors)
                store(lag, here, fused(load(lag, here, vectors), x, lagged))


def _compile(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    step_of = compiled.adopt(make_step(function, n_parameters, weighted), f"step {key}")
    reads_sqnorm = compiled.reads_argument(function, 1)
    spread, squared_norm, size = layout.spread, layout.squared_norm, layout.row_max
    fetch, approach = layout.fetch, layout.approach_lanes

    def visit(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, settings: Any,
        state: Any, seen: Any, workspace: Any, mistakes: Any, intercept: Any, shrink_intercept: Any,
    ) -> None:  # fmt: skip
        """Visit the rows in `order`; the first of them is example number seen + 1 of every lane."""
        vectors, lag, ledger = state
        n, used, width = len(order), len(positive), U(vectors.shape[1])
        for r in range(n):
            i = np.int64(order[r])
            if r + AHEAD < n:
                fetch(rows, np.int64(order[r + AHEAD]))
            if r + 1 < n:
                approach(rows, np.int64(order[r + 1]), vectors)
            spread(rows, i, width, vectors, workspace[0], workspace[1], workspace[2])
            _sums(vectors, workspace, ledger)
            sqnorm = 0.0
            if reads_sqnorm:
                sqnorm = squared_norm(rows, i, ledger) + intercept
            c = 1.0
            if sample_weight.shape[0] > 0:
                c = sample_weight[i]
            code, t = codes[i], seen + r + 1
            shrinking = 0
            for k in range(used):
                s = ledger[SCALE, k] * ledger[SCORE, k] + ledger[BIAS, k]
                ledger[SCORE, k] = s
                y = 1.0 if code == positive[k] else -1.0
                step, shrink = step_of(y * s, sqnorm, t, params, k, c)
                ledger[STEP, k] = step * y
                ledger[SHRINK, k] = shrink
                shrinking += shrink != 1.0
            before = np.float64(t) - 1.0
            if shrinking > 0:
                _shrink(vectors, lag, ledger, used, before, shrink_intercept)
            _move(ledger, used, before, intercept, size(rows, i, vectors), lag.shape[0] > 0)
            _mark_overflow(ledger, used)
            _count_mistakes(ledger, code, used, settings, vectors, mistakes)
            _add(vectors, lag, workspace, ledger)

    return compiled.jit(visit)


_kernels: dict[str, Any] = {}


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    """The compiled loop for a rule and a layout; the same object for rules that do the same."""
    key = f"{compiled.fingerprint(function)} {n_parameters} {weighted} {layout_name} grid"
    if key not in _kernels:
        _kernels[key] = _compile(key, function, n_parameters, weighted, layout_name)
    return _kernels[key]
