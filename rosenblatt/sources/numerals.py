"""Numbers with decimal commas, which polars does not read beside points between thousands.

A table has decimal commas or not. Where it has them, a point in a number separates thousands (1.234,5) or is a decimal
point too (1.5): the cells of the column tell, and where they allow both, a note says how they were read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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
#: 1 234,5 or 5,90 €: the comma is a decimal one, and what else there is is left to whoever reads text as numbers.
MARKED = rf"[+-]?[$€£¥]?\s?[+-]?({_SPACED}|\d*),\d+\s?[%€£¥$]?"
#: What only a decimal comma can be: other than three digits behind it, or spaces before it.
SURE = rf"[+-]?\d*,(\d{{1,2}}|\d{{4,}}){_EXPONENT}|[+-]?0?,\d+|[+-]?{_SPACED},\d+"
SURE_MARKED = rf"[+-]?[$€£¥]?\s?[+-]?({_SPACED}|\d*),\d{{1,2}}\s?[%€£¥$]"
PLAIN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
GERMAN = re.compile(rf"{COMMA}|{BOTH}|{THOUSANDS}|[+-]?\d+")
KINDS = {"comma": COMMA, "both": BOTH, "thousands": THOUSANDS, "point": POINT}


class Contradiction(NamedTuple):
    """A cell that is written in another way than the rest of its column."""

    column: str
    row: int
    cell: str
    rule: str  # what holds for the column


@dataclass
class Numerals:
    """What the cells of a table with decimal commas have shown so far, by column."""

    kinds: dict[str, set[str]] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)  # of columns whose points may mean either

    def between_thousands(self, name: str) -> bool:
        """Whether the points in a column separate thousands."""
        kinds = self.kinds.get(name, set())
        return "both" in kinds or ({"comma", "thousands"} <= kinds and "point" not in kinds)

    def look(self, cells: pl.DataFrame) -> tuple[bool, Contradiction | None]:
        """Whether these cells change how earlier ones are read, and the first cell that contradicts the others."""
        import polars as pl

        changed = False
        for column in cells.select(pl.col(pl.String)):
            before, kinds = self.between_thousands(column.name), self.kinds.setdefault(column.name, set())
            fits = {kind: column.str.contains(rf"^\s*({pattern})\s*$") for kind, pattern in KINDS.items()}
            found = {kind: int(fit.arg_max() or 0) for kind, fit in fits.items() if fit.any()}
            kinds |= set(found)
            if kinds & {"comma", "both"}:
                english = column.str.contains(rf"^\s*({ENGLISH})\s*$")
                if english.any():
                    row = int(english.fill_null(False).arg_max() or 0)
                    return changed, Contradiction(column.name, row, column[row], "commas are decimal points")
            if "both" in kinds and "point" in found:
                row = found["point"]
                return changed, Contradiction(column.name, row, column[row], "points separate thousands")
            unsure = next((found[kind] for kind in ("thousands", "point") if kind in found), None)
            if unsure is not None:
                self.examples.setdefault(column.name, column[unsure])
            changed |= self.between_thousands(column.name) != before
        return changed, None

    def with_points(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The same cells of text with decimal points instead of commas, and without points between thousands."""
        import polars as pl

        def matching(cells: pl.Expr, pattern: str) -> pl.Expr:
            return cells.str.contains(rf"^\s*({pattern})\s*$")

        done = []
        for name in frame.select(pl.col(pl.String)).columns:
            cells = pl.col(name)
            bare, point = cells.str.replace_all(".", "", literal=True), cells.str.replace(",", ".", literal=True)
            written: Any = pl.when(matching(cells, f"{COMMA}|{BOTH}")).then(bare.str.replace(",", ".", literal=True))
            written = written.when(matching(cells, MARKED)).then(point)
            if self.between_thousands(name):
                written = written.when(matching(cells, THOUSANDS)).then(bare)
            done.append(written.otherwise(cells).alias(name))
        return frame.with_columns(done)

    def notes(self) -> list[str]:
        """How the points of columns were read where they may mean either."""
        told = {True: "as separators of thousands", False: "as decimal points"}
        return [
            f"The points in the column {name!r}, as in {example!r}, are read {told[self.between_thousands(name)]}."
            for name, example in self.examples.items()
            if "both" not in self.kinds[name]
        ]


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
