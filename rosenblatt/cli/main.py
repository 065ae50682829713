"""`rosenblatt`: the verbs, what they are called with, and what becomes of a failure.

Nothing but typer is imported here and in the verbs' files beside, so that help comes at once; what a verb needs is
imported when it is called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from rosenblatt.cli import datasets
from rosenblatt.cli.audit import audit
from rosenblatt.cli.convert import convert
from rosenblatt.cli.demo import demo
from rosenblatt.cli.evaluate import evaluate
from rosenblatt.cli.export import export
from rosenblatt.cli.failures import Failure, code_and_sentence
from rosenblatt.cli.help import Verb, Verbs, colours
from rosenblatt.cli.inspect import inspect
from rosenblatt.cli.lab import lab
from rosenblatt.cli.predict import predict
from rosenblatt.cli.separable import separable
from rosenblatt.cli.train import train

app = typer.Typer(
    name="rosenblatt",
    cls=Verbs,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="rosenblatt datasets export iris iris.csv\nrosenblatt train iris.csv --target species",
)

LEARNING, PROVING, DATA, LOOKING = "Learn and predict", "Prove", "Data", "Look around"
for verb, panel, example in (
    (train, LEARNING, "rosenblatt train flowers.csv --target species --report report.html"),
    (predict, LEARNING, "rosenblatt predict flowers.safetensors new.csv --out answered.csv"),
    (evaluate, LEARNING, "rosenblatt evaluate flowers.safetensors more.csv"),
    (inspect, LEARNING, "rosenblatt inspect flowers.safetensors"),
    (export, LEARNING, "rosenblatt export flowers.safetensors --onnx flowers.onnx"),
    (separable, PROVING, "rosenblatt separable flowers.csv --target species --certificate proof.json"),
    (audit, PROVING, "rosenblatt audit flowers.safetensors flowers.csv"),
    (convert, DATA, "rosenblatt convert flowers.csv flowers.libsvm --target species"),
    (demo, LOOKING, "rosenblatt demo"),
    (lab, LOOKING, "rosenblatt lab --port 8000 --no-browser"),
):
    app.command(verb.__name__, rich_help_panel=panel, cls=Verb, epilog=example)(verb)
app.add_typer(datasets.app, name="datasets", rich_help_panel=DATA)


def _version(asked: bool) -> None:
    if asked:
        from rosenblatt import __version__

        print(f"rosenblatt {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def everything(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option("--traceback", help="Show where in the code a failure came from; also ROSENBLATT_TRACEBACK=1."),
    ] = False,
) -> None:
    """Learn with linear thresholds: from a file to a trained, tested, certified and explained model."""
    if traceback:
        os.environ["ROSENBLATT_TRACEBACK"] = "1"
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A failure is one sentence on standard error."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(args=given, prog_name="rosenblatt", standalone_mode=False, obj=given)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
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
            _forget_output()
        if sentence:
            name = "\033[1;31mrosenblatt:\033[0m" if colours(sys.stderr) else "rosenblatt:"
            print(f"{name} {sentence}", file=sys.stderr)
            if "--json" in given:
                from rosenblatt.cli.screen import print_json

                print_json({"error": sentence, "code": int(code)})
        return code


def _reader_has_gone() -> int:
    """The reader, such as head, has gone: nobody is left to be told."""
    _forget_output()
    return Failure.BROKEN_PIPE


def _forget_output() -> None:
    """Give up what is on its way to standard output, which takes no more; Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(main())
