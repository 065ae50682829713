"""Commas and points in numbers, where a comma is the decimal point: what the cells of a block say about them.

The first rows of a file tell how it writes numbers, but a later one may say more: 1.234,5 has points between thousands,
1.5 has not, and 1,234,567 has commas there. Numbers are read in one way or not at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_EXPONENT = r"([eE][+-]?\d+)?"
PATTERNS = {
    "comma": rf"^\s*[+-]?\d*,\d+{_EXPONENT}\s*$",  # 1,5
    "both": rf"^\s*[+-]?[1-9]\d{{0,2}}(\.\d{{3}})+,\d+{_EXPONENT}\s*$",  # 1.234,5
    "thousands": r"^\s*[+-]?[1-9]\d{0,2}(\.\d{3})+\s*$",  # 1.234, and more than one point where it is 1.234.567
    "point": rf"^\s*[+-]?(\d{{4,}}\.\d*|\d{{0,3}}\.(\d{{0,2}}|\d{{4,}})|0\d*\.\d{{3}}|\.\d+){_EXPONENT}\s*$",  # 1.5
}
COMMAS_BETWEEN_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}((,\d{3})+\.\d+|(,\d{3}){2,})\s*")  # 1,234.5 or 1,234,567
#: 1 234,5 with spaces of any width or apostrophes, which cannot be read in two ways; and the same or 5,90 € where signs
#: stand beside.
_THOUSANDS = r"[1-9]\d{0,2}([\s'’]\d{3})+"
SPACED = rf"[+-]?{_THOUSANDS},\d+"
SIGNED = rf"[+-]?[$€£¥]?\s?[+-]?({_THOUSANDS}|\d*),\d+\s?[%€£¥$]?"
MARKED_WHOLE = rf"[+-]?[$€£¥]?\s?[+-]?({_THOUSANDS}|\d+)\s?[%€£¥$]?"  # 1 234 or 5 €
FEW_DECIMALS = r",\d{1,2}(\D|$)"  # which are no thousands
#: And no thousands: 1,5 or 1 234,5.
DECIMAL_COMMA = rf"^\s*[+-]?\d*,(\d{{1,2}}|\d{{4,}})([eE][+-]?\d+)?\s*$|^\s*[+-]?0?,\d+\s*$|^\s*{SPACED}\s*$"


def seen(cells: pl.DataFrame) -> dict[str, dict[str, int]]:
    """By column, the row of the first cell of each kind of number, for the kinds that are there."""
    import polars as pl

    found: dict[str, dict[str, int]] = {}
    for column in cells.select(pl.col(pl.String)):
        if not column.str.contains(".", literal=True).any():
            continue
        for kind, pattern in PATTERNS.items():
            fits = column.str.contains(pattern).fill_null(False)
            if fits.any():
                found.setdefault(column.name, {})[kind] = int(fits.arg_max() or 0)
    return found


def has_points_between_thousands(kinds: dict[str, int]) -> bool:
    """Whether the points of a column part thousands: beside a decimal comma in one cell, or among decimal commas."""
    return "both" in kinds or ("comma" in kinds and "thousands" in kinds and "point" not in kinds)


def has_marks_beside_commas(values: list[str]) -> bool:
    """Whether numbers have decimal commas and, some of them, spaces or apostrophes between thousands, or signs like €.

    Examples
    --------
    >>> has_marks_beside_commas(["1 234,5", "987,6"]), has_marks_beside_commas(["7,5 %", "12 %"])
    (True, True)
    >>> has_marks_beside_commas(["1,5", "2,25"]), has_marks_beside_commas(["$1,234", "$5"])
    (False, False)
    """
    commas = [value for value in values if re.fullmatch(SIGNED, value)]
    others = sum(re.fullmatch(MARKED_WHOLE, value) is not None for value in values)
    marks = any(re.search(r"[$€£¥%]|\d[\s'’]\d", value) for value in commas)
    sure = any(re.search(FEW_DECIMALS, value) or re.fullmatch(SPACED, value) for value in commas)
    return marks and sure and len(commas) + others >= 0.8 * len(values)


def commas_between_thousands(column: pl.Series) -> int | None:
    """The row of the first cell like 1,234,567 or 1,234.5, which a decimal comma does not allow."""
    wrong = column.str.contains(f"^{COMMAS_BETWEEN_THOUSANDS.pattern}$").fill_null(False)
    return int(wrong.arg_max() or 0) if wrong.any() else None


def has_decimal_commas(column: pl.Series) -> bool:
    """Whether a cell has a comma that can only be a decimal point."""
    return bool(column.str.contains(DECIMAL_COMMA).any())
