"""Which files are meant: by a name, a pattern, a folder, an address, or standard input.

What comes from elsewhere is copied to this machine before it is read, so that it is read like any other file. fsspec
knows stores such as s3.
"""

from __future__ import annotations

import difflib
import glob
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Union
from urllib.parse import unquote, urlsplit

from rosenblatt.arguments import shortened

from .fetch import CHUNK, copy_address

PathsLike = Union[str, "PathLike[str]", Sequence[Union[str, "PathLike[str]"]]]
NEAR = 0.75  # likeness of two names of files from which one may have been meant for the other
SCHEMES = ("http://", "https://")


def check_paths(paths: Any) -> None:
    each = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    try:
        wrong = [path for path in each if not isinstance(path, str | PathLike)]
    except TypeError:
        wrong = [paths]
    if wrong:
        raise TypeError(f"paths must be names of files, but got {shortened(wrong[0])}.")


def is_address(path: str) -> bool:
    return re.match(r"[a-z][a-z0-9+.-]+://", path, re.I) is not None


def is_elsewhere(path: str) -> bool:
    """Whether rows come from no file of this machine, but can be copied into one; a pipe may have a name."""
    return path == "-" or is_address(path) or Path(path).is_fifo()


def copied(given: Sequence[str | PathLike[str]]) -> tuple[Any, dict[str, str]]:
    """Standard input, other pipes and what addresses send, copied to files once, since rows are read more than once."""
    folder = tempfile.TemporaryDirectory(prefix="rosenblatt-")
    called: dict[str, str] = {}
    try:
        for number, origin in enumerate(dict.fromkeys(os.fspath(path) for path in given)):
            if not is_elsewhere(origin):
                continue
            place = Path(folder.name) / str(number)
            place.mkdir()
            target = place / (file_name(origin) if is_address(origin) else "input")
            with target.open("wb") as file:
                if origin.casefold().startswith(SCHEMES):
                    copy_address(origin, file, target.name)
                elif is_address(origin):
                    with _in_a_store(origin) as stored:
                        shutil.copyfileobj(stored, file, CHUNK)
                elif origin == "-":
                    shutil.copyfileobj(sys.stdin.buffer, file, CHUNK)
                else:
                    with open(origin, "rb") as pipe:
                        shutil.copyfileobj(pipe, file, CHUNK)
            called[str(target)] = origin
    except BaseException:
        folder.cleanup()
        raise
    return folder, called


def _in_a_store(address: str) -> Any:
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"{address} is read with fsspec, which is not installed: pip install fsspec.") from error
    try:
        return fsspec.open(address, "rb")
    except ValueError as error:  # a scheme that it does not know
        raise ValueError(f"{address} cannot be opened ({error}).") from error


def file_name(url: str) -> str:
    """The name of the file that an address ends with.

    Examples
    --------
    >>> file_name("https://example.org/sets/wine%20red.csv?raw=1"), file_name("http://example.org")
    ('wine red.csv', 'data')
    """
    return Path(unquote(urlsplit(url).path)).name or "data"


def expand(path: str) -> list[str]:
    """The files that a name, a pattern or a folder stands for."""
    expanded = os.path.expanduser(path)
    if os.path.isdir(expanded):
        return _tables_in(expanded)
    if os.path.exists(expanded):
        if not os.access(expanded, os.R_OK):
            raise PermissionError(f"No permission to read {path}.")
        return [expanded]
    found = sorted(glob.glob(expanded)) if any(sign in expanded for sign in "*?[") else []
    found = [name for name in found if os.path.isfile(name)]
    if not found:
        raise FileNotFoundError(not_found(path))
    return found


def not_found(path: str) -> str:
    """What to say about a name that leads to no file."""
    if any(sign in path for sign in "*?["):
        return f"No file matches the pattern {path}."
    if not path:
        return "The name of the file is empty."
    if os.path.islink(os.path.expanduser(path)):
        return f"{path} is a link to a file that does not exist."
    folder = Path(path).expanduser().parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() and os.access(folder, os.R_OK) else []
    wanted = Path(path).name
    alike = sorted(names, key=lambda name: name.partition(".")[2] != wanted.partition(".")[2])
    stems = {name: name.split(".")[0] or name for name in alike}
    near = difflib.get_close_matches(wanted.split(".")[0], list(stems.values()), 1, cutoff=NEAR)
    meant = next((name for name, stem in stems.items() if near and stem == near[0]), None)
    return f"No such file: {path}" + (f" (did you mean {folder / meant}?)" if meant else ".")


def _tables_in(folder: str) -> list[str]:
    from .formats import format_by_name

    entries = sorted(entry for entry in Path(folder).iterdir() if entry.is_file() and not entry.name.startswith("."))
    formats = {format_by_name(entry.name) for entry in entries} - {None}
    if len(formats) != 1:
        what = "files of several formats" if formats else "no tables"
        raise IsADirectoryError(f"The folder {folder} has {what}; pass a file, or a pattern like 'folder/*.csv'.")
    return [str(entry) for entry in entries if format_by_name(entry.name) is not None]
