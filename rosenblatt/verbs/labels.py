"""Labels: those of rows of numbers, what is refused as labels, and what a user is told of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scipy.sparse import issparse

from rosenblatt.estimators.classes import classes_of
from rosenblatt.features.target import QUANTITY, check_classes
from rosenblatt.sources.dialect import MISSING
from rosenblatt.trace import Array
from rosenblatt.verbs.errors import UsageError, reading
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    from rosenblatt.verbs.examples import Examples

MANY_NUMBERS = 20  # classes from which whole numbers may be a quantity
TOGETHER = "save rows and labels in one file (numpy.savez('rows.npz', X=X, y=y))"


def labelled_rows(matrix: Any, target: str | int | None, name: str, *, needed: bool | None) -> Any:
    """Rows of numbers with their own labels, or those in a column, which is counted from 1, or -1 for the last."""
    if target is not None:
        if matrix.y is not None:
            raise UsageError(f"{name} has labels of its own; leave --target out.")
        if issparse(matrix.X) or re.fullmatch(r"[+-]?\d{1,18}", str(target)) is None:
            raise UsageError(
                f"{name} has no column {shortened(target)} to predict: name a column of dense rows by its number, or "
                f"{TOGETHER}."
            )
        width, number = matrix.X.shape[1], int(target)
        if not 1 <= abs(number) <= width:
            raise UsageError(f"{name} has no column number {number}; it has {width}.")
        matrix = matrix.with_target(number - 1 if number > 0 else number)
    if matrix.y is None and needed:
        raise UsageError(f"{name} has no labels; name their column with --target, or {TOGETHER}.")
    return matrix


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
