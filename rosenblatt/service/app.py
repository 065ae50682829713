"""The HTTP interface: addresses, and what stands behind each.

The two that are asked most, learn and predict, read their bodies with msgspec into the types of `bodies.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Collection
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import rosenblatt
from rosenblatt.service import inference, metrics, openapi, page
from rosenblatt.service.bodies import (
    MOST_LETTERS,
    Example,
    Examples,
    LabelOnly,
    NewModel,
    Question,
    Questions,
    Rollback,
    check_features,
    read,
    read_one_or_many,
)
from rosenblatt.service.gate import Gate
from rosenblatt.service.limits import Limits
from rosenblatt.service.models import Models
from rosenblatt.service.problems import RequestError
from rosenblatt.service.writer import Writer

_encoded = msgspec.json.Encoder().encode


def answer(content: Any, status: int = 200) -> Response:
    return Response(_encoded(content), status, media_type="application/json")


class Service:
    """The endpoints, over the models of one folder."""

    def __init__(self, models: Models) -> None:
        self.models, self.limits = models, models.limits

    def model(self, request: Request) -> Writer:
        return self.models[request.path_params["model"]]

    # ------------------------------------------------------------------------------------------ learn and predict

    async def predict(self, request: Request) -> Response:
        model = self.model(request)
        questions, several = read_one_or_many(await request.body(), Question, Questions)
        for place, question in enumerate(questions):
            check_features(question.x, self.limits.features, f"examples[{place}].x" if several else "x")
            model.contract.check(question.x)
        waiting = [(question.id, question.x) for question in questions if question.id is not None]
        if waiting:
            await model.keep(waiting)
        found = model.predict([question.x for question in questions])
        return answer({"predictions": found, "seq": model.seq} if several else {**found[0], "seq": model.seq})

    async def learn(self, request: Request) -> Response:
        model = self.model(request)
        examples, several = read_one_or_many(await request.body(), Example, Examples)
        for place, example in enumerate(examples):
            check_features(example.x, self.limits.features, f"examples[{place}].x" if several else "x")
        return answer(await model.learn([(e.x, e.y, e.w) for e in examples], key_of(request)))

    async def label(self, request: Request) -> Response:
        body = read(await request.body(), LabelOnly)
        return answer(await self.model(request).label(request.path_params["id"], body.y, body.w, key_of(request)))

    # ------------------------------------------------------------------------------------------ models

    async def list(self, request: Request) -> Response:
        return answer({"models": [writer.describe() for writer in self.models.writers.values()]})

    async def describe(self, request: Request) -> Response:
        return answer(self.model(request).describe())

    async def create(self, request: Request) -> Response:
        name, body = request.path_params["model"], await request.body()
        if request.headers["content-type"].lower().startswith("application/octet-stream"):
            return answer((await self.models.upload(name, body)).describe(), 201)
        return answer((await self.models.create(name, read(body, NewModel))).describe(), 201)

    async def delete(self, request: Request) -> Response:
        await self.models.delete(request.path_params["model"])
        return Response(status_code=204)

    async def versions(self, request: Request) -> Response:
        model = self.model(request)
        return answer({"versions": model.versions.all(), "seq": model.seq})

    async def snapshot(self, request: Request) -> Response:
        return answer({"version": await self.model(request).snapshot()}, 201)

    async def rollback(self, request: Request) -> Response:
        to = read(await request.body(), Rollback).to
        return answer(await self.model(request).rollback(to, key_of(request)))

    async def history(self, request: Request) -> Response:
        """How many mistakes were made on the first n examples, for some n."""
        return answer({"history": self.model(request).served.curve})

    # ------------------------------------------------------------------------------------------ the server

    async def live(self, request: Request) -> Response:
        return answer({"live": True})

    async def health(self, request: Request) -> Response:
        return answer({"ready": self.models.ready}, 200 if self.models.ready else 503)

    async def server(self, request: Request) -> Response:
        return answer({"name": "rosenblatt", "version": rosenblatt.__version__, "extensions": []})

    async def metadata(self, request: Request) -> Response:
        return answer(inference.metadata(self.model(request)))

    async def model_ready(self, request: Request) -> Response:
        self.model(request)
        return answer({"ready": True})

    async def infer(self, request: Request) -> Response:
        body = read(await request.body(), inference.InferenceRequest)
        return answer(inference.infer(self.model(request), body, self.limits))

    async def document(self, request: Request) -> Response:
        return answer(openapi.document())


def key_of(request: Request) -> str | None:
    """The idempotency key of a request, if it has one."""
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= MOST_LETTERS:
        raise RequestError(400, f"An Idempotency-Key has 1 to {MOST_LETTERS} letters.")
    return key


def application(
    models: Models, limits: Limits, hosts: Collection[str], token: str | None
) -> Callable[[Any, Any, Any], Any]:  # fmt: skip
    """The whole service as an ASGI application."""
    service = Service(models)
    gate: Gate

    async def figures(request: Request) -> Response:
        return Response(metrics.text(models, gate.refused), media_type="text/plain; version=0.0.4")

    def route(path: str, method: str, endpoint: Any) -> Route:
        return Route(path, endpoint, methods=[method])

    routes = [
        route("/v1/models/{model}/predict", "POST", service.predict),
        route("/v1/models/{model}/learn", "POST", service.learn),
        route("/v1/models/{model}/labels/{id:path}", "POST", service.label),
        route("/v1/models/{model}/versions", "GET", service.versions),
        route("/v1/models/{model}/versions", "POST", service.snapshot),
        route("/v1/models/{model}/history", "GET", service.history),
        route("/v1/models/{model}:rollback", "POST", service.rollback),
        route("/v1/models/{model}", "GET", service.describe),
        route("/v1/models/{model}", "PUT", service.create),
        route("/v1/models/{model}", "DELETE", service.delete),
        route("/v1/models", "GET", service.list),
        route("/v2", "GET", service.server),
        route("/v2/health/live", "GET", service.live),
        route("/v2/health/ready", "GET", service.health),
        route("/v2/models/{model}", "GET", service.metadata),
        route("/v2/models/{model}/ready", "GET", service.model_ready),
        route("/v2/models/{model}/infer", "POST", service.infer),
        route("/openapi.json", "GET", service.document),
        route("/metrics", "GET", figures),
        route("/docs", "GET", page.docs),
        route("/", "GET", page.models),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        await models.open()
        try:
            yield
        finally:
            await models.close()

    async def refuse(request: Request, error: Exception) -> Response:
        refused = error if isinstance(error, RequestError) else _of_starlette(request, error)
        gate.count(refused)
        body = _encoded(refused.body())
        return Response(body, refused.status, refused.headers, media_type="application/problem+json")

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: refuse, RequestError: refuse})
    gate = Gate(app, limits, hosts, token)
    return gate


def _of_starlette(request: Request, error: Any) -> RequestError:
    if error.status_code == 404:
        return RequestError(404, f"There is nothing at {request.url.path[:200]}; see /docs.")
    if error.status_code == 405:
        routes = [one for one in request.app.routes if one.path_regex.match(request.url.path)]
        allowed = ", ".join(sorted({method for one in routes for method in one.methods} - {"HEAD"}))
        return RequestError(405, f"{request.url.path[:200]} takes {allowed}, not {request.method}.", {"Allow": allowed})
    return RequestError(error.status_code, str(error.detail))
