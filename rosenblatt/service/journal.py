"""The journal of a model: what it was told, in order, in one SQLite file, durable before it is acknowledged.

SQLite in WAL mode with synchronous=FULL writes a whole group of entries with one sync. A request that comes again with
the same key gets the answer it had; a key that comes again with another body is refused. Features that were predicted
with an id wait here for their label.

Nothing here knows what a learner is. One thread at a time uses a journal.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

CHECKPOINT = 10_000  # pages of 4 KiB; copying them into the database delays the next commit
LEARN, ROLLBACK = "learn", "rollback"

TABLES = """
create table if not exists entries (seq integer primary key, kind text not null, body blob not null, at real not null);
create table if not exists keys (key text primary key, hash blob not null, seq integer not null, examples integer
    not null, at real not null) without rowid;
create index if not exists keys_by_time on keys (at);
create table if not exists waiting (id text primary key, x blob, until real not null) without rowid;
create index if not exists waiting_by_time on waiting (until);
create table if not exists facts (name text primary key, value integer not null) without rowid;
"""


class Entry(NamedTuple):
    seq: int
    kind: str
    body: bytes


@dataclass(frozen=True)
class Answered:
    """What a request with a key was answered the first time."""

    hash: bytes
    seq: int
    examples: int


class Journal:
    """The journal in one file; `lag` is how many seconds the clock is behind the newest time in it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        run = self._database.execute
        run("pragma journal_mode = wal")
        run("pragma synchronous = full")
        run(f"pragma wal_autocheckpoint = {CHECKPOINT}")
        self._database.executescript(TABLES)
        self.last = self._fact("last") or 0
        times = run("select max(at) from entries union all select max(at) from keys").fetchall()
        self._newest = max((at for (at,) in times if at is not None), default=0.0)
        self.lag = max(0.0, self._newest - time.time())

    def close(self) -> None:
        self._database.close()

    def now(self) -> float:
        """Seconds since 1970, never less than before, whatever happens to the clock."""
        self._newest = max(self._newest, time.time())
        return self._newest

    # ------------------------------------------------------------------------------------------ one group

    def begin(self) -> None:
        self._database.execute("begin immediate")
        self._committed = self.last

    def commit(self) -> None:
        """Make everything since `begin` durable."""
        self._database.execute("insert or replace into facts values ('last', ?)", (self.last,))
        self._database.execute("commit")

    def abandon(self) -> None:
        """Forget everything since `begin`."""
        self.last = self._committed
        if self._database.in_transaction:
            self._database.execute("rollback")

    def answered(self, key: str) -> Answered | None:
        found = self._database.execute("select hash, seq, examples from keys where key = ?", (key,)).fetchone()
        return None if found is None else Answered(*found)

    def append(self, kind: str, body: bytes) -> int:
        """Add an entry; its sequence number."""
        self.last += 1
        self._database.execute("insert into entries values (?, ?, ?, ?)", (self.last, kind, body, self.now()))
        return self.last

    def remember(self, key: str, answer: Answered) -> None:
        values = key, answer.hash, answer.seq, answer.examples, self.now()
        self._database.execute("insert into keys values (?, ?, ?, ?, ?)", values)

    # ------------------------------------------------------------------------------------------ waiting for labels

    def wait(self, name: str, x: bytes, seconds: float) -> None:
        """Keep features under an id; what is kept already is not changed."""
        self._database.execute("delete from waiting where id = ? and until <= ?", (name, self.now()))
        self._database.execute("insert or ignore into waiting values (?, ?, ?)", (name, x, self.now() + seconds))

    def waiting(self, name: str) -> bytes | None:
        """The features of an id, b"" where its label was used, or None where it is unknown or has expired."""
        found = self._database.execute(
            "select x from waiting where id = ? and until > ?", (name, self.now())
        ).fetchone()
        return None if found is None else found[0] or b""

    def use(self, name: str) -> None:
        """The label of an id has come."""
        self._database.execute("update waiting set x = null where id = ?", (name,))

    # ------------------------------------------------------------------------------------------ reading, cutting

    def entries(self, after: int, until: int) -> Iterator[Entry]:
        found = self._database.execute(
            "select seq, kind, body from entries where seq > ? and seq <= ? order by seq", (after, until)
        )
        return map(Entry._make, found)

    def rollbacks(self) -> dict[int, int]:
        """Where every rollback that the journal still has leads to, by its sequence number."""
        found = self._database.execute("select seq, body from entries where kind = ?", (ROLLBACK,))
        return {seq: int(body) for seq, body in found}

    @property
    def first(self) -> int:
        """The sequence number before the first entry that is still here."""
        return self._fact("cut") or 0

    def cut(self, until: int, key_seconds: float) -> None:
        """Remove the entries up to a sequence number, the keys that are older, and what waited too long."""
        now = self.now()
        self.begin()
        try:
            self._database.execute("delete from entries where seq <= ?", (until,))
            self._database.execute("delete from keys where at < ?", (now - key_seconds,))
            self._database.execute("delete from waiting where until <= ?", (now,))
            self._database.execute("insert or replace into facts values ('cut', max(?, ?))", (until, self.first))
            self.commit()
        except BaseException:
            self.abandon()
            raise

    def _fact(self, name: str) -> int | None:
        found = self._database.execute("select value from facts where name = ?", (name,)).fetchone()
        return None if found is None else int(found[0])
