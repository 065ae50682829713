"""`rosenblatt serve`: a server on a folder, from its lock to its last version."""

from __future__ import annotations

import contextlib
import gc
import signal
import socket
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from rosenblatt.service.app import application
from rosenblatt.service.folder import check_name, locked
from rosenblatt.service.gate import LOOPBACK
from rosenblatt.service.limits import Limits
from rosenblatt.service.models import Models, classifier_of
from rosenblatt.service.problems import RequestError

BACKLOG = 2048  # connections that wait to be accepted
LONGEST_DRAIN = 30  # seconds for the requests that are under way when the server is asked to stop


class ServerError(Exception):
    """Why there is no server, in one sentence."""


def read_token(path: str | None, host: str) -> str | None:
    """The token of a file; it is required where other machines can reach the server."""
    if path is None:
        if host not in LOOPBACK:
            raise ServerError(f"Other machines can reach {host}: add --token-file FILE with a secret in it.")
        return None
    try:
        token = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ServerError(f"The token file {path} cannot be read: {getattr(error, 'strerror', error)}.") from None
    if len(token) < 16 or not token.isascii() or not token.isprintable() or " " in token:
        raise ServerError(f"The token in {path} must be one word of at least 16 letters and digits.")
    return token


def serve(
    data: Path, given: Mapping[str, Path], *, host: str, port: int, token: str | None, limits: Limits,
    allow_hosts: Collection[str] = (), read_only: bool = False, say: Callable[[str], None] = print,
) -> None:  # fmt: skip
    """Serve a folder until SIGTERM or Ctrl-C. `given` are model files that become models, unless they are there."""
    import uvicorn

    if data.exists() and not data.is_dir():
        raise ServerError(f"--data must be a folder, but {data} is a file; name the folder of the models.")
    if read_only and not data.is_dir():
        raise ServerError(f"There is no folder {data} to read models from; start the server that writes first.")
    if read_only and given:
        raise ServerError("A server that only reads takes no --model; give it to the one that writes.")
    learners = {name: _classifier(name, file) for name, file in given.items()}
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:  # without TCP named, asyncio delays
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise ServerError(f"The server cannot listen at {host} port {port} ({error.strerror}).") from None
        with contextlib.nullcontext() if read_only else locked(data):
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{listener.getsockname()[1]}"

            def ready() -> None:
                gc.collect()
                gc.freeze()  # what is loaded by now stays: looking through it again and again stops requests for 70 ms
                listener.listen(BACKLOG)
                names = ", ".join(models.writers) or "none yet"
                say(f"Serving {data} at {address}   (models: {names}; addresses at /docs; Ctrl-C ends it)")

            models = Models(data, limits, learners, say, ready, read_only)
            hosts = {*LOOPBACK, host, *allow_hosts} - {"0.0.0.0", "::"}
            app = application(models, limits, hosts, token)
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, server_header=False, lifespan="on",
                timeout_graceful_shutdown=LONGEST_DRAIN,
            )  # fmt: skip
            with _signals_left_to_the_server():
                uvicorn.Server(config).run([listener])


def _classifier(name: str, file: Path) -> Any:
    try:
        check_name(name)
        return classifier_of(file)
    except (OSError, ValueError, RequestError) as error:
        raise ServerError(f"--model {name}={file} cannot be served: {error}") from None


@contextlib.contextmanager
def _signals_left_to_the_server() -> Iterator[None]:
    """uvicorn ends at SIGINT and SIGTERM, and then sends them again to the handlers before its own: none here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
