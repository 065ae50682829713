"""Networks of threshold units, and rules, as matrices steep enough that sigmoids decide alike; and the way back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.arguments import as_float, shortened
from rosenblatt.logic.comparisons import Comparison
from rosenblatt.logic.function import assignments, check_names, input_names
from rosenblatt.logic.matrices import CHECKED_INPUTS, Layers, matrices_of, surely_the_same, unit_of
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.rules import RuleNetwork
from rosenblatt.logic.unit import ThresholdUnit

Names = list[tuple[str, ...]]  # of the inputs and of the units of every layer

STEEPEST = 1 << 20


def softened(network: Any, steepness: float | None, resolution: Any) -> tuple[Layers, Names, list[str]]:
    """(weights and biases of sigmoid layers, names, the decisions of rules or nothing)."""
    if steepness is not None:
        _check_positive("steepness", steepness, "weights are multiplied by it")
    if isinstance(network, RuleNetwork):
        return _soft_rules(network, steepness, resolution)
    if isinstance(network, ThresholdUnit):
        network = ThresholdNetwork(network.inputs, {"out": network}, ("out",))
    if not isinstance(network, ThresholdNetwork):
        raise TypeError(
            f"soften takes networks of threshold units, but got {type(network).__name__}; pass a ThresholdNetwork, a "
            f"ThresholdUnit or a RuleNetwork."
        )
    layers, names, gaps = matrices_of(network)
    if steepness is None and len(network.inputs) > CHECKED_INPUTS:
        steepness = _steep_enough(lambda s: surely_the_same(layers, gaps, s))
    elif steepness is None:
        rows = assignments(len(network.inputs))
        wanted = network.evaluate(rows, signs=False)
        steepness = _steep_enough(lambda s: np.array_equal(_decided(rows, layers, s), wanted))
    return _steep(layers, steepness), names, []


def _check_positive(name: str, value: Any, why: str) -> None:
    if not 0 < as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, but got {shortened(value)}; {why}.")


def _steep(layers: Layers, steepness: float) -> Layers:
    return [(weights * float(steepness), bias * float(steepness)) for weights, bias in layers]


def _decided(rows: Any, layers: Layers, steepness: float) -> Any:
    """What sigmoid layers decide: one number for each row of a single output, a row of several."""
    values = rows.astype(np.float64)
    for weights, bias in _steep(layers, steepness):
        values = 1.0 / (1.0 + np.exp(-np.clip(values @ weights.T + bias, -700.0, 700.0)))
    found = (values >= 0.5).astype(int)
    return found[:, 0] if found.shape[1] == 1 else found


def _steep_enough(decides_alike: Callable[[float], bool]) -> float:
    """The smallest power of two at which the layers decide as the units do."""
    steepness = 1.0
    while steepness < STEEPEST:
        if decides_alike(steepness):
            return steepness
        steepness *= 2
    raise ValueError(
        f"The sigmoid layers do not decide as the units do, even at a steepness of {STEEPEST:,}; pass a steepness."
    )


def _soft_rules(rules: RuleNetwork, steepness: float | None, resolution: Any) -> tuple[Layers, Names, list[str]]:
    """A layer that compares columns with numbers, and above it the layers of the rules."""
    if None in rules.decisions or len(rules.decisions) < 2:
        raise ValueError(
            f"Rules become layers if they decide every row and in at least two ways, but these decide "
            f"{', '.join(map(str, rules.decisions))}; add 'otherwise' with another decision."
        )
    decisions = sorted(map(str, rules.decisions))
    outputs = dict(zip(map(str, rules.decisions), rules.network.outputs, strict=True))
    chosen = tuple(outputs[name] for name in (decisions if len(decisions) > 2 else decisions[1:]))
    above, names, gaps = matrices_of(ThresholdNetwork(rules.network.inputs, rules.network.units, chosen))
    weights = np.zeros((len(rules.comparisons), len(rules.columns)))
    bias = np.zeros(len(rules.comparisons))
    for row, atom in enumerate(rules.comparisons):
        column = rules.columns.index(atom.column)
        if isinstance(atom, Comparison):  # ±(x - level) is a multiple of the resolution; 1 at 0 and -1 below
            finest = resolution.get(atom.column, 1.0) if isinstance(resolution, Mapping) else resolution
            _check_positive("resolution", finest, "it is the smallest difference that counts")
            sign = -1.0 if atom.most else 1.0
            weights[row, column] = 2.0 * sign / float(finest)
            bias[row] = 1.0 - weights[row, column] * float(atom.level)
        else:
            weights[row, column], bias[row] = 2.0, -1.0
    layers, gaps = [(weights, bias), *above], [np.ones(len(bias)), *gaps]
    if steepness is None:
        steepness = _steep_enough(lambda s: surely_the_same(layers, gaps, s, numbers=True))
    return _steep(layers, steepness), names, decisions


def hardened(layers: Layers, signed: list[bool], inputs: Any, kept: Names) -> ThresholdNetwork:
    """The network whose units fire where activations are in the upper half; `signed` layers answer -1 and +1.

    `kept` are the names that `softened` gave: they are used if the layers still have their shape.
    """
    n = layers[0][0].shape[1]
    if [len(own) for own in kept] != [n, *(len(bias) for _, bias in layers)]:
        kept = []
    names = check_names(inputs, n) if inputs is not None else kept[0] if kept else input_names(n)
    if kept and set(names) & {name for own in kept[1:] for name in own}:  # other inputs were given the units' names
        kept = []
    network_inputs, units, below = names, {}, False
    for level, (matrix, biases) in enumerate(layers, 1):
        own = kept[level] if kept else _names(len(biases), level, level == len(layers), network_inputs)
        for name, weights, bias in zip(own, matrix, biases, strict=True):
            units[name] = unit_of(weights, bias, names, below)
        names, below = own, signed[level - 1]
    return ThresholdNetwork(network_inputs, units, names)


def _names(count: int, level: int, last: bool, inputs: tuple[str, ...]) -> tuple[str, ...]:
    if last and count == 1:
        return ("out",)
    stem = "out" if last else f"h{level}_"
    names = tuple(f"{stem}{i + 1}" for i in range(count))
    return names if not set(names) & set(inputs) else tuple(f"unit {name}" for name in names)
