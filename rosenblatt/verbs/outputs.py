"""Results that would be written over what they are made from."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
            paths = [os.fspath(name)] if os.path.exists(name) else glob(os.fspath(name), recursive=True)
            for path in paths:
                found += [entry.path for entry in os.scandir(path)] if os.path.isdir(path) else [path]
    return found


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
    taken = {identity(path): "read from" for path in inputs}
    for what, path in outputs.items():
        if path is None or path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
            continue  # /dev/null takes anything, any number of times
        if not path or "\0" in path:
            raise UsageError(f"{path!r} is not the name of a file.")
        if identity(path) in taken:
            raise UsageError(f"{what} cannot be written to {path}, which is {taken[identity(path)]}.")
        taken[identity(path)] = "written already"


def identity(path: str) -> Any:
    """What is equal for two names of one file, links included."""
    found = os.stat(path) if os.path.isfile(path) else None
    return os.path.realpath(path) if found is None or not found.st_ino else (found.st_dev, found.st_ino)
