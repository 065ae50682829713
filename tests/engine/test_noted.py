"""A half-space that notes its lessons down and keeps no sums for its averages; nobody can tell from the result."""

from __future__ import annotations

import functools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.engine import noted_state, touched_state
from rosenblatt.engine.noted_state import NotedHalfSpaces, Packed
from rosenblatt.engine.online import epochs as run
from rosenblatt.engine.online import pocket, state
from tests.engine import test_touched
from tests.engine.test_touched import assert_copies_do_the_same, assert_same, runs, text

__all__ = ["runs"]

NOTED = {"RETRACED": -1, "NOTED": -1, "TOUCHED": 2**40}  # limits of `run`


def both(make, X, y, **fit):
    """The same fit with sums in memory, and with notes, also on two threads."""
    return test_touched.both(make, X, y, NOTED, **fit)


def few_classes(classes=2, rows=150, seed=0, dtype=np.float32, features=3000, noise=0.0):
    X, y = text(rows=rows, classes=20, seed=seed, dtype=dtype, features=features)
    wrong = np.random.default_rng(seed).random(rows) < noise
    return X, (y + wrong) % classes


def assert_notes_give_the_same(seed, make, dtype, features, classes=2, index=np.int32, **fit):
    X, y = few_classes(classes, rows=90, seed=seed, dtype=dtype, features=features)
    X = X.tolil()
    X[0, features - 1] = 1.5
    X = X.tocsr()
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    assert_same(*both(lambda: make(answer="averaged", max_iter=4, random_state=seed % 97), X, y, **fit))


WIDTHS = st.sampled_from([143, 144, 145, 1000])  # features: groups of 16, and a last one that is not whole


@settings(max_examples=15)
@given(
    st.integers(0, 2**31),
    st.sampled_from([(np.float32, 16), (np.float64, 8)]),
    st.integers(2, 16),
    WIDTHS,
    st.booleans(),
)
def test_noted_lessons_give_the_same(seed, kind, classes, features, weighted):
    dtype, most = kind
    weights = {"sample_weight": np.arange(90) % 3} if weighted else {}
    assert_notes_give_the_same(seed, Perceptron, dtype, features, min(classes, most), **weights)


@pytest.mark.slow  # much to compile
@given(st.integers(0, 2**31), WIDTHS)
def test_noted_lessons_of_other_rules_and_rows_give_the_same(seed, features):
    coupled = functools.partial(Perceptron, multi_class="coupled")
    assert_notes_give_the_same(seed, PassiveAggressive, np.float64, features, 3)
    assert_notes_give_the_same(seed, Perceptron, np.float32, features, 2, np.int64)
    assert_notes_give_the_same(seed, coupled, np.float32, features, 7)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_only_what_was_touched_is_kept(runs, classes):
    X, y = few_classes(classes)
    usual, noted = both(lambda: Perceptron(max_iter=3, random_state=0), X, y)
    assert_same(usual, noted)
    touched = np.flatnonzero((usual._state.vectors.reshape(-1) != 0) | (usual._state.lag.reshape(-1) != 0))
    for packed in runs:
        assert isinstance(packed, Packed)
        bits = (packed.touches[:, None] >> np.arange(16)) & 1
        np.testing.assert_array_equal(np.flatnonzero(bits), touched)
        assert len(packed.weights) == len(packed.sums) == len(touched) < usual._state.vectors.size


def test_many_lessons_are_added_up_in_between(monkeypatch, runs):
    few_notes(monkeypatch)
    X, y = few_classes(noise=0.3)
    usual, noted = both(lambda: Perceptron("averaged", max_iter=9, random_state=0), X, y)
    assert_same(usual, noted)
    assert not runs  # the state has weights and sums where they stood


def few_notes(monkeypatch):
    monkeypatch.setattr(noted_state, "FEWEST_NOTES", 5)
    monkeypatch.setattr(noted_state, "NOTES", 10**9)


