"""Labels and targets that cannot be used, and numbers beyond the range of floats: one sentence of our own each."""

import datetime
import warnings

import numpy as np
import polars as pl
import pytest

import rosenblatt
from rosenblatt import KernelPerceptron, LeastSquares, LogisticRegression, Perceptron, SigmoidNeuron, separability

X = np.random.default_rng(0).normal(size=(6, 2))
y = [0, 1, 0, 1, 0, 1]
CLASSIFIERS = [
    "Perceptron", "PassiveAggressive", "HalfSpace", "KernelPerceptron", "LinearSVM", "LogisticRegression",
    "SigmoidNeuron", "GaussianDiscriminant", "Layer",
]  # fmt: skip
DAYS = [datetime.date(2024, 1, day) for day in range(1, 7)]
RAGGED = [[1], [2], [1], [2, 3], [1], [1]]


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (None, "requires y to be passed, but the target y is None; pass one number per row"),
        (pl.LazyFrame({"a": y}), "y must be in memory, but got LazyFrame; call y.collect"),
        (DAYS, "y must hold numbers, but has dates or times; turn them into numbers"),
        (np.array(DAYS, "M8[D]"), "y must hold numbers, but has dates or times"),
        (np.arange(6).astype("m8[s]"), "y must hold numbers, but has dates or times"),
        (
            [1, 2],
            r"X and y must have the same number of rows, but got 6 and y of shape \(2,\); pass one",
        ),
        (np.ones((6, 2, 2)), "X and y must have the same number of rows"),
        (RAGGED, "y must have one number for every row, but row 3 has 2; pass one number per row"),
        ([object()] * 6, "y must hold numbers, but has other objects; convert them"),
        (list("abcdef"), "y must hold numbers, but has text; use a classifier"),
        ([b"a"] * 6, "y must hold numbers, but has text"),
        ("abcdef", "y must be a list or an array of numbers, but got str; pass one number per row"),
        ({"a": 1}, "y must be a list or an array of numbers, but got dict"),
        (3, "y must be a list or an array of numbers, but got int"),
        ([10**400] * 6, "y must hold numbers in the range of float64, but has larger ones; scale them"),
        (np.ones(6) * 1j, "Complex data not supported: y must hold real numbers"),
        (np.ma.array(y, mask=[0, 0, 1, 0, 0, 0]), "the number of row 2 is masked; leave such rows out"),
        ([1, 2, 3, 4, 5, np.nan], "Input y contains NaN: every number must be finite, but row 5 has nan; leave"),
    ],
)
def test_targets_of_least_squares(targets, words):
    model = LeastSquares().fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=words):
        model.fit(X, targets)
    assert (model.coef_ == before).all()
    with pytest.raises(ValueError, match=words):
        LeastSquares(solver="batch", max_iter=3).fit(X, y, eval_set=(X, targets))


def test_an_eval_set_of_another_width():
    with pytest.raises(ValueError, match="eval_set must have as many targets as y, 1, but has 2"):
        LeastSquares(solver="batch", max_iter=3).fit(X, y, eval_set=(X, np.ones((6, 2))))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_labels_of_classifiers(name):
    learner = getattr(rosenblatt, name)
    with pytest.raises(ValueError, match="y must have one label for every row, but row 3 has 2; pass one label"):
        learner().fit(X, RAGGED)
    with pytest.raises(ValueError, match="y must hold numbers or text, but has bytes; turn them into text"):
        learner().fit(X, [b"a", b"b"] * 3)
    with pytest.raises(ValueError, match="y must be in memory, but got LazyFrame; call"):
        learner().fit(X, pl.LazyFrame({"a": y}))
    with pytest.raises(ValueError, match=r"y must hold numbers or text, but .*timedelta64 objects"):
        learner().fit(X, np.array([1, 2] * 3, "m8[D]"))


def test_labels_elsewhere():
    with pytest.raises(ValueError, match="has bytes; turn them into text"):
        Perceptron().learn_one({"a": 1.0}, b"a")
    with pytest.raises(ValueError, match="larger ones; use text"):
        Perceptron().fit(X, [10**400, 1] * 3)
    with pytest.raises(ValueError, match="y must have one label for every row, but row 3 has 2"):
        separability(X, RAGGED)
    with pytest.raises(ValueError, match="y must be in memory"):
        separability(X, pl.LazyFrame({"a": y}))
    with pytest.raises(ValueError, match=r"its shape is \(2,\); pass one label per row"):
        separability(X, [0, 1])


@pytest.mark.parametrize(
    "learner",
    [
        *(LogisticRegression(solver=solver, max_iter=5) for solver in ("newton", "batch", "svrg", "sgd")),
        LogisticRegression(penalty="l1", max_iter=5),
        SigmoidNeuron(max_iter=5),
        LeastSquares(),
        LeastSquares(solver="batch", max_iter=5),
        KernelPerceptron(kernel="poly", gamma=1.0, max_iter=3),
        KernelPerceptron(kernel="rbf", gamma=1.0, max_iter=3),
    ],
    ids=str,
)
def test_numbers_near_the_end_of_the_range_bring_no_warnings_of_numpy(learner):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X * 1e200, y)
        if isinstance(learner, LeastSquares):
            learner.fit(X, np.array(y) * 1e200)
    assert not [str(each.message) for each in caught if each.category is RuntimeWarning]


def test_kernel_values_beyond_the_range_are_no_scores():
    model = KernelPerceptron(kernel="poly", gamma=1.0, max_iter=50).fit(X, y)
    with pytest.raises(ValueError, match="Kernel values must be in the range of float64, but those of row 0 are not"):
        model.decision_function(X * 1e200)
