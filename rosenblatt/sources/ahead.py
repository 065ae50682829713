"""Work on blocks of a file before they are asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(items: Iterable[Item], function: Callable[[Item], Result], threads: int) -> Iterator[Result]:
    """The function of every item, in order, computed a few items ahead on other threads; they fetch the items, too."""
    work = _Work(iter(items), function)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for _ in range(threads + 1):
                pool.submit(work.go_on)
            while (result := work.order.get()) is not None:
                value = result.result()
                pool.submit(work.go_on)
                yield value
        finally:
            work.over = True


class _Work(Generic[Item, Result]):
    """Items that are fetched by one thread at a time, and what becomes of them in the order of the items."""

    def __init__(self, items: Iterator[Item], function: Callable[[Item], Result]) -> None:
        self.items, self.function = items, function
        self.order: SimpleQueue[Future[Result] | None] = SimpleQueue()
        self.over = False
        self._fetching = threading.Lock()

    def go_on(self) -> None:
        """Fetch one more item, if there is one, and compute its result."""
        result: Future[Result] = Future()
        with self._fetching:
            if self.over:
                return
            try:
                item = next(self.items)
            except StopIteration:
                self.over = True
                self.order.put(None)
                return
            except BaseException as error:
                self.over = True
                result.set_exception(error)
                self.order.put(result)
                return
            self.order.put(result)
        try:
            result.set_result(self.function(item))
        except BaseException as error:
            result.set_exception(error)


def usual_threads() -> int:
    return max(1, min(4, os.cpu_count() or 1))
