"""Remarks to whoever gave the command: one for many columns of which the same is to be said."""

from __future__ import annotations

import re
from collections.abc import Iterable

FEW = 3  # columns that get a sentence each
SHOWN = 3  # further columns that are named where there are more
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")


def gathered(notes: Iterable[str]) -> list[str]:
    """The notes without repetition; of many that differ in their column only, the first, with the other columns named.

    Examples
    --------
    >>> gathered(f"The column 'x{n}' is left out: it is constant." for n in range(100))
    ["The column 'x0' is left out: it is constant. The same holds for 'x1', 'x2', 'x3' and 96 more columns."]
    >>> gathered(["The column 'a' is left out: it is constant.", "One more note."])
    ["The column 'a' is left out: it is constant.", 'One more note.']
    """
    groups: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        groups.setdefault(_template(note), []).append(note)
    told: list[str] = []
    for alike in groups.values():
        names = [_QUOTED.findall(note)[0] for note in alike] if len(alike) > FEW else []
        if len(set(names)) == len(alike) > FEW:
            more = len(names) - 1 - SHOWN
            others = ", ".join(names[1 : 1 + SHOWN]) + (f" and {more:,} more columns" if more > 0 else "")
            told.append(f"{alike[0]} The same holds for {others}.")
        else:
            told += alike
    return told


def _template(note: str) -> str:
    """A note without the column that it is about, and without figures; itself where it is about none."""
    found = _QUOTED.search(note)
    if found is None:
        return note
    bare = found[0][1:-1]
    text = _QUOTED.sub("''", note)
    text = re.sub(rf"--keep {re.escape(bare)}(?= )", "--keep ''", text)
    return re.sub(r"-?\d[\d,.]*(e[+-]?\d+)?", "0", text)
