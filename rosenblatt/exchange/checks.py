"""What a value of a model file must be: its type, its dtype, its shape. Sizes go by names, which mean one number each.

A check takes a value and the sizes known so far, and says whether the value will do; a size that is met for the first
time is noted, and from then on must be the same: `array("f", "features")` beside `size("features")`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.kernels import Kernel

Sizes = dict[str, int]
Check = Callable[[Any, Sizes], bool]
MOST = 2**53  # beyond it nothing is counted


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


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, sizes: Sizes) -> bool:
    """A whole number that counts something."""
    return is_whole(value) and 0 <= value < MOST


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
    """A numpy array of one of the kinds (f, i, u, b, M, m, U, S, O) and of this shape."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or value.ndim != len(shape):
            return False
        return all(
            (sizes.setdefault(wanted, length) if isinstance(wanted, str) else wanted) == length
            for wanted, length in zip(shape, value.shape, strict=True)
        )

    return check


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
    """A list or tuple, every item of which will do; sizes noted by one item do not bind the next."""

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
    """Classes: numbers, text, bytes, Booleans or dates, all different and in order."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUSMmO":
        return False
    if value.dtype.kind == "O" and len({type(item) for item in value.tolist()}) > 1:
        return False
    if value.dtype.kind == "O" and not all(
        isinstance(item, str | bytes | int | float | np.datetime64 | np.timedelta64) for item in value.tolist()
    ):
        return False
    if sizes.setdefault("classes", len(value)) != len(value):
        return False
    return len(value) < 2 or bool((value[1:] > value[:-1]).all())


def kernel(value: Any, sizes: Sizes) -> bool:
    return isinstance(value, str | Kernel | MissingFunction)


def rule(value: Any, sizes: Sizes) -> bool:
    """A name, a number, or a function that is not in the file."""
    return isinstance(value, MissingFunction) or text(value, sizes) or number(value, sizes) or value is None


def complaints(values: Mapping[str, Any], checks: Mapping[str, Check], sizes: Sizes) -> str:
    """Which value will not do, or "" if all will. Sizes first: what must agree with them is looked at after them."""
    for name in values:
        if name not in checks:
            return f"{name} is not known"
    for name in checks:  # in the order of the table
        if name in values and not checks[name](values[name], sizes):
            return f"{name} is not what it must be"
    return ""
