"""What the service refuses: an HTTP status and one sentence, as RFC 9457 has it in JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any


class RequestError(Exception):
    """A request that is not carried out. `more` are further members of the answer, `headers` of the response."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers or {}, more

    def body(self) -> dict[str, Any]:
        title = HTTPStatus(self.status).phrase
        return {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail, **self.more}


def disk_full(name: str, why: str) -> RequestError:
    """What is answered while nothing can be made durable."""
    sentence = f"The journal of model {name} cannot be written ({why}); nothing was learned. Make room and try again."
    return RequestError(503, sentence, {"Retry-After": "10"})
