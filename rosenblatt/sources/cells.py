"""The cells of text tables: used to look at the first lines of a file, and to name the place of what is wrong."""

from __future__ import annotations

import csv
from collections.abc import Iterator


def records(text: str, separator: str, quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """The line, from 0, and the cells of every record that is not empty. A quote that is never closed is a letter.

    Examples
    --------
    >>> list(records('a;"one\\ntwo"\\n\\nc;"never closed;d\\n', ";"))
    [(0, ['a', 'one\\ntwo']), (3, ['c', '"never closed', 'd'])]
    """
    lines = [f"{line}\n" for line in text.split("\n")]
    at = start = 0
    while start < len(lines):
        waiting = lines[start:]
        reader = csv.reader(waiting, delimiter=separator, strict=True)
        if not quoted:
            reader = csv.reader(waiting, delimiter=separator, quoting=csv.QUOTE_NONE, strict=True)
        try:
            for row in reader:
                if row:
                    yield at, row
                at = start + reader.line_num
            return
        except csv.Error:
            yield at, lines[at].rstrip("\r\n").split(separator)
            at = start = at + 1


def open_quote(text: str, separator: str) -> tuple[int, int] | None:
    """The line, from 0, and the number of the cell that opens a quote which is never closed, if there is one.

    Examples
    --------
    >>> open_quote('a,b\\n1,"two\\n3,4\\n', ","), open_quote('a,b\\n1,5" disk\\n', ",")
    ((1, 1), None)
    """
    for line, row in records(text, separator):
        for number, cell in enumerate(row):
            if cell.startswith('"') and cell.count('"') % 2:
                return line, number
    return None
