"""Exit codes, and failures in one sentence."""

from __future__ import annotations

import enum
import errno

from rosenblatt.verbs.errors import InputError, OutputError, UsageError, one_line, os_sentence
from rosenblatt.wording import visible

NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EBADF)  # what only writing meets; the last: it is closed


class Failure(enum.IntEnum):
    """What the exit code of a command says; 0 is done."""

    NO = 1  # the answer is no: not separable, not verified, below what was asked for
    USAGE = 2  # an argument or option does not fit
    INPUT = 3  # a file cannot be read, or does not hold what it must
    OUTPUT = 4  # a result could not be written
    UNDECIDED = 5  # neither yes nor no within the time
    INTERNAL = 70  # a bug of ours
    INTERRUPTED = 130  # Ctrl-C
    BROKEN_PIPE = 141  # who read our output went away
    TERMINATED = 143  # SIGTERM


def code_and_sentence(error: BaseException) -> tuple[int, str]:
    """The exit code of a failure, and what to print.

    Examples
    --------
    >>> code_and_sentence(UsageError("There is no learner 'x'."))
    (<Failure.USAGE: 2>, "There is no learner 'x'.")
    >>> code_and_sentence(ZeroDivisionError("division by zero"))[0]
    <Failure.INTERNAL: 70>
    """
    code, sentence = _code_and_sentence(error)
    return code, visible(sentence)


def _code_and_sentence(error: BaseException) -> tuple[int, str]:
    kinds = {UsageError: Failure.USAGE, InputError: Failure.INPUT, OutputError: Failure.OUTPUT}
    for kind, code in kinds.items():
        if isinstance(error, kind):
            return code, one_line(error)
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return Failure.INTERRUPTED, one_line(error) if error.args else "interrupted."
    if hasattr(error, "format_message"):  # typer's own, whichever click is inside
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "rosenblatt"
        message = " ".join(error.format_message().split()).rstrip(".")
        return Failure.USAGE, f"{message}; see {path} --help." if message else ""
    if isinstance(error, ImportError):
        return Failure.USAGE, one_line(error)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return Failure.OUTPUT, os_sentence(error, "-", "written")
    if isinstance(error, OSError):
        return Failure.INPUT, os_sentence(error, None, "read")
    if isinstance(error, MemoryError):
        return Failure.INPUT, "There is not enough memory; take fewer rows or columns."
    return Failure.INTERNAL, (
        f"a bug in rosenblatt ({type(error).__name__}: {one_line(error)}); run it again with rosenblatt --traceback "
        "and report what it prints."
    )
