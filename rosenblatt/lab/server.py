"""The server of the lab: on this machine alone unless told otherwise, until Ctrl-C."""

from __future__ import annotations

import logging
import socket
import threading
import warnings
from typing import Any

from rosenblatt.arguments import shortened
from rosenblatt.lab.page import Workers, fill
from rosenblatt.lab.reading import documentation, lecture


class Lab:
    """A running lab; `url` opens it, `stop` ends it."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        from bokeh.application import Application
        from bokeh.application.handlers import FunctionHandler
        from bokeh.server.server import Server

        port = check_address(host, port)  # known before the server starts, since an origin is a name with a port
        logging.getLogger("bokeh").setLevel(logging.ERROR)
        logging.getLogger("tornado.access").setLevel(logging.ERROR)
        self.workers = Workers()
        application = Application(FunctionHandler(lambda document: fill(document, self.workers)))
        self.server: Any = Server(
            {"/": application},
            address=host,
            port=port,
            allow_websocket_origin=origins(host, port),
            extra_patterns=[(r"/(lecture|docs)/(\w+)", _reading())],
            unused_session_lifetime_milliseconds=60_000,
            check_unused_sessions_milliseconds=10_000,
        )
        shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::1", "::", "localhost") else host
        self.url = f"http://{shown}:{self.server.port}/"
        self.server.start()
        begin()
        self.workers.proving.submit(warm_up)

    def run(self) -> None:
        """Serve until Ctrl-C."""
        try:
            self.server.io_loop.start()
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        self.server.stop(wait=False)
        self.workers.stop()
        self.server.unlisten()


def origins(host: str, port: int) -> list[str] | None:
    """From where a page may talk to the server: bokeh knows of this machine's own names only.

    >>> origins("127.0.0.1", 8000), origins("0.0.0.0", 8000), origins("192.0.2.7", 8000)
    (None, ['*'], ['192.0.2.7:8000'])
    """
    if host in ("127.0.0.1", "localhost", "::1"):
        return None
    return ["*"] if host == "0.0.0.0" or ":" in host else [f"{host}:{port}"]


def _reading() -> Any:
    from tornado.web import RequestHandler

    class Reading(RequestHandler):
        """A row of the lectures, or a page of the documentation."""

        def get(self, kind: str, name: str) -> None:
            text = lecture(name) if kind == "lecture" else documentation(name)
            if text is None:
                self.set_status(404)
                text = "There is no such page here."
            self.finish(text)

    return Reading


def check_address(host: str, port: int) -> int:
    """The port, a free one for 0; one sentence instead of a stack of calls when the address cannot be had."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise ValueError(f"port must be a whole number from 0 to 65535, but got {shortened(port)}; 0 takes a free one.")
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
            return int(trial.getsockname()[1])
    except (OSError, OverflowError) as error:
        raise ValueError(
            f"The lab must listen at a free address of this machine, but {host} port {port} cannot be had ({error}); "
            f"choose another host or port, or port 0 for a free one."
        ) from None


def begin() -> None:
    """Learn and prove what the first screen shows, so that nobody waits for libraries to load."""
    from rosenblatt.lab.session import Session

    Session().proofs()


def warm_up() -> None:
    """Load the compiled loops of every learner, so that the first click on one does not wait for them."""
    from rosenblatt.lab.history import train
    from rosenblatt.lab.learners import LEARNERS, Choice
    from rosenblatt.lab.proof import prove
    from rosenblatt.lab.sets import ready

    data = ready("blobs", {"n": 8})
    for name in LEARNERS:
        prove(train(Choice.of(name), data, 0), data)


def serve(host: str = "127.0.0.1", port: int = 0, open_browser: bool = True) -> None:
    """Open the lab: a page where the theorem can be watched. Ends with Ctrl-C.

    Parameters
    ----------
    host : the address to listen at; "0.0.0.0" lets other machines in
    port : 0 takes a free one
    open_browser : whether to open the page
    """
    import asyncio

    from sklearn.exceptions import ConvergenceWarning

    check_address(host, port)
    asyncio.set_event_loop(asyncio.new_event_loop())
    warnings.simplefilter("ignore", ConvergenceWarning)  # the page says how a run ended
    lab = Lab(host, port)
    print(f"The lab is at {lab.url}   (Ctrl-C ends it)", flush=True)
    if open_browser:
        import webbrowser

        lab.server.io_loop.add_callback(webbrowser.open, lab.url)
    lab.run()


def in_background(host: str = "127.0.0.1", port: int = 0) -> Lab:
    """A lab on a thread of its own, for a notebook or a test."""
    import asyncio

    ready = threading.Event()
    found: list[Any] = []

    def work() -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        try:
            found.append(Lab(host, port))
        except Exception as error:
            found.append(error)
            ready.set()
            return
        ready.set()
        found[0].server.io_loop.start()

    threading.Thread(target=work, daemon=True, name="rosenblatt-lab-server").start()
    ready.wait()
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
