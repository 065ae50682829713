"""What the methods ask of a cluster: three calls, and Dask behind them.

    persist(parts)                       keep what the parts load in the memory of the workers
    map(function, parts, *shared)        function(block, *shared) of every part, at the workers; handles
    tree_reduce(combine, handles)        one value of all, combined in a fixed tree, here

A function is pure: a worker may be lost at any time, and then its tasks are done once more, elsewhere. What is shared
is a value, or the handle of an earlier result; of `Each`, every part gets its own. The tree depends on the number of
parts alone, so that sums have the same bits however many workers there are.
"""

from __future__ import annotations

import functools
import pickle
import signal
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import dask
import distributed
import joblib

from rosenblatt.engine.threads import one_blas_thread
from rosenblatt.wording import listed, shortened

ATTEMPTS = 3
BRANCHES = 8  # of the tree
SMALL = 2**12  # bytes up to which a value is part of a task
PACKAGES = ("rosenblatt", "numpy", "scipy", "numba")  # that must be the same here and at the workers
LOOK, PATIENCE = 10, 300  # seconds: between two looks at the workers, and for a cluster without one to get one
SHARE = 0.4  # of the workers' memory, up to which partitions are kept there


class Part(NamedTuple):
    """A partition: its number, and the handle of its block of rows, or how to load it."""

    number: int
    block: Any


class Each(list[Any]):
    """Values that are not shared: every part gets its own."""


class ClusterError(RuntimeError):
    """The cluster could not do the work."""


class Backend(Protocol):
    """What runs functions of blocks of rows."""

    moved: int

    def persist(self, parts: Sequence[Part]) -> list[Part]: ...

    def map(self, function: Callable[..., Any], parts: Sequence[Part], *shared: Any) -> list[Any]: ...

    def tree_reduce(self, combine: Callable[[Any, Any], Any], handles: Sequence[Any]) -> Any: ...


def size_of(value: Any) -> int:
    """The bytes of a value on its way."""
    return len(pickle.dumps(value, protocol=5))


