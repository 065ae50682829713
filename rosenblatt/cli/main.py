"""`rosenblatt` from its first moment to its exit code, and what becomes of a failure."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, TextIO

from rosenblatt.interrupts import listening, pressed


@contextmanager
def _terminated() -> Iterator[list[int]]:
    """SIGTERM is treated as Ctrl-C is, so that what is half written is removed; the signals that came are listed."""
    came: list[int] = []

    def stop(number: int, frame: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield came
    finally:
        signal.signal(signal.SIGTERM, before)


@listening()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A failure is one sentence on standard error."""
    from rosenblatt.cli.failures import Failure

    given = sys.argv[1:] if arguments is None else list(arguments)
    with _terminated() as signals:
        code = _run(given)
    return Failure.TERMINATED if signals else code


def _run(given: list[str]) -> int:
    from rosenblatt.cli.app import command
    from rosenblatt.cli.failures import Failure

    try:
        code = command()(args=given, prog_name="rosenblatt", standalone_mode=False, obj=given)
        sys.stdout.flush()
        code = code if isinstance(code, int) else 0
        if code == Failure.INTERRUPTED and not isinstance(code, Failure):  # typer's own, which it does not report
            raise KeyboardInterrupt
        ended_by_it = given[:1] in (["lab"], ["serve"])  # which has no other end
        if pressed() and code in (0, Failure.NO, Failure.UNDECIDED) and not ended_by_it:
            _say("rosenblatt: Ctrl-C was pressed; what is printed and written is whole.")
            return Failure.INTERRUPTED
        return code
    except BrokenPipeError:
        return _reader_has_gone()
    except SystemExit as leaving:  # typer's, for a pipe without a reader
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        return _reader_has_gone()
    except (Exception, KeyboardInterrupt) as error:
        return _failed(error, given)


def _failed(error: BaseException, given: list[str]) -> int:
    from rosenblatt.cli.failures import Failure, code_and_sentence
    from rosenblatt.cli.screen import colours, print_json

    if given[:1] == ["--traceback"] or os.environ.get("ROSENBLATT_TRACEBACK"):
        import traceback

        traceback.print_exc()
    code, sentence = code_and_sentence(error)
    if code == Failure.OUTPUT:
        try:
            sys.stdout.flush()
        except OSError:
            _forget(sys.stdout)
    if sentence:
        name = "\033[1;31mrosenblatt:\033[0m" if colours(sys.stderr) else "rosenblatt:"
        _say(f"{name} {sentence}")
        if "--json" in given:
            try:
                print_json({"error": sentence, "code": int(code)})
                sys.stdout.flush()
            except OSError:  # closed, or no room; the exit code tells
                _forget(sys.stdout)
    return code


def _say(sentence: str) -> None:
    """The exit code must arrive, also where standard error takes nothing."""
    try:
        print(sentence, file=sys.stderr, flush=True)
    except OSError:
        _forget(sys.stderr)


def _reader_has_gone() -> int:
    """The reader, such as head, has gone: there is nothing to report."""
    from rosenblatt.cli.failures import Failure

    _forget(sys.stdout)
    return Failure.BROKEN_PIPE


def _forget(stream: TextIO) -> None:
    """Give up what is on its way to a stream that takes no more; Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_streams() -> None:
    """Have all three standard streams, whatever was closed or redirected before we were started.

    One that was closed is empty, or takes nothing. A letter that an encoding does not have becomes a question mark.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  open to the end
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115  to write there fails
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def run() -> None:
    """The entry point of the installed command."""
    _open_streams()
    try:
        code = main()
    except KeyboardInterrupt:  # while libraries are imported
        _say("rosenblatt: interrupted.")
        code = 130
    gc.freeze()  # or Python would look through all that is loaded once more, longer than many a command takes
    sys.exit(code)
