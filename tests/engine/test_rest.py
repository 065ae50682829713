"""Half-spaces that have learned everything rest; nobody can tell from the result."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import HalfSpace, Perceptron
from rosenblatt.engine import rest
from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.online import epochs as run
from rosenblatt.engine.online import state
from rosenblatt.engine.online.errors import count_errors
from rosenblatt.engine.online.shuffle import find_mistakes

FEATURES, CLASSES = 60_000, 20  # weights beyond TOUCHED


def text(rows=240, hard=3, seed=0):
    """Rows of few words; all classes but `hard` ones have a word of their own that gives them away."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, rows)
    X = scipy.sparse.lil_matrix((rows, FEATURES), dtype=np.float32)
    for i in range(rows):
        X[i, rng.integers(100, FEATURES if y[i] >= hard else 140, 12)] = rng.normal(size=12)
        if y[i] >= hard:
            X[i, y[i]] = 30.0
    return X.tocsr(), y


@pytest.fixture
def slept(monkeypatch):
    """How many half-spaces were put to sleep, by each time that it happened."""
    counts = []
    fall_asleep = rest.Rest._fall_asleep

    def note(self, stirred):
        counts.append(int((~stirred).sum()))
        fall_asleep(self, stirred)

    monkeypatch.setattr(rest.Rest, "_fall_asleep", note)
    return counts


def both(monkeypatch, make, X, y, **fit):
    """The same fit with everybody awake, and with rest."""
    results = []
    for allowed in (False, True):
        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if not allowed:
                patch.setattr(run, "may_rest", lambda task, state: False)
            results.append(make().fit(X, y, **fit))
    return results


def assert_same(awake, rested):
    for name in ("last", "averaged", "pocket"):
        np.testing.assert_array_equal(awake.answers_[name].coef, rested.answers_[name].coef)
        np.testing.assert_array_equal(awake.answers_[name].intercept, rested.answers_[name].intercept)
    np.testing.assert_array_equal(awake._state.ledger[:, [state.SEEN, state.UPDATES]],
                                  rested._state.ledger[:, [state.SEEN, state.UPDATES]])  # fmt: skip
    for column in ("mistakes", "updates"):
        np.testing.assert_array_equal(awake.trace_[column], rested.trace_[column])
    np.testing.assert_allclose(awake.trace_["norm"], rested.trace_["norm"], rtol=1e-6)
    assert awake.stop_reason_ == rested.stop_reason_


@pytest.mark.parametrize(("n_jobs", "shuffle"), [(1, True), (2, True), (2, False)])
def test_rest_changes_nothing(monkeypatch, slept, n_jobs, shuffle):
    X, y = text()
    awake, rested = both(
        monkeypatch, lambda: Perceptron(max_iter=30, shuffle=shuffle, random_state=0, n_jobs=n_jobs), X, y
    )
    assert slept and sum(slept) >= 10
    assert_same(awake, rested)


def test_scores_are_let_go_when_nobody_can_fall_asleep_any_more(monkeypatch, slept):
    """Of an epoch that teaches most of them something, nothing is kept; of one that lets some sleep, all of it."""
    kept = []
    end_of_epoch = rest.Rest.end_of_epoch
    monkeypatch.setattr(run, "stretch_length", lambda *task, **ways: 16)
    monkeypatch.setattr(
        rest.Rest,
        "end_of_epoch",
        lambda self: (kept.append((len(self.heard), len(slept))), end_of_epoch(self)),
    )
    X, y = text()
    assert_same(*both(monkeypatch, lambda: Perceptron(max_iter=30, random_state=0), X, y))
    stretches, times = zip(*kept, strict=True)
    assert stretches[0] == 0
    assert all(stretches[times.index(n + 1) - 1] == 240 / 16 for n in range(len(set(times)) - 1))
    assert len(slept) > 0


def test_everything_that_looks_at_the_run_sees_the_whole(monkeypatch, slept):
    X, y = text()
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    make = lambda: Perceptron(max_iter=20, random_state=0)  # noqa: E731
    awake, rested = both(
        monkeypatch, make, X, y, sample_weight=weights, eval_set=(X[:50], y[:50]), record="train_error"
    )
    assert slept
    assert_same(awake, rested)
    for column in ("train_error", "test_error"):
        np.testing.assert_array_equal(awake.trace_[column], rested.trace_[column])


def test_sums_are_settled_at_the_same_times(monkeypatch, slept):
    monkeypatch.setattr(state, "SETTLE_AFTER", 1_000)
    X, y = text()
    awake, rested = both(monkeypatch, lambda: Perceptron(max_iter=25, random_state=0), X, y)
    assert slept and rested._state.total is not None
    assert_same(awake, rested)


