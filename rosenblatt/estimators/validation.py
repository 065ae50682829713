"""What the estimators ask of their input, each complaint one sentence: what must hold, what came, what to do."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight

from rosenblatt.arguments import as_float, check_positive, numbers_in, shortened, threads
from rosenblatt.arguments import check_choice as check_choice
from rosenblatt.checked_labels import NUMBERS, check_labels, check_length, check_targets
from rosenblatt.checked_rows import validated
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import check_kind, codes_of
from rosenblatt.finite import refuse_not_finite
from rosenblatt.seeds import check_seed

ANSWERS = ("last", "averaged", "voted", "pocket")
RECORDS = ("updates", "train_error")
ROW_DTYPES = (np.float64, np.float32, np.uint8)  # any other dtype becomes the first


# ---------------------------------------------------------------------- parameters


def check_flag(name: str, value: Any) -> None:
    """True or False, or 1 or 0. Text is refused: "no" would count as yes."""
    if not isinstance(value, bool | np.bool_ | int) or value not in (0, 1):
        raise ValueError(f"{name} must be True or False, but got {shortened(value)}; choose one of them.")


def _check_tol(name: str, value: Any) -> None:
    if value is not None and not as_float(value) >= 0:
        raise ValueError(f"{name} must be None or at least 0, but got {shortened(value)}; use None to go on.")


def _check_verbose(name: str, value: Any) -> None:
    if not isinstance(value, numbers.Real | np.bool_) or value < 0:
        raise ValueError(f"{name} must be 0 or 1, but got {shortened(value)}; 1 shows the epochs while they happen.")


def _check_class_weight(name: str, value: Any) -> None:
    if value is not None and not isinstance(value, dict) and not (isinstance(value, str) and value == "balanced"):
        raise ValueError(
            f"{name} must be None, 'balanced' or a dict from class to weight, but got {shortened(value)}; write it "
            f"like {{'spam': 2.0}}."
        )


PARAMETERS: dict[str, Callable[[str, Any], None]] = {  # that several learners have, each with one meaning
    "answer": partial(check_choice, choices=("auto", *ANSWERS)),
    "max_iter": partial(check_positive, why="it limits the number of epochs", whole=True),
    "tol": _check_tol,
    "time_limit": partial(check_positive, why="it is in seconds; use None for no limit", none=True),
    **dict.fromkeys(("shuffle", "fit_intercept", "warm_start", "regularize_intercept"), check_flag),
    "class_weight": _check_class_weight,
    "random_state": lambda name, value: check_seed(value),
    "n_jobs": lambda name, value: threads(value),
    "verbose": _check_verbose,
    "hash_features": partial(
        check_positive, why="it is the number of slots; use None to keep names apart", whole=True, none=True
    ),
}


def check_parameters(estimator: Any) -> None:
    """Those of the estimator's parameters that are in `PARAMETERS`."""
    for name, check in PARAMETERS.items():
        if name in vars(estimator):
            check(name, vars(estimator)[name])


def check_callback(name: str, function: Any) -> None:
    if function is not None and not callable(function):
        raise ValueError(
            f"{name} must be a function of an epoch's row, but got {shortened(function)}; pass a function."
        )


def check_schedule(name: str, schedule: Any) -> None:
    """Ask a function of t for its first rates before it is compiled, where mistakes are plain to see."""
    for t in (1, 2, 1000):
        rate = as_float(schedule(t))
        if not 0 < rate < np.inf:
            raise ValueError(
                f"{name} must return finite numbers above 0, but for t={t} it returned {rate:g}; write it like "
                f"lambda t: 1 / t."
            )


def names_among(name: str, given: str | Iterable[str] | None, choices: tuple[str, ...]) -> tuple[str, ...]:
    """None, one name or several, as a tuple of names that are among the choices."""
    if given is None:
        return ()
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for one in found:
        check_choice(name, one, choices)
    return found


# ---------------------------------------------------------------------- rows, labels and weights


