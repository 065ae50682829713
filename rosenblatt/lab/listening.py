"""The warnings of one thread. The lab trains on several, and `warnings.catch_warnings` is the whole process's."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_own = threading.local()  # `said`: where the warnings of this thread go
_door = threading.Lock()
_listening = 0  # threads at this moment
_outer: Any = None  # how warnings were shown before the first of them came


@contextmanager
def warnings_heard() -> Iterator[list[str]]:
    """What this thread is warned of meanwhile, in a list, whatever other threads do.

    >>> with warnings_heard() as said:
    ...     warnings.warn("The ice is thin.")
    >>> said
    ['The ice is thin.']
    """
    said: list[str] = []
    earlier, _own.said = getattr(_own, "said", None), said
    _come()
    try:
        yield said
    finally:
        _leave()
        _own.said = earlier


def _come() -> None:
    global _listening, _outer
    with _door:
        if not _listening:
            _outer = warnings.catch_warnings()
            _outer.__enter__()
            warnings.simplefilter("always")
            warnings.showwarning = _keep(warnings.showwarning)
        _listening += 1


def _leave() -> None:
    global _listening
    with _door:
        _listening -= 1
        if not _listening:
            _outer.__exit__(None, None, None)


def _keep(shown: Any) -> Any:
    def keep(message: Any, *where: Any, **more: Any) -> None:
        said = getattr(_own, "said", None)
        if said is None:  # another thread's, which is nobody's business here
            shown(message, *where, **more)
        else:
            said.append(str(message))

    return keep
