"""Gradient descent, compiled, beside the plain reference; objectives beside finite differences."""

import numpy as np
import pytest
import scipy.sparse
from scipy.special import expit, softmax

from rosenblatt.engine.gradient import descent as gradient
from rosenblatt.engine.gradient import lbfgs as quasi_newton
from rosenblatt.engine.gradient import network, newton
from rosenblatt.engine.gradient.objective import Objective
from tests.reference.gradient import descend

random = np.random.default_rng(0)
X = random.normal(size=(40, 5))
X[random.random(X.shape) < 0.4] = 0.0
SIGNS = random.choice([-1.0, 1.0], (40, 2))
ONE_HOT = np.eye(3)[random.integers(0, 3, 40)]
REAL = random.normal(size=(40, 2))
WEIGHTS = random.integers(1, 4, 40).astype(float)
SLOPES = {
    "logistic": lambda s, t: -t * expit(-t * s),
    "squared": lambda s, t: s - t,
    "multinomial": lambda s, t: softmax(s) - t,
}
CASES = [("logistic", SIGNS), ("squared", REAL), ("multinomial", ONE_HOT)]


@pytest.mark.parametrize(("loss", "targets"), CASES)
@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_epochs_are_those_of_the_reference(loss, targets, size, reduced, sparse):
    rows = scipy.sparse.csr_array(X) if sparse else X
    objective = Objective(rows, targets, WEIGHTS, loss, 0.05)
    start = np.full((targets.shape[1], 6), 0.1)
    descent = gradient.Descent(objective, start, 0.1, "1/sqrt(t)", size, reduced, seed=None)
    weights = WEIGHTS / WEIGHTS.mean()
    W, b = start[:, :-1], start[:, -1]
    for _ in range(3):
        rates = descent.rates(-(-40 // size))
        reference = None
        if reduced:
            slopes = np.stack([c * SLOPES[loss](W @ x + b, t) for x, t, c in zip(X, targets, weights, strict=True)])
            reference = slopes, slopes.T @ X / 40, slopes.mean(axis=0)
        W, b = descend(X, targets, weights, SLOPES[loss], np.arange(40), size, rates, 0.05, W, b, reference)
        assert descent.epoch()
    np.testing.assert_allclose(descent.weights, np.column_stack([W, b]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 40])
@pytest.mark.parametrize("reduced", [False, True])
def test_a_weight_of_zero_is_the_row_left_out_of_every_batch(size, reduced):
    weights = WEIGHTS.copy()
    weights[::3] = 0.0
    kept, found = weights > 0, []
    for rows, targets, c in ((X, REAL, weights), (X[kept], REAL[kept], weights[kept])):
        objective = Objective(rows, targets, c, "squared", 0.05)
        descent = gradient.Descent(objective, np.full((2, 6), 0.1), 0.1, "1/sqrt(t)", size, reduced, seed=3)
        assert descent.epoch() and descent.epoch()
        found.append(descent.weights)
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("loss", "targets"), CASES)
@pytest.mark.parametrize("sparse", [False, True])
def test_gradient_and_second_derivative_by_finite_differences(loss, targets, sparse):
    rows = scipy.sparse.csr_array(X) if sparse else X
    objective = Objective(rows, targets, WEIGHTS, loss, 0.05, penalize_intercept=True)
    at, h = random.normal(size=(targets.shape[1], 6)), 1e-5

    def value(w):
        return objective.value(w, objective.scores(w))[0]

    _, slope = objective.gradient(at, objective.scores(at))
    bent = objective.diagonal(objective.scores(at))
    for k in range(at.shape[0]):
        for j in range(6):
            e = np.zeros_like(at)
            e[k, j] = h
            assert slope[k, j] == pytest.approx((value(at + e) - value(at - e)) / (2 * h), rel=1e-5, abs=1e-8)
            second = objective.bend(objective.scores(at), e / h)
            change = objective.gradient(at + e, objective.scores(at + e))[1]
            change = change - objective.gradient(at - e, objective.scores(at - e))[1]
            np.testing.assert_allclose(second, change / (2 * h), rtol=1e-4, atol=1e-7)
            assert bent[k, j] == pytest.approx(second[k, j], rel=1e-9)


@pytest.mark.parametrize(("loss", "targets"), CASES)
def test_every_solver_finds_the_same_minimum(loss, targets):
    objective = Objective(X, targets, WEIGHTS, loss, 0.05)
    start = np.zeros((targets.shape[1], 6))
    exact, reason = newton.minimise(objective, start, tol=1e-14, max_iter=50, seed=0)
    assert reason == "converged" and np.abs(objective.gradient(exact, objective.scores(exact))[1]).max() < 1e-7
    least = objective.value(exact, objective.scores(exact))[0]
    other, _ = quasi_newton.minimise(objective, start, tol=1e-9, max_iter=500)
    assert objective.value(other, objective.scores(other))[0] == pytest.approx(least, rel=1e-8)
    for rate, size, reduced in (
        (gradient.safe_rate(objective), 1, True),
        (gradient.safe_batch_rate(objective), 40, False),
    ):
        descent = gradient.Descent(objective, start, rate, batch_size=size, reduced=reduced)
        gradient.descend(descent, max_iter=1000, tol=None, after_epoch=lambda figures: "")
        assert objective.value(descent.weights, objective.scores(descent.weights))[0] == pytest.approx(least, rel=1e-6)


def test_a_sample_of_rows_leads_to_the_minimum_of_all_rows(monkeypatch):
    monkeypatch.setattr(newton, "SMALL", 0)
    rows = random.normal(size=(2000, 8))
    targets = np.where(rows[:, :1] + random.normal(size=(2000, 1)) > 0, 1.0, -1.0)
    objective = Objective(rows, targets, np.empty(0), "logistic", 1e-3)
    found, reason = newton.minimise(objective, np.zeros((1, 9)), tol=1e-13, max_iter=200, seed=0)
    assert reason == "converged"
    assert np.abs(objective.gradient(found, objective.scores(found))[1]).max() <= 1e-6


def test_diverging_keeps_the_last_finite_weights():
    objective = Objective(1e3 * X, REAL, np.empty(0), "squared", 0.0)
    descent = gradient.Descent(objective, np.zeros((2, 6)), 1.0, batch_size=1)
    seen = []
    reason = gradient.descend(descent, max_iter=100, tol=None, after_epoch=lambda f: seen.append(f["weights"]) or "")
    assert reason == "diverged" and np.isfinite(descent.weights).all()
    np.testing.assert_array_equal(descent.weights, seen[-1] if seen else np.zeros((2, 6)))


@pytest.mark.parametrize("activations", [["sigmoid"], ["tanh", "sigmoid"], ["sigmoid", "tanh", "linear"]])
def test_back_propagation_by_finite_differences(activations):
    sizes, layers = [5, 4, 3, 2], []
    for level in range(len(activations)):
        layers.append((random.normal(size=(sizes[level + 1], sizes[level])), random.normal(size=sizes[level + 1])))
    targets = random.normal(size=(40, sizes[len(activations)]))
    one = network.Network(X, targets, WEIGHTS, sizes[1 : len(activations) + 1], activations, 0.1)
    flat, h = network.flatten(layers), 1e-6
    _, slopes = one.gradient(flat, one.scores(flat))
    assert all((W == V).all() and (b == c).all() for (W, b), (V, c) in zip(one.layers(flat), layers, strict=True))

    def value(at):
        return one.value(at, one.scores(at))[0]

    for j in range(len(flat)):
        e = np.zeros_like(flat)
        e[j] = h
        assert slopes[j] == pytest.approx((value(flat + e) - value(flat - e)) / (2 * h), rel=1e-4, abs=1e-8)
