"""A search over a grid: its folds and settings go round a ring, each with the bits of partial_fit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import HalfSpace, LogisticRegression, PassiveAggressive, Perceptron

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
da = pytest.importorskip("dask.array", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402
from rosenblatt.cluster.searching import folds_of  # noqa: E402

ROWS, PARTS, WIDTH, FOLDS, ROUNDS, SEED = 60, 4, 8, 3, 2, 7
GRID = {"C": [1e-4, 1e-2, 1.0]}


def rows(n_classes: int):
    random = np.random.default_rng(0)
    X = random.normal(size=(PARTS * ROWS, WIDTH))
    return X, (X[:, :n_classes] + 0.5 * random.normal(size=(len(X), n_classes))).argmax(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_scores_are_those_of_partial_fit_in_the_order_of_each_group(client, n_classes, layout) -> None:
    X, y = rows(n_classes)
    collection, own = da.from_array(X, chunks=(ROWS, WIDTH)), X
    if layout == "sparse":
        own = scipy.sparse.csr_array(X)
        collection = [dask.delayed(own[start : start + ROWS]) for start in range(0, len(y), ROWS)]
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    cut = da.from_array(weights, chunks=ROWS)
    found = cluster.search(
        PassiveAggressive(), collection, da.from_array(y, chunks=ROWS), GRID, folds=FOLDS, rounds=ROUNDS,
        sample_weight=cut, random_state=SEED, client=client,
    )  # fmt: skip
    fold = np.concatenate([folds_of(ROWS, (SEED, FOLDS), number) for number in range(PARTS)])
    for number in range(3 * FOLDS):
        setting, left = divmod(number, FOLDS)
        model, start = PassiveAggressive(C=GRID["C"][setting]), number * PARTS // (3 * FOLDS)
        for step in range(ROUNDS * PARTS):
            first = (start + step) % PARTS * ROWS
            kept = first + np.flatnonzero(fold[first : first + ROWS] != left)
            model.partial_fit(own[kept], y[kept], classes=np.unique(y), sample_weight=weights[kept])
        tested = fold == left
        assert found.fold_scores[setting, left] == model.score(own[tested], y[tested])
    expected = cluster.fit(
        PassiveAggressive(**found.best_params_), collection, da.from_array(y, chunks=ROWS), sample_weight=cut,
        rounds=ROUNDS, client=client,
    )  # fmt: skip
    assert np.array_equal(found.best_.coef_, expected.coef_)


def test_the_better_setting_wins(client) -> None:
    X, y = rows(2)
    X += 3.0  # no hyperplane through the origin separates them well
    collection, labels = da.from_array(X, chunks=(ROWS, WIDTH)), da.from_array(y, chunks=ROWS)
    grid = {"fit_intercept": [False, True], "rule": ["perceptron"]}
    found = cluster.search(HalfSpace("logistic"), collection, labels, grid, client=client, refit=False)
    assert found.best_ is None and found.fold_scores.shape == (2, 3) and "rule" in repr(found)
    assert found.params[0] != found.params[1] and found.mean_scores[found.best_index_] == found.mean_scores.max()


@pytest.mark.parametrize(
    ("estimator", "grid", "options", "words"),
    [
        (LogisticRegression(), {"lam": [0.1]}, {}, "Perceptron, PassiveAggressive or HalfSpace"),
        (Perceptron(), {}, {}, "at least one parameter"),
        (Perceptron(), {"answer": ["voted", "last"]}, {}, "is not there while learning online"),
        (Perceptron(), {"answer": ["last"]}, {"folds": 1}, "folds must be"),
        (Perceptron(), {"answer": ["last"]}, {"folds": 1000}, "at most 60, the rows of the largest partition"),
    ],
)
def test_refusals_say_what_to_do(client, estimator, grid, options, words) -> None:
    X, y = rows(2)
    with pytest.raises(ValueError, match=words):
        cluster.search(
            estimator, da.from_array(X, chunks=(ROWS, WIDTH)), da.from_array(y, chunks=ROWS), grid, client=client,
            rounds=1, **options,
        )  # fmt: skip
