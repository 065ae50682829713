"""The same question as a linear program: slower than the nearest points, and at home with degenerate data.

Minimise the sum of |p_j| for p = sum_i weight_i a_i over convex weights. There is always a solution. Where it is 0 the
hulls meet on the basis found; where it is not, the dual variables are a hyperplane with every one of the rows on its
side.
"""

from __future__ import annotations

import time

import numpy as np
import scipy  # scipy.optimize is imported when it is used
import scipy.sparse

from rosenblatt.certificates.points import Points
from rosenblatt.engine.online.state import Array

GROWTH = 2000  # rows that join at a time


def solve_program(points: Points, hard: Array, deadline: float) -> tuple[Array, Array, Array] | None:
    """(rows, weights, direction) at the optimum over all rows, found by adding the rows that it leaves out."""
    groups = points.groups
    count = int(groups.max()) + 1
    chosen = hard
    while True:
        matrix = points.take(chosen)
        identity = scipy.sparse.identity(points.width)
        members = scipy.sparse.csr_array((groups[chosen] == np.arange(count)[:, None]).astype(float))
        equations = scipy.sparse.bmat(
            [[scipy.sparse.csr_array(matrix).T, identity, -identity], [members, None, None]], format="csc"
        )
        cost = np.r_[np.zeros(len(chosen)), np.ones(2 * points.width)]
        right = np.r_[np.zeros(points.width), np.ones(count)]
        options = {} if deadline == np.inf else {"time_limit": max(0.1, deadline - time.monotonic())}
        answer = scipy.optimize.linprog(cost, A_eq=equations, b_eq=right, method="highs", options=options)
        if answer.x is None or answer.eqlin is None:
            return None
        weights = answer.x[: len(chosen)]
        duals = np.asarray(answer.eqlin.marginals)
        direction, levels = -duals[: points.width], duals[points.width :]
        scores = points.scores(direction)
        missing = np.setdiff1d(np.flatnonzero(scores < levels[groups] - 1e-9), chosen)
        basis = weights > 1e-12
        if answer.fun <= 1e-9 or not len(missing) or time.monotonic() > deadline:
            return chosen[basis], weights[basis], direction
        order = np.argsort((scores - levels[groups])[missing])[:GROWTH]
        chosen = np.concatenate([chosen, missing[order]])
