"""The voted answer: every weight vector that training passed through votes with its survival count.

There are as many vectors as updates, so they are kept as the updates themselves: the rows that were added,
in order. The scores of a new row x under all of them follow from its products with those rows,

    score_u(x) = shrink_u · score_{u-1}(x) + step_u · (x_u·x + 1),

and half-space k gives sum_u count_u · sign(score_u(x)), with sign(0) = +1. Classes that were coupled have no
half-spaces of their own: there each joint state votes for the class that it scores highest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.models.linear import Array, fraction_right, labels, product

CELLS = 2**22  # the numbers that stand in memory at a time
RATE = 1.5e9  # votes a second of one core, measured
LONG = 20.0  # seconds of voting that are announced


@dataclass(frozen=True, eq=False)
class VotedModel:
    """`rows[k][u]` is the row of `support` that update u of half-space k added, `counts[k][u]` its survival."""

    support: Any
    rows: list[Array]
    steps: list[Array]
    shrinks: list[Array]
    counts: list[Array]
    fit_intercept: bool
    shrink_intercept: bool
    classes: Array
    times: list[Array]
    seen: int
    coupled: bool
    tally: Callable[..., Array]  # the engine's, which loads the compiler only when it is used

    def decision_function(self, X: Any) -> Array:
        X = X if scipy.sparse.issparse(X) else np.asarray(X)
        n_rows = X.shape[0] if X.ndim else 0
        votes = np.zeros((n_rows, len(self.rows)))
        vectors = sum(len(part) for part in self.rows)
        if n_rows * vectors > LONG * RATE:
            warnings.warn(
                f"The voted answer lets {vectors:,} weight vectors vote on {n_rows:,} rows, about "
                f"{n_rows * vectors / RATE:.0f} s on one core. answer='averaged' is usually as accurate and takes "
                f"milliseconds; fewer epochs (max_iter) make fewer vectors.",
                UserWarning,
                stacklevel=3,
            )
        support = self.ready(X)
        height = max(1, CELLS // max(1, support.shape[0]))
        for start in range(0, n_rows, height):
            products = self.products(X[start : start + height], support)
            votes[start : start + height] = self._votes(products)
        if self.coupled and votes.shape[1] == 2:
            return votes[:, 1] - votes[:, 0]
        return votes[:, 0] if votes.shape[1] == 1 else votes

    def ready(self, X: Any) -> Any:
        """The rows that made the updates, for products with rows like X."""
        # Products of float32 and uint8 rows are taken in float32, as in training; they are added up in float64.
        kind = np.float64 if np.float64 in (X.dtype, self.support.dtype) else np.float32
        return self.support.astype(kind)

    def products(self, block: Any, support: Any) -> Array:
        """The products of some rows with those that made the updates, one row for each of the former."""
        block = block.astype(support.dtype)
        if scipy.sparse.issparse(support):
            return np.asarray((scipy.sparse.csr_array(block) @ support.T).todense())
        return np.ascontiguousarray(product(block, support))

    def _votes(self, products: Array) -> Array:
        bias, count = float(self.fit_intercept), len(self.rows)
        if self.coupled:
            columns = (self.rows, self.steps, self.shrinks, self.times)
            rows, steps, shrinks, times = (np.concatenate(column) for column in columns)
            classes = np.repeat(np.arange(count), [len(part) for part in self.rows])
            order = np.argsort(times, kind="stable")
            events = tuple(part[order] for part in (classes, rows, steps, shrinks, times))
            return self.tally(products, count, events, self.seen, bias, self.shrink_intercept)
        return np.stack(
            [
                self.tally(products, *half_space, bias, self.shrink_intercept)
                for half_space in zip(self.rows, self.steps, self.shrinks, self.counts, strict=True)
            ],
            axis=1,
        )

    def predict(self, X: Any) -> Array:
        return labels(self.decision_function(X), self.classes)

    def score(self, X: Any, y: Any) -> float:
        """The fraction of rows answered correctly."""
        return fraction_right(self.predict(X), y)


def survival_counts(times: Array, seen: int) -> Array:
    """How many examples each vector was in force for, from the example that made it to the next update."""
    return np.diff(times, append=seen + 1).astype(np.float64)
