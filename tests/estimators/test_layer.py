"""Layer: one and two layers, its defaults on real data, starts, dead units and early stopping."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt import GradientDescent, Layer, SigmoidNeuron
from rosenblatt.sources import digits

CANCER = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(CANCER[0]), CANCER[1]
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
DIGITS = load_digits(return_X_y=True)


@pytest.mark.parametrize("unit", [1.0, 16.0])
def test_the_defaults_learn_digits_in_whatever_units(unit):
    """The issue: 86 to 92 % and "converged", with units that answered 0 for every row."""
    split = digits()
    layer = Layer().fit(split.X_train / unit, split.y_train)  # a warning would be an error
    assert layer.stop_reason_ == "converged" and layer.dead_units_ == []
    assert layer.score(split.X_test / unit, split.y_test) >= 0.95
    scores = []
    for seed in range(6):
        train, test, y_train, y_test = train_test_split(DIGITS[0] / unit, DIGITS[1], random_state=seed)
        scores.append(Layer().fit(train, y_train).score(test, y_test))
    assert np.mean(scores) >= 0.945  # a linear model has 93 to 98 % on these


def test_sparse_rows_learn_the_same():
    rows = DIGITS[0][:300]
    dense = Layer().fit(rows, DIGITS[1][:300])
    sparse = Layer().fit(scipy.sparse.csr_array(rows), DIGITS[1][:300])
    np.testing.assert_allclose(sparse.weights_, dense.weights_, rtol=1e-6, atol=1e-9)


def test_dead_units_are_noticed():
    rows, y = DIGITS[0][:400], DIGITS[1][:400]
    with pytest.warns(ConvergenceWarning, match="saturated for every row"):
        layer = Layer(solver=GradientDescent(batch_size=None, learning_rate=50.0), max_iter=20).fit(rows, y)
    dead = [unit for _, unit in layer.dead_units_]
    assert dead and np.ptp(layer.activate(rows)[:, dead], axis=0).max() < 0.05
    alive = np.setdiff1d(np.arange(10), dead)
    assert not len(alive) or np.ptp(layer.activate(rows)[:, alive], axis=0).min() > 0.01


def test_an_output_that_is_never_on_is_not_dead():
    labels = np.column_stack([Y, np.zeros_like(Y)])
    assert Layer(lam=1e-3).fit(X, labels).dead_units_ == []


@pytest.mark.parametrize("below", [None, Layer("tanh", units=2)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_more_starts_never_end_higher_and_do_start_elsewhere(below):
    fits = [Layer(below=below, lam=0, max_iter=20, n_init=n, random_state=0).fit(X, Y) for n in (1, 2, 5)]
    objectives = [fit.objective_ for fit in fits]
    assert objectives == sorted(objectives, reverse=True) and objectives[0] > objectives[-1]
    assert fits[-1].trace_["loss"][-1] == pytest.approx(fits[-1].objective_) and fits[-1].n_iter_ <= 20


def test_auto_starts_are_one_for_a_layer_and_five_for_more():
    for below, count in ((None, 1), (Layer("tanh", units=2), 5)):
        fits = [Layer(below=below, n_init=n, random_state=0).fit(X, Y) for n in ("auto", count)]
        np.testing.assert_array_equal(fits[0].weights_, fits[1].weights_)


@pytest.mark.parametrize("size", [1, None])
def test_early_stopping_keeps_the_weights_that_were_best_on_held_out_rows(size):
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 40))
    y = rows[:, 0] + random.normal(size=60) > 0  # noise, which training to the end learns by heart
    settings = {"lam": 0, "tol": 0, "max_iter": 300, "random_state": 0}
    solver = GradientDescent(batch_size=size, validation_fraction=0.3, n_iter_no_change=3)
    early = Layer(**settings, solver=solver).fit(rows, y)
    assert early.stop_reason_ == "no_improvement" and early.n_iter_ < 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert Layer(**settings, solver=GradientDescent(batch_size=size)).fit(rows, y).objective_ < early.objective_


def test_warm_start_continues():
    layer = Layer(solver="batch", max_iter=5, warm_start=True)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        first = layer.fit(X, Y).objective_
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        assert layer.fit(X, Y).objective_ < first
    with pytest.raises(ValueError, match="warm_start=True needs data like those"):
        layer.fit(X[:, :3], Y)
    assert layer.predict(X).shape == Y.shape  # a refused fit leaves it as it was


def test_sign_units_are_threshold_units_that_answer_minus_one():
    sign, threshold = Layer("sign", random_state=0).fit(X, Y), Layer("threshold", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(sign.activate(X), 2 * threshold.activate(X) - 1)
    np.testing.assert_array_equal(sign.predict(X), threshold.predict(X))
    known = Layer.from_weights([[1.0, -1.0]], [0.0], "sign")
    assert known.activate([[0.0, 0.0], [0.0, 1.0]]).ravel().tolist() == [1.0, -1.0]  # 0 is +1, as in the lectures


def test_a_generator_seeds_it():
    fits = [Layer(below=Layer(units=2), n_init=1, random_state=np.random.default_rng(s)).fit(X, Y) for s in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0].weights_, fits[1].weights_)
    assert not np.array_equal(fits[0].weights_, fits[2].weights_)
    assert clone(Layer(warm_start=True)).fit(*XOR).n_iter_  # nothing to continue from: it starts anew


def test_a_layer_whose_rate_overshoots_is_not_called_converged():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    with pytest.warns(ConvergenceWarning, match="Lower learning_rate"):
        layer = Layer("linear", solver=GradientDescent(batch_size=None, learning_rate=2.5)).fit(rows, rows[:, 0] > 0)
    assert layer.stop_reason_ == "diverged" and layer.objective_ <= layer.trace_["loss"].min()


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("seed", range(5))
def test_two_layers_solve_xor_and_one_does_not(activation, seed):
    assert Layer(activation).fit(*XOR).score(*XOR) < 1
    network = Layer("sigmoid", below=Layer(activation, units=3), random_state=seed).fit(*XOR)
    assert network.score(*XOR) == 1 and network.objective_ < 0.025


def test_two_layers_solve_xor_by_gradient_descent():
    solver = GradientDescent(batch_size=None, learning_rate=2.0)
    network = Layer("sigmoid", below=Layer("tanh", units=4), solver=solver, max_iter=3000, tol=0, random_state=0)
    with pytest.warns(ConvergenceWarning):
        network.fit(*XOR)
    assert network.score(*XOR) == 1
    assert network.trace_["loss"][-1] < network.trace_["loss"][0] / 10


def test_several_labels_at_once():
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 4))
    labels = (rows @ random.normal(size=(4, 3)) > 0).astype(int)
    for activation in ("sigmoid", "tanh", "linear", "threshold"):
        layer = Layer(activation, lam=1e-4, random_state=0).fit(rows, labels)
        assert layer.weights_.shape == (3, 4) and layer.predict(rows).shape == (200, 3)
        assert (layer.predict(rows) == labels).mean() > 0.95


def test_a_layer_of_one_sigmoid_is_the_neuron():
    layer, neuron = Layer("sigmoid", lam=1e-3, tol=1e-6).fit(X, Y), SigmoidNeuron(lam=1e-3).fit(X, Y)
    assert layer.objective_ == pytest.approx(neuron.objective_, rel=1e-4)
    np.testing.assert_allclose(layer.activate(X)[:, 0], neuron.activate(X), atol=1e-2)


def test_layers_and_bad_input():
    for layer, told in (
        (Layer("step"), "activation must be one of"),
        (Layer(below=Layer()), "units must be"),
        (Layer(below=Layer("threshold", units=2)), "need activations with a slope"),
        (Layer(below="x"), "below must be a Layer"),
        (Layer(units=3), "units must be as many"),
        (Layer(solver="newton"), "solver must be one of"),
        (Layer(n_init=0), "n_init must be"),
        (Layer(n_init="many"), "n_init must be"),
        (Layer("sign", n_init=3), "n_init=3 is for activations with a slope"),
        (Layer(solver="svrg"), "takes no variance reduction"),
        (Layer(solver=GradientDescent(validation_fraction=1.5)), "validation_fraction must be"),
        (Layer(solver=GradientDescent(validation_fraction=0.1)), "The test_size = 1 should be greater or equal"),
        (Layer(warm_start="no"), "warm_start must be True or False"),
        (Layer(below=Layer("sign", units=2)), "need activations with a slope, but 'sign'"),
    ):
        with pytest.raises(ValueError, match=told):
            layer.fit(*XOR)
    with pytest.raises(ValueError, match="one row and one number per unit"):
        Layer.from_weights([[1.0, 1.0]], [0.0, 1.0])
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model = Layer("linear", solver=GradientDescent(learning_rate=1e3)).fit(1e3 * X, Y)
    assert model.stop_reason_ == "diverged" and np.isfinite(model.weights_).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("size", [1, 3, 8])
def test_steps_of_a_layer_are_the_mean_over_their_batch(size):
    rows, y, weights = X[:8, :2], np.arange(8) % 2, np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0, 1.0, 2.0])
    solver = GradientDescent(batch_size=size, learning_rate=0.5, shuffle=False)
    layer = Layer("sigmoid", solver=solver, max_iter=1, lam=0, random_state=0)
    layer.fit(rows, y, weights)
    w, b, share = np.zeros(2), logit(weights @ y / weights.sum()), weights / weights.mean()
    for start in range(0, 8, size):
        chosen = slice(start, start + size)
        a = expit(rows[chosen] @ w + b)
        delta = (a - y[chosen]) * a * (1 - a) * share[chosen] / len(share[chosen])
        w, b = w - 0.5 * delta @ rows[chosen], b - 0.5 * delta.sum()
    np.testing.assert_allclose(layer.weights_[0], w, rtol=1e-9)
    np.testing.assert_allclose(layer.bias_[0], b, rtol=1e-9)
