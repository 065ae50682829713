"""Checks of what functions are given, for every package: each complaint is one sentence."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.wording import shortened as shortened  # which needs no numpy

MOST_COUNTED = 2**63 - 1


def whole_number(name: str, value: Any, least: int, why: str, most: int | None = None) -> int:
    """A whole number of at least so much, and of at most so much where there is an end.

    Examples
    --------
    >>> whole_number("n_samples", "a", 2, "it is a number of rows")
    Traceback (most recent call last):
    ValueError: n_samples must be a whole number of at least 2, but 'a' came; it is a number of rows.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most:,}"
        raise ValueError(f"{name} must be a whole number {allowed}, but {shortened(value)} came; {why}.")
    return int(value)


def as_float(value: Any) -> float:
    """A number as a float; NaN for what is no number, or beyond the range of floats.

    Examples
    --------
    >>> as_float(2), as_float("2"), as_float(10**400)
    (2.0, nan, nan)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def check_choice(name: str, value: Any, choices: tuple[str | None, ...]) -> None:
    """One of several names, or None where that is one of them.

    Examples
    --------
    >>> check_choice("penalty", "l3", ("l1", "l2"))
    Traceback (most recent call last):
    ValueError: penalty must be one of 'l1', 'l2', but got 'l3'; choose one of them.
    """
    if not isinstance(value, str | None) or value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {known}, but got {shortened(value)}; choose one of them.")


def check_positive(name: str, value: Any, why: str, *, whole: bool = False, none: bool = False) -> None:
    """A finite number above 0, or a whole one; or None, where that is allowed."""
    kind = numbers.Integral if whole else numbers.Real
    if none and value is None:
        return
    fits = isinstance(value, kind) and not isinstance(value, bool)
    large = whole and fits and value > MOST_COUNTED
    if not fits or large or not 0 < as_float(value) < math.inf:
        what = "a whole number" if whole else "a finite number"
        most = f", at most {MOST_COUNTED:,}" if large else ""
        raise ValueError(f"{name} must be {what} above 0{most}, but got {shortened(value)}; {why}.")


def check_not_negative(name: str, value: Any, why: str) -> None:
    """A finite number of at least 0."""
    if not 0 <= as_float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number of at least 0, but got {shortened(value)}; {why}.")


def finite_numbers(**values: Any) -> None:
    """Numbers that are finite; each under the name that its user knows.

    Examples
    --------
    >>> finite_numbers(margin=0.5, radius=None)
    Traceback (most recent call last):
    ValueError: radius must be a finite number, but None came; pass a number.
    """
    for name, value in values.items():
        if not math.isfinite(as_float(value)):
            raise ValueError(f"{name} must be a finite number, but {shortened(value)} came; pass a number.")


def yes_or_no(**values: Any) -> None:
    """True or False; each under the name that its user knows.

    Examples
    --------
    >>> yes_or_no(twins="no")
    Traceback (most recent call last):
    ValueError: twins must be True or False, but 'no' came; pass one of the two.
    """
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, but {shortened(value)} came; pass one of the two.")


def names_in(what: str, value: Any) -> tuple[Any, ...]:
    """One name or several, as a tuple.

    Examples
    --------
    >>> names_in("outputs", "sum"), names_in("outputs", ["sum", "carry"])
    (('sum',), ('sum', 'carry'))
    >>> names_in("outputs", 3)
    Traceback (most recent call last):
    ValueError: outputs must be names, but 3 came; pass texts such as ('a', 'b').
    """
    if isinstance(value, str):
        return (value,)
    try:
        names = tuple(value)
    except TypeError:
        names = (value,)
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"{what} must be names, but {shortened(value)} came; pass texts such as ('a', 'b').")
    return names


def mapping(what: str, value: Any, form: str) -> dict[Any, Any]:
    """What is written as a dict.

    Examples
    --------
    >>> mapping("start", 3, "{'carry': 1}")
    Traceback (most recent call last):
    TypeError: start must be a mapping such as {'carry': 1}, but 3 came; pass a dict.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a mapping such as {form}, but {shortened(value)} came; pass a dict.")
    return dict(value)


