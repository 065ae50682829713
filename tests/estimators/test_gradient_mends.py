"""What the gradient learners say and keep at the edges: odd parameters, plateaus, Ctrl-C, columns far from 0."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    GradientDescent,
    HOGFeatures,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    RadialFeatures,
    SigmoidNeuron,
)
from rosenblatt.closed_form import least_squares

X = np.random.default_rng(0).normal(size=(60, 4))
y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


ODD = [("n_jobs", 0), ("n_jobs", "x"), ("class_weight", "foo"), ("random_state", "x"), ("random_state", -3)]
KINDS = [Perceptron, LinearSVM, LogisticRegression, SigmoidNeuron]


@pytest.mark.parametrize(
    ("kind", "name", "value"), [(kind, *odd) for kind in KINDS for odd in ODD if odd[0] in kind().get_params()]
)
def test_odd_parameters_are_refused_in_a_sentence(kind, name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*, but (got )?{value!r}( came)?; "):
        kind(**{name: value}).fit(X, y)


@pytest.mark.parametrize("kind", [SigmoidNeuron, LeastSquares, Layer])
def test_lam_must_be_a_number(kind) -> None:
    with pytest.raises(ValueError, match="lam must be a finite number of at least 0, but got None"):
        kind(lam=None).fit(X, y)


@pytest.mark.parametrize(
    "settings",
    [
        {"orientations": 0},
        {"orientations": "x"},
        {"pixels_per_cell": (0, 8)},
        {"pixels_per_cell": 8},
        {"cells_per_block": (2,)},
    ],
)
def test_hog_refuses_odd_sizes(settings: dict) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=f"{name} must be"):
        HOGFeatures(**settings).fit(np.zeros((2, 32, 32)))


def test_radial_features_keep_their_digits_far_from_the_origin() -> None:
    near = RadialFeatures(keep=False, centres=[[0.0, 0.0]]).fit_transform([[3e-3, 4e-3]])
    far = RadialFeatures(keep=False, centres=[[1e8, 1e8]]).fit_transform([[1e8 + 3e-3, 1e8 + 4e-3]])
    assert far == pytest.approx(near, rel=1e-5)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5, 1e7])
@pytest.mark.parametrize("lam", [0.0, 1e-3])
@pytest.mark.parametrize("most_columns", [4096, 0])
def test_least_squares_on_large_data_keeps_its_digits_far_from_the_origin(
    offset: float, lam: float, most_columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(least_squares, "WHOLE", 100)
    monkeypatch.setattr(least_squares, "MOST_COLUMNS", most_columns)
    random = np.random.default_rng(1)
    rows = random.normal(size=(300, 6)) * (random.random((300, 6)) < 0.4)
    rows[:, 2] += offset
    targets = rows @ random.normal(size=6) + random.normal(size=300)
    centred, wanted = rows - rows.mean(axis=0), targets - targets.mean()
    expected = np.linalg.lstsq(
        np.vstack([centred, np.sqrt(2 * lam * 300) * np.eye(6)]), np.r_[wanted, np.zeros(6)], rcond=None
    )[0]
    for kind in (np.asarray, scipy.sparse.csr_array):
        assert LeastSquares(lam=lam).fit(kind(rows), targets).coef_ == pytest.approx(expected, rel=1e-6, abs=1e-8)


def test_least_squares_on_wide_sparse_rows_needs_no_square_matrix() -> None:
    rows = scipy.sparse.random_array((200, 50_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    targets = np.asarray(rows[:, :20_000].sum(axis=1)).ravel()
    assert LeastSquares(lam=1e-6).fit(rows, targets).score(rows, targets) > 0.999


def test_a_layer_that_says_converged_has_no_slope_left() -> None:
    for seed in range(10):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            layer = Layer(below=Layer("tanh", units=2), lam=0, tol=1e-6, n_init=1, random_state=seed)
            layer.fit(X, y)
        if layer.stop_reason_ != "converged":
            continue
        before, step = layer.objective_, 1e-4
        for W in (layer.weights_, layer.below_.weights_):
            for place in np.ndindex(W.shape):
                W[place] += step
                answers = layer.activate(X)[:, 0]
                W[place] -= step
                after = 0.5 * float(np.mean((answers - y) ** 2))
                assert abs(after - before) / step < 1e-3


@pytest.mark.parametrize("solver", ["lbfgs", GradientDescent(batch_size=10)])
def test_ctrl_c_ends_a_layer_and_keeps_its_weights(solver) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(4000, 30))
    labels = random.integers(0, 2, 4000)
    layer = Layer("sigmoid", below=Layer("tanh", units=20), solver=solver, tol=0, max_iter=1, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        layer.fit(rows[:50], labels[:50])  # whatever must be imported is so before the time runs
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        layer.set_params(max_iter=10**6).fit(rows, labels)
    assert layer.stop_reason_ == "interrupted"
    assert np.isfinite(layer.activate(rows)).all()
