"""Networks of gates on packed bits: eight rows to a byte, one operation of the processor for many rows.

A unit that is an *and* or an *or* of what it reads, or of complements, needs no sum. Ands that begin alike share their
beginning, as "this rule and none before it" does from rule to rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.unit import ThresholdUnit

Literal = tuple[int, bool]  # the place of a value, and whether it is read as it is


class PackedNetwork:
    """A network of ands and ors as a list of operations on two values each; `possible` tells whether it is one."""

    def __init__(self, network: ThresholdNetwork) -> None:
        self.n_inputs = len(network.inputs)
        self.steps: list[tuple[bool, Literal, Literal]] = []  # (and, not or; left; right)
        self.known: dict[Any, int] = {}
        self.possible = True
        values: dict[str, Literal | bool] = {name: (i, True) for i, name in enumerate(network.inputs)}
        for name, unit in network.units.items():
            gate = _gate(unit)
            if gate is None:
                self.possible = False
                return
            values[name] = self._unit(*gate, values)
        self.outputs = [values[name] for name in network.outputs]

    def _unit(self, is_and: bool, read: list[tuple[str, bool]], values: dict[str, Literal | bool]) -> Literal | bool:
        literals: dict[Literal, None] = {}
        for name, positive in read[1:] + read[:1]:  # what is a rule's own comes last, what it shares with others first
            value = values[name]
            if isinstance(value, bool):
                if (value == positive) != is_and:
                    return not is_and
                continue
            literals[value[0], value[1] == positive] = None
        if not literals:
            return is_and
        first, *others = literals
        for other in others:
            key = (is_and, first, other)
            if key not in self.known:
                self.known[key] = self.n_inputs + len(self.steps)
                self.steps.append(key)
            first = (self.known[key], True)
        return first

    def __call__(self, inputs: Sequence[Array]) -> list[Array]:
        """The packed outputs for packed inputs."""
        values = list(inputs)
        for is_and, left, right in self.steps:
            a, b = (values[place] if positive else ~values[place] for place, positive in (left, right))
            values.append(a & b if is_and else a | b)
        like = values[0] if values else np.empty(0, np.uint8)
        return [
            np.full_like(like, 255 * output)
            if isinstance(output, bool)
            else values[output[0]]
            if output[1]
            else ~values[output[0]]
            for output in self.outputs
        ]


def _gate(unit: ThresholdUnit) -> tuple[bool, list[tuple[str, bool]]] | None:
    """(is an and, not an or; what it reads) of a unit that is one of these; a constant reads nothing."""
    read = [(name, Fraction(weight)) for name, weight in zip(unit.inputs, unit.weights, strict=True) if weight]
    sizes = [abs(weight) for _, weight in read]
    needed = -Fraction(unit.bias) - sum(weight for _, weight in read if weight < 0)
    literals = [(name, weight > 0) for name, weight in read]
    if needed <= 0 or needed > sum(sizes):
        return needed <= 0, []
    if sum(sizes) - min(sizes) < needed:
        return True, literals
    return (False, literals) if min(sizes) >= needed else None
