"""What the estimators ask of their input, each complaint one sentence: what must hold, what came, what to do."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NoReturn

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from rosenblatt.arguments import as_float, shortened
from rosenblatt.checked_rows import validated
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import NUMBERS, check_kind, codes_of, spread
from rosenblatt.finite import refuse_not_finite
from rosenblatt.seeds import check_seed

FLAGS = ("shuffle", "fit_intercept", "warm_start", "regularize_intercept")
IDENTITY = ("classes_", "n_features_in_", "feature_names_in_", "_names")  # of a fit, known before it is done
MISSING = {"NoneType", "NAType", "NaTType", "float"}  # types of labels that may say that there is none
MOST_COUNTED = 2**63 - 1
ROW_DTYPES = (np.float64, np.float32, np.uint8)  # any other dtype becomes the first


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, but got {shortened(value)}; choose one of them.")


def check_positive(name: str, value: Any, why: str, *, whole: bool = False, none: bool = False) -> None:
    kind = numbers.Integral if whole else numbers.Real
    if none and value is None:
        return
    fits = isinstance(value, kind) and not isinstance(value, bool)
    large = whole and fits and value > MOST_COUNTED
    if not fits or large or not 0 < as_float(value) < np.inf:
        what = "a whole number" if whole else "a finite number"
        most = f", at most {MOST_COUNTED:,}" if large else ""
        raise ValueError(f"{name} must be {what} above 0{most}, but got {shortened(value)}; {why}.")


def check_flag(name: str, value: Any) -> None:
    """True or False, or 1 or 0. Text is refused: "no" would count as yes."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise ValueError(f"{name} must be True or False, but got {shortened(value)}; choose one of them.")


def check_flags(estimator: Any) -> None:
    """Those that it has of `FLAGS`, and `verbose`."""
    for name in FLAGS:
        check_flag(name, getattr(estimator, name, True))
    verbose = getattr(estimator, "verbose", 0)
    if not isinstance(verbose, numbers.Real | np.bool_) or verbose < 0:
        raise ValueError(f"verbose must be 0 or 1, but got {shortened(verbose)}; 1 shows the epochs while they happen.")


def check_common(estimator: Any) -> None:
    """The parameters that all learners share and that scikit-learn would complain about in its own words, and late."""
    check_threads(estimator.n_jobs)
    check_flags(estimator)
    weight = estimator.class_weight
    if weight is not None and not isinstance(weight, dict) and not (isinstance(weight, str) and weight == "balanced"):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict from class to weight, but got {shortened(weight)}; write "
            f"it like {{'spam': 2.0}}."
        )
    check_seed(estimator.random_state)


def check_threads(n_jobs: Any) -> None:
    if n_jobs is None:
        return
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be a whole number other than 0, or None, but got {shortened(n_jobs)}; -1 is one for each "
            f"core."
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
    """Refuse NaN and infinity in rows of which not every number has been checked yet."""
    refuse_not_finite("X", X, getattr(estimator, "feature_names_in_", None))


def check_weights(
    sample_weight: Any, X: Any, *, ensure_non_negative: bool = False, allow_all_zero: bool = True
) -> Array:
    """One finite number per row, 1 where none is given; a single number is for all rows."""
    n_rows = X.shape[0]
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"sample_weight must be numbers in the range of float64, got {shortened(sample_weight)}; pass "
            f"one weight for each row."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({n_rows},)! Pass one weight for each of the {n_rows} "
            f"rows."
        )
    refuse_not_finite("sample_weight", weights)
    if ensure_non_negative and (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: row {row} has {weights[row]:g}. Use 0 to leave a row "
            f"out."
        )
    if not allow_all_zero and n_rows and not weights.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number, but every row has the weight 0; give the rows "
            "to learn from a weight."
        )
    return weights.copy()


