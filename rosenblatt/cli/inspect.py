"""`rosenblatt inspect`."""

from __future__ import annotations

from typing import Annotated

import typer

from rosenblatt.cli import options as o


def inspect(
    path: Annotated[list[str], typer.Argument(metavar="FILE...", show_default=False, help="A model file, or data.")],
    data: Annotated[
        list[str] | None, o.option(o.ANSWER, "--data", metavar="FILE", help="With --row: the file that has the row.")
    ] = None,
    row: Annotated[
        int | None, o.option(o.ANSWER, "--row", metavar="N", help="Explain the model's answer for this row, from 1.")
    ] = None,
    top: o.Top = 8,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Look into a model file: where it comes from, how good it was, what drives it. Or look at the columns of data.

    With --data and --row, the answer for that row is taken apart: what each feature adds to the score.
    """
    from rosenblatt.cli.cards import print_card
    from rosenblatt.cli.screen import console, notes, print_json
    from rosenblatt.verbs import inspect as look

    done = look(
        path,
        data=data,
        row=row,
        top=top,
        reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
    )
    if as_json:
        print_json(done.to_dict())
    else:
        print_card(console(), done)
    notes(getattr(done, "notes", []), quiet or as_json)
