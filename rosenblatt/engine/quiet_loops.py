"""The compiled loops of `quiet`: visits that leave quiet rows out, and the proof that they were quiet."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.gather import load_first, pick, pick_first
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.compile.simd import fused, lane, load, total, zero_lanes
from rosenblatt.engine.layouts.csr import fetch_most, score_alone, squared_norm
from rosenblatt.engine.layouts.csr_blocks import FOUR, ONE, U
from rosenblatt.engine.lessons import LESSONS, exchange, make_keep
from rosenblatt.engine.online.loop import LAYOUTS, kernel_key, let_go, make_add, make_note, make_step
from rosenblatt.engine.online.state import BIAS, SCALE, SCORE, SEEN

SOON, LATER = 32, 64  # visits ahead of which a row is fetched if it will be made, and what is known of a row
LOWEST, HIGHEST = range(2)  # the bias in a window
# Of a window: visits made, mistakes met, the run of right answers that goes on, the longest one that a mistake ended,
# after how many lessons that was (-1: before the window), and whether a row was refused.
VISITS, MISTAKES, RUN, LONGEST, RECORD, REFUSED = range(6)


def _compile_visit(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    step_of = compiled.adopt(make_step(function, n_parameters, weighted), f"{key} step")
    note, add = compiled.adopt(make_note(layout), f"{key} note"), compiled.adopt(make_add(layout), f"{key} add")
    keep = compiled.adopt(make_keep(layout), f"{key} keep")
    reads_sqnorm = compiled.reads_argument(function, 1)

    def visit(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, margins: Any, reach: Any, lessons: Any, counts: Any, biases: Any,
    ) -> None:  # fmt: skip
        """Visit the rows in `order` but those that are trusted to be quiet, up to one that is refused."""
        key  # noqa: B018  part of the key under which the machine code is kept
        vectors, lag, ledger = state
        scale, bias, seen = ledger[0, SCALE], ledger[0, BIAS], ledger[0, SEEN]
        n, told_yes, run = U(order.shape[0]), positive[0], counts[RUN]
        for r in range(n):
            prefetch(margins, U(order[min(r + U(LATER), n - ONE)]))
            coming = U(order[min(r + U(SOON), n - ONE)])
            if margins[coming] + (bias if codes[coming] == told_yes else -bias) <= reach:
                fetch_most(rows, coming)
            i = U(order[r])
            y = 1.0 if codes[i] == told_yes else -1.0
            seen += 1.0
            run += 1
            if margins[i] + y * bias > reach:
                continue
            c = 1.0
            if sample_weight.shape[0] > 0:
                c = sample_weight[i]
            sqnorm = 0.0
            if reads_sqnorm:
                sqnorm = squared_norm(rows, i, ledger) + intercept
            s = scale * score_alone(rows, i, i, i + ONE, vectors, ledger) + bias
            step, shrink = step_of(y * s, sqnorm, np.int64(seen), params, U(0), c)
            counts[VISITS] += 1
            if not y * vectors.dtype.type(s) > 0.0:
                counts[MISTAKES] += 1
                if run - 1 > counts[LONGEST]:
                    counts[LONGEST], counts[RECORD] = run - 1, lessons[0][LESSONS]
                run = 0
            if step != 0.0 or shrink != 1.0 or not np.isfinite(s):
                ledger[0, SCORE], ledger[0, SEEN] = s, seen
                learned = (
                    np.isfinite(s)
                    and shrink == 1.0
                    and keep(rows, i, bias, vectors, lag, lessons)
                    and note(ledger, 0, i, step * y, shrink, vectors, lag, intercept, shrink_intercept, None, None)
                    and add(rows, i, vectors, lag, 0, 1, ledger, None)
                )
                if not learned:
                    let_go(ledger, 0, 1)
                    counts[REFUSED] = 1
                    return
                bias = ledger[0, BIAS]
                biases[LOWEST], biases[HIGHEST] = min(biases[LOWEST], bias), max(biases[HIGHEST], bias)
        ledger[0, SEEN], counts[RUN] = seen, run

    return compiled.jit(visit)


_kernels: dict[str, Any] = {}


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    """The compiled loop for a rule and a layout."""
    key = f"quiet {kernel_key(function, n_parameters, weighted, layout_name, False)}"
    if key not in _kernels:
        _kernels[key] = _compile_visit(key, function, n_parameters, weighted, layout_name)
    return _kernels[key]


@part
def _score_and_square(rows: Any, start: Any, stop: Any, vectors: Any) -> Any:
    """(v·x, ‖x‖²) of a row."""
    data, indices = rows[0], rows[1]
    s = zero_lanes(vectors, 4)
    q, p = s, start
    while p + FOUR <= stop:
        x = load(data, p, s)
        s = fused(s, x, pick(vectors, indices, p, s))
        q = fused(q, x, x)
        p += FOUR
    x, w = load_first(data, p, stop - p, s), pick_first(vectors, indices, p, stop - p, s)
    score, square = total(s), total(q)
    score, square = fused(score, lane(x, 0), lane(w, 0)), fused(square, lane(x, 0), lane(x, 0))
    score, square = fused(score, lane(x, 1), lane(w, 1)), fused(square, lane(x, 1), lane(x, 1))
    score, square = fused(score, lane(x, 2), lane(w, 2)), fused(square, lane(x, 2), lane(x, 2))
    return np.float64(score), np.float64(square)


@functools.cache
def _make_prove(key: str) -> Any:
    def prove(
        rows: Any, begin: Any, end: Any, codes: Any, sample_weight: Any, told_yes: Any, side: Any, vectors: Any,
        bias: Any, length: Any, precision: Any, largest: Any, margins: Any, reach: Any, silence: Any, biases: Any,
        doubtful: Any, bounds: Any,
    ) -> Any:  # fmt: skip
        """Bound the margins of the rows of one side from below, without the bias; how many are not shown to be quiet.

        Also how many are beyond the margin from which on the rule is silent, and by how much they are so together.

        Every weight in `vectors` is the worst that it was for that side, and `length` is at least the length of the
        weights that a row names, at any time of the window. A score that might be beyond `largest` is not bounded.
        `margins` had the bounds by which rows were left out, and has the new ones. Rows in doubt are noted down, while
        there is room, with the bounds that they had.
        """
        key  # noqa: B018
        lowest, highest = side * biases[LOWEST], side * biases[HIGHEST]
        lowest, highest = min(lowest, highest), max(lowest, highest)
        size, doubts, right, beyond = max(abs(lowest), abs(highest)), 0, 0, 0.0
        for i in range(U(begin), U(end)):
            if (codes[i] == told_yes) != (side > 0.0) or (sample_weight.shape[0] > 0 and sample_weight[i] == 0.0):
                continue
            start, stop = U(rows[2][i]), U(rows[2][i + ONE])
            score, square = _score_and_square(rows, start, stop, vectors)
            # A product is rounded n / 4 + 5 times at most on its way into a sum of n, here and at a visit; what is too
            # small for a float32 is lost in either.
            n = np.float64(stop - start)
            roundings = precision * (0.25 * n + 12.0)
            longest = (np.sqrt(square) + 1e-22 * np.sqrt(n)) * length  # by Cauchy and Schwarz: the sum of all |x_j v_j|
            bound = margins.dtype.type(side * score - 2.2 * roundings * longest - 1e-44 * n - 1e-15 * size)
            if not (roundings < 0.01 and np.isfinite(bound) and longest + size < largest):
                bound = margins.dtype.type(-np.inf)
            before = np.float64(margins[i])
            if before + highest > reach:  # it may have been left out, when side times the bias was above the difference
                certain = np.float64(bound) + max(lowest, reach - before) - 1e-15 * (abs(before) + abs(reach))
                if not certain > silence:
                    if doubts < doubtful.shape[0]:
                        doubtful[doubts], bounds[doubts] = i, before
                    doubts += 1
            margins[i] = bound
            spare = np.float64(bound) + side * bias - silence
            if spare > 0.0:
                right, beyond = right + 1, beyond + spare
        return doubts, right, beyond

    return compiled.jit(prove)


@functools.cache
def _make_look_back(key: str) -> Any:
    def look_back(
        rows: Any, codes: Any, told_yes: Any, vectors: Any, ledger: Any, lessons: Any, place: Any, reach: Any,
        silence: Any, doubtful: Any, bounds: Any,
    ) -> Any:  # fmt: skip
        """How many rows in doubt, left out as often as they can have been, would have taught something.

        Each is scored as at a visit, with the weights as they are and with those before every lesson. Those before the
        first one are there at the end.
        """
        key  # noqa: B018
        counts, taught, met, old, _ = lessons
        bias, place, loud = ledger[0, BIAS], U(place), 0
        for n in range(counts[LESSONS] + 1):
            if n > 0:
                lesson = counts[LESSONS] - n
                i, bias = U(taught[lesson]), met[lesson]
                place -= U(rows[2][i + ONE]) - U(rows[2][i])
                exchange(rows, i, place, old, vectors, False)
            for d in range(doubtful.shape[0]):
                i = U(doubtful[d])
                y = 1.0 if codes[i] == told_yes else -1.0
                if bounds[d] + y * bias > reach:
                    s = score_alone(rows, i, i, i + ONE, vectors, ledger) + bias
                    loud += not (y * s > silence and np.isfinite(s))
        return loud

    return compiled.jit(look_back)


@functools.cache
def _make_most_times(key: str) -> Any:
    def most_times(indices: Any, starts: Any) -> Any:
        key  # noqa: B018
        rising, longest = True, U(1)
        for i in range(U(starts.shape[0]) - ONE):
            start, stop = U(starts[i]), U(starts[i + ONE])
            longest = max(longest, stop - start)
            for p in range(start + ONE, stop):
                rising &= indices[p - ONE] < indices[p]
        return U(1) if rising else longest

    return compiled.jit(most_times)


def most_times(rows: tuple[Any, ...]) -> int:
    """How often a row may name a feature: once where all name them in rising order, else as often as it has room."""
    return int(_make_most_times(f"times {compiled.engine_digest()}")(rows[1], rows[2]))


def proofs() -> tuple[Any, Any]:
    """(prove, look_back)."""
    key = f"quiet {compiled.engine_digest()}"
    return _make_prove(key), _make_look_back(key)
