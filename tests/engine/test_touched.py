"""Half-spaces that take memory only for what lessons have touched; nobody can tell from the result."""

from __future__ import annotations

import copy
import functools
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, load, save
from rosenblatt.engine import touched_state
from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online import epochs as run
from rosenblatt.engine.online import state
from rosenblatt.engine.online import threads as visitor

FEATURES = 30_000


def text(rows=150, classes=40, hard=3, seed=0, dtype=np.float32, features=FEATURES):
    """Rows of few words; all classes but `hard` ones have a word of their own that gives them away."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    X = scipy.sparse.lil_matrix((rows, features), dtype=dtype)
    for i in range(rows):
        X[i, rng.integers(100, features if y[i] >= hard else 140, 12)] = rng.normal(size=12)
        if y[i] >= hard:
            X[i, y[i]] = 30.0
    return X.tocsr(), y


@pytest.fixture
def runs(monkeypatch):
    """The states of the runs that were trained so."""
    kept = []
    hold = state.HalfSpaces.hold

    def note(self, trained):
        if self._averages:  # not a copy for the pocket
            kept.append(trained)
        hold(self, trained)

    monkeypatch.setattr(state.HalfSpaces, "hold", note)
    return kept


TOUCHED = {"RETRACED": -1, "NOTED": -1, "TOUCHED": -1, "FEW": -1, "SHORT": -1}  # limits of `run`


def both(make, X, y, limits=TOUCHED, **fit):
    """The same fit with all weights and sums in memory, and with the touched ones alone, however few there are.

    Two threads give the same as one.
    """
    results = []
    for allowed, threads in ((False, 1), (True, 1), (True, 2)):
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for limit, numbers in limits.items():
                patch.setattr(run, limit, numbers)
            patch.setattr(visitor, "WORTH_A_HELPER", 0)
            if not allowed:
                patch.setattr(run, "may_be_touched", lambda task, state: False)
            results.append(make().set_params(n_jobs=threads).fit(X, y, **fit))
    usual, touched, on_two_threads = results
    assert_same(touched, on_two_threads)
    return usual, touched


def assert_same(usual, touched):
    for name in ("last", "averaged", "pocket"):
        np.testing.assert_array_equal(usual.answers_[name].coef, touched.answers_[name].coef)
        np.testing.assert_array_equal(usual.answers_[name].intercept, touched.answers_[name].intercept)
    np.testing.assert_array_equal(usual._state.ledger[:, [state.SEEN, state.UPDATES, state.BOUND]],
                                  touched._state.ledger[:, [state.SEEN, state.UPDATES, state.BOUND]])  # fmt: skip
    for column in ("mistakes", "updates"):
        np.testing.assert_array_equal(usual.trace_[column], touched.trace_[column])
    np.testing.assert_allclose(usual.trace_["norm"], touched.trace_["norm"], rtol=1e-6)
    assert usual.stop_reason_ == touched.stop_reason_


@pytest.mark.parametrize(
    ("dtype", "classes", "shuffle"),
    [
        (np.float32, 20, False), (np.float64, 12, True),
        pytest.param(np.float32, 40, True, marks=pytest.mark.slow),  # loops of their own to compile
        pytest.param(np.float64, 3, True, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_touched_weights_are_the_weights(runs, dtype, classes, shuffle):
    X, y = text(dtype=dtype, classes=classes)
    usual, touched = both(lambda: Perceptron(max_iter=8, shuffle=shuffle, random_state=0), X, y)
    assert len(runs) == 2  # on one thread, and on two
    assert_same(usual, touched)


@settings(max_examples=12)
@given(st.integers(0, 2**31), st.sampled_from(["perceptron", "pa1", "coupled", "weights"]), st.integers(2, 36))
def test_touched_weights_are_the_weights_of_any_run(seed, kind, classes):
    X, y = text(rows=90, classes=classes, seed=seed, features=300)
    make = {
        "pa1": lambda: PassiveAggressive(answer="averaged", max_iter=4, random_state=seed % 97),
        "coupled": lambda: Perceptron("averaged", multi_class="coupled", max_iter=4, random_state=seed % 97),
    }.get(kind, lambda: Perceptron("averaged", max_iter=4, random_state=seed % 97))
    weights = {"sample_weight": np.arange(len(y)) % 3} if kind == "weights" else {}
    assert_same(*both(make, X, y, **weights))


@pytest.mark.parametrize(
    ("dtype", "classes", "ordered"),
    [(np.float32, 4, [False]), (np.float32, 20, [False, True]), (np.float32, 24, [False, False]),
     (np.float32, 36, [False, False, True]), (np.float64, 12, [False, False])],
)  # fmt: skip
def test_a_last_block_of_four_has_features_in_order_and_no_places(runs, dtype, classes, ordered):
    X, y = text(classes=classes, dtype=dtype)
    assert_same(*both(lambda: Perceptron(max_iter=1, random_state=0), X, y))
    for state_ in runs:
        blocks = state_.blocks()
        assert [block.in_order for block in blocks] == ordered
        assert [len(block.places) == 0 for block in blocks] == ordered


def test_those_who_rest_are_packed(runs):
    X, y = text(rows=240, classes=20, features=60_000)
    usual, touched = both(lambda: Perceptron(max_iter=30, random_state=0), X, y)
    assert_same(usual, touched)
    for state_ in runs:
        assert state_.successor is not None
        assert state_.packed and state_.latest().packed


def test_those_who_go_on_are_kept_once(runs):
    """Whoever still learns has weights beside others who do, and none among those who rest."""
    X, y = text(rows=240, classes=20, features=60_000)
    usual, touched = both(lambda: Perceptron(max_iter=30, random_state=0), X, y)
    assert_same(usual, touched)
    for state_ in runs:
        working, awake = state_.successor
        lanes = np.arange(state_.lanes)[:, None]
        moved = np.concatenate([(bits >> lanes & 1).any(axis=1) for bits in state_.touches])[:20]
        np.testing.assert_array_equal(np.flatnonzero(~moved), awake)
        blocks = zip(state_.blocks(), state_.packed, strict=True)
        assert all(block.count() == len(weights) for block, weights in blocks)
        assert (np.bitwise_or.reduce(working.touches[0]) == (1 << len(awake)) - 1).all()


def test_many_lessons_are_added_up_in_between(monkeypatch, runs):
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", 5)
    monkeypatch.setattr(touched_state, "NOTES", 10**9)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    X, y = text()
    assert_same(*both(lambda: Perceptron(max_iter=8, random_state=0), X, y))
    assert runs[0]._lag is not None


def test_many_lessons_stay_notes_while_these_take_less_memory_than_sums(monkeypatch, runs):
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", 5)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    X, y = text()
    assert_same(*both(lambda: Perceptron(max_iter=8, random_state=0), X, y))
    for state_ in runs:
        assert state_.has_many and state_._lag is None and state_.packed


@pytest.mark.parametrize("limit", [300, 1000, 2**20])  # examples
def test_the_sums_are_the_same_whenever_notes_are_added_up(monkeypatch, limit):
    """Also those that were carried into float64, which depends on the number of lessons alone."""
    monkeypatch.setattr(state, "SETTLE_AFTER", limit)
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", 60)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    X, y = text(rows=240, classes=20, features=60_000, hard=6)
    models = []
    for weights in (10**9, 8000, 1):
        monkeypatch.setattr(touched_state, "NOTES", weights)
        models.append(both(lambda: Perceptron(max_iter=40, random_state=0), X, y)[1])
    for other in models[1:]:
        assert_same(models[0], other)
        np.testing.assert_array_equal(models[0]._state.total, other._state.total)


@pytest.mark.parametrize("kept", [36_000, pytest.param(42_000, marks=pytest.mark.slow)])
def test_notes_of_many_groups_find_room_with_those_who_go_on(monkeypatch, runs, kept):
    """32 classes that never learn, spread over all groups, and many that rest soon; stretches shorter than an epoch."""
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", kept)
    monkeypatch.setattr(touched_state, "NOTES", 10**9)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    monkeypatch.setattr(run, "stretch_length", lambda *task, **ways: 16)
    rng = np.random.default_rng(0)
    noisy = np.arange(0, 192, 6)
    easy = np.setdiff1d(np.arange(192), noisy)
    y = np.concatenate([easy, rng.choice(noisy, 500)])
    columns = np.concatenate([100 + np.arange(len(easy)), rng.integers(0, 3, 500)])
    ones = np.ones(len(y), np.float32)
    X = scipy.sparse.csr_matrix((ones, (np.arange(len(y)), columns)), shape=(len(y), 3000))
    assert_same(*both(lambda: Perceptron(max_iter=6, random_state=0, fit_intercept=False), X, y))
    assert runs[0].successor is not None


def test_huge_numbers_are_trained_the_usual_way(runs):
    X, y = text(rows=60, classes=18, dtype=np.float64)
    X.data *= 1e37
    assert_same(*both(lambda: Perceptron(max_iter=8, random_state=0), X, y))
    assert not runs


@pytest.mark.parametrize("rests", [False, True])
def test_sums_are_settled_before_they_lose_digits(monkeypatch, runs, rests):
    monkeypatch.setattr(state, "SETTLE_AFTER", 1000)
    if not rests:
        monkeypatch.setattr(run, "may_rest", lambda task, state: False)
    X, y = text(rows=240, classes=20, features=60_000)
    usual, touched = both(lambda: Perceptron(max_iter=30, random_state=0), X, y)
    assert usual._state.total is not None
    assert (runs[0].successor is not None) == rests
    for name in ("last", "averaged"):
        np.testing.assert_allclose(usual.answers_[name].coef, touched.answers_[name].coef, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(usual.trace_["mistakes"], touched.trace_["mistakes"])


@pytest.mark.parametrize("limit", [300, 1000])  # examples
def test_sums_are_settled_also_where_lessons_were_added_up_in_between(monkeypatch, runs, limit):
    monkeypatch.setattr(state, "SETTLE_AFTER", limit)
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", 5)
    monkeypatch.setattr(touched_state, "NOTES", 10**9)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    added_up = []
    flush = touched_state.TouchedHalfSpaces.flush
    monkeypatch.setattr(touched_state.TouchedHalfSpaces, "flush", lambda self: (added_up.append(self), flush(self)))
    X, y = text(rows=240, classes=20, features=60_000)
    usual, touched = both(lambda: Perceptron(max_iter=40, random_state=0), X, y)
    assert added_up and runs[0].total is not None
    for name in ("last", "averaged"):
        np.testing.assert_allclose(usual.answers_[name].coef, touched.answers_[name].coef, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("hard", "limit", "kept"), [(3, 700, 100), (6, 700, 200), (6, 1500, 200)])
def test_sums_are_settled_at_the_same_times_on_any_number_of_threads(monkeypatch, hard, limit, kept):
    monkeypatch.setattr(state, "SETTLE_AFTER", limit)
    monkeypatch.setattr(touched_state, "FEWEST_NOTES", kept)
    monkeypatch.setattr(touched_state, "NOTES", 10**9)
    monkeypatch.setattr(touched_state, "MANY", 10**9)
    X, y = text(rows=240, classes=40, features=60_000, hard=hard)
    both(lambda: Perceptron(max_iter=40, random_state=0), X, y)  # also looks for the same bits


def test_learning_goes_on_after_sums_were_settled(monkeypatch):
    monkeypatch.setattr(state, "SETTLE_AFTER", 1000)
    X, y = text(rows=240, classes=20, features=60_000)
    usual, touched = both(lambda: Perceptron(max_iter=30, random_state=0), X, y)
    again = pickle.loads(pickle.dumps(touched))
    for model in (usual, touched, again):
        model.partial_fit(X[::-1], y[::-1])
    for model in (touched, again):
        np.testing.assert_array_equal(usual.coef_, model.coef_)
        averaged = usual.answers_["averaged"].coef, model.answers_["averaged"].coef
        np.testing.assert_allclose(*averaged, rtol=1e-5, atol=1e-7)


def test_the_pocket_of_a_long_run(runs):
    X, y = text(rows=240, classes=20, features=60_000)
    y = np.where(np.arange(len(y)) % 7 == 0, (y + 1) % 20, y)  # never separable in file order: rows come twice
    X = scipy.sparse.vstack([X, X[:40]]).tocsr()
    y = np.append(y, (y[:40] + 3) % 20)
    usual, touched = both(lambda: Perceptron("pocket", max_iter=20, random_state=0), X, y)
    assert usual._pocket.errors == touched._pocket.errors > 0
    assert_same(usual, touched)


def assert_copies_do_the_same(model, X, y, tmp_path):
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    save(model, tmp_path / "model.safetensors")
    others.append(load(tmp_path / "model.safetensors"))
    for other in others:
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    model.partial_fit(X[:20], y[:20])
    others[0].partial_fit(X[:20], y[:20])
    np.testing.assert_array_equal(others[0].coef_, model.coef_)


def test_nothing_is_in_place_before_somebody_looks(monkeypatch, tmp_path):
    for limit, numbers in TOUCHED.items():
        monkeypatch.setattr(run, limit, numbers)
    X, y = text()
    model = Perceptron("averaged", max_iter=5, random_state=0).fit(X, y)
    assert model._state._vectors is None
    assert_copies_do_the_same(model, X, y, tmp_path)


def test_who_is_trained_so(monkeypatch, runs):
    for limit, numbers in TOUCHED.items():
        monkeypatch.setattr(run, limit, numbers)
    X, y = text(rows=60, classes=18)
    fits = {
        "usual": lambda: Perceptron(max_iter=2).fit(X, y),
        "threads": lambda: Perceptron(max_iter=2, n_jobs=2).fit(X, y),
        "dense": lambda: Perceptron(max_iter=2).fit(X.toarray(), y),
        "two classes": lambda: Perceptron(max_iter=2).fit(X, y % 2),
        "votes": lambda: Perceptron("voted", max_iter=2).fit(X, y),
        "measured": lambda: Perceptron(max_iter=2).fit(X, y, eval_set=(X, y)),
        "batches": lambda: Perceptron().partial_fit(X, y),
        "shrinks": lambda: HalfSpace(rule=shrinking, max_iter=2).fit(X, y),
        "warm": lambda: Perceptron(max_iter=2, warm_start=True).fit(X, y).fit(X, y),
    }
    counts = {}
    for name, fit in fits.items():
        before = len(runs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fit()
        counts[name] = len(runs) - before
    assert counts == {**dict.fromkeys(fits, 0), "usual": 1, "threads": 1, "two classes": 1, "warm": 1}


@pytest.mark.parametrize("what", ["huge steps", "tiny row"])
@pytest.mark.parametrize("classes", [2, 18])
def test_where_bounds_do_not_suffice_every_number_is_looked_at(monkeypatch, runs, what, classes):
    """In bounds, one row of tiny numbers looks as large as the step that it is met with. Epochs are reported once."""
    monkeypatch.setattr(touched_state, "MODEST", np.inf)
    X, y = text(rows=60, classes=18, dtype=np.float64)
    make = functools.partial(Perceptron, learning_rate=1e40)
    if what == "tiny row":
        X.data[X.indptr[5] : X.indptr[6]] *= 1e-20
        make = functools.partial(PassiveAggressive, variant="PA", fit_intercept=False)
    epochs = []
    settings = {"answer": "averaged", "max_iter": 9, "random_state": 0}
    usual, touched = both(lambda: make(**settings), X, y % classes, on_epoch=epochs.append)
    assert usual.stop_reason_ in ("max_iter", "converged")
    assert_same(usual, touched)
    assert len(epochs) == 3 * usual.n_iter_
    assert not runs


def shrinking(m, sqnorm, t, params):
    return (1.0 if m <= 0 else 0.0), 0.999


def chooses(m, sqnorm, t, params):
    return 0.0, (0.5 if m < 0 else 1.0)


def chooses_otherwise(m, sqnorm, t, params):
    return 0.0, (1.0 if m < 0 else 0.5)


def two_ways(m, sqnorm, t, params):
    if m > 0:
        return 0.0, 1.0
    return -m, 1.0


def one_way_shrinks(m, sqnorm, t, params):
    if m > 0:
        return 0.0, 0.9
    return -m, 1.0


def by_name(m, sqnorm, t, params):
    result = 1.0, 1.0
    return result


@pytest.mark.parametrize(
    ("rule", "never"),
    [
        (shrinking, False), (chooses, False), (chooses_otherwise, False), (two_ways, True), (one_way_shrinks, False),
        (by_name, False), (Perceptron()._learning_rule()[0].function, True),
        (PassiveAggressive()._learning_rule()[0].function, True),
    ],
)  # fmt: skip
def test_rules_that_never_shrink_are_known_by_their_code(rule, never):
    assert compiled.never_shrinks(rule) is never
