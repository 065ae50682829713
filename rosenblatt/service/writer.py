"""The one writer of a model: what comes in while a group is being made durable is the next group.

Checks, learning and predictions run on the event loop, one at a time, so a prediction never sees half an update, nor
anything that is not durable. Only SQLite and the writing of versions run in a thread of the model's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rosenblatt.service import folder as folders
from rosenblatt.service.bodies import body_hash, packed, packed_features, unpacked_features
from rosenblatt.service.folder import Versions, copy_of, state_at, why_full
from rosenblatt.service.journal import LEARN, ROLLBACK, Answered, Journal
from rosenblatt.service.learner import Contract, Served, one_sentence
from rosenblatt.service.limits import Limits
from rosenblatt.service.problems import RequestError, disk_full

READ_ONLY = "This server only predicts; send what changes a model to the one that writes."
MOST_REMARKS = 20  # of a model
LOOK_EVERY = 1.0  # seconds between two looks for a newer version, where only one reads

Examples = list[tuple[Any, Any, float]]


@dataclass
class Job:
    """A request that changes something.

    `run` puts it into the journal and returns the answer and what is to be learned. A job with `adopt` is a group of
    its own, and `adopt` is called once it is durable.
    """

    run: Callable[[], tuple[dict[str, Any], Examples]]
    done: asyncio.Future[dict[str, Any]]
    adopt: Callable[[], None] | None = None
    answer: dict[str, Any] | None = None
    learned: Examples = field(default_factory=list)
    refused: RequestError | None = None


class Writer:
    """A model, its journal and its versions."""

    def __init__(self, path: Path, limits: Limits, read_only: bool = False) -> None:
        self.name, self.path, self.limits = path.name, path, limits
        self.remarks: list[str] = []
        self.broken = ""  # why nothing can be learned, if it is so
        self.versions = Versions(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"journal of {path.name}")
        self._jobs: deque[Job] = deque()
        self._come, self._closing = asyncio.Event(), False
        self._task: asyncio.Task[None] | None = None
        self._saving: asyncio.Task[None] | None = None
        self._journal_free, self._versions_free = asyncio.Lock(), asyncio.Lock()
        self.commits, self.commit_seconds, self.predictions = 0, 0.0, 0
        self.read_only = read_only
        if read_only:
            self._read_newest()
        else:
            self._open()

    def _read_newest(self) -> None:
        self.served, self.seq = folders.newest_readable(self.path)
        self.saved, self.contract = self.seq, Contract(self.served)

    async def _follow(self) -> None:
        """Load every newer version that the server that writes has written."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            with contextlib.suppress(OSError):
                if max(self.versions.all(), default=0) != self.seq:
                    await asyncio.to_thread(self._read_newest)

    def _open(self) -> None:
        """The model as it was when the last entry was acknowledged."""
        try:
            self.journal = Journal(self.path / folders.JOURNAL)
            if self.journal.lag > 1.0:
                self.remarks.append(
                    f"The clock of this machine is {self.journal.lag:.0f} s behind the newest entry; keys and waiting "
                    f"features are kept that much longer."
                )
            newest = max(self.versions.all(), default=0)
            if newest > self.journal.last:
                raise sqlite3.DatabaseError(f"it ends at {self.journal.last:,}, before version {newest:,}")
            began = time.process_time()
            self.served = state_at(self.path, self.journal, self.journal.last, self.remarks)
            self.seq = self.journal.last
            if self.seq > newest:
                seconds = time.process_time() - began
                self.remarks.append(f"Replayed the entries after {newest:,} up to {self.seq:,} in {seconds:.1f} s.")
        except sqlite3.DatabaseError as error:
            self.served, self.seq = folders.newest_readable(self.path)
            self.broken = (
                f"The journal of model {self.name} is damaged ({error}); predictions are those of version {self.seq:,}."
            )
            self.remarks.append(self.broken)
        self.saved, self.examples_saved = max(self.versions.all(), default=0), self.served.examples
        self.contract = Contract(self.served)

    # ------------------------------------------------------------------------------------------ requests

    @property
    def waiting(self) -> int:
        """How many requests wait to be made durable."""
        return len(self._jobs)

    def predict(self, xs: list[Any]) -> list[dict[str, Any]]:
        self.predictions += len(xs)
        return self.served.predict(xs)

    def describe(self) -> dict[str, Any]:
        served = self.served
        return {
            "model": self.name, "learner": served.spec.learner, "params": served.spec.params, "takes": served.takes,
            "features": served.width, "classes": served.classes, "seq": self.seq, "version": self.saved,
            "examples": served.examples, "mistakes": served.mistakes, "skipped": served.skipped,
            "remarks": self.remarks,
        }  # fmt: skip

    async def learn(self, examples: Examples, key: str | None) -> dict[str, Any]:
        body = packed(examples)

        def run() -> tuple[dict[str, Any], Examples]:
            return self._append(examples, body, key, body_hash("learn", body))

        return await self._submit(run)

    async def label(self, name: str, y: Any, w: float, key: str | None) -> dict[str, Any]:
        """Learn the label of features that were predicted with an id."""

        def run() -> tuple[dict[str, Any], Examples]:
            hashed = body_hash("label", name, packed([([], y, w)]))
            again = self._answered(key, hashed)
            if again is not None:
                return again, []
            x = self.journal.waiting(name)
            if x is None:
                raise RequestError(404, f"There is no prediction with the id {name!r}, or it has expired.")
            if x == b"":
                raise RequestError(409, f"The label of {name!r} was used already; send new examples to learn.")
            examples = [(unpacked_features(x), y, w)]
            result = self._append(examples, packed(examples), key, hashed)
            self.journal.use(name)
            return result

        return await self._submit(run)

    async def keep(self, waiting: list[tuple[str, Any]]) -> None:
        """Keep features until their label comes."""

        def run() -> tuple[dict[str, Any], Examples]:
            new: dict[str, bytes] = {}
            for name, x in waiting:
                features = packed_features(x)
                before = self.journal.waiting(name)
                if before == b"":
                    raise RequestError(409, f"The label of {name!r} was used already; choose a new id.")
                if new.setdefault(name, features) != features or before not in (None, features):
                    raise RequestError(409, f"The id {name!r} was used for another example; choose a new one.")
            for name, features in new.items():
                self.journal.wait(name, features, 3600.0 * self.limits.label_hours)
            return {}, []

        await self._submit(run)

    async def rollback(self, to: int, key: str | None) -> dict[str, Any]:
        """Go back to the state after an entry; what was learned since is abandoned, and stays in the journal."""
        found: list[Served] = []

        def run() -> tuple[dict[str, Any], Examples]:
            hashed = body_hash("rollback", str(to))
            again = self._answered(key, hashed)
            if again is not None:
                return again, []
            if to > self.journal.last:
                raise RequestError(422, f"The newest entry is {self.journal.last:,}; choose one from 0 to that.")
            found.append(state_at(self.path, self.journal, to))
            seq = self.journal.append(ROLLBACK, str(to).encode())
            if key is not None:
                self.journal.remember(key, Answered(hashed, seq, 0))
            return {"seq": seq, "examples": 0}, []

        def adopt() -> None:
            if found:
                self.served = found[0]
                self.contract = Contract(self.served)

        return await self._submit(run, adopt)

    def _answered(self, key: str | None, hashed: bytes) -> dict[str, Any] | None:
        before = None if key is None else self.journal.answered(key)
        if before is None:
            return None
        if before.hash != hashed:
            raise RequestError(409, f"The key {key!r} came before with another body; choose a new key.")
        return {"seq": before.seq, "examples": before.examples}

    def _append(
        self, examples: Examples, body: bytes, key: str | None, hashed: bytes
    ) -> tuple[dict[str, Any], Examples]:  # fmt: skip
        again = self._answered(key, hashed)
        if again is not None:
            return again, []
        self.contract.admit(examples)
        seq = self.journal.append(LEARN, body)
        if key is not None:
            self.journal.remember(key, Answered(hashed, seq, len(examples)))
        return {"seq": seq, "examples": len(examples)}, examples

    # ------------------------------------------------------------------------------------------ the writer itself

    async def _submit(self, run: Any, adopt: Callable[[], None] | None = None) -> dict[str, Any]:
        if self.read_only:
            raise RequestError(405, READ_ONLY)
        if self.broken:
            raise RequestError(503, self.broken)
        if self._closing:
            raise RequestError(503, "The server is shutting down; try again.", {"Retry-After": "5"})
        if len(self._jobs) >= self.limits.queue:
            raise RequestError(429, f"{self.limits.queue:,} requests wait already; try again.", {"Retry-After": "1"})
        job = Job(run, asyncio.get_running_loop().create_future(), adopt)
        self._jobs.append(job)
        self._come.set()
        return await job.done

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._follow() if self.read_only else self._write())

    async def _write(self) -> None:
        while True:
            await self._come.wait()
            self._come.clear()
            while self._jobs:
                group = self._next_group()
                began = time.perf_counter()
                async with self._journal_free:
                    failure = await self._make_durable(group)
                self.commits += 1
                self.commit_seconds += time.perf_counter() - began
                self._apply(group, failure)
                if self.served.examples - self.examples_saved >= self.limits.snapshot_every:
                    self.examples_saved = self.served.examples
                    self._saving = asyncio.get_running_loop().create_task(self._save())
            if self._closing:
                return

    def _next_group(self) -> list[Job]:
        group = [self._jobs.popleft()]
        while self._jobs and group[0].adopt is None and self._jobs[0].adopt is None:
            group.append(self._jobs.popleft())
        return group

    async def _make_durable(self, group: list[Job]) -> RequestError | None:
        """What kept a whole group from being durable, or None.

        Only what takes long is done in the thread: every statement there would wait for the interpreter lock again.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        try:
            self.journal.begin()
            if group[0].adopt is None:
                _run(group)
            else:
                await in_thread(_run, group)
            await in_thread(self.journal.commit)
        except (sqlite3.DatabaseError, OSError) as error:
            with contextlib.suppress(sqlite3.DatabaseError):
                self.journal.abandon()
            return disk_full(self.name, why_full(error) or str(error))
        return None

    def _apply(self, group: list[Job], failure: RequestError | None) -> None:
        """Learn what is durable, and answer."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an example beyond the range of floats is passed over, and counted
            for job in group:
                if failure is None and job.refused is None:
                    if job.adopt is not None:
                        job.adopt()
                    for x, y, w in job.learned:
                        self.served.learn(x, y, w)
                    self.seq = max(self.seq, (job.answer or {}).get("seq", 0))
        if failure is not None:
            self.contract = Contract(self.served)
        for job in group:
            refused = job.refused or failure
            if job.done.cancelled():
                continue
            if refused is not None:
                job.done.set_exception(refused)
            else:
                job.done.set_result(job.answer or {})

    # ------------------------------------------------------------------------------------------ versions

    async def snapshot(self) -> int:
        """Write a version of the model as it is now, and cut the journal behind the oldest that is kept."""
        if self.read_only:
            raise RequestError(405, READ_ONLY)
        if not self.served.classes:
            raise RequestError(409, f"The model {self.name} has learned nothing yet, so there is no version to write.")
        async with self._versions_free:
            copy, seq = copy_of(self.served), self.seq
            if seq in self.versions.all():
                return seq
            try:
                await asyncio.to_thread(self.versions.write, copy, seq)
            except (OSError, ValueError) as error:
                sentence = f"Version {seq:,} of model {self.name} could not be written: {one_sentence(error)}"
                raise RequestError(503, sentence) from None
            self.saved = seq
            if not self.broken:
                await self._cut()
            return seq

    async def _cut(self) -> None:
        try:
            oldest = self.versions.keep(self.limits.versions)
            async with self._journal_free:
                await asyncio.get_running_loop().run_in_executor(
                    self._thread, self.journal.cut, oldest, 3600.0 * self.limits.key_hours
                )  # fmt: skip
        except (OSError, sqlite3.DatabaseError) as error:
            self._remark(f"What is no longer kept could not be removed: {one_sentence(error)}.")

    async def _save(self) -> None:
        try:
            await self.snapshot()
        except RequestError as refused:
            self._remark(refused.detail)

    def _remark(self, sentence: str) -> None:
        """For those who look after the server; the newest are kept."""
        self.remarks = [*self.remarks, sentence][-MOST_REMARKS:]

    async def close(self) -> None:
        """Answer what has come, write a version and close the files."""
        self._closing = True
        self._come.set()
        if self._task is not None and self.read_only:
            self._task.cancel()
        elif self._task is not None:
            await self._task
        if self._saving is not None:
            await self._saving
        if not self.broken and not self.read_only and self.seq > self.saved:
            await self._save()
        self._thread.shutdown()
        if hasattr(self, "journal"):
            self.journal.close()


def _run(group: list[Job]) -> None:
    for job in group:
        try:
            job.answer, job.learned = job.run()
        except RequestError as refusal:
            job.refused = refusal
