"""Reads model files of protocol 1, which knew the linear learners and the kernel perceptron.

Its header is turned into the values of today's forms, so that both protocols are held to the same checks. Golden files
are in tests/exchange/golden.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.exchange.forms import Form, Values
from rosenblatt.exchange.table import form_of
from rosenblatt.exchange.values import checked_csr
from rosenblatt.kernels import KERNELS

KINDS = ("HalfSpace", "KernelPerceptron", "LinearSVM", "LogisticRegression", "PassiveAggressive", "Perceptron",
         "SigmoidNeuron")  # fmt: skip
ATTRIBUTES = ("n_iter_", "_mistakes", "n_features_in_", "stop_reason_", "_listening")
BESIDES = ("_multinomial", "objective_", "duality_gap_", "best_iter_")
NUMBERS = ("count", "size", "seen", "shown", "updates", "mistakes")
PARTS = ("numbers", "coefficients", "lag", "counts", "taught")
DEEPEST = 20  # of lists and dicts in a parameter


def rebuilt(header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    kind = header["kind"]
    if kind not in KINDS:
        raise ValueError(f"a {str(kind)[:60]!r} is not known")
    parameters = {name: _parameter(value) for name, value in header["params"].items()}
    fitted: Values = {name: header["attributes"][name] for name in ATTRIBUTES}
    fitted |= {name: header["besides"][name] for name in BESIDES if name in header.get("besides", {})}
    fitted["classes_"] = arrays["classes"] if "classes" in arrays else _texts(header["classes"])
    rows = [dict(row) for row in header["trace"]]
    columns = {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}
    trace = {"stop_reason": header["trace_stop_reason"], "columns": columns}
    fitted["trace_"] = _make("Trace", trace)
    if header["feature_names"]:
        fitted["feature_names_in_"] = _texts(header["feature_names"]).astype(object)
    if kind == "KernelPerceptron":
        _kernel(header, arrays, fitted)
    else:
        _linear(header, arrays, fitted)
    return _form(kind).make(parameters, fitted)


def _form(kind: str) -> Form:
    form = form_of(kind)
    assert form is not None
    return form


def _make(kind: str, fitted: Values) -> Any:
    return _form(kind).make({}, fitted)


def _texts(values: Any) -> Array:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("a list of text holds something else")
    return np.array(values) if values else np.empty(0, object)


def _parameter(value: Any, depth: int = 0) -> Any:
    if depth > DEEPEST or isinstance(value, list):
        raise ValueError("a parameter is nested too deeply")
    if not isinstance(value, dict):
        return value
    if "function" in value:
        return MissingFunction(str(value["function"]))
    if "kernel" in value:
        return KERNELS[value["kernel"]](**value["parameters"])
    if "list" in value:
        return [_parameter(item, depth + 1) for item in value["list"]]
    return {_parameter(key, depth + 1): _parameter(item, depth + 1) for key, item in value["dict"]}


def _names(slots: Any, size: Any) -> Any:
    places = dict(slots)
    if not all(isinstance(place, int) for place in places.values()):
        raise ValueError("a name has no place")
    order = sorted(places, key=lambda name: places[name])
    if [places[name] for name in order] != list(range(len(order))):
        raise ValueError("the names have other places")
    return _make("Names", {"size": size, "slots": np.array(order, dtype=object)})


# -------------------------------------------------------------------------------------------- linear learners


def _linear(header: dict[str, Any], arrays: dict[str, Array], fitted: Values) -> None:
    shape = header["state"]
    fitted["_state"] = _make("HalfSpaces", {
        "count": shape["count"], "n_features": shape["n_features"], "layout": shape["layout"],
        "vectors": arrays["vectors"], "lag": arrays["lag"], "ledger": arrays["ledger"], "total": arrays.get("total"),
    })  # fmt: skip
    fitted["_pocket"] = fitted["_committee"] = None
    if "pocket_vectors" in arrays:
        kept = {
            "count": shape["count"], "n_features": shape["n_features"], "layout": shape["layout"], "total": None,
            "vectors": arrays["pocket_vectors"], "ledger": arrays["pocket_ledger"],
        }  # fmt: skip
        figures = {"errors": np.inf, "run": 0, "longest": 0, "kept": _make("HalfSpaces", kept)}
        fitted["_pocket"] = _make("Pocket", figures)
    if "committee" in header:
        fitted["_committee"] = _make("Committee", _committee(header["committee"], arrays))
    if "names" in header:
        fitted["_names"] = _names(header["names"]["slots"], header["names"]["size"])


def _committee(header: dict[str, Any], arrays: dict[str, Array]) -> Values:
    support: list[Any] = []
    for n, shape in enumerate(header["blocks"]):
        support.append(arrays[f"support_{n}"] if shape is None else _csr(arrays, f"support_{n}", shape))
    count = header["count"]
    if not isinstance(count, int) or not 0 <= count <= len(arrays):
        raise ValueError("the committee has no number of half-spaces")
    return {
        "support": support,
        "rows": [arrays[f"log_{k}_rows"] for k in range(count)],
        "numbers": [arrays[f"log_{k}_numbers"] for k in range(count)],
    }


def _csr(arrays: dict[str, Array], name: str, shape: Any) -> Any:
    height, width = shape
    if not all(isinstance(size, int) and 0 <= size < 2**62 for size in (height, width)):
        raise ValueError("a sparse matrix has no shape")
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return checked_csr(data, indices, indptr, (height, width))


# -------------------------------------------------------------------------------------------- kernel machines


def _kernel(header: dict[str, Any], arrays: dict[str, Array], fitted: Values) -> None:
    shape, kernel = header["state"], _parameter(header["kernel"])
    if shape["dtype"] not in ("float32", "float64"):
        raise ValueError("kernel values are float32 or float64")
    state = {name: shape[name] for name in NUMBERS} | {name: arrays[name] for name in PARTS}
    state |= {"dtype": np.dtype(shape["dtype"]), "squared": arrays["squared"], "dropped": arrays["dropped"]}
    if "history_n" in arrays:
        state["history"] = [arrays[f"history_{part}"] for part in "nst"]
    fitted["kernel_"], fitted["_state"] = kernel, _make("Expansion", state)
    pocket = header.get("pocket", {"errors": np.inf, "run": 0, "longest": 0})
    fitted["_pocket"] = (pocket["errors"], pocket["run"], pocket["longest"], arrays.get("pocket"))
    if "names" in header:
        fitted["_names"] = _names(header["names"], None)
    if "sparse" in header:
        fitted["_rows"] = _csr(arrays, "rows", header["sparse"])
    elif "rows" in arrays:
        fitted["_rows"] = arrays["rows"]
