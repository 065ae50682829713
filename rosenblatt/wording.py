"""Words that many sentences have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST = 60  # letters of a name or a value in a sentence


def listed(names: Iterable[Any], most: int = 12, last: str = ", ") -> str:
    """The first names, and how many more there are; `last` stands before the last where all are named.

    The end of a long name is cut off.

    Examples
    --------
    >>> listed("abc"), listed("abc", last=" and "), listed("abcde", most=2)
    ('a, b, c', 'a, b and c', 'a, b and 3 more')
    """
    told = [short(name, LONGEST) for name in names]
    if len(told) > most:
        return f"{', '.join(told[:most])} and {len(told) - most:,} more"
    return last.join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def counted(number: int, name: str) -> str:
    """A number with its noun; shorter where it has very many digits.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2 * 10**40, "row"), counted(10**400, "row")
    ('1 row', '1,200 rows', '2.000e+40 rows', '10^400 rows')
    """
    return f"{number_in_words(number)} {name}" + ("" if number == 1 else "s")


def number_in_words(number: int) -> str:
    """A whole number that a person can take in; very large ones are rounded up, since they are bounds.

    Examples
    --------
    >>> [number_in_words(number) for number in (10**18 - 1, 10**18, 10**40 + 1, 10**300 - 1, 10**300 + 1)]
    ['999,999,999,999,999,999', '1.000e+18', '1.001e+40', '1.000e+300', '10^301']
    """
    if number < 10**18:
        return f"{number:,}"
    if number < 10**300:
        power = len(str(number)) - 4
        return f"{float(-(-number // 10**power) * 10**power):.3e}"
    power = math.ceil(number.bit_length() * math.log10(2))
    return f"10^{power - (10 ** (power - 1) >= number)}"


def short(name: Any, most: int = 32) -> str:
    """A name on one line, its end cut off where it is long.

    Examples
    --------
    >>> short("the length of the petal", 12), short(True)
    ('the length …', 'true')
    """
    text = " ".join(str(name).split())
    if text in ("True", "False") and not isinstance(name, str):  # as files have it
        text = text.lower()
    return text if len(text) <= most else text[: most - 1] + "…"


def visible(text: str) -> str:
    r"""Text in which nothing commands a terminal: control characters and marks that turn the writing are written out.

    Examples
    --------
    >>> print(visible("red\x1b[31m, \x9b2J, \u202egnp.exe, ü, 日本"))
    red\x1b[31m, \x9b2J, \u202egnp.exe, ü, 日本
    """
    return text if text.isprintable() else _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shortened(value: Any) -> str:
    """How a value is written, on one line of at most 60 letters.

    Examples
    --------
    >>> shortened(10**400)
    '10000000000000000000000000000...00000000000000000000000000000'
    """
    try:
        written = " ".join(repr(value).split())
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        written = f"a value of type {type(value).__name__} that is too long to be written"
    return written if len(written) <= LONGEST else f"{written[:29]}...{written[-29:]}"
