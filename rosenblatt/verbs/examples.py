"""Rows and labels from files: which column is the target, which one holds weights, which are left out."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from rosenblatt.verbs.errors import InputError, UsageError, check_choice, reading
from rosenblatt.wording import counted, listed, shortened

if TYPE_CHECKING:
    import polars

    from rosenblatt.sources import Source

Array = npt.NDArray[Any]
PARTED = 8  # columns of a table that are parted at a time
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "bar": "|", r"\t": "\t"}
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


def open_data(
    paths: str | Sequence[str],
    *,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    zero_based: bool | None = None,
) -> Source:
    """Files as a source of rows, nothing of which is read yet; see `rosenblatt.sources.open_source`.

    `zero_based` is about LIBSVM files, and refused for others; None stands for no.
    """
    from rosenblatt.sources import open_source
    from rosenblatt.sources.formats import FORMATS

    if format is not None:
        check_choice("--format", format, FORMATS)
    if encoding is not None:
        _check_encoding(encoding)
    given = [paths] if isinstance(paths, str) else list(paths)
    with reading(given[0] if given else None):
        source = open_source(
            given, format=format, header=header, encoding=encoding or "utf-8", separator=read_separator(separator),
            zero_based=bool(zero_based),
        )  # fmt: skip
    if zero_based is not None and source.format != "libsvm":
        option = "--zero-based" if zero_based else "--one-based"
        raise UsageError(
            f"Only LIBSVM files number their features, but {source.name} is {source.format}; "
            f"leave {option} out, or pass --format libsvm."
        )
    return source


def read_separator(given: str | None) -> str | None:
    r"""What parts the columns: one character, or its name.

    Examples
    --------
    >>> read_separator(";"), read_separator("tab"), read_separator(r"\t")
    (';', '\t', '\t')
    """
    if given is None:
        return None
    found = SEPARATORS.get(given.casefold(), given)
    if len(found) != 1 or found in '"\r\n' or not found.isascii():
        raise UsageError(
            f"--separator must be one character, or one of {listed(SEPARATORS)}, but got {shortened(given)}; "
            f"';' and tab are usual beside ','."
        )
    return found


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        raise UsageError(
            f"--encoding must be one that Python knows, but got {shortened(name)}; utf-8, latin-1 and utf-16 are usual."
        ) from None


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
        raise UsageError(
            f"The target must be named with --target, but none came; "
            f"{found.name} has the columns {listed(columns, 20)}."
        )
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


def find_column(columns: Sequence[str], wanted: str | int, where: str, what: str) -> str:
    """A column by its name, by its number from 1, or by -1 for the last.

    Examples
    --------
    >>> find_column(["a", "b", "c"], "-1", "x.csv", "The target"), find_column(["a", "b"], 1, "x.csv", "The target")
    ('c', 'a')
    >>> find_column(["age", "species"], "specis", "x.csv", "The target")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The target must be a column of x.csv, but ... 'specis'; did you mean 'species'?
    """
    from rosenblatt.features import target

    try:
        return target.find_column(columns, wanted, where, what)
    except ValueError as error:
        raise UsageError(str(error)) from None


def find_columns(columns: Sequence[str], wanted: Sequence[str], where: str, what: str) -> list[str]:
    """Several columns, with commas between them or one by one.

    Examples
    --------
    >>> find_columns(["a", "b", "c"], ["a,-1", "2"], "x.csv", "A column to drop")
    ['a', 'c', 'b']
    """
    return [
        find_column(columns, name, where, what)
        for text in wanted
        for name in ([text] if text in columns else text.split(","))
    ]


def check_kept(kept: Sequence[str], target: str | None, weights: str | None, away: Sequence[str]) -> None:
    """Refuse to keep a column that is something else already.

    Examples
    --------
    >>> check_kept(["a"], "y", None, ["a"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: A column to keep must be one to learn from, but 'a' was dropped; ...
    """
    roles = [(target, "is the target"), (weights, "has the weights"), *((name, "was dropped") for name in away)]
    for name, role in roles:
        if name is not None and name in kept:
            raise UsageError(
                f"A column to keep must be one to learn from, but {shortened(name)} {role}; leave it out of --keep."
            )


def check_left(
    columns: Sequence[str], target: str | None, weights: str | None, away: Sequence[str], where: str
) -> None:
    """Refuse to drop the target or the weights, and to leave no column to learn from.

    Examples
    --------
    >>> check_left(["a", "y"], "y", None, ["y"], "x.csv")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The target 'y' cannot be dropped; leave it out of --drop, or choose ...
    """
    for what, column in (("target", target), ("weights", weights)):
        if column is not None and column in away:
            raise UsageError(
                f"The {what} {shortened(column)} cannot be dropped; leave it out of --drop, or choose another."
            )
    if target is not None and target == weights:
        raise UsageError(
            f"The weights must be another column than the target, but both are {shortened(target)}; choose one."
        )
    roles = [(target, "is the target"), (weights, "has the weights"), *((name, "was dropped") for name in away)]
    taken = {name: role for name, role in roles if name is not None}
    if all(name in taken for name in columns):
        told = "; ".join(f"{shortened(name)} {taken[name]}" for name in list(columns)[:12])
        raise UsageError(f"There must be a column to learn from, but {where} has none left: {told}; add one.")


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
    matrix, notes = _with_labels(found, matrix, target, tests)
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


def _with_labels(found: Examples, matrix: Any, target: str | int | None, tests: bool) -> tuple[Any, list[str]]:
    """Rows of numbers with the labels that were asked for, else with their own, and a note where both are there."""
    own, named = matrix.y, is_file_of_labels(target)
    if tests and (own is not None or named):
        target, named = None, False
    if named:
        labels = _label_file(str(target))
        same = own is None or np.array_equal(labels, own)
        told = f"the labels are those of {target}, and not the ones that {found.name} comes with."
        return replace(matrix, y=labels), [] if same else [told]
    if target is None:
        beside = labels_beside(found.name) if own is None else None
        if beside is None:
            return matrix, []
        return replace(matrix, y=_label_file(beside)), [f"the labels are those of {beside}."]
    return with_target(matrix, target, found.name, found.format), []


def with_target(matrix: Any, target: str | int, name: str, format: str) -> Any:
    """Rows of numbers with the labels in one of their columns, which is counted from 1, or -1 for the last."""
    if matrix.y is not None:
        raise UsageError(
            f"The target of {name}, which has labels of its own, must be a file of other labels, but got "
            f"{shortened(target)}; leave --target out, or pass such a file."
        )
    if issparse(matrix.X) or not is_number(target):
        what = "a file of labels" if issparse(matrix.X) else "a column's number or a file of labels"
        raise UsageError(
            f"The target of {_called(matrix.X, format)} must be {what}, but got {shortened(target)}; "
            f"pass --target with {'one' if issparse(matrix.X) else 'one of these'}."
        )
    width, number = matrix.X.shape[1], int(target)
    if not 1 <= abs(number) <= width:
        raise UsageError(f"The target must be a column from 1 to {width}, or -1 for the last, but got {number}.")
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
                raise InputError(f"A file of labels must have one column, but {path} has {content.width}.")
            return content.to_series().to_numpy()
        labels = content.y if content.y is not None else content.X
        return np.asarray(labels).reshape(len(labels), -1)[:, 0]
