"""Words that many sentences have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def listed(names: Iterable[Any], most: int = 12, last: str = ", ") -> str:
    """The first names, and how many more there are; `last` stands before the last where all are named.

    Examples
    --------
    >>> listed("abc"), listed("abc", last=" and "), listed("abcde", most=2)
    ('a, b, c', 'a, b and c', 'a, b and 3 more')
    """
    told = [str(name) for name in names]
    if len(told) > most:
        return f"{', '.join(told[:most])} and {len(told) - most:,} more"
    return last.join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def counted(number: int, name: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {name}" + ("" if number == 1 else "s")
