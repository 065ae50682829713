"""Numbers with decimal commas, which are written with points before polars reads them.

A table has decimal commas or not. Where it has them, a point among three digits each separates thousands (1.234,5),
unless the first cells of the column have points that cannot (1.5).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
#: 1,5 and 1.234,5 and 1 234,5 and 5,90 €.
COMMA = r"[+-]?[$€£¥]?\s?[+-]?([1-9]\d{0,2}([.\s'’]\d{3})+|\d*),\d+([eE][+-]?\d+)?\s?[%€£¥$]?"
SMALL = r"[+-]?[$€£¥]?\s?[+-]?[1-9]\d{0,2},\d{3}\s?[%€£¥$]?"  # 1,234, which may be a thousand
THOUSANDS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"  # 1.234
POINT = rf"(?!{THOUSANDS}$)[+-]?\d*\.\d*([eE][+-]?\d+)?"  # 1.5
SIGNED = r"[+-]?[$€£¥]?\s?[+-]?\d[\d\s'’]*\s?[%€£¥$]?"  # 5 €


def has_decimal_commas(values: list[str], *, ambiguous: bool) -> bool:
    """Whether most values are numbers, and some have decimal commas; `ambiguous`: 1,234 counts as one, too.

    Examples
    --------
    >>> has_decimal_commas(["1,5", "2"], ambiguous=False), has_decimal_commas(["1,234", "2"], ambiguous=False)
    (True, False)
    """
    commas = [value for value in values if "," in value and re.fullmatch(COMMA, value)]
    sure = any(not re.fullmatch(SMALL, value) for value in commas)
    if not commas or not (sure or (ambiguous and commas[0][-1].isdigit() and commas[0][0] not in "$€£¥")):
        return False
    other = f"{PLAIN}|{THOUSANDS}|{SIGNED}" if sure else r"[+-]?\d+"
    others = sum(re.fullmatch(other, value) is not None for value in values if "," not in value)
    return len(commas) + others >= 0.8 * len(values)


def has_points_between_thousands(values: list[str]) -> bool:
    """Whether points separate thousands in a column of a table with decimal commas."""
    told = any("," in value for value in values) or not any("." in value for value in values)
    return told and not any(re.fullmatch(POINT, value) for value in values)


def with_points(frame: pl.DataFrame, thousands: Collection[str]) -> pl.DataFrame:
    """The same cells of text with decimal points, and without points in the columns where they separate thousands."""
    import polars as pl

    done = []
    for name in frame.columns:
        cells = pl.col(name)
        bare = cells.str.replace_all(".", "", literal=True)
        number = rf"^\s*({COMMA}|{THOUSANDS})\s*$" if name in thousands else rf"^\s*({COMMA})\s*$"
        written = pl.when(cells.str.contains(number)).then(bare.str.replace(",", ".", literal=True))
        done.append(written.otherwise(cells).alias(name))
    return frame.with_columns(done)
