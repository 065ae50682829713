"""Wrong arguments of displays get one sentence: what must hold, what came, what to do."""

import functools

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt import Perceptron, ThresholdNetwork, ThresholdUnit, audit, separability
from rosenblatt.logic.circuits import counter
from rosenblatt.plots import (
    BoundaryDisplay,
    MachineDisplay,
    MarginDisplay,
    NetworkDisplay,
    ProofDisplay,
    SeparabilityDisplay,
    TraceDisplay,
    UnitDisplay,
    WeightsDisplay,
)

X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])

DISPLAYS = {
    "boundary": lambda ax: BoundaryDisplay.from_estimator(model(), X, y, grid_resolution=5, ax=ax),
    "margin": lambda ax: MarginDisplay.from_estimator(model(), X, y, ax=ax),
    "trace": lambda ax: TraceDisplay.from_estimator(model(), ax=ax),
    "weights": lambda ax: WeightsDisplay.from_estimator(model(), ax=ax),
    "weights of three": lambda ax: WeightsDisplay.from_estimator(model_of_three(), ax=ax),
    "separability": lambda ax: SeparabilityDisplay.from_certificate(separability(X, y), X, y, ax=ax),
    "proof": lambda ax: ProofDisplay.from_audit(audit(model(), X, y), ax=ax),
    "unit": lambda ax: UnitDisplay.from_unit(ThresholdUnit.or_(), ax=ax),
    "network": lambda ax: NetworkDisplay.from_network(ThresholdNetwork.from_function("a ^ b"), ax=ax),
    "machine": lambda ax: MachineDisplay.from_machine(counter(2), ax=ax),
}
WRONG = [
    (lambda: BoundaryDisplay.from_estimator(model(), None, y), "X must be rows of features, but None came"),
    (lambda: BoundaryDisplay.from_estimator(model(), 3, y), "X must be rows of features, but 3 came"),
    (
        lambda: BoundaryDisplay.from_estimator(model(), X, y, grid_resolution=10**12),
        "grid_resolution must be a whole num",
    ),
    (lambda: MarginDisplay.from_estimator(model(), None, y), "X must be rows of features, but None came"),
    (lambda: MarginDisplay("a"), "margins must be numbers, but 'a' came"),
    (lambda: MarginDisplay([1.0], geometric="a"), "geometric must be True or False"),
    (lambda: MarginDisplay([1.0]).plot(bins=[]), r"The edges of bins must be finite and rise, but \[\] came"),
    (lambda: MarginDisplay([1.0]).plot(bins=[1.0, np.nan]), "The edges of bins must be finite and rise"),
    (lambda: MarginDisplay([1.0]).plot(bins=[2, 1]), "The edges of bins must be finite and rise"),
    (lambda: MarginDisplay([1.0]).plot(bins=10**12), "bins must be a whole number from 1 to 10,000"),
    (lambda: MarginDisplay([1.0]).plot(bins=True), "bins must be a whole number from 1 to 10,000, but True came"),
    (lambda: WeightsDisplay.from_estimator(model(), "a"), "X must be numbers, but 'a' came"),
    (lambda: WeightsDisplay.from_estimator(model(), 3), r"X must be rows by features, at least one, but its shape is"),
    (
        lambda: WeightsDisplay.from_estimator(model(), feature_names=3),
        "feature_names must be a list of names, but 3 came",
    ),
    (lambda: WeightsDisplay.from_estimator(model(), feature_names="ab"), "feature_names must be a list of names"),
    (lambda: WeightsDisplay.from_estimator(model(), image_shape="a"), "image_shape must be numbers, but 'a' came"),
    (
        lambda: WeightsDisplay.from_estimator(model(), image_shape=(2.5, np.nan)),
        r"image_shape must be \(height, width\)",
    ),
    (lambda: WeightsDisplay.from_estimator(model(), image_shape=(-1, -2)), r"image_shape must be \(height, width\)"),
    (lambda: WeightsDisplay.from_estimator(model(), most=0), "most must be a whole number of at least 1, but 0 came"),
    (lambda: WeightsDisplay([[1.0]], names=["a", "b"]), "There must be 1 name, one for each feature, but got 2; pass"),
    (lambda: ProofDisplay.from_audit(3), r"but a value of type int came; pass what audit\(\) returned"),
]


@functools.cache
def model():
    return Perceptron(shuffle=False).fit(X, y, record="updates")


@functools.cache
def model_of_three():
    return Perceptron(shuffle=False, max_iter=1000).fit(X[:3], [0, 1, 2])


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_wrong_arguments(call, words):
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        call()
    said = str(raised.value)
    assert said.endswith(".") and "\n" not in said and ";" in said
    plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS)
def test_what_is_no_axes(display):
    for wrong in ("a", 3, [1, 2], plt):
        with pytest.raises(TypeError, match=r"ax must be axes of matplotlib or None, but .* came; plt.subplots"):
            DISPLAYS[display](wrong)
    assert DISPLAYS[display](plt.subplots()[1]).figure_ is not None
    plt.close("all")
