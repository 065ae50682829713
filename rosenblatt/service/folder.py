"""A folder of models on the disk, and what is recovered from it.

    DIR/lock                                  held by the server that writes
    DIR/models/NAME/model.json                the learner and its parameters
    DIR/models/NAME/journal.sqlite            what it was told
    DIR/models/NAME/000000001234.safetensors  the model after entry 1,234: a version

A state is reached from the newest version that leads to it, and the entries after that. An entry that is a rollback
to n makes the state after it that after n: what lies between is abandoned, and replay skips it.
"""

from __future__ import annotations

import contextlib
import copy
import os
import re
import shutil
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path

import msgspec

from rosenblatt.exchange.model_file import save
from rosenblatt.service.bodies import Spec, unpacked
from rosenblatt.service.journal import LEARN, Journal
from rosenblatt.service.learner import Served, new_learner, restored
from rosenblatt.service.problems import RequestError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
VERSION = re.compile(r"(\d{12})\.safetensors")
JOURNAL, SPEC = "journal.sqlite", "model.json"


class BusyError(Exception):
    """Another server has the folder."""


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Keep every other server that would write from this folder; the lock ends with the process, however it ends."""
    data.mkdir(parents=True, exist_ok=True)
    with open(data / "lock", "a") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BusyError(
                    f"Another server writes to {data}; stop it, choose another --data, or add --read-only."
                ) from None
        yield


def model_names(data: Path) -> list[str]:
    folder = data / "models"
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path.name for path in found if NAME.fullmatch(path.name) and (path / SPEC).is_file()]


class Versions:
    """The snapshots of one model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[int]:
        """Their sequence numbers, in order."""
        found = [VERSION.fullmatch(path.name) for path in self.folder.glob("*.safetensors")]
        return sorted(int(match[1]) for match in found if match)

    def path(self, seq: int) -> Path:
        return self.folder / f"{seq:012d}.safetensors"

    def write(self, served: Served, seq: int) -> None:
        save(served.learner, self.path(seq), about={"seq": seq, **served.figures})

    def keep(self, most: int) -> int:
        """Remove all but the newest; the sequence number of the oldest that is left, 0 where that is the beginning."""
        found = self.all()
        for seq in found[:-most]:
            self.path(seq).unlink()
        return found[-most] if len(found) >= most else 0


def create(data: Path, name: str, spec: Spec, served: Served | None = None) -> Path:
    """A folder for a new model, complete or not there at all."""
    check_name(name)
    target = data / "models" / name
    if target.exists():
        raise RequestError(409, f"There is a model {name} already; delete it first, or choose another name.")
    if served is None:
        new_learner(spec)
    part = data / "models" / f".{name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    if served is not None:
        Versions(part).write(served, 0)
    Journal(part / JOURNAL).close()
    with open(part / SPEC, "wb") as file:
        file.write(msgspec.json.encode(spec))
        file.flush()
        os.fsync(file.fileno())
    os.rename(part, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return target


def delete(data: Path, name: str) -> None:
    """Remove a model; at once for who looks, whatever happens meanwhile."""
    gone = data / "models" / f".{name}.deleted"
    shutil.rmtree(gone, ignore_errors=True)
    os.rename(data / "models" / name, gone)
    shutil.rmtree(gone, ignore_errors=True)


def check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise RequestError(422, "A model's name has 1 to 64 letters, digits, dots, dashes and underscores.")


def read_spec(folder: Path) -> Spec:
    try:
        return msgspec.json.decode((folder / SPEC).read_bytes(), type=Spec)
    except msgspec.DecodeError as error:
        raise ValueError(f"{folder / SPEC} is damaged: {error}.") from None


def lineage(seq: int, rollbacks: dict[int, int]) -> list[tuple[int, int]]:
    """The stretches (after, until] of entries that make the state after `seq`, the last of them first.

    >>> lineage(9, {6: 3})
    [(6, 9), (0, 3)]
    >>> lineage(9, {6: 3, 8: 7})
    [(8, 9), (6, 7), (0, 3)]
    """
    stretches = []
    while True:
        rollback = max((r for r in rollbacks if r <= seq), default=0)
        stretches.append((rollback, seq))
        if rollback == 0:
            return stretches
        seq = rollbacks[rollback]


def state_at(folder: Path, journal: Journal, seq: int, remarks: list[str] | None = None) -> Served:
    """The model after an entry: the newest version on the way there, and the entries from it on."""
    spec, versions, found = read_spec(folder), Versions(folder), None
    replayed: list[tuple[int, int]] = []
    there = versions.all()
    for after, until in lineage(seq, journal.rollbacks()):
        for version in reversed([v for v in there if after <= v <= until]):
            try:
                found = restored(versions.path(version), spec)[0]
            except (ValueError, OSError, KeyError) as error:
                if remarks is not None:
                    remarks.append(f"{versions.path(version).name} cannot be read ({error}); an older version is used.")
                continue
            replayed.append((version, until))
            break
        if found is not None:
            break
        replayed.append((after, until))
    if found is None:
        if journal.first > 0 or spec.uploaded:
            raise RequestError(409, f"What leads to entry {seq:,} is no longer kept; choose one of the versions.")
        found = Served(new_learner(spec), spec)
    for after, until in reversed(replayed):
        replay(found, journal, after, until)
    return found


def replay(served: Served, journal: Journal, after: int, until: int) -> int:
    """Learn the entries of a stretch again; how many examples they had."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in journal.entries(after, until):
            if entry.kind == LEARN:
                for x, y, w in unpacked(entry.body):
                    served.learn(x, y, w)
                    count += 1
    return count


def copy_of(served: Served) -> Served:
    """A copy that stays as it is while the model learns on."""
    return Served(copy.deepcopy(served.learner), served.spec, served.figures)


def why_full(error: BaseException) -> str | None:
    """In a few words what keeps a journal from being written, or None for an error of another kind."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, sqlite3.DatabaseError):
        return "the disk is full" if error.sqlite_errorcode == sqlite3.SQLITE_FULL else str(error)
    return None


def newest_readable(folder: Path) -> tuple[Served, int]:
    """(model, sequence number) of the newest version that can be read, for servers that only predict."""
    spec, versions = read_spec(folder), Versions(folder)
    for seq in reversed(versions.all()):
        with contextlib.suppress(ValueError, OSError, KeyError):
            return restored(versions.path(seq), spec)
    return Served(new_learner(spec), spec), 0
