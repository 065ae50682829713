"""Which files are meant: by a name, a pattern, a folder, an address, or standard input."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Union

from rosenblatt.arguments import shortened

from . import addresses
from .addresses import is_remote
from .formats import format_by_name

PathsLike = Union[str, "PathLike[str]", Sequence[Union[str, "PathLike[str]"]]]
NEAR = 0.75  # likeness of two names of files from which one may have been meant for the other


def check_paths(paths: Any) -> None:
    each = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    try:
        wrong = [path for path in each if not isinstance(path, str | PathLike)]
    except TypeError:
        wrong = [paths]
    if wrong:
        raise TypeError(
            f"paths must be names of files, but {shortened(wrong[0])} came; pass a str or a path-like object."
        )


def is_elsewhere(path: str) -> bool:
    """Whether rows come from no file of this machine, but can be copied into one; a pipe may have a name."""
    return path == "-" or addresses.is_address(path) or Path(path).is_fifo()


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
            if origin == "-":
                with (place / "input").open("wb") as file:
                    shutil.copyfileobj(sys.stdin.buffer, file, 2**20)
                called[str(place / "input")] = origin
            elif not addresses.is_address(origin):
                with open(origin, "rb") as pipe, (place / "input").open("wb") as file:
                    shutil.copyfileobj(pipe, file, 2**20)
                called[str(place / "input")] = origin
            else:
                called[str(addresses.copied(origin, place))] = origin
    except BaseException:
        folder.cleanup()
        raise
    return folder, called


def expand(path: str, format: str | None) -> list[str]:
    """The files that a name, a pattern or a folder stands for."""
    if is_remote(path):
        return [path]
    expanded = os.path.expanduser(path)
    if os.path.isdir(expanded):
        return _tables_in(expanded)
    if os.path.exists(expanded):
        if not os.access(expanded, os.R_OK):
            raise PermissionError(f"{path} must be readable, but this user may not read it; change its permissions.")
        return [expanded]
    found = sorted(glob.glob(expanded)) if any(sign in expanded for sign in "*?[") else []
    found = [name for name in found if os.path.isfile(name)]
    if not found:
        raise FileNotFoundError(_not_found(path))
    return found


def _not_found(path: str) -> str:
    import difflib

    if any(sign in path for sign in "*?["):
        return f"The pattern {path} must match at least one file, but it matches none; correct the pattern."
    if not path:
        return "The name of a file must have letters, but an empty one came; pass the name of a file."
    if os.path.islink(os.path.expanduser(path)):
        return f"{path} must be a file, but it is a link that leads to none; correct the link."
    folder = Path(path).expanduser().parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() and os.access(folder, os.R_OK) else []
    wanted = Path(path).name
    stems = {
        name: name.split(".")[0] or name for name in sorted(names, key=lambda name: not _same_ending(name, wanted))
    }
    near = difflib.get_close_matches(wanted.split(".")[0], list(stems.values()), 1, cutoff=NEAR)
    meant = next((name for name, stem in stems.items() if near and stem == near[0]), None)
    advice = f"did you mean {folder / meant}?" if meant else "check the name."
    return f"{path} must be a file, but there is none of that name; {advice}"


def _same_ending(name: str, other: str) -> bool:
    return name.partition(".")[2] == other.partition(".")[2]


def _tables_in(folder: str) -> list[str]:
    entries = sorted(entry for entry in Path(folder).iterdir() if entry.is_file() and not entry.name.startswith("."))
    endings = {format_by_name(entry.name) for entry in entries} - {None}
    if len(endings) != 1:
        what = "files of several formats" if endings else "no tables"
        raise IsADirectoryError(
            f"A folder must hold tables of one format to be read as one, but {folder} has {what}; "
            "pass a file or a pattern like 'folder/*.csv'."
        )
    return [str(entry) for entry in entries if format_by_name(entry.name) is not None]
