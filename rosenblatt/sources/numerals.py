"""Numbers with decimal commas, which polars does not read beside points between thousands.

A table has decimal commas or not. Where it has them, a point in a number separates thousands (1.234,5) or is a decimal
point too (1.5): the first cells of the column tell, and where they allow both, a note says how they are read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import polars as pl

_EXPONENT = r"([eE][+-]?\d+)?"
_SPACED = r"[1-9]\d{0,2}([\s'’]\d{3})+"
COMMA = rf"[+-]?\d*,\d+{_EXPONENT}"  # 1,5
BOTH = rf"[+-]?[1-9]\d{{0,2}}(\.\d{{3}})+,\d+{_EXPONENT}"  # 1.234,5
THOUSANDS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"  # 1.234
POINT = rf"[+-]?(\d{{4,}}\.\d*|\d{{0,3}}\.(\d{{0,2}}|\d{{4,}})|0\d*\.\d{{3}}|\.\d+){_EXPONENT}"  # 1.5
ENGLISH = r"[+-]?[1-9]\d{0,2}((,\d{3})+\.\d+|(,\d{3}){2,})"  # 1,234.5 or 1,234,567
#: 1 234,5 or 5,90 €: the comma is a decimal one, and everything else is left to the reader of numbers.
MARKED = rf"[+-]?[$€£¥]?\s?[+-]?({_SPACED}|\d*),\d+\s?[%€£¥$]?"
#: What only a decimal comma can be: other than three digits behind it, or spaces before it.
SURE = rf"[+-]?\d*,(\d{{1,2}}|\d{{4,}}){_EXPONENT}|[+-]?0?,\d+|[+-]?{_SPACED},\d+"
SURE_MARKED = rf"[+-]?[$€£¥]?\s?[+-]?({_SPACED}|\d*),\d{{1,2}}\s?[%€£¥$]"
PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
GERMAN = re.compile(rf"{COMMA}|{BOTH}|{THOUSANDS}|[+-]?\d+")
KINDS = {"comma": COMMA, "both": BOTH, "thousands": THOUSANDS, "point": POINT}


class Points(NamedTuple):
    """What points mean in a column of numbers with decimal commas."""

    thousands: bool  # whether they separate thousands; otherwise they are decimal points, too
    example: str = ""  # a cell, where they may mean either

    @property
    def wrong(self) -> str:
        """What no cell may look like."""
        return f"{ENGLISH}|{POINT}" if self.thousands else f"{ENGLISH}|{BOTH}"


def points_of(values: list[str]) -> Points:
    """What points mean in a column, by some of its cells.

    Examples
    --------
    >>> points_of(["1,5", "1.234"]), points_of(["1,5", "1.5"]).thousands
    (Points(thousands=True, example='1.234'), False)
    """
    found = {kind: [v for v in values if re.fullmatch(pattern, v)] for kind, pattern in KINDS.items()}
    if found["both"]:
        return Points(True)
    example = next(iter(found["thousands"] or found["point"]), "")
    return Points(not found["point"] and bool(found["comma"] or not example), example)


def mostly_commas(values: list[str]) -> bool:
    """Whether most values are numbers, some of them with decimal commas."""
    commas = sum(re.fullmatch(f"{COMMA}|{BOTH}", value) is not None for value in values)
    others = sum(re.fullmatch(f"{THOUSANDS}|{PLAIN}", value) is not None for value in values)
    return commas > 0 and commas + others >= 0.8 * len(values)


def with_points(frame: pl.DataFrame, points: Mapping[str, Points]) -> pl.DataFrame:
    """The same cells of text with decimal points instead of commas, and without points between thousands."""
    import polars as pl

    def matching(cells: pl.Expr, pattern: str) -> pl.Expr:
        return cells.str.contains(rf"^\s*({pattern})\s*$")

    done = []
    for name in frame.columns:
        cells = pl.col(name)
        bare, point = cells.str.replace_all(".", "", literal=True), cells.str.replace(",", ".", literal=True)
        written: Any = pl.when(matching(cells, f"{COMMA}|{BOTH}")).then(bare.str.replace(",", ".", literal=True))
        written = written.when(matching(cells, MARKED)).then(point)
        if name in points and points[name].thousands:
            written = written.when(matching(cells, THOUSANDS)).then(bare)
        done.append(written.otherwise(cells).alias(name))
    return frame.with_columns(done)


def two_ways(frame: pl.DataFrame, points: Mapping[str, Points]) -> tuple[str, int] | None:
    """Column and row of the first cell that is written in another way than its column, if there is one."""
    for name, known in points.items():
        wrong = frame[name].str.contains(rf"^\s*({known.wrong})\s*$").fill_null(False)
        if wrong.any():
            return name, int(wrong.arg_max() or 0)
    return None


def has_decimal_commas(values: list[str], *, ambiguous: bool) -> bool:
    """Whether most values are numbers, and some have decimal commas; `ambiguous`: 1,234 counts as one, too.

    Examples
    --------
    >>> has_decimal_commas(["1,5", "2"], ambiguous=False), has_decimal_commas(["1,234", "2"], ambiguous=False)
    (True, False)
    """
    if not any("," in value for value in values):
        return False
    sure = any(re.fullmatch(f"{SURE}|{SURE_MARKED}|{BOTH}", value) for value in values)
    german = [value for value in values if re.fullmatch(f"{COMMA}|{BOTH}|{MARKED}", value)]
    if any(re.search(r"[$€£¥%]|\d[\s'’]\d", value) for value in german):  # 5 € is one of them
        other = rf"[+-]?[$€£¥]?\s?[+-]?({_SPACED}|\d+)\s?[%€£¥$]?"
        ambiguous = False
    else:
        points = any("." in value for value in german)  # beside 1.234,5 a point is no decimal one
        other = rf"[+-]?\d+|{THOUSANDS}" if points else PLAIN if sure else r"[+-]?\d+"
    others = sum(re.fullmatch(other, value) is not None for value in values if value not in german)
    return bool(german) and (sure or ambiguous) and len(german) + others >= 0.8 * len(values)
