"""K half-spaces in their dual form: sums over rows, as arrays on the host.

Half-space k is w_k = sum_j coefficients[j, k] φ(x_j) over the rows j that have made updates. The sum of the
weights after every example, which averaging needs, is kept lazily as in the primal form:

    sum_t w_t  =  T · coefficients - lag,     lag += (t - 1) · step     for a step made at example t of T.

A row that is dropped has its coefficients and counters set to 0; the weights before that were what they were, and stay
in the average. A row that is forgotten under a budget leaves the average too, since nothing of it may be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.engine.online.update_log import UpdateLog
from rosenblatt.stored import MOST, array, checked, choice, indices, maybe, row_of, size, whole

COUNTERS = ("count", "size", "seen", "shown", "updates", "mistakes")
SLOTS = ("numbers", "coefficients", "lag", "counts", "taught")


class Expansion:
    """`count` half-spaces over rows that are kept in slots; `numbers[s]` is the number of the row in slot s."""

    def __init__(self, count: int, dtype: Any = np.float64) -> None:
        self.count = count
        self.dtype = np.dtype(dtype)  # of the kernel values
        self.size = 0
        self.numbers = np.empty(0, np.int64)
        self.coefficients = np.zeros((0, count))
        self.lag = np.zeros((0, count))
        self.counts = np.zeros((0, count), np.int64)
        self.squared = np.zeros(count)  # ‖w_k‖²
        self.seen = 0  # examples
        self.shown = 0  # rows, those with weight 0 too: the number of the next row
        self.updates = 0
        self.mistakes = 0
        self.dropped: list[int] = []
        self.taught: Array = np.empty(0, np.int64)  # the time of each slot's last update; a budget forgets the oldest
        # What happened, chunk by chunk: (numbers, steps, times); None where it is not kept.
        self.history: list[tuple[Array, Array, Array]] | None = []

    def _grow(self, size: int) -> None:
        room = len(self.numbers)
        if size <= room:
            return
        room = max(64, 2 * room, size)
        for name in SLOTS:
            old = getattr(self, name)
            new = np.zeros((room, *old.shape[1:]), old.dtype)
            new[: self.size] = old[: self.size]
            setattr(self, name, new)

    def add(self, numbers: Array) -> Array:
        """Slots for rows that have none yet."""
        slots = np.arange(self.size, self.size + len(numbers))
        self._grow(self.size + len(numbers))
        self.numbers[slots] = numbers
        self.size += len(numbers)
        return slots

    def learn(self, slots: Array, steps: Array, times: Array, removed: Array) -> None:
        """Rows in `slots` have moved the half-spaces by `steps` at the examples `times`; `removed` ones are dropped."""
        self.coefficients[slots] += steps
        self.lag[slots] += steps * (times[:, None] - 1.0)
        self.counts[slots] += steps != 0.0
        self.taught[slots] = times
        if self.history is not None:
            self.history.append((self.numbers[slots], steps, times))
        self.counts[slots[removed]] = 0

    def forget(self, slot: int) -> None:
        """Take the row in this slot out of the weights and of the average."""
        if self.history is not None:
            numbers, steps = self.numbers[slot : slot + 1].copy(), -self.coefficients[slot : slot + 1]
            self.history.append((numbers, steps, np.array([self.seen])))
        self.coefficients[slot] = self.lag[slot] = 0.0
        self.counts[slot] = 0

    def keep(self, slots: Array) -> None:
        """Forget all other slots; the ones that are kept move together, in their order."""
        n = len(slots)
        for name in SLOTS:
            array = getattr(self, name)
            array[:n] = array[slots]
            array[n : self.size] = 0
        self.size = n

    @property
    def alive(self) -> Array:
        """The slots that have a coefficient."""
        return np.flatnonzero(self.coefficients[: self.size].any(axis=1))

    def last(self) -> Array:
        return self.coefficients[: self.size].copy()

    def averaged(self) -> Array:
        seen = max(self.seen, 1)
        return (seen * self.coefficients[: self.size] - self.lag[: self.size]) / seen

    def norm(self) -> float:
        """The length of all weights together; a kernel that is not positive semi-definite may have none."""
        return float(np.sqrt(max(0.0, float(self.squared.sum()))))

    def select(self, sources: Sequence[int], signs: Sequence[float]) -> Expansion:
        """New half-spaces, the n-th a copy of number `sources[n]`, turned around where its sign is -1; -1 is zero."""
        chosen, turn = np.asarray(sources, np.int64), np.asarray(signs, np.float64)
        result = Expansion(len(chosen), self.dtype)
        result._grow(len(self.numbers))
        for name in ("size", "seen", "shown", "updates", "mistakes"):
            setattr(result, name, getattr(self, name))
        result.dropped = list(self.dropped)
        result.numbers[: self.size] = self.numbers[: self.size]
        result.taught[: self.size] = self.taught[: self.size]

        def columns(array: Array, factor: Any) -> Array:
            widened = np.concatenate([array, np.zeros((len(array), 1), array.dtype)], axis=1)
            return widened[:, chosen] * factor + 0  # + 0: no negative zeros

        result.coefficients[: self.size] = columns(self.coefficients[: self.size], turn)
        result.lag[: self.size] = columns(self.lag[: self.size], turn)
        result.counts[: self.size] = columns(self.counts[: self.size], 1)
        result.squared = columns(self.squared[None, :], 1)[0]
        result.history = None
        if self.history is not None:
            result.history = [(numbers, columns(steps, turn), times) for numbers, steps, times in self.history]
        return result

    def log(self) -> UpdateLog:
        """Every update, by half-space; `rows` are numbers of rows."""
        result = UpdateLog(self.count)
        for numbers, steps, times in self.history or []:
            for k in range(self.count):
                moved = np.flatnonzero(steps[:, k])
                if len(moved):
                    figures = np.stack([steps[moved, k], np.ones(len(moved)), times[moved]], axis=1)
                    result._rows[k].append(numbers[moved])
                    result._numbers[k].append(figures.astype(np.float64))
        return result

    def to_state(self) -> dict[str, Any]:
        """For a model file."""
        state: dict[str, Any] = {name: int(getattr(self, name)) for name in COUNTERS}
        state |= {name: getattr(self, name)[: self.size] for name in SLOTS}
        state |= {"dtype": self.dtype, "squared": self.squared, "dropped": np.array(self.dropped, np.int64)}
        if self.history is not None:
            empty = np.empty(0, np.int64), np.empty((0, self.count)), np.empty(0, np.int64)
            state["history"] = [np.concatenate(part) for part in zip(*(self.history or [empty]), strict=True)]
        return state

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Expansion:
        history = row_of(array("i", "events"), array("f", "events", "count"), array("i", "events"))
        floats, counts = array("f", "size", "count"), array("i", "size", "count")
        checked("Expansion", state, {
            "count": size("count"), "size": size("size"), "seen": whole, "shown": size("shown"), "updates": whole,
            "mistakes": whole, "dtype": choice(np.dtype(np.float32), np.dtype(np.float64)),
            "numbers": indices("size", below="shown"), "coefficients": floats, "lag": floats, "counts": counts,
            "taught": array("i", "size"), "squared": array("f", "count"), "dropped": indices("dropped", below="shown"),
            "history": maybe(history),
        })  # fmt: skip
        result = cls(int(state["count"]), state["dtype"])
        for name in (*COUNTERS, *SLOTS, "squared"):
            expected = getattr(result, name)
            if isinstance(expected, np.ndarray) and state[name].dtype != expected.dtype:
                raise ValueError(f"Expansion: {name} has another dtype")
            setattr(result, name, state[name].copy() if isinstance(expected, np.ndarray) else int(state[name]))
        if len(np.unique(result.numbers)) != result.size:
            raise ValueError("Expansion: a row occurs twice")
        result.dropped, result.history = state["dropped"].tolist(), None
        if "history" in state:
            numbers, steps, times = state["history"]
            timed = bool(((times >= 0) & (times < MOST)).all())
            if not np.isin(numbers, result.numbers).all() or not timed or steps.dtype != np.float64:
                raise ValueError("Expansion: an update names a row or a time that is not there")
            result.history = [(numbers, steps, times)]
        return result
