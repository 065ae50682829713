"""Two threads for the same half-spaces: one leads, the other reads ahead. The result is the same, bit for bit.

Once most rows teach nothing, the weights that a row will meet are mostly those that are there already. So the rows
are taken in spans. The leader goes through a span from its beginning, row by row, exactly as it would alone; the helper
works out scores from the end of the span backwards, with the weights as they are. Where the two meet the leader takes
what the helper has, and the helper goes on to the next span: whoever is faster does more.

The board says which version of the weights is there, an odd number while they are being changed, and where the leader
is. A score counts only if its mark names the version that the leader has when it comes to the row: then it was worked
out, in the same order of additions, from the very weights that the leader would have used. Otherwise the leader does
it itself. It never waits: with a helper that comes late, or never, it does all the work alone.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from rosenblatt.engine.atomic import finish_reading, look, publish, rest_a_moment
from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.helper import Helper
from rosenblatt.engine.online.loop import LAYOUTS, VERSION, kernel_key, make_learn, make_learn_coupled
from rosenblatt.engine.online.state import SCORE, VECTOR_BYTES, Array, HalfSpaces, aligned_zeros

POSITION = VECTOR_BYTES // 4  # on the board: the row that the leader is at, in two cache lines of its own
GONE = 2 * POSITION  # on the board: whether the helper has left
TAKEN = 3 * POSITION  # on the board: how many rows the leader took from the helper
BOARD = 4 * POSITION
USEFUL = 1 / 8  # of the rows: a helper that does less is left alone for a while
LONGEST_LEAVE = 15  # stretches
PATIENCE = 512  # moments, about 20 microseconds: a leader that does not move has been interrupted,
NAP = 50e-6  # seconds: perhaps by the helper itself, on the same core. Asleep it makes room, and wakes up on another
SHORTEST, LONGEST = 16, 128  # rows in a span, a power of 2
LESSONS = 1 / 4  # in a span: each makes the helper's work of about half a span useless
MOST_LESSONS = 1 / 16  # per row: beyond, a helper does not help

U = np.uint64


def span_of(lessons_per_row: float) -> int:
    """How many rows a span should have, where so many rows teach something; 0 where a helper would not help."""
    if lessons_per_row > MOST_LESSONS:
        return 0
    span = LONGEST
    while span > SHORTEST and span * lessons_per_row > LESSONS:
        span //= 2
    return span


def _compile(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str, coupled: bool) -> Any:
    layout = LAYOUTS[layout_name]
    learn = (make_learn_coupled if coupled else make_learn)(key, function, n_parameters, weighted, layout)
    approach, ahead, fetch, work_out = layout.approach, layout.ahead, layout.fetch, layout.scores_and_fetch

    def lead(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, scores: Any, log: Any,
        guesses: Any, marks: Any, board: Any, span: Any,
    ) -> int:  # fmt: skip
        """Visit the rows in `order`; how many were visited before a score was not finite."""
        key  # noqa: B018  part of the key under which the machine code is kept
        n = order.shape[0]
        soon = ahead(rows)
        vectors, ledger = state[0], state[2]
        taken = 0
        for r in range(n):
            publish(board, U(POSITION), np.int64(r))
            i = np.int64(order[r])
            coming = np.int64(order[min(r + soon, n - 1)])
            prefetch(codes, U(coming))
            if look(marks, U(r)) == look(board, U(VERSION)):
                for k in range(first, last):
                    ledger[k, SCORE] = guesses[r & (2 * span - 1), k]
                taken += 1
                if (r + soon) & (span - 1) < soon:  # the beginning of the next span is the leader's again
                    fetch(rows, coming)
            else:
                following = np.int64(order[min(r + 1, n - 1)])
                approach(rows, following, vectors, first, last)
                work_out(rows, i, following, coming, vectors, first, last, ledger)
            c = 1.0
            if sample_weight.shape[0] > 0:
                c = sample_weight[i]
            if not learn(
                rows, i, codes[i], c, positive, params, state,
                intercept, shrink_intercept, first, last, log, board,
            ):  # fmt: skip
                publish(board, U(POSITION), np.int64(n))
                return r
            for k in range(first, last):
                scores[k, r] = ledger[k, SCORE]
        board[TAKEN] = taken
        publish(board, U(POSITION), np.int64(n))
        return n

    return compiled.jit(lead)


def _compile_helper(key: str, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    approach, ahead, fetch, work_out = layout.approach, layout.ahead, layout.fetch, layout.scores_and_fetch

    def read_ahead(
        rows: Any, order: Any, vectors: Any, first: Any, last: Any, ledger: Any,
        guesses: Any, marks: Any, board: Any, span: Any,
    ) -> bool:  # fmt: skip
        """Work out scores of rows that the leader will come to; whether it is through, or else it does not move."""
        key  # noqa: B018
        n = order.shape[0]
        soon = ahead(rows)
        version = -1
        begin, r, waited = 0, -1, 0
        while True:
            position = look(board, U(POSITION))
            if position >= n or waited > PATIENCE:
                break
            now = look(board, U(VERSION))
            here = position & -span
            if now & 1:
                rest_a_moment()
                continue
            if now != version or begin < here:
                version, begin = now, here
                r = min(begin + span, n) - 1
            if begin == here and r <= position:  # met: on to the next span
                begin = here + span
                if begin >= n:
                    break
                r = min(begin + span, n) - 1
                for q in range(soon):
                    fetch(rows, np.int64(order[max(r - q, begin)]))
            if r < begin:  # all that could be done ahead is done
                waited += 1
                rest_a_moment()
                continue
            waited = 0
            i = np.int64(order[r])
            following, coming = np.int64(order[max(r - 1, begin)]), np.int64(order[max(r - soon, begin)])
            approach(rows, following, vectors, first, last)
            work_out(rows, i, following, coming, vectors, first, last, ledger)
            for k in range(first, last):
                guesses[r & (2 * span - 1), k] = ledger[k, SCORE]
            finish_reading()
            if look(board, U(VERSION)) == version:
                publish(marks, U(r), version)
                r -= 1
        publish(board, U(GONE), np.int64(1))
        return waited <= PATIENCE

    return compiled.jit(read_ahead)


_leaders: dict[str, Any] = {}
_helpers: dict[str, Any] = {}


class Pair:
    """The compiled loops of a leader and a helper, for a rule and a layout, and what the two share."""

    def __init__(self, helper: Helper, rule: Any, n_parameters: int, weighted: int, layout: str, coupled: bool) -> None:
        key = kernel_key(rule, n_parameters, weighted, layout, coupled)
        if key not in _leaders:
            _leaders[key] = _compile(key, rule, n_parameters, weighted, layout, coupled)
        if layout not in _helpers:
            _helpers[layout] = _compile_helper(f"{compiled.engine_digest()} {layout}", layout)
        self.helper, self.lead, self.read_ahead = helper, _leaders[key], _helpers[layout]
        self.version = self.leave = self.left = 0
        self.guesses: Array = np.empty((0, 0))
        self.marks: Array = np.empty(0)

    def called(self) -> bool:
        """Whether the helper is called to the next stretch: not if it was too busy elsewhere to be of use lately."""
        self.left = max(0, self.left - 1)
        return self.left == 0

    def prepare(self, state: HalfSpaces, arguments: tuple[Any, ...]) -> None:
        """Compile both loops, with arguments that are to be visited by nobody."""
        shared = self._share(state, SHORTEST, arguments)
        self.lead(*arguments, *shared)
        self.read_ahead(*self._ahead(state, arguments), *shared)

    def _share(self, state: HalfSpaces, span: int, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """What leader and helper have in common in one stretch."""
        order, lanes = arguments[1], state.vectors.shape[0]
        if len(self.marks) < len(order) or self.guesses.shape != (2 * span, lanes):
            self.guesses = aligned_zeros((2 * span, lanes), state.dtype)
            self.marks = aligned_zeros((len(order),), np.int64)
        board = aligned_zeros((BOARD,), np.int64)  # a new one: a helper that is late knows nothing of other stretches
        board[VERSION] = self.version + 2  # no mark of an earlier stretch counts
        return self.guesses, self.marks, board, span

    def _ahead(self, state: HalfSpaces, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        rows, order = state.reads(arguments[0][:3]), arguments[1]  # what a reader notes for itself is its own
        return rows, order, state.vectors, 0, state.count, np.zeros_like(state.ledger)

    def visit(self, state: HalfSpaces, span: int, arguments: tuple[Any, ...]) -> int:
        """What the loop for a lone thread does, with these arguments, by two."""
        shared = self._share(state, span, arguments)
        board = shared[2]
        helper = self.helper.call(self._help, board, (*self._ahead(state, arguments), *shared))
        try:
            visited: int = self.lead(*arguments, *shared)
        finally:
            board[POSITION] = len(arguments[1])
            self.version = int(board[VERSION])
            useful = board[TAKEN] > USEFUL * len(arguments[1])
            self.leave = 0 if useful else min(2 * self.leave + 1, LONGEST_LEAVE)
            self.left = self.leave + 1
            if not (helper.cancel() or board[GONE]):  # it finds out later, and may write down one more row: not here
                self.guesses, self.marks = np.empty((0, 0)), np.empty(0)
        return visited

    def _help(self, board: Array, arguments: tuple[Any, ...]) -> None:
        nap = NAP
        while not self.read_ahead(*arguments):
            time.sleep(nap)
            nap *= 2
            board[GONE] = 0