@pytest.mark.parametrize(("few", "classes"), [(False, 2), (True, 2), (False, 3), (True, 6)])
def test_sums_are_carried_into_float64_before_they_lose_digits(monkeypatch, few, classes):
    monkeypatch.setattr(state, "SETTLE_AFTER", 1000)
    if few:
        few_notes(monkeypatch)
    X, y = few_classes(classes, noise=0.1)
    usual, noted = both(lambda: Perceptron("averaged", max_iter=30, random_state=0), X, y)
    assert usual._state.total is not None and noted._state.total is not None
    for name in ("last", "averaged"):
        np.testing.assert_allclose(usual.answers_[name].coef, noted.answers_[name].coef, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(usual.trace_["mistakes"], noted.trace_["mistakes"])
    again = pickle.loads(pickle.dumps(noted))
    for model in (usual, noted, again):
        model.partial_fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(noted.coef_, again.coef_)
    np.testing.assert_allclose(usual.coef_, noted.coef_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("few", "classes"), [(False, 2), (True, 2), (False, 3), (True, 6)])
def test_the_pocket_of_a_long_run(monkeypatch, few, classes):
    if few:
        few_notes(monkeypatch)
    monkeypatch.setattr(pocket, "DEAR_PASS", 0)
    X, y = few_classes(classes, noise=0.2, features=145)
    usual, noted = both(lambda: Perceptron("pocket", max_iter=50, random_state=0), X, y)
    assert usual._pocket.errors == noted._pocket.errors > 0
    assert_same(usual, noted)


def test_a_better_nominee_takes_the_place_of_one_that_nobody_looked_at(monkeypatch):
    """At the end of every epoch there is a nominee, and none is ever spread out."""
    copies = []
    copy_weights = NotedHalfSpaces.copy_weights
    monkeypatch.setattr(NotedHalfSpaces, "copy_weights", lambda self: copies.append(copy_weights(self)) or copies[-1])
    monkeypatch.setattr(run, "RETRACED", -1)
    monkeypatch.setattr(run, "NOTED", -1)
    X, y = few_classes(noise=0.2, features=145)
    model = Perceptron("averaged", max_iter=15, random_state=0).fit(X, y)
    assert len(copies) > 2
    assert all(other._vectors is None for other in copies)
    assert model._pocket.shared or model._pocket.kept is copies[-1]


def test_nothing_is_in_place_before_somebody_looks(monkeypatch, tmp_path):
    monkeypatch.setattr(run, "RETRACED", -1)
    monkeypatch.setattr(run, "NOTED", -1)
    X, y = few_classes()
    model = Perceptron("averaged", max_iter=5, random_state=0).fit(X, y)
    assert model._state._vectors is None
    assert_copies_do_the_same(model, X, y, tmp_path)


@pytest.mark.parametrize("features", [1, 2, 16, 17])
def test_few_features(features):
    X, y = few_classes(features=145)
    assert_same(*both(lambda: Perceptron(max_iter=3, random_state=0), X[:, 144 - features : 144], y))


def test_where_bounds_do_not_suffice_every_number_is_looked_at(runs):
    """In bounds, one row of tiny numbers looks as large as the step that it is met with. Epochs are reported once."""
    X, y = few_classes(dtype=np.float64)
    X.data[X.indptr[5] : X.indptr[6]] *= 1e-20
    epochs = []
    kept = {"answer": "averaged", "max_iter": 9, "random_state": 0}
    usual, noted = both(
        lambda: PassiveAggressive(variant="PA", fit_intercept=False, **kept), X, y, on_epoch=epochs.append
    )
    assert usual.stop_reason_ in ("max_iter", "converged")
    assert_same(usual, noted)
    assert len(epochs) == 3 * usual.n_iter_
    assert not runs


def test_huge_numbers_are_trained_the_usual_way(runs):
    X, y = few_classes(dtype=np.float64)
    X.data *= 1e37
    assert_same(*both(lambda: Perceptron(max_iter=8, random_state=0), X, y))
    assert not runs


@pytest.mark.parametrize("largest", [1e10, 0.9e10, -0.9e10, 1.1e10, -1.1e10])
def test_how_large_a_number_may_be(largest):
    numbers = np.full(40, 0.9e10, np.float32)
    numbers[3] = largest
    assert touched_state._are_modest(numbers) == (abs(largest) <= 1e10)
    assert touched_state._are_modest(numbers[:0])


@pytest.mark.slow  # many loops to compile
def test_who_is_trained_so(monkeypatch, runs):
    monkeypatch.setattr(run, "RETRACED", -1)
    monkeypatch.setattr(run, "NOTED", -1)
    fits = {
        "16 classes": (few_classes(16), 2),
        "17 classes": (few_classes(17), 2),
        "8 classes of float64": (few_classes(8, dtype=np.float64), 2),
        "9 classes of float64": (few_classes(9, dtype=np.float64), 2),
        "5 classes, many weights": (few_classes(5, features=2**16 + 1), 2),
        "5 classes, many weights, a long run": (few_classes(5, features=2**16 + 1), 21),
        "4 classes, many weights, a long run": (few_classes(4, features=2**18 + 1), 21),
    }
    kinds = {}
    for name, ((X, y), epochs) in fits.items():
        before = len(runs)
        Perceptron("averaged", max_iter=epochs, random_state=0).fit(X, y)
        kinds[name] = [type(trained).__name__ for trained in runs[before:]]
    assert kinds == {
        "16 classes": ["Packed"],
        "17 classes": [],
        "8 classes of float64": ["Packed"],
        "9 classes of float64": [],
        "5 classes, many weights": ["Packed"],
        "5 classes, many weights, a long run": ["TouchedHalfSpaces"],
        "4 classes, many weights, a long run": ["Packed"],
    }
