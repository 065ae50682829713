"""The picture of the proof: with a bound, without one, for several classes, for what is outside the theorem."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from rosenblatt import PassiveAggressive, Perceptron, audit
from rosenblatt.plots import ProofDisplay

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def draw(found, **more):
    display = ProofDisplay.from_audit(found, **more)
    display.figure_.canvas.draw()
    return display


def line(display, label):
    (found,) = (line for line in display.ax_.get_lines() if line.get_label().startswith(label))
    return found.get_xdata(), found.get_ydata()


def test_the_run_lies_between_the_curves():
    model = Perceptron(shuffle=False, max_iter=100).fit(CORNERS, AND, record="updates")
    found = audit(model, CORNERS, AND)
    display = draw(found)
    k, run = line(display, "the run: ‖w_k‖²")
    assert k.tolist() == list(range(1, found.mistakes + 1))
    grid, ceiling = line(display, "ceiling")
    floor = line(display, "floor")[1]
    assert (run <= np.interp(k, grid, ceiling) * (1 + 1e-9)).all()
    assert (run >= np.interp(k, grid, floor) * (1 - 1e-3)).all()
    crossing = grid[np.argmax(floor >= ceiling)]  # the curves meet at the bound
    assert crossing == pytest.approx(found.bound, rel=0.1)
    assert f"{found.bound:,}" in display.ax_.get_title() and f"{found.mistakes:,}" in display.ax_.get_title()
    assert display.ax_.get_xscale() == display.ax_.get_yscale() == "log"


def test_without_a_bound():
    model = Perceptron(max_iter=20).fit(CORNERS, XOR, record="updates")
    display = draw(audit(model, CORNERS, XOR))
    assert "no bound" in display.ax_.get_title()
    assert {text.get_text().split(":")[0] for text in display.ax_.get_legend().get_texts()} == {"ceiling", "the run"}


def test_outside_the_theorem():
    """There are no curves; the title says so, and nothing warns."""
    model = PassiveAggressive(max_iter=20).fit(CORNERS, AND, record="updates")
    display = draw(audit(model, CORNERS, AND))
    assert "no bound" in display.ax_.get_title() and not display.ax_.get_lines()


def test_one_update_is_enough():
    model = Perceptron(fit_intercept=False, max_iter=20).fit([[1.0], [-1.0]], [1, 0], record="updates")
    found = audit(model, [[1.0], [-1.0]], [1, 0])
    assert found.mistakes == 1
    assert ": 1 mistake, the theorem allows" in draw(found).ax_.get_title()


def test_one_s_own_axes():
    _, ax = plt.subplots()
    model = Perceptron(max_iter=100).fit(CORNERS, AND, record="updates")
    assert draw(audit(model, CORNERS, AND), ax=ax).ax_ is ax and len(plt.get_fignums()) == 1


def test_several_classes_have_a_picture_each():
    y = np.array(["a", "b", "b", "c"])
    found = audit(Perceptron(max_iter=100).fit(CORNERS, y, record="updates"), CORNERS, y)
    for name in found:
        draw(found[name])
    with pytest.raises((ValueError, TypeError)) as caught:
        ProofDisplay.from_audit(found)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("found", [None, 3, "audit"])
def test_what_is_no_audit(found):
    with pytest.raises((ValueError, TypeError)) as caught:
        ProofDisplay.from_audit(found)
    assert str(caught.value).endswith(".")