def test_learning_goes_on_after_rest(monkeypatch, slept):
    X, y = text()
    awake, rested = both(monkeypatch, lambda: Perceptron(max_iter=20, random_state=0), X, y)
    assert slept
    for model in (awake, rested):
        model.partial_fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(awake.coef_, rested.coef_)


def fading(m, sqnorm, t, params):
    return (1.0 / t if m <= 0.0 else 0.0), 1.0


def shrinking(m, sqnorm, t, params):
    return (1.0 if m <= 0.0 else 0.0), (0.75 if m > 100.0 else 1.0)


@pytest.mark.parametrize("rule", [fading, shrinking])
def test_a_rule_that_may_change_its_mind_rests_nobody_wrongly(monkeypatch, slept, rule):
    X, y = text()
    awake, rested = both(monkeypatch, lambda: HalfSpace(rule, max_iter=15, random_state=0), X, y)
    assert_same(awake, rested)
    if rule is fading:
        assert not slept


@pytest.mark.parametrize("seed", range(20))
def test_mistakes_are_those_of_everybody_awake_also_where_scores_are_equal(seed):
    rng = np.random.default_rng(seed)
    n, classes = 30, 6
    scores, codes = rng.integers(-2, 3, (classes, n)).astype(np.float32), rng.integers(0, classes, n).astype(np.int32)
    order = rng.permutation(n).astype(np.int32)
    awake = np.sort(rng.choice(classes, 3, replace=False))
    asleep = np.setdiff1d(np.arange(classes), awake)
    heard = [np.full(n, -np.inf, np.float32) for _ in range(3)]
    rest._listen(f"listen {compiled.engine_digest()}")(scores, codes, order, asleep, asleep, *heard)
    place, wrong = np.full(classes, -1), np.empty(n, bool)
    place[awake] = np.arange(3)
    find = rest._find_mistakes(f"some awake {compiled.engine_digest()}")
    found = find(scores[awake], codes, order, awake, place, *heard, wrong)
    expected, count = find_mistakes(scores, codes, order, classes)
    assert found == count
    np.testing.assert_array_equal(wrong, expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_counted_as_if_nobody_slept(monkeypatch, slept, weighted):
    judged = []
    count = rest.Rest.errors

    def check(self, limit):
        self.write_back()
        task = self.task
        arguments = task.rows, task.n_rows, task.codes, task.sample_weight, self.state, task.classes
        assert count(self, np.inf) == count_errors(*arguments)
        judged.append(count(self, np.inf))
        return count(self, limit)

    monkeypatch.setattr(rest.Rest, "errors", check)
    for limit in ("RETRACED", "TOUCHED"):
        monkeypatch.setattr(run, limit, -1)
    monkeypatch.setattr(run, "may_be_touched", lambda task, state: False)
    X, y = text()
    X.data = np.rint(X.data)  # whole numbers: many scores are equal
    y[:6] = 1  # what was easy is so no more
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        Perceptron("pocket", max_iter=30, random_state=0).fit(X, y, sample_weight=weights)
    assert slept and judged


@pytest.mark.parametrize("seed", range(5))
def test_the_first_of_equals_answers_whoever_sleeps(seed):
    rng = np.random.default_rng(seed)
    n, d, classes = 300, 12, 8
    X = scipy.sparse.csr_matrix(rng.integers(-1, 2, (n, d)).astype(np.float32))
    rows, codes = (X.data, X.indices.view(np.uint32), X.indptr.view(np.uint32)), rng.integers(0, classes, n)
    weights = rng.integers(-1, 2, (classes, d))
    scores = (weights @ X.T).astype(np.float32)
    awake = np.sort(rng.choice(classes, 3, replace=False))
    asleep = np.setdiff1d(np.arange(classes), awake)
    heard = [np.full(n, -np.inf, np.float32) for _ in range(3)]
    rest._listen(f"listen {compiled.engine_digest()}")(scores, codes, np.arange(n), asleep, asleep, *heard)
    working = state.HalfSpaces(3, d, np.float32, "columns")
    for k, j in np.ndindex(3, d):
        (start,), (step,) = working.places(np.array([k]))
        working.vectors.reshape(-1)[start + j * step] = weights[awake[k], j]
    place = np.full(classes, -1)
    place[awake] = np.arange(3)
    count = rest._count_errors(f"awake {compiled.engine_digest()} columns", "columns")
    examples = rows, 0, n, codes, np.empty(0), working.vectors, working.ledger
    assert count(*examples, awake, place, *heard, np.inf) == (scores.argmax(axis=0) != codes).sum()
