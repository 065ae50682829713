"""What `inspect` finds in a model or in a file of data, for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli.screen import LONGEST, pair, safe, table
from rosenblatt.cli.summary import print_drivers
from rosenblatt.report.scores import percent
from rosenblatt.wording import LONGEST as LONGEST_NAME
from rosenblatt.wording import counted, listed, short

if TYPE_CHECKING:
    from rich.console import Console

    from rosenblatt.verbs.inspection import DataCard, Explanation, ModelCard


def print_card(screen: Console, card: ModelCard | DataCard) -> None:
    """A model or a file of data."""
    if card.kind == "model":
        _model_card(screen, card)  # type: ignore[arg-type]
    else:
        _data_card(screen, card)  # type: ignore[arg-type]


def _model_card(screen: Console, card: ModelCard) -> None:
    found, about = card.description, card.description.get("about") or {}
    size = f"{found.get('n_bytes', 0):,} bytes, rosenblatt {safe(str(found.get('version')))}"
    screen.print(f"\n[bold]{safe(card.path)}[/bold] [dim]({size})[/dim]\n")
    names = " → ".join(map(_step, found.get("steps") or [])) or found.get("kind")
    pair(screen, "Model", safe(str(names)))
    if about.get("target"):
        pair(screen, "Predicts", f"[bold]{safe(short(about['target'], LONGEST_NAME))}[/bold]")
    classes = found.get("classes") or []
    if len(classes):
        pair(screen, "Classes", safe(listed(classes, 8)))
    if about.get("source"):
        rows = f"{about.get('learned_rows', 0):,} of {about.get('rows', 0):,} rows"
        pair(screen, "Trained on", safe(f"{about['source']}, {rows}"))
    accuracy = (about.get("summary") or {}).get("accuracy")
    if accuracy:
        between = f"between {percent(accuracy['low'])} and {percent(accuracy['high'])} on {about.get('held_out', '')}"
        pair(screen, "Accuracy", f"{percent(accuracy['value'])} [dim]{safe(between)}[/dim]")
    if found.get("stop_reason"):
        pair(
            screen, "Training", f"{counted(len(found.get('trace') or []), 'epoch')}, {safe(str(found['stop_reason']))}"
        )
    if about.get("digest"):
        pair(screen, "Data", f"[dim]sha256 {safe(str(about['digest'])[:16])}…[/dim]")
    _columns(screen, card.columns)
    if card.explained is not None:
        _explanation(screen, card.explained)
    elif card.drivers:
        print_drivers(screen, card.drivers)


def _columns(screen: Console, columns: list[dict[str, str]]) -> None:
    """The columns that a model takes, by what they are; those left out with the reason."""
    kinds = {"number": "Numbers", "date": "Dates", "boolean": "Yes or no", "category": "Categories"}
    for kind, told in (kinds | {"hashed": "Hashed", "text": "Text"}).items():
        names = [column["name"] for column in columns if column["kind"] == kind]
        if names:
            pair(screen, told, safe(listed(names, 12)))
    for column in columns:
        if column["kind"] == "dropped":
            name, why = short(column["name"], LONGEST_NAME), column["why"]
            pair(screen, "Left out", f"{safe(name)} [dim]({safe(why)})[/dim]")


def _step(step: Any) -> str:
    return str(step.get("kind", step) if isinstance(step, dict) else step)


def _explanation(screen: Console, found: Explanation) -> None:
    instead = f" rather than {safe(short(found.instead, LONGEST))}" if found.instead is not None else ""
    screen.print(
        f"\n[bold]Row {found.row}: {safe(short(found.answer, LONGEST))}[/bold]{instead}, score {found.score:+.4g}"
    )
    largest = max((abs(part["adds"]) for part in found.parts), default=1.0) or 1.0
    shown = table("feature", ("adds", "right"), "")
    for part in found.parts:
        colour = "blue" if part["adds"] >= 0 else "magenta"
        bar = "█" * max(1, round(12 * abs(part["adds"]) / largest))
        shown.add_row(safe(short(part["feature"], LONGEST)), f"{part['adds']:+.4g}", f"[{colour}]{bar}[/{colour}]")
    if found.rest:
        shown.add_row("[dim]all others[/dim]", f"{found.rest:+.4g}", "")
    shown.add_row("[dim]intercept[/dim]", f"{found.intercept:+.4g}", "")
    screen.print(shown)


def _data_card(screen: Console, card: DataCard) -> None:
    screen.print(f"\n[bold]{safe(card.path)}[/bold] [dim]({card.format})[/dim]\n")
    pair(screen, "Rows", f"{card.rows:,}")
    screen.print()
    shown = table("#", "column", "kind", ("values", "right"), ("missing", "right"), "such as")
    for number, column in enumerate(card.columns, 1):
        values = "" if column["values"] is None else f"{column['values']:,}"
        missing = f"[yellow]{column['missing']:,}[/yellow]" if column["missing"] else ""
        examples = short(", ".join(column["examples"]), 36)
        name = safe(short(column["name"], LONGEST))
        shown.add_row(f"[dim]{number}[/dim]", name, column["kind"], values, missing, safe(examples))
    screen.print(shown)
    for column in card.columns:
        if column["kind"] == "dropped":
            name, keep = short(column["name"], LONGEST), "; --keep keeps it" if column["guessed"] else ""
            pair(screen, "Left out", f"{safe(name)} [dim]({safe(column['why'])}{keep})[/dim]")
    if not card.features:
        return
    options = (" --target COLUMN" if card.needs_target else "") + (" --zero-based" if card.zero_based else "")
    command = f"[cyan]rosenblatt train {safe(card.path)}{options}[/cyan]"
    screen.print(f"\n[dim]Train with[/dim]  {command}", soft_wrap=True)  # one line, to be copied
