"""The latest lessons of a single half-space of sparse rows, kept so that they can be taken back and looked at again.

For each lesson there is its row, the bias that it met, and the weights that it changed as they were before, in the
order of the row's numbers; the sums for the averages as well, where the half-space keeps them.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from rosenblatt.engine import noted
from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.layouts.csr_blocks import ONE, U
from rosenblatt.engine.noted_state import NotedHalfSpaces
from rosenblatt.engine.online.state import SETTLE_AFTER, Array, HalfSpaces

MOST = 1024  # lessons
NOTES = 8  # for one lesson, at most, where lessons are noted down
WEIGHTS = 5  # for one number that lessons have changed, at most
LESSONS, NUMBERS, FULL = range(3)  # how many lessons, how many numbers they have changed, whether one found no room


def make_keep(layout: ModuleType) -> Any:
    """Keep what a lesson by row i is going to change; False if there is no room."""

    @part
    def keep_sum(sums: Any, place: Any, lag: Any, j: Any) -> None:
        sums[place] = lag[0, j, 0]

    @part
    def keep_nothing(sums: Any, place: Any, lag: Any, j: Any) -> None:
        pass  # notes are simply forgotten

    keep_sum_too = keep_nothing if layout is noted else keep_sum

    @part
    def keep(rows: Any, i: Any, bias: Any, vectors: Any, lag: Any, lessons: Any) -> bool:
        counts, taught, met, old, sums = lessons
        start, stop = U(rows[2][i]), U(rows[2][i + ONE])
        place, lesson = U(counts[NUMBERS]), U(counts[LESSONS])
        if place + stop - start > U(old.shape[0]) or lesson >= U(taught.shape[0]):
            counts[FULL] = 1
            return False
        taught[lesson], met[lesson] = i, bias
        for p in range(start, stop):
            j = U(rows[1][p])
            old[place] = vectors[0, j, 0]
            keep_sum_too(sums, place, lag, j)
            place += ONE
        counts[LESSONS], counts[NUMBERS] = lesson + ONE, place
        return True

    return keep


@part
def exchange(rows: Any, i: Any, place: Any, old: Any, vectors: Any, forward: Any) -> None:
    """Have the weights before a lesson instead of those after it, or the other way; a row may name a feature twice."""
    start, stop = U(rows[2][i]), U(rows[2][i + ONE])
    for n in range(stop - start):
        q = stop - start - ONE - n if forward else n
        j = U(rows[1][start + q])
        vectors[0, j, 0], old[place + q] = old[place + q], vectors[0, j, 0]


@functools.cache
def _make_restore(key: str) -> Any:
    def restore(rows: Any, count: Any, taught: Any, place: Any, old: Any, vectors: Any) -> None:
        """Take lessons back, the latest first."""
        key  # noqa: B018  part of the key under which the machine code is kept
        place = U(place)
        for n in range(count):
            i = U(taught[count - 1 - n])
            start, stop = U(rows[2][i]), U(rows[2][i + ONE])
            place -= stop - start
            for p in range(start, stop):
                vectors[0, U(rows[1][p]), 0] = old[place + p - start]

    return compiled.jit(restore)


@functools.cache
def _make_walk(key: str) -> Any:
    def walk(rows: Any, begin: Any, end: Any, taught: Any, place: Any, old: Any, vectors: Any) -> Any:
        """From the weights before lesson number `begin` to those before number `end`; the place in `old` there."""
        key  # noqa: B018
        place = U(place)
        for n in range(begin, end):
            i = U(taught[n])
            exchange(rows, i, place, old, vectors, True)
            place += U(rows[2][i + ONE]) - U(rows[2][i])
        for n in range(begin - end):
            i = U(taught[begin - 1 - n])
            place -= U(rows[2][i + ONE]) - U(rows[2][i])
            exchange(rows, i, place, old, vectors, False)
        return place

    return compiled.jit(walk)


@functools.cache
def _make_spread(key: str) -> Any:
    def spread(
        rows: Any, count: Any, taught: Any, old: Any, exchanged: Any, vectors: Any, side: Any
    ) -> float:  # fmt: skip
        """Have the least that each weight was (side 1) or the largest (-1); by how much the sum of squares grew."""
        key  # noqa: B018
        place, grown = U(0), 0.0
        for n in range(count):
            i = U(taught[n])
            for p in range(U(rows[2][i]), U(rows[2][i + ONE])):
                j = U(rows[1][p])
                now, before = vectors[0, j, 0], old[place]
                beyond = side * before < side * now
                exchanged[place] = beyond
                if beyond:
                    vectors[0, j, 0], old[place] = before, now
                    grown += np.float64(before) * np.float64(before) - np.float64(now) * np.float64(now)
                place += ONE
        return grown

    return compiled.jit(spread)


@functools.cache
def _make_gather(key: str) -> Any:
    def gather(rows: Any, count: Any, taught: Any, place: Any, old: Any, exchanged: Any, vectors: Any) -> None:
        """Undo `spread`."""
        key  # noqa: B018
        place = U(place)
        for n in range(count):
            i = U(taught[count - 1 - n])
            start, stop = U(rows[2][i]), U(rows[2][i + ONE])
            for q in range(stop - start):
                place -= ONE
                if exchanged[place]:
                    j = U(rows[1][stop - ONE - q])
                    vectors[0, j, 0], old[place] = old[place], vectors[0, j, 0]

    return compiled.jit(gather)


class Lessons:
    """The lessons since the last `begin`, and ways between the weights before, among and after them."""

    def __init__(self, rows: tuple[Array, ...], state: HalfSpaces) -> None:
        self.rows, self.state = rows, state
        noted = isinstance(state, NotedHalfSpaces)
        most, room = _room(state)
        self.counts = np.zeros(3, np.int64)
        self.taught, self.met = np.empty(most, np.uint32), np.empty(most)
        self.old = np.empty(room, state.dtype)
        self.sums = np.empty(0 if noted else room, state.dtype)
        self.exchanged = np.empty(room, np.uint8)
        key = f"lessons {compiled.engine_digest()}"
        self._restore, self._walk, self._spread, self._gather = (
            make(key) for make in (_make_restore, _make_walk, _make_spread, _make_gather)
        )
        self.begin()

    def begin(self) -> None:
        """Forget all lessons; those that come can be taken back to here."""
        self.counts[:] = 0
        self.ledger = self.state.ledger.copy()
        self.noted = int(self.state.noted[0]) if isinstance(self.state, NotedHalfSpaces) else 0

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What a loop keeps lessons in."""
        return self.counts, self.taught, self.met, self.old, self.sums

    @property
    def rows_taught(self) -> Array:
        return self.taught[: self.counts[LESSONS]]

    @property
    def full(self) -> bool:
        return bool(self.counts[FULL])

    @property
    def half_full(self) -> bool:
        return bool(2 * self.counts[LESSONS] > len(self.taught) or 2 * self.counts[NUMBERS] > len(self.old))

    def take_back(self) -> None:
        """Have everything as it was at the beginning."""
        state, (lessons, numbers) = self.state, self.counts[:2]
        self._restore(self.rows, lessons, self.taught, numbers, self.old, state.vectors)
        if isinstance(state, NotedHalfSpaces):
            state.noted[0] = self.noted
        else:
            self._restore(self.rows, lessons, self.taught, numbers, self.sums, state.lag)
        state.ledger[...] = self.ledger
        self.counts[:] = 0

    def spread(self, side: float) -> float:
        """Have the least that each weight was (side 1) or the largest (-1); by how much the sum of squares grew."""
        found: float = self._spread(
            self.rows, self.counts[LESSONS], self.taught, self.old, self.exchanged, self.state.vectors, side
        )
        return found

    def gather(self) -> None:
        """Have the weights again that were spread."""
        lessons, numbers = self.counts[:2]
        self._gather(self.rows, lessons, self.taught, numbers, self.old, self.exchanged, self.state.vectors)

    def walk(self, begin: int, end: int, place: int) -> int:
        """From the weights before lesson number `begin` to those before number `end`; the place in `old` there."""
        found: int = self._walk(self.rows, begin, end, self.taught, place, self.old, self.state.vectors)
        return found


def _room(state: HalfSpaces) -> tuple[int, int]:
    """For so many lessons, and so many numbers that they change."""
    most = MOST
    if isinstance(state, NotedHalfSpaces):
        most = min(MOST, state.room_for_notes, state.most_notes // NOTES)
    return most, state.n_features // WEIGHTS


def would_fit(state: HalfSpaces, lessons: float, numbers: float) -> bool:
    """Whether so many lessons, which change so many numbers, would fill no more than half of the room."""
    most, room = _room(state)
    return 2 * lessons <= most and 2 * numbers <= room


def examples_before_settling(state: HalfSpaces) -> float:
    """How many examples a half-space may see before its sums are carried into float64, which cannot be taken back.

    Notes become sums before that, if there are too many of them: none where that might happen among the lessons.
    """
    if isinstance(state, NotedHalfSpaces) and not state.has_sums:
        return np.inf if int(state.noted[0]) + _room(state)[0] <= state.most_notes else 0.0
    return np.inf if state.dtype != np.float32 else SETTLE_AFTER - float(state._reach()[0])
