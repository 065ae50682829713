"""`rosenblatt datasets`: list, export."""

from __future__ import annotations

from typing import Annotated

import typer

from rosenblatt.cli.options import DATA, Json, To, Written

app = typer.Typer(invoke_without_command=True, rich_markup_mode="rich")

Name = Annotated[
    str, typer.Argument(metavar="NAME", show_default=False, help="A set that `rosenblatt datasets` lists.")
]


@app.callback(epilog="Example: rosenblatt datasets export newsgroups newsgroups.parquet")
def datasets(context: typer.Context, as_json: Json = False) -> None:
    """The field's well-known sets: list them, write them as files."""
    if context.invoked_subcommand is None:
        list_datasets(as_json)


@app.command("list", epilog="Example: rosenblatt datasets list")
def list_datasets(as_json: Json = False) -> None:
    """List the sets, and say whether they are on this machine."""
    from rosenblatt.cli.screen import console, print_json, table
    from rosenblatt.verbs import list_datasets as known

    found = known()
    if as_json:
        print_json(found)
        return
    shown = table("name", ("rows", "right"), ("columns", "right"), ("classes", "right"), "target", "where", "what")
    for one in found:
        colour = "yellow" if one["where"] == "not here" else "green"
        numbers = [f"{one[key]:,}" for key in ("rows", "columns", "classes")]
        shown.add_row(
            f"[bold]{one['name']}[/bold]", *numbers, one["target"], f"[{colour}]{one['where']}[/{colour}]", one["told"]
        )
    screen = console()
    screen.print(shown)
    screen.print("\n[dim]Write one as a file:[/dim]  rosenblatt datasets export iris iris.csv")


@app.command("export", epilog="Example: rosenblatt datasets export a9a a9a.libsvm --part train")
def export(
    name: Name,
    path: Written,
    part: Annotated[
        str, typer.Option("--part", metavar="PART", rich_help_panel=DATA, help="train, test, or all.")
    ] = "all",
    to: To = None,
    as_json: Json = False,
) -> None:
    """Write a set as a file."""
    from rosenblatt.cli.screen import note, print_json
    from rosenblatt.verbs import export_dataset
    from rosenblatt.verbs.tables import MATRICES, format_of
    from rosenblatt.wording import counted

    done = export_dataset(name, path, part=part, to=to)
    if as_json and path != "-":
        print_json(done.to_dict())
    elif path != "-":
        size = f"{counted(done.rows, 'row')}, {counted(done.columns, 'column')}"
        named = format_of(path, to) not in MATRICES.values()  # which have labels
        print(f"{path}: {size}" + (f"; train with --target {done.target}" if named else ""))
    elif as_json:
        note("The rows went to standard output, so there is no JSON.")
