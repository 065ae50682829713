"""The service under load: durable examples a second, predictions, batches, replay; beside river in a bare server.

64 connections from a process of their own on the same machine; examples of 20 words out of 20,000. The bare server is
Starlette and uvicorn around river's Perceptron, in memory: what it acknowledges is lost when it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Row
from rosenblatt import Perceptron
from rosenblatt.service.bodies import Spec, packed
from rosenblatt.service.folder import JOURNAL, create, state_at
from rosenblatt.service.journal import LEARN, Journal

CONNECTIONS, WORDS, NAMES, SECONDS, BATCH = 64, 20, 20_000, 8.0, 100
GROUP = 32  # requests that one sync made durable, in the runs below


def examples(count: int) -> list[tuple[dict[str, float], str]]:
    generator = np.random.default_rng(0)
    weights = generator.standard_normal(NAMES)
    found = []
    for _ in range(count):
        places = generator.choice(NAMES, WORDS, replace=False)
        x = {f"word{place}": 1.0 for place in places.tolist()}
        found.append((x, "spam" if weights[places].sum() > 0 else "ham"))
    return found


# ------------------------------------------------------------------------------------------------- a load


class Connection(asyncio.Protocol):
    """One connection that sends the next request once it has its answer."""

    def __init__(self, load: Load) -> None:
        self.load, self.buffer = load, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.began = time.perf_counter()
        self.transport.write(self.load.next())

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, end, body = self.buffer.partition(b"\r\n\r\n")
        if not end:
            return
        length = int(re.search(rb"content-length: (\d+)", head.lower())[1])  # type: ignore[index]
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(self.buffer.decode())
        self.buffer = b""
        self.load.waited.append(time.perf_counter() - self.began)
        if time.perf_counter() < self.load.until:
            self.send()
        else:
            self.transport.close()


class Load:
    """Requests over many connections for some seconds; how long each waited."""

    def __init__(self, requests: list[bytes], seconds: float) -> None:
        self.requests, self.seconds, self.sent = requests, seconds, 0
        self.waited: list[float] = []

    def next(self) -> bytes:
        self.sent += 1
        return self.requests[self.sent % len(self.requests)]

    async def run(self, port: int) -> None:
        loop = asyncio.get_running_loop()
        self.until = time.perf_counter() + self.seconds
        made = [await loop.create_connection(lambda: Connection(self), "127.0.0.1", port) for _ in range(CONNECTIONS)]
        while not all(transport.is_closing() for transport, _ in made):
            await asyncio.sleep(0.05)


def request(path: str, body: Any) -> bytes:
    data = json.dumps(body).encode()
    lines = f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(data)}"
    return "\r\n".join((*lines, "", "")).encode() + data


def loaded(port: int, requests: list[bytes], seconds: float = SECONDS) -> tuple[float, float]:
    """(requests a second, the 99th percentile of the seconds that one waited)."""
    load = Load(requests, seconds)
    asyncio.run(load.run(port))
    return len(load.waited) / seconds, float(np.quantile(load.waited, 0.99))


# ------------------------------------------------------------------------------------------------- servers


@contextlib.contextmanager
def server(*command: str) -> Iterator[int]:
    """The port of a server that prints its address."""
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout or ():
            found = re.search(r"http://[^:]+:(\d+)", line)
            if found:
                break
        else:
            raise RuntimeError("the server did not start")
        yield int(found[1])
    finally:
        process.terminate()
        process.wait()


def bare_river() -> None:
    """A server around river's Perceptron, which keeps everything in memory."""
    import uvicorn
    from river.linear_model import Perceptron as Peer
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    model = Peer()

    async def learn(request: Request) -> JSONResponse:
        body = json.loads(await request.body())
        model.learn_one(body["x"], body["y"] == "spam")
        return JSONResponse({})

    async def predict(request: Request) -> JSONResponse:
        body = json.loads(await request.body())
        return JSONResponse({"y": model.predict_one(body["x"])})

    paths = {"learn": learn, "predict": predict}
    app = Starlette(routes=[Route(f"/v1/models/m/{name}", does, methods=["POST"]) for name, does in paths.items()])
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(CONNECTIONS)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run([listener])


