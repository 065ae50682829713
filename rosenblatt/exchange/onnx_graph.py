"""A graph of ONNX operators that grows node by node. Numbers are float64 throughout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from rosenblatt.engine.online.state import Array

OPSET, ML_OPSET, IR = 19, 3, 9
RESERVED = ("label", "scores", "probabilities", "prediction")
CONTRIB, ML = "com.microsoft", "ai.onnx.ml"


@dataclass(frozen=True)
class Value:
    """What a node gives: numbers (rows, width), or text: (rows, width), or (rows,) where `width` is 0."""

    name: str
    width: int
    text: bool = False


def refuse(what: str, why: str, advice: str) -> NoReturn:
    raise TypeError(f"Cannot export to ONNX: {what} {why}; {advice}.")


class Graph:
    def __init__(self) -> None:
        try:
            import onnx
        except ImportError as error:
            raise ImportError('ONNX needs onnx, which is not installed; run: pip install "rosenblatt[onnx]"') from error
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self._names: set[str] = set()

    def _fresh(self, stem: str) -> str:
        """A name that no column has: two underscores, and a number."""
        return f"__{stem}_{len(self._nodes) + len(self._constants)}"

    def constant(self, value: Any) -> str:
        """A tensor of numbers, Booleans or text."""
        array = np.asarray(value)
        name = self._fresh("constant")
        if array.dtype.kind in "UO":
            items = [str(item).encode("utf-8") for item in array.ravel().tolist()]
            tensor = self._onnx.helper.make_tensor(name, self._onnx.TensorProto.STRING, array.shape, items)
        else:
            tensor = self._onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
        self._constants.append(tensor)
        return name

    def add(self, operator: str, *inputs: Any, domain: str = "", **attributes: Any) -> str:
        """A node; inputs are names, or numbers that become constants."""
        if operator in ("Mul", "Div") and not isinstance(inputs[1], str) and np.size(inputs[1]) == 1:
            inputs = (inputs[0], self._hidden(inputs[0], inputs[1]))
        names = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        output = self._fresh(operator.lower())
        self._nodes.append(self._onnx.helper.make_node(operator, names, [output], domain=domain, **attributes))
        return output

    def _hidden(self, beside: str, factor: Any) -> str:
        """A single factor that is no constant to onnxruntime.

        It would pull a constant into the matrix product beside it, and round it to float32 there.
        """
        return self.add("Where", self.add("IsNaN", beside), np.ones((1, 1)), np.full((1, 1), np.float64(factor)))

    # ------------------------------------------------------------------------------------- inputs and outputs

    def input(
        self, name: str, width: int, *, dtype: str = "float64", text: bool = False, description: str = ""
    ) -> Value:
        """A column of the outside world: (rows, width), or (rows,) where width is 0. Numbers become float64.

        The description goes with the input, and into the metadata of the model, where onnxruntime shows it.
        """
        if name in self._names or name.startswith("__") or name in RESERVED:
            raise ValueError(
                f"Cannot export to ONNX: the column name {name!r} occurs twice or is the name of an output; rename it."
            )
        self._names.add(name)
        kinds = self._onnx.TensorProto
        kind = kinds.STRING if text else {"float64": kinds.DOUBLE, "float32": kinds.FLOAT, "uint8": kinds.UINT8}[dtype]
        shape = ["rows"] if width == 0 else ["rows", width]
        self.inputs.append(self._onnx.helper.make_tensor_value_info(name, kind, shape, doc_string=description))
        if text or dtype == "float64":
            return Value(name, width, text)
        return Value(self.numbers(name), width)

    def output(self, name: str, node: str, dtype: str, shape: list[Any]) -> None:
        kinds = self._onnx.TensorProto
        known = {"float64": kinds.DOUBLE, "int64": kinds.INT64, "bool": kinds.BOOL, "text": kinds.STRING}
        self._nodes.append(self._onnx.helper.make_node("Identity", [node], [name]))
        self.outputs.append(self._onnx.helper.make_tensor_value_info(name, known[dtype], shape))

    def model(self, description: str, version: str) -> bytes:
        helper = self._onnx.helper
        graph = helper.make_graph(self._nodes, "rosenblatt", self.inputs, self.outputs, self._constants)
        domains = {node.domain for node in self._nodes}
        opsets = [helper.make_opsetid("", OPSET)]
        opsets += [helper.make_opsetid(domain, n) for domain, n in ((ML, ML_OPSET), (CONTRIB, 1)) if domain in domains]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="rosenblatt",
                                  producer_version=version, doc_string=description)  # fmt: skip
        helper.set_model_props(model, {one.name: one.doc_string for one in self.inputs if one.doc_string})
        try:
            data: bytes = model.SerializeToString()
            self._onnx.checker.check_model(model)
        except Exception as error:  # protobuf's own, of many kinds
            first = " ".join(str(error).split())[:200]
            raise ValueError(
                f"The ONNX file would be invalid or larger than 2 GB ({first}); use fewer support vectors or words."
            ) from None
        return data

    # --------------------------------------------------------------------------------- what is often needed

    def numbers(self, name: str) -> str:
        return self.add("Cast", name, to=self._onnx.TensorProto.DOUBLE)

    def single(self, name: str) -> str:
        """Rounded to float32, and float64 again."""
        return self.numbers(self.add("Cast", name, to=self._onnx.TensorProto.FLOAT))

    def whole(self, name: str) -> str:
        return self.add("Cast", name, to=self._onnx.TensorProto.INT64)

    def sum(self, name: str, *, keep: bool = True, axis: int = 1) -> str:
        return self.add("ReduceSum", name, np.array([axis]), keepdims=int(keep))

    def columns(self, value: Value, chosen: Array) -> Value:
        chosen = np.asarray(chosen, np.int64)
        if value.width == len(chosen) and np.array_equal(chosen, np.arange(value.width)):
            return value
        return Value(self.add("Gather", value.name, chosen, axis=1), len(chosen), value.text)

    def beside(self, values: list[Value]) -> Value:
        """All their columns, in order."""
        if len(values) == 1:
            return values[0]
        return Value(self.add("Concat", *(value.name for value in values), axis=1), sum(v.width for v in values))

    def flat(self, value: Value) -> Value:
        """A column of text as a list."""
        return value if value.width == 0 else Value(self.add("Reshape", value.name, np.array([-1])), 0, value.text)

    def divided(self, name: str, lengths: str) -> str:
        """Rows divided by their lengths, but for those of length 0."""
        zero = self.add("Equal", lengths, np.zeros((1, 1)))
        return self.add("Div", name, self.add("Where", zero, np.ones((1, 1)), lengths))
