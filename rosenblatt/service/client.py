"""A client of the service: `rosenblatt.Client`. It needs nothing but the standard library."""

from __future__ import annotations

import http.client
import json
import selectors
import time
import uuid
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, Self
from urllib.parse import quote, urlsplit

AGAIN = (429, 503)  # answers after which a request may be sent again


class ServiceError(Exception):
    """What the service refused; `status` is the HTTP status, the text is its sentence."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Client:
    """A model of a server that was started with `rosenblatt serve`.

    A request that failed on the way is sent again with the same idempotency key, so that nothing is learned twice. One
    client may be used by several threads.

    Parameters
    ----------
    url : str
        Of the server, such as ``"http://127.0.0.1:8080"``.
    model : str, optional
        The name of the model; not needed where the server has one.
    token : str, optional
        The server's token.
    timeout : float
        Seconds to wait for an answer.
    tries : int
        How often a request is sent at most, with longer and longer pauses.

    Examples
    --------
    >>> from rosenblatt import Client
    >>> mail = Client("http://127.0.0.1:8080", "mail")
    >>> mail.create("Perceptron")                                                           # doctest: +SKIP
    >>> mail.learn({"offer": 1, "free": 1}, "spam")                                         # doctest: +SKIP
    {'seq': 1, 'examples': 1}
    >>> mail.predict({"offer": 1})                                                          # doctest: +SKIP
    'spam'
    """

    def __init__(
        self, url: str, model: str | None = None, *, token: str | None = None, timeout: float = 30.0, tries: int = 6
    ) -> None:  # fmt: skip
        self._idle: list[http.client.HTTPConnection] = []  # that no request uses; append and pop are atomic
        weakref.finalize(self, _close, self._idle)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be the address of a server, such as http://127.0.0.1:8080, but got {url!r}.")
        self._https, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._base, self._model, self._timeout, self._tries = parts.path.rstrip("/"), model, timeout, tries
        self._headers = {"Content-Type": "application/json"}
        if token is not None:
            _check_header("token", token)
            self._headers["Authorization"] = f"Bearer {token}"

    # ------------------------------------------------------------------------------------------ one model

    @property
    def model(self) -> str:
        """The name of the model."""
        if self._model is None:
            names = [one["model"] for one in self.request("GET", "/v1/models")["models"]]
            if len(names) != 1:
                raise ValueError(
                    f"The server has {len(names)} models ({', '.join(names)}); choose one: Client(url, model)."
                )
            self._model = names[0]
        return self._model

    def create(self, learner: str = "Perceptron", **params: Any) -> dict[str, Any]:
        """Create the model with a learner of this name."""
        return self._ask("PUT", "", {"learner": learner, "params": params})

    def describe(self) -> dict[str, Any]:
        """What the model is and how it has gone."""
        return self._ask("GET", "")

    def predict(self, x: Any, *, id: str | None = None) -> Any:
        """The label of one example; with an id, its features are kept for `label`."""
        return self._answer(x, id)["y"]

    def scores(self, x: Any) -> dict[str, float]:
        """The score of every class for one example, by the text of the class."""
        return dict(self._answer(x, None)["scores"])

    def predict_many(self, xs: Iterable[Any]) -> list[Any]:
        """The labels of several examples."""
        found = self._ask("POST", "/predict", {"examples": [{"x": _plain(x)} for x in xs]})
        return [one["y"] for one in found["predictions"]]

    def learn(self, x: Any, y: Any, w: float = 1.0, *, key: str | None = None) -> dict[str, Any]:
        """Learn from one example; returns when it is durable."""
        return self._ask("POST", "/learn", {"x": _plain(x), "y": _label(y), "w": w}, key or uuid.uuid4().hex)

    def learn_many(self, X: Iterable[Any], y: Iterable[Any], *, key: str | None = None) -> dict[str, Any]:
        """Learn from several examples in their order, all or none."""
        examples = [{"x": _plain(x), "y": _label(label)} for x, label in zip(X, y, strict=True)]
        return self._ask("POST", "/learn", {"examples": examples}, key or uuid.uuid4().hex)

    def label(self, id: str, y: Any, w: float = 1.0, *, key: str | None = None) -> dict[str, Any]:
        """Tell the label of what was predicted with an id."""
        return self._ask("POST", f"/labels/{quote(id, safe='')}", {"y": _label(y), "w": w}, key or uuid.uuid4().hex)

    def versions(self) -> list[int]:
        """The sequence numbers of the versions that are kept."""
        return list(self._ask("GET", "/versions")["versions"])

    def rollback(self, to: int) -> dict[str, Any]:
        """Go back to the state after an entry."""
        return self._ask("POST", ":rollback", {"to": to}, uuid.uuid4().hex)

    # river's protocol

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example."""
        self.learn(x, y, w)

    def predict_one(self, x: Any) -> Any:
        """The label of one example, or None before anything was learned."""
        return self.predict(x)

    # ------------------------------------------------------------------------------------------ requests

    def _answer(self, x: Any, id: str | None) -> dict[str, Any]:
        return self._ask("POST", "/predict", {"x": _plain(x)} | ({} if id is None else {"id": id}))

    def _ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> dict[str, Any]:
        return self.request(method, f"/v1/models/{quote(self.model, safe='')}{path}", body, key)

    def request(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        """The answer of one request, sent again with the same key while the server cannot answer."""
        if key is not None:
            _check_header("key", key)
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = self._headers if key is None else {**self._headers, "Idempotency-Key": key}
        again = method == "GET" or key is not None or path.endswith("/predict")
        for attempt in range(self._tries):
            last = attempt == self._tries - 1 or not again
            try:
                status, answer, wait = self._send(method, path, data, headers)
            except (OSError, http.client.HTTPException) as error:
                if last:
                    raise ConnectionError(f"The server at {self._host} does not answer: {error}.") from error
                wait = 0.1 * 2**attempt
            else:
                if status < 400:
                    return answer
                if status not in AGAIN or last:
                    raise ServiceError(status, answer.get("detail", f"status {status}"))
            time.sleep(wait)
        raise ValueError(f"tries must be at least 1, but got {self._tries}.")

    def _send(self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[int, Any, float]:
        """(status, answer, seconds to wait before the same is sent again)."""
        kind = http.client.HTTPSConnection if self._https else http.client.HTTPConnection
        connection = self._open_connection() or kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(method, self._base + path, data, dict(headers))
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:  # the server keeps it open
            self._idle.append(connection)
        wait = response.headers.get("Retry-After", "0")
        return response.status, _answer_of(response, content), float(wait) if wait.isdigit() else 1.0

    def _open_connection(self) -> http.client.HTTPConnection | None:
        """One that is still open: a server closes those that were not used for some seconds."""
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # another thread took it
                return None
            with selectors.DefaultSelector() as selector:
                selector.register(connection.sock, selectors.EVENT_READ)
                if not selector.select(timeout=0):  # nothing to read, neither bytes nor the end
                    return connection
            connection.close()
        return None

    def close(self) -> None:
        """Close the connections; the next request opens a new one."""
        _close(self._idle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _close(connections: list[http.client.HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


def _answer_of(response: http.client.HTTPResponse, content: bytes) -> Any:
    """The JSON of an answer; a proxy may answer something else, which is shown in its place."""
    try:
        return json.loads(content or b"{}")
    except ValueError:
        shown = " ".join(content.decode("utf-8", "replace").split())[:200]
        sentence = f"status {response.status}, and not in JSON: {shown}"
        if response.status < 400:
            raise ServiceError(response.status, f"This is no server of rosenblatt: {sentence}") from None
        return {"detail": sentence}


def _check_header(name: str, value: str) -> None:
    if not (value and value.isascii() and value.isprintable()):
        raise ValueError(f"{name} must be ASCII text without line breaks, but got {value[:60]!r}.")


def _plain(x: Any) -> Any:
    """An example as JSON has it: a dict, or a list of numbers."""
    if isinstance(x, Mapping):
        return {str(name): _label(value) for name, value in x.items()}
    return [float(value) for value in x]


def _label(value: Any) -> Any:
    """A Python value of a NumPy one."""
    return value.item() if hasattr(value, "item") else value
