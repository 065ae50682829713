"""SHA-256 of files as they are stored, while other things are done."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import Future
from threading import Thread

PIECE = 2**20  # bytes at a time


def digest_of(paths: Sequence[str]) -> str:
    """Of several files, one after another.

    Examples
    --------
    >>> digest_of([])[:12]
    'e3b0c44298fc'
    """
    digest = hashlib.sha256()
    piece = bytearray(PIECE)
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while size := file.readinto(piece):
                digest.update(memoryview(piece)[:size])
    return digest.hexdigest()


def digest_later(paths: Sequence[str]) -> Future[str]:
    """The same, computed on a thread of its own, which does not keep a process that ends."""
    future: Future[str] = Future()

    def work() -> None:
        try:
            future.set_result(digest_of(paths))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=work, daemon=True).start()
    return future
