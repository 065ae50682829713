"""What can be wrong, by who can mend it: the caller, the input, or the place to write to.

Each has an exit code of the command line. A reader raises ValueError or OSError; `reading` and `writing` say which of
the two a failure belongs to. Anything else is a bug of ours.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from rosenblatt.wording import listed, shortened


class UsageError(ValueError):
    """An argument or option that does not fit: a learner that does not exist, a column that the file does not have."""


class InputError(ValueError):
    """A file that cannot be read, or does not hold what it must hold."""


class OutputError(OSError):
    """A result that could not be written."""


@contextmanager
def reading(path: Any = None) -> Iterator[None]:
    """What fails in here is the fault of what is read."""
    try:
        yield
    except (UsageError, InputError, OutputError):
        raise
    except OSError as error:
        raise InputError(os_sentence(error, path, "read")) from error
    except ValueError as error:
        raise InputError(one_line(error)) from error
    except MemoryError as error:
        raise InputError(f"{_named(path)} does not fit into memory; train on fewer columns or rows.") from error


@contextmanager
def setting(settings: Any) -> Iterator[None]:
    """What a learner refuses in here is wrong usage where it was given settings, else the fault of the rows."""
    try:
        yield
    except (UsageError, InputError, OutputError):
        raise
    except (ValueError, TypeError) as error:
        raise (UsageError if settings else InputError)(one_line(error)) from error


@contextmanager
def writing(path: Any) -> Iterator[None]:
    """What fails in here is the fault of the place that is written to."""
    try:
        yield
    except (UsageError, InputError, OutputError, BrokenPipeError):
        raise
    except OSError as error:
        raise OutputError(os_sentence(error, path, "written")) from error


def os_sentence(error: OSError, path: Any, done: str) -> str:
    """The operating system's word as a sentence; a sentence of ours as it is."""
    if error.strerror is None:
        return one_line(error)
    what = error.filename if isinstance(error.filename, str) else path
    name = "Standard output" if what == "-" and done == "written" else _named(what)
    return f"{name} could not be {done}: {error.strerror}."


def one_line(error: BaseException) -> str:
    """The message of an exception on one line, without quotes around it."""
    text = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return text or type(error).__name__


def check_number(
    option: str, value: float | None, low: float, high: float = float("inf"), *, above: bool = False
) -> None:
    """Refuse a number that an option does not take: one below `low`, or equal to it where it must be `above`.

    Examples
    --------
    >>> check_number("--top", 0, 1)
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: --top must be a finite number of at least 1, but got 0.
    """
    if value is None or ((low < value if above else low <= value) and value <= high and value != float("inf")):
        return
    least = f"above {low:g}" if above else f"of at least {low:g}"
    most = "" if high == float("inf") else f", at most {high:.15g}"
    came = shortened(value) if isinstance(value, int) else f"{value:.15g}"
    raise UsageError(f"{option} must be a finite number {least}{most}, but got {came}.")


def check_choice(option: str, value: str, known: Iterable[str]) -> None:
    """Refuse a value that an option does not have."""
    names = list(dict.fromkeys(known))
    if value not in names:
        raise UsageError(
            f"{option} must be one of {listed(names, 99)}, but got {shortened(value)}{nearest(value, names)}."
        )


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that may have been meant, in brackets; nothing if none is near.

    Examples
    --------
    >>> nearest("specis", ["age", "species"])
    " (did you mean 'species'?)"
    """
    names = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), names, n=1, cutoff=0.5)
    return f" (did you mean {shortened(names[close[0]])}?)" if close else ""


def _named(path: Any) -> str:
    if path is None:
        return "The input"
    return "Standard input" if path == "-" else os.fspath(path)
