"""Checks of what the functions that make and read sets are given: each complaint is one sentence."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np


def whole_number(name: str, value: Any, least: int, why: str) -> int:
    """A whole number of at least so much.

    Examples
    --------
    >>> whole_number("n_samples", "a", 2, "it is a number of rows")
    Traceback (most recent call last):
    ValueError: n_samples must be a whole number of at least 2, but 'a' came; it is a number of rows.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, but {value!r} came; {why}.")
    return int(value)


def finite_numbers(**values: Any) -> None:
    """Numbers that are finite; each under the name that its user knows.

    Examples
    --------
    >>> finite_numbers(margin=0.5, radius=None)
    Traceback (most recent call last):
    ValueError: radius must be a finite number, but None came; pass a number.
    """
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not np.isfinite(float(value)):
            raise ValueError(f"{name} must be a finite number, but {value!r} came; pass a number.")


def generator(random_state: Any) -> np.random.Generator:
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
            f"random_state must be None, a whole number of at least 0 or a numpy Generator, but {random_state!r} came; "
            "pass 0, say."
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
        called = repr(dtype) if found is None or isinstance(dtype, str) else found.name
        raise ValueError(
            f"dtype must be float64 or float32, but {called} came; pass one of the two and convert afterwards."
        )
    return found


def existing_file(path: Any) -> str:
    """The name of a file that is there.

    Examples
    --------
    >>> existing_file("no/such")
    Traceback (most recent call last):
    FileNotFoundError: no/such must be a file, but there is none of that name; check the name.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"A path must be a str or a path-like object, but {path!r} came; pass the name of a file.")
    name = os.fspath(path)
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name} must be a file, but it is a folder; pass a file in it.")
    if not os.path.exists(name):
        raise FileNotFoundError(f"{name} must be a file, but there is none of that name; check the name.")
    return name
