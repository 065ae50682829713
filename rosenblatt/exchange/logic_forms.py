"""The forms of threshold units, networks, machines and rules. Weights are whole numbers and fractions, as text."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from rosenblatt.exchange.checks import Check, complaints, flag, instance, items, mapping, optional, text
from rosenblatt.exchange.forms import Form, Values
from rosenblatt.logic.machine import ThresholdMachine
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.rule_text import RuleText
from rosenblatt.logic.rules import RuleNetwork
from rosenblatt.logic.unit import ThresholdUnit

DIGITS = 4000  # beyond it Python refuses to read a number
FRACTION = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)


def _checked(kind: type, fitted: Values, checks: dict[str, Check]) -> None:
    wrong = complaints(fitted, checks, {})
    missing = [name for name in checks if name not in fitted]
    if wrong or missing:
        raise ValueError(f"{kind.__name__}: {wrong or f'{missing[0]} is missing'}")


def fraction(value: Any, sizes: Any) -> bool:
    return isinstance(value, str) and FRACTION.fullmatch(value) is not None and not value.endswith("/0")


def written(value: Any) -> str:
    exact = Fraction(value)
    if max(abs(exact.numerator), exact.denominator).bit_length() > 3.3 * DIGITS:
        raise ValueError(f"A model file holds numbers of up to {DIGITS} digits, but a weight has more; round it.")
    return str(exact)


def take_unit(unit: ThresholdUnit) -> tuple[Values, Values]:
    weights = [written(weight) for weight in unit.weights]
    return {}, {
        "weights": weights, "bias": written(unit.bias), "inputs": list(unit.inputs),
        "proven_minimal": unit.proven_minimal,
    }  # fmt: skip


def make_unit(parameters: Values, fitted: Values) -> ThresholdUnit:
    checks = {"weights": items(fraction), "bias": fraction, "inputs": items(text), "proven_minimal": optional(flag)}
    _checked(ThresholdUnit, fitted, checks)
    weights = [Fraction(weight) for weight in fitted["weights"]]
    unit = ThresholdUnit(weights, Fraction(fitted["bias"]), tuple(fitted["inputs"]))
    unit.proven_minimal = fitted["proven_minimal"]
    return unit


def take_network(network: ThresholdNetwork) -> tuple[Values, Values]:
    units = dict(network.units)
    return {}, {"inputs": list(network.inputs), "units": units, "outputs": list(network.outputs)}


def make_network(parameters: Values, fitted: Values) -> ThresholdNetwork:
    checks = {"inputs": items(text), "units": mapping(text, instance(ThresholdUnit)), "outputs": items(text)}
    _checked(ThresholdNetwork, fitted, checks)
    return ThresholdNetwork(tuple(fitted["inputs"]), fitted["units"], tuple(fitted["outputs"]))


def take_machine(machine: ThresholdMachine) -> tuple[Values, Values]:
    return {}, {
        "network": machine.network, "delays": machine.delays, "outputs": list(machine.outputs),
        "start": machine.start, "state": {name: int(value) for name, value in machine.state.items()},
    }  # fmt: skip


def make_machine(parameters: Values, fitted: Values) -> ThresholdMachine:
    def bit(value: Any, sizes: Any) -> bool:
        return type(value) is int and value in (0, 1)

    checks = {
        "network": instance(ThresholdNetwork), "delays": mapping(text, text), "outputs": items(text),
        "start": mapping(text, bit), "state": mapping(text, bit),
    }  # fmt: skip
    _checked(ThresholdMachine, fitted, checks)
    machine = ThresholdMachine(fitted["network"], fitted["delays"], tuple(fitted["outputs"]), fitted["start"])
    if set(fitted["state"]) != set(machine.state):
        raise ValueError("ThresholdMachine: it remembers other things than its memories")
    machine.state = fitted["state"]
    return machine


def take_rules(network: RuleNetwork) -> tuple[Values, Values]:
    return {}, {"rules": [rule.text for rule in network.rules]}


def make_rules(parameters: Values, fitted: Values) -> RuleNetwork:
    _checked(RuleNetwork, fitted, {"rules": items(text)})
    return RuleNetwork(RuleText(";\n".join(fitted["rules"])).read())


FORMS = (
    Form(ThresholdUnit, take_unit, make_unit),
    Form(ThresholdNetwork, take_network, make_network),
    Form(ThresholdMachine, take_machine, make_machine),
    Form(RuleNetwork, take_rules, make_rules),
)
