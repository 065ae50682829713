"""Rows and labels from files: the target is taken out, and so are weights and what is to be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.sources import ReadOptions
from rosenblatt.sources.dialect import MISSING
from rosenblatt.verbs.errors import InputError, UsageError, reading
from rosenblatt.verbs.label_files import with_labels
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source

Array = npt.NDArray[Any]
PARTED = 8  # columns of a table that are split at a time


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows, with their labels and weights where they have them.

    Attributes
    ----------
    rows : a polars frame without target and weights, or a matrix (array or csr_array)
    y : the labels, or None
    weights : one number per row, or None
    target : the name of the target, or None
    name, format : where the rows come from
    names : names of a matrix's columns, if it has them
    left_out : columns that were named to be dropped, or hold weights
    keep : columns that are not left out, whatever they look like
    apart : the values of the column by which rows are held out, or None
    image_shape : (height, width) where the rows of a matrix are images
    zero_based : whether the first column of a matrix is number 0
    given : the table as it was read, with every column in its place, where labels are not needed
    digest : SHA-256 of the files, where it was asked for
    notes : sentences about what was assumed
    places : where these rows stand among those of the file, from 0; None where they are all of them
    place_of : tells where in the file a row stands, in words
    """

    rows: Any
    y: Array | None = None
    weights: Array | None = None
    target: str | None = None
    name: str = ""
    format: str = ""
    names: list[str] | None = None
    left_out: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    apart: Array | None = None
    image_shape: tuple[int, ...] | None = None
    zero_based: bool = False
    given: Any = None
    digest: str | None = None
    notes: list[str] = field(default_factory=list)
    places: Array | None = None
    place_of: Callable[[int], str] | None = None

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @property
    def is_frame(self) -> bool:
        """Whether the rows are a table with named, typed columns."""
        return hasattr(self.rows, "columns")

    def take(self, chosen: Array) -> Examples:
        """Some of the rows, in the order asked for."""
        return self.with_rows(self.rows[chosen], chosen)

    def with_rows(self, rows: Any, chosen: Array) -> Examples:
        """These rows in place of the ones that are chosen, with their labels and weights."""
        y, weights, apart = (None if each is None else each[chosen] for each in (self.y, self.weights, self.apart))
        places = chosen if self.places is None else self.places[chosen]
        return replace(self, rows=rows, y=y, weights=weights, apart=apart, places=places)

    def feature_names(self) -> list[str] | None:
        """Names for the columns of a matrix that has none: places of pixels, indices as LIBSVM writes them."""
        if self.is_frame or self.names is not None:
            return self.names
        return places(self.rows.shape[1], self.image_shape, self.zero_based)

    def split(self, learned: Array, tested: Array) -> tuple[Examples, Examples]:
        """Two parts, each in the order of the file; of a table, the rows themselves are given up on the way.

        So there is never much more than one copy of a large table in memory.
        """
        if not self.is_frame or len(learned) + len(tested) != len(self):
            return self.take(learned), self.take(tested)
        import polars

        kept = np.zeros(len(self), dtype=bool)
        kept[learned] = True
        mask = polars.Series(kept)
        frame, parts = self.rows, ([], [])  # type: tuple[Any, tuple[list[Any], list[Any]]]
        names = list(frame.columns)
        for start in range(0, len(names), PARTED):
            group = polars.DataFrame([frame.drop_in_place(name) for name in names[start : start + PARTED]])
            parts[0].append(group.filter(mask))
            parts[1].append(group.filter(~mask))
        rows = [polars.concat(part, how="horizontal") for part in parts]
        return self.with_rows(rows[0], learned), self.with_rows(rows[1], tested)

    def labels(self) -> Array:
        if self.y is None:
            raise UsageError(f"{self.name} has no labels; name their column with --target.")
        return self.y


def places(count: int, image_shape: tuple[int, ...] | None = None, zero_based: bool = False) -> list[str]:
    """Names for the columns of a matrix: places of pixels, or indices as LIBSVM writes them.

    Examples
    --------
    >>> places(2), places(4, (2, 2))
    (['index 1', 'index 2'], ['pixel 1, 1', 'pixel 1, 2', 'pixel 2, 1', 'pixel 2, 2'])
    >>> places(2, zero_based=True)
    ['index 0', 'index 1']
    """
    if image_shape is not None and len(image_shape) == 2:
        height, width = image_shape
        return [f"pixel {row + 1}, {column + 1}" for row in range(height) for column in range(width)]
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
    def away(self) -> list[str]:
        """Columns that are not learned from."""
        return [*self.drop, *(name for name in (self.target, self.weights) if name is not None)]


def find_column(columns: Sequence[str], wanted: str | int, where: str) -> str:
    """A column by its name, by its number from 1, or by -1 for the last; see `rosenblatt.features.find_column`."""
    from rosenblatt.features import target

    try:
        return target.find_column(columns, wanted, where)
    except ValueError as error:
        raise UsageError(str(error)) from None


