"""Rows and labels from files: the target is taken out, and so are weights and what is to be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.estimators.classes import classes_of
from rosenblatt.features.target import find_column, labels_of, quantities_of, take_target
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import InputError, UsageError, reading, setting
from rosenblatt.verbs.gaps import check_numbers
from rosenblatt.verbs.labels import check_labels, labelled_rows, notes_on_labels
from rosenblatt.wording import listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows, with their labels and weights where they have them."""

    rows: Any  # a polars frame without target and weights, or a matrix (array or csr_array)
    y: Array | None = None
    weights: Array | None = None
    target: str | None = None  # its name
    name: str = ""  # where the rows come from
    format: str = ""
    left_out: tuple[str, ...] = ()  # columns that were named to be dropped, or hold weights
    keep: tuple[str, ...] = ()  # columns that are not left out, whatever they look like
    apart: Array | None = None  # the values of the column by which rows are held out
    image_shape: tuple[int, ...] | None = None  # (height, width) where the rows of a matrix are images
    zero_based: bool = False  # whether the first column of a matrix is number 0
    digest: str | None = None  # SHA-256 of the files, where it was asked for
    notes: list[str] = field(default_factory=list)  # what was assumed
    places: Array | None = None  # of these rows among those of the file, from 0; None where they are all of them
    place_of: Callable[[int], str] | None = None  # tells where in the file a row stands

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @property
    def is_frame(self) -> bool:
        """Whether the rows are a table with named, typed columns."""
        return hasattr(self.rows, "columns")

    def take(self, chosen: Array) -> Examples:
        """Some of the rows, in the order asked for."""
        y, weights, apart = (None if each is None else each[chosen] for each in (self.y, self.weights, self.apart))
        places = chosen if self.places is None else self.places[chosen]
        return replace(self, rows=self.rows[chosen], y=y, weights=weights, apart=apart, places=places)

    def feature_names(self) -> list[str] | None:
        """Names for the columns of a matrix, which has none."""
        return None if self.is_frame else index_names(self.rows.shape[1], self.zero_based)

    def labels(self) -> Array:
        if self.y is None:
            raise UsageError(f"{self.name} has no labels; name their column with --target.")
        return self.y


def index_names(count: int, zero_based: bool = False) -> list[str]:
    """Names for the columns of a matrix, which are numbered from 1 or from 0.

    Examples
    --------
    >>> index_names(2), index_names(2, zero_based=True)
    (['index 1', 'index 2'], ['index 0', 'index 1'])
    """
    return [f"index {n}" for n in range(not zero_based, count + (not zero_based))]


@dataclass(frozen=True)
class Roles:
    """Which columns of a table are what, by name."""

    target: str | None = None
    weights: str | None = None
    apart: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def away(self) -> tuple[str, ...]:
        """Columns that are neither features nor the target."""
        return (*self.drop, *([] if self.weights is None else [self.weights]))


def find_columns(columns: Sequence[str], wanted: Sequence[str], where: str) -> tuple[str, ...]:
    """Several columns, with commas between them or one by one.

    Examples
    --------
    >>> find_columns(["a", "b", "c"], ["a,-1", "2"], "x.csv")
    ('a', 'c', 'b')
    """
    names = [name for text in wanted for name in ([text] if text in columns else text.split(","))]
    return tuple(find_column(columns, name, where) for name in names)


def roles_of(
    source: Source,
    target: str | int | None,
    *,
    weights: str | None = None,
    apart: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    learned: bool = True,
    rename: dict[str, str] | None = None,
) -> Roles:
    """Which columns of a table are what, found in its header, before any row is read.

    `learned`: there must be a target, and something to learn it from.
    """
    if source.kind == "matrix":
        if weights is not None or apart is not None or drop or keep:
            raise UsageError(f"{source.name} is {source.format}, which has no columns to name.")
        return Roles()
    with reading(source.name):
        columns = _header(source, target)
    columns = [(rename or {}).get(name, name) for name in columns]
    try:
        return roles_among(
            columns, source.name, target, weights=weights, apart=apart, drop=drop, keep=keep, learned=learned
        )
    except UsageError as error:
        numbered = source.is_text_table and all(column.startswith("column_") for column in columns)
        hint = " Its first line was not taken for names; --header says that it has them." if numbered else ""
        raise UsageError(f"{error}{hint}") from None