def check_rows(estimator: Any, X: Any, *, reset: bool, finite: bool = True) -> Any:
    """Rows in a dtype that the engine reads; C-contiguous or CSR; finite; as wide as at the fit.

    `finite=False` leaves the look at every number to a fit, whose first epoch takes it anyway.
    """
    return validated(
        estimator, X, accept_sparse="csr", dtype=ROW_DTYPES, order="C", reset=reset, ensure_all_finite=finite
    )


def check_finite(estimator: Any, X: Any) -> None:
    """Refuse NaN and infinity in rows of which not every number has been checked yet."""
    refuse_not_finite("X", X, getattr(estimator, "feature_names_in_", None))


def check_weights(sample_weight: Any, n_rows: int, *, allow_all_zero: bool = True) -> Array:
    """One finite number of at least 0 per row, 1 where none is given; a single number is for all rows."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = numbers_in("sample_weight", sample_weight, "a vector")
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({n_rows},)! Pass one weight for each of the {n_rows} "
            f"rows."
        )
    refuse_not_finite("sample_weight", weights)
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: row {row} has {weights[row]:g}. Use 0 to leave a row "
            f"out."
        )
    if not allow_all_zero:
        _check_any_weight(weights)
    return weights.copy()


def _check_any_weight(weights: Array) -> None:
    if len(weights) and not weights.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number, but every row has the weight 0; give the rows "
            "to learn from a weight."
        )


def check_rows_and_targets(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, Array]:
    """Rows, and for each of them a number or several."""
    X = check_rows(estimator, X, reset=reset)
    return X, check_targets(y, X.shape[0])


def with_declared(y: Array, classes: Any) -> Array:
    """The labels and the classes that are declared beside them, which must be of the same kind."""
    declared = check_labels(classes)
    if not len(declared):
        return y
    if len(y):
        check_kind(y, declared)
    return np.concatenate([y, declared])


def check_weight(w: Any) -> float:
    """The weight of a single example."""
    number = float(w) if isinstance(w, bool | np.bool_) else as_float(w)
    if not 0.0 <= number < np.inf:
        raise ValueError(f"w must be a finite weight of at least 0, but got {shortened(w)}; use 0 to leave it out.")
    return number


def check_rows_and_labels(
    estimator: Any, X: Any, y: Any, *, reset: bool, finite: bool = True, known: Array | None = None
) -> tuple[Any, Array]:
    X = check_rows(estimator, X, reset=reset, finite=finite)
    plain = isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in NUMBERS
    if known is not None and plain and codes_of(known, y) is not None:  # labels that have been looked at before
        return X, check_length(y, X.shape[0], "label")
    return X, check_labels(y, X.shape[0])


def row_weights(y: Array, classes: Array, codes: Array, sample_weight: Any, class_weight: Any, *, batch: bool) -> Array:
    """sample_weight times the weight of the row's class; empty when every row weighs 1.

    A batch of a stream may be left out altogether; rows to fit may not.
    """
    if sample_weight is None and class_weight is None:
        return np.empty(0)
    weights = check_weights(sample_weight, len(y))
    if isinstance(class_weight, dict):
        known = set(classes.tolist())
        unknown, unnamed = [label for label in class_weight if label not in known], known - set(class_weight)
        if unknown and unnamed and not batch:  # a fold may lack a class; beside a class without a weight it is a slip
            raise ValueError(
                f"class_weight names {unknown[0]!r}, which is not among the classes of y; write them as in y."
            )
        weights = weights * class_factors(class_weight, classes)[codes]
    elif class_weight is not None:
        weights = weights * compute_class_weight(class_weight, classes=classes, y=y)[codes]
    if not batch:
        _check_any_weight(weights)
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


@contextmanager
def built_aside(estimator: Any) -> Iterator[Any]:
    """A copy to fit, which the estimator becomes at the end: until then it answers as before, in callbacks too."""
    new = object.__new__(type(estimator))
    vars(new).update(vars(estimator))
    yield new
    vars(estimator).clear()
    vars(estimator).update(vars(new))
