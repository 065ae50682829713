"""What the estimators ask of their input, each complaint one sentence: what must hold, what came, what to do."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from datetime import date
from typing import Any, NoReturn

import numpy as np
from sklearn.utils import assert_all_finite, check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, column_or_1d, validate_data

from rosenblatt.engine.state import Array
from rosenblatt.estimators.classes import NUMBERS, codes_of
from rosenblatt.finite import in_one_sentence
from rosenblatt.wording import listed

ALLOWS_ZEROS = "allow_all_zero_weights" in inspect.signature(_check_sample_weight).parameters
TEXT_ADVICE = (
    "turn text into numbers first, with ColumnEncoder for tables or scikit-learn's TfidfVectorizer for sentences"
)
ROW_DTYPES = (np.float64, np.float32, np.uint8)  # any other dtype becomes the first


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, but got {value!r}; choose one of them.")


def check_positive(name: str, value: Any, why: str, *, whole: bool = False, none: bool = False) -> None:
    kind = numbers.Integral if whole else numbers.Real
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, kind) or not 0 < float(value) < np.inf:
        what = "a whole number" if whole else "a finite number"
        raise ValueError(f"{name} must be {what} above 0, but got {value!r}; {why}.")


def check_common(estimator: Any) -> None:
    """The parameters that all learners share and that scikit-learn would complain about in its own words, and late."""
    check_threads(estimator.n_jobs)
    weight = estimator.class_weight
    if weight is not None and not isinstance(weight, dict) and not (isinstance(weight, str) and weight == "balanced"):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict from class to weight, but got {weight!r}; write it like "
            f"{{'spam': 2.0}}."
        )
    check_seed(estimator.random_state)


def check_seed(seed: Any) -> None:
    try:
        check_random_state(seed)
    except (ValueError, TypeError):
        raise ValueError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1 or a numpy RandomState, but got {seed!r}; "
            f"pass 0, say."
        ) from None


def check_threads(n_jobs: Any) -> None:
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a whole number other than 0, or None, but got {n_jobs!r}; -1 is one for each core."
        )


def check_rows(estimator: Any, X: Any, *, reset: bool, finite: bool = True) -> Any:
    """Rows in a dtype that the engine reads; C-contiguous or CSR; finite; as wide as at the fit.

    `finite=False` leaves the look at every number to a fit, whose first epoch takes it anyway.
    """
    return validated(
        estimator,
        X,
        accept_sparse="csr",
        dtype=ROW_DTYPES,
        order="C",
        reset=reset,
        ensure_min_features=1,
        ensure_all_finite=finite,
    )


def check_finite(estimator: Any, X: Any) -> None:
    """Refuse NaN and infinity in rows of which nobody has looked at every number yet."""
    with in_one_sentence(X=X):
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")


def check_weights(sample_weight: Any, X: Any, **options: Any) -> Array:
    """One finite number per row, 1 where none is given; `options` of scikit-learn's check."""
    with in_one_sentence(sample_weight=sample_weight):
        return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, **options))


def validated(estimator: Any, X: Any, *y: Any, **settings: Any) -> Any:
    """scikit-learn's `validate_data`, with what to do where its own sentence leaves that open."""
    try:
        with in_one_sentence(X=X, y=y[0] if y else None):
            return validate_data(estimator, X, *y, **settings)
    except ValueError as error:
        said = str(error)
    if "could not convert string to float" in said:
        said = f"X must hold numbers, but has text ({said}); {TEXT_ADVICE}."
    elif "features as input" in said:
        names = getattr(estimator, "feature_names_in_", None)
        said = f"{said} Pass the columns that it was fitted on{'' if names is None else ': ' + listed(names, 8)}."
    raise ValueError(said) from None


