"""Lecture rows L10 to L12; docs/lectures.md refers to these tests by name."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, is_mercer
from rosenblatt.kernels import Polynomial, degree_two_map

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([-1, 1, 1, -1])


def test_l10_is_the_lecture_in_ten_lines() -> None:
    K, alpha, changed = (1 + CORNERS @ CORNERS.T) ** 2, np.zeros(4, int), True
    while changed:
        changed = False
        for i in range(4):
            if XOR[i] * sum(alpha[j] * XOR[j] * K[j, i] for j in range(4)) <= 0:
                alpha[i] += 1
                changed = True
    model = KernelPerceptron(Polynomial(2), shuffle=False).fit(CORNERS, XOR)
    np.testing.assert_array_equal(model.mistake_counts_, alpha)
    np.testing.assert_array_equal(model.predict(CORNERS), XOR)


def test_l10_the_weights_of_a_linear_kernel_are_a_sum_of_rows() -> None:
    y = np.array([-1, -1, -1, 1])
    model = KernelPerceptron(Polynomial(1), shuffle=False).fit(CORNERS, y)
    w = (model.mistake_counts_ * y) @ CORNERS
    b = model.mistake_counts_ @ y
    np.testing.assert_array_equal(model.decision_function(CORNERS), CORNERS @ w + b)


def test_l11_a_row_that_errs_s_times_leaves() -> None:
    rows, y = [[3.0], [4.0], [-3.0], [-4.0], [1.0]], [1, 1, 0, 0, 0]
    model = KernelPerceptron("linear", drop_after=3, shuffle=False).fit(rows, y)
    assert model.dropped_.tolist() == [4] and model.mistake_counts_[4] == 0 and 4 not in model.support_
    assert model.stop_reason_ == "converged" and model.predict(rows).tolist() == [1, 1, 0, 0, 1]


def test_l12_the_degree_two_map_equals_the_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(20, 5))
    np.testing.assert_allclose(degree_two_map(X) @ degree_two_map(X).T, Polynomial(2)(X))


def test_l12_a_perceptron_on_the_map_makes_the_kernel_perceptrons_mistakes() -> None:
    rows = degree_two_map(CORNERS)
    mapped = KernelPerceptron("linear", shuffle=False).fit(rows, XOR)
    kernel = KernelPerceptron(Polynomial(2), shuffle=False).fit(CORNERS, XOR)
    np.testing.assert_array_equal(mapped.mistake_counts_, kernel.mistake_counts_)


@pytest.mark.parametrize("kernel", ["polynomial", "gaussian", "rbf", "linear"])
def test_l12_the_gram_matrix_is_positive_semi_definite(kernel: str) -> None:
    assert not is_mercer(kernel, np.random.default_rng(0).normal(size=(100, 3))).violation
