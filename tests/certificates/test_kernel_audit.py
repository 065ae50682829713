"""Kernel runs beside the theorem: rationals for polynomial kernels, balls for those with an exponential."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, audit, load, save
from rosenblatt.certificates.exact_kernels import Ball, ExactKernel, precision
from rosenblatt.certificates.problem import Problem
from rosenblatt.kernels import RBF, Gaussian, Linear, Polynomial

CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def fitted(X, y, kernel, **more):
    model = KernelPerceptron(kernel, shuffle=False, max_iter=1000, **more)
    return model.fit(X, y, record="updates")


@pytest.mark.parametrize(
    ("kernel", "arithmetic"),
    [
        (Polynomial(2), "exact rationals"),
        (Polynomial(3, 0.25, 0.5), "exact rationals"),
        (RBF(1.0), "balls of 256 bits"),
        (Gaussian(0.7), "balls of 256 bits"),
    ],
    ids=repr,
)
def test_exclusive_or(kernel, arithmetic):
    model = fitted(CORNERS, XOR, kernel)
    found = audit(model, CORNERS, XOR)
    assert model.stop_reason_ == "converged"
    assert found.holds and found.applies and found.arithmetic == arithmetic
    assert found.mistakes == model.mistakes_ <= found.bound
    assert (found.progress >= found.progress_floor * (1 - 1e-9)).all()
    assert (found.lengths <= found.lengths_ceiling * (1 + 1e-9)).all()


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(3, 0.25, 0.5), RBF(0.3), Gaussian(0.7)], ids=lambda kernel: kernel.name
)
def test_exact_values_are_those_of_the_kernel(kernel, intercept):
    X = np.random.default_rng(0).normal(size=(5, 3))
    exact = ExactKernel(kernel, Problem(X, np.ones(5, np.int8), (0, 1), intercept)).matrix([0, 1, 2], [0, 3, 4])
    expected = kernel(X[[0, 1, 2]], X[[0, 3, 4]]) + intercept
    np.testing.assert_allclose([[float(value) for value in line] for line in exact], expected, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_the_curves_are_those_of_the_written_out_sum(seed, degree):
    """‖w_k‖² from the definition, with Fractions, one update after another."""
    random = np.random.default_rng(seed)
    X = random.integers(-2, 3, (8, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    if len(set(y)) < 2:
        return
    model = fitted(X, y, Polynomial(2 * degree))
    found = audit(model, X, y)
    log = model.trace_.updates
    rows, steps = log.rows[0].tolist(), log.steps[0].tolist()
    for k in {1, len(rows) // 2, len(rows)} - {0}:
        length = sum(
            Fraction(s) * Fraction(t) * (int(X[i] @ X[j]) + 1) ** (2 * degree)
            for i, s in zip(rows[:k], steps[:k], strict=True)
            for j, t in zip(rows[:k], steps[:k], strict=True)
        )
        assert found.lengths[k - 1] == float(length)
    if found.bound is not None:
        assert found.holds


def test_a_linear_kernel_is_the_plain_theorem():
    X, y = np.array([[2, 1], [1, 2], [-1, -2], [-2, 1]]), np.array([1, 1, 0, 0])
    found = audit(fitted(X, y, "linear"), X, y)
    assert found.holds and found.radius == pytest.approx(np.sqrt(5))


def test_balls_hold_the_values():
    X = np.array([[0.5, 1.25], [3.0, -1.0]])
    model = fitted(X, [0, 1], "rbf", gamma=0.375)
    problem = Problem(X, np.array([-1, 1], np.int8), (0, 1), False)
    value = ExactKernel(model.kernel_, problem).matrix([0], [1])[0][0]
    distance = Fraction(2.5) ** 2 + Fraction(2.25) ** 2
    assert float(value) == pytest.approx(np.exp(-0.375 * float(distance)), rel=1e-15)
    assert value.lower_fraction() < value.upper_fraction()
    with precision():
        assert not (value > value) and value >= Ball(value.value.lower())


@pytest.mark.parametrize(("setting", "word"), [({"drop_after": 3}, "dropped"), ({"budget": 5}, "budget")])
def test_outside_the_theorem(setting, word):
    found = audit(fitted(CORNERS, XOR, Polynomial(2), **setting), CORNERS, XOR)
    assert not found.applies and word in found.note and found.holds is None


@pytest.mark.filterwarnings("ignore")
def test_kernels_without_exact_values_are_refused():
    with pytest.raises(ValueError, match=r"audit knows exact values of the kernels linear, polynomial, rbf, gaussian"):
        audit(fitted(CORNERS, XOR, "sigmoid", gamma=0.1), CORNERS, XOR)


def test_several_classes():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [3, 3], [4, 4]])
    y = np.array(["a", "b", "b", "a", "c", "c"])
    found = audit(fitted(X, y, Polynomial(2)), X, y)
    assert set(found) == {"a", "b", "c"} and all(part.holds for part in found.audits.values())


def test_more_digits_where_balls_are_too_wide():
    """Rows far apart: the values between them are e^-1000 and less, and 256 bits cannot tell their sums from 0."""
    X, y = np.array([[0.0], [60.0], [120.0], [181.0]]), np.array([0, 1, 0, 1])
    found = audit(fitted(X, y, "rbf", gamma=0.25), X, y)
    assert found.holds and found.arithmetic != "balls of 256 bits"


def test_rows_of_another_fit_are_refused():
    model = fitted(CORNERS, XOR, "rbf", gamma=1.0)
    with pytest.raises(ValueError, match="the X that was fitted"):
        audit(model, 2 * CORNERS, XOR)


def test_updates_after_the_fit_are_noticed(tmp_path):
    model = fitted(CORNERS, XOR, "rbf", gamma=1.0)
    model.partial_fit(CORNERS, 1 - XOR)
    with pytest.raises(ValueError, match="the X that was fitted"):
        audit(model, CORNERS, XOR)
    both = audit(model, np.concatenate([CORNERS, CORNERS]), np.concatenate([XOR, XOR]))
    assert not both.applies and "updates after the fit" in both.note
    save(fitted(CORNERS, XOR, "rbf", gamma=1.0), tmp_path / "model")
    with pytest.raises(ValueError, match="came from a file"):
        audit(load(tmp_path / "model"), CORNERS, XOR)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_the_time_limit_covers_the_exact_values(kernel):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 20))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = audit(fitted(X, y, kernel, gamma=0.1), X, y, time_limit=1e-6)
    assert found.holds is None and not found.applies and "time limit" in found.note
    assert found.mistakes > 0 and found.bound is None
