"""What every request passes before it is looked at: host, origin, token, kind and size of its body.

A plain ASGI layer: Starlette's own way to write one costs more than the rest of a request.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from rosenblatt.service.limits import Limits
from rosenblatt.service.problems import RequestError

App = Callable[[Any, Any, Any], Awaitable[None]]
OPEN = ("/v2/health/live", "/v2/health/ready", "/", "/docs", "/openapi.json")  # without a token
DRAINED = 16  # a body that is this many times too large is still read to its end, so that its sender reads the answer
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Gate:
    """The application behind these checks; `hosts` are the names under which it may be asked for, "*" any."""

    def __init__(self, app: App, limits: Limits, hosts: Collection[str], token: str | None) -> None:
        self.app, self.limits = app, limits
        self.hosts, self.token = frozenset(hosts), token
        self.refused: dict[int, int] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            headers = dict(scope["headers"])
            self._check(scope, headers)
            if scope["method"] in ("POST", "PUT"):
                receive = _Body(await self._whole_body(scope, headers, receive), receive)
            await self.app(scope, receive, send)
        except RequestError as refused:
            self.count(refused)
            await respond(send, refused)

    def count(self, refused: RequestError) -> None:
        self.refused[refused.status] = self.refused.get(refused.status, 0) + 1

    def _check(self, scope: Any, headers: dict[bytes, bytes]) -> None:
        host = _without_port(headers.get(b"host", b"").decode("latin-1"))
        if "*" not in self.hosts and host not in self.hosts:
            raise RequestError(421, f"This server does not answer for the host {host[:80]!r}; see --allow-host.")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and _without_port(origin.partition("://")[2]) != host:
            raise RequestError(403, f"Requests from pages of {origin[:80]} are not answered.")
        if self.token is None or scope["path"] in OPEN:
            return
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self.token.encode()):
            sentence = "This server wants the header 'Authorization: Bearer TOKEN' with its token."
            raise RequestError(401, sentence, {"WWW-Authenticate": "Bearer"})

    async def _whole_body(self, scope: Any, headers: dict[bytes, bytes], receive: Any) -> bytes:
        kind = headers.get(b"content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
        file = scope["method"] == "PUT" and kind == "application/octet-stream"
        if kind != "application/json" and not file:
            raise RequestError(415, f"The body must have the Content-Type application/json, but has {kind[:80]!r}.")
        most = self.limits.model_file if file else self.limits.body
        parts, size, ended = [], 0, False
        while not ended and size <= DRAINED * most:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "The connection ended before the body did.")
            part = message.get("body", b"")
            size += len(part)
            if size <= most:
                parts.append(part)
            ended = not message.get("more_body")
        if size > most:
            close = {} if ended else {"Connection": "close"}
            raise RequestError(413, f"The body is larger than {most:,} bytes; send it in parts.", close)
        return b"".join(parts)


class _Body:
    """A body that has been received, for the application to receive again."""

    def __init__(self, body: bytes, receive: Any) -> None:
        self.message: Any = {"type": "http.request", "body": body, "more_body": False}
        self.receive = receive

    async def __call__(self) -> Any:
        message, self.message = self.message, None
        return message if message is not None else await self.receive()


async def respond(send: Any, refused: RequestError) -> None:
    body = json.dumps(refused.body()).encode()
    headers = {"Content-Type": "application/problem+json", "Content-Length": str(len(body)), **refused.headers}
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def _without_port(host: str) -> str:
    """The name in a host, without the brackets of an address.

    >>> _without_port("localhost:8080"), _without_port("[::1]:8080"), _without_port("example.org")
    ('localhost', '::1', 'example.org')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
