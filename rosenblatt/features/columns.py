"""From the columns of a table to rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np
import polars as pl
from scipy.sparse import csr_array, vstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import check_choice, mapping, shortened, whole_number
from rosenblatt.features.column import KEPT, KINDS, MOST_FEATURES, Column, notes_on
from rosenblatt.features.column_cells import entries, readable
from rosenblatt.features.column_decision import FEW_ROWS, decide
from rosenblatt.features.column_figures import ColumnFigures
from rosenblatt.features.tables import CellError, as_frame
from rosenblatt.features.text_numbers import MOSTLY
from rosenblatt.models.linear import Array
from rosenblatt.stored import Sizes, Stored, flag, instance, items, kinds, whole
from rosenblatt.wording import listed

TEXT = ("auto", "tfidf", "hashed", "drop")
MISSING = ("error", "median", "indicator")
SCALES = ("standard", None)
SLICE = 2**14  # rows encoded at a time
EXACT = 2**22  # numbers up to which rows are float64
MOSTLY_ZERO = 0.25  # of the entries different from 0, below which rows are sparse
NARROW = 32  # columns up to which rows are dense in any case


class ColumnEncoder(Stored, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode the columns of a table as numbers, each by what it holds.

    ========== ============================================== ==========================================
    kind       which columns                                  what becomes of them
    ========== ============================================== ==========================================
    number     numbers, dates and times (in days)             one feature, scaled to deviation 1
    boolean    true/false, yes/no, y/n, t/f, on/off           one feature, 0 or 1
    category   text of at most `max_categories` values        a feature for each value, 0 or 1
    hashed     text of more values                            `hash_features` features by hashing, 0 or ±1
    text       three and more words a value                   weights of words, see `text`
    dropped    constant, all missing, row numbers and names   nothing
    ========== ============================================== ==========================================

    Parameters
    ----------
    text : "auto", "tfidf", "hashed" or "drop"
        "tfidf": a feature for each word, the weight of which grows with its rarity; needs the whole text in `fit`.
        "hashed": `hash_features` features by hashing, whatever the words. "auto": "tfidf" in `fit`, "hashed" in
        `fit_batches`.
    missing : "error", "median" or "indicator"
        What is done about missing values. "median": a missing number becomes the median of its column, a missing
        Boolean the more frequent value, a missing category none of the categories. "indicator": the same, and a
        further feature says that the value was missing, for each column that had missing values in the fit. "error":
        they are refused. Missing text has no words in any case. NaN counts as missing; an infinite number is refused.
        Where at least 95 % of the values of a column are numbers, the others count as missing.
    scale : "standard" or None
        "standard": numbers are divided by their standard deviation, and their mean is taken away unless most of
        them are 0; of a column of numbers below 1e-140, whose squares vanish, half the range is the deviation. None:
        numbers stay as they are.
    max_categories : int
        How many values a category may have.
    hash_features : int
        How many features hashing gives.
    max_words : int
        How many words "tfidf" keeps, the most frequent ones.
    sparse : "auto", True or False
        Whether rows are CSR; "auto" when less than a quarter of the entries differ from 0.
    dtype : None, "float32" or "float64"
        None: float64 for up to 4 million numbers, float32 for more.
    kinds : dict of str to str, optional
        The kind of columns where it should not be found out, for instance ``{"zip": "category", "name": "dropped"}``.
        "kept": whichever kind it is, the column is not left out because it looks like a number or name of the row.

    Attributes
    ----------
    columns_ : list of `Column`
        What each column is, in the order of the table.
    feature_names_in_ : array of str
    n_features_in_, n_features_out_ : int
    dropped_ : dict of str to str
        The columns that are left out, and why.
    notes_ : list of str
        Sentences about what is not obvious: dropped columns, filled values.
    sparse_ : bool
    dtype_ : dtype
    unknown_counts_ : dict of str to int
        Of the last `transform`: how many values of a category had not been seen in the fit; such a row is in none of
        the categories. Of numbers: how many values are none, and count as missing.

    Examples
    --------
    >>> from rosenblatt import ColumnEncoder
    >>> table = {"age": [20, 30, 40, None], "city": ["Rome", "Oslo"] * 2, "smokes": ["no", "no", "yes", "no"]}
    >>> encoder = ColumnEncoder(scale=None).fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'city=Oslo', 'city=Rome', 'smokes=yes']
    >>> encoder.transform({"smokes": ["yes"], "city": ["Lima"], "age": [None]}), encoder.unknown_counts_
    (array([[30.,  0.,  0.,  1.]]), {'city': 1})
    """

    columns_: list[Column]

    _stored = kinds({
        "columns_": items(instance(Column)), "n_rows_": whole, "sparse_": flag,
        "dtype_": lambda value, sizes: value in (np.dtype("float32"), np.dtype("float64")),
    })  # fmt: skip
    _not_stored = ("feature_names_in_", "n_features_in_", "n_features_out_", "unknown_counts_")

    def __init__(
        self,
        text: str = "auto",
        missing: str = "median",
        scale: str | None = "standard",
        max_categories: int = 100,
        hash_features: int = 2**14,
        max_words: int = 2**18,
        sparse: Any = "auto",
        dtype: Any = None,
        kinds: dict[str, str] | None = None,
    ) -> None:
        self.text = text
        self.missing = missing
        self.scale = scale
        self.max_categories = max_categories
        self.hash_features = hash_features
        self.max_words = max_words
        self.sparse = sparse
        self.dtype = dtype
        self.kinds = kinds

    # ------------------------------------------------------------------ fit

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find out what the columns are. X is a polars or pandas frame, a dict of columns or a matrix."""
        return self._fit([as_frame(X)], whole=True)

    def look(self, X: Any) -> Self:
        """`fit`, to find out what the columns are: a table may leave nothing to learn from."""
        return self._fit([as_frame(X)], whole=True, needed=False)

    def fit_batches(self, batches: Iterable[Any]) -> Self:
        """The same from frames that come one after another and need not fit into memory together.

        Numbers, Booleans and categories come out as in `fit`, but for the rounding of mean and deviation, and the
        median, which is that of a sample. Whether short text names the rows is decided by the first batch.
        """
        if isinstance(batches, str | Mapping | pl.DataFrame) or not isinstance(batches, Iterable):
            raise TypeError(f"batches must be several tables, such as a list of frames, but got {shortened(batches)}.")
        return self._fit((as_frame(batch) for batch in batches), whole=False)

    def _fit(self, frames: Iterable[pl.DataFrame], *, whole: bool, needed: bool = True) -> Self:
        self._check_parameters()
        tfidf = self.text == "tfidf" or (self.text == "auto" and whole)
        figures: dict[str, ColumnFigures] = {}
        n_rows = 0
        for frame in frames:
            if not figures:
                figures = {name: ColumnFigures(name, int(self.max_categories), tfidf) for name in frame.columns}
                self._check_kinds(figures)
            self._check_present(frame, list(figures))
            for known in figures.values():
                known.add(frame[known.name])
            n_rows += frame.height
        if not figures or n_rows == 0:
            lacking = f"{len(figures)} feature(s)" if not figures else f"{n_rows} sample(s)"
            raise ValueError(
                f"Found array with {lacking} (shape=({n_rows}, {len(figures)})) while a minimum of 1 is required."
            )
        columns = [decide(self, known, tfidf) for known in figures.values()]
        width = 0
        for column in columns:
            column.start = width
            width += column.width
        if width == 0 and needed:
            reasons = "; ".join(f"{shortened(column.name)}: {column.why}" for column in columns[:5])
            rows = "one sample" if n_rows == 1 else f"{n_rows:,} rows"
            raise ValueError(
                f"There is no column to learn from: of {rows}, every column is left out ({reasons}); "
                f"add {'rows' if n_rows < FEW_ROWS else 'columns'}, or keep one of them."
            )
        self._settle(columns, n_rows)
        return self

    def _settle(self, columns: list[Column], n_rows: int) -> None:
        self.columns_ = columns
        self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
        self.n_features_in_ = len(columns)
        self.n_features_out_ = sum(column.width for column in columns)
        self.n_rows_ = n_rows
        filled = sum(column.filled for column in columns)
        mostly_zero = self.n_features_out_ > NARROW and filled < MOSTLY_ZERO * self.n_features_out_
        self.sparse_ = mostly_zero if isinstance(self.sparse, str) else bool(self.sparse)
        small = n_rows * (filled if self.sparse_ else self.n_features_out_) <= EXACT
        self.dtype_ = np.dtype(self.dtype or ("float64" if small else "float32"))
        self.unknown_counts_: dict[str, int] = {}

    def _check_parameters(self) -> None:
        for name, choices in (("text", TEXT), ("missing", MISSING), ("scale", SCALES)):
            check_choice(name, getattr(self, name), choices)
        for name in ("max_categories", "hash_features", "max_words"):
            whole_number(name, getattr(self, name), 1, "the default is a good start")
        if not isinstance(self.sparse, bool | np.bool_ | str) or self.sparse not in ("auto", True, False):
            raise ValueError(f"sparse must be 'auto', True or False, but got {shortened(self.sparse)}.")
        try:
            fits = self.dtype is None or np.dtype(self.dtype) in (np.dtype("float32"), np.dtype("float64"))
        except TypeError:
            fits = False
        if not fits:
            raise ValueError(f"dtype must be None, float32 or float64, but got {shortened(self.dtype)}.")
        if self.kinds is not None:
            mapping("kinds", self.kinds, "{'age': 'number'}")

    def _check_kinds(self, figures: dict[str, ColumnFigures]) -> None:
        for name, kind in (self.kinds or {}).items():
            if name not in figures:
                raise ValueError(f"kinds names the column {shortened(name)}, which the table does not have.")
            if kind not in (*KINDS, KEPT):
                raise ValueError(
                    f"The kind of {shortened(name)} must be one of {', '.join((*KINDS, KEPT))}, but got "
                    f"{shortened(kind)}."
                )

    # ------------------------------------------------------------------ transform

    def transform(self, X: Any) -> Any:
        """The rows as an array or, when `sparse_`, a csr_array."""
        check_is_fitted(self)
        frame = as_frame(X)
        self._check_present(frame, [column.name for column in self.columns_])
        self.unknown_counts_ = {}
        frame = frame.select(readable(self, column, frame[column.name]) for column in self.columns_ if column.width)
        if not self.sparse_:
            out = np.zeros((frame.height, self.n_features_out_), self.dtype_)
            for start, piece in _slices(frame):
                for rows, columns, values in self._entries(piece, start):
                    out[start : start + piece.height][slice(None) if rows is None else rows, columns] = values
            return out
        pieces = [self._sparse(piece, start) for start, piece in _slices(frame)]
        return vstack(pieces, "csr") if pieces else csr_array((0, self.n_features_out_), dtype=self.dtype_)

    def _entries(self, frame: pl.DataFrame, start: int) -> Iterator[tuple[Array | None, Any, Array]]:
        """(rows or None for all, columns, values) of the features of a slice."""
        for column in self.columns_:
            if column.width:
                yield from entries(self, column, frame[column.name], start)

    def _sparse(self, frame: pl.DataFrame, start: int) -> csr_array:
        """The rows of a slice."""
        parts: list[tuple[Array, Array, Array]] = []
        for rows, columns, values in self._entries(frame, start):
            if rows is None:
                rows = np.flatnonzero(values)
                values = values[rows]
            parts.append((values, rows, np.broadcast_to(columns, rows.shape)))
        values, rows, columns = (np.concatenate([part[k] for part in parts]) for k in range(3))
        return csr_array((values.astype(self.dtype_), (rows, columns)), shape=(frame.height, self.n_features_out_))

    def check_strange(self, column: Column, strange: int, rows: int, row: int, value: str) -> None:
        """Refuse text in a column of numbers, unless it is little or the fit had seen such text too.

        `strange` of `rows` values are no numbers, the first of which stands in `row`, from 0.
        """
        known = bool(column.style) and column.strange > 0
        if self.missing == "error" or (not known and strange > (1.0 - MOSTLY) * rows):
            raise CellError(f"no_{column.called}", row, column.name, value)

    def _check_present(self, frame: pl.DataFrame, names: list[str]) -> None:
        have = set(frame.columns)
        lacking = [name for name in names if name not in have]
        if lacking:
            raise ValueError(
                f"X has {len(frame.columns)} features, but ColumnEncoder is expecting {len(names)} features as input: "
                f"the table lacks the column{'s' if len(lacking) > 1 else ''} {listed(map(repr, lacking), 5)}."
            )

    # ------------------------------------------------------------------ what it is

    @property
    def dropped_(self) -> dict[str, str]:
        return {column.name: column.why for column in self.columns_ if column.kind == "dropped"}

    @property
    def notes_(self) -> list[str]:
        return notes_on(self.columns_)

    @property
    def scaling_(self) -> tuple[Array, Array]:
        """(factors, shifts): feature j is factors[j] · x + shifts[j] of the unscaled number; 1 and 0 elsewhere."""
        factors, shifts = np.ones(self.n_features_out_), np.zeros(self.n_features_out_)
        for column in self.columns_:
            if column.kind == "number":
                factors[column.start], shifts[column.start] = column.factor, column.shift
        return factors, shifts

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names like "age", "city=Rome", "smokes=yes", "message: free", "message #17", "age is missing"."""
        check_is_fitted(self)
        names: list[str] = []
        for column in self.columns_:
            names += column.feature_names
        return np.array(names, dtype=object)

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        self._check_parameters()
        start = 0
        for column in fitted["columns_"]:
            column.start, start = start, start + column.width
        self._settle(fitted["columns_"], fitted["n_rows_"])
        super()._set_fitted(fitted)

    def _check_fitted(self, sizes: Sizes) -> None:
        if len({column.name for column in self.columns_}) != len(self.columns_):
            raise ValueError("ColumnEncoder: its columns must have different names")
        if not 0 < self.n_features_out_ < MOST_FEATURES:
            raise ValueError(f"ColumnEncoder: it must have from 1 to {MOST_FEATURES} features")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _slices(frame: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    for start in range(0, frame.height, SLICE):
        yield start, frame.slice(start, SLICE)
