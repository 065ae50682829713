"""What a class keeps in a model file: `to_state` gives plain values and arrays, `from_state` checks them and builds it.

A class declares the kind of every value. A kind is a function of a value and of the sizes known so far, which says
whether the value fits; a size that is met for the first time is recorded, and must be the same from then on:
`array("f", "features")` beside `size("features")`. Nothing is built, and no index is followed, before all kinds fit.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

Sizes = dict[str, int]
Check = Callable[[Any, Sizes], bool]
MOST = 2**53  # beyond it nothing is counted
DIGITS = 4000  # beyond it Python refuses to read a number
FRACTION = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)


def fraction(value: Any, sizes: Sizes) -> bool:
    """A whole number or a quotient of two, as text."""
    return isinstance(value, str) and FRACTION.fullmatch(value) is not None and not value.endswith("/0")


def bit(value: Any, sizes: Sizes) -> bool:
    return type(value) is int and value in (0, 1)


def anything(value: Any, sizes: Sizes) -> bool:
    return True


def nothing(value: Any, sizes: Sizes) -> bool:
    return value is None


def flag(value: Any, sizes: Sizes) -> bool:
    return isinstance(value, bool | np.bool_)


def text(value: Any, sizes: Sizes) -> bool:
    return isinstance(value, str)


def number(value: Any, sizes: Sizes) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and -(2**64) < value < 2**64
    return isinstance(value, float | np.integer | np.floating)


def finite(value: Any, sizes: Sizes) -> bool:
    return number(value, sizes) and bool(np.isfinite(value))


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, sizes: Sizes) -> bool:
    """A whole number that counts something."""
    return is_whole(value) and 0 <= value < MOST


def small(value: Any, sizes: Sizes) -> bool:
    """A positive whole number that sizes may be computed from."""
    return is_whole(value) and 0 < value < 2**20


def size(name: str) -> Check:
    """A whole number that other things must agree with."""

    def check(value: Any, sizes: Sizes) -> bool:
        return whole(value, sizes) and sizes.setdefault(name, int(value)) == value

    return check


def choice(*choices: Any) -> Check:
    def check(value: Any, sizes: Sizes) -> bool:
        return any(type(value) is type(one) and value == one for one in choices)

    return check


def optional(wanted: Check) -> Check:
    return either(nothing, wanted)


def either(*checks: Check) -> Check:
    def check(value: Any, sizes: Sizes) -> bool:
        for one in checks:
            tried = dict(sizes)
            if one(value, tried):
                sizes.update(tried)
                return True
        return False

    return check


def array(kinds: str, *shape: str | int) -> Check:
    """A numpy array of one of the kinds (f, i, u, b, U, O) and of this shape."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or value.ndim != len(shape):
            return False
        return all(
            (sizes.setdefault(wanted, length) if isinstance(wanted, str) else wanted) == length
            for wanted, length in zip(shape, value.shape, strict=True)
        )

    return check


def matrix(value: Any, sizes: Sizes) -> bool:
    """Rows of float32, float64 or bytes, dense or sparse."""
    rows = isinstance(value, np.ndarray) or hasattr(value, "indptr")
    return rows and value.ndim == 2 and value.dtype in (np.float32, np.float64, np.uint8)


def names(length: str) -> Check:
    """An array of text, as scikit-learn has the names of features."""

    def check(value: Any, sizes: Sizes) -> bool:
        return array("O", length)(value, sizes) and all(isinstance(item, str) for item in value.tolist())

    return check


def simple(value: Any, sizes: Sizes) -> bool:
    """Numbers, text, types of numbers, arrays, and what is made of them: nothing that learns or acts."""
    if isinstance(value, list | tuple):
        return all(simple(item, sizes) for item in value)
    if isinstance(value, dict):
        return all(simple(part, sizes) for pair in value.items() for part in pair)
    if isinstance(value, np.ndarray):
        return value.dtype.kind != "O" or simple(value.tolist(), sizes)
    if isinstance(value, int):
        return -(2**64) < value < 2**64
    kinds = (str, float, bytes, slice, np.generic, np.dtype, np.random.RandomState)
    is_type = isinstance(value, type) and issubclass(value, np.generic)
    return value is None or is_type or isinstance(value, kinds)


def indices(name: str, *, below: str) -> Check:
    """Whole numbers from 0 to a size."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not array("iu", name)(value, sizes) or below not in sizes:
            return False
        return not len(value) or bool(value.min() >= 0 and value.max() < sizes[below])

    return check


def items(each: Check, length: str | None = None) -> Check:
    """A list or tuple, every item of which will do; sizes recorded by one item do not bind the next."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, list | tuple):
            return False
        if length is not None and sizes.setdefault(length, len(value)) != len(value):
            return False
        return all(each(item, dict(sizes)) for item in value)

    return check


def row_of(*checks: Check) -> Check:
    """A list or tuple with these items."""

    def check(value: Any, sizes: Sizes) -> bool:
        return (
            isinstance(value, list | tuple)
            and len(value) == len(checks)
            and all(one(item, sizes) for one, item in zip(checks, value, strict=True))
        )

    return check


def mapping(keys: Check, values: Check) -> Check:
    def check(value: Any, sizes: Sizes) -> bool:
        return isinstance(value, dict) and all(
            keys(key, dict(sizes)) and values(item, dict(sizes)) for key, item in value.items()
        )

    return check


def instance(*kinds: type) -> Check:
    def check(value: Any, sizes: Sizes) -> bool:
        return isinstance(value, kinds)

    return check


