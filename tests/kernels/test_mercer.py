"""A violation that is found is a violation; its absence is never called validity."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, is_mercer
from rosenblatt.kernels import RBF, Gaussian, Linear, Polynomial

generator = np.random.default_rng(0)


VALID = [Linear(), Polynomial(2), Polynomial(5), RBF(0.1), Gaussian(2.0)]


def minus(A, B):
    return -A @ B.T


def distance(A, B):
    return np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))


@given(seed=st.integers(0, 10**6), kernel=st.sampled_from(VALID))
@settings(max_examples=60)
def test_no_violation_is_found_for_kernels_that_are_valid(seed, kernel):
    random = np.random.default_rng(seed)
    X = random.normal(size=(random.integers(1, 60), random.integers(1, 6))) * 10.0 ** random.integers(-3, 3)
    report = is_mercer(kernel, X)
    assert not report.violation and report.theorem and str(report).startswith("positive semi-definite: ")
    assert not report.witness and not report.verify(X)


def test_no_violation_in_a_sample_is_no_proof():
    report = is_mercer(lambda A, B: A @ B.T, generator.normal(size=(20, 3)))
    assert not report.violation and not report.theorem and str(report) == "no violation found among 20 rows"
    with pytest.raises(ValueError, match="neither yes nor no"):
        bool(report)


@pytest.mark.parametrize("kernel", ["sigmoid", minus, distance])
def test_a_violation_has_its_proof(kernel):
    X = generator.normal(size=(50, 3))
    report = is_mercer(kernel, X, **({"gamma": 1.0, "coef0": -1.0} if kernel == "sigmoid" else {}))
    assert report.violation and report.eigenvalue < 0 and "not positive semi-definite" in str(report)
    assert f"{report.eigenvalue:.3g}" in str(report)
    c, rows = report.weights, X[report.rows]
    values = np.tanh(rows @ rows.T - 1.0) if kernel == "sigmoid" else kernel(rows, rows)
    assert c @ values @ c == pytest.approx(report.eigenvalue) and c @ values @ c < 0
    assert report.verify(X) and report.witness_value < 0
    exact = [float(weight) for weight in report.witness]
    rows = X[list(report.witness_rows)]
    values = np.tanh(rows @ rows.T - 1.0) if kernel == "sigmoid" else kernel(rows, rows)
    assert exact @ values @ exact == pytest.approx(float(report.witness_value), rel=1e-6)


def test_a_polynomial_with_a_negative_constant_has_an_exact_witness():
    """(x·y - 1)^2 at 0 and 1: the matrix [[1, 1], [1, 0]] has the determinant -1."""
    X = np.array([[0.0], [1.0]])
    report = is_mercer(Polynomial(2, coef0=-1.0), X)
    matrix = [[1, 1], [1, 0]]
    c = report.witness
    assert report.violation and report.witness_rows == (0, 1)
    assert report.witness_value == sum(c[i] * c[j] * matrix[i][j] for i in (0, 1) for j in (0, 1)) < 0


def test_a_changed_witness_is_refused():
    X = np.array([[0.0], [1.0]])
    report = is_mercer(Polynomial(2, coef0=-1.0), X)
    assert report.verify(X)
    for change in (
        {"witness": (Fraction(1), Fraction(0))},
        {"witness": report.witness[:1]},
        {"witness": ()},
        {"witness_rows": (0, 7)},
        {"witness_rows": (0, -1)},
        {"witness_value": Fraction(1)},
        {"witness_value": report.witness_value - 1},
        {"kernel": None},
        {"kernel": Linear()},
    ):
        assert not replace(report, **change).verify(X), change
    assert not report.verify(np.array([[0.0], [0.0]]))


def test_at_most_1000_rows_are_looked_at():
    X = generator.normal(size=(1500, 2))
    report = is_mercer("rbf", X, gamma=1.0, random_state=0)
    assert len(report.rows) == len(set(report.rows)) == 1000 and report.rows.max() < 1500
    np.testing.assert_array_equal(is_mercer("rbf", X, gamma=1.0, random_state=0).rows, report.rows)


def test_precomputed_matrices():
    assert is_mercer("precomputed", [[1.0, 2.0], [2.0, 1.0]]).eigenvalue == pytest.approx(-1.0)
    assert not is_mercer("precomputed", np.eye(3)).violation
    with pytest.raises(ValueError, match="square matrix"):
        is_mercer("precomputed", np.ones((2, 3)))
    with pytest.raises(ValueError, match="symmetric matrix"):
        is_mercer("precomputed", [[1.0, 2.0], [0.0, 1.0]])


def test_bad_input():
    X = generator.normal(size=(5, 2))
    with pytest.raises(ValueError, match="finite"):
        is_mercer("rbf", X * np.nan)
    with pytest.raises(ValueError, match="at least one row"):
        is_mercer("rbf", X[:0])
    with pytest.raises(ValueError, match="finite numbers"):
        is_mercer(lambda A, B: np.full((len(A), len(B)), np.nan), X)
    with pytest.raises(ValueError, match="symmetric"):
        is_mercer(lambda A, B: A[:, :1] - B[:, 0], X)
    with pytest.raises(ValueError, match="kernel must be one of"):
        is_mercer("cosine", X)


def test_rounding_is_no_violation():
    """Rows far from the origin, and kernels of float32 values."""
    X = np.random.default_rng(0).normal(size=(100, 3))
    assert not is_mercer("rbf", X + 1e6, gamma=1.0).violation
    assert not is_mercer(lambda A, B: A.astype(np.float32) @ B.astype(np.float32).T, X).violation


def test_gamma_is_the_estimators_and_parameters_must_be_the_kernels():
    X = 100 * np.random.default_rng(0).normal(size=(50, 3))
    for kernel in ("rbf", "sigmoid", "polynomial", RBF):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            used = KernelPerceptron(kernel, max_iter=1).fit(X, np.arange(50) % 2).kernel_
        assert is_mercer(kernel, X).eigenvalue == is_mercer(used, X).eigenvalue
    assert is_mercer("rbf", X, gamma="scale").eigenvalue == is_mercer("rbf", X).eigenvalue
    with pytest.raises(ValueError, match=r"got 'gama': 'rbf' has gamma; did you mean gamma\?"):
        is_mercer("rbf", X, gama=1.0)
    with pytest.raises(ValueError, match=r"got 'degree': 'rbf' has gamma; leave it out"):
        is_mercer("rbf", X, degree=2)
    with pytest.raises(ValueError, match="takes none here"):
        is_mercer(RBF(1.0), X, gamma=2.0)


def test_whole_numbers_that_a_kernel_rounds_are_refused():
    """A violation of rounded rows would be none of the rows that were given."""
    X = [[2**60 + 127], [1]]
    with pytest.raises(ValueError, match="whole numbers above 2\\^53"):
        is_mercer(Polynomial(1, coef0=-1.0), X)
    found = is_mercer(Polynomial(1, coef0=-1.0), [[0], [1]])
    assert found.violation and found.verify([[0], [1]])
    with pytest.raises(ValueError, match="whole numbers above 2\\^53"):
        found.verify(X)
