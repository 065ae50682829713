"""`rosenblatt`: the verbs, and what they are called with.

Nothing but typer is imported here and in the verbs' files beside, so that help comes at once; what a verb needs is
imported when it is called.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

import typer

from rosenblatt.cli import datasets
from rosenblatt.cli.audit import audit
from rosenblatt.cli.convert import convert
from rosenblatt.cli.demo import demo
from rosenblatt.cli.evaluate import evaluate
from rosenblatt.cli.export import export
from rosenblatt.cli.inspect import inspect
from rosenblatt.cli.lab import lab
from rosenblatt.cli.predict import predict
from rosenblatt.cli.separable import separable
from rosenblatt.cli.serve import serve
from rosenblatt.cli.train import train

app = typer.Typer(
    name="rosenblatt",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: rosenblatt datasets export iris iris.csv; then rosenblatt train iris.csv --target species",
)

LEARNING, THEORY, DATA, LOOKING = "Learn and predict", "Theory", "Data", "Look around"
for verb, panel, example in (
    (train, LEARNING, "rosenblatt train flowers.csv --target species --report report.html"),
    (predict, LEARNING, "rosenblatt predict flowers.safetensors new.csv --out answered.csv"),
    (evaluate, LEARNING, "rosenblatt evaluate flowers.safetensors more.csv"),
    (inspect, LEARNING, "rosenblatt inspect flowers.safetensors --data flowers.csv --row 3"),
    (export, LEARNING, "rosenblatt export flowers.safetensors --onnx flowers.onnx"),
    (convert, DATA, "rosenblatt convert flowers.csv flowers.libsvm --target species"),
    (separable, THEORY, "rosenblatt separable flowers.csv --target species --certificate proof.json"),
    (audit, THEORY, "rosenblatt audit flowers.safetensors flowers.csv"),
    (demo, LOOKING, "rosenblatt demo"),
    (serve, LEARNING, "rosenblatt serve --data models --model mail=mail.safetensors"),
    (lab, LOOKING, "rosenblatt lab --port 8000 --no-browser"),
):
    app.command(verb.__name__, rich_help_panel=panel, epilog=f"Example: {example}")(verb)
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
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@functools.cache
def command() -> Any:
    """All verbs with their options, put together once for as many commands as a process runs."""
    return typer.main.get_command(app)
