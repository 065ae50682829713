"""The labels of rows of numbers: a column of theirs, their own, or those in a file beside them or named."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from rosenblatt.trace import Array
from rosenblatt.verbs.errors import InputError, UsageError, reading
from rosenblatt.wording import shortened


def with_labels(matrix: Any, target: str | int | None, name: str, format: str, *, tests: bool) -> tuple[Any, list[str]]:
    """Rows of numbers with the labels that were asked for, else with their own, and a note where both are there."""
    own, named = matrix.y, is_file_of_labels(target)
    if tests and (own is not None or named):
        target, named = None, False
    if named:
        labels = _label_file(str(target))
        same = own is None or np.array_equal(labels, own)
        told = f"The labels are those of {target}, not the ones that {name} comes with."
        return replace(matrix, y=labels), [] if same else [told]
    if target is None:
        beside = labels_beside(name) if own is None else None
        if beside is None:
            return matrix, []
        return replace(matrix, y=_label_file(beside)), [f"The labels are those of {beside}."]
    return with_target(matrix, target, name, format), []


def with_target(matrix: Any, target: str | int, name: str, format: str) -> Any:
    """Rows of numbers with the labels in one of their columns, which is counted from 1, or -1 for the last."""
    if matrix.y is not None:
        raise UsageError(
            f"{name} has labels of its own; leave --target out, or pass a file of other labels, not "
            f"{shortened(target)}."
        )
    if issparse(matrix.X) or not is_number(target):
        what = "a file of labels" if issparse(matrix.X) else "a column's number or a file of labels"
        raise UsageError(f"The target of {_called(matrix.X, format)} must be {what}, but got {shortened(target)}.")
    width, number = matrix.X.shape[1], int(target)
    if not 1 <= abs(number) <= width:
        raise UsageError(f"{name} has no column number {number}; it has {width}.")
    return matrix.with_target(number - 1 if number > 0 else number)


def is_file_of_labels(target: str | int | None) -> bool:
    """Whether the target of rows of numbers is a file."""
    return target is not None and os.path.isfile(str(target))


def is_number(target: str | int | None) -> bool:
    """Whether the target of rows of numbers is the number of a column."""
    return re.fullmatch(r"[+-]?\d{1,18}", str(target)) is not None


def _called(rows: Any, format: str) -> str:
    return "sparse rows" if issparse(rows) else f"{format} data"


def labels_beside(path: str) -> str | None:
    """The file of labels that belongs to a file of images by MNIST's convention, if it is there.

    Examples
    --------
    >>> labels_beside("no/such/train-images-idx3-ubyte") is None
    True
    """
    folder, name = os.path.split(path)
    if "images-idx3" not in name:
        return None
    other = os.path.join(folder, name.replace("images-idx3", "labels-idx1"))
    return other if os.path.isfile(other) else None


def _label_file(path: str) -> Array:
    from rosenblatt.sources import arrays, open_source

    with reading(path):
        source = open_source(path)
        if source.format in ("idx", "npy", "npz"):
            return arrays.read_labels(path, source.format)
        content: Any = source.read()
        if source.kind == "frame":
            if content.width != 1:
                raise InputError(f"{path} has {content.width} columns, but a file of labels has one.")
            return content.to_series().to_numpy()
        labels = content.y if content.y is not None else content.X
        return np.asarray(labels).reshape(len(labels), -1)[:, 0]
