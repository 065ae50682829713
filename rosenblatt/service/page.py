"""The two pages for people: the models at work, and the addresses with an example of each."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from rosenblatt.service import openapi

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
HEADERS = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
BODIES = {
    "predict": {"x": {"free": 1, "offer": 1}, "id": "mail-17"},
    "learn": {"x": {"free": 1, "offer": 1}, "y": "spam"},
    "labels/{id}": {"y": "spam"},
    ":rollback": {"to": 0},
    "versions": {},
    "{model}": {"learner": "Perceptron"},
    "infer": {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP64", "data": [0.5, 1.5]}]},
}


def _file(name: str) -> str:
    return files("rosenblatt.service").joinpath(name).read_text("utf-8")


async def models(request: Request) -> Response:
    """The models, their progressive error over time, examples a second."""
    return Response(_file("page.html"), media_type="text/html", headers=HEADERS)


async def docs(request: Request) -> Response:
    """Every operation of the OpenAPI document, with a curl line."""
    base = str(request.base_url).rstrip("/")
    parts = []
    for path, methods in openapi.document()["paths"].items():
        for method, operation in methods.items():
            example = html.escape(_curl(base, path, method))
            parts.append(
                f"<section><h2><b class='{method}'>{method.upper()}</b> <code>{html.escape(path)}</code></h2>"
                f"<p>{html.escape(operation['summary'])}.</p><pre>{example}</pre></section>"
            )
    return Response(_file("docs.html").replace("<!-- operations -->", "\n".join(parts)), media_type="text/html",
                    headers=HEADERS)  # fmt: skip


def _curl(base: str, path: str, method: str) -> str:
    body: Any = None
    if method in ("post", "put"):
        body = next(example for ending, example in BODIES.items() if path.endswith(ending))
    address = base + path.replace("{model}", "spam").replace("{id}", "mail-17")
    line = f"curl {address}" if method in ("get", "post") else f"curl -X {method.upper()} {address}"
    return line if body is None else f"{line} --json '{json.dumps(body)}'"
