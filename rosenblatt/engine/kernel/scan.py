"""The scan: the rows of one block in order, each scored with the updates of all rows before it.

The scores of the block are up to date when it begins. A row that makes an update changes the scores of the rows after
it by its kernel values with them. Those values are asked for in advance for the rows that look like mistakes
(`suspects`), and for near misses; when another row turns out to be one, the scan stops there and asks for more.

Under a budget (`bounded`) support rows leave as well, and what was added to a score and subtracted again need not be 0
in floating point. There a row's score is summed up when it is visited, over the support rows in the order of their last
update, so that it does not depend on where a block began.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.online.state import Array

DONE, WANTS_VALUES, OVER_BUDGET, DIVERGED = range(4)


@part
def update_steps(scores: Any, i: Any, code: Any, c: Any, positive: Any, coupled: Any, steps: Any) -> bool:
    """Write row i's step for each half-space into steps[:, i]; whether there is any.

    The margin is tested as "not above 0", so that NaN is noticed too.
    """
    count = scores.shape[0]
    if coupled:
        rival = -1
        for k in range(count):
            if k != code and (rival < 0 or scores[k, i] > scores[rival, i]):
                rival = k
        if rival < 0 or scores[code, i] - scores[rival, i] > 0.0:
            return False
        steps[code, i] = c
        steps[rival, i] = -c
        return True
    updated = False
    for k in range(count):
        y = 1.0 if code == positive[k] else -1.0
        if not y * scores[k, i] > 0.0:
            steps[k, i] = y * c
            updated = True
    return updated


@part
def is_mistake(scores: Any, i: Any, code: Any, classes: Any) -> bool:
    """Whether the true class was not strictly the best; `classes` half-spaces answer, one of them for two classes."""
    if classes == 0:
        return False
    if classes == 1:
        return scores[0, i] <= 0.0 if code == 1 else scores[0, i] >= 0.0
    for k in range(classes):  # noqa: SIM110  the compiler knows no generators
        if k != code and scores[k, i] >= scores[code, i]:
            return True
    return False


@part
def add_value(scores: Any, i: Any, coefficients: Any, value: Any) -> None:
    """scores[:, i] += coefficients · value; a coefficient of 0 is no term."""
    for k in range(scores.shape[0]):
        if coefficients[k] != 0.0:
            scores[k, i] += coefficients[k] * value


@compiled.jit
def scan(
    scores: Any, values: Any, place: Any, codes: Any, weights: Any, positive: Any, classes: Any, coupled: Any,
    drop_after: Any, room: Any, coefficients: Any, counts: Any, held: Any, start: Any, steps: Any, updated: Any,
    wrong: Any, dropped: Any, squared: Any, stopped: Any, bounded: Any, support: Any, support_coefficients: Any,
    support_place: Any, entered: Any,
) -> int:  # fmt: skip
    """Visit the rows of a block from `start` on; why it stopped. See `Block` for what it reads and writes."""
    count, n = scores.shape
    for i in range(start, n):
        c = weights[i] if weights.shape[0] > 0 else 1.0
        if bounded:
            for k in range(count):
                scores[k, i] = 0.0
            for j in range(support.shape[1]):
                add_value(scores, i, support_coefficients[j], np.float64(support[i, j]))
            for j in range(stopped[3]):
                p = entered[j]
                add_value(scores, i, coefficients[p], np.float64(values[place[p], i]))
        if not update_steps(scores, i, codes[i], c, positive, coupled, steps):
            continue
        p = place[i]
        if p < 0:
            for k in range(count):
                steps[k, i] = 0.0
            stopped[0] = i
            stopped[2] = room
            return WANTS_VALUES
        finite = np.isfinite(values[p, i])
        for k in range(count):
            finite = finite and np.isfinite(scores[k, i])
        if not finite:
            for k in range(count):
                steps[k, i] = 0.0
            stopped[0] = i
            return DIVERGED
        updated[i] = True
        wrong[i] = is_mistake(scores, i, codes[i], classes)
        leaves = False
        for k in range(count):
            if steps[k, i] != 0.0:
                stopped[1] += 1
                counts[k, i] += 1
                leaves = leaves or (drop_after > 0 and counts[k, i] >= drop_after)
        if leaves:
            dropped[i] = True
            for k in range(count):
                steps[k, i] = -coefficients[i, k]
        if bounded:
            for k in range(count):
                coefficients[i, k] += steps[k, i]
                if support_place[i] >= 0:
                    support_coefficients[support_place[i], k] = 0.0
            entered[stopped[3]] = i
            stopped[3] += 1
        for k in range(count):
            step = steps[k, i]
            if step != 0.0:
                squared[k] += 2.0 * step * scores[k, i] + step * step * values[p, i]
                for j in range(i + 1, n):
                    scores[k, j] += step * values[p, j]
        if not held[i] and not leaves:
            held[i] = True
            room -= 1
            if room < 0:
                stopped[0] = i + 1
                return OVER_BUDGET
    stopped[0] = n
    return DONE


@compiled.jit
def least_margins(scores: Any, place: Any, codes: Any, positive: Any, coupled: Any, start: Any, out: Any) -> None:
    """The least margin of every row from `start` on whose kernel values are not there yet; infinite for the others."""
    count, n = scores.shape
    for i in range(start, n):
        out[i] = np.inf
        if place[i] >= 0:
            continue
        for k in range(count):
            if coupled:
                margin = scores[codes[i], i] - scores[k, i] if k != codes[i] else np.inf
            else:
                margin = scores[k, i] if codes[i] == positive[k] else -scores[k, i]
            out[i] = min(out[i], margin)


@compiled.jit
def radial_exponents(dots: Any, left: Any, right: Any, factor: Any, noise: Any) -> None:
    """factor ‖x - y‖² in place of x·y, with squared norms; one pass, where numpy would make several.

    A distance within the rounding of its terms, which is `noise` times the norms, is 0.
    """
    for i in range(dots.shape[0]):
        for j in range(dots.shape[1]):
            norms = left[i] + right[j]
            apart = norms - dots[i, j] - dots[i, j]
            dots[i, j] = factor * (apart if apart > noise * norms else noise - noise)


def suspects(margins: Array, start: int, most: int) -> Array:
    """The rows to ask for: `start`, the next mistakes as things stand, and, while there is room, near misses."""
    later = margins[start + 1 :]
    found = np.flatnonzero(~(later > 0.0))[: most - 1]
    if len(found) < most - 1 < len(later):
        found = np.sort(np.argpartition(later, most - 1)[: most - 1])
    return np.append(start, found[later[found] < np.inf] + start + 1)
