"""Answers that are known: by hand, by construction, from the books."""

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from rosenblatt import Perceptron, audit, margin, separability
from rosenblatt.certificates.roots import root_down, root_up
from rosenblatt.sources import blobs, circles, overlapping_blobs, sparse_separable, two_points
from rosenblatt.sources.shapes import and_, or_, xor

needs_data = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


def test_100_against_102():
    """The geometric pair would promise 10,405 mistakes; the perceptron makes 20,303."""
    X, y = [[100.0], [102.0]], [1, -1]
    found = separability(X, y)
    assert (found.margin, found.margin_upper) == (1.0, 1.0) == margin(X, y)
    assert sorted(found.support_vectors) == [0, 1]
    model = Perceptron(shuffle=False, max_iter=100_000).fit(X, y, record="updates")
    assert sum(model.trace_["updates"]) == 20_303 <= found.mistake_bound == 106_151_810
    assert math.isclose(found.radius, math.hypot(102, 1)) and found.radius**2 >= 10405
    checked = audit(model, X, y)
    assert checked and checked.mistakes == 20_303 and checked.bound == found.mistake_bound


def test_the_gates():
    for gate in (and_(), or_()):
        found = separability(gate.X, gate.y)
        assert found.margin == pytest.approx(math.sqrt(2) / 4, rel=1e-15) and found.gap < 1e-15
        assert found.verify(gate.X, gate.y)
    found = separability(xor().X, xor().y)
    assert found.exact_point == (Fraction(1, 2), Fraction(1, 2)) and found.point.tolist() == [0.5, 0.5]
    assert found.refine().verdict == "overlapping"
    assert margin(xor().X, xor().y) == (0.0, 0.0)


def test_the_gammas_are_not_the_same_number():
    """and: in the plane 1/(2 sqrt 2), in the theorem's coordinates 1/sqrt(17) by (2, 2, -3)."""
    found = separability(and_().X, and_().y)
    assert found.gamma == pytest.approx(1 / math.sqrt(17), rel=1e-14)
    assert found.gamma <= found.gamma_upper and Fraction(found.gamma) ** 2 <= Fraction(1, 17)
    assert Fraction(found.gamma_upper) ** 2 >= Fraction(1, 17) and found.mistake_bound == 3 * 17


def test_iris():
    """Setosa is separable from each of the others, versicolor is not from virginica."""
    X, y = load_iris(return_X_y=True)
    table = separability(X, y)
    verdicts = {name: each.verdict for name, each in table}
    assert verdicts == {
        "0 against 1": "separable",
        "0 against 2": "separable",
        "1 against 2": "not separable",
        "0 against the rest": "separable",
        "1 against the rest": "not separable",
        "2 against the rest": "not separable",
    }
    assert table.verify(X, y)
    rows = y > 0
    refined = table.pairs[1, 2].refine(X[rows], y[rows])
    assert refined.verdict == "overlapping" and refined.verify(X[rows], y[rows])
    assert "3 separable, 3 not separable" in str(table)
    assert [record["verdict"] for record in table.records()] == list(verdicts.values())


@pytest.mark.parametrize(
    ("n", "d", "gap", "offset"), [(50, 2, 0.5, 0.0), (500, 3, 0.25, 0.0), (400, 20, 1.0, 0.0), (300, 5, 0.01, 3.0)]
)
def test_blobs_have_the_margin_that_they_state(n, d, gap, offset):
    toy = blobs(n, d, margin=gap, offset=offset, random_state=n)
    lower, upper = margin(toy.X, toy.y, tolerance=1e-6)
    assert lower <= toy.margin * (1 + 1e-12) and upper >= toy.margin * (1 - 1e-12)
    assert upper <= lower * (1 + 2e-6)
    if offset == 0:
        lower, upper = margin(toy.X, toy.y, fit_intercept=False, tolerance=1e-6)
        assert lower <= toy.margin * (1 + 1e-12) and upper >= toy.margin * (1 - 1e-12)


def test_sparse_rows_have_the_margin_that_they_state():
    toy = sparse_separable(600, 2000, random_state=0)
    lower, upper = margin(toy.X, toy.y)
    assert lower * (1 - 1e-12) <= toy.margin * (1 + 1e-12) and upper >= toy.margin * (1 - 1e-12)


def test_sets_without_a_margin():
    assert margin(*_rows(circles(200, random_state=0))) == (0.0, 0.0)
    assert margin(*_rows(overlapping_blobs(300, random_state=0))) == (0.0, 0.0)
    assert margin(*_rows(two_points(3.0, 5.0))) == (1.0, 1.0)


def _rows(toy):
    return toy.X, toy.y


@needs_data
@pytest.mark.parametrize(
    ("name", "expected"),
    [("sonar", "separable"), ("banknote_authentication", "not separable"), ("pima-indians-diabetes", "not separable")],
)
def test_small_sets(name, expected):
    path = os.path.join(os.environ["ROSENBLATT_DATA"], "small", f"{name}.csv")
    if not os.path.exists(path):
        pytest.skip(f"{name}.csv is not in ROSENBLATT_DATA")
    table = np.genfromtxt(path, delimiter=",", dtype=str)
    X, y = table[:, :-1].astype(np.float64), table[:, -1]
    found = separability(X, y)
    assert found.verdict == expected and found.verify(X, y)


# ------------------------------------------------------------------------------------------------------------ roots


@given(st.fractions(min_value=0))
@settings(max_examples=200)
def test_roots_bound_and_are_close(value):
    low, high = root_down(value), root_up(value)
    assert Fraction(low) ** 2 <= value <= Fraction(high) ** 2
    assert high <= low * (1 + 2**-50) or value == 0


@pytest.mark.parametrize("power", [-2148, -2100, -2000, -1074, -1, 0, 1, 1000, 2000, 2046])
def test_roots_at_the_ends_of_float64(power):
    for top in (1, 2, 3, 10**40):
        value = Fraction(top) * Fraction(2) ** power
        low, high = root_down(value), root_up(value)
        assert Fraction(low) ** 2 <= value
        assert high == math.inf or Fraction(high) ** 2 >= value


@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("tolerance", [0.1, 0.01])
def test_margins_of_many_rows_are_as_tight_as_asked_for(scale, tolerance):
    """More numbers than exact arithmetic takes: floating point has to come as near, for gamma' too."""
    toy = blobs(3000, 12, margin=0.5, random_state=0)
    found = separability(scale * toy.X, toy.y, tolerance=tolerance)
    assert found.margin <= 0.5 * scale * (1 + 1e-9) and found.margin >= 0.5 * scale * (1 - 1.01 * tolerance)
    assert found.margin_upper <= found.margin * 1.002 / (1 - tolerance)
    assert found.gamma <= found.gamma_upper <= found.gamma * 1.002 / (1 - tolerance)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_margins_that_many_rows_decide_are_as_tight_too(scale):
    random = np.random.default_rng(0)
    X, normal = random.normal(size=(4000, 12)), random.normal(size=12)
    scores = X @ normal / np.linalg.norm(normal)
    X, y = scale * X[np.abs(scores) > 0.1], scores[np.abs(scores) > 0.1] > 0
    found = separability(X, y, tolerance=0.002)
    assert found.margin_upper <= found.margin * 1.002 / (1 - 0.002)
    assert found.gamma_upper <= found.gamma * 1.002 / (1 - 0.002)
