"""What can be wrong, by who can mend it: the caller, the input, or the place to write to.

Each is one sentence, and each has an exit code of the command line. A reader raises ValueError or OSError; `reading`
and `writing` say which of the two a failure belongs to. What nobody raised on purpose is a mistake of ours.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from dis import opmap
from typing import Any

from rosenblatt.wording import LONGEST, listed, shortened

_KEPT = re.compile(r"""kinds=\{(".*?"|'.*?'): 'kept'\}""")
_RAISE = opmap["RAISE_VARARGS"]
FAULTLESS = 40  # rows that a learner is tried on


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
    except (ValueError, TypeError) as error:
        if not raised_on_purpose(error):
            raise  # a mistake of ours, which is no word about the input
        raise InputError(one_line(error)) from error
    except MemoryError as error:
        raise InputError(
            f"{_named(path)} must fit into memory, but it does not; train on fewer columns or rows."
        ) from error


@contextmanager
def setting(learner: Any, labels: Any, *, online: bool = False) -> Iterator[None]:
    """What a learner refuses in here is wrong usage where it refuses faultless rows of these classes too.

    So its parameters are at fault, and not the rows; `online`: it learns by partial_fit.
    """
    try:
        yield
    except (UsageError, InputError, OutputError):
        raise
    except (ValueError, TypeError) as error:
        if raised_on_purpose(error) and _refuses_any_rows(learner, labels, online):
            raise UsageError(one_line(error)) from error
        raise


def _refuses_any_rows(learner: Any, labels: Any, online: bool) -> bool:
    """Whether a learner with these parameters refuses rows with which nothing is wrong."""
    import warnings

    import numpy as np
    from sklearn.base import clone

    classes = np.unique(labels)
    if classes.dtype.kind == "f":
        classes = classes[:FAULTLESS]  # a quantity
    y = np.repeat(classes, max(3, FAULTLESS // len(classes)))
    rows = np.random.default_rng(0).normal(size=(len(y), 2)) + np.arange(len(y))[:, None] / len(y)
    trial = clone(learner)
    epochs = trial.get_params().get("max_iter")
    if isinstance(epochs, int) and 2 < epochs <= sys.maxsize:  # one that is refused stays
        trial.set_params(max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            trial.partial_fit(rows, y, classes=classes) if online else trial.fit(rows, y)
        except (ValueError, TypeError):
            return True
    return False


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
    advice = {
        "FileNotFoundError": "check the path",
        "PermissionError": "check your rights to it",
        "IsADirectoryError": "give the name of a file",
    }.get(type(error).__name__, "check the place and try again")
    name = "Standard output" if what == "-" and done == "written" else _named(what)
    return f"{name} could not be {done} ({error.strerror}); {advice}."


def one_line(error: BaseException) -> str:
    """The message of an exception on one line, without quotes around it."""
    text = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return text or type(error).__name__


def raised_on_purpose(error: BaseException) -> bool:
    """Whether somebody raised it for whoever called: by a `raise` of ours, or of scikit-learn in its checks.

    What breaks underneath (numpy, polars, `int`, an attribute that is not there) is a mistake of ours. The classes do
    not tell the two apart: a library for scikit-learn raises ValueError and TypeError.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> def outcome(*given):
    ...     try:
    ...         Perceptron().fit(*given)
    ...     except (ValueError, TypeError) as error:
    ...         return raised_on_purpose(error)
    >>> outcome([[1.0], [2.0]], [0, 0]), outcome([[float("nan")]] * 2, [0, 1]), outcome()
    (True, True, False)
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    home = str(trace.tb_frame.f_globals.get("__name__", "")).split(".")[0]
    return home in ("rosenblatt", "sklearn") and trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE


def with_keep(sentence: str) -> str:
    """A sentence about a column that was left out, with the option that keeps it.

    Examples
    --------
    >>> with_keep("The column 'row nr' is left out: it numbers the rows; kinds={'row nr': 'kept'} keeps it.")
    "The column 'row nr' is left out: it numbers the rows; --keep 'row nr' keeps it."
    """
    return _KEPT.sub(lambda found: keep_option(ast.literal_eval(found[1])), sentence)


def keep_option(name: str) -> str:
    """The option that keeps a column; one of a long name is better called by its number.

    Examples
    --------
    >>> keep_option("nr"), keep_option("row nr"), keep_option("nr" * 100)
    ('--keep nr', "--keep 'row nr'", '--keep with its number')
    """
    return f"--keep {shlex.quote(name)}" if len(name) <= LONGEST else "--keep with its number"


def check_number(
    option: str, value: float | None, low: float, high: float = float("inf"), *, above: bool = False, usual: str = ""
) -> None:
    """Refuse a number that an option does not take: one below `low`, or equal to it where it must be `above`.

    Examples
    --------
    >>> check_number("--top", 0, 1, usual="8 is usual")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: --top must be a number of at least 1, but got 0; 8 is usual.
    >>> check_number("--time-limit", float("nan"), 0, above=True, usual="give it in seconds")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: --time-limit must be a number above 0, but got nan; give it in seconds.
    """
    if value is None or ((low < value if above else low <= value) and value <= high and value != float("inf")):
        return
    if high == float("inf"):
        span = f"above {low:g}" if above else f"of at least {low:g}"
    else:
        span = f"above {low:g}, at most {high:g}" if above else f"from {low:g} to {high:.15g}"
    from rosenblatt.arguments import shortened  # which loads NumPy

    came = shortened(value) if isinstance(value, int) else f"{value:.15g}"
    kind = "a finite number" if value == float("inf") else "a number"
    raise UsageError(f"{option} must be {kind} {span}, but got {came}; {usual or 'choose another'}.")


def check_choice(option: str, value: str, known: Iterable[str]) -> None:
    """Refuse a value that an option does not have."""
    names = list(dict.fromkeys(known))
    if value not in names:
        near = nearest(value, names) or "choose one of them."
        raise UsageError(f"{option} must be one of {listed(names, 99)}, but got {shortened(value)}; {near}")


def nearest(name: str, known: Iterable[str]) -> str:
    """ "; did you mean 'species'?", or nothing if no known name is near."""
    names = {candidate.casefold(): candidate for candidate in known}
    close = get_close_matches(name.casefold(), names, n=1, cutoff=0.5)
    return f"did you mean {shortened(names[close[0]])}?" if close else ""


def _named(path: Any) -> str:
    if path is None:
        return "The input"
    return "Standard input" if path == "-" else os.fspath(path)
