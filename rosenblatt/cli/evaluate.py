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
        o.option(o.DATA, "--target", "-t", metavar="COLUMN", default="the model's", help="The column of the answers."),
    ] = None,
    positive: o.Positive = None,
    at_least: Annotated[
        float | None,
        o.option(o.TEST, "--at-least", metavar="SHARE", help="Exit code 1 when accuracy (or R²) is below."),
    ] = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    top: o.Top = 8,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Test a model on a file that has the answers."""
    from rosenblatt.cli.screen import console, notes, print_json
    from rosenblatt.cli.summary import print_briefly, print_summary
    from rosenblatt.verbs import evaluate as evaluated
    from rosenblatt.verbs.errors import check_number

    check_number("--at-least", at_least, 0, 1)
    done = evaluated(
        model,
        data,
        target,
        positive=positive,
        top=top,
        reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
    )
    if as_json:
        print_json(done.to_dict())
    elif quiet:
        print_briefly(done.summary, model)
    else:
        print_summary(console(), done.summary)
    notes(done.notes, quiet or as_json)
    if at_least is not None and not _reached(done.summary, at_least):
        raise typer.Exit(Failure.NO)


def _reached(summary: Summary, least: float) -> bool:
    if summary.accuracy is not None:
        return summary.accuracy.value >= least
    return summary.regression is not None and summary.regression.r2 is not None and summary.regression.r2 >= least
