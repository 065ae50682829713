"""Fitted estimators to model files and back, with decisions that are the same bits."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse

import rosenblatt
from rosenblatt.engine.pocket import Pocket
from rosenblatt.engine.state import Array, HalfSpaces
from rosenblatt.estimators import kernel_file
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.half_space import HalfSpace
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.linear_svm import LinearSVM
from rosenblatt.estimators.logistic_regression import LogisticRegression
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.named_features import Names
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.sigmoid_neuron import SigmoidNeuron
from rosenblatt.kernels import Kernel
from rosenblatt.models.file import read_file, write_file
from rosenblatt.rules import Rule
from rosenblatt.trace import Epoch, Trace

CLASSES: dict[str, Any] = {
    "HalfSpace": HalfSpace,
    "KernelPerceptron": KernelPerceptron,
    "LinearSVM": LinearSVM,
    "LogisticRegression": LogisticRegression,
    "PassiveAggressive": PassiveAggressive,
    "Perceptron": Perceptron,
    "SigmoidNeuron": SigmoidNeuron,
}
SOMETIMES = ("_multinomial", "objective_", "duality_gap_", "best_iter_")  # what some learners have besides
PLAIN = ("n_iter_", "_mistakes", "n_features_in_", "stop_reason_", "_listening")


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file (.safetensors).

    The file holds numbers and a description, and no code. It is written whole or not at all: an earlier file of
    that name stays until the new one is complete.

    Examples
    --------
    >>> import os, tempfile, rosenblatt
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["off", "off", "off", "on"]
    >>> path = os.path.join(tempfile.mkdtemp(), "and.safetensors")
    >>> rosenblatt.save(rosenblatt.Perceptron().fit(X, y), path)
    >>> rosenblatt.load(path).predict(X).tolist()
    ['off', 'off', 'off', 'on']
    """
    name = type(estimator).__name__
    if CLASSES.get(name) is not type(estimator):
        raise TypeError(f"save takes a {', '.join(CLASSES)}, but got {name}; pass one of these.")
    if not hasattr(estimator, "_state"):
        raise ValueError(f"save takes a fitted estimator, but this {name} is not fitted; call fit first.")
    header, arrays = _common(estimator)
    if isinstance(estimator, KernelPerceptron):
        kernel_file.put(estimator, header, arrays)
    else:
        _put_linear(estimator, header, arrays)
    write_file(path, header, arrays)


