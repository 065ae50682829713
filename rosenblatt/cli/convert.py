"""`rosenblatt convert`."""

from __future__ import annotations

from typing import Annotated

import typer

from rosenblatt.cli import options as o


def convert(
    data: Annotated[
        str, typer.Argument(metavar="DATA", show_default=False, help="A file, a pattern, or - for standard input.")
    ],
    out: o.Written,
    target: o.Target = None,
    to: o.To = None,
    missing: o.Missing = "median",
    text: o.Text = "auto",
    drop: o.Drop = None,
    keep: o.Keep = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    separator: o.Separator = None,
    format: o.Format = None,
    na_values: o.NaValues = None,
    zero_based: o.ZeroBased = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Write the rows of a file in another format.

    LIBSVM and NumPy files hold numbers only: for them, columns become numbers as in training, and a target is needed.
    """
    from rosenblatt.cli.screen import notes, print_json
    from rosenblatt.verbs import convert as write
    from rosenblatt.wording import counted, short, visible

    done = write(
        data,
        out,
        target,
        missing=missing,
        text=text,
        drop=drop or (),
        keep=keep or (),
        reading_options=o.reading(header, encoding, separator, format, na_values, zero_based),
        to=to,
    )
    if as_json and out != "-":
        print_json(done.to_dict())
    elif out != "-" and not quiet:
        print(f"{out}: {counted(done.rows, 'row')}, {counted(done.columns, 'column')}, {done.format}")
        if done.classes:
            print(
                "labels: "
                + ", ".join(f"{number} is {visible(short(name))}" for number, name in enumerate(done.classes[:20]))
            )
    notes(done.notes, quiet or as_json)