def check_labels(y: Any, n_rows: int | None = None, known: Array | None = None) -> Array:
    """One label per row, all of one kind. Labels that are all among the `known` ones have been looked at before."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None; pass one label per row.")
    _check_container(y, "label")
    if isinstance(y, list | tuple):
        _check_kinds(y)  # numpy would quietly turn numbers among text into text
    y = _column(y)
    if known is not None and y.dtype.kind in NUMBERS and codes_of(known, y) is not None:
        return _as_many(y, n_rows)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        _refuse_missing("NaN" if np.isnan(y[row]) else "infinity", row, y[row])
    if y.dtype.kind == "S" or (y.dtype.kind == "O" and len(y) and isinstance(y[0], bytes)):
        raise ValueError(
            "y must hold numbers or text, but has bytes; turn them into text, with [label.decode() for label in y] for "
            "instance."
        )
    if y.dtype.kind in "OmM":
        _check_kinds(y)
        y = _plain(y)
    if y.dtype.kind == "U" or (y.dtype.kind == "O" and len(y) and isinstance(y[0], str)):
        return _as_many(y, n_rows)  # text is classes: scikit-learn's check would sort all of it
    if y.dtype.kind in "biu" and 0 < spread(y) <= round(0.5 * len(y)):
        return _as_many(y, n_rows)  # whole numbers are classes; scikit-learn warns where every second row has its own
    if y.dtype.kind == "f" and (y != np.floor(y)).any():
        row = int(np.flatnonzero(y != np.floor(y))[0])
        raise ValueError(
            f"Unknown label type: continuous. Row {row} of y has {y[row]:g}; classes are whole numbers or text. To "
            f"predict numbers, use LeastSquares."
        )
    check_classification_targets(y)
    return _as_many(y, n_rows)


def _check_container(y: Any, what: str) -> None:
    """Refuse what holds no values, one for each row, or hides some of them; `what` they are."""
    if hasattr(y, "collect"):
        raise ValueError(f"y must be in memory, but got {type(y).__name__}; call y.collect() first.")
    if isinstance(y, str | bytes | Set | Mapping | Iterator) or (not hasattr(y, "toarray") and np.isscalar(y)):
        raise ValueError(
            f"y must be a list or an array of {what}s, but got {type(y).__name__}; pass one {what} per row."
        )
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        row = int(np.argwhere(np.ma.getmaskarray(y))[0][0])
        raise ValueError(
            f"y must have a {what} for every row, but the {what} of row {row} is masked; leave such rows out, or fill "
            f"them in with y.filled(...)."
        )


def check_rows_and_targets(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
    """Rows, and for each of them a number or several."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None; pass one number per row.")
    X = check_rows(estimator, X, reset=reset)
    return X, check_targets(y, X.shape[0])


def check_targets(y: Any, n_rows: int) -> Array:
    """One number per row, or several, as float64."""
    _check_container(y, "number")
    try:
        values = np.asarray(y)
    except ValueError:
        raise ValueError(_on_ragged(y, "number")) from None
    first = values.flat[0] if values.size else None
    if values.dtype.kind in "mM" or isinstance(first, date | timedelta):
        raise ValueError(
            "y must hold numbers, but has dates or times; turn them into numbers first, into days since a day of your "
            "choice for instance."
        )
    if values.dtype.kind in "US" or isinstance(first, str | bytes):
        raise ValueError("y must hold numbers, but has text; use a classifier for labels, Perceptron for instance.")
    if values.dtype.kind == "c":
        raise ValueError(
            "Complex data not supported: y must hold real numbers, but has complex ones; pass two columns."
        )
    if values.ndim not in (1, 2) or len(values) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows, but got {n_rows} and y of shape {values.shape}; pass one "
            f"number per row, or one row of numbers."
        )
    try:
        targets = values.astype(np.float64)
    except OverflowError:
        raise ValueError("y must hold numbers in the range of float64, but has larger ones; scale them.") from None
    except (TypeError, ValueError):
        wrong = next(value for value in values.flat if not isinstance(value, numbers.Real))
        raise ValueError(f"y must hold numbers, but has {type(wrong).__name__} objects; convert them first.") from None
    refuse_not_finite("y", targets)
    return targets


def _on_ragged(y: Any, what: str) -> str:
    """What to say of rows of y that have different numbers of values."""
    counts = [len(one) if hasattr(one, "__len__") and not isinstance(one, str) else 1 for one in y]
    row = next((row for row, count in enumerate(counts) if count != 1), 0)
    return f"y must have one {what} for every row, but row {row} has {counts[row]}; pass one {what} per row."


