"""A second thread for what one thread began."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any


class Helper:
    """A second thread, which is kept off the core that the leader runs on.

    The system likes to wake a thread where it was called from, above all when another core only seems to be busy: the
    threads of a linear algebra library go on looking for work for a tenth of a second after their last product.
    """

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.thread = self.pool.submit(threading.get_native_id).result()
        self.avoided = -1

    def call(self, function: Any, *arguments: Any) -> Future[Any]:
        here = _core()
        if here != self.avoided:
            self.avoided = here
            others = os.sched_getaffinity(0) - {here}
            if others:
                with suppress(OSError):  # where it is forbidden, the thread runs wherever it is put
                    os.sched_setaffinity(self.thread, others)
        return self.pool.submit(function, *arguments)

    def share(self, work: Callable[..., object], parts: Iterable[tuple[Any, ...]]) -> None:
        """Do some work with the arguments of every part: here, and as long as something is left, by the helper too."""
        left = deque(parts)

        def take_some() -> None:
            while True:
                try:
                    part = left.popleft()
                except IndexError:  # nothing is left, or the other was quicker
                    return
                work(*part)

        helping = self.call(take_some)
        take_some()
        if not helping.cancel():
            helping.result()

    def close(self) -> None:
        self.pool.shutdown()


def _find_core() -> Callable[[], int]:
    """A function that says on which core it runs, or -1 where nobody can tell."""
    found = getattr(ctypes.CDLL(None), "sched_getcpu", None) if sys.platform == "linux" else None
    return (lambda: -1) if found is None else found


_core = _find_core()
