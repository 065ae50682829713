"""The kernel perceptron on MNIST."""

import os

import numpy as np
import pytest
from reference import kernel_perceptron as kernel_reference
from reference.blocks import blocks

from rosenblatt import KernelPerceptron
from rosenblatt.kernels import Polynomial
from rosenblatt.sources import mnist, mnist_pair

pytestmark = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


def kernel_digits(n):
    data = mnist()
    return (data.X_train[:n] / 255.0), data.y_train[:n].astype(int), data.X_test / 255.0, data.y_test


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("block", [100, 1024, 5000])
def test_kernel_perceptron_on_mnist_makes_the_references_updates(block):
    X, y, _, _ = kernel_digits(1500)
    with blocks(block):
        model = KernelPerceptron(Polynomial(4), shuffle=False, max_iter=4).fit(X, y)
    run = kernel_reference.train((1 + X @ X.T) ** 4, y, 10, 4)
    np.testing.assert_array_equal(model.mistake_counts_, run.alpha)


@pytest.mark.slow
def test_kernel_perceptron_separates_mnist():
    X, y, X_test, y_test = kernel_digits(60_000)
    model = KernelPerceptron(Polynomial(4), shuffle=False, max_iter=100).fit(X.astype(np.float32), y)
    assert model.stop_reason_ == "converged" and model.score(X_test.astype(np.float32), y_test) >= 0.984


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_drop_after_finds_flipped_labels():
    pair = mnist_pair(3, 5)
    X, X_test, y = (pair.X_train / 255).astype(np.float32), (pair.X_test / 255).astype(np.float32), pair.y_train.copy()
    flipped = np.random.default_rng(0).choice(len(y), len(y) // 20, replace=False)
    y[flipped] = 8 - y[flipped]
    without = KernelPerceptron(gamma=0.02, max_iter=6, random_state=0, answer="last").fit(X, y)
    dropping = KernelPerceptron(gamma=0.02, max_iter=6, random_state=0, drop_after=4, answer="last").fit(X, y)
    found = np.intersect1d(dropping.dropped_, flipped)
    assert len(found) > 0.9 * len(flipped) and len(found) > 0.8 * len(dropping.dropped_)
    assert dropping.score(X_test, pair.y_test) > without.score(X_test, pair.y_test)
