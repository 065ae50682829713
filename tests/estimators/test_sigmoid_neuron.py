"""SigmoidNeuron: the minimum, steps, starting weights, drawn rows and early stopping."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_class_weight_classifiers

from rosenblatt import GradientDescent, SigmoidNeuron

CANCER = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(CANCER[0]), CANCER[1]
TWO_MINIMA = np.array([[-20.0], [1.0], [1.2], [1.4], [1.6]]), np.array([1, 1, 1, 1, 0])  # at -0.09 and 0.71


def neuron_loss(v, lam):
    miss = expit(X @ v[:-1] + v[-1]) - Y
    return lam * v[:-1] @ v[:-1] + np.mean(miss**2) / 2


def test_the_neuron_ends_where_scipy_ends():
    model = SigmoidNeuron(lam=1e-3).fit(X, Y)
    peer = minimize(neuron_loss, np.zeros(31), (1e-3,), tol=1e-9)
    ours = neuron_loss(np.append(model.coef_[0], model.intercept_), 1e-3)
    assert ours == pytest.approx(peer.fun, rel=1e-4) and model.objective_ == pytest.approx(ours, rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), (model.activate(X) >= 0.5).astype(int))  # decides at 0.5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["sgd", "batch", "svrg"])
def test_the_neuron_by_steps(solver):
    least = SigmoidNeuron(lam=1e-3).fit(X, Y).objective_
    model = SigmoidNeuron(lam=1e-3, solver=solver, max_iter=1500, random_state=0).fit(X, Y)
    assert least <= model.objective_ * (1 + 1e-6) and model.objective_ < 1.02 * least


def test_its_loss_is_not_convex():
    """Half way between two points the loss can be above the mean of their losses, without any noise."""
    x, far = np.array([[1.0]]), 10.0
    losses = [float((expit(x[0, 0] * w) - 1) ** 2 / 2) for w in (-far, 0.0, far)]
    between = float((expit(-far / 2) - 1) ** 2 / 2)
    assert between > (losses[0] + losses[1]) / 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_starts_at_the_given_weights():
    start, level = np.linspace(-1, 1, 30), np.array([0.3])
    still = SigmoidNeuron(solver=GradientDescent(batch_size=None, learning_rate=1e-12), max_iter=1)
    for coef in (start, start[None]):
        model = still.fit(X, Y, coef_init=coef, intercept_init=level)
        np.testing.assert_allclose(model.coef_[0], start, atol=1e-9)
        np.testing.assert_allclose(model.intercept_, level, atol=1e-9)
    model = SigmoidNeuron(solver="batch", max_iter=3).fit(X, Y)
    higher = model.objective_
    assert model.fit(X, Y, coef_init=model.coef_, intercept_init=model.intercept_).objective_ < higher  # it continues
    assert not hasattr(model, "_given")
    assert (SigmoidNeuron(fit_intercept=False, max_iter=1).fit(X, Y, intercept_init=[5.0]).intercept_ == 0).all()
    rows, y = load_iris(return_X_y=True)
    assert SigmoidNeuron().fit(rows, y, coef_init=np.ones((3, 4))).coef_.shape == (3, 4)


def test_starting_weights_of_another_shape_are_refused():
    model = SigmoidNeuron().fit(X, Y)
    for given, sentence in (
        ({"coef_init": np.zeros(3)}, r"coef_init must be finite numbers of shape \(1, 30\)"),
        ({"coef_init": "zero"}, "coef_init must be numbers"),
        ({"coef_init": np.full(30, np.nan)}, "coef_init must be finite"),
        ({"intercept_init": [1.0, 2.0]}, r"intercept_init must be finite numbers of shape \(1,\)"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.fit(X, Y, **given)
    assert model.predict(X).shape == Y.shape and not hasattr(model, "_given")


@pytest.mark.parametrize("size", [None, 1])
def test_a_run_that_stays_in_a_shallow_minimum_converges(size):
    """Its loss is above that of w = 0; that is no reason to call it diverged."""
    solver = GradientDescent(batch_size=size, learning_rate=0.05, shuffle=False)
    model = SigmoidNeuron(lam=0, solver=solver, fit_intercept=False, max_iter=5000, tol=1e-5)
    model.fit(*TWO_MINIMA, coef_init=[[0.7]])
    assert model.stop_reason_ == "converged" and model.coef_[0, 0] == pytest.approx(0.71, abs=0.05)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_drawn_with_replacement_are_those_of_a_plain_loop():
    rate, epochs = 0.5, 3
    rows, y = X[:20, :2], Y[:20]
    solver = GradientDescent(learning_rate=rate, shuffle="replacement")
    model = SigmoidNeuron(lam=0, solver=solver, max_iter=epochs, tol=0, random_state=np.random.RandomState(3))
    model.fit(rows, y)
    draw = np.random.default_rng(np.random.RandomState(3).randint(2**31 - 1))
    w, b = np.zeros(2), 0.0
    for i in np.concatenate([draw.choice(20, 20) for _ in range(epochs)]):
        a = expit(rows[i] @ w + b)
        slope = (a - y[i]) * a * (1 - a)
        w, b = w - rate * slope * rows[i], b - rate * slope
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_[0], b, rtol=1e-9)


def test_early_stopping_keeps_the_weights_that_were_best_on_held_out_rows():
    random = np.random.default_rng(0)
    rows = random.normal(size=(80, 40))
    y = rows[:, 0] + random.normal(size=80) > 0
    solver = GradientDescent(validation_fraction=0.3, n_iter_no_change=4)
    model = SigmoidNeuron(lam=0, tol=0, solver=solver, random_state=0)
    model.fit(rows, y)
    losses = model.trace_["test_loss"]
    assert model.stop_reason_ == "no_improvement" and model.best_iter_ == losses.argmin() + 1 == len(losses) - 4
    again = clone(model).fit(rows, y)
    np.testing.assert_array_equal(again.coef_, model.coef_)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"solver": GradientDescent(validation_fraction=2)}, "validation_fraction must be"),
        ({"solver": GradientDescent(n_iter_no_change=0)}, "n_iter_no_change must be"),
        ({"solver": GradientDescent(shuffle="sometimes")}, "shuffle must be"),
        ({"solver": "newton"}, "solver must be one of"),
        ({"start": -1}, "start must be"),
    ],
)
def test_bad_parameters_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        SigmoidNeuron(**settings).fit(X, Y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["lbfgs", GradientDescent(n_iter_no_change=20)])
def test_class_weights_count_by_default(solver):
    check_class_weight_classifiers("SigmoidNeuron", SigmoidNeuron(solver=solver))
