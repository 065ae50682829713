"""Count wrong answers of the half-spaces as they stand, without teaching them anything."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.layouts import dense
from rosenblatt.engine.online.binary_loop import may_be_alone
from rosenblatt.engine.online.loop import LAYOUTS
from rosenblatt.engine.online.state import BIAS, SCALE, SCORE, Array, HalfSpaces

TOGETHER = 5  # half-spaces of dense rows that share one reading of a row
AHEAD = 8  # rows

U = np.uint64


@part
def _answer(ledger: Any, first: Any, classes: Any) -> int:
    """What the half-spaces first <= k < first + classes say together, once their SCORE is v_k·x."""
    answer = first
    for k in range(first, first + classes):
        ledger[k, SCORE] = ledger[k, SCALE] * ledger[k, SCORE] + ledger[k, BIAS]
        if ledger[k, SCORE] > ledger[answer, SCORE]:
            answer = k
    answer -= first
    if classes == 1:
        answer = 1 if ledger[first, SCORE] >= 0.0 else 0
    elif classes == 2:
        answer = 1 if ledger[first + 1, SCORE] >= ledger[first, SCORE] else 0
    return answer


@functools.cache
def _count_errors(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, approach = layout.scores, layout.approach

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any,
    ) -> float:  # fmt: skip
        key  # noqa: B018  part of the key under which the machine code is kept
        errors = 0.0
        for i in range(start, stop):
            if i + 1 < stop:
                approach(rows, i + 1, vectors, 0, classes)
            scores(rows, i, vectors, 0, classes, ledger)
            if _answer(ledger, 0, classes) != codes[i]:
                errors += sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
                if errors > limit:
                    return errors
        return errors

    return compiled.jit(count_errors)


@functools.cache
def _count_errors_alone(key: str, layout_name: str) -> Any:
    score = LAYOUTS[layout_name].score_alone

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any,
    ) -> float:  # fmt: skip
        """As in `_count_errors`, for a half-space that is alone; no branch on an answer, which cannot be guessed."""
        key  # noqa: B018
        scale, bias, errors = ledger[0, SCALE], ledger[0, BIAS], 0.0
        for i in range(U(start), U(stop)):
            answer = 1 if scale * score(rows, i, i, i + U(1), vectors, ledger) + bias >= 0.0 else 0
            weight = sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
            errors += 0.0 if answer == codes[i] else weight
            if errors > limit:
                break
        return errors

    return compiled.jit(count_errors)


@functools.cache
def _compare_errors(key: str) -> Any:
    scores = dense.scores_and_fetch

    def compare_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any, errors: Any,
    ) -> None:  # fmt: skip
        """Add to `errors[n]` what the n-th `classes` half-spaces get wrong, until all have more than `limit`."""
        key  # noqa: B018
        for i in range(start, stop):
            near, coming = min(i + 2, stop - 1), min(i + AHEAD, stop - 1)
            scores(rows, i, near, coming, vectors, 0, len(errors) * classes, ledger)
            done = True
            for n in range(len(errors)):
                if _answer(ledger, n * classes, classes) != codes[i]:
                    errors[n] += sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
                done &= errors[n] > limit
            if done:
                return

    return compiled.jit(compare_errors)


def count_errors(
    rows: tuple[Array, ...],
    n_rows: int,
    codes: Array,
    sample_weight: Array,
    state: HalfSpaces,
    classes: int,
    threads: Any = None,
    limit: float = np.inf,
) -> float:
    """The weight of the rows that are answered wrongly; anything above `limit` once it is exceeded.

    `classes` is 1 for two classes told apart by one half-space: a score of 0 answers class 1, as do equal scores of
    two classes. Otherwise the highest score answers, the first of equals.
    """
    if state.layout == "rows" and classes > 1:
        return compare_errors(rows, n_rows, codes, sample_weight, [state], classes, threads, limit)[0]
    counter = _count_errors_alone if may_be_alone(state.layout, state.count, classes > 1) else _count_errors
    count = counter(f"{compiled.engine_digest()} {state.layout}", state.layout)
    vectors = state.arrays[0]

    def errors_of(bounds: tuple[int, int]) -> float:
        ledger = state.ledger.copy()
        errors: float = count(
            state.reads(rows), bounds[0], bounds[1], codes, sample_weight, vectors, ledger, classes, limit
        )
        return errors

    return float(sum_of_halves(errors_of, n_rows, threads))


def compare_errors(
    rows: tuple[Array, ...],
    n_rows: int,
    codes: Array,
    sample_weight: Array,
    states: Sequence[HalfSpaces],
    classes: int,
    threads: Any = None,
    limit: float = np.inf,
) -> list[float]:
    """`count_errors` of several states; of a later one, anything above an earlier one's once that is exceeded.

    A few half-spaces of dense rows are judged in one pass, which takes no longer than a pass for one of them: it
    waits for memory. Others are so busy themselves that a pass each, which can end early, is quicker.
    """
    several = len(states) * classes
    if states[0].layout != "rows" or several <= 1 or (len(states) > 1 and several > TOGETHER):
        found: list[float] = []
        for state in states:
            least = min([limit, *found])
            found.append(count_errors(rows, n_rows, codes, sample_weight, state, classes, threads, least))
        return found
    compare = _compare_errors(compiled.engine_digest())
    vectors = np.concatenate([state.arrays[0][:classes] for state in states])
    ledger = np.concatenate([state.ledger[:classes] for state in states])

    def errors_of(bounds: tuple[int, int]) -> Array:
        errors = np.zeros(len(states))
        compare(rows, *bounds, codes, sample_weight, vectors, ledger.copy(), classes, limit, errors)
        return errors

    errors: list[float] = sum_of_halves(errors_of, n_rows, threads).tolist()
    return errors


def sum_of_halves(errors_of: Callable[[tuple[int, int]], Any], n_rows: int, threads: Any) -> Any:
    """What is counted in the first half of the rows and in the second, together, on two threads if there are.

    The same two sums with any number of threads: a sum of weights such as 0.1 depends on its order, if only in its
    last bits, and so would the choice between two nominees for the pocket.
    """
    middle = n_rows // 2
    first, second = (map if threads is None else threads.map)(errors_of, ((0, middle), (middle, n_rows)))
    return first + second
