"""The lab from a small web server: the exported site, from memory, to this machine unless told otherwise."""

from __future__ import annotations

import os
import socket
import threading
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rosenblatt.arguments import shortened
from rosenblatt.lab.build import files
from rosenblatt.lab.digits import digits_script, has_digits
from rosenblatt.lab.writing import with_digits

DEFAULT_PORT = 8957
TRIES = 20  # ports after the default one
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
LOCAL = ("127.0.0.1", "0.0.0.0", "::1", "::", "localhost")


class Site(ThreadingHTTPServer):
    """The site; every request has a thread of its own, and none of them computes."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # Windows would let two servers share a port

    @cached_property
    def pages(self) -> dict[str, bytes]:
        made = files()
        if has_digits():
            made["index.html"] = with_digits(made["index.html"])
        return {name: text.encode() for name, text in made.items()}

    def page(self, name: str) -> bytes | None:
        if name == "mnist.js" and has_digits():
            return digits_script().encode()
        return self.pages.get(name or "index.html")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader who has gone is no failure of ours."""


class SiteV6(Site):
    address_family = socket.AF_INET6


class Answer(BaseHTTPRequestHandler):
    """GET and HEAD of the site's files."""

    server: Site
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        name = self.path.split("?")[0].split("#")[0].lstrip("/")
        body = self.server.page(name)
        self.send_response(404 if body is None else 200)
        kind = KINDS.get((name or "index.html").rsplit(".", 1)[-1], "text/plain") if body is not None else "text/plain"
        body = b"There is no such page here." if body is None else body
        for key, value in (
            ("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(body))),
            ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
        ):  # fmt: skip
            self.send_header(key, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *arguments: Any) -> None:
        """The terminal is for the address."""


def listen(host: str = "127.0.0.1", port: int | None = None) -> Site:
    """A server at this port; without one at the default port or the next free one, with 0 at any free one."""
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536):
        raise ValueError(f"port must be a whole number from 0 to 65535, but got {shortened(port)}; 0 takes a free one.")
    tries = range(DEFAULT_PORT, DEFAULT_PORT + TRIES) if port is None else (port,)
    for number in tries:
        try:
            return (SiteV6 if ":" in host else Site)((host, number), Answer)
        except socket.gaierror as error:
            sentence = f"There is no host {shortened(host)} ({error.strerror}); this machine is 127.0.0.1."
            raise ValueError(sentence) from None
        except OSError as error:
            last = error
    span = f"port {tries[0]}" if port is not None else f"any port from {tries[0]} to {tries[-1]}"
    why = f"{host} {span} ({last.strerror})"
    raise ValueError(f"The lab cannot listen at {why}; choose another --port, or 0 for a free one.")


def address(site: Site, host: str, link: str = "") -> str:
    """What to open: the page, with the state of a link, and in projector mode where the link is."""
    shown = "localhost" if host in LOCAL else f"[{host}]" if ":" in host else host
    state, projector = state_of(link), "?projector" in link.partition("#")[0]
    return f"http://{shown}:{site.server_address[1]}/" + "?projector" * projector + (f"#{state}" if state else "")


def state_of(link: str) -> str:
    """The part after ``#`` of a link from the lab, which may come alone; "" where it shows the lab as it opens.

    >>> state_of("https://example.org/lab/#s=eyJ2Ijo"), state_of("s=eyJ2Ijo"), state_of("http://localhost:8957/")
    ('s=eyJ2Ijo', 's=eyJ2Ijo', '')
    """
    address, hash_sign, state = link.partition("#")
    if not hash_sign and address.startswith(("s=", "local=")):
        state = address
    elif not hash_sign and address and "://" not in address:
        raise ValueError(f"A link from the lab has #s=... at its end, but got {shortened(link)}; copy it with Share.")
    return state


def serve(
    host: str = "127.0.0.1", port: int | None = None, open_browser: bool = True, link: str = ""
) -> None:  # fmt: skip
    """Open the lab and serve it until Ctrl-C.

    Parameters
    ----------
    host : the address to listen at; "0.0.0.0" lets other machines in
    port : by default 8957, or the next free one; 0 takes any free one
    open_browser : whether to open the page
    link : a link from the lab, to open what it shows
    """
    state_of(link)
    with listen(host, port) as site:
        url = address(site, host, link)
        print(f"The lab is at {url}   (Ctrl-C ends it)", flush=True)
        if open_browser:
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        try:
            site.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            pass
