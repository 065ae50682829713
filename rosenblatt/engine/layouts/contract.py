"""What a memory layout must provide: the compiled loops know rows and weights through these functions alone.

`rows` is a tuple of arrays as `rows.rows_of` returns it. `vectors`, `lag` and `ledger` are the arrays of
`online.state.HalfSpaces`; half-spaces are numbered, and `first <= k < last` are those of one thread. The functions are
parts of compiled loops, and row numbers are unsigned there.
"""

from __future__ import annotations

from typing import Any, Protocol

from rosenblatt.engine.online.state import Array


class Layout(Protocol):
    """The functions of a layout's module."""

    LAYOUT: str  # the name of the layout, "rows" or "columns"

    def unit(self, rows: tuple[Array, ...]) -> int:
        """How many neighbouring half-spaces must be trained by the same thread."""

    # Reading a row

    def scores(self, rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
        """ledger[k, SCORE] = v_k·x_i."""

    def scores_and_fetch(
        self, rows: Any, i: Any, near: Any, coming: Any, vectors: Any, first: Any, last: Any, ledger: Any
    ) -> None:
        """`scores`, while row `coming` is prefetched, and row `near`, which is visited sooner, into the L1 cache."""

    def score_binary(self, rows: Any, i: Any, near: Any, coming: Any, vectors: Any, ledger: Any) -> Any:
        """v·x_i of a single half-space, with the same prefetching."""

    def squared_norm(self, rows: Any, i: Any, wide: Any) -> float:
        """‖x_i‖² in float64."""

    def row_max(self, rows: Any, i: Any, vectors: Any) -> float:
        """At least the largest |x_ij|, and at least 1."""

    def fetch(self, rows: Any, i: Any) -> None:
        """Prefetch row i."""

    def ahead(self, rows: Any) -> int:
        """How many visits in advance a row is prefetched."""

    def approach(self, rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
        """Prefetch the weights that row i needs."""

    def hold(self, rows: Any, lag: Any, r: Any, first: Any, last: Any) -> None:
        """At visit number r, keep part of `lag` in the L1 cache."""

    # Changing weights

    def add(self, rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
        """v_k += CHANGE_k·x_i and lag_k += LAGGED_k·x_i; False, with nothing changed, if that would not be finite."""

    def add_binary(self, rows: Any, i: Any, vectors: Any, lag: Any, ledger: Any) -> bool:
        """`add` for a single half-space."""

    def fold(self, vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
        """Multiply the scale into v_k, and what the reach stands for into lag_k."""

    def move(self, rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
        """v_k += CHANGE_k·x_i, for half-spaces that keep no averages (support vector machines)."""

    # For the settings of a grid, whose weights lie side by side as (d, width)

    def spread(self, rows: Any, i: Any, width: Any, vectors: Any, places: Any, values: Any, starts: Any) -> None:
        """The non-zeros of row i in the order of additions, and where their weights are."""

    def approach_lanes(self, rows: Any, i: Any, vectors: Any) -> None:
        """As `approach`."""

    def chain_count(self, kind: Any) -> int:
        """How many partial sums a dot product has."""
