"""Summed gradients: the minimum of one machine, within a gap that is proven every round."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM, LogisticRegression, load, save

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

ROWS, WIDTH = 600, 5


def rows(n_classes: int):
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(ROWS, WIDTH)) + 0.5
    y = (X[:, :n_classes] + random.normal(size=(ROWS, n_classes))).argmax(axis=1)
    return X, np.array(["a", "b", "c"])[y], random.integers(0, 3, ROWS).astype(float)


def objective(model, X, y, weights) -> float:
    """The objective of a model in plain numpy."""
    classes, lam = model.classes_.tolist(), model.lam_
    share = weights / weights.sum()
    squares = (model.coef_**2).sum() + model.regularize_intercept * (model.intercept_**2).sum()
    scores = X @ model.coef_.T + model.intercept_
    if isinstance(model, LogisticRegression) and model.multi_class == "multinomial" and len(classes) > 2:
        true = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        return float(lam * squares + share @ (np.log(np.exp(scores).sum(axis=1)) - true))
    labels = classes[1:] if len(classes) == 2 else classes
    signs = np.where(y[:, None] == np.array(labels), 1.0, -1.0)
    losses = np.maximum(0.0, 1.0 - signs * scores) ** 2
    if isinstance(model, LogisticRegression):
        losses = np.log1p(np.exp(-signs * scores))
    return float(lam * squares + (share @ losses).sum())


MODELS = [
    LogisticRegression(lam=0.01),
    LogisticRegression(lam=0.01, multi_class="ovr", regularize_intercept=True),
    LogisticRegression(class_weight="balanced", fit_intercept=False),
    LinearSVM(lam=0.01, loss="squared_hinge"),
    LinearSVM(loss="squared_hinge", regularize_intercept=True, class_weight={"a": 2.0}),
    LinearSVM(loss="squared_hinge", fit_intercept=False),
]


QUICK = [(0, 2), (1, 3), (2, 3), (3, 3), (4, 2), (5, 2)]  # of all, those that no other is like


@pytest.mark.parametrize(
    ("number", "n_classes"),
    [
        pytest.param(number, n_classes, marks=[pytest.mark.slow] * ((number, n_classes) not in QUICK))
        for number in range(len(MODELS))
        for n_classes in (2, 3)
    ],
)
def test_the_minimum_is_that_of_one_machine(client, number, n_classes) -> None:
    X, y, weights = rows(n_classes)
    model = clone(MODELS[number]).set_params(tol=1e-7)
    cut = [da.from_array(part, chunks=100) for part in (y, weights)]
    found = cluster.fit(
        model, da.from_array(X, chunks=(100, WIDTH)), cut[0], sample_weight=cut[1], client=client, rounds=30
    )
    expected = clone(model).set_params(tol=1e-10).fit(X, y, weights)
    assert found.stop_reason_ == "converged" and found.lam_ == pytest.approx(expected.lam_, rel=1e-12)
    gap = found.trace_["gap"][-1]
    assert 0.0 <= gap <= 1e-7 * found.objective_
    assert -1e-9 <= found.objective_ - expected.objective_ <= gap + 1e-9
    assert np.abs(found.coef_ - expected.coef_).max() < 2e-3
    assert np.mean(found.predict(X) == expected.predict(X)) > 0.99


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model).split("(", 1)[1][:-1])
def test_the_gap_of_every_round_is_a_bound(client, model) -> None:
    X, y, _ = rows(3)
    found = cluster.fit(model.set_params(tol=1e-8), da.from_array(X, chunks=(150, WIDTH)), y, client=client)
    least = found.trace_["loss"] - found.trace_["gap"]
    assert (least <= found.objective_ + 1e-12).all() and (np.diff(found.trace_["loss"]) < 0.0).all()
    if model.class_weight is None:
        assert objective(found, X, y, np.ones(ROWS)) == pytest.approx(found.objective_, rel=1e-9)


def test_sparse_wide_rows_go_by_products(client, tmp_path) -> None:
    random = np.random.default_rng(0)
    X = scipy.sparse.random_array((400, 3000), density=0.01, rng=random, format="csr")
    y = np.asarray(X @ random.normal(size=3000) > 0.0)
    blocks = [dask.delayed(X[start : start + 100]) for start in range(0, 400, 100)]
    labels = [dask.delayed(y[start : start + 100]) for start in range(0, 400, 100)]
    model = LogisticRegression(lam=0.001, tol=1e-6)
    found = cluster.fit(model, blocks, labels, client=client, rounds=30)
    expected = clone(model).set_params(tol=1e-10).fit(X, y)
    assert found.objective_ - expected.objective_ <= found.trace_["gap"][-1] + 1e-9
    save(found, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict_proba(X), found.predict_proba(X))


def test_three_classes_of_dask_ml_issue_761_are_three(client) -> None:
    """dask-ml's LogisticRegression answers True and False on these."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], 100, axis=0)
    y = np.repeat([0, 1, 2], 100)
    found = cluster.fit(LogisticRegression(), da.from_array(X, chunks=(50, 2)), y, client=client)
    answers = cluster.predict(found, da.from_array(X, chunks=(50, 2))).compute()
    assert set(answers.tolist()) == {0, 1, 2} and np.mean(answers == y) > 0.95


def test_without_a_prior_separable_rows_are_told(client) -> None:
    X = da.from_array(np.arange(8.0)[:, None], chunks=(2, 1))
    with pytest.warns(ConvergenceWarning, match="set lam above 0"):
        found = cluster.fit(LogisticRegression(lam=0.0), X, [0] * 4 + [1] * 4, client=client, rounds=50)
    assert found.stop_reason_ == "diverged"


def test_few_rounds_are_told_with_their_gap(client) -> None:
    X, y, _ = rows(2)
    with pytest.warns(ConvergenceWarning, match="rounds=1 at the objective .* above the least possible"):
        found = cluster.fit(
            LogisticRegression(tol=1e-9), da.from_array(X, chunks=(100, WIDTH)), y, client=client, rounds=1
        )
    assert found.stop_reason_ == "max_iter" and len(found.trace_) == 1


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression(penalty="l1"), "use 'l2'"),
        (LogisticRegression(solver="sgd"), "use 'newton'"),
        (LinearSVM(), "use 'squared_hinge'"),
    ],
)
def test_refusals_say_what_to_use(client, model, words) -> None:
    with pytest.raises(ValueError, match=words):
        cluster.fit(model, da.ones((4, 2), chunks=(2, 2)), [0, 1, 0, 1], client=client)
