"""`rosenblatt serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="Where the models live; made if missing.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="NAME=FILE", help="A model file to begin with; once for each model.",
                     show_default=False),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="NAME", help="Where to listen; other machines need --token-file.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="NUMBER", help="The port; 0 takes any free one.")] = 8080,
    token_file: Annotated[
        str | None,
        typer.Option("--token-file", metavar="FILE", help="A file with the token that every request must carry.",
                     show_default=False),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A further name of this server; * for any.",
                     show_default=False),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Only predict, from the newest versions of a server that learns.")
    ] = False,
    versions: Annotated[int, typer.Option("--versions", metavar="NUMBER", help="How many versions are kept.")] = 10,
    version_every: Annotated[
        int, typer.Option("--version-every", metavar="EXAMPLES", help="Write a version after so many examples.")
    ] = 100_000,
    keep_keys: Annotated[
        float, typer.Option("--keep-keys", metavar="HOURS", help="How long idempotency keys are remembered.")
    ] = 24.0,
    keep_features: Annotated[
        float, typer.Option("--keep-features", metavar="HOURS", help="How long features wait for their label.")
    ] = 168.0,
) -> None:  # fmt: skip
    """Serve models over HTTP: predict, and learn without losing an example."""
    from rosenblatt.verbs.errors import InputError, UsageError, check_number, one_line

    for option, value, least in (
        ("--port", port, 0), ("--versions", versions, 1), ("--version-every", version_every, 1),
    ):  # fmt: skip
        check_number(option, value, least, 65535 if option == "--port" else 10**12)
    for option, hours in (("--keep-keys", keep_keys), ("--keep-features", keep_features)):
        if not 0.0 < hours <= 24.0 * 3660:
            raise UsageError(f"{option} must be a number of hours above 0, but is {hours:g}.")
    given = {}
    for one in model or ():
        name, equals, file = one.partition("=")
        if not equals:
            raise UsageError(f"--model must be NAME=FILE, but is {one}.")
        given[name] = Path(file)
    try:
        from rosenblatt.service.folder import BusyError
        from rosenblatt.service.limits import Limits
        from rosenblatt.service.server import ServerError, read_token
        from rosenblatt.service.server import serve as run
    except ImportError as error:
        raise ImportError(
            f"serve needs {error.name}, which is not installed; run: pip install 'rosenblatt[serve]'"
        ) from None
    limits = Limits(key_hours=keep_keys, label_hours=keep_features, snapshot_every=version_every, versions=versions)
    try:
        run(
            data, given, host=host, port=port, token=read_token(token_file, host), limits=limits,
            allow_hosts=allow_host or (), read_only=read_only,
        )  # fmt: skip
    except (ServerError, BusyError) as error:
        raise UsageError(one_line(error)) from None
    except ValueError as error:
        raise InputError(one_line(error)) from None