def check_labels(y: Any, n_rows: int | None = None, known: Array | None = None) -> Array:
    """One label per row, all of one kind. Labels that are all among the `known` ones have been looked at before."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None; pass one label per row.")
    given = set(map(type, y)) if isinstance(y, list | tuple) else set()
    if str in given and len(given) > 1:  # numpy would quietly turn the others into text
        _refuse_kinds(given)
    y = column_or_1d(y, warn=True)
    if known is not None and y.dtype.kind in NUMBERS and codes_of(known, y) is not None:
        return _as_many(y, n_rows)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(
            f"Input y contains {'NaN' if np.isnan(y[row]) else 'infinity'}: every label must be a value, but row {row} "
            f"has {y[row]}; leave the row out or give it a label."
        )
    if y.dtype.kind == "O":
        kinds = set(map(type, y))
        if len(kinds) > 1:
            _refuse_kinds(kinds)
        if any(issubclass(kind, date) for kind in kinds):
            raise ValueError(
                f"y must hold numbers or text, but got {kinds.pop().__name__} objects; convert them, with "
                f"[str(label) for label in y] for instance."
            )
    try:
        check_classification_targets(y)
    except ValueError as error:
        raise ValueError(f"{error} To predict numbers, use LeastSquares.") from None
    return _as_many(y, n_rows)


def _as_many(y: Array, n_rows: int | None) -> Array:
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows, but got {n_rows} and {len(y)}; pass one label per row."
        )
    return y


def check_label(y: Any) -> Array:
    """A single label, as an array of one."""
    if y is None or isinstance(y, Mapping | Set) or np.ndim(y):
        raise ValueError(f"y must be one label, a number or text, but got {y!r}; use learn_many for several examples.")
    return check_labels([y])


def _refuse_kinds(kinds: set[type]) -> NoReturn:
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise ValueError(f"y must hold labels of one kind, but got {names}; convert them to one kind first.")


def check_rows_and_labels(
    estimator: Any, X: Any, y: Any, *, reset: bool, finite: bool = True, known: Array | None = None
) -> tuple[Any, Array]:
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None; pass one label per row.")
    X = check_rows(estimator, X, reset=reset, finite=finite)
    return X, check_labels(y, X.shape[0], known)


def row_weights(
    X: Any, y: Array, classes: Array, codes: Array, sample_weight: Any, class_weight: Any, *, batch: bool
) -> Array:
    """sample_weight times the weight of the row's class; empty when every row weighs 1.

    A batch of a stream may be left out altogether; rows to fit may not.
    """
    if sample_weight is None and class_weight is None:
        return np.empty(0)
    allowed = {"allow_all_zero_weights": True} if batch and ALLOWS_ZEROS else {}
    weights = check_weights(sample_weight, X, copy=True, **allowed)
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(
            f"sample_weight must not be negative, but row {row} has {weights[row]:g}; use 0 to leave a row out."
        )
    if isinstance(class_weight, dict):
        unknown = [] if batch else [label for label in class_weight if label not in classes.tolist()]
        if unknown:
            raise ValueError(
                f"class_weight must name classes of y ({', '.join(map(repr, classes.tolist()[:8]))}), but got "
                f"{unknown[0]!r}; remove it or write it as in y."
            )
        weights = weights * class_factors(class_weight, classes)[codes]
    elif class_weight is not None:
        weights = weights * compute_class_weight(class_weight, classes=classes, y=y)[codes]
    return weights


def class_factors(class_weight: dict[Any, Any], classes: Array) -> Array:
    """The weight of every class; 1 where none is given. Classes that have not appeared may be named."""
    factors = np.ones(len(classes))
    for code, label in enumerate(classes.tolist()):
        try:
            factors[code] = float(class_weight.get(label, 1.0))
        except (TypeError, ValueError):
            factors[code] = np.nan
        if not 0.0 <= factors[code] < np.inf:
            raise ValueError(
                f"class_weight must hold finite numbers that are not negative, but class {label!r} has "
                f"{class_weight[label]!r}; use 0 to leave a class out."
            )
    return factors


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[None]:
    """A call that is refused leaves the estimator as it was."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
