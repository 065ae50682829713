"""A network of threshold units as matrices of weights, a layer at a time, and how near its sums come to thresholds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rosenblatt.logic.function import assignments
from rosenblatt.logic.network import ThresholdNetwork, widened
from rosenblatt.logic.one_unit import as_threshold_unit
from rosenblatt.logic.unit import ThresholdUnit

Array = npt.NDArray[np.float64]
Layers = list[tuple[Array, Array]]  # weights and biases, from the lowest layer up
CHECKED_INPUTS = 12  # up to here all rows are compared; above, there is a proof
NARROW = 1e-6  # of the largest weight: nearer sums are told apart by other, whole weights
WHOLE_INPUTS = 8  # up to here a unit that comes back gets the smallest whole weights


def matrices_of(network: ThresholdNetwork) -> tuple[Layers, list[tuple[str, ...]], list[Array]]:
    """Weights and biases of each layer, with units that carry values past a layer; names, inputs first; and gaps."""
    if network.depth == 0:  # outputs that are inputs
        copies = {f"{name}@": ThresholdUnit([1], Fraction(-1, 2), (name,)) for name in network.outputs}
        network = ThresholdNetwork(network.inputs, copies, tuple(copies))
    layered = network.layered()
    sources, layers, names, gaps = layered.inputs, [], [layered.inputs], []
    for level in range(1, layered.depth + 1):
        top = level == layered.depth
        own = layered.outputs if top else tuple(n for n in layered.units if layered.level[n] == level)
        centred = [_centred(layered.units[name]) for name in own]
        units = [widened(unit, sources) for unit, _ in centred]
        weights = np.array([[float(w) for w in unit.weights] for unit in units]).reshape(len(own), len(sources))
        layers.append((weights, np.array([float(unit.bias) for unit in units])))
        sources = own
        names.append(own)
        gaps.append(np.array([gap for _, gap in centred]))
    return layers, names, gaps


def surely_the_same(layers: Layers, gaps: list[Array], steepness: float, *, numbers: bool = False) -> bool:
    """Whether bounds on the activations prove that every row is decided as the units decide it.

    A unit's sum is `gap` or more from its threshold on every row of zeros and ones. Activations below that are at most
    `off` from zero or one move it by at most sum |w| off; what is left of the gap bounds how far its own is off. With
    `numbers` the lowest layer compares numbers of any size, and only those near its thresholds are near a gap.
    """
    off = np.zeros(layers[0][0].shape[1])
    for level, ((weights, bias), gap) in enumerate(zip(layers, gaps, strict=True)):
        rounding = 1e-12 * (np.abs(weights).sum(axis=1) + np.abs(bias))
        if numbers and level == 0:
            rounding = 1e-15 * np.abs(bias)
        left = gap - np.abs(weights) @ off - rounding
        if not (left > 0).all():
            return False
        off = 1.0 / (1.0 + np.exp(np.minimum(steepness * left, 700.0)))
    return True


def _centred(unit: ThresholdUnit) -> tuple[ThresholdUnit, float]:
    """(the same unit with its threshold half way between the sums on either side, its distance from them).

    On the threshold a sigmoid would answer one half, and beside it the rounding of weights such as 1/3 could decide.
    """
    n = len(unit.inputs)
    if n > CHECKED_INPUTS:  # the complement of the complement has no row on its threshold
        unit = ~~unit
        return unit, gap_of(unit)
    weights, bias = unit.integers
    sums = sorted(set(assignments(n).astype(object).dot(np.array(weights, object)).tolist())) if n else [0]
    step = max([1, *map(abs, weights)])
    below = max((total for total in sums if total < -bias), default=sums[0] - step)
    above = min((total for total in sums if total >= -bias), default=sums[-1] + step)
    if n <= WHOLE_INPUTS and above - below < NARROW * step:
        return _centred(as_threshold_unit(unit))
    level, gap = Fraction(below + above, 2 * unit.denominator), Fraction(above - below, 2 * unit.denominator)
    return ThresholdUnit(unit.weights, -level, unit.inputs), float(gap)


def gap_of(unit: ThresholdUnit) -> float:
    """How near a sum of some of the weights can come to the threshold: they are all multiples of one number."""
    weights, bias = [Fraction(weight) for weight in unit.weights], Fraction(unit.bias)
    denominator = math.lcm(*(weight.denominator for weight in weights))
    step = Fraction(math.gcd(*(int(weight * denominator) for weight in weights)), denominator)
    if step == 0:
        return float(abs(bias))
    rest = bias % step
    return float(min(rest, step - rest))


def unit_of(weights: Array, bias: float, sources: tuple[str, ...], signed: bool) -> ThresholdUnit:
    exact, level = [Fraction(float(w)) for w in weights], Fraction(float(bias))
    if signed:  # the layer below answers -1 and +1, its units 0 and 1
        exact, level = [2 * w for w in exact], level - sum(exact)
    unit = ThresholdUnit(exact, level, sources)
    return as_threshold_unit(unit) if len(sources) <= WHOLE_INPUTS else unit
