"""The best intercept for given weights: a problem in one number, solved exactly.

Given scores s_i = w·x_i, labels y_i and weights c_i, minimise over b

    f(b) = sum_i c_i loss(1 - y_i (s_i + b)),        loss(z) = max(0, z) or max(0, z)²

f is convex. Its slope rises with b, and changes its form only at the breakpoints b = y_i - s_i, where row i's margin
is 1. Sorted breakpoints and running sums give the slope everywhere, and its root is a minimum: no row can vote for
another b.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.state import Array


def best_intercepts(scores: Array, y: Array, weights: Array, squared: bool) -> Array:
    """The best b for every column of `scores`, both (n, K)."""
    return np.array([best_intercept(scores[:, k], y[:, k], weights, squared) for k in range(scores.shape[1])])


def best_intercept(scores: Array, y: Array, weights: Array, squared: bool) -> float:
    """The best b; the middle of all best ones where several are.

    >>> best_intercept(np.array([3.0, 1.0]), np.array([1.0, -1.0]), np.ones(2), False)
    -2.0
    """
    used = weights > 0.0
    breaks, y, weights = (y - scores)[used], y[used], weights[used]
    if (y > 0).all() or (y < 0).all():  # every row wants b on the same side
        return float(breaks.max() if y[0] > 0 else breaks.min())
    order = np.argsort(breaks, kind="stable")
    breaks, y, weights = breaks[order], y[order], weights[order]
    # A positive row pulls b up while b is left of its breakpoint, a negative one down while b is right of its own.
    if not squared:
        # The slope just right of breakpoint j: positives beyond it pull by -c, negatives up to it by +c.
        slope = np.cumsum(weights) - weights[y > 0].sum()
        tiny = 1e-12 * weights.sum()
        low = int(np.searchsorted(slope, -tiny))
        high = low
        while high < len(slope) - 1 and abs(slope[high]) <= tiny:
            high += 1
        return float((breaks[low] + breaks[high]) / 2)
    up, down = np.where(y > 0, weights, 0.0), np.where(y < 0, weights, 0.0)
    # slope(b)/2 = sum over positives right of b of c (b - break) + sum over negatives left of b of c (b - break)
    mass = np.cumsum(down) + (up.sum() - np.cumsum(up))
    moment = np.cumsum(down * breaks) + ((up * breaks).sum() - np.cumsum(up * breaks))
    right = mass[:-1] * breaks[1:] - moment[:-1]  # at the right end of each stretch between breakpoints
    j = int(np.searchsorted(right >= 0.0, True))
    if j >= len(mass) - 1:
        j = len(mass) - 2
    return float(moment[j] / mass[j]) if mass[j] > 0.0 else float(breaks[j])
