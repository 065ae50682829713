"""Where a verb's result goes: to a person as a table, to a script as JSON; remarks go to standard error.

Colours and bars appear on a terminal only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rosenblatt.plain import plain
from rosenblatt.wording import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_COMMANDS = re.compile("[\x7f-\x9f]")  # control characters that json leaves as they are
LONGEST = 28  # characters of a name
WIDEST = 110  # columns of a terminal that are used: longer lines are hard to read


def console(*, stderr: bool = False) -> Console:
    """A console of rich, at most as wide as is good to read."""
    from rich.console import Console

    class Piped(Console):
        """A console that leaves no spaces at the ends of lines, and a pipe without a reader to `main`."""

        def print(self, *objects: Any, **options: Any) -> None:
            with self.capture() as captured:
                super().print(*objects, **options)
            self.file.write(re.sub(" +(?=\n)", "", captured.get()))

    found = Piped(stderr=stderr, highlight=False, soft_wrap=False)
    if found.width > WIDEST:
        found.width = WIDEST
    return found


def print_json(value: Any, *, to_stderr: bool = False) -> None:
    """One JSON object; numbers that JSON does not know become null."""
    ascii_only = (sys.stdout.encoding or "utf-8").casefold() not in ("utf-8", "utf8")  # then \u00fc for ü
    indent = 2 if sys.stdout.isatty() else None
    text = json.dumps(plain(value), ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    print(_COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text), file=sys.stderr if to_stderr else sys.stdout)


def watching(quiet: bool) -> int:
    """`verbose` for a learner: 1 where a terminal shows it."""
    return int(sys.stdout.isatty() and not quiet)


def notes(sentences: Iterable[str], quiet: bool) -> None:
    """Remarks, unless they are turned off."""
    if not quiet:
        for sentence in dict.fromkeys(sentences):
            note(sentence)


def note(sentence: str) -> None:
    """A remark that is not the result."""
    sentence = visible(sentence)
    text = f"\033[2mnote: {sentence}\033[0m" if colours(sys.stderr) else f"note: {sentence}"
    print(text, file=sys.stderr)


def colours(stream: Any) -> bool:
    """Whether a stream is a terminal that wants colours."""
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ


def table(*columns: tuple[str, str] | str, title: str | None = None) -> Table:
    """A table without lines; a column is a name, or a name and "right"."""
    from rich.table import Table

    found = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        header_style="dim",
    )
    for column in columns:
        name, side = (column, "left") if isinstance(column, str) else column
        found.add_column(name, justify=side)  # type: ignore[arg-type]
    return found


def pair(screen: Console, name: str, told: str) -> None:
    """A line of a name and what is told of it, such that several stand below each other."""
    shown = table("", "")
    shown.show_header = False
    shown.columns[0].min_width = 12
    shown.add_row(f"[dim]{name}[/dim]", told)
    screen.print(shown)


def bullet(screen: Console, sentence: str) -> None:
    """A sentence of a list, with its lines below each other."""
    for n, line in enumerate(textwrap.wrap(visible(sentence), screen.width - 4)):
        screen.print(f"  {'•' if n == 0 else ' '} {safe(line)}")


def safe(text: str) -> str:
    r"""Text from data or paths, which must not be taken for markup, nor be obeyed by the terminal.

    Examples
    --------
    >>> print(safe("[red]\x1b[31m"))
    \[red]\x1b[31m
    """
    from rich.markup import escape

    return escape(visible(text))
