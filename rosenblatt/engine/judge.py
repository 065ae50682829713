"""Count wrong answers of the half-spaces as they stand, without teaching them anything."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.loop import LAYOUTS
from rosenblatt.engine.state import BIAS, SCALE, SCORE, Array, HalfSpaces

AHEAD = 8  # rows, where several half-spaces are judged; for a single one the machine fetches as well by itself
TOGETHER = 5  # half-spaces of dense rows that share one reading of a row


@functools.cache
def _count_errors(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    scores, approach = layout.scores_and_fetch, layout.approach

    def count_errors(
        rows: Any, start: Any, stop: Any, codes: Any, sample_weight: Any, vectors: Any, ledger: Any,
        classes: Any, limit: Any, errors: Any,
    ) -> None:  # fmt: skip
        """Add to `errors[n]` the weight of the rows that the n-th `classes` half-spaces answer wrongly together.

        It ends early when all have more than `limit`.
        """
        key  # noqa: B018  part of the key under which the machine code is kept
        together = len(errors) * classes
        ahead = AHEAD if together > 1 else 1
        for i in range(start, stop):
            if i + 1 < stop:
                approach(rows, i + 1, vectors, 0, together)
            scores(rows, i, min(i + 2, stop - 1), min(i + ahead, stop - 1), vectors, 0, together, ledger)
            done = True
            for n in range(len(errors)):
                first = n * classes
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
                if answer != codes[i]:
                    errors[n] += sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
                done &= errors[n] > limit
            if done:
                return

    return compiled.jit(count_errors)


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
    return compare_errors(rows, n_rows, codes, sample_weight, [state], classes, threads, limit)[0]


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

    A few half-spaces of dense rows are judged in one pass, which takes no longer than a pass for one of them: both wait
    for memory. Others are so busy themselves that a pass each, which can end early, is quicker.
    """
    if len(states) > 1 and not (states[0].layout == "rows" and len(states) * classes <= TOGETHER):
        found: list[float] = []
        for state in states:
            found += compare_errors(rows, n_rows, codes, sample_weight, [state], classes, threads, min([limit, *found]))
        return found
    layout = states[0].layout
    count = _count_errors(f"{compiled.engine_digest()} {layout}", layout)
    vectors, ledger = states[0].arrays[0], states[0].ledger
    if len(states) > 1:
        vectors = np.concatenate([state.arrays[0][:classes] for state in states])
        ledger = np.concatenate([state.ledger[:classes] for state in states])

    def errors_of(bounds: tuple[int, int]) -> Array:
        read, books, errors = states[0].reads(rows), ledger.copy(), np.zeros(len(states))
        count(read, *bounds, codes, sample_weight, vectors, books, classes, limit, errors)
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