def _common(estimator: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """What every estimator has: parameters, plain attributes, classes and the trace."""
    header: dict[str, Any] = {
        "kind": type(estimator).__name__,
        "version": rosenblatt.__version__,
        "params": {key: _plain(value) for key, value in estimator.get_params(deep=False).items()},
        "attributes": {key: getattr(estimator, key) for key in PLAIN},
        "besides": {key: vars(estimator)[key] for key in SOMETIMES if key in vars(estimator)},
        "trace": [vars(epoch) for epoch in estimator.trace_],
        "trace_stop_reason": estimator.trace_.stop_reason,
        "feature_names": [str(feature) for feature in getattr(estimator, "feature_names_in_", [])] or None,
    }
    if estimator.classes_.dtype.kind in "biuf":
        return header, {"classes": estimator.classes_}
    labels = estimator.classes_.tolist()
    if not all(isinstance(label, str) for label in labels):
        raise TypeError(f"save takes labels that are numbers or text, but got {labels[0]!r}; relabel the classes.")
    return {**header, "classes": labels}, {}


def _put_linear(estimator: Any, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    state: HalfSpaces = estimator._state
    arrays |= {"vectors": state.vectors, "lag": state.lag, "ledger": state.ledger}
    header["state"] = {"count": state.count, "n_features": state.n_features, "layout": state.layout}
    if state.total is not None:
        arrays["total"] = state.total
    pocket: Pocket | None = estimator._pocket
    if pocket is not None and pocket.kept is not None:
        arrays["pocket_vectors"], arrays["pocket_ledger"] = pocket.kept.vectors, pocket.kept.ledger
    if estimator._committee is not None:
        header["committee"] = _put_committee(estimator._committee, arrays)
    names = estimator.__dict__.get("_names")
    if names is not None:
        header["names"] = {"size": names.size, "slots": names.slots if names.size is None else {}}


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator from a model file. Nothing in the file is run; what is not known is refused.

    A learning rule or schedule that was a Python function is not in the file: the estimator predicts as before, and
    says so when it is to be trained further.
    """
    header, arrays = read_file(path)
    try:
        return _rebuild(header, arrays)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ValueError(
            f"{os.fspath(path)} must hold one of {', '.join(CLASSES)} as rosenblatt.save writes it, but its contents "
            f"do not fit together ({error}); save the model again."
        ) from None


def _rebuild(header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    kind = CLASSES[header["kind"]]
    estimator = kind(**{key: _from_plain(value) for key, value in header["params"].items()})
    for key in PLAIN:
        setattr(estimator, key, header["attributes"][key])
    for key in SOMETIMES:
        if key in header.get("besides", {}):
            setattr(estimator, key, header["besides"][key])
    estimator._models = {}
    estimator.classes_ = arrays["classes"] if "classes" in arrays else np.array(header["classes"])
    estimator.trace_ = Trace([Epoch(**row) for row in header["trace"]], header["trace_stop_reason"])
    if header["feature_names"]:
        estimator.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    if kind is KernelPerceptron:
        kernel_file.get(estimator, header, arrays)
    else:
        _get_linear(estimator, header, arrays)
    estimator._model(estimator.answer)  # what cannot answer is refused now rather than later
    return estimator


def _get_linear(estimator: Any, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    shape = header["state"]
    state = HalfSpaces(shape["count"], shape["n_features"], arrays["vectors"].dtype, shape["layout"])
    _fill({"vectors": state.vectors, "lag": state.lag, "ledger": state.ledger}, arrays)
    state.total = arrays.get("total")
    estimator._state = state
    estimator._pocket = None
    if "pocket_vectors" in arrays:
        kept = state.copy_weights()
        _fill({"pocket_vectors": kept.vectors, "pocket_ledger": kept.ledger}, arrays)
        estimator._pocket = Pocket(kept=kept)
    estimator._committee = _get_committee(header["committee"], arrays) if "committee" in header else None
    if "names" in header:
        names = Names(header["names"]["size"])
        names.slots = dict(header["names"]["slots"])
        estimator.__dict__["_names"] = names


def _fill(places: dict[str, Array], arrays: dict[str, Array]) -> None:
    for name, place in places.items():
        if place.shape != arrays[name].shape or place.dtype != arrays[name].dtype:
            raise ValueError(f"{name} has shape {arrays[name].shape} instead of {place.shape}")
        place[...] = arrays[name]


def _plain(value: Any) -> Any:
    """A constructor parameter as JSON."""
    if isinstance(value, dict):
        return {"dict": [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return {"list": [_plain(item) for item in value]}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, Rule):
        return {"function": value.name}
    if isinstance(value, Kernel):
        return kernel_file.plain_kernel(value)
    if isinstance(value, MissingFunction):
        return {"function": value.name}
    if callable(value):
        return {"function": getattr(value, "__name__", "function")}
    return value


def _from_plain(value: Any) -> Any:
    if isinstance(value, dict):
        if "function" in value:
            return MissingFunction(str(value["function"]))
        if "kernel" in value:
            return kernel_file.kernel_from_plain(value)
        if "list" in value:
            return [_from_plain(item) for item in value["list"]]
        return {_from_plain(key): _from_plain(item) for key, item in value["dict"]}
    return value


def _put_committee(committee: Committee, arrays: dict[str, Array]) -> dict[str, Any]:
    log = committee.log
    blocks: list[list[int] | None] = []
    for n, block in enumerate(committee.support):
        if scipy.sparse.issparse(block):
            parts = {"data": block.data, "indices": block.indices, "indptr": block.indptr}
            arrays.update({f"support_{n}_{name}": part for name, part in parts.items()})
            blocks.append(list(block.shape))
        else:
            arrays[f"support_{n}"] = block
            blocks.append(None)
    for k in range(log.count):
        arrays[f"log_{k}_rows"] = log.rows[k]
        arrays[f"log_{k}_numbers"] = np.stack([log.steps[k], log.shrinks[k], log.times[k]], axis=1)
    return {"count": log.count, "blocks": blocks}


def _get_committee(header: dict[str, Any], arrays: dict[str, Array]) -> Committee:
    committee = Committee(header["count"])
    for n, shape in enumerate(header["blocks"]):
        if shape is None:
            committee.support.append(arrays[f"support_{n}"])
        else:
            parts = tuple(arrays[f"support_{n}_{name}"] for name in ("data", "indices", "indptr"))
            committee.support.append(scipy.sparse.csr_array(parts, shape=tuple(shape)))
    for k in range(header["count"]):
        committee.log._rows[k].append(arrays[f"log_{k}_rows"])
        committee.log._numbers[k].append(arrays[f"log_{k}_numbers"])
    return committee
