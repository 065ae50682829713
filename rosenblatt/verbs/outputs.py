"""Results that would be written over what they are made from."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from glob import glob
from typing import Any

from rosenblatt.verbs.errors import UsageError


def files_of(*given: Any) -> list[str]:
    """The files that arguments name: paths, patterns, folders, or lists of them; without opening any.

    Examples
    --------
    >>> files_of("-", None, ["no-such-*.csv"])
    []
    """
    found: list[str] = []
    for each in given:
        for name in [each] if isinstance(each, str | os.PathLike) else each if isinstance(each, Iterable) else []:
            path = os.fspath(name)
            if path == "-":
                continue
            if os.path.isdir(path):
                found += [entry.path for entry in os.scandir(path) if entry.is_file()]
            elif os.path.exists(path):
                found.append(path)
            else:
                found += glob(path, recursive=True)
    return found


def identity(path: str) -> Any:
    """What is equal for two names of one file, links included."""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return (found.st_dev, found.st_ino) if found.st_ino else os.path.realpath(path)


def check_outputs(outputs: dict[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse a result that would replace a file which is read, or another result, under whatever name or link.

    Parameters
    ----------
    outputs : what each is called in the sentence, and its path; None and "-" are no files
    inputs : the files that are read

    Examples
    --------
    >>> check_outputs({"The model": "a.safetensors", "The report": "./a.safetensors"}, [])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The report cannot be written to ./a.safetensors, which is written already.
    """
    read = list(inputs)
    written: list[str] = []
    for what, path in outputs.items():
        if path is None or path == "-":
            continue
        if not path or "\0" in path:
            raise UsageError(f"{path!r} is not the name of a file.")
        if any(_same(path, other) for other in read):
            raise UsageError(f"{what} cannot be written to {path}, which is read from.")
        if any(_same(path, other) for other in written):
            raise UsageError(f"{what} cannot be written to {path}, which is written already.")
        written.append(path)


def _same(path: str, other: str) -> bool:
    with suppress(OSError):
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False  # /dev/null takes anything, any number of times
        return identity(path) == identity(other)
    return os.path.realpath(path) == os.path.realpath(other)  # one of them is not there yet
