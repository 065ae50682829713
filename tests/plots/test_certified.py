"""Pictures of certified models and of the fewest errors."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt import certify, fewest_errors, separability
from rosenblatt.plots import ErrorsDisplay, RobustnessDisplay

X, Y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_a_curve_falls_by_one_row_at_its_distance():
    found = certify(([1.0, 1.0], -0.5), X, Y)
    display = RobustnessDisplay.from_certificate(found, norms=("l2", "linf"))
    for line, norm in zip(display.ax_.lines, ("l2", "linf"), strict=True):
        radii, shares = line.get_data()
        for radius in np.unique(radii)[1:]:
            share = np.min(np.asarray(shares)[np.asarray(radii) == radius])
            assert found.at(float(radius) * 1.0001, norm).accuracy == pytest.approx(share)
    assert display.ax_.get_title().startswith("3 of 4 rows are right")
    assert display.plot(plt.subplots()[1]).figure_ is plt.gcf()


def test_a_constant_score_is_certain_at_any_radius():
    display = RobustnessDisplay.from_certificate(certify(([0.0, 0.0], 1.0), X, Y))
    assert "no boundary" in display.ax_.get_title()
    assert all(line.get_ydata()[-1] == 0.5 for line in display.ax_.lines)


def test_the_fewest_errors_drawn():
    found = fewest_errors(X, Y)
    display = ErrorsDisplay.from_certificate(found, X, Y)
    assert display.ax_.get_title() == "no line has fewer than 1 of 4 rows wrong"
    assert any("no line has all right" in text.get_text() for text in display.ax_.get_legend().get_texts())


def test_other_things_have_no_such_picture():
    with pytest.raises(ValueError, match="CertifiedModel only"):
        RobustnessDisplay(separability(X, Y))
    with pytest.raises(ValueError, match="FewestErrors only"):
        ErrorsDisplay(separability(X, Y), X, Y)
    wide = np.hstack([X, X[:, :1]])
    with pytest.raises(ValueError, match="two features"):
        ErrorsDisplay(fewest_errors(wide, Y), wide, Y)
    with pytest.raises(ValueError, match="digests differ"):
        ErrorsDisplay(fewest_errors(X, Y), X + 1, Y)
    with pytest.raises(ValueError, match="norm must be"):
        RobustnessDisplay(certify(([1.0, 1.0], -0.5), X, Y), norms=("l3",))
