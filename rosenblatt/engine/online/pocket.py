"""The pocket (lecture row L9): the best weights that a run has passed through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.engine.online.state import SEEN, Array, HalfSpaces

if TYPE_CHECKING:
    from rosenblatt.engine.online.shuffle import Found
    from rosenblatt.engine.online.threads import Visitor

CHEAP_PASS = 2**18  # multiplications in a pass over all rows that is made after every epoch without a second thought,
DEAR_PASS = 2**20  # and in one that is made as seldom as possible; between the two,
SOME_APART, MOST_APART = 4, 16  # epochs


def epochs_between_passes(price: float) -> int:
    """After how many epochs the pocket is looked at, if a pass over all rows takes `price` multiplications."""
    return MOST_APART if price > DEAR_PASS else SOME_APART if price > CHEAP_PASS else 1


@dataclass
class Pocket:
    """Gallant's pocket with ratchet: the weights with the fewest errors on the data seen so far.

    A run of correct answers longer than every run before it nominates the weights that it ended with. The latest
    nominee goes into the pocket if a pass over all rows finds fewer errors than the pocket has. Losing or winning,
    a nomination raises the run to beat. Passes are made at the end of every epoch while they are cheap, of every fourth
    where they are not, for the weights that the epoch ends with too; on large data, of every sixteenth. The weights
    that training ends with are always considered. Where the weights are so many that a copy per stretch would be dear,
    runs are not followed, and the weights at the times of the passes are the only nominees.

    On a stream there are no rows to go back to: there the longest run wins, as in the pocket without ratchet.
    """

    errors: float = np.inf
    kept: HalfSpaces | None = None
    shared: bool = False  # whether `kept` has the very weights of a state that a run ended with
    run: int = 0
    longest: int = 0
    start: HalfSpaces | None = None  # the weights at the start of the stretch that holds the nominee
    visits: Array | None = None  # the rows to visit from there to the nominee: those that taught something
    skipped: int = 0  # how many other rows were visited on the way

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

    def consider(self, visitor: Visitor, *states: HalfSpaces) -> None:
        """Keep the weights, one after the other, if a pass over all rows finds fewer errors than the pocket's."""
        if states:
            for state, errors in zip(states, visitor.errors(states, self.errors), strict=True):
                self.offer(state, errors)

    def offer(self, state: HalfSpaces, errors: float) -> None:
        """Keep the weights if they make fewer errors than those in the pocket."""
        if errors < self.errors:
            self.errors = errors
            self.keep(state)

    def follow(self, found: Found) -> bool:
        """Go on with the runs of another stretch; whether one of them is a record that a mistake has ended."""
        self.run = found.run
        is_record = found.longest > self.longest
        self.longest = max(found.longest, self.longest)
        return is_record

    def nominate(self, before: HalfSpaces, visits: Array, visited: int) -> HalfSpaces:
        """The latest nominee: the weights `before` a stretch after its first `visited` visits, which `visits` repeat.

        Returns a state that the caller may overwrite, in exchange for `before`.
        """
        spare = self.start
        self.start, self.visits, self.skipped = before, visits, visited - len(visits)
        return before.copy_to_repeat(before.lag) if spare is None else spare

    def nominee(self, visitor: Visitor) -> list[HalfSpaces]:
        """The weights that were nominated last, if there are any that were not judged yet."""
        if self.start is None or self.visits is None:
            return []
        visits, self.visits = self.visits, None
        if not visitor.repeat(self.start, visits):  # the same visits again lead to the same weights, bit for bit
            return []
        self.start.ledger[: self.start.count, SEEN] += self.skipped
        return [self.start]

    def close(self, visitor: Visitor, state: HalfSpaces, pocket_check: str | None, clean: bool) -> None:
        """The end of a run: the last nominee, and the weights as they are now."""
        if pocket_check == "stream":
            for nominee in self.nominee(visitor):
                self.keep(nominee)
            if self.run > self.longest or self.kept is None:  # a record run that still goes on counts
                self.longest = max(self.run, self.longest)
                self.keep(state)
        elif pocket_check is not None and clean:
            self.errors = 0.0
            self.share(state)  # a clean epoch is a pass that found no error
        elif pocket_check is not None:
            rivals = self.nominee(visitor)
            if self.kept is None and not rivals:
                self.share(state)  # without a rival there is nothing to compare
            else:
                *theirs, errors = visitor.errors((*rivals, state), self.errors)
                for rival, count in zip(rivals, theirs, strict=True):
                    self.offer(rival, count)
                if errors < self.errors:
                    self.errors = errors
                    self.share(state)
        self.start = None
