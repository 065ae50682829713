"""Threads: as many as the process may use, fixed blocks in order, and BLAS that keeps to one."""

import threading
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController, threadpool_limits

from rosenblatt.engine.threads import WORTH_A_THREAD, map_blocks, one_blas_thread, row_blocks, thread_count


def blas_threads():
    return {library["num_threads"] for library in ThreadpoolController().select(user_api="blas").info()}


def test_the_number_of_threads_is_bounded_by_n_jobs_and_by_the_work(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert thread_count(1) == 1 and thread_count(7) == 7
    assert thread_count(-1) == thread_count(None) == joblib.cpu_count()
    assert thread_count(16, WORTH_A_THREAD - 1) == 1
    assert thread_count(16, 3 * WORTH_A_THREAD) == 3


@pytest.mark.parametrize(("given", "meant"), [("1", 1), ("1,4", 1), (" 1 ", 1), ("", None), ("0", None), ("x", None)])
def test_openmp_limits_none(monkeypatch, given, meant):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert thread_count(None) == (meant or joblib.cpu_count())
    assert thread_count(3) == 3


def _threads_inside(_):
    return thread_count(None)


def test_a_worker_of_joblib_keeps_to_its_share(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        assert joblib.Parallel(2)(joblib.delayed(_threads_inside)(i) for i in range(2)) == [1, 1]


@given(st.integers(0, 200), st.integers(1, 50), st.integers(1, 64))
def test_blocks_cover_every_row_once(n, height, most):
    blocks = row_blocks(n, height, most)
    assert [i for block in blocks for i in range(block.start, block.stop)] == list(range(n))
    assert len(blocks) <= most


def test_results_come_in_the_order_of_the_blocks_on_any_number_of_threads():
    X = np.random.default_rng(0).normal(size=(5000, 40)).astype(np.float32)
    blocks = row_blocks(len(X), 300)

    def gram(block):
        return X[block].T @ X[block]

    one, two, many = (sum(map_blocks(gram, blocks, n)) for n in (1, 2, 16))
    assert np.array_equal(one, two) and np.array_equal(one, many)


def test_an_error_in_a_block_is_raised_and_the_callers_errstate_holds_in_threads():
    def divide(number):
        return np.float64(1.0) / np.float64(number)

    with np.errstate(divide="ignore"):
        assert map_blocks(divide, [0.0, 2.0], 2) == [np.inf, 0.5]
    with pytest.raises(FloatingPointError), np.errstate(divide="raise"):
        map_blocks(divide, [0.0, 2.0], 2)


def elsewhere(function, *arguments, **keywords):
    """Call it in a thread that ends: threadpoolctl lets a living thread keep the limits that it has set."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments, **keywords).result()


def test_blas_keeps_to_one_thread_until_the_last_one_leaves():
    limits = elsewhere(threadpool_limits, 2, user_api="blas")
    try:
        inside, leave = threading.Event(), threading.Event()

        def other():
            with one_blas_thread():
                inside.set()
                leave.wait()

        thread = threading.Thread(target=other)
        with one_blas_thread():
            assert blas_threads() == {1}
            thread.start()
            inside.wait()
        assert blas_threads() == {1}  # the other one is still inside
        leave.set()
        thread.join()
        assert blas_threads() == {2}
    finally:
        elsewhere(limits.restore_original_limits)


def test_blocks_are_computed_by_one_blas_thread_each():
    seen = map_blocks(lambda _: blas_threads(), [0, 1, 2], 2)
    assert seen == [{1}] * 3
