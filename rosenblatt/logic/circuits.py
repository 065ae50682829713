"""Circuits of threshold units: adders with two units for each digit, and a counter.

A full adder is a majority for the carry, and for the sum a + b + c - 2 carry >= 0.5: two units.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rosenblatt.arguments import whole_number
from rosenblatt.logic.machine import ThresholdMachine
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.unit import ThresholdUnit

HALF = Fraction(1, 2)
MOST_BITS = 1000  # the units are put in order, and asked, one layer after another: the effort grows with the square


def _bits(bits: Any, instead: str) -> int:
    why = f"it is a number of binary digits, and the effort grows with its square; {instead}"
    return whole_number("bits", bits, 1, why, most=MOST_BITS)


def _sum(inputs: tuple[str, ...], carry: str) -> ThresholdUnit:
    """The lowest digit of the number of inputs that are on, which are at most 3, given the digit above."""
    return ThresholdUnit([*[1] * len(inputs), -2], -HALF, (*inputs, carry))


def adder(bits: int = 4) -> ThresholdNetwork:
    """Add two binary numbers, highest digit first: a3 … a0 b3 … b0 in, s4 … s0 out (for 4 bits).

    >>> from rosenblatt.logic.circuits import adder
    >>> adder(4)([1, 0, 1, 1,  0, 1, 1, 0]).tolist()  # 11 + 6
    [1, 0, 0, 0, 1]
    """
    units: dict[str, ThresholdUnit] = {}
    bits = _bits(bits, "serial_adder() adds numbers of any length")
    for i in range(bits):
        inputs = (f"a{i}", f"b{i}", *((f"c{i}",) if i else ()))
        carry = f"c{i + 1}" if i + 1 < bits else f"s{bits}"  # the last carry is the highest digit
        units[carry] = ThresholdUnit.at_least(2, len(inputs), inputs)
        units[f"s{i}"] = _sum(inputs, carry)
    down = range(bits - 1, -1, -1)
    names = (*(f"a{i}" for i in down), *(f"b{i}" for i in down))
    return ThresholdNetwork(names, units, [f"s{i}" for i in range(bits, -1, -1)])


def serial_adder() -> ThresholdMachine:
    """Add two binary numbers of any length, one digit of each per step, the lowest first; it remembers the carry.

    >>> from rosenblatt.logic.circuits import serial_adder
    >>> serial_adder().run([(1, 0), (1, 1), (0, 1), (1, 0), (0, 0)]).ravel().tolist()  # 11 + 6, lowest digit first
    [1, 0, 0, 0, 1]
    """
    inputs = ("a", "b", "carry")
    units = {"next carry": ThresholdUnit.majority(3, inputs), "sum": _sum(inputs, "next carry")}
    return ThresholdMachine(ThresholdNetwork(inputs, units, ("sum",)), {"carry": "next carry"})


def counter(bits: int = 3) -> ThresholdMachine:
    """Count the steps at which `tick` is on, from 0 to 2^bits - 1 and round again; it shows its digits, highest first.

    >>> from rosenblatt.logic.circuits import counter
    >>> counter(3).run([1, 1, 0, 1, 1]).tolist()
    [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]]
    """
    units: dict[str, ThresholdUnit] = {}
    carry = "tick"
    for i in range(_bits(bits, "pass fewer")):
        inputs = (f"q{i}", carry)
        if i + 1 < bits:
            units[f"c{i + 1}"] = ThresholdUnit.and_(2, inputs)
            units[f"q{i}'"] = _sum(inputs, f"c{i + 1}")
            carry = f"c{i + 1}"
        else:  # the last carry is dropped, but the sum needs it
            units["over"] = ThresholdUnit.and_(2, inputs)
            units[f"q{i}'"] = _sum(inputs, "over")
    down = range(bits - 1, -1, -1)
    network = ThresholdNetwork(("tick", *(f"q{i}" for i in down)), units, [f"q{i}'" for i in down])
    return ThresholdMachine(network, {f"q{i}": f"q{i}'" for i in down})
