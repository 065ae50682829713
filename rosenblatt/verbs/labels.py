"""Labels: where those of rows of numbers stand, what is refused as labels, and what a user is told of them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from rosenblatt.estimators.classes import classes_of
from rosenblatt.features.target import QUANTITY, check_classes
from rosenblatt.sources.dialect import MISSING
from rosenblatt.trace import Array
from rosenblatt.verbs.errors import InputError, UsageError, reading
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source
    from rosenblatt.verbs.examples import Examples

MANY_NUMBERS = 20  # classes from which whole numbers may be a quantity


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
    return matrix if target is None else with_target(matrix, target, name, format), []


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


# ------------------------------------------------------------------------------------------------ what is told of them


def check_rows_have_labels(source: Source, matrix: Any, target: Any, labelled: bool | None, tests: bool) -> None:
    """Refuse rows of numbers without the labels that are needed."""
    if matrix.y is None and labelled:
        how = f"write both into one file (rosenblatt convert {source.name} test.npz --target LABELS)"
        raise UsageError(f"{source.name} has no labels; {how if tests else 'pass their file with --target'}.")
    if matrix.y is not None and len(matrix.y) != len(matrix):
        raise InputError(f"{source.name} has {len(matrix):,} rows, but {target} has {len(matrix.y):,} labels.")
    if labelled and matrix.y.dtype.kind == "f" and np.isnan(matrix.y).all():
        raise InputError(f"Every label of {source.name} is missing (NaN).")


def check_labels(found: Examples, labels: Array, n_rows: int | None = None, least: int = 2) -> None:
    """Refuse labels that are no classes; `n_rows`: how many rows there are, where these are the different labels."""
    name = found.target or "label"
    with reading(found.name):
        check_classes(labels, name, n_rows, least)


def notes_on_labels(found: Examples, content: Any, numbers: bool | None) -> list[str]:
    """What a user should know of the labels: how they are read, which are missing, and which may mean missing."""
    if found.y is None:
        return []
    notes, name = [], shortened(found.target or "label")
    if numbers and found.is_frame and str(content.schema[found.target]) == "String":
        cell = shortened(content[found.target].drop_nulls()[0])
        notes.append(f"The target {name} is read as numbers: {cell} is {found.y[0]:.15g}.")
    notes += note_on_missing_labels(len(content) - len(found), found.target)
    return [*notes, *notes_on_classes(found, classes_of(found.y))] if numbers is False else notes


def notes_on_classes(found: Examples, classes: Array) -> list[str]:
    """Classes that may be none: words of a text table that often mean missing, and many whole numbers."""
    if classes.dtype.kind == "i" and len(classes) > MANY_NUMBERS:
        return [
            f"The {len(classes):,} whole numbers of {shortened(found.target or 'label')} are taken as classes; if it "
            f"is a quantity, {QUANTITY}."
        ]
    words = sorted(set(MISSING) & set(classes.tolist())) if found.format in ("csv", "tsv") else []
    if not words:
        return []
    return [
        f"{listed(words, last=' and ')} {'is a class' if len(words) == 1 else 'are classes'} of "
        f"{shortened(found.target)}; --na-values {','.join(words)} would leave these rows out."
    ]


def note_on_missing_labels(count: int, target: str | None) -> list[str]:
    """How many rows are left out for want of a label.

    Examples
    --------
    >>> note_on_missing_labels(2, None), note_on_missing_labels(1, "y"), note_on_missing_labels(0, "y")
    (['2 rows without a label are left out.'], ["1 row without a value of 'y' is left out."], [])
    """
    what = "label" if target is None else f"value of {shortened(target)}"
    return [f"{counted(count, 'row')} without a {what} {'is' if count == 1 else 'are'} left out."] if count else []
