"""All models of a server, by name."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.base import clone

from rosenblatt.exchange.model_file import load
from rosenblatt.service import folder as folders
from rosenblatt.service.bodies import NewModel, Spec
from rosenblatt.service.learner import Served, one_sentence
from rosenblatt.service.limits import Limits
from rosenblatt.service.problems import RequestError, disk_full
from rosenblatt.service.writer import LOOK_EVERY, READ_ONLY, Writer


class Models:
    """The models of a folder, each with its writer.

    `given` are fitted models that are taken in when the server starts, unless there are models of that name.
    """

    def __init__(
        self, data: Path, limits: Limits, given: Mapping[str, Any] | None = None,
        say: Callable[[str], object] = print, on_ready: Callable[[], object] = lambda: None,
        read_only: bool = False,
    ) -> None:  # fmt: skip
        self.data, self.limits, self.given, self.read_only = data, limits, given or {}, read_only
        self.say, self.on_ready = say, on_ready
        self.writers: dict[str, Writer] = {}
        self.failed: dict[str, str] = {}  # why a model of the folder is not served
        self._changes = asyncio.Lock()  # one model is made or removed at a time
        self._follower: asyncio.Task[None] | None = None
        self.ready = False

    def __getitem__(self, name: str) -> Writer:
        try:
            return self.writers[name]
        except KeyError:
            if name in self.failed:
                raise RequestError(503, self.failed[name]) from None
            how = "" if self.read_only else "; create it with PUT /v1/models/NAME"
            raise RequestError(404, f"There is no model {name[:64]!r}{how}.") from None

    async def open(self) -> None:
        """Recover every model, and compile what they need, so that no request waits for it."""
        for name in folders.model_names(self.data):
            await self._recover(name)
        for name, learner in self.given.items():
            if name not in self.writers and name not in self.failed:
                await self.adopt(name, learner)
        if self.read_only:
            self._follower = asyncio.get_running_loop().create_task(self._follow())
        self.ready = True
        self.on_ready()

    async def _recover(self, name: str) -> None:
        """Serve a model of the folder; one that cannot be read does not keep the others from being served."""
        try:
            remarks = (await self._start(self.data / "models" / name)).remarks
        except (OSError, ValueError, RequestError, sqlite3.DatabaseError) as error:
            self.failed[name] = f"The model {name} cannot be served: {one_sentence(error)}"
            remarks = [self.failed[name]]
        for remark in remarks:
            self.say(f"{name}: {remark}")

    async def _follow(self) -> None:
        """Serve the models that another server has created meanwhile, and no longer those that it has deleted."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            there = folders.model_names(self.data)
            for name in [name for name in there if name not in self.writers and name not in self.failed]:
                await self._recover(name)
            for name in [name for name in self.writers if name not in there]:
                await self.writers.pop(name).close()

    async def _start(self, path: Path) -> Writer:
        writer = await asyncio.to_thread(Writer, path, self.limits, self.read_only)
        await asyncio.to_thread(warm_up, writer.served)
        writer.start()
        self.writers[path.name] = writer
        return writer

    async def create(self, name: str, spec: NewModel) -> Writer:
        return await self._create(name, Spec(spec.learner, spec.params, spec.max_names), None)

    async def upload(self, name: str, data: bytes) -> Writer:
        """A new model from the bytes of a model file."""
        learner = await asyncio.to_thread(_loaded, data)
        return await self.adopt(name, learner)

    async def adopt(self, name: str, learner: Any) -> Writer:
        spec = Spec(type(learner).__name__, uploaded=True)
        return await self._create(name, spec, Served(learner, spec))

    async def _create(self, name: str, spec: Spec, served: Served | None) -> Writer:
        if self.read_only:
            raise RequestError(405, READ_ONLY)
        async with self._changes:
            try:
                path = await asyncio.to_thread(folders.create, self.data, name, spec, served)
            except OSError as error:
                raise disk_full(name, error.strerror or str(error)) from None
            return await self._start(path)

    async def delete(self, name: str) -> None:
        if self.read_only:
            raise RequestError(405, READ_ONLY)
        async with self._changes:
            if self.failed.pop(name, None) is None:
                writer = self[name]
                del self.writers[name]
                await writer.close()
            await asyncio.to_thread(folders.delete, self.data, name)

    async def close(self) -> None:
        if self._follower is not None:
            self._follower.cancel()
        await asyncio.gather(*(writer.close() for writer in self.writers.values()))


def _loaded(data: bytes) -> Any:
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, "model.safetensors")
        path.write_bytes(data)
        try:
            return classifier_of(path)
        except ValueError as error:
            raise RequestError(422, one_sentence(error).replace(str(path), "The body")) from None


def classifier_of(path: Path) -> Any:
    """The model of a file, which must predict."""
    learner = load(path)
    if not hasattr(learner, "predict"):
        raise ValueError(f"{path} holds a {type(learner).__name__}, which does not predict; take a classifier.")
    return learner


def warm_up(served: Served) -> None:
    """Have the compiled steps ready for two classes and for more, and find out whether it can learn at all."""
    if not served.online:
        return
    learner = clone(served.learner)
    x: Any = [0.0] * (served.width - 1) + [1.0] if served.takes == "rows" else {"a": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for y in (0, 1, 2, 0):
                learner.learn_one(x, y)
                learner.predict_one(x)
        except (ValueError, TypeError) as error:
            served.why_not = f"This model only predicts: {one_sentence(error)}"