def threads(value: Any, sizes: Sizes) -> bool:
    """A number of threads that a machine may have."""
    return value is None or (is_whole(value) and -4096 <= value <= 4096)


def labels(value: Any, sizes: Sizes) -> bool:
    """Classes: numbers, text or Booleans, all different and in order."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUO":
        return False
    if value.dtype.kind == "O" and len({type(item) for item in value.tolist()}) > 1:
        return False
    if value.dtype.kind == "O" and not all(isinstance(item, str | int | float) for item in value.tolist()):
        return False
    if sizes.setdefault("classes", len(value)) != len(value):
        return False
    return len(value) < 2 or bool((value[1:] > value[:-1]).all())


@dataclass(frozen=True)
class _Maybe:
    kind: Check

    def __call__(self, value: Any, sizes: Sizes) -> bool:
        return self.kind(value, sizes)


def maybe(kind: Check) -> Check:
    """The kind of a value that may be missing."""
    return _Maybe(kind)


def kinds(given: Mapping[str, Check]) -> Mapping[str, Check]:
    """A declaration of kinds, which stays as it is."""
    return MappingProxyType(dict(given))


def checked(name: str, values: Mapping[str, Any], kinds: Mapping[str, Check]) -> Sizes:
    """The sizes of values that have these kinds, checked in the order of `kinds`; a ValueError if one does not."""
    sizes: Sizes = {}
    for key in values:
        if key not in kinds:
            raise ValueError(f"{name}: unknown entry {key[:60]!r}")
    for key, kind in kinds.items():
        if key in values and not kind(values[key], sizes):
            raise ValueError(f"{name}: {key} is invalid")
        if key not in values and not isinstance(kind, _Maybe):
            raise ValueError(f"{name}: {key} is missing")
    return sizes


INPUTS: dict[str, Check] = {  # what scikit-learn's checks of rows leave
    "n_features_in_": maybe(size("features")),
    "feature_names_in_": maybe(names("features")),
    "_sklearn_output_config": maybe(
        lambda value, sizes: (
            isinstance(value, dict)
            and set(value) <= {"transform"}
            and value.get("transform") in ("default", "pandas", "polars", None)
        )
    ),
}


def take_fitted(estimator: Any, fitted: Mapping[str, Any], kinds: Mapping[str, Check], codes: tuple[str, ...]) -> Any:
    """The state of an estimator: its parameters, and what its fit left. Only parameters in `codes` may be functions."""
    name, parameters = type(estimator).__name__, estimator.get_params(deep=False)
    for parameter, value in parameters.items():
        if parameter not in codes and holds_code(value):
            raise TypeError(f"A model file holds no code, but {parameter} of {name} is a function.")
    for key in fitted:
        if key not in kinds and key not in INPUTS:
            raise TypeError(f"A model file does not know the attribute {key} of {name}; delete it before saving.")
    return {"parameters": parameters, "fitted": dict(fitted)}


def make_estimator(
    kind: Any, state: Any, fitted_kinds: Mapping[str, Check], parameter_kinds: Mapping[str, Check]
) -> tuple[Any, dict[str, Any], Sizes]:
    """(an estimator with the parameters of a state, its fitted values, their sizes), all of them checked."""
    name = kind.__name__
    checked(name, state, {"parameters": mapping(text, anything), "fitted": mapping(text, anything)})
    fitted, sizes = state["fitted"], {}
    if fitted:
        sizes = checked(name, fitted, INPUTS | dict(fitted_kinds))
    known = set(inspect.signature(kind).parameters)
    for key, value in state["parameters"].items():
        if key not in known:
            raise ValueError(f"{name}: unknown parameter {key[:60]!r}")
        if not parameter_kinds.get(key, simple)(value, sizes):
            raise ValueError(f"{name}: the parameter {key} is invalid")
    return kind(**state["parameters"]), dict(fitted), sizes


class Stored:
    """An estimator that declares what it keeps in a model file.

    `_stored` has a kind for every attribute that a fit leaves, `_stored_parameters` one for every parameter that is not
    a plain value, `_stored_codes` names those that may be functions, `_not_stored` attributes that are made again when
    needed. A subclass whose attributes are stored in another form overrides `_to_fitted` and `_set_fitted`.
    """

    _stored: ClassVar[Mapping[str, Check]] = {}
    _stored_parameters: ClassVar[Mapping[str, Check]] = {}
    _stored_codes: ClassVar[tuple[str, ...]] = ()
    _not_stored: ClassVar[tuple[str, ...]] = ()

    def to_state(self) -> dict[str, Any]:
        return dict(take_fitted(self, self._to_fitted(), self._stored, self._stored_codes))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        result, fitted, sizes = make_estimator(cls, state, cls._stored, cls._stored_parameters)
        if fitted:
            result._set_fitted(fitted)
            result._check_fitted(sizes)
        return result

    def _to_fitted(self) -> dict[str, Any]:
        left = {*self.get_params(deep=False), *self._not_stored}  # type: ignore[attr-defined]
        return {name: value for name, value in vars(self).items() if name not in left}

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        vars(self).update(fitted)

    def _check_fitted(self, sizes: Sizes) -> None:
        """Raise a ValueError where the attributes do not belong together."""


def holds_code(value: Any) -> bool:
    """Whether a parameter is or contains a function; types of numbers and estimators are none."""
    if isinstance(value, list | tuple):
        return any(holds_code(item) for item in value)
    if isinstance(value, dict):
        return any(holds_code(item) for item in value.values())
    return callable(value) and not isinstance(value, type) and not hasattr(value, "get_params")
