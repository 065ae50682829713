"""The best intercept for given weights: a problem in one number, solved exactly.

Given scores s_i = w·x_i, labels y_i and weights c_i, minimise over b

    f(b) = ridge/2 b² + sum_i c_i loss(1 - y_i (s_i + b)),        loss(z) = max(0, z) or max(0, z)²

f is convex. Its slope rises with b, and changes its form only at the breakpoints b = y_i - s_i, where row i's margin
is 1. Sorted breakpoints and running sums give the slope everywhere, and its root is a minimum: no row can vote for
another b.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.state import Array


def best_intercepts(scores: Array, y: Array, weights: Array, squared: bool, ridge: float = 0.0) -> Array:
    """The best b for every column of `scores`, both (n, K)."""
    return np.array([best_intercept(scores[:, k], y[:, k], weights, squared, ridge) for k in range(scores.shape[1])])


def best_intercept(scores: Array, y: Array, weights: Array, squared: bool, ridge: float = 0.0) -> float:
    """The best b; the middle of all best ones where several are.

    >>> best_intercept(np.array([3.0, 1.0]), np.array([1.0, -1.0]), np.ones(2), False)
    -2.0
    """
    used = weights > 0.0
    breaks, y, weights = (y - scores)[used], y[used], weights[used]
    if ridge == 0.0 and ((y > 0).all() or (y < 0).all()):  # every row wants b on the same side
        return float(breaks.max() if y[0] > 0 else breaks.min())
    order = np.argsort(breaks, kind="stable")
    breaks, y, weights = breaks[order], y[order], weights[order]
    # A positive row pulls b up while b is left of its breakpoint, a negative one down while b is right of its own.
    up, down = np.where(y > 0, weights, 0.0), np.where(y < 0, weights, 0.0)
    if not squared:
        # The slope without the ridge, left of all breakpoints and right of each: there, positives beyond it pull by
        # -c, negatives up to it by +c.
        slope = np.concatenate([[0.0], np.cumsum(weights)]) - up.sum()
        if ridge > 0.0:
            # Each stretch has a root of its own; it is the minimum where it lies in the stretch or before its end.
            ends = np.append(breaks, np.inf)
            stretch = int(np.argmax(slope + ridge * ends >= 0.0))
            return float(max(-slope[stretch] / ridge, breaks[stretch - 1] if stretch else -np.inf))
        tiny = 1e-12 * weights.sum()
        low = int(np.searchsorted(slope[1:], -tiny))
        high = low
        while high < len(breaks) - 1 and abs(slope[1 + high]) <= tiny:
            high += 1
        return float((breaks[low] + breaks[high]) / 2)

    # slope(b)/2 = (mass + ridge/2) b - moment, with mass and moment summed over the positives right of b and the
    # negatives left of it: on the stretch left of all breakpoints, then on the one right of each.
    def running(left: Array, right: Array) -> Array:
        return np.concatenate([[0.0], np.cumsum(left)]) + (right.sum() - np.concatenate([[0.0], np.cumsum(right)]))

    mass, moment = running(down, up) + ridge / 2, running(down * breaks, up * breaks)
    stretch = int(np.argmax(np.append(mass[:-1] * breaks - moment[:-1], np.inf) >= 0.0))
    if mass[stretch] <= 0.0:
        return float(breaks[min(stretch, len(breaks) - 1)])
    return float(moment[stretch] / mass[stretch])
