"""Exit codes, and failures in one sentence."""

from __future__ import annotations

import enum
import errno
from itertools import pairwise
from typing import Any

from rosenblatt.cli.words import in_options
from rosenblatt.verbs.errors import InputError, OutputError, UsageError, one_line, os_sentence, raised_on_purpose
from rosenblatt.wording import shortened, visible

NUMBERS = {"integer": "a whole number", "number": "a number", "float": "a number"}  # by the words of typer
SAID_OTHERWISE = {"--answer": "--learner averaged, pocket or voted", "--epochs": "--max-iter N"}
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF)  # what only writing meets; the last: it is closed


class Failure(enum.IntEnum):
    """What the exit code of a command says; 0 is done."""

    NO = 1  # the answer is no: not separable, not verified, below what was asked for
    USAGE = 2  # an argument or option does not fit
    INPUT = 3  # a file cannot be read, or does not hold what it must
    OUTPUT = 4  # a result could not be written
    UNDECIDED = 5  # neither yes nor no within the time
    INTERNAL = 70  # a mistake of ours
    INTERRUPTED = 130  # Ctrl-C
    BROKEN_PIPE = 141  # who read our output went away


class StoppedError(Exception):
    """Ctrl-C, with what became of the work where there is something to say."""


def code_and_sentence(error: BaseException) -> tuple[int, str]:
    """The exit code of a failure, and what to print.

    A ValueError or TypeError that nobody raised on purpose is a mistake of ours, not one of the user's.

    Examples
    --------
    >>> code_and_sentence(UsageError("The learner must be one of ..."))
    (<Failure.USAGE: 2>, 'The learner must be one of ...')
    >>> code_and_sentence(ZeroDivisionError("division by zero"))[0]
    <Failure.INTERNAL: 70>
    >>> code_and_sentence(TypeError("'NoneType' object is not iterable"))[0]
    <Failure.INTERNAL: 70>
    """
    code, sentence = _code_and_sentence(error)
    return code, visible(in_options(sentence))


def _bad_value(error: Any) -> str:
    """What typer says of a number that is none, in our words; nothing if it says something else."""
    option = getattr(error, "param", None)
    wanted = next((told for word, told in NUMBERS.items() if word in str(getattr(error, "message", ""))), None)
    if option is None or wanted is None or error.ctx is None:
        return ""
    given: list[str] = error.ctx.find_root().obj or []
    texts = [text.partition("=")[2] for text in given if text.startswith(tuple(f"{name}=" for name in option.opts))]
    texts += [text for name, text in pairwise(given) if name in option.opts]
    came = f", but got {shortened(texts[-1])}" if texts else ""
    return f"{option.opts[0]} must be {wanted}{came}"


def _no_such_option(error: Any) -> str:
    """What typer says of an option that there is not, where the same is said in another way; else nothing."""
    name = str(getattr(error, "option_name", ""))
    options = [] if error.ctx is None else [text for option in error.ctx.command.params for text in option.opts]
    if not name or "--set" not in options:
        return ""
    other = SAID_OTHERWISE.get(name)
    parameter = name.lstrip("-").replace("-", "_")
    if other is None:
        from rosenblatt.verbs.learners import LEARNERS, parameters_of  # which takes its time: here it is a mistake's

        other = f"--set {parameter}=VALUE" if any(parameter in parameters_of(known) for known in LEARNERS) else None
    return f"No such option: {name}; say {other} instead" if other else ""


def _code_and_sentence(error: BaseException) -> tuple[int, str]:
    if isinstance(error, KeyboardInterrupt | StoppedError):
        return Failure.INTERRUPTED, one_line(error) if error.args else "interrupted."
    if isinstance(error, UsageError):
        return Failure.USAGE, one_line(error)
    if isinstance(error, OutputError):
        return Failure.OUTPUT, one_line(error)
    if isinstance(error, InputError):
        return Failure.INPUT, one_line(error)
    if hasattr(error, "format_message"):  # typer's own, whichever click is inside
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "rosenblatt"
        message = _no_such_option(error) or _bad_value(error) or " ".join(error.format_message().split()).rstrip(".")
        return Failure.USAGE, f"{message}; see {path} --help." if message else ""
    if type(error).__name__ == "Abort":
        return Failure.INTERRUPTED, "interrupted."
    if isinstance(error, ImportError):
        return Failure.USAGE, one_line(error)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return Failure.OUTPUT, os_sentence(error, "-", "written")
    if isinstance(error, OSError):
        return Failure.INPUT, os_sentence(error, None, "read")
    if isinstance(error, ValueError | TypeError) and raised_on_purpose(error):
        return Failure.INPUT, one_line(error)
    if isinstance(error, MemoryError):
        return Failure.INPUT, "The work must fit into memory, but it does not; take fewer rows or columns."
    return Failure.INTERNAL, (
        f"a mistake of ours ({type(error).__name__}: {one_line(error)}); run it again with rosenblatt --traceback and "
        f"report what it prints."
    )