def _header(source: Source, target: str | int | None) -> list[str]:
    """The columns; a first line without names is taken for names where the target is one of its cells."""
    columns = list(source.columns)
    if source.is_text_table and source.header is None and target is not None and str(target) not in columns:
        named = replace(source, reading=replace(source.reading, header=True), notes=[], types={})
        if not str(target).lstrip("+-").isdecimal() and str(target) in named.columns:
            source.reading = named.reading
            return list(named.columns)
    return columns


def roles_among(
    columns: list[str],
    where: str,
    target: str | int | None,
    *,
    weights: str | None = None,
    apart: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    learned: bool = True,
) -> Roles:
    """Which of the columns of a table are what."""
    if target is None and learned:
        raise UsageError(
            f"Name the column to predict with --target: {where} has {listed(columns, 20)} (-1 is the last)."
        )
    with setting(True):
        name, weight, separate = (
            None if each is None else find_column(columns, each, where) for each in (target, weights, apart)
        )
        found = Roles(name, weight, separate, find_columns(columns, drop, where), find_columns(columns, keep, where))
    parts: dict[str, set[str | None]] = {
        "the target": {name},
        "the weights": {weight},
        "in --drop": {*found.drop},
        "in --keep": {*found.keep},
    }
    for (one, names), (other, others) in combinations(parts.items(), 2):
        for column in names & others - {None}:
            raise UsageError(f"{shortened(column)} cannot be both {one} and {other}.")
    if learned and set(columns) <= {*found.away, name}:
        raise UsageError(f"{where} has no column left to learn from.")
    return found


def open_data(paths: str | Sequence[str], reading_options: ReadOptions | None = None) -> Source:
    """Files as a source of rows, nothing of which is read yet; see `rosenblatt.sources.open_source`."""
    from rosenblatt.sources import open_source

    given = [paths] if isinstance(paths, str) else list(paths)
    with reading(given[0] if given else None):
        return open_source(given, reading_options)


def read_examples(
    source: Source,
    target: str | int | None = None,
    *,
    labelled: bool | None = True,
    numbers: bool | None = False,
    least: int = 2,
    weights: str | None = None,
    apart: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    rename: dict[str, str] | None = None,
    tests: bool = False,
    digest: bool = False,
) -> Examples:
    """Read the rows of a source, and take the target out of them.

    Parameters
    ----------
    source : from `open_data`
    target : the name of a column, its number counted from 1, or -1 for the last
    labelled : whether labels are needed. None: they are needed where a file of numbers has some
    numbers : whether the target is a quantity rather than a class; None: it is not learned from, and may be either
    least : how many classes there must be
    weights, apart, drop, keep : columns
    rename : other names for columns of a table
    tests : whether the target is that of other rows, which were learned from: labels of these rows' own come first
    digest : whether the digest of the files is wanted

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight,colour,fruit\\n150,green,apple\\n120,yellow,banana\\n")
    >>> found = read_examples(open_data(str(path)), "fruit")
    >>> found.rows.columns, found.y.tolist()
    (['weight', 'colour'], ['apple', 'banana'])
    >>> read_examples(open_data(str(path)), "friut")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: ...fruit.csv has no column 'friut' (did you mean 'fruit'?).
    """
    roles = roles_of(source, target, weights=weights, apart=apart, drop=drop, keep=keep, rename=rename,
                     learned=bool(labelled))  # fmt: skip
    if roles.target is not None and rename is None and not numbers:
        source.labels = roles.target
    with reading(source.name):
        content: Any = source.read()
        sha = source.digest() if digest else None
    if source.kind == "matrix":
        own = tests and content.y is not None
        content = labelled_rows(content, None if own else target, source.name, needed=labelled)
    elif rename is not None:
        content = content.rename(rename)
    found = examples_of(source, content, roles, labelled=labelled, numbers=numbers)
    if labelled and len(content) and not len(found):
        raise InputError(f"Every label of {source.name} is missing (NaN).")
    if found.y is not None and labelled is not False and numbers is False:
        check_labels(found, classes_of(found.y), len(found.y), least)
    if source.is_copy:
        source.close()
        found = replace(found, place_of=None)
    return replace(found, digest=sha, notes=[*source.notes, *notes_on_labels(found, content, numbers)])


