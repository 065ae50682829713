"""`rosenblatt lab`."""

from __future__ import annotations

from typing import Annotated

import typer


def lab(
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Where to listen; 0.0.0.0 for the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="NUMBER", help="The port; 0 takes a free one.")] = 0,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", show_default="--browser", help="Whether to open the page in a browser."),
    ] = True,
) -> None:
    """Open the lab: draw points, watch learners, step through the proof."""
    from rosenblatt.verbs.errors import check_number

    check_number("--port", port, 0, 65535)
    from rosenblatt.lab import serve

    serve(host=host, port=port, open_browser=browser)
