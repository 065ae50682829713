"""Whether Ctrl-C was pressed, whichever code handled it.

A fit turns Ctrl-C into a flag that it looks at between stretches of rows; a proof catches it and keeps its bounds. What
comes in the last moment of either changes nothing any more, and is forgotten. Code that began several of them must know
all the same: Python tells it beside the handlers, whichever is in charge (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_caught: Callable[[], bool] | None = None  # set inside `listening`


def pressed() -> bool:
    """Whether Ctrl-C was pressed since the outermost `listening` began; no, outside of it."""
    return _caught is not None and _caught()


@contextmanager
def listening() -> Iterator[None]:
    """Lets `pressed` know. In another thread than the main one, which has no signals, nothing is caught.

    Examples
    --------
    >>> with listening():
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         pass
    ...     pressed()
    True
    >>> pressed()
    False
    """
    global _caught
    if _caught is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    import socket

    ear, mouth = socket.socketpair()
    came = False

    def caught() -> bool:
        nonlocal came
        try:
            while not came:
                came = signal.SIGINT in ear.recv(64)
        except OSError:  # nothing more to hear
            pass
        return came

    with ear, mouth:
        ear.setblocking(False)
        mouth.setblocking(False)
        try:
            before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        except ValueError:  # an interpreter inside another program, whose signals are not ours
            yield
            return
        _caught = caught
        try:
            yield
        finally:
            _caught = None
            signal.set_wakeup_fd(before)


@contextmanager
def postponed() -> Iterator[None]:
    """What is done in here is done to its end: the first Ctrl-C is left to `pressed`, the second comes through."""
    count = 0

    def note(number: int, frame: Any) -> None:
        nonlocal count
        count += 1
        if count > 1:
            raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
