"""Writes a file whole or not at all: to a temporary neighbour, to the disk, then into place."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} must be the name of a file, but it is a folder; add a file name.")
    try:
        number, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise type(error)(
            f"{target} could not be written ({error.strerror}); check the folder and its rights."
        ) from None
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
