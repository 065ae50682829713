"""Pictures of certificates: of one, two and many features, and what has none."""

import matplotlib
import numpy as np
import pytest
import scipy.sparse

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.contour import QuadContourSet
from matplotlib.patches import Rectangle

from rosenblatt import separability
from rosenblatt.plots import SeparabilityDisplay

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def draw(certificate, X, y, **more):
    display = SeparabilityDisplay.from_certificate(certificate, X, y, **more)
    display.figure_.canvas.draw()
    return display


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rows(d, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, d))
    y = np.where(np.arange(60) % 2 == 0, "no", "yes")
    apart = X.copy()
    apart[:, 0] = np.where(y == "yes", 1 + np.abs(X[:, 0]), -1 - np.abs(X[:, 0]))
    return apart, X, y


@pytest.mark.parametrize("d", [1, 2, 3, 10])
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_band(d, layout, intercept):
    apart, _, y = rows(d)
    found = separability(layout(apart), y, intercept)
    display = draw(found, layout(apart), y)
    assert labels(display.ax_) == ["no", "yes", "support vectors"]
    assert display.ax_.get_title().startswith("separable: margin")
    assert len(display.ax_.collections[0].get_offsets()) == 30
    circled = next(c for c in display.ax_.collections if c.get_label() == "support vectors").get_offsets()
    assert len(circled) == len(found.support_vectors)
    if d == 2:  # the filled contour reaches as far as the margin from the line between, on both sides
        band = next(c for c in display.ax_.collections if isinstance(c, QuadContourSet) and c.filled)
        distance = (band.get_paths()[0].vertices @ found.normal + found.offset) / np.linalg.norm(found.normal)
        edges = distance[np.abs(np.abs(distance) - found.margin) < 0.01]
        assert (
            np.abs(distance).max() == pytest.approx(found.margin, rel=1e-6) and (edges > 0).any() and (edges < 0).any()
        )
    else:
        (band,) = (patch for patch in display.ax_.patches if isinstance(patch, Rectangle))
        centre = -found.offset / found.normal[0] if d == 1 else 0.0
        assert band.get_x() == pytest.approx(centre - found.margin) and band.get_width() == pytest.approx(
            2 * found.margin
        )


@pytest.mark.parametrize("d", [1, 2, 3, 10])
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_hulls_with_a_common_point(d, layout, intercept):
    _, X, y = rows(d)
    found = separability(layout(X), y, intercept)
    assert found.verdict == "not separable"
    display = draw(found, layout(X), y)
    shown = labels(display.ax_)
    assert shown[:2] == ["no", "yes"] and "rows of the witness" in shown and len(shown) == 4
    assert display.ax_.get_title().startswith("not separable")
    if not intercept:  # then the point is the origin, and lies in the hull of the rows y·x, not in both of x
        assert "both hulls" not in display.ax_.get_title()
    star = display.ax_.collections[-1].get_offsets()
    if d == 2:
        np.testing.assert_allclose(star[0], found.point, atol=1e-9)


def test_the_common_point_lies_in_the_projection_of_both_hulls():
    _, X, y = rows(5, seed=3)
    found = separability(X, y)
    display = draw(found, X, y)
    flat = display._flat()
    weights = np.array([float(weight) for weight in found.weights])
    chosen = np.array(found.rows)
    for name in ("no", "yes"):
        part = y[chosen] == name
        point = weights[part] @ flat[chosen[part]]
        np.testing.assert_allclose(point, display.ax_.collections[-1].get_offsets()[0], atol=1e-9)


def test_distances_are_drawn_as_they_are():
    """More than two features: the first axis is the distance from the hyperplane."""
    apart, _, y = rows(6)
    found = separability(apart, y)
    flat = draw(found, apart, y)._flat()
    signs = np.where(y == "yes", 1, -1)
    assert (signs * flat[:, 0]).min() == pytest.approx(found.margin, rel=1e-6)


@pytest.mark.parametrize(
    ("X", "y", "intercept"),
    [
        ([[0.0], [0.0]], [0, 1], True),
        ([[0.0, 0, 0], [0.0, 0, 0]], [0, 1], True),
        ([[0.0, 0, 0], [1.0, 1, 1]], [0, 1], False),
        ([[0.0, 0], [1.0, 1], [0.5, 0.5]], [0, 0, 1], True),
        ([[3.0, 1, 2], [3.0, 1, 2], [1.0, 1, 1]], [0, 1, 0], True),
        ([[1.0], [2.0]], [1, 0], False),
    ],
)
def test_few_rows_and_flat_hulls(X, y, intercept):
    X, y = np.array(X), np.array(y)
    found = separability(X, y, intercept)
    assert found.verdict == "not separable"
    draw(found, X, y)


def test_two_rows():
    for d in (1, 2, 3):
        X, y = np.vstack([np.zeros(d), np.ones(d)]), np.array([0, 1])
        draw(separability(X, y), X, y)


def test_one_s_own_axes():
    _, ax = plt.subplots()
    display = draw(separability(CORNERS, AND), CORNERS, AND, ax=ax)
    assert display.ax_ is ax and display.figure_ is ax.figure
    assert len(plt.get_fignums()) == 1


def test_many_rows_are_thinned_out():
    random = np.random.default_rng(0)
    X = random.integers(0, 256, (20_000, 4)).astype(np.uint8)
    y = random.integers(0, 2, len(X))
    display = draw(separability(X, y), X, y)
    assert all(len(part.get_offsets()) <= 8001 for part in display.ax_.collections)


def test_what_has_no_picture():
    found = separability(CORNERS, XOR)
    for certificate in (found.refine(), None, "separable", separability(CORNERS, np.arange(4))):
        with pytest.raises((ValueError, TypeError)) as caught:
            SeparabilityDisplay.from_certificate(certificate, CORNERS, XOR)
        assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (CORNERS[:2], XOR[:2]),
        (CORNERS, XOR[:2]),
        (np.hstack([CORNERS, CORNERS]), XOR),
        (CORNERS, XOR + 5),
        (CORNERS[:, 0], XOR),
        ([["a", "b"]] * 4, XOR),
        (CORNERS + 1, XOR),
    ],
)
def test_other_rows_are_refused(X, y):
    with pytest.raises(ValueError) as caught:
        SeparabilityDisplay.from_certificate(separability(CORNERS, XOR), X, y)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
