"""From a network of threshold units to sigmoid layers that learn on, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.estimators.layer import Layer
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.softening import hardened, softened


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
    layers, names, decisions = softened(network, steepness, resolution)
    layer: Layer | None = None
    for weights, bias in layers:
        layer = Layer.from_weights(weights, bias, "sigmoid", below=layer)
        layer.warm_start = True
    assert layer is not None
    layer.units = None  # the targets say how many
    if decisions:
        layer.classes_, layer._multilabel, layer._reads_numbers = np.array(decisions), False, True
    else:
        layer._unit_names = names
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
    stack = layer.fitted_stack()
    if any(part.activation == "linear" for part in stack):
        raise ValueError("A linear layer has no threshold to go back to; use sigmoid, tanh or threshold layers.")
    layers = [(part.weights_, part.bias_) for part in stack]
    signed = [part.activation == "tanh" for part in stack]
    return hardened(layers, signed, inputs, list(getattr(layer, "_unit_names", [])))
