"""From a network of threshold units to sigmoid layers that learn on, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.estimators.layer import Layer
from rosenblatt.estimators.validation import check_positive
from rosenblatt.logic.comparisons import Comparison
from rosenblatt.logic.function import assignments, check_names, input_names
from rosenblatt.logic.matrices import CHECKED_INPUTS, Layers, matrices_of, surely_the_same, unit_of
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.rules import RuleNetwork
from rosenblatt.logic.unit import ThresholdUnit

STEEPEST = 1 << 20


def soften(network: Any, steepness: float | None = None, *, resolution: Any = 1.0) -> Layer:
    """Turn a network of threshold units into sigmoid layers with the same answers, as a start for gradient training.

    Parameters
    ----------
    network : ThresholdNetwork, ThresholdUnit or RuleNetwork
        The layers of rules read the numbers of `RuleNetwork.columns`, in that order, and answer with their decisions.
    steepness : what weights and biases are multiplied by, above 0
        None is the smallest power of two with which the layers are known to decide as the units do: compared on all
        rows of up to 12 inputs, proven by bounds on the activations for more and for rules.
    resolution : float or mapping from column to float
        Rules only: the smallest difference between a value and a number of the rules. A sigmoid has no sharp edge, so
        that ``age >= 18`` becomes ``age >= 18 - resolution/2``. 1 is right for columns of whole numbers.

    Returns
    -------
    `Layer`, ready to answer, that ``fit`` trains on from these weights (``warm_start=True``).

    Raises
    ------
    TypeError
        If it is no network or unit.
    ValueError
        If no steepness is enough, or rules have no *otherwise* or fewer than two decisions.

    Examples
    --------
    >>> from rosenblatt import ThresholdNetwork, harden, soften
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> layer = soften(ThresholdNetwork.from_function("a ^ b"))
    >>> layer.predict(X).tolist()
    [0, 1, 1, 0]
    >>> harden(layer.fit(X, [0, 1, 1, 0]), inputs=("a", "b")).to_expression()
    '(a | b) & ~(a & b)'

    >>> from rosenblatt import from_rules
    >>> rules = from_rules("if age < 18 then child; if age >= 65 then senior; otherwise adult")
    >>> soften(rules).predict([[17.0], [18.0], [64.0], [65.0]]).tolist()
    ['child', 'adult', 'adult', 'senior']
    """
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
    if steepness is not None:
        check_positive("steepness", steepness, "weights are multiplied by it")
        return _named(_stack(layers, float(steepness)), names)
    if len(network.inputs) > CHECKED_INPUTS:
        return _named(_stack(layers, _steep_enough(lambda s: surely_the_same(layers, gaps, s))), names)
    rows = assignments(len(network.inputs))
    wanted = network.evaluate(rows, signs=False)
    numbers = rows.astype(np.float64)
    enough = _steep_enough(lambda s: np.array_equal(_stack(layers, s).predict(numbers), wanted))
    return _named(_stack(layers, enough), names)


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


def _soft_rules(rules: RuleNetwork, steepness: float | None, resolution: Any) -> Layer:
    """A layer that compares columns with numbers, and above it the layers of the rules."""
    if None in rules.decisions or len(rules.decisions) < 2:
        raise ValueError(
            f"Rules become layers if they decide every row and in at least two ways, but these decide "
            f"{', '.join(map(str, rules.decisions))}; add 'otherwise' with another decision."
        )
    decisions = sorted(map(str, rules.decisions))
    outputs = dict(zip(map(str, rules.decisions), rules.network.outputs, strict=True))
    chosen = tuple(outputs[name] for name in (decisions if len(decisions) > 2 else decisions[1:]))
    above, _, gaps = matrices_of(ThresholdNetwork(rules.network.inputs, rules.network.units, chosen))
    weights = np.zeros((len(rules.comparisons), len(rules.columns)))
    bias = np.zeros(len(rules.comparisons))
    for row, atom in enumerate(rules.comparisons):
        column = rules.columns.index(atom.column)
        if isinstance(atom, Comparison):  # ±(x - level) is a multiple of the resolution; 1 at 0 and -1 below
            finest = resolution.get(atom.column, 1.0) if isinstance(resolution, Mapping) else resolution
            check_positive("resolution", finest, "it is the smallest difference that counts")
            sign = -1.0 if atom.most else 1.0
            weights[row, column] = 2.0 * sign / float(finest)
            bias[row] = 1.0 - weights[row, column] * float(atom.level)
        else:
            weights[row, column], bias[row] = 2.0, -1.0
    layers, gaps = [(weights, bias), *above], [np.ones(len(bias)), *gaps]
    if steepness is None:
        steepness = _steep_enough(lambda s: surely_the_same(layers, gaps, s, numbers=True))
    check_positive("steepness", steepness, "weights are multiplied by it")
    layer = _stack(layers, float(steepness))
    layer.classes_, layer._multilabel, layer._reads_numbers = np.array(decisions), False, True
    return layer


def harden(layer: Any, inputs: Any = None) -> ThresholdNetwork:
    """Threshold a stack of sigmoid (or tanh) layers: every unit fires where its activation is in the upper half.

    Units of up to 8 inputs get the smallest whole weights that fire for the same rows; others keep theirs, exactly.
    The answers are those of the layers where their hidden units are decided; soft ones may round to another answer.

    Parameters
    ----------
    layer : Layer
        Fitted, of sigmoid, tanh or threshold units, with the layers below it.
    inputs : names, optional
        Of the inputs, in order.

    Returns
    -------
    ThresholdNetwork

    Raises
    ------
    TypeError
        If it is no fitted `Layer`.

    Examples
    --------
    >>> from rosenblatt import ThresholdNetwork, harden, soften
    >>> layer = soften(ThresholdNetwork.from_function("a & ~b"))
    >>> harden(layer, inputs=("a", "b")).to_expression()
    'a & ~b'
    """
    if not isinstance(layer, Layer) or not hasattr(layer, "weights_"):
        raise TypeError("harden is about a fitted Layer, but got something else; pass a Layer that has weights.")
    if getattr(layer, "_reads_numbers", False):
        raise ValueError("harden takes layers of Boolean inputs, but these were made of rules over numbers.")
    stack: list[Layer] = []
    below: Layer | None = layer
    while below is not None:
        stack.insert(0, below)
        below = below.below_
    n = stack[0].weights_.shape[1]
    kept = _kept_names(stack)
    names = check_names(inputs, n) if inputs is not None else kept[0] if kept else input_names(n)
    if kept and set(names) & {name for own in kept[1:] for name in own}:  # other inputs were given the units' names
        kept = []
    network_inputs, units, signed = names, {}, False
    for level, part in enumerate(stack, 1):
        if part.activation == "linear":
            raise ValueError("A linear layer has no threshold to go back to; use sigmoid, tanh or threshold layers.")
        last = part is layer
        own = kept[level] if kept else _names(len(part.bias_), level, last, network_inputs)
        for name, weights, bias in zip(own, part.weights_, part.bias_, strict=True):
            units[name] = unit_of(weights, bias, names, signed)
        names, signed = own, part.activation == "tanh"
    return ThresholdNetwork(network_inputs, units, names)


def _named(layer: Layer, names: list[tuple[str, ...]]) -> Layer:
    """The layers, which remember what the network's inputs and units were called."""
    layer._unit_names = names
    return layer


def _kept_names(stack: list[Layer]) -> list[tuple[str, ...]]:
    """The names of inputs and units that `soften` left, if the layers still have their shape; else nothing."""
    kept = list(getattr(stack[-1], "_unit_names", []))
    sizes = [stack[0].weights_.shape[1], *(len(part.bias_) for part in stack)]
    return kept if [len(own) for own in kept] == sizes else []


def _names(count: int, level: int, last: bool, inputs: tuple[str, ...]) -> tuple[str, ...]:
    if last and count == 1:
        return ("out",)
    stem = "out" if last else f"h{level}_"
    names = tuple(f"{stem}{i + 1}" for i in range(count))
    return names if not set(names) & set(inputs) else tuple(f"unit {name}" for name in names)


def _stack(layers: Layers, steepness: float) -> Layer:
    layer: Layer | None = None
    for weights, bias in layers:
        layer = Layer.from_weights(weights * steepness, bias * steepness, "sigmoid", below=layer)
        layer.warm_start = True
    assert layer is not None
    layer.units = None  # the targets say how many
    return layer
