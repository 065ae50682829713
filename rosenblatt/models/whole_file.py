"""Writes a file whole or not at all: to a temporary neighbour, to the disk, then into place.

A process that is killed on the way leaves the old file as it was, and a temporary neighbour. The neighbour is locked
while it is written; the kernel releases the lock of a dead process, and the next writer of the same file removes the
neighbours that no process holds. So there is never more of them than were left since the last save.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

from rosenblatt.arguments import file_name

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed anyway
    fcntl = None  # type: ignore[assignment]

ENDING = ".part"
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace the file at a path by these bytes; see `whole_file`."""
    with whole_file(path) as stream:
        stream.write(data)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream to write into; what is written replaces the file at a path once all went well.

    A link is followed: the file that it leads to is replaced, and the link stays. What is no file (a device, a pipe, a
    socket) is written into as it is.

    Examples
    --------
    >>> file = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with whole_file(file) as stream:
    ...     _ = stream.write(b"one, ")
    ...     _ = stream.write(b"two")
    ...     file.exists()
    False
    >>> file.read_text()
    'one, two'
    """
    named = Path(file_name(path))
    if os.path.isdir(named):
        raise IsADirectoryError(f"{named} is a directory; add a file name.")
    try:
        there = _kind(named)
        if there is not None and not stat.S_ISREG(there):
            with open(os.open(named, os.O_WRONLY), "wb") as stream:  # never replaced by a file
                yield stream
            return
        target = Path(os.path.realpath(named))
        _remove_abandoned(target)
        number, temporary = _locked_neighbour(target)
    except OSError as error:
        _refuse(named, error, "check the folder and its rights")
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            if fcntl is not None:
                os.replace(temporary, target)  # while it is locked
        if fcntl is None:
            os.replace(temporary, target)
        _settle(target.parent)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            _refuse(named, error, "an earlier file of that name is as it was; make room, or choose another folder")
        raise


def _kind(path: Path) -> int | None:
    """The mode of what a path leads to, or None where nothing is there yet; links in a circle are an OSError."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _locked_neighbour(target: Path) -> tuple[int, str]:
    """(file number, path) of a new file beside the target, locked while this process lives and has it open."""
    while True:
        number, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=ENDING)
        if fcntl is None:
            return number, temporary
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(number, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.stat(temporary).st_ino == os.fstat(number).st_ino:
                return number, temporary
        os.close(number)  # another writer took it for abandoned before it was locked


def _remove_abandoned(target: Path) -> None:
    if fcntl is None:
        return
    start = f".{target.name}."
    for name in os.listdir(target.parent):
        if not (name.startswith(start) and name.endswith(ENDING)):
            continue
        path = target.parent / name
        with contextlib.suppress(OSError):  # locked, gone, or not ours
            number = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(number)


def _settle(folder: Path) -> None:
    """Have the new name on the disk too, where the system has a way to say so."""
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _refuse(target: Path, error: OSError, advice: str) -> NoReturn:
    if error.errno in NO_ROOM and "make room" not in advice:
        advice = "make room, or choose another folder"
    refused = type(error)(f"{target} could not be written ({error.strerror or error}); {advice}.")
    refused.errno = error.errno or errno.EIO
    raise refused from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
