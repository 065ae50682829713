"""A block of half-spaces in training of which only what lessons have touched takes memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.layouts.csr_blocks import U
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.touched import NOTED, USED, are_few
from rosenblatt.engine.touched_loops import compiled_loop, make_count

if TYPE_CHECKING:
    from rosenblatt.engine.touched_state import TouchedHalfSpaces

NOWHERE: Array = np.empty(0, np.uint32)  # the places of features that stand in order


class Block:
    """Some half-spaces that stand side by side, a whole block or a part of one: where they are, and which."""

    def __init__(self, state: TouchedHalfSpaces, first: int, lanes: int) -> None:
        self.state, self.first, self.lanes = state, first, lanes
        self.number, shift = divmod(first, state.lanes)
        self.bits = state.touches[self.number], U(shift), U(lanes)  # who was touched where, and which bits are theirs
        self.in_order = state.in_order or are_few(state.width(self.number), state.dtype.itemsize, self.number)
        self.group = first // state.group
        self.used = 1 + (state.n_features if self.in_order else int(state.counts[self.group, USED]))
        self.noted = int(state.counts[self.number, NOTED])

    @property
    def width(self) -> Any:
        return self.bits[2]

    @property
    def start(self) -> int:
        return self.first * (self.state.n_features + 1)

    @property
    def slice(self) -> slice:
        return slice(self.first, self.first + self.lanes)

    @property
    def places(self) -> Array:
        return NOWHERE if self.in_order else self.state.given[self.group]

    @property
    def notes(self) -> tuple[Array, ...]:
        return tuple(part[self.number] for part in self.state.notes)

    def of(self, array: Array) -> Array:
        """The part of an array like the weights that belongs to the places given away, of a whole block."""
        return array.reshape(-1)[self.start : self.start + self.used * self.lanes]

    def count(self) -> int:
        """How many numbers were touched."""
        return int(compiled_loop(make_count)(*self.bits, self.used, np.empty(0, np.uint32)))

    def starts(self) -> Array:
        """Where the touched numbers of each place start among all that were touched."""
        starts = np.empty(self.used, np.uint32)
        compiled_loop(make_count)(*self.bits, self.used, starts)
        return starts

    def wanted(self, numbers: Array) -> Any:
        """A bit for every half-space that has a number, which is one from 0 on."""
        return U(sum(1 << lane for lane, number in enumerate(numbers[self.slice]) if number >= 0))

    def halves(self) -> list[Block]:
        """The same half-spaces in two parts, if there are several threads to work on them."""
        if self.state.helper is None or self.lanes < 2:
            return [self]
        low = self.lanes // 2
        return [Block(self.state, self.first, low), Block(self.state, self.first + low, self.lanes - low)]