def numbers_in(what: str, value: Any, form: str) -> npt.NDArray[np.float64]:
    """Numbers as float64, of any shape.

    Examples
    --------
    >>> numbers_in("margins", ["near"], "a vector")
    Traceback (most recent call last):
    ValueError: margins must be numbers, but ['near'] came; pass a vector of them.
    """
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} must be numbers, but {shortened(value)} came; pass {form} of them.") from None


def threads(n_jobs: Any) -> None:
    """A number of threads as scikit-learn counts them.

    Examples
    --------
    >>> threads(0)
    Traceback (most recent call last):
    ValueError: n_jobs must be a whole number other than 0, or None, but 0 came; -1 is one for each core.
    """
    whole = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a whole number other than 0, or None, but {shortened(n_jobs)} came; -1 is one for each "
            f"core."
        )


def in_thousands(number: int) -> str:
    """A whole number with commas, on one line of at most 60 letters.

    Examples
    --------
    >>> in_thousands(1234567)
    '1,234,567'
    """
    return f"{number:,}" if number < 10**18 else shortened(number)


def room_for(numbers_at_once: int, **sizes: int) -> None:
    """Refuse what would not fit into memory, before anything is computed.

    Examples
    --------
    >>> room_for(2 * 10**15, n_rows=10**15)
    Traceback (most recent call last):
    MemoryError: A set must fit into memory, but one with n_rows=1,000,000,000,000,000 does not; pass a smaller number.
    """
    try:
        np.empty(numbers_at_once)
    except (MemoryError, ValueError, OverflowError):  # the latter two where numpy cannot count so far
        came = " and ".join(f"{name}={in_thousands(size)}" for name, size in sizes.items())
        raise MemoryError(
            f"A set must fit into memory, but one with {came} does not; pass "
            f"{'a smaller number' if len(sizes) == 1 else 'smaller numbers'}."
        ) from None


def generator(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """The generator of random numbers that a seed stands for.

    Examples
    --------
    >>> generator(-1)
    Traceback (most recent call last):
    ValueError: random_state must be None, a whole number of at least 0 or a numpy Generator, but -1 came; pass 0, say.
    """
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be None, a whole number of at least 0 or a numpy Generator, but "
            f"{shortened(random_state)} came; pass 0, say."
        ) from None


def float_type(dtype: Any) -> np.dtype[Any]:
    """One of the two dtypes that values of sparse rows may have.

    Examples
    --------
    >>> float_type("int8")
    Traceback (most recent call last):
    ValueError: dtype must be float64 or float32, but 'int8' came; pass one of the two and convert afterwards.
    """
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = None
    if found is None or found not in (np.dtype(np.float64), np.dtype(np.float32)):
        called = shortened(dtype) if found is None or isinstance(dtype, str) else found.name
        raise ValueError(
            f"dtype must be float64 or float32, but {called} came; pass one of the two and convert afterwards."
        )
    return found


def file_name(path: Any) -> str:
    """The name of a file that may be there or not.

    Examples
    --------
    >>> file_name(3)
    Traceback (most recent call last):
    TypeError: A path must be a str or a path-like object, but 3 came; pass the name of a file.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            f"A path must be a str or a path-like object, but {shortened(path)} came; pass the name of a file."
        )
    name = os.fspath(path)
    if "\0" in name:
        raise ValueError(f"A path must have no NUL in it, but {shortened(name)} came; pass the name of a file.")
    return name


def existing_file(path: Any) -> str:
    """The name of a file that is there.

    Examples
    --------
    >>> existing_file("no/such")
    Traceback (most recent call last):
    FileNotFoundError: no/such must be a file, but there is none of that name; check the name.
    """
    name = file_name(path)
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name} must be a file, but it is a folder; pass a file in it.")
    if not os.path.exists(name):
        raise FileNotFoundError(f"{name} must be a file, but there is none of that name; check the name.")
    return name
