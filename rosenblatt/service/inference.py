"""The Open Inference Protocol, version 2, as KServe and MLServer clients speak it.

A model of rows takes one tensor of shape [n, features]. A model of names, or of columns, takes one tensor of shape [n]
or [n, 1] for every name. The answer has the labels as "predict", and the scores of all classes as "scores".
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from rosenblatt.service.bodies import check_features
from rosenblatt.service.limits import Limits
from rosenblatt.service.problems import RequestError
from rosenblatt.service.writer import Writer

Datatype = Literal[
    "BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64", "FP16", "FP32", "FP64", "BYTES"
]
Cell = bool | float | str


class Tensor(Struct):
    """One input: its cells in the order of rows, flat or nested."""

    name: str
    shape: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(min_length=1, max_length=2)]
    datatype: Datatype
    data: list[Cell | list[Cell]]
    parameters: dict[str, Any] = {}


class InferenceRequest(Struct):
    """What /v2/models/{model}/infer takes."""

    inputs: Annotated[list[Tensor], Meta(min_length=1)]
    id: str | None = None
    parameters: dict[str, Any] = {}
    outputs: list[dict[str, Any]] = []


def metadata(model: Writer) -> dict[str, Any]:
    """What a model takes and gives."""
    served = model.served
    if served.takes == "columns":
        inputs = [{"name": name, "datatype": "BYTES", "shape": [-1]} for name in served.columns]
    else:
        width = served.width if served.takes == "rows" else -1
        inputs = [{"name": "x", "datatype": "FP64", "shape": [-1, width]}]
    classes = served.classes
    outputs = [{"name": "predict", "datatype": datatype_of(classes), "shape": [-1]}]
    if classes:
        outputs.append({"name": "scores", "datatype": "FP64", "shape": [-1, len(classes)]})
    versions = [str(seq) for seq in model.versions.all()]
    return {"name": model.name, "versions": versions, "platform": "rosenblatt", "inputs": inputs, "outputs": outputs}


def infer(model: Writer, body: InferenceRequest, limits: Limits) -> dict[str, Any]:
    examples = _examples(body.inputs, named=model.served.takes in ("names", "columns"))
    for place, x in enumerate(examples):
        check_features(x, limits.features, f"row {place}")
        model.contract.check(x)
    found = model.predict(examples)
    labels = [one["y"] for one in found]
    outputs: list[dict[str, Any]] = []
    if all(label is not None for label in labels):
        datatype = datatype_of(labels)
        outputs.append({"name": "predict", "datatype": datatype, "shape": [len(found)], "data": labels})
    if found and found[0].get("scores"):
        scores = [score for one in found for score in one["scores"].values()]
        outputs.append({
            "name": "scores", "datatype": "FP64", "shape": [len(found), len(found[0]["scores"])], "data": scores,
        })  # fmt: skip
    wanted = {output.get("name") for output in body.outputs}
    outputs = [output for output in outputs if not wanted or output["name"] in wanted]
    answer = {"model_name": model.name, "model_version": str(model.seq), "outputs": outputs}
    return answer if body.id is None else {**answer, "id": body.id}


def _examples(inputs: list[Tensor], named: bool) -> list[Any]:
    """The rows of one tensor, or the dicts of one tensor a name."""
    if not named:
        if len(inputs) != 1 or len(inputs[0].shape) != 2:
            raise RequestError(422, "This model takes one input of shape [rows, features].")
        cells, (n, width) = _cells(inputs[0]), inputs[0].shape
        if any(cell.__class__ is str for cell in cells):
            raise RequestError(422, "This model takes numbers, but the input holds text.")
        return [[float(cell) for cell in cells[i * width : (i + 1) * width]] for i in range(n)]
    heights = {tensor.shape[0] for tensor in inputs}
    if len(heights) != 1 or any(math.prod(tensor.shape) != tensor.shape[0] for tensor in inputs):
        raise RequestError(422, "This model takes named features: one input of shape [rows] for each, all as long.")
    columns = {tensor.name: _cells(tensor) for tensor in inputs}
    return [{name: cells[i] for name, cells in columns.items()} for i in range(heights.pop())]


def _cells(tensor: Tensor) -> list[Any]:
    cells: list[Any] = []
    for part in tensor.data:
        cells.extend(part) if isinstance(part, list) else cells.append(part)
    if len(cells) != math.prod(tensor.shape):
        raise RequestError(
            422, f"The input {tensor.name[:80]!r} has {len(cells)} cells, but its shape is {tensor.shape}."
        )
    return cells


def datatype_of(labels: list[Any]) -> str:
    """How the protocol names the type of labels.

    >>> datatype_of(["a"]), datatype_of([True]), datatype_of([1]), datatype_of([1.5])
    ('BYTES', 'BOOL', 'INT64', 'FP64')
    """
    kinds = {bool: "BOOL", int: "INT64", float: "FP64"}
    return kinds.get(type(labels[0]), "BYTES") if labels else "BYTES"
