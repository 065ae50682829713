"""`rosenblatt evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli import options as o
from rosenblatt.cli.failures import Failure

if TYPE_CHECKING:
    from rosenblatt.report import Summary


def evaluate(
    model: o.Model,
    data: o.Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            rich_help_panel=o.DATA,
            show_default="the model's",
            help="The column that has the answers: its name, its number, or -1 for the last one.",
        ),
    ] = None,
    positive: o.Positive = None,
    at_least: Annotated[
        float | None,
        typer.Option(
            "--at-least",
            metavar="SHARE",
            rich_help_panel=o.TEST,
            show_default=False,
            help="End with exit code 1 when the accuracy (R² for numbers) is below, for scripts.",
        ),
    ] = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    zero_based: o.ZeroBasedForModel = None,
    top: o.Top = 8,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Judge a model by a file that has the answers."""
    from rosenblatt.cli.screen import console, notes, print_json
    from rosenblatt.cli.summary import print_summary
    from rosenblatt.verbs import evaluate as judge
    from rosenblatt.verbs.errors import check_number

    check_number("--at-least", at_least, 0, 1, usual="0.9 asks for 90 %")
    done = judge(
        model,
        data,
        target,
        positive=positive,
        top=top,
        header=header,
        encoding=encoding,
        separator=separator,
        format=format,
        zero_based=zero_based,
    )
    if as_json:
        print_json(done.to_dict())
    else:
        print_summary(console(), done.summary)
    notes(done.notes, quiet or as_json)
    if at_least is not None and not _reached(done.summary, at_least):
        raise typer.Exit(Failure.NO)


def _reached(summary: Summary, least: float) -> bool:
    if summary.accuracy is not None:
        return summary.accuracy.value >= least
    return summary.regression is not None and summary.regression.r2 is not None and summary.regression.r2 >= least
