"""`rosenblatt` from its first moment to its exit code, and what becomes of a failure.

Not even typer is imported here before a large file that is to be learned from is being read.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import TextIO

from rosenblatt.interrupts import listening, pressed
from rosenblatt.loading import collector_at_rest

INTERRUPTED = 130  # as in `failures`, which may not be there yet


@listening()
def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A failure is one sentence on standard error."""
    with collector_at_rest():
        from rosenblatt.cli.app import command
        from rosenblatt.cli.failures import Failure, code_and_sentence
        from rosenblatt.cli.help import colours

    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = command()(args=given, prog_name="rosenblatt", standalone_mode=False, obj=given)
        sys.stdout.flush()
        code = code if isinstance(code, int) else 0
        if code == Failure.INTERRUPTED and not isinstance(code, Failure):  # typer's own, which it does not speak of
            raise KeyboardInterrupt
        ended_by_it = given[:1] == ["lab"]  # which has no other end
        if pressed() and code in (0, Failure.NO, Failure.UNDECIDED) and not ended_by_it:
            print("rosenblatt: Ctrl-C was pressed; what is printed and written is whole.", file=sys.stderr)
            return Failure.INTERRUPTED
        return code
    except BrokenPipeError:
        return _reader_has_gone()
    except SystemExit as leaving:  # typer's, for a pipe without a reader
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        return _reader_has_gone()
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("ROSENBLATT_TRACEBACK"):
            import traceback

            traceback.print_exc()
        code, sentence = code_and_sentence(error)
        if code == Failure.OUTPUT and sentence.startswith("Standard output"):
            _forget(sys.stdout)
        if sentence:
            name = "\033[1;31mrosenblatt:\033[0m" if colours(sys.stderr) else "rosenblatt:"
            _say(f"{name} {sentence}")
            if "--json" in given:
                from rosenblatt.cli.screen import print_json

                print_json({"error": sentence, "code": int(code)})
        return code


def _say(sentence: str) -> None:
    """The exit code must arrive, also where standard error takes nothing."""
    try:
        print(sentence, file=sys.stderr, flush=True)
    except OSError:
        _forget(sys.stderr)


def _reader_has_gone() -> int:
    """The reader, such as head, has gone: nobody is left to be told."""
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
    # At its end Python looks once more through every object for cycles. Most are the compiler's and end with the
    # process anyway: setting them aside saves a quarter of a second. Here no files of others could stay unwritten.
    atexit.register(gc.freeze)
    _open_streams()
    try:
        if sys.argv[1:2] == ["train"]:
            from rosenblatt.cli.starting import begin_early

            begin_early(sys.argv[2:])
        code = main()
    except KeyboardInterrupt:  # while libraries are imported
        print("rosenblatt: interrupted.", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)
