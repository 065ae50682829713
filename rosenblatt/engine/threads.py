"""How many threads a piece of work is given, and how it is spread over them: in fixed blocks, one BLAS thread each.

The blocks never depend on the number of threads, and results come back in the order of the blocks, so that sums over
them have the same bits for any `n_jobs`. BLAS keeps to the thread that calls it: its own threads would wait in busy
loops for those of the other blocks.
"""

from __future__ import annotations

import contextvars
import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self, TypeVar

WORTH_A_THREAD = 2**22  # multiplications, about 2 ms: starting a thread takes a tenth of that

Block = TypeVar("Block")
Result = TypeVar("Result")


def thread_count(n_jobs: int | None, work: float = float("inf")) -> int:
    """The number of threads for `work` multiplications: at most `n_jobs`, and one for small work.

    None is as many as the process may use: its cores by affinity and container limits, OMP_NUM_THREADS (which joblib
    sets in its worker processes), and 1 inside a sequential joblib worker. Negative numbers count down from all cores.

    >>> thread_count(16), thread_count(16, work=1000)
    (16, 1)
    """
    from joblib import effective_n_jobs

    if n_jobs is None:
        limit = min(int(effective_n_jobs(-1)), _openmp_limit())
    else:
        limit = int(effective_n_jobs(n_jobs)) if n_jobs < 0 else n_jobs
    return max(1, int(min(limit, work // WORTH_A_THREAD)))


def _openmp_limit() -> int:
    """OMP_NUM_THREADS, of which only the first level counts ("4,2"); all cores where it is not a whole number."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdigit() and int(first) > 0 else os.cpu_count() or 1


class _SharedLimit:
    """BLAS on one thread while anyone is inside; the limit is lifted when the last one leaves.

    The number of BLAS threads belongs to the process. Were each to restore what it found, then of two fits that
    overlap the later one would restore the limit of the earlier. threadpoolctl lets only the thread that set a limit
    change it while that thread lives, so limits are set and lifted by threads that end at once.
    """

    def __init__(self) -> None:
        self.lock, self.inside, self.limiter = threading.Lock(), 0, None

    def enter(self) -> None:
        with self.lock:
            if self.inside == 0:
                self.limiter = _in_a_thread(lambda: _blas().limit(limits=1))
            self.inside += 1

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0 and self.limiter is not None:
                _in_a_thread(self.limiter.restore_original_limits)
                self.limiter = None


def _in_a_thread(function: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


@functools.cache
def _blas() -> Any:
    """The BLAS libraries of numpy and scipy; to look for them takes 2 ms."""
    import scipy.linalg  # noqa: F401  loads the second of them
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_limit = _SharedLimit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run BLAS on the calling thread; may be nested, and entered from several threads at once.

    A limit that the user holds with threadpoolctl in another thread at the same time is left as it is.
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()


class Threads:
    """Up to `n_threads` threads for work in blocks, with one BLAS thread each; a context manager.

    The caller's context goes along (numpy.errstate, scikit-learn's configuration). The first exception is raised.
    """

    def __init__(self, n_threads: int) -> None:
        self.pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Self:
        _limit.enter()
        return self

    def __exit__(self, *_: object) -> None:
        _limit.leave()
        if self.pool is not None:
            self.pool.shutdown()

    def map(self, function: Callable[[Block], Result], blocks: Sequence[Block]) -> list[Result]:
        """[function(block) for block in blocks]."""
        if self.pool is None or len(blocks) <= 1:
            return [function(block) for block in blocks]
        contexts = [contextvars.copy_context() for _ in blocks]
        return list(self.pool.map(lambda context, block: context.run(function, block), contexts, blocks))


def map_blocks(function: Callable[[Block], Result], blocks: Sequence[Block], n_threads: int = 1) -> list[Result]:
    """[function(block) for block in blocks], on threads that are started for it.

    >>> map_blocks(sum, [(1, 2), (3, 4)], n_threads=2)
    [3, 7]
    """
    with Threads(min(n_threads, len(blocks))) as threads:
        return threads.map(function, blocks)


def row_blocks(n_rows: int, height: int, most: int = 64) -> list[slice]:
    """Consecutive rows in blocks of at least `height`, at most `most` of them, whatever the number of threads.

    >>> row_blocks(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    height = max(1, height, -(-n_rows // most))
    return [slice(start, min(n_rows, start + height)) for start in range(0, n_rows, height)]