class _Inside:
    """A small value that is part of each task; a larger one travels from worker to worker as a task of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _call(function: Callable[..., Any], block: Any, *shared: Any) -> Any:
    """What a task does, on one thread."""
    given = [each.value if isinstance(each, _Inside) else each for each in shared]
    with joblib.parallel_config(backend="sequential"), one_blas_thread():
        return function(block, *given)


def _combined(combine: Callable[[Any, Any], Any], *values: Any) -> Any:
    with one_blas_thread():
        return functools.reduce(combine, values)


class _LeavesCtrlC(distributed.WorkerPlugin):  # type: ignore[misc]
    """A worker on the user's machine, where Ctrl-C reaches all processes of the terminal."""

    def setup(self, worker: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def workers_here() -> Any:
    """A client with workers of one thread on this machine. Ctrl-C is for this process alone."""
    client = distributed.Client(processes=True, threads_per_worker=1, dashboard_address=":0")
    client.register_plugin(_LeavesCtrlC())
    return client


class Dask:
    """Dask's tasks. Used in a `with` block; a client that is started for it ends with it.

    `moved` counts the bytes of what tasks were given from here and of what they gave each other or back, whether or
    not the two ends were in the same process. Rows are not counted.
    """

    def __init__(self, client: Any = None) -> None:
        self.own = None
        if client is None:
            try:
                client = distributed.Client.current()
            except ValueError:  # there is none
                self.own = client = workers_here()
        if not isinstance(client, distributed.Client):
            raise TypeError(
                f"client must be a distributed.Client or None, but got {shortened(client)}; make one with "
                f"distributed.Client('tcp://scheduler:8786')."
            )
        if client.asynchronous:
            raise TypeError("client must not be asynchronous, but this one is; make one with asynchronous=False.")
        self.client, self.moved = client, 0
        self.tasks: list[tuple[int, Any]] = []  # the partition of every task that is under way
        self.lazy = True

    def __enter__(self) -> Self:
        self._check_workers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        if self.own is not None:
            self.own.close()

    def cancel(self) -> None:
        """Leave what is under way undone."""
        tasks, self.tasks = self.tasks, []
        if self.client.status == "running":
            self.client.cancel([handle for _, handle in tasks if not handle.done()])

    @property
    def workers(self) -> dict[str, Any]:
        return dict(self.client.scheduler_info(n_workers=-1)["workers"])

    def _check_workers(self) -> None:
        """There are workers, and they have the packages that are here."""
        try:
            self.client.wait_for_workers(1, timeout=30)
            found = self.client.get_versions(packages=list(PACKAGES))
        except (OSError, TimeoutError) as error:
            raise self._without_workers(error) from error
        here = found["client"]["packages"]
        for address, worker in found["workers"].items():
            there = worker["packages"]
            other = [
                f"{name} {there.get(name) or 'missing'}, not {here[name]}"
                for name in ("python", "distributed", *PACKAGES)
                if there.get(name) != here[name]
            ]
            if other:
                raise ClusterError(
                    f"The workers must have the packages of this process, but {address} has {listed(other)}; install "
                    f"the same versions everywhere."
                )

    def _without_workers(self, error: Exception) -> ClusterError:
        return ClusterError(
            f"The scheduler {self.client.scheduler.address} has no workers that answer ({error}); start some with "
            f"`dask worker {self.client.scheduler.address}`."
        )

    def _wait(self, handle: Any) -> None:
        """Until a task is done, or the cluster has had no worker for a while."""
        while not handle.done():
            try:
                distributed.wait([handle], timeout=LOOK)
            except TimeoutError:
                try:
                    self.client.wait_for_workers(1, timeout=PATIENCE)
                except (OSError, TimeoutError) as error:
                    raise self._without_workers(error) from error

    def fits(self, size: float) -> bool:
        """Whether so many bytes of rows may stay in the memory of the workers."""
        limits = [worker["memory_limit"] or 2**62 for worker in self.workers.values()]
        return size <= SHARE * sum(limits)

    def persist(self, parts: Sequence[Part]) -> list[Part]:
        handles = self.client.compute([part.block for part in parts], retries=ATTEMPTS - 1)
        self.lazy = False
        return [Part(part.number, handle) for part, handle in zip(parts, handles, strict=True)]

    def map(self, function: Callable[..., Any], parts: Sequence[Part], *shared: Any) -> list[Any]:
        given = [self._given(value, len(parts)) for value in shared]
        call = dask.delayed(_call, pure=False)
        tasks = [call(function, part.block, *own) for part, *own in zip(parts, *given, strict=True)]
        handles: list[Any] = self.client.compute(tasks, retries=ATTEMPTS - 1)
        self.tasks += [(part.number, handle) for part, handle in zip(parts, handles, strict=True)]
        return handles

    def _given(self, value: Any, count: int) -> list[Any]:
        """What each of the parts gets."""
        if isinstance(value, Each):
            return [self._given(own, 1)[0] for own in value]
        if isinstance(value, distributed.Future):
            if self.lazy:  # or rows would be loaded long before it is their turn, and fill the memory
                self._wait(value)
            return [value] * count
        size = size_of(value)
        self.moved += size * count
        small = size <= SMALL
        return [_Inside(value) if small else dask.delayed(value, traverse=False, pure=False)] * count

    def tree_reduce(self, combine: Callable[[Any, Any], Any], handles: Sequence[Any]) -> Any:
        combined, level = dask.delayed(_combined, pure=False), list(handles)
        while len(level) > 1:
            level = [combined(combine, *level[start : start + BRANCHES]) for start in range(0, len(level), BRANCHES)]
        root = level[0]
        if not isinstance(root, distributed.Future):
            root = self.client.compute(root, retries=ATTEMPTS - 1)
            self.tasks.append((-1, root))
        result = self._result(root)
        self.moved += size_of(result) * len(handles)
        self.tasks = []
        return result

    def _result(self, handle: Any) -> Any:
        try:
            self._wait(handle)
            return handle.result()
        except (KeyboardInterrupt, ClusterError):
            self.cancel()
            raise
        except Exception as error:
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        """What went wrong, as a sentence with the partition in it."""
        failed = next((number for number, handle in self.tasks if handle.status == "error"), -1)
        lost = isinstance(error, OSError | distributed.CancelledError | TimeoutError) and failed < 0
        self.cancel()
        if lost or self.client.status not in ("running", "newly-created"):
            return ClusterError(
                f"The scheduler {self.client.scheduler.address} was lost ({type(error).__name__}); start it again, and "
                f"fit again."
            )
        where = "A step" if failed < 0 else f"Partition {failed}"
        if isinstance(error, distributed.KilledWorker):
            return ClusterError(
                f"{where} ended its worker each time it was tried: it may not fit into the memory of a worker; make "
                f"smaller partitions, or give workers more memory."
            )
        sentence = f"{where} failed {'three' if ATTEMPTS == 3 else ATTEMPTS} times: {type(error).__name__}: {error}"
        return ValueError(sentence) if isinstance(error, ValueError | TypeError) else ClusterError(sentence)
