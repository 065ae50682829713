"""Lecture rows L13 to L24, one test each, and the errata of those rows are in test_errata."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from rosenblatt import (
    GaussianDiscriminant,
    GradientDescent,
    HalfSpace,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    Perceptron,
    RadialFeatures,
    SigmoidNeuron,
    to_original_space,
)

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
random = np.random.default_rng(0)
X = random.normal(size=(200, 3))
Y = (X[:, 0] + 0.5 * random.normal(size=200) > 0.3).astype(int)


def test_l13_few_rows_matter() -> None:
    model = LinearSVM(lam=1e-3, tol=1e-8, max_iter=5000).fit(X, Y)
    assert len(model.support_) < 120
    alone = LinearSVM(lam=1e-3 * 200 / len(model.support_), tol=1e-8, max_iter=5000)
    alone.fit(X[model.support_], Y[model.support_])  # the others can be left out: the sum of the losses is the same
    np.testing.assert_allclose(alone.coef_, model.coef_, rtol=1e-3, atol=1e-3)


def test_l14_formula() -> None:
    model = GaussianDiscriminant().fit(X, Y)
    m0, m1, inverse = *model.means_, np.linalg.inv(model.covariance_)
    np.testing.assert_allclose(model.coef_[0], (m1 - m0) @ inverse, rtol=1e-9)
    b = (m0 @ inverse @ m0 - m1 @ inverse @ m1) / 2 + np.log(model.priors_[1] / model.priors_[0])
    np.testing.assert_allclose(model.intercept_[0], b, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X @ model.coef_[0] + b), rtol=1e-9)


def test_l15_step_and_likelihood() -> None:
    eta, w = 0.3, np.zeros(3)
    model = HalfSpace("logistic", {"learning_rate": eta}, fit_intercept=False)
    for x, label in zip(X, Y, strict=True):
        y = 2 * label - 1
        w = w + eta * (1 - expit(y * (w @ x))) * y * x
        model.partial_fit(x[None], [label], classes=[0, 1])
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    best = LogisticRegression(lam=0).fit(X, Y)
    likelihood = np.log(best.predict_proba(X)[np.arange(200), Y]).sum()
    for nudge in (1e-3, -1e-3):
        scores = X @ (best.coef_[0] + nudge) + best.intercept_[0]
        assert np.log(expit((2 * Y - 1) * scores)).sum() < likelihood


def test_l16_layer() -> None:
    layer = Layer.from_weights(random.normal(size=(4, 3)), random.normal(size=4), "sigmoid")
    np.testing.assert_allclose(layer.activate(X), expit(X @ layer.weights_.T + layer.bias_))


def test_l17_chain_rule() -> None:
    model = SigmoidNeuron(lam=0, solver=GradientDescent(learning_rate=0.5), fit_intercept=False)
    w = np.zeros(3)
    for x, y in zip(X, Y, strict=True):
        a = expit(w @ x)
        w = w - 0.5 * (a - y) * a * (1 - a) * x
        model.partial_fit(x[None], [y], classes=[0, 1])
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)


def test_l18_exact_and_by_steps() -> None:
    target = X @ [1.0, -2.0, 3.0] + 0.5
    for solver in ("exact", "sgd"):
        model = LeastSquares(solver=solver, max_iter=2000, random_state=0).fit(X, target)
        np.testing.assert_allclose(model.coef_, [1.0, -2.0, 3.0], atol=1e-3)


def test_l19_a_batch_of_all_rows_is_batch() -> None:
    whole, mini = (
        LogisticRegression(
            lam=0.1, solver=GradientDescent(batch_size=size, learning_rate=0.5, shuffle=False), max_iter=100, tol=1e-3
        ).fit(X, Y)
        for size in (None, 200)
    )
    np.testing.assert_allclose(whole.coef_, mini.coef_, rtol=1e-9)


def test_l20_way_back() -> None:
    pipeline = make_pipeline(MinMaxScaler(), LogisticRegression(lam=1e-3)).fit(X, Y)
    plain = to_original_space(pipeline)
    low, high = X.min(axis=0), X.max(axis=0)
    np.testing.assert_allclose(plain.coef[0], pipeline[-1].coef_[0] / (high - low))
    np.testing.assert_array_equal(plain.predict(X), pipeline.predict(X))


def test_l21_xor_with_the_product() -> None:
    Z = np.column_stack([CORNERS, CORNERS.prod(axis=1)])
    assert Perceptron(max_iter=1000).fit(Z, XOR).stop_reason_ == "converged"
    pairs = PairProducts(10, random_state=0).fit_transform(CORNERS)
    assert Perceptron(max_iter=1000).fit(pairs, XOR).stop_reason_ == "converged"


def test_l22_radial_feature_helps_neighbours() -> None:
    def rings(n: int) -> tuple[np.ndarray, np.ndarray]:
        radius, angle = random.uniform(0, 3, n), random.uniform(0, 2 * np.pi, n)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.floor(radius).astype(int) % 2

    (rows, y), (rows_test, y_test) = rings(250), rings(2000)
    plain = KNeighborsClassifier(11).fit(rows, y)
    radial = make_pipeline(RadialFeatures(centres=[[0, 0]], keep=False), KNeighborsClassifier(11)).fit(rows, y)
    assert radial.score(rows_test, y_test) > plain.score(rows_test, y_test) + 0.02


def test_l23_identity() -> None:
    predictions = []
    for _ in range(50):
        x = random.uniform(-1, 1, 20)
        fitted = LeastSquares().fit(np.column_stack([x, x**2]), np.sin(3 * x) + random.normal(0, 0.3, 20))
        predictions.append(fitted.predict([[0.5, 0.25]])[0])
    truth = np.sin(1.5)
    error = np.mean((np.array(predictions) - truth) ** 2)
    assert np.isclose(error, (np.mean(predictions) - truth) ** 2 + np.var(predictions))


def test_l24_two_layers_compute_xor() -> None:
    by_hand = Layer.from_weights([[1, 1]], [-1.5], below=Layer.from_weights([[1, 1], [-1, -1]], [-0.5, 1.5]))
    assert by_hand.activate(CORNERS).ravel().tolist() == XOR.tolist()
    assert Layer("sigmoid", below=Layer("tanh", units=3), random_state=1).fit(CORNERS, XOR).score(CORNERS, XOR) == 1
