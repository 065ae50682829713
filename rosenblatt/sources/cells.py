"""The cells of text tables, as RFC 4180 has them: a cell that begins with a quote ends with the next single one.

Used to look at the first lines of a file and to name the place of what is wrong; polars does the parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


def records(text: str, separator: str, quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """The line, from 0, and the cells of every record that is not empty. A quote that is never closed is a letter.

    Examples
    --------
    >>> list(records('a;"one\\ntwo"\\n\\nc;"never closed;d\\n', ";"))
    [(0, ['a', 'one\\ntwo']), (3, ['c', '"never closed', 'd'])]
    """
    sign = re.escape(separator)
    cell = re.compile(rf'"([^"]*(?:""[^"]*)*)"(?=[{sign}\r\n]|\Z)|([^{sign}\n]*)')
    at = line = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        first, plain = line, text[at:end].removesuffix("\r")
        if not quoted or '"' not in plain:
            row, at = plain.split(separator), end
        else:
            row = []
            while True:
                found = cell.match(text, at)
                assert found is not None
                inside = found[1]
                row.append(found[2].removesuffix("\r") if inside is None else inside.replace('""', '"'))
                line += 0 if inside is None else inside.count("\n")
                at = found.end()
                if text[at : at + 1] != separator:
                    break
                at += 1
            at += text[at : at + 1] == "\r"
        at, line = at + 1, line + 1
        if row != [""]:
            yield first, row


def open_quote(text: str, separator: str) -> tuple[int, int] | None:
    """The line, from 0, and the number of the cell that opens a quote which is never closed, if there is one.

    Examples
    --------
    >>> open_quote('a,b\\n1,"two\\n3,4\\n', ","), open_quote('a,b\\n1,5" disk\\n', ",")
    ((1, 1), None)
    """
    if text.count('"') % 2 == 0:
        return None
    for line, row in records(text, separator):
        for number, cell in enumerate(row):
            if cell.startswith('"') and cell.count('"') % 2:
                return line, number
    return None