def find_columns(columns: Sequence[str], wanted: Sequence[str], where: str) -> tuple[str, ...]:
    """Several columns, with commas between them or one by one.

    Examples
    --------
    >>> find_columns(["a", "b", "c"], ["a,-1", "2"], "x.csv")
    ('a', 'c', 'b')
    """
    names = [name for text in wanted for name in ([text] if text in columns else text.split(","))]
    return tuple(find_column(columns, name, where) for name in names)


def _is_number(text: str | int) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def roles_of(
    source: Source,
    target: str | int | None,
    *,
    weights: str | None = None,
    apart: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    needed: bool = True,
) -> Roles:
    """Which columns of a table are what, found in its header, before any row is read.

    A first line without names is taken for names where the target is one of its cells, and no number: a number may be
    the place of a column, or a value. `needed`: the target must be there, and leave something to learn from.
    """
    with reading(source.name):
        columns = list(source.columns)
        named = target is not None and not _is_number(target)
        if named and str(target) not in columns and source.is_text_table and source.header is None:
            other = replace(source, reading=replace(source.reading, header=True), notes=[], types={})
            if str(target) in other.columns:
                source.reading = other.reading
                columns = list(other.columns)
    where = source.name
    if target is None and needed:
        raise UsageError(
            f"Name the column to predict with --target: {where} has {listed(columns, 20)} (-1 is the last)."
        )
    try:
        name = None if target is None else find_column(columns, target, where)
    except UsageError as error:
        if needed:
            numbered = source.is_text_table and all(column.startswith("column_") for column in columns)
            hint = " Its first line was not taken for names; --header says that it has them." if numbered else ""
            raise UsageError(f"{error}{hint}") from None
        name = None
    weight = None if weights is None else find_column(columns, weights, where)
    found = Roles(
        name,
        weight,
        None if apart is None else find_column(columns, apart, where),
        find_columns(columns, drop, where),
        find_columns(columns, keep, where),
    )
    _check_roles(found, columns, where, needed)
    return found


def _check_roles(roles: Roles, columns: list[str], where: str, needed: bool) -> None:
    """Refuse a column that is two things at once, and a table of which nothing is left to learn from."""
    for option, names in (("--drop", roles.drop), ("--keep", roles.keep)):
        for what, column in (("target", roles.target), ("weights", roles.weights)):
            if column is not None and column in names:
                raise UsageError(f"{shortened(column)} has the {what}; leave it out of {option}.")
    both = [name for name in roles.keep if name in roles.drop]
    if both:
        raise UsageError(f"{shortened(both[0])} is in both --keep and --drop.")
    if roles.target is not None and roles.target == roles.weights:
        raise UsageError(f"{shortened(roles.target)} cannot be both the target and the weights.")
    if needed and set(columns) <= set(roles.away):
        raise UsageError(f"{where} has no column left to learn from.")


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
    names: Callable[[list[str]], list[str]] | None = None,
    tests: bool = False,
    digest: bool = False,
) -> Examples:
    """Read the rows of a source, and take the target out of them.

    Parameters
    ----------
    source : from `open_data`
    target : the name of a column, its number counted from 1, or -1 for the last; for rows of numbers, also the file of
        their labels
    labelled : whether labels are needed; without them a target that is not there is no failure. None: labels are
        needed where a file of numbers has some
    numbers : whether the target is a quantity rather than a class; None: it is not learned from, and may be either
    least : how many classes there must be
    weights, apart, drop, keep : columns
    names : renames the columns of a table
    tests : whether the target is that of other rows, which were learned from: labels of these rows' own come first, and
        a file of labels is not about them
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
    if source.kind == "matrix":
        if weights is not None or apart is not None or drop or keep:
            raise UsageError(f"{source.name} is {source.format}, which has no columns to name.")
        found = _read(source, digest)
        return _of_matrix(found, target, labelled=labelled, numbers=numbers, least=least, tests=tests)
    roles = None
    if names is None:
        roles = roles_of(source, target, weights=weights, apart=apart, drop=drop, keep=keep, needed=bool(labelled))
        source.labels = None if numbers else roles.target
    found = _read(source, digest)
    if names is not None:
        columns = list(found.rows.columns)
        found = replace(found, rows=found.rows.rename(dict(zip(columns, names(columns), strict=True))))
        roles = Roles(target=str(target) if target in found.rows.columns else None)
        if labelled and roles.target is None:
            raise UsageError(f"{source.name} has no column {shortened(target)}.")
    assert roles is not None
    return _of_frame(found, roles, labelled=bool(labelled), numbers=numbers, least=least)


def open_data(paths: str | Sequence[str], reading_options: ReadOptions | None = None) -> Source:
    """Files as a source of rows, nothing of which is read yet; see `rosenblatt.sources.open_source`."""
    from rosenblatt.sources import open_source

    given = [paths] if isinstance(paths, str) else list(paths)
    with reading(given[0] if given else None):
        return open_source(given, reading_options)


def _read(source: Source, digest: bool) -> Examples:
    with reading(source.name):
        content: Any = source.read()
        remote = any("://" in path for path in source.paths)
        sha = source.digest() if digest and not remote else None
    place_of = source.place_of if source.kind == "frame" and not source.is_copy else None
    if source.is_copy:
        source.close()
    return Examples(
        content, name=source.name, format=source.format, digest=sha, notes=list(source.notes), place_of=place_of,
        zero_based=source.reading.zero_based and source.format == "libsvm",
    )  # fmt: skip


def _of_frame(found: Examples, roles: Roles, *, labelled: bool, numbers: bool | None, least: int) -> Examples:
    import polars

    from rosenblatt.features.target import check_classes, take_target

    frame, notes = found.rows, list(found.notes)
    weights = None if roles.weights is None else _weights(frame[roles.weights])
    apart = None if roles.apart is None else _apart(frame[roles.apart])
    away = [*roles.drop, *([roles.weights] if roles.weights else [])]
    found = replace(found, left_out=tuple(away), keep=roles.keep, target=roles.target, weights=weights, apart=apart)
    name = roles.target
    _check_cells(frame.drop(away))
    if name is None or (not labelled and frame[name].null_count()):
        return replace(found, rows=frame.drop([*away, *([name] if name else [])]), given=frame, notes=notes)
    with reading(found.name):
        taken = take_target(frame, name, numbers=numbers)
        if labelled and numbers is False:
            check_classes(taken.y, name, least=least)
    if numbers and frame[name].dtype == polars.String:
        cell = shortened(frame[name].drop_nulls()[0])
        notes.append(f"The target {shortened(name)} is read as numbers: {cell} is {taken.y[0]:.15g}.")
    if taken.n_without:
        notes.append(missing_labels(taken.n_without, name))
    if taken.y.dtype.kind == "U" and found.format in ("csv", "tsv"):
        words = sorted(set(MISSING) & set(np.unique(taken.y).tolist()))
        if words:
            notes.append(
                f"{listed(words, last=' and ')} {'is a class' if len(words) == 1 else 'are classes'} of "
                f"{shortened(name)}; --na-values {','.join(words)} would leave these rows out."
            )
    kept = taken.kept
    if kept is not None:
        found = replace(found, weights=None if weights is None else weights[kept], places=kept,
                        apart=None if apart is None else apart[kept])  # fmt: skip
    given = None if labelled else frame
    return replace(found, rows=taken.rows.drop(away), y=taken.y, given=given, notes=notes)


def missing_labels(count: int, name: str) -> str:
    """The note on rows without a label."""
    return f"{counted(count, 'row')} without a value of {shortened(name)} {'is' if count == 1 else 'are'} left out."


def _check_cells(frame: Any) -> None:
    """Lists have no place among features; a column that holds them can be dropped."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    if nested:
        raise InputError(f"The column {shortened(nested[0])} holds lists; leave it out with --drop, or spread it out.")