# ------------------------------------------------------------------------------------------------- the table


def beside(work: str, ours: float, peer: float | None, floor: float, remark: str) -> Row:
    return Row(
        work, f"{ours:,.0f}/s", "" if peer is None else f"{peer:,.0f}/s", "" if peer is None else f"{ours / peer:.2f}x",
        f"{floor:,.0f}/s", ours >= floor, remark,
    )  # fmt: skip


def rows() -> Iterator[Row]:
    stream = examples(5_000)
    learn = [request("/v1/models/m/learn", {"x": x, "y": y}) for x, y in stream]
    predict = [request("/v1/models/m/predict", {"x": x}) for x, _ in stream]
    many = [
        request("/v1/models/m/learn", {"examples": [{"x": x, "y": y} for x, y in stream[i : i + BATCH]]})
        for i in range(0, len(stream), BATCH)
    ]
    with server("-m", "benchmarks.service") as port:
        peer_learn, peer_wait = loaded(port, learn)
        peer_predict, _ = loaded(port, predict)
    with tempfile.TemporaryDirectory(dir=".") as data:
        with server("-m", "rosenblatt", "serve", "--data", data, "--port", "0") as port:
            create_model(port)
            loaded(port, learn, 1.0)
            learned, wait = loaded(port, learn)
            predicted, _ = loaded(port, predict)
            batches, _ = loaded(port, many)
        remark = f"p99 {1000 * wait:.0f} ms (at most 80), bare server {1000 * peer_wait:.0f} ms"
        row = beside("learn, one example a request, durable", learned, peer_learn, 2_000, remark)
        row.met &= wait <= 0.08
        yield row
        yield beside("predict, one example a request", predicted, peer_predict, 2_500, "")
        yield beside(f"learn, {BATCH} examples a request, durable", BATCH * batches, None, 5_000, "")
    yield durability(stream)
    yield replay(stream)


def create_model(port: int) -> None:
    from rosenblatt import Client

    with Client(f"http://127.0.0.1:{port}", "m") as client:
        client.create("Perceptron")


def durability(stream: list[tuple[dict[str, float], str]]) -> Row:
    """The CPU time of the journal alone, for groups of requests as the load above makes them."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        journal = Journal(Path(folder) / JOURNAL)
        bodies = [packed([(x, y, 1.0)]) for x, y in stream]
        began = time.process_time()
        for start in range(0, len(bodies), GROUP):
            journal.begin()
            for body in bodies[start : start + GROUP]:
                journal.append(LEARN, body)
            journal.commit()
        took = (time.process_time() - began) / len(bodies)
        journal.close()
    return Row("durability, CPU an example", f"{1e6 * took:.1f} µs", "", "", "40 µs", took <= 40e-6, "")


def replay(stream: list[tuple[dict[str, float], str]]) -> Row:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = create(Path(folder), "m", Spec("Perceptron"))
        journal = Journal(path / JOURNAL)
        journal.begin()
        for _ in range(10):
            for x, y in stream:
                journal.append(LEARN, packed([(x, y, 1.0)]))
        journal.commit()
        state_at(path, journal, 100)  # compiled before the clock starts
        began = time.process_time()
        found = state_at(path, journal, journal.last)
        speed = found.examples / (time.process_time() - began)
        plain = Perceptron(hash_features=2**18)
        for _ in range(10):
            for x, y in stream:
                plain.learn_one(x, y)
        same = found.learner.decision_function_one(stream[0][0]) == plain.decision_function_one(stream[0][0])
        journal.close()
    return beside("replay, examples a CPU second", speed, None, 30_000, "the same bits" if same else "OTHER BITS")


if __name__ == "__main__":
    bare_river()
