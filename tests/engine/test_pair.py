"""Two threads for the same half-spaces: nobody can tell from the result, and nobody waits for ever."""

from __future__ import annotations

import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.engine import pair
from rosenblatt.engine.helper import Helper
from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online import loop
from rosenblatt.engine.online import threads as visitor
from rosenblatt.engine.online.loop import VERSION
from rosenblatt.engine.online.state import LEDGER_COLUMNS, SCORE, HalfSpaces, aligned_zeros
from rosenblatt.rules import RULES

RULE = RULES["perceptron"].function
N, D = 300, 50


def text(seed=0, rows=N, classes=2, dtype=np.float32):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random(rows, D, 0.2, "csr", dtype, rng)
    X.data = rng.normal(size=len(X.data)).astype(dtype)
    y = rng.integers(0, classes, rows)
    y[:classes] = range(classes)
    return X, y


@pytest.fixture
def always(monkeypatch):
    """A helper wherever there may be one, and how many stretches it was called to."""
    calls = []
    visit = pair.Pair.visit
    monkeypatch.setattr(visitor, "WORTH_A_HELPER", 0)
    monkeypatch.setattr(pair, "MOST_LESSONS", np.inf)

    def note(self, state, span, arguments):
        calls.append(span)
        return visit(self, state, span, arguments)

    monkeypatch.setattr(pair.Pair, "visit", note)
    return calls


