"""The OpenAPI document: every address, what it takes and what it answers, from the types that read the bodies."""

from __future__ import annotations

import functools
from typing import Any

import msgspec

import rosenblatt
from rosenblatt.service import inference
from rosenblatt.service.bodies import (
    MOST_LETTERS,
    Example,
    Examples,
    LabelOnly,
    NewModel,
    Question,
    Questions,
    Rollback,
)

BODIES = (Example, Examples, Question, Questions, LabelOnly, NewModel, Rollback, inference.InferenceRequest)
PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
        "detail": {"type": "string", "description": "One sentence: what is wrong, and what to do."},
    },
}  # fmt: skip
MODEL = {"name": "model", "in": "path", "required": True,
         "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}}  # fmt: skip
ID = {"name": "id", "in": "path", "required": True,
      "schema": {"type": "string", "minLength": 1, "maxLength": MOST_LETTERS, "pattern": "^[^/]+$"}}  # fmt: skip
KEY = {"name": "Idempotency-Key", "in": "header", "required": False,
       "description": "A request that comes again with the same key is carried out once.",
       "schema": {"type": "string", "minLength": 1, "maxLength": MOST_LETTERS, "pattern": "^[!-~]+$"}}  # fmt: skip
JSON = {"application/json": {"schema": {"type": "object"}}}


def document() -> dict[str, Any]:
    return _document()


@functools.cache
def _document() -> dict[str, Any]:
    _, schemas = msgspec.json.schema_components(BODIES, ref_template="#/components/schemas/{name}")
    one_or_many = {"learn": ("Example", "Examples"), "predict": ("Question", "Questions")}
    learn, predict = ({"oneOf": [_ref(name) for name in names]} for names in one_or_many.values())
    m, v2 = "/v1/models/{model}", "/v2/models/{model}"
    paths = {
        f"{m}/predict": {"post": _does("Predict one example or several", predict, MODEL)},
        f"{m}/learn": {"post": _does("Learn from one example or several; answered when durable", learn, MODEL, KEY)},
        f"{m}/labels/{{id}}": {
            "post": _does("Tell the label of what was predicted with an id", _ref("LabelOnly"), MODEL, ID, KEY)
        },
        f"{m}/versions": {
            "get": _does("The versions that are kept", None, MODEL),
            "post": _does("Write a version now", {"type": "object"}, MODEL, status=201),
        },
        f"{m}/history": {"get": _does("The mistakes made on the first n examples, for up to 256 n", None, MODEL)},
        f"{m}:rollback": {"post": _does("Go back to the state after an entry", _ref("Rollback"), MODEL, KEY)},
        m: {
            "get": _does("Describe a model", None, MODEL),
            "put": _does("Create a model from a learner's name, or from a model file", _ref("NewModel"), MODEL,
                         file=True, status=201),
            "delete": _does("Remove a model and everything that it was told", None, MODEL, status=204),
        },
        "/v1/models": {"get": _does("All models", None)},
        "/v2": {"get": _does("This server, by the Open Inference Protocol", None)},
        "/v2/health/live": {"get": _does("Whether the server runs", None)},
        "/v2/health/ready": {"get": _does("Whether every model is recovered", None)},
        v2: {"get": _does("What a model takes and gives, by the Open Inference Protocol", None, MODEL)},
        f"{v2}/ready": {"get": _does("Whether a model answers", None, MODEL)},
        f"{v2}/infer": {"post": _does("Predict, by the Open Inference Protocol", _ref("InferenceRequest"), MODEL)},
        "/metrics": {"get": _does("Figures for Prometheus", None, kind="text/plain")},
    }  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "rosenblatt", "version": rosenblatt.__version__,
                 "description": "Learns while it answers, and loses nothing that it acknowledged."},
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Problem": PROBLEM},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }  # fmt: skip


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _does(
    summary: str, body: dict[str, Any] | None, *parameters: Any, status: int = 200, file: bool = False,
    kind: str = "application/json",
) -> dict[str, Any]:  # fmt: skip
    """One operation; everything it refuses is a Problem."""
    done: dict[str, Any] = {"description": summary}
    if status != 204:
        done["content"] = JSON if kind == "application/json" else {kind: {"schema": {"type": "string"}}}
    refused = {
        "description": "Refused, in one sentence",
        "content": {"application/problem+json": {"schema": _ref("Problem")}},
    }
    operation: dict[str, Any] = {
        "summary": summary,
        "parameters": list(parameters),
        "responses": {str(status): done, "4XX": refused, "503": refused},
    }
    if body is not None:
        content: dict[str, Any] = {"application/json": {"schema": body}}
        if file:
            content["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation
