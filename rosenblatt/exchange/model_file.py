"""Models to files and back: `save`, `load`, `describe`. Decisions are the same bits after a round trip."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import rosenblatt
from rosenblatt.engine.online.state import Array
from rosenblatt.exchange.table import MODELS, is_known, state_of, thing_of
from rosenblatt.exchange.values import Reader, Writer
from rosenblatt.models.file import PROTOCOL, read_file, write_file
from rosenblatt.plain import plain

PROBLEMS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError,
            ZeroDivisionError)  # fmt: skip


def save(model: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model to a model file (.safetensors).

    The file holds numbers and a description, and no code. It is written whole or not at all: an earlier file of that
    name stays until the new one is complete.

    Parameters
    ----------
    model : a fitted estimator or feature map of ours, a threshold unit, network or machine, or a scikit-learn pipeline
        Pipelines and ColumnTransformers may have scikit-learn's scalers, imputer, encoders, text vectorizers,
        polynomial features, PCA and kernel approximations.
    path : path
    about : mapping, optional
        What you want to know about the model later, in numbers, text, lists and dicts; `describe` shows it.

    Raises
    ------
    ValueError
        If the model is not fitted, or is of a kind that a model file does not hold.

    Examples
    --------
    >>> import os, tempfile, rosenblatt
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["off", "off", "off", "on"]
    >>> path = os.path.join(tempfile.mkdtemp(), "and.safetensors")
    >>> rosenblatt.save(rosenblatt.Perceptron().fit(X, y), path, about={"source": "a truth table"})
    >>> rosenblatt.load(path).predict(X).tolist()
    ['off', 'off', 'off', 'on']
    >>> rosenblatt.describe(path)["about"]
    {'source': 'a truth table'}
    """
    header, arrays = description(model, about)
    write_file(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a model file. Nothing in the file is run; what is not known, or was altered, is refused.

    A learning rule, a schedule or a kernel that was a Python function is not in the file: the model predicts as before
    (but for a kernel, which must be set again), and says so when it is to be trained further.

    Parameters
    ----------
    path : path

    Returns
    -------
    The model, as it was saved.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    PermissionError
        If the file may not be read.
    ValueError
        If it is no model file, is damaged or altered, or has another protocol.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import Perceptron, load, save
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> path = os.path.join(tempfile.mkdtemp(), "and.safetensors")
    >>> save(Perceptron().fit(X, y), path)
    >>> load(path).predict(X).tolist()
    [0, 0, 0, 1]
    """
    header, arrays = read_file(path)
    try:
        return rebuilt(header, arrays)
    except PROBLEMS as error:
        raise _inconsistent(path, error) from None


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file says about its model: a dict of numbers, text, lists and dicts.

    Its keys are protocol, version, written_with, kind, steps (of a pipeline), params, classes, n_features,
    feature_names, columns (names and kinds, for a table), trace, stop_reason, arrays (dtype and shape), n_bytes and
    about.

    Parameters
    ----------
    path : path

    Raises
    ------
    FileNotFoundError, ValueError
        As `load`.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import Perceptron, describe, save
    >>> path = os.path.join(tempfile.mkdtemp(), "and.safetensors")
    >>> save(Perceptron().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]), path, about={"source": "a truth table"})
    >>> found = describe(path)
    >>> found["kind"], found["classes"], found["n_features"], found["about"]
    ('Perceptron', [0, 1], 2, {'source': 'a truth table'})
    """
    header, arrays = read_file(path)
    try:
        found = _described(header, rebuilt(header, arrays))
    except PROBLEMS as error:
        raise _inconsistent(path, error) from None
    shapes = {name: {"dtype": array.dtype.name, "shape": list(array.shape)} for name, array in sorted(arrays.items())}
    return {**found, "arrays": shapes, "n_bytes": os.path.getsize(path)}


# ------------------------------------------------------------------------------------------------- writing


def description(model: Any, about: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Array]]:
    """(header, arrays) of a model, of which another can be made that is the same."""
    name = type(model).__name__
    if name not in MODELS or not is_known(model):
        raise TypeError(f"Cannot save {name}. A model file holds one of: {', '.join(MODELS)}.")
    _check_fitted(model)
    writer = Writer(is_known, state_of)
    try:
        writer.thing(model, "model")
    except RecursionError:
        raise ValueError(f"Cannot save this {name}: it is nested too deeply.") from None
    header = {
        "kind": name,
        "version": rosenblatt.__version__,
        "written_with": {package: version(package) for package in ("numpy", "scikit-learn")},
        "objects": writer.objects,
        "about": _plain_about(about),
    }
    try:  # what could not be read again is refused now rather than when it is needed
        rebuilt(json.loads(json.dumps({"protocol": PROTOCOL, **header})), dict(writer.arrays))
    except PROBLEMS as error:
        raise ValueError(
            f"Cannot save this {name}: its parameters do not match its fit ({_told(error)}). Reset them, or fit again."
        ) from None
    return header, writer.arrays


