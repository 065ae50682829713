"""Weights are made when they are first asked for, by whichever thread that is."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import LinearSVM
from rosenblatt.engine.online import state as states
from rosenblatt.engine.online.state import HalfSpaces


@pytest.fixture
def slow_memory(monkeypatch):
    """Threads come while one waits for memory, as they do with large arrays, and each waits longer than the last."""
    now, waiting = states.aligned_zeros, iter([0.01, 0.02, 0.03, 0.04])

    def later(shape, dtype):
        if threading.current_thread() is not threading.main_thread() and 0 not in shape:
            time.sleep(next(waiting, 0.0))
        return now(shape, dtype)

    monkeypatch.setattr(states, "aligned_zeros", later)


@pytest.fixture(scope="module")
def sparse_classes():
    random = np.random.default_rng(3)
    X = scipy.sparse.random(300, 400, density=0.05, format="csr", dtype=np.float32, random_state=3)
    return X, random.integers(0, 20, 300)


def at_once(work, threads=4):
    with ThreadPoolExecutor(threads) as pool:
        return [task.result() for task in [pool.submit(work) for _ in range(threads)]]


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_threads_that_ask_at_once_get_the_same_weights(layout, slow_memory):
    state = HalfSpaces(20, 30, np.float32, layout)
    seen = at_once(lambda: (state.vectors, state.lag))
    assert all(vectors is state.vectors and lag is state.lag for vectors, lag in seen)


def test_shared_weights_are_the_owners_for_every_thread(slow_memory):
    owner = HalfSpaces(20, 30, np.float32, "columns")
    shared = owner.share_weights()
    assert all(vectors is owner.vectors for vectors in at_once(lambda: shared.vectors))


class TrainedElsewhere:
    """Half-spaces whose weights are all 1, and which take their time to say so."""

    ledger, total = HalfSpaces(20, 30, np.float32, "columns").ledger, None

    def fill(self, state):
        time.sleep(0.05)
        state.vectors[:] = 1.0


def test_threads_never_see_weights_that_are_half_spread():
    state = HalfSpaces(20, 30, np.float32, "columns")
    state.hold(TrainedElsewhere())
    for weights in at_once(lambda: state.vectors.copy()):
        assert (weights == 1.0).all()


@pytest.mark.parametrize("dense", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_threads_of_a_support_vector_machine_teach_the_same_weights(dense, sparse_classes, slow_memory):
    X, y = sparse_classes
    rows = X.toarray() if dense else X
    one, two = (LinearSVM(lam=1e-3, random_state=0, n_jobs=n, tol=1e-2, max_iter=400).fit(rows, y) for n in (1, 2))
    np.testing.assert_array_equal(two.coef_, one.coef_)
    assert two.n_iter_ == one.n_iter_