def fitted(make, n_jobs, X, y, **fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make(n_jobs).fit(X, y, **fit)


def assert_same(alone, helped):
    for name in alone.answers_:
        if name != "voted":
            np.testing.assert_array_equal(alone.answers_[name].coef, helped.answers_[name].coef)
            np.testing.assert_array_equal(alone.answers_[name].intercept, helped.answers_[name].intercept)
    np.testing.assert_array_equal(alone._state.ledger[: alone._state.count], helped._state.ledger[: alone._state.count])
    for column in ("updates", "mistakes", "norm"):
        np.testing.assert_array_equal(alone.trace_[column], helped.trace_[column])


COMPILES = pytest.mark.slow  # a loop of its own


@pytest.mark.parametrize(
    ("classes", "multi_class", "dtype"),
    [
        (2, "ovr", np.float32),
        (5, "ovr", np.float32),
        (20, "ovr", np.float32),
        pytest.param(4, "coupled", np.float32, marks=COMPILES),
        pytest.param(2, "ovr", np.float64, marks=COMPILES),
        pytest.param(20, "ovr", np.float64, marks=COMPILES),
    ],
)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_same_bits_with_a_helper(always, seed, classes, multi_class, dtype):
    X, y = text(seed, classes=classes, dtype=dtype)

    def make(n_jobs):
        return Perceptron(max_iter=5, random_state=seed, multi_class=multi_class, n_jobs=n_jobs)

    alone, before = fitted(make, 1, X, y), len(always)
    helped = fitted(make, 2, X, y)
    assert len(always) > before
    assert_same(alone, helped)


@COMPILES
def test_the_same_bits_with_weights_in_file_order_and_a_rule_that_reads_norms(always):
    X, y = text(3, classes=3)
    weight = np.random.default_rng(1).uniform(0, 2, N)

    def make(n_jobs):
        return PassiveAggressive(max_iter=4, shuffle=False, n_jobs=n_jobs)

    assert_same(fitted(make, 1, X, y, sample_weight=weight), fitted(make, 2, X, y, sample_weight=weight))
    assert always


def test_voted_answers_are_the_same_with_a_helper(always):
    X, y = text(4)

    def make(n_jobs):
        return Perceptron("voted", max_iter=3, random_state=0, n_jobs=n_jobs)

    alone, helped = fitted(make, 1, X, y), fitted(make, 2, X, y)
    np.testing.assert_array_equal(alone.decision_function(X), helped.decision_function(X))
    assert always


def test_a_diverging_run_ends_at_the_same_row(always):
    X, y = text(5)
    X.data[200:] *= 1e30

    def make(n_jobs):
        return Perceptron(max_iter=3, shuffle=False, learning_rate=1e30, n_jobs=n_jobs)

    alone, helped = fitted(make, 1, X, y), fitted(make, 2, X, y)
    assert alone.stop_reason_ == helped.stop_reason_ == "diverged"
    assert_same(alone, helped)


class Stage:
    """A leader and a helper that can be called one after the other, and what they share."""

    def __init__(self, span=16, classes=1):
        X, y = text(6)
        self.helper = Helper()
        self.pair = pair.Pair(self.helper, RULE, 1, -1, "columns", False)
        self.state = HalfSpaces(classes, D, np.float32, "columns")
        self.state.set_weights(np.random.default_rng(0).normal(size=(classes, D)).astype(np.float32), np.zeros(classes))
        self.board = aligned_zeros((pair.BOARD,), np.int64)
        self.board[VERSION] = 2
        self.guesses = aligned_zeros((2 * span, classes), np.float32)
        self.marks = aligned_zeros((N,), np.int64)
        self.span, self.rows, self.order = span, rows_of(X)[1], np.arange(N, dtype=np.int32)
        self.codes = y.astype(np.int32)
        self.scores = np.empty((classes, N), np.float32)

    @property
    def shared(self):
        return self.guesses, self.marks, self.board, self.span

    def help(self):
        ledger = aligned_zeros((16, LEDGER_COLUMNS), np.float64)
        return self.pair.read_ahead(
            self.rows, self.order, self.state.vectors, 0, self.state.count, ledger, *self.shared
        )

    def arguments(self):
        log = np.empty((1, 0), np.int64), np.empty((1, 0, 3)), np.zeros(1, np.int64)
        return (
            self.rows, self.order, self.codes, np.empty(0), np.ones(1, np.int32), np.ones((1, 1)), self.state.arrays,
            1.0, False, 0, 1, self.scores, log,
        )  # fmt: skip


def test_a_helper_whose_leader_does_not_move_reads_two_spans_and_leaves():
    stage = Stage()
    assert not stage.help()
    assert stage.board[pair.GONE] == 1
    np.testing.assert_array_equal(np.flatnonzero(stage.marks), np.arange(1, 32))  # the leader is at the first row


def test_a_leader_takes_what_is_up_to_date_and_nothing_else():
    """A guess that was tampered with is believed if its mark names the weights as they are, and only then."""
    honest = Stage()
    X = scipy.sparse.csr_matrix((honest.rows[0], honest.rows[1].astype(np.int32), honest.rows[2].astype(np.int32)))
    answers = X @ honest.state.last()[0][0, : X.shape[1]] > 0
    for lift, believed in ((0, True), (2, False)):
        stage = Stage()
        stage.codes[:] = answers  # there is nothing to learn
        stage.help()
        right = stage.guesses[1, 0]
        stage.guesses[1, 0] *= 3.0
        stage.board[VERSION] += lift
        assert stage.pair.lead(*stage.arguments(), *stage.shared) == N
        assert stage.scores[0, 1] == (3.0 * right if believed else right)
        assert stage.state.updates == 0


def test_a_helper_that_never_comes_is_not_waited_for():
    stage, alone = Stage(), Stage()
    hold = threading.Event()
    stage.helper.pool.submit(hold.wait)
    visited = stage.pair.visit(stage.state, 16, stage.arguments())
    hold.set()
    stage.helper.close()
    assert visited == N
    loop.visit_rows(RULE, 1, -1, "columns", False)(*alone.arguments())
    np.testing.assert_array_equal(stage.scores, alone.scores)
    np.testing.assert_array_equal(stage.state.ledger[0, :SCORE], alone.state.ledger[0, :SCORE])


def test_a_helper_that_is_held_up_in_the_middle_is_not_waited_for_and_writes_nothing_that_counts():
    stage, alone = Stage(), Stage()
    hold, began = threading.Event(), threading.Event()
    read_ahead = stage.pair.read_ahead

    def held_up(*arguments):
        began.set()
        hold.wait()
        return read_ahead(*arguments)

    stage.pair.read_ahead = held_up
    lead = stage.pair.lead

    def lead_once_it_began(*arguments):
        began.wait()
        return lead(*arguments)

    stage.pair.lead = lead_once_it_began
    loop.visit_rows(RULE, 1, -1, "columns", False)(*alone.arguments())
    assert stage.pair.visit(stage.state, 16, stage.arguments()) == N
    assert len(stage.pair.marks) == 0  # what the late one has belongs to nobody else any more
    hold.set()
    stage.helper.close()
    np.testing.assert_array_equal(stage.scores, alone.scores)


def test_a_helper_whose_leader_comes_late_takes_a_nap_and_goes_on():
    stage, naps = Stage(), []
    sleep = time.sleep

    def nap(seconds):
        naps.append(seconds)
        sleep(seconds)

    lead = stage.pair.lead

    def lead_late(*arguments):
        while not naps:
            sleep(1e-4)
        return lead(*arguments)

    stage.pair.lead = lead_late
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair.time, "sleep", nap)
        assert stage.pair.visit(stage.state, 16, stage.arguments()) == N
        stage.helper.close()
    assert naps[0] == pair.NAP


def test_a_helper_that_was_of_no_use_is_left_alone_for_longer_and_longer():
    stage = Stage()
    hold = threading.Event()
    stage.helper.pool.submit(hold.wait)
    calls = []
    for _ in range(40):
        calls.append(stage.pair.called())
        if calls[-1]:
            stage.pair.visit(stage.state, 16, stage.arguments())
    hold.set()
    stage.helper.close()
    np.testing.assert_array_equal(np.diff(np.flatnonzero(calls)), [2, 4, 8, 16])


@pytest.mark.parametrize(("lessons", "span"), [(1.0, 0), (0.05, 16), (0.01, 16), (0.005, 32), (0.0, 128)])
def test_spans_are_shorter_where_more_is_learned(lessons, span):
    assert pair.span_of(lessons) == span
