"""The best intercept for given weights: a problem in one number, solved exactly.

Given scores s_i = w·x_i, labels y_i and weights c_i, minimise over b

    f(b) = ridge/2 b² + sum_i c_i loss(1 - y_i (s_i + b)),        loss(z) = max(0, z) or max(0, z)²

f is convex. Its slope rises with b, and changes its form only at the breakpoints b = y_i - s_i, where row i's margin
is 1. Sorted breakpoints and running sums give the slope everywhere, and its root is a minimum: no row can vote for
another b. Only the breakpoints near the root need be sorted; a bisection over a few of them tells which those are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

import numpy as np

from rosenblatt.engine.online.state import Array

FEW = 256  # breakpoints to bisect over


def dot(a: Array, b: Array) -> float:
    """a·b on this thread alone: `@` wakes the threads of numpy's library, which then spin beside those of a fit."""
    return float(np.einsum("i,i->", a, b))


def best_intercept(scores: Array, y: Array, weights: Array, squared: bool, ridge: float = 0.0) -> float:
    """The best b; the middle of all best ones where several are.

    >>> best_intercept(np.array([3.0, 1.0]), np.array([1.0, -1.0]), np.ones(2), False)
    -2.0
    """
    used = weights > 0.0
    breaks, y, weights = (y - scores)[used], y[used], weights[used]
    if ridge == 0.0 and ((y > 0).all() or (y < 0).all()):  # every row wants b on the same side
        return float(breaks.max() if y[0] > 0 else breaks.min())
    return (_best_for_squares if squared else _best_for_hinges)(breaks, y, weights, ridge)


def _best_for_hinges(breaks: Array, y: Array, weights: Array, ridge: float) -> float:
    # A positive row pulls by -c while b is left of its breakpoint, a negative one by +c while b is right of its own. So
    # the slope is that of the positives together, and rises by c at every breakpoint.
    steepest, tiny = -weights[y > 0].sum(), 1e-12 * weights.sum()
    left, near = _near(breaks, lambda b: dot(weights, breaks <= b) + steepest + ridge * b, tiny)
    rise = weights[near]
    slope = steepest + weights[left].sum() + np.concatenate([[0.0], np.cumsum(rise)])  # left of all, right of each
    breaks = breaks[near]
    if ridge > 0.0:  # each stretch has a root of its own, which counts if it comes before the stretch ends
        stretch = int(np.argmax(slope + ridge * np.append(breaks, np.inf) >= 0.0))
        return float(max(-slope[stretch] / ridge, breaks[stretch - 1] if stretch else -np.inf))
    low = int(np.searchsorted(slope[1:], -tiny))
    high = low
    while high < len(breaks) - 1 and abs(slope[1 + high]) <= tiny:
        high += 1
    return float((breaks[low] + breaks[high]) / 2)


def _best_for_squares(breaks: Array, y: Array, weights: Array, ridge: float) -> float:
    # slope(b)/2 = mass · b - moment, summed over the positives right of b and the negatives left of it.
    up, down = np.where(y > 0, weights, 0.0), np.where(y < 0, weights, 0.0)

    def slope(b: float) -> float:
        pulls = np.where(breaks <= b, down, up)
        return ridge / 2 * b + dot(pulls, b - breaks)

    left, near = _near(breaks, slope, 0.0)

    def running(factor: Array) -> Array:
        """The sum for b left of all breakpoints that are near, then right of each."""
        change = (down - up)[near] * factor[near]
        always = (down * factor)[left].sum() + (up * factor).sum() - (up * factor)[left].sum()
        return always + np.concatenate([[0.0], np.cumsum(change)])

    mass, moment = running(np.ones_like(breaks)) + ridge / 2, running(breaks)
    breaks = breaks[near]
    stretch = int(np.argmax(np.append(mass[:-1] * breaks - moment[:-1], np.inf) >= 0.0))
    if mass[stretch] <= 0.0:
        return float(breaks[min(stretch, len(breaks) - 1)])
    return float(moment[stretch] / mass[stretch])


def _near(breaks: Array, slope: Callable[[float], float], tiny: float) -> tuple[Array, Array]:
    """(which breakpoints are surely left of every root, the others up to one surely not left of any, in order)."""
    few = np.sort(breaks[:: max(1, len(breaks) // FEW)])
    first, last = bisect_left(few, -tiny, key=slope), bisect_right(few, tiny, key=slope)
    left = breaks <= (few[first - 1] if first else -np.inf)
    near = np.flatnonzero(~left & (breaks <= (few[last] if last < len(few) else np.inf)))
    return left, near[np.argsort(breaks[near], kind="stable")]