def _column(y: Any) -> Array:
    """The labels as an array of one dimension; whole numbers and truth values of pandas' own stay such."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        return y
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "kind", "") in ("b", "i", "u") and hasattr(dtype, "numpy_dtype") and not y.isna().any():
        y = y.to_numpy(dtype.numpy_dtype)
    if getattr(dtype, "kind", "") == "c" or (isinstance(y, list | tuple) and any(type(one) is complex for one in y)):
        raise ValueError("Complex data not supported: y holds complex numbers. Give each row a class.")
    if isinstance(y, list | tuple):
        try:
            y = np.asarray(y)
        except ValueError:
            raise ValueError(_on_ragged(y, "label")) from None
    return np.asarray(column_or_1d(y, warn=True))


def _plain(y: Array) -> Array:
    """Numbers that came as objects, as numbers."""
    first = y[0] if len(y) else ""
    if isinstance(first, date | timedelta | np.datetime64 | np.timedelta64):
        raise ValueError(
            f"y must hold numbers or text, but got {type(first).__name__} objects; convert them, with "
            f"[str(label) for label in y] for instance."
        )
    if not isinstance(first, numbers.Real):
        return y
    plain = np.array(y.tolist())
    if plain.dtype.kind not in NUMBERS:
        raise ValueError(
            f"y must hold whole numbers of at most 64 bits, but has larger ones, like {_short(max(y, key=abs))}; use "
            f"text."
        )
    return plain


def _short(number: Any) -> str:
    """A number that may have hundreds of digits."""
    text = str(number)
    return text if len(text) <= 30 else f"one of {len(text)} digits"


def with_declared(y: Array, classes: Any) -> Array:
    """The labels and the classes that are declared beside them, which must be of the same kind."""
    declared = check_labels(classes)
    if not len(declared):
        return y
    if len(y):
        check_kind(y, declared)
    return np.concatenate([y, declared])


def _as_many(y: Array, n_rows: int | None) -> Array:
    if n_rows is not None and len(y) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows, but got {n_rows} and {len(y)}; pass one label per row."
        )
    return y


def check_weight(w: Any) -> float:
    """The weight of a single example."""
    number = float(w) if isinstance(w, bool | np.bool_) else as_float(w)
    if not 0.0 <= number < np.inf:
        raise ValueError(f"w must be a finite weight of at least 0, but got {shortened(w)}; use 0 to leave it out.")
    return number


def check_label(y: Any) -> Array:
    """A single label, as an array of one."""
    if y is None or isinstance(y, Mapping | Set) or np.ndim(y):
        raise ValueError(
            f"y must be one label, a number or text, but got {shortened(y)}; use learn_many for several examples."
        )
    return check_labels([y])


def _check_kinds(labels: Any) -> None:
    """Refuse a missing label, and text among other things."""
    kinds = {str if issubclass(kind, str) else kind for kind in set(map(type, labels))}
    if MISSING & {kind.__name__ for kind in kinds}:
        for row, label in enumerate(labels):
            if type(label).__name__ in MISSING and not (isinstance(label, float) and label == label):
                _refuse_missing("None" if label is None else "NaN", row, label)
    if len(kinds) > 1 and (str in kinds or hasattr(labels, "dtype")):
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"y must hold labels of one kind, but got {names}; convert them to one kind first.")


def _refuse_missing(what: str, row: int, label: Any) -> NoReturn:
    raise ValueError(
        f"Input y contains {what}: every label must be a value, but row {row} has {label}; leave the row out or give "
        f"it a label."
    )


def check_is_given(estimator: Any, y: Any) -> None:
    """Refuse labels that are not there."""
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None; pass one label per row.")


def check_rows_and_labels(
    estimator: Any, X: Any, y: Any, *, reset: bool, finite: bool = True, known: Array | None = None
) -> tuple[Any, Array]:
    check_is_given(estimator, y)
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
    weights = check_weights(sample_weight, X, ensure_non_negative=True, allow_all_zero=batch)
    if isinstance(class_weight, dict):
        known = set(classes.tolist())
        unknown, unnamed = [label for label in class_weight if label not in known], known - set(class_weight)
        if unknown and unnamed and not batch:  # a fold may lack a class; beside a class without a weight it is a slip
            raise ValueError(
                f"class_weight names {unknown[0]!r}, which is not among the classes of y, but not "
                f"{min(unnamed, key=str)!r}, which is; write classes as in y."
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
def unchanged_on_failure(estimator: Any) -> Iterator[dict[str, Any]]:
    """A call that is refused leaves the estimator as it was; what it was is given."""
    before = dict(vars(estimator))
    try:
        yield before
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def as_before(estimator: Any, before: dict[str, Any], callback: Callable[[Any], object]) -> Callable[[Any], object]:
    """The callback, within which the estimator still is what it was: an earlier fit answers whole, or none does."""

    def call(row: Any) -> object:
        now = {name: vars(estimator).pop(name) for name in IDENTITY if name in vars(estimator)}
        vars(estimator).update({name: before[name] for name in IDENTITY if name in before})
        try:
            return callback(row)
        finally:
            for name in IDENTITY:
                vars(estimator).pop(name, None)
            vars(estimator).update(now)

    return call