def examples_of(
    source: Source, content: Any, roles: Roles, *, labelled: bool | None = True, numbers: bool | None = False,
    before: int = 0,
) -> Examples:  # fmt: skip
    """Rows of a source, all of them or a block, with labels and weights taken out; rows without a label are left out.

    `before`: how many rows of a matrix came before these.
    """
    base = Examples(content, name=source.name, format=source.format, target=roles.target, left_out=roles.away,
                    keep=roles.keep)  # fmt: skip
    with reading(source.name):
        if source.kind == "matrix":
            zero_based = source.reading.zero_based and source.format == "libsvm"
            return _of_matrix(replace(base, zero_based=zero_based), content, labelled, numbers, before)
        return _of_frame(replace(base, place_of=source.place_of), content, roles, bool(labelled), numbers)


def _of_frame(base: Examples, frame: Any, roles: Roles, labelled: bool, numbers: bool | None) -> Examples:
    away, name = list(roles.away), roles.target
    nested = [column for column, kind in frame.drop(away).schema.items() if kind.is_nested()]
    if nested:
        raise InputError(f"The column {shortened(nested[0])} holds lists; leave it out with --drop, or spread it out.")
    weights = None if roles.weights is None else _weights(frame[roles.weights])
    apart = None if roles.apart is None else _apart(frame[roles.apart])
    if name is None or (not labelled and frame[name].null_count()):
        return replace(base, rows=frame.drop([*away, *([name] if name else [])]))
    taken = take_target(frame, name, numbers=numbers)
    kept = slice(None) if taken.kept is None else taken.kept
    weights, apart = (None if each is None else each[kept] for each in (weights, apart))
    return replace(base, rows=taken.rows.drop(away), y=taken.y, weights=weights, apart=apart, places=taken.kept)


def _of_matrix(base: Examples, matrix: Any, labelled: bool | None, numbers: bool | None, before: int) -> Examples:
    y, places = None if matrix.y is None else np.asarray(matrix.y), None
    check_numbers(matrix.X, base.name, before=before)
    if y is not None and y.dtype.kind == "f" and np.isnan(y).any():
        places = np.flatnonzero(~np.isnan(y))
        matrix, y = (matrix, None) if labelled is False else (matrix.take(places), y[places])
    if y is not None:
        import polars

        series = polars.Series("label", y)
        y = labels_of(series) if numbers is False else quantities_of(series, needed=bool(numbers))
    rows = matrix.X if issparse(matrix.X) else matrix.X.reshape(len(matrix), int(np.prod(matrix.X.shape[1:])))
    return replace(base, rows=rows, y=y, image_shape=matrix.image_shape, places=None if y is None else places)


def _weights(series: Any) -> Array:
    if not series.dtype.is_numeric() or series.null_count():
        raise InputError(f"The weights in {shortened(series.name)} must be numbers without gaps.")
    return np.asarray(series.cast(float).to_numpy())


def _apart(series: Any) -> Array:
    """The values of a column by which rows are held out, in a type that can be sorted."""
    if series.null_count():
        raise InputError(f"The column {shortened(series.name)}, by which rows are held out, has missing values.")
    return np.asarray(series.to_physical().to_numpy() if series.dtype.is_temporal() else series.to_numpy())
