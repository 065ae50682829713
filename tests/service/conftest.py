"""A real server in a process of its own, on a free port."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt import Client


class Server:
    def __init__(self, data: Path, *options: str) -> None:
        self.data, self.options, self.url, self.clients = data, options, "", []

    def start(self) -> "Server":
        command = [sys.executable, "-m", "rosenblatt", "serve", "--data", str(self.data), "--port", "0", *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(r"at (http://\S+)", line)
            if found:
                self.url = found[1]
                break
        else:
            raise RuntimeError("".join(self.said))
        return self

    def client(self, model: str | None = "m", **options) -> Client:
        self.clients.append(Client(self.url, model, **options))
        return self.clients[-1]

    def stop(self, number: int = signal.SIGTERM) -> str:
        """All that it printed."""
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        rest = self.process.communicate(timeout=60)[0]
        return "".join(self.said) + rest

    def restart(self, number: int = signal.SIGTERM) -> "Server":
        self.stop(number)
        return self.start()


@pytest.fixture
def serve(tmp_path):
    """serve(*options) starts a server on a folder of this test."""
    with contextlib.ExitStack() as stack:

        def start(*options: str, data: Path = tmp_path / "data") -> Server:
            server = Server(data, *options).start()
            stack.callback(server.stop, signal.SIGKILL)
            return server

        yield start
