"""Kernels are what their formulas say, also in place, in float32, and written out as a map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import pairwise

from rosenblatt.kernels import (
    KERNELS,
    RBF,
    Function,
    Gaussian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    as_kernel,
    degree_two_map,
)  # fmt: skip

generator = np.random.default_rng(0)
A, B = generator.normal(size=(7, 3)), generator.normal(size=(5, 3))
FORMULAS = {
    Linear(): lambda x, y: x @ y,
    Polynomial(2): lambda x, y: (1 + x @ y) ** 2,
    Polynomial(5, gamma=0.3, coef0=0.5): lambda x, y: (0.3 * (x @ y) + 0.5) ** 5,
    Polynomial(4, coef0=0.0): lambda x, y: (x @ y) ** 4,
    Polynomial(1): lambda x, y: 1 + x @ y,
    RBF(0.7): lambda x, y: np.exp(-0.7 * ((x - y) ** 2).sum()),
    Gaussian(1.5): lambda x, y: np.exp(-((x - y) ** 2).sum() / (2 * 1.5**2)),
    Sigmoid(0.4, -0.2): lambda x, y: np.tanh(0.4 * (x @ y) - 0.2),
}


@pytest.mark.parametrize("kernel", FORMULAS, ids=str)
@pytest.mark.parametrize("kind", ["float64", "float32", "int64"])
def test_values_are_the_formula(kernel, kind):
    X, Y = (np.round(3 * rows).astype(kind) if kind == "int64" else rows.astype(kind) for rows in (A, B))
    expected = [[FORMULAS[kernel](x, y) for y in Y.astype(float)] for x in X.astype(float)]
    tolerance = {"float32": 2e-4}.get(kind, 1e-12)
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(kernel(X), kernel(X, X))


@pytest.mark.parametrize("kernel", [RBF(0.7), Gaussian(1.5)], ids=str)
def test_radial_values_far_from_the_origin_lose_no_digits(kernel):
    X, Y = A + 1e7, B + 1e7
    expected = [[FORMULAS[kernel](x, y) for y in Y] for x in X]
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("kernel", "valid"),
    [(Linear(), True), (Polynomial(2, coef0=0.0), True), (Polynomial(2, coef0=-1.0), False), (RBF(0.7), True),
     (Gaussian(1.5), True), (Sigmoid(1.0, 0.0), False), (Function(np.dot), False)],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_only_what_is_known_to_be_an_inner_product_is_called_valid(kernel, valid):
    assert kernel.valid is valid


def test_names_and_scikit_learns_kernels():
    assert set(KERNELS) == {"linear", "polynomial", "rbf", "gaussian", "sigmoid", "precomputed"}
    np.testing.assert_allclose(RBF(0.3)(A, B), pairwise.rbf_kernel(A, B, gamma=0.3))
    np.testing.assert_allclose(Polynomial(3, 0.2, 2.0)(A, B), pairwise.polynomial_kernel(A, B, 3, 0.2, 2.0))
    np.testing.assert_allclose(Sigmoid(0.2, 0.1)(A, B), pairwise.sigmoid_kernel(A, B, 0.2, 0.1))
    assert as_kernel("poly", degree=2) == Polynomial(2) and as_kernel(RBF(2.0)) == RBF(2.0)


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4), min_size=2, max_size=2))
@settings(max_examples=50)
def test_the_degree_two_map_written_out_equals_the_kernel(rows):
    u, v = np.array(rows[:1], float), np.array(rows[1:], float)
    product = (degree_two_map(u) @ degree_two_map(v).T)[0, 0]
    assert product == pytest.approx((1 + u[0] @ v[0]) ** 2, rel=1e-12, abs=1e-9)
    assert product == pytest.approx(Polynomial(2)(u, v)[0, 0], rel=1e-12, abs=1e-9)


def test_bad_input():
    with pytest.raises(ValueError, match="same number of columns"):
        Linear()(A, B[:, :2])
    with pytest.raises(ValueError, match="2 dimensions"):
        RBF()(A[0], B)
    with pytest.raises(ValueError, match="2 dimensions"):
        degree_two_map(A[0])
    with pytest.raises(TypeError, match="no formula"):
        Precomputed()(A, B)
    with pytest.raises(ValueError, match="shape"):
        Function(lambda X, Y: X)(A, B)
    for wrong in (lambda: Polynomial(0), lambda: Polynomial(2.5), lambda: RBF(0.0), lambda: Gaussian(-1.0),
                  lambda: Sigmoid(np.inf), lambda: as_kernel("cosine"), lambda: as_kernel(3)):  # fmt: skip
        with pytest.raises(ValueError, match="must be"):
            wrong()
