"""`rosenblatt predict`."""

from __future__ import annotations

from typing import Annotated

import typer

from rosenblatt.cli import options as o


def predict(
    model: o.Model,
    data: o.Data,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            rich_help_panel=o.OUTPUT,
            show_default="standard output",
            help="The file to write; its ending says the format: csv, tsv, parquet, arrow, jsonl.",
        ),
    ] = "-",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="NAME",
            rich_help_panel=o.OUTPUT,
            show_default="by the ending",
            help="The format to write: csv, tsv, parquet, arrow, jsonl.",
        ),
    ] = None,
    only: Annotated[
        bool, typer.Option("--only", rich_help_panel=o.OUTPUT, help="Write the predictions without the rows.")
    ] = False,
    scores: Annotated[
        bool, typer.Option("--scores", rich_help_panel=o.OUTPUT, help="Add the score of every class.")
    ] = False,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            rich_help_panel=o.OUTPUT,
            help="Add the probability of every class (learners logistic, discriminant, sigmoid, layer).",
        ),
    ] = False,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    zero_based: o.ZeroBasedForModel = None,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Answer every row of a file with a model.

    The rows come out in their order with a column `prediction` added. Columns may come in any order; those that the
    model does not know are ignored, and said.
    """
    from rosenblatt.cli.screen import notes, print_json
    from rosenblatt.verbs import predict as answer
    from rosenblatt.wording import counted, short, visible

    if as_json and out == "-":
        done = answer(
            model, data, only=only, scores=scores, probabilities=probabilities, header=header, encoding=encoding,
            separator=separator, format=format, zero_based=zero_based,
        )  # fmt: skip
        print_json({**done.to_dict(), "predictions": done.answers})
    else:
        done = answer(
            model, data, out=out, only=only, scores=scores, probabilities=probabilities, header=header,
            encoding=encoding, separator=separator, format=format, zero_based=zero_based, to=to,
        )  # fmt: skip
        if as_json:
            print_json(done.to_dict())
        elif out != "-" and not quiet:
            told = (
                ", ".join(f"{visible(short(name))} {count:,}" for name, count in done.counts.items())
                if len(done.counts) <= 12
                else ""
            )
            print(f"{out}: {counted(done.rows, 'row')}" + (f" ({told})" if told else ""))
    notes(done.notes, quiet or as_json)
