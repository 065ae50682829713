"""The pocket (lecture row L9): the best weights that a run has passed through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.stored import checked, choice, instance, number, optional, whole

if TYPE_CHECKING:
    from rosenblatt.engine.online.mistakes import Runs
    from rosenblatt.engine.online.threads import Workers


@dataclass
class Pocket:
    """Gallant's pocket with ratchet: the weights with the fewest errors on the training rows seen so far.

    `check` says when weights become candidates.

    - "run": a run of correct answers that is longer than every run before it nominates the weights that it ended with.
      At the end of every epoch the latest nominee and the current weights are candidates.
    - "update": the weights after every update are candidates, as the lecture writes it.

    A candidate replaces the weights in the pocket if a pass over all rows finds fewer errors.
    """

    check: str = "run"
    errors: float = np.inf
    kept: HalfSpaces | None = None
    run: int = 0
    longest: int = 0
    before: HalfSpaces | None = None  # the state at the start of the current segment
    nominee: tuple[HalfSpaces, Array] | None = None  # a state, and the rows to visit from there to the nominee

    def start_segment(self, state: HalfSpaces) -> None:
        """Remember the state, to be able to return to any point of the segment that follows."""
        if self.check != "update":
            if self.before is None or self.before.vectors.shape != state.vectors.shape:
                self.before = state.copy()
            else:
                self.before.copy_from(state)

    def end_segment(self, workers: Workers, state: HalfSpaces, order: Array, runs: Runs, updates: int) -> None:
        """Follow the runs of correct answers in a segment that visited the rows in `order` and made `updates`."""
        self.run = runs.run
        if self.check == "update":
            if updates:
                self.consider(workers, state)
        elif runs.longest > self.longest:
            assert self.before is not None
            self.longest = runs.longest
            before, self.before = self.before, None
            self.nominee = before, order[: runs.end].copy()

    def end_epoch(self, workers: Workers, state: HalfSpaces) -> None:
        """Compare the candidates of an epoch with the weights in the pocket."""
        nominee = self._visit_nominee(workers)
        for candidate in (nominee, state):
            if candidate is not None:
                self.consider(workers, candidate)

    def consider(self, workers: Workers, state: HalfSpaces) -> None:
        """Keep the weights if they make fewer errors on all rows than those in the pocket."""
        errors = workers.errors(state, self.errors)
        if errors < self.errors or self.kept is None:
            self.errors, self.kept = errors, state.copy(averages=False)

    def _visit_nominee(self, workers: Workers) -> HalfSpaces | None:
        """The weights that were nominated last: the same visits again lead to the same weights, bit for bit."""
        if self.nominee is None:
            return None
        (state, order), self.nominee = self.nominee, None
        workers.visit(state, order)
        return state

    def to_state(self) -> dict[str, Any]:
        """For a model file, between two fits."""
        return {"check": self.check, "errors": float(self.errors), "kept": self.kept, "run": int(self.run),
                "longest": int(self.longest)}  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Pocket:
        kinds = {
            "check": choice("run", "update", "stream"),  # the last in files from before streams refused a pocket
            "errors": number,
            "kept": optional(instance(HalfSpaces)),
            "run": whole,
            "longest": whole,
        }
        checked("Pocket", state, kinds)
        return cls(**state)