def _check_fitted(model: Any) -> None:
    try:
        if isinstance(model, BaseEstimator):
            check_is_fitted(model)
    except NotFittedError:
        raise ValueError(f"This {type(model).__name__} is not fitted; call fit before save.") from None


def _plain_about(about: Mapping[str, Any] | None) -> dict[str, Any]:
    try:
        plain = json.loads(json.dumps(dict(about or {}), default=_plain_number))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(
            f"about must be a dict of numbers, text, lists and dicts, but it cannot be written as JSON ({error})."
        ) from None
    return dict(plain)


def _plain_number(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not one of these")


# ------------------------------------------------------------------------------------------------- reading


def rebuilt(header: dict[str, Any], arrays: dict[str, Array]) -> Any:
    """The model of a header and arrays; any of PROBLEMS if there is none."""
    things: list[Any] = []
    reader = Reader(arrays, things)
    objects = header["objects"]
    if type(objects) is not list or not objects:
        raise ValueError("it has no objects")
    for code in objects:
        if type(code) is not dict or set(code) != {"kind", "state"} or type(code["kind"]) is not str:
            raise ValueError("an object has other entries")
        state = {name: reader.value(value) for name, value in code["state"].items()}
        things.append(thing_of(code["kind"], state))
    if reader.unread:
        raise ValueError(f"the array {sorted(reader.unread)[0][:60]!r} is not used")
    if type(header.get("about")) is not dict or type(header.get("version")) is not str:
        raise ValueError("it has no version")
    if objects[-1]["kind"] != header["kind"] or header["kind"] not in MODELS:
        raise ValueError("the last object is not the model")
    _check_fitted(things[-1])
    return things[-1]


def _described(header: dict[str, Any], model: Any) -> dict[str, Any]:
    steps = getattr(model, "steps", None) or [("", model)]
    learner, first = steps[-1][1], steps[0][1]
    trace = getattr(learner, "trace_", None)
    columns = [name for name in (trace.columns if trace is not None else ()) if name != "seconds"]
    names = getattr(first, "feature_names_in_", getattr(learner, "feature_names_in_", None))
    classes = getattr(learner, "classes_", None)
    return {
        "protocol": header["protocol"],
        "version": header.get("version"),
        "written_with": header.get("written_with", {}),
        "kind": type(model).__name__,
        "steps": [{"name": name, "kind": _kind(step), "params": _shown_params(step)} for name, step in steps if name],
        "params": _shown_params(learner),
        "classes": None if classes is None else plain(classes),
        "n_features": getattr(first, "n_features_in_", None),
        "feature_names": None if names is None else [str(name) for name in names],
        "columns": [{"name": column.name, "kind": column.kind} for column in getattr(first, "columns_", ())] or None,
        "trace": [{name: plain(epoch[name]) for name in columns} for epoch in trace or ()],
        "stop_reason": getattr(learner, "stop_reason_", None),
        "about": header.get("about", {}),
    }


def _kind(step: Any) -> str:
    return step if isinstance(step, str) else type(step).__name__


def _shown_params(thing: Any) -> dict[str, Any]:
    if not hasattr(thing, "get_params"):
        return {}
    return {name: plain(value) for name, value in thing.get_params(deep=False).items()}


def _inconsistent(path: str | os.PathLike[str], error: BaseException) -> ValueError:
    return ValueError(f"{os.fspath(path)} does not hold a valid model ({_told(error)}).")


def _told(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
