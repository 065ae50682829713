"""Writes the help of every verb, docs/command_line/reference.md.

python -m docs.command_line.reference
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from rosenblatt.cli.main import main

PAGE = Path(__file__).with_name("reference.md")
VERBS = (
    "train", "predict", "evaluate", "inspect", "export", "separable", "audit", "convert", "datasets",
    "datasets list", "datasets export", "demo", "lab", "serve",
)  # fmt: skip


def help_of(verb: str) -> str:
    """What --help prints at 88 columns."""
    printed = io.StringIO()
    os.environ["COLUMNS"] = "88"
    with contextlib.redirect_stdout(printed):
        assert main([*verb.split(), "--help"]) == 0
    return printed.getvalue().strip()


def page() -> str:
    parts = [f"### rosenblatt {verb}\n\n```text\n{help_of(verb)}\n```\n" for verb in VERBS]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
