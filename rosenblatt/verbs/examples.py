"""Rows and labels from files: the target is taken out, and so are weights and what is to be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.verbs.errors import InputError, UsageError, check_choice, reading
from rosenblatt.verbs.label_files import with_labels
from rosenblatt.verbs.named_columns import check_kept, check_left, find_column, find_columns, no_target
from rosenblatt.verbs.opening import open_data
from rosenblatt.wording import counted, shortened

if TYPE_CHECKING:
    import polars

    from rosenblatt.sources import Source

Array = npt.NDArray[Any]
PARTED = 8  # columns of a table that are parted at a time
UNIQUE = 0.95  # of the values of a target that are different, from which it names the rows
MOST_CLASSES = 1_000  # different values of a target beyond which it is no class


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
    image_shape : (height, width) where the rows of a matrix are images
    zero_based : whether the first column of a matrix is number 0
    given : the table as it was read, with every column in its place, where labels are not needed
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
    image_shape: tuple[int, ...] | None = None
    zero_based: bool = False
    given: Any = None
    digesting: Future[str] | None = None
    notes: list[str] = field(default_factory=list)
    places: Array | None = None
    place_of: Callable[[int], str] | None = None

    @property
    def digest(self) -> str | None:
        """SHA-256 of the files, which is computed while other things are done; None for what is not a file here."""
        return None if self.digesting is None else self.digesting.result()

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
        return replace(
            self,
            rows=rows,
            y=None if self.y is None else self.y[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            places=chosen if self.places is None else self.places[chosen],
        )

    def feature_names(self) -> list[str] | None:
        """Names for the columns of a matrix that has none: places of pixels, indices as LIBSVM writes them."""
        if self.is_frame or self.names is not None:
            return self.names
        return places(self.rows.shape[1], self.image_shape, self.zero_based)

    def parted(self, learned: Array, tested: Array) -> tuple[Examples, Examples]:
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
            raise UsageError(f"{self.name} must have labels here, but none are known; name their column with --target.")
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


def read_examples(
    paths: str | Sequence[str],
    target: str | int | None = None,
    *,
    labelled: bool = True,
    numbers: bool = False,
    classes: int = 2,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    zero_based: bool | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    tests: bool = False,
) -> Examples:
    """Read files, and take the target out of the rows.

    Parameters
    ----------
    paths : a file, several, a pattern, or "-" for standard input
    target : the name of a column, its number counted from 1, or -1 for the last; for rows of numbers, also the file of
        their labels
    labelled : whether labels are needed; without them a target that is not there is no failure
    numbers : whether the target is a quantity rather than a class
    classes : how many the target must have at least, where it has classes
    weights, drop, keep : columns
    format, header, encoding, separator, zero_based : as for `open_data`
    tests : whether the target is that of other rows, which were learned from: labels of these rows' own come first, and
        a file of labels is not about them

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> _ = path.write_text("weight,colour,fruit\\n150,green,apple\\n120,yellow,banana\\n")
    >>> found = read_examples(str(path), "fruit")
    >>> found.rows.columns, found.y.tolist()
    (['weight', 'colour'], ['apple', 'banana'])
    >>> read_examples(str(path), "friut")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The target must be a column of ...fruit.csv, ...; did you mean 'fruit'?
    """
    source = open_data(
        paths, format=format, header=header, encoding=encoding, separator=separator, zero_based=zero_based
    )
    return examples_of(
        source, target, labelled=labelled, numbers=numbers, classes=classes, weights=weights, drop=drop, keep=keep,
        tests=tests,
    )  # fmt: skip


def check_columns_policy(missing: str, text: str) -> None:
    """Refuse what `ColumnEncoder` does not know, before anything is read."""
    check_choice("--missing", missing, ("error", "median", "indicator"))
    check_choice("--text", text, ("auto", "tfidf", "hashed", "drop"))


def examples_of(
    source: Source,
    target: str | int | None = None,
    *,
    labelled: bool | None = True,
    numbers: bool | None = False,
    classes: int = 2,
    weights: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    names: Callable[[list[str]], list[str]] | None = None,
    tests: bool = False,
) -> Examples:
    """The rows of a source, with the target taken out; see `read_examples`.

    `names` renames the columns of a table. With `labelled=None`, labels are needed where a file of numbers has some.
    """
    with reading(source.name):
        content = source.read()
        digesting = None if any("://" in path for path in source.paths) else source.digest_later()
    found = Examples(
        content, name=source.name, format=source.format, digesting=digesting, notes=list(source.notes),
        zero_based=source.zero_based,
    )  # fmt: skip
    if source.is_copy:
        if digesting is not None:
            digesting.result()  # before the copy of standard input goes
        source.close()
    elif source.kind == "frame":
        found = replace(found, place_of=source.place_of)
    if source.kind == "matrix":
        if weights is not None or drop or keep:
            raise UsageError(
                f"Only a table has columns to drop, to keep or to weigh by, but {found.name} is {found.format}."
            )
        return _of_matrix(found, content, target, labelled=labelled, numbers=numbers, classes=classes, tests=tests)
    if names is not None:
        columns = list(found.rows.columns)
        found = replace(found, rows=found.rows.rename(dict(zip(columns, names(columns), strict=True))))
    return _of_frame(
        found, target, labelled=bool(labelled), numbers=numbers, classes=classes, weights=weights, drop=drop, keep=keep
    )


# ------------------------------------------------------------------------------------------------ tables


def _of_frame(
    found: Examples,
    target: str | int | None,
    *,
    labelled: bool,
    numbers: bool | None,
    classes: int,
    weights: str | None,
    drop: Sequence[str],
    keep: Sequence[str],
) -> Examples:
    frame: polars.DataFrame = found.rows
    columns = list(frame.columns)
    away = find_columns(columns, drop, found.name, "A column to drop")
    name = None
    if target is not None:
        try:
            name = find_column(columns, target, found.name, "The target")
        except UsageError:
            if labelled:
                raise
    elif labelled:
        raise no_target(columns, found.name)
    weight = None if weights is None else find_column(columns, weights, found.name, "The weights")
    if labelled:
        check_left(columns, name, weight, away, found.name)
    kept = find_columns(columns, keep, found.name, "A column to keep")
    check_kept(kept, name, weight, away)
    notes, places = list(found.notes), None
    if name is not None and labelled and frame[name].dtype.is_float():
        frame = frame.with_columns(frame[name].fill_nan(None))
    if name is not None and labelled and frame[name].null_count():
        lost = frame[name].null_count()
        if lost == frame.height:
            raise InputError(
                f"The target {shortened(name)} must have values, but every one is missing; choose another column."
            )
        places = np.flatnonzero(frame[name].is_not_null().to_numpy())
        frame = frame.filter(frame[name].is_not_null())
        notes.append(
            f"{counted(lost, 'row')} without a value of {shortened(name)} {'is' if lost == 1 else 'are'} left out."
        )
    y = None
    if name is not None and (labelled or not frame[name].null_count()):
        frame = _with_quantity(frame, name, notes) if numbers else frame
        y = read_labels(frame[name], name, numbers=numbers, needed=labelled, classes=classes)
    return replace(
        found,
        rows=frame.drop([*away, *([name] if name else []), *([weight] if weight else [])]),
        y=y,
        weights=None if weight is None else _weights(frame[weight]),
        target=name,
        left_out=(*away, *([weight] if weight else [])),
        keep=tuple(kept),
        given=None if labelled else frame,
        notes=notes,
        places=places,
    )


def _with_quantity(frame: polars.DataFrame, name: str, notes: list[str]) -> polars.DataFrame:
    """The target as numbers where it is text like 1 234,50 €, as other columns are read, and a note on it."""
    import polars

    from rosenblatt.features.column_kinds import quantity

    numbers = quantity(frame[name]) if frame[name].dtype == polars.String else None
    if numbers is None:
        return frame
    notes.append(f"The target {shortened(name)} is read as numbers: {shortened(frame[name][0])} is {numbers[0]:.15g}.")
    return frame.with_columns(numbers.alias(name))


def read_labels(
    series: polars.Series, name: str, *, numbers: bool | None = False, needed: bool = True, classes: int = 2
) -> Array:
    """The labels of a column: text, whole numbers or Booleans; numbers where the target is a quantity.

    With `numbers=None` they are not to be learned from, and may be either.

    Examples
    --------
    >>> import polars
    >>> read_labels(polars.Series([1.0, 2.0, 1.0]), "grade")
    array([1, 2, 1])
    >>> read_labels(polars.Series(["a", "a"]), "grade")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.InputError: The target 'grade' must have at least two values, but every row has 'a'; ...
    """
    from rosenblatt.features.labels import FEW_CLASSES
    from rosenblatt.features.target import labels_of

    if numbers is None:
        needed = False
        if series.dtype.is_float():
            values = series.to_numpy()
            return values.astype(np.int64) if bool((values == np.rint(values)).all()) else values
    if numbers:
        if not series.dtype.is_numeric():
            raise InputError(
                f"The target {shortened(name)} must hold numbers for least squares, but it holds "
                f"{_in_words(series.dtype)}; "
                f"choose another learner, such as averaged."
            )
        return series.cast(float).to_numpy()
    kinds = series.n_unique()
    if needed and kinds < classes:
        raise InputError(
            f"The target {shortened(name)} must have at least two values, but every row has {shortened(series[0])}; "
            f"choose another column, or add rows of another class."
        )
    if needed and series.dtype.is_numeric() and kinds > (MOST_CLASSES if _whole(series) else 20):
        raise UsageError(
            f"The target {shortened(name)} has {kinds:,} different numbers, which looks like a quantity rather "
            "than a class; "
            f"use rosenblatt train --learner least-squares, or make classes of it."
        )
    if needed and not series.dtype.is_numeric() and kinds > max(FEW_CLASSES, UNIQUE * len(series)):
        raise UsageError(
            f"The target {shortened(name)} must name classes, but it has {kinds:,} different values in "
            f"{len(series):,} rows, "
            f"{shortened(series[0])} for one; choose another column, or --learner least-squares where it is a quantity."
        )
    with reading():
        return labels_of(series)


def _in_words(kind: Any) -> str:
    """A type of polars that is no number."""
    if str(kind) == "Boolean":
        return "true and false"
    return "dates or times" if kind.is_temporal() else "text"


def _whole(series: polars.Series) -> bool:
    return series.dtype.is_integer() or bool((series == series.round()).all())


def _weights(series: polars.Series) -> Array:
    import polars

    if not series.dtype.is_numeric() or series.null_count():
        raise InputError(
            f"The weights in {shortened(series.name)} must be numbers without gaps, but they are not; fill them in."
        )
    return series.cast(polars.Float64).to_numpy()


# ------------------------------------------------------------------------------------------------ matrices


def _of_matrix(
    found: Examples,
    matrix: Any,
    target: str | int | None,
    *,
    labelled: bool | None,
    numbers: bool | None,
    classes: int,
    tests: bool,
) -> Examples:
    matrix, notes = with_labels(matrix, target, found.name, found.format, tests=tests)
    notes = [*found.notes, *notes]
    if labelled is None:
        labelled = matrix.y is not None
    if matrix.y is None and labelled and tests:
        raise UsageError(
            f"Rows to test on must have labels of their own, but {found.name} has none, and --target is about those in "
            f"training; write both into one file (rosenblatt convert {found.name} test.npz --target LABELS)."
        )
    if matrix.y is None and labelled:
        raise UsageError(f"{found.name} has no labels of its own; pass their file with --target.")
    if matrix.y is not None and len(matrix.y) != len(matrix):
        raise InputError(
            f"There must be one label per row, but {found.name} has {len(matrix):,} rows and {target} "
            f"{len(matrix.y):,} labels; pass the files that belong together."
        )
    y = None if matrix.y is None else np.asarray(matrix.y)
    there = None
    if y is not None and not labelled and y.dtype.kind == "f" and not np.isfinite(y).all():
        y = None  # as of a table; nobody needs them
    if y is not None and labelled:
        from rosenblatt.verbs.gaps import labelled_rows, note_on_labels

        there = labelled_rows(y, found.name)
        if there is not None and not there.any():
            raise InputError(f"Rows must have labels, but every label of {found.name} is NaN; pass other labels.")
        if there is not None:
            notes.append(note_on_labels(int((~there).sum()), found.name, int(there.argmin())))
            matrix, y = matrix.take(there), y[there]
    if y is not None:
        import polars

        y = read_labels(polars.Series(y), "label", numbers=numbers, needed=labelled, classes=classes)
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
