"""How verbs and their options are shown: plain text that fits the terminal, with an example.

typer's own pages need twice the lines. Bold and colour are codes that are stripped where there is no terminal.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

from rosenblatt.cli.failures import StoppedError
from rosenblatt.verbs.errors import UsageError, nearest
from rosenblatt.wording import listed, shortened

WIDEST = 100
BOLD, CYAN, DIM, PLAIN = "\033[1m", "\033[36m", "\033[2m", "\033[0m"


class Verb(TyperCommand):
    """A verb whose epilog is its example."""

    def get_help(self, ctx: Any) -> str:
        arguments: list[Any] = [param for param in self.get_params(ctx) if param.param_type_name == "argument"]
        usage = " ".join([ctx.command_path, *(_metavar(argument) for argument in arguments), "[OPTIONS]"])
        lines = [f"{BOLD}Usage{PLAIN}  {usage}", "", *_paragraphs(self.help or "")]
        lines += ["", f"{BOLD}Example{PLAIN}", *(f"  {CYAN}{line}{PLAIN}" for line in (self.epilog or "").splitlines())]
        if arguments:
            lines += ["", *_pairs((_metavar(argument), argument.help or "") for argument in arguments)]
        for panel, params in _panels(self, ctx).items():
            lines += ["", f"{BOLD}{panel}{PLAIN}", *_pairs((_names(param), _told(param)) for param in params)]
        return "\n".join(lines)


class Verbs(TyperGroup):
    """Verbs in the order in which they were added; a mistyped one is answered with the nearest."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            near = nearest(name, self.commands) or "choose one of them."
            raise UsageError(f"The verb must be one of {listed(self.commands, 99)}, but got {shortened(name)}; {near}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # of which typer would make an exit without a word
            raise StoppedError(*error.args) from error

    def get_help(self, ctx: Any) -> str:
        lines = [f"{BOLD}Usage{PLAIN}  {ctx.command_path} VERB [OPTIONS]", "", *_paragraphs(self.help or "")]
        panels: dict[str, list[tuple[str, str]]] = {}  # in the order of their first verbs
        for name in self.list_commands(ctx):
            command = self.commands[name]
            first = (command.help or "").split("\n\n")[0]
            panels.setdefault(str(getattr(command, "rich_help_panel", None) or "Verbs"), []).append((name, first))
        width = 2 + max(len(name) for name in self.commands)
        for panel, verbs in panels.items():
            lines += ["", f"{BOLD}{panel}{PLAIN}", *_pairs(verbs, width)]
        for panel, params in _panels(self, ctx).items():
            lines += ["", f"{BOLD}{panel}{PLAIN}", *_pairs((_names(param), _told(param)) for param in params)]
        if self.epilog:
            lines += ["", f"{BOLD}Example{PLAIN}", *(f"  {CYAN}{line}{PLAIN}" for line in self.epilog.splitlines())]
        lines += ["", f"{DIM}Each verb has its own help: {ctx.command_path} VERB --help{PLAIN}"]
        return "\n".join(lines)


def _columns() -> int:
    return max(40, min(shutil.get_terminal_size().columns, WIDEST))


def _panels(command: Any, ctx: Any) -> dict[str, list[Any]]:
    """The options by their headings, those without one last."""
    options = [param for param in command.get_params(ctx) if param.param_type_name == "option" and not param.hidden]
    headings = [param.rich_help_panel for param in options if param.rich_help_panel]
    found: dict[str, list[Any]] = {heading: [] for heading in [*dict.fromkeys(headings), "Options"]}
    for param in options:
        found[param.rich_help_panel or "Options"].append(param)
    if headings:
        found["Besides"] = found.pop("Options")
    return {heading: params for heading, params in found.items() if params}


def _metavar(param: Any) -> str:
    return param.metavar or param.name.upper()


def _names(param: Any) -> str:
    names = ", ".join(sorted(param.opts, key=len, reverse=True))
    if param.secondary_opts:
        names = f"{names}/{'/'.join(param.secondary_opts)}"
    return names if param.is_flag else f"{names} {_metavar(param)}"


def _told(param: Any) -> str:
    """The help of an option, with what holds when it is not given."""
    told = param.help or ""
    default = param.show_default if isinstance(param.show_default, str) else None
    if default is None and param.show_default and not param.is_flag and param.default not in (None, "", [], ()):
        default = str(param.default)
    return f"{told} [{default}]" if default else told


def _paragraphs(text: str) -> Iterable[str]:
    for n, paragraph in enumerate(text.strip().split("\n\n")):
        if n:
            yield ""
        yield from textwrap.wrap(" ".join(paragraph.split()), _columns())


def _pairs(pairs: Iterable[tuple[str, str]], width: int | None = None) -> Iterable[str]:
    """Names on the left, what they mean on the right; a long name has a line of its own."""
    pairs = list(pairs)
    columns = _columns()
    left = width or min(max((len(name) for name, _ in pairs), default=0) + 2, 26 if columns >= 70 else 14)
    for name, told in pairs:
        wrapped = textwrap.wrap(told, columns - left - 2, break_long_words=False, break_on_hyphens=False) or [""]
        shown = f"  {CYAN}{name}{PLAIN}"
        if len(name) + 2 > left:
            yield shown
        else:
            yield f"{shown}{' ' * (left - len(name))}{wrapped.pop(0)}"
        yield from (f"{' ' * (left + 2)}{line}" for line in wrapped)


def colours(stream: Any) -> bool:
    """Whether a stream is a terminal that wants colours."""
    return bool(stream.isatty()) and "NO_COLOR" not in os.environ
