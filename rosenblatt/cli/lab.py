"""`rosenblatt lab`."""

from __future__ import annotations

from typing import Annotated

import typer


def lab(
    link: Annotated[
        str, typer.Argument(metavar="[LINK]", help="A link from the lab: opens what it shows.", show_default=False)
    ] = "",
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="FOLDER", help="Write the lab as a static site instead.", show_default=False),
    ] = None,
    mnist: Annotated[
        bool, typer.Option("--mnist", help="With --export: add 200 images of every digit of MNIST (2 MB).")
    ] = False,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Where to listen; 0.0.0.0 for the whole network.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="NUMBER", help="The port: 8957 or the next free one; 0 takes any free one.",
                     show_default=False),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", show_default="--browser", help="Whether to open the page in a browser."),
    ] = True,
) -> None:  # fmt: skip
    """Open the lab: draw points, watch learners, step through the proof."""
    from rosenblatt import lab as room
    from rosenblatt.verbs.errors import OutputError, UsageError, check_number, one_line, writing

    if export is not None:
        try:
            with writing(export):
                written = room.export(export, mnist)
        except ValueError as error:
            raise OutputError(one_line(error)) from error
        for path in written:
            print(f"{path}  {path.stat().st_size / 1000:,.0f} kB")
        return
    if mnist:
        raise UsageError("--mnist is for --export FOLDER; the served page has MNIST wherever it is on this machine.")
    if port is not None:
        check_number("--port", port, 0, 65535)
    try:
        room.serve(host=host, port=port, open_browser=browser, link=link)
    except ValueError as error:
        raise UsageError(one_line(error)) from error
