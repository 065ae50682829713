"""Pictures of threshold logic: what is on them, counted."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

import matplotlib.pyplot as plt

from rosenblatt import Layer, ThresholdNetwork, ThresholdUnit, from_rules
from rosenblatt.logic.circuits import adder, counter
from rosenblatt.plots import MachineDisplay, NetworkDisplay, UnitDisplay


@pytest.fixture(autouse=True)
def _close():  # type: ignore[no-untyped-def]
    yield
    plt.close("all")


def texts(display: NetworkDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


@pytest.mark.parametrize(
    "unit", [ThresholdUnit.not_(), ThresholdUnit.or_(), ThresholdUnit.majority(3), ThresholdUnit([0, 0], 1)]
)
def test_unit(unit: ThresholdUnit) -> None:
    ax = UnitDisplay.from_unit(unit).ax_
    assert ax.get_title() == unit.inequality()
    # Points where it does not fire, then points where it does.
    silent, firing = (len(points.get_offsets()) for points in ax.collections[-2:])
    assert (silent, firing) == (int((~unit.table).sum()), int(unit.table.sum()))


def test_network() -> None:
    shown = texts(NetworkDisplay.from_network(ThresholdNetwork.from_function("a ^ b")))
    assert {"a", "b", "h1", "h2", "out", "b = -0.5", "b = -1.5"} <= set(shown)
    assert shown.count("1") == 5 and shown.count("-1") == 1


def test_layers() -> None:
    """The two-layer diagram of a trained network: every unit, every wire with its weight, rounded."""
    corners, xor = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    network = Layer("sigmoid", below=Layer("tanh", units=2), lam=1e-3, random_state=0).fit(corners, xor)
    shown = texts(NetworkDisplay.from_network(network))
    assert {"x1", "x2", "h1", "h2", "y", f"b = {network.bias_[0]:.3g}"} <= set(shown)
    assert {f"{weight:.3g}" for weight in (*network.weights_.ravel(), *network.below_.weights_.ravel())} <= set(shown)


def test_layers_of_many_units_have_no_numbers_on_their_wires() -> None:
    below = Layer.from_weights(np.ones((5, 4)), np.zeros(5), "tanh")
    display = NetworkDisplay.from_network(Layer.from_weights(np.ones((3, 5)), np.zeros(3), "sigmoid", below=below))
    assert len(display.network.units) == 8 and list(display.network.outputs) == ["y1", "y2", "y3"]
    assert "1" not in texts(display)
    with pytest.raises(TypeError, match=r"units, rules and fitted layers, but not of Layer; pass"):
        NetworkDisplay.from_network(Layer())


def test_boxes_do_not_overlap() -> None:
    for network in (adder(4), counter(3).network, from_rules("if a > 1 and b = 2 then x; otherwise y")):
        layout = NetworkDisplay.from_network(network).layout_
        boxes = [(x, y, layout.widths[name]) for name, (x, y) in layout.place.items() if isinstance(name, str)]
        for i, (x, y, width) in enumerate(boxes):
            for other_x, other_y, other_width in boxes[i + 1 :]:
                assert abs(x - other_x) >= (width + other_width) / 2 or abs(y - other_y) >= 0.56


def test_machine() -> None:
    display = MachineDisplay.from_machine(counter(3))
    dashed = [line for line in display.ax_.lines if line.get_linestyle() not in ("-", "None")]
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert len(dashed) == 3 and legend == ["weight above 0", "weight below 0", "one step later"]


def test_nothing_is_cut_off_and_boxes_keep_their_shape() -> None:
    for display in (NetworkDisplay.from_network(adder(2)), MachineDisplay.from_machine(counter(3))):
        ax = display.ax_
        display.figure_.canvas.draw()
        (left, right), (low, high) = sorted(ax.get_xlim()), sorted(ax.get_ylim())
        for arrow in (text for text in ax.texts if getattr(text, "arrow_patch", None) is not None):
            assert left < arrow.xy[0] < right and low < arrow.xy[1] < high
        assert ax.get_aspect() == 1.0


def test_onto_given_axes() -> None:
    _, ax = plt.subplots()
    assert NetworkDisplay.from_network(ThresholdUnit.or_(5), ax=ax).ax_ is ax


def test_refuses() -> None:
    with pytest.raises(ValueError, match="1 to 3 inputs"):
        UnitDisplay.from_unit(ThresholdUnit.or_(4))
    for display in (NetworkDisplay, MachineDisplay):
        with pytest.raises(TypeError, match="str"):
            display("a ^ b")
