"""The pocket (lecture row L9): the best weights that a run has passed through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.engine.state import Array, HalfSpaces

if TYPE_CHECKING:
    from rosenblatt.engine.order import Found
    from rosenblatt.engine.run import Visitor


@dataclass
class Pocket:
    """Gallant's pocket with ratchet: the weights with the fewest errors on the data seen so far.

    A run of correct answers longer than every run before it nominates the weights that it ended with. The latest
    nominee goes into the pocket if a pass over all rows finds fewer errors than the pocket has. Losing or winning,
    a nomination raises the run to beat. Passes are made at the end of every epoch while they are cheap, for the
    weights that the epoch ends with too, and at the end of every sixteenth epoch on large data. The weights that
    training ends with are always considered. Where the weights are so many that a copy per stretch would be dear, runs
    are not followed, and the weights at the times of the passes are the only nominees.

    On a stream there are no rows to go back to: there the longest run wins, as in the pocket without ratchet.
    """

    errors: float = np.inf
    kept: HalfSpaces | None = None
    shared: bool = False  # whether `kept` has the very weights of a state that a run ended with
    run: int = 0
    longest: int = 0
    start: HalfSpaces | None = None  # the weights at the start of the stretch that holds the nominee
    visits: Array | None = None  # the rows visited from there to the nominee

    @property
    def weights(self) -> tuple[Array, Array] | None:
        """(K, d) and (K,), or None while the pocket is empty."""
        return None if self.kept is None else self.kept.last()

    def keep(self, state: HalfSpaces) -> None:
        if self.kept is None or self.shared or not self.kept.is_like(state):
            self.kept = None  # gone before another takes its place
            self.kept, self.shared = state.copy_weights(), False
        else:
            self.kept.copy_weights_from(state)

    def share(self, state: HalfSpaces) -> None:
        """Keep the weights that a run ends with: nobody changes them any more, so they need no copy."""
        self.kept, self.shared = state.share_weights(), True

    def consider(self, visitor: Visitor, state: HalfSpaces) -> None:
        """Keep the weights if a pass over all rows finds fewer errors than those in the pocket make."""
        self.offer(state, visitor.errors(state, self.errors))

    def offer(self, state: HalfSpaces, errors: float) -> None:
        """Keep the weights if they make fewer errors than those in the pocket."""
        if errors < self.errors:
            self.errors = errors
            self.keep(state)

    def follow(self, before: HalfSpaces, order: Array, found: Found) -> HalfSpaces:
        """Note a record run in one stretch, which began with the weights `before`.

        Returns a state that the caller may overwrite: `before`, or another in exchange if it is needed here.
        """
        self.run = found.run
        if found.longest <= self.longest:
            return before
        self.longest = found.longest
        spare = self.start
        self.start, self.visits = before, order[: found.end].copy()
        return before.copy() if spare is None else spare

    def decide(self, visitor: Visitor, confirm: bool) -> None:
        """Put the nominee into the pocket, or let it go."""
        if self.start is not None and self.visits is not None:
            visitor.repeat(self.start, self.visits)  # the same visits again lead to the same weights, bit for bit
            if confirm:
                self.consider(visitor, self.start)
            else:
                self.keep(self.start)
        self.visits = None

    def close(self, visitor: Visitor, state: HalfSpaces, pocket_check: str | None, clean: bool) -> None:
        """The end of a run: the last nominee, and the weights as they are now."""
        if pocket_check == "stream":
            self.decide(visitor, confirm=False)
            if self.run > self.longest or self.kept is None:  # a record run that still goes on counts
                self.longest = max(self.run, self.longest)
                self.keep(state)
        elif pocket_check is not None and clean:
            self.errors = 0.0
            self.share(state)  # a clean epoch is a pass that found no error
        elif pocket_check is not None:
            self.decide(visitor, confirm=True)
            errors = np.inf if self.kept is None else visitor.errors(state, self.errors)
            if self.kept is None or errors < self.errors:  # without a rival there is nothing to compare
                self.errors = errors
                self.share(state)
        self.start = None
