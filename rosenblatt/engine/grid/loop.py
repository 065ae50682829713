"""Many half-spaces that meet the same rows in the same order, as the settings of a grid do.

The half-spaces are lanes: the weights of one feature stand side by side, (d, lanes), so that a number of a row meets
all of them at once, and a zero none. Lane c·S + s is class c of setting s: settings of one class mostly step at the
same rows, and a vector of lanes in which nobody steps costs nothing.

The bits are those of a half-space that learns alone. There a dot product is a number of chains, each of which adds its
own features in order, and a tree over the chains (`dense`, `sparse`); here the same chains and the same tree are walked
for all lanes. A zero that is left out changes no sum. Only the ordinary case is handled: a lane whose numbers come near
the end of the range of floats is spoilt, and its setting has to learn alone.
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
# The rows of the book: what is known of a lane besides its weights. The names are those of `state`.
BIAS, BIAS_LAG, SCALE, REACH, MARK, BOUND, LAG_BOUND, UPDATES, SPOILT, SCORE, STEP, SHRINK, CHANGE, LAGGED = range(14)
BOOK_ROWS = 14


def lanes_for(count: int, dtype: np.dtype[Any]) -> int:
    """So many lanes are whole vectors."""
    lanes = VECTOR_BYTES // dtype.itemsize
    return -(-count // lanes) * lanes


def new_book(width: int) -> Array:
    book = aligned_zeros((BOOK_ROWS, width), np.float64)
    book[SCALE] = 1.0
    return book


def new_desk(layout: str, longest: int, width: int, dtype: np.dtype[Any]) -> tuple[Array, ...]:
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
    """The dot products of a row with the lanes of `count` vectors from `first` on, into the book."""

    @part
    def sums_of(vectors: Any, first: Any, desk: Any, book: Any) -> None:
        places, values, starts, sums = desk[0], desk[1], desk[2], desk[3]
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
            book[SCORE, first + k] = np.float64(sums[k])

    return sums_of


sums_1, sums_2, sums_4, sums_8 = (_sums_of(count) for count in (1, 2, 4, TOGETHER))


@part
def _sums(vectors: Any, desk: Any, book: Any) -> None:
    lanes = per_vector(vectors)
    width = U(vectors.shape[1])
    k = ZERO
    while width - k >= U(8) * lanes:
        sums_8(vectors, k, desk, book)
        k += U(8) * lanes
    if width - k >= U(4) * lanes:
        sums_4(vectors, k, desk, book)
        k += U(4) * lanes
    if width - k >= U(2) * lanes:
        sums_2(vectors, k, desk, book)
        k += U(2) * lanes
    if width - k >= lanes:
        sums_1(vectors, k, desk, book)


@part
def _fold(vectors: Any, lag: Any, book: Any, k: Any) -> None:
    """Carry the scale into v, and what the reach stands for into lag, as the layouts do."""
    scale, reach = book[SCALE, k], book[REACH, k]
    book[LAG_BOUND, k] += abs(reach) * book[BOUND, k]
    for j in range(U(vectors.shape[0])):
        if lag.shape[0] > 0:
            lag[j, k] -= reach * np.float64(vectors[j, k])
        vectors[j, k] = vectors.dtype.type(scale * np.float64(vectors[j, k]))
    book[SCALE, k] = 1.0
    book[REACH, k] = 0.0


@part
def _shrink(vectors: Any, lag: Any, book: Any, used: Any, before: Any, shrink_intercept: Any) -> None:
    """w <- shrink·w, by the scale alone."""
    for k in range(used):
        shrink = book[SHRINK, k]
        if shrink != 1.0:
            book[REACH, k] = book[REACH, k] + (before - book[MARK, k]) * book[SCALE, k]
            book[MARK, k] = before
            book[SCALE, k] *= shrink
            if shrink_intercept:
                change = book[BIAS, k] * (shrink - 1.0)
                book[BIAS, k] += change
                book[BIAS_LAG, k] += before * change
            if abs(book[SCALE, k]) < SMALLEST_SCALE:
                _fold(vectors, lag, book, k)


@part
def _move(book: Any, used: Any, before: Any, intercept: Any, most: Any, averages: Any) -> None:
    """Note down w <- w + step·x for every lane; a step of 0 changes nothing."""
    for k in range(used):
        step = book[STEP, k]
        change = intercept * step
        book[BIAS, k] += change
        book[BIAS_LAG, k] += before * change
        book[UPDATES, k] += 1.0 if step != 0.0 else 0.0
    for k in range(used):
        change = book[STEP, k] / book[SCALE, k]
        book[CHANGE, k] = change
        book[BOUND, k] += abs(change) * most
    if averages:
        for k in range(used):
            lagged = book[CHANGE, k] * (book[REACH, k] + (before - book[MARK, k]) * book[SCALE, k])
            book[LAGGED, k] = lagged
            book[LAG_BOUND, k] += abs(lagged) * most


@part
def _spoil(book: Any, used: Any) -> None:
    """Mark the lanes whose numbers are no longer sure to be finite, and let them be."""
    largest = 0.0
    for k in range(used):
        numbers = abs(book[SCORE, k]) + abs(book[BIAS, k]) + abs(book[SHRINK, k])
        numbers += book[BOUND, k] + book[LAG_BOUND, k]
        largest = largest if numbers <= largest else numbers  # a NaN stays
    if largest < SAFE:
        return
    for k in range(used):
        numbers = abs(book[SCORE, k]) + abs(book[BIAS, k]) + abs(book[SHRINK, k])
        numbers += book[BOUND, k] + book[LAG_BOUND, k]
        if not numbers < SAFE:
            book[SPOILT, k] = 1.0
            book[CHANGE, k] = 0.0
            book[LAGGED, k] = 0.0


@part
def _count_mistakes(book: Any, code: Any, used: Any, settings: Any, vectors: Any, mistakes: Any) -> None:
    """A mistake is a margin of at most 0, or a true class that is not strictly the best."""
    if used == settings:
        for s in range(settings):
            score = vectors.dtype.type(book[SCORE, s])
            mistakes[s] += (score <= 0) if code == 1 else (score >= 0)
    else:
        for s in range(settings):
            true = vectors.dtype.type(book[SCORE, code * settings + s])
            at_least = 0
            for k in range(s, used, settings):
                at_least += vectors.dtype.type(book[SCORE, k]) >= true
            mistakes[s] += at_least > 1


@part
def _add(vectors: Any, lag: Any, desk: Any, book: Any) -> None:
    """v += CHANGE·x and lag += LAGGED·x, for the vectors of lanes in which anything changes."""
    places, values, starts, changes, active = desk[0], desk[1], desk[2], desk[4], desk[5]
    lanes = per_vector(vectors)
    width = U(vectors.shape[1])
    averages = lag.shape[0] > 0
    found = ZERO
    for first in range(ZERO, width, lanes):
        stepping = False
        for k in range(first, first + lanes):
            stepping |= book[CHANGE, k] != 0.0
        if stepping:
            active[found] = first
            here = found * lanes
            for k in range(lanes):
                changes[here + k] = vectors.dtype.type(book[CHANGE, first + k])
            if averages:
                for k in range(lanes):
                    changes[width + here + k] = vectors.dtype.type(book[LAGGED, first + k])
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
        state: Any, seen: Any, desk: Any, mistakes: Any, intercept: Any, shrink_intercept: Any,
    ) -> None:  # fmt: skip
        """Visit the rows in `order`; the first of them is example number seen + 1 of every lane."""
        key  # noqa: B018  part of the key under which the machine code is kept
        vectors, lag, book = state
        n, used, width = len(order), len(positive), U(vectors.shape[1])
        for r in range(n):
            i = np.int64(order[r])
            if r + AHEAD < n:
                fetch(rows, np.int64(order[r + AHEAD]))
            if r + 1 < n:
                approach(rows, np.int64(order[r + 1]), vectors)
            spread(rows, i, width, vectors, desk[0], desk[1], desk[2])
            _sums(vectors, desk, book)
            sqnorm = 0.0
            if reads_sqnorm:
                sqnorm = squared_norm(rows, i, book) + intercept
            c = 1.0
            if sample_weight.shape[0] > 0:
                c = sample_weight[i]
            code, t = codes[i], seen + r + 1
            shrinking = 0
            for k in range(used):
                s = book[SCALE, k] * book[SCORE, k] + book[BIAS, k]
                book[SCORE, k] = s
                y = 1.0 if code == positive[k] else -1.0
                step, shrink = step_of(y * s, sqnorm, t, params, k, c)
                book[STEP, k] = step * y
                book[SHRINK, k] = shrink
                shrinking += shrink != 1.0
            before = np.float64(t) - 1.0
            if shrinking > 0:
                _shrink(vectors, lag, book, used, before, shrink_intercept)
            _move(book, used, before, intercept, size(rows, i, vectors), lag.shape[0] > 0)
            _spoil(book, used)
            _count_mistakes(book, code, used, settings, vectors, mistakes)
            _add(vectors, lag, desk, book)

    return compiled.jit(visit)


_kernels: dict[str, Any] = {}


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    """The compiled loop for a rule and a layout; the same object for rules that do the same."""
    parts = (compiled.engine_digest(), compiled.fingerprint(function), n_parameters, weighted, layout_name, "tile")
    key = " ".join(map(str, parts))
    if key not in _kernels:
        _kernels[key] = _compile(key, function, n_parameters, weighted, layout_name)
    return _kernels[key]
