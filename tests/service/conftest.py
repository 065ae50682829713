"""Real servers, each a process of its own on a free port."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rosenblatt import Client

# A process that has imported everything and forks a server for every line that it reads, so that a test that kills a
# server many times does not import everything as often. The server itself is the command line's.
FORKS = """
import os, signal, sys
from rosenblatt.cli.main import main
import rosenblatt.service.server, rosenblatt.engine.online.single, uvicorn, uvloop, httptools
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    log, *arguments = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        number = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(number, 1), os.dup2(number, 2)
        os._exit(main(arguments))
    print(child, flush=True)
"""


@pytest.fixture(scope="session")
def forks():
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as it:
        yield it
        it.stdin.close()


class Server:
    def __init__(self, forks, data: Path, log: Path, *options: str) -> None:
        self.forks, self.data, self.log, self.options, self.clients = forks, data, log, options, []

    def start(self) -> "Server":
        self.log.write_text("")
        command = ["serve", "--data", str(self.data), "--port", "0", *self.options]
        self.forks.stdin.write("\t".join([str(self.log), *command]) + "\n")
        self.forks.stdin.flush()
        self.process = int(self.forks.stdout.readline())
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = re.search(r"at (http://\S+)", self.log.read_text())
            if found:
                self.url = found[1]
                return self
            if not self.alive():
                break
            time.sleep(0.01)
        raise RuntimeError(f"the server did not start: {self.log.read_text()}")

    def alive(self) -> bool:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, 0)
            return True
        return False

    def client(self, model: str | None = "m", **options) -> Client:
        self.clients.append(Client(self.url, model, **options))
        return self.clients[-1]

    def stop(self, number: int = signal.SIGTERM) -> str:
        """All that it printed."""
        for client in self.clients:
            client.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, number)
        until = time.monotonic() + 60
        while self.alive() and time.monotonic() < until:
            time.sleep(0.01)
        return self.log.read_text()

    def restart(self, number: int = signal.SIGTERM) -> "Server":
        self.stop(number)
        return self.start()


@pytest.fixture
def serve(forks, tmp_path):
    """serve(*options) starts a server on a folder of this test."""
    logs = []
    with contextlib.ExitStack() as stack:

        def start(*options: str, data: Path = tmp_path / "data") -> Server:
            logs.append(tmp_path / f"log{len(logs)}.txt")
            server = Server(forks, data, logs[-1], *options).start()
            stack.callback(server.stop, signal.SIGKILL)
            return server

        yield start