def _weights(series: Any) -> Array:
    if not series.dtype.is_numeric() or series.null_count():
        raise InputError(f"The weights in {shortened(series.name)} must be numbers without gaps.")
    return np.asarray(series.cast(float).to_numpy())


def _apart(series: Any) -> Array:
    """The values of a column by which rows are held out, in a type that can be sorted."""
    if series.null_count():
        raise InputError(f"The column {shortened(series.name)}, by which rows are held out, has missing values.")
    return np.asarray(series.to_physical().to_numpy() if series.dtype.is_temporal() else series.to_numpy())


def _of_matrix(
    found: Examples, target: str | int | None, *, labelled: bool | None, numbers: bool | None, least: int, tests: bool
) -> Examples:
    from rosenblatt.features.target import check_classes, labels_of, quantities_of
    from rosenblatt.verbs.gaps import labelled_rows, note_on_labels

    matrix, notes = with_labels(found.rows, target, found.name, found.format, tests=tests)
    notes = [*found.notes, *notes]
    if labelled is None:
        labelled = matrix.y is not None
    if matrix.y is None and labelled:
        how = f"write both into one file (rosenblatt convert {found.name} test.npz --target LABELS)"
        raise UsageError(f"{found.name} has no labels; {how if tests else 'pass their file with --target'}.")
    if matrix.y is not None and len(matrix.y) != len(matrix):
        raise InputError(f"{found.name} has {len(matrix):,} rows, but {target} has {len(matrix.y):,} labels.")
    y = None if matrix.y is None else np.asarray(matrix.y)
    there = None
    if y is not None and not labelled and y.dtype.kind == "f" and not np.isfinite(y).all():
        y = None  # as of a table; nobody needs them
    if y is not None and labelled:
        there = labelled_rows(y, found.name)
        if there is not None:
            notes.append(note_on_labels(int((~there).sum()), found.name, int(there.argmin())))
            matrix, y = matrix.take(there), y[there]
    if y is not None:
        import polars

        with reading(found.name):
            series = polars.Series("label", y)
            y = labels_of(series) if numbers is False else quantities_of(series, needed=bool(numbers))
            if labelled and numbers is False:
                check_classes(y, "label", least=least)
    return replace(
        found,
        rows=matrix.X.reshape(len(matrix), -1) if not issparse(matrix.X) else matrix.X,
        y=y,
        weights=matrix.sample_weight,
        names=matrix.feature_names,
        image_shape=matrix.image_shape,
        notes=notes,
        places=None if there is None else np.flatnonzero(there),
    )
