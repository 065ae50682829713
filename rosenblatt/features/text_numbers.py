"""Text that holds numbers or dates: how it is written, and what it says.

A style is one of the names in `STYLES`. It is found in a sample of a column and kept with the column: numbers with
signs or separators of thousands, dates by their order of day and month.
"""

from __future__ import annotations

import polars as pl

from rosenblatt.features.tables import as_numbers

MOSTLY = 0.95  # of the values must be numbers, for the others to count as missing
#: Numbers as 1,234.5 or 1 234.5 or 1'234.5 or $5 or 7.5 %, beside plain ones.
THOUSANDS = r"[1-9]\d{0,2}((,\d{3})+|(\s\d{3})+|(['’]\d{3})+)"
MARKED = rf"^\s*[+-]?[$€£¥]?\s?[+-]?((({THOUSANDS}|\d+)(\.\d+)?)|\.\d+)\s?[%€£¥$]?\s*$"
MARKS = r"[,$€£¥%'’\s]"
SEEN_MARKS = r"[,$€£¥%'’]|\d\s\d"
CODE = r"^\s*[+-]?0\d"  # 01234 is a code, not a number
TIME = r"([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?[Zz]?)?$"
#: Dates that can be read in one way only: 2024-12-31 and 31.12.2024; and those with slashes, where a day tells.
DATES = {
    "dates": (rf"^(\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}}){TIME}", ("%Y-%m-%d", "%d.%m.%Y")),
    "dates_mdy": (rf"^\d{{1,2}}/\d{{1,2}}/\d{{4}}{TIME}", ("%m/%d/%Y",)),
    "dates_dmy": (rf"^\d{{1,2}}/\d{{1,2}}/\d{{4}}{TIME}", ("%d/%m/%Y",)),
}
TIME_FORMATS = ("", " %H:%M", " %H:%M:%S%.f")

#: How each style is described.
STYLES = {
    "plain": "read from text",
    "commas": "read as numbers with commas between thousands",
    "spaces": "read as numbers with spaces between thousands",
    "apostrophes": "read as numbers with apostrophes between thousands",
    "signs": "read as numbers without their signs, such as $ and %",
    "dates": "in days since 1970-01-01, read from text",
    "dates_mdy": "in days since 1970-01-01, read from text as month/day/year",
    "dates_dmy": "in days since 1970-01-01, read from text as day/month/year",
}


def style_of(values: pl.Series) -> str:
    """The style of a sample of text, were it numbers or dates.

    Examples
    --------
    >>> [style_of(pl.Series(cells)) for cells in (["1,234", "5"], ["7 %"], ["3/31/2024"], ["1.5", "x"])]
    ['commas', 'signs', 'dates_mdy', 'plain']
    """
    cells = values.str.strip_chars()
    for style, (pattern, _) in DATES.items():
        fitting = cells.filter(cells.str.contains(pattern))
        if len(fitting) < MOSTLY * len(values) or not len(fitting):
            continue
        if style == "dates" or (
            not _beyond_twelve(fitting, 0 if style == "dates_mdy" else 1)
            and _beyond_twelve(fitting, 1 if style == "dates_mdy" else 0)
        ):
            return style
    fitting = values.filter(values.str.contains(MARKED))
    if len(fitting) < MOSTLY * len(values) or not fitting.str.contains(SEEN_MARKS).any():
        return "plain"
    for style, pattern in (("signs", r"[$€£¥%]"), ("apostrophes", r"['’]"), ("commas", ",")):
        if values.str.contains(pattern).any():
            return style
    return "spaces"


def _beyond_twelve(dates: pl.Series, part: int) -> bool:
    """Whether a part of dates with slashes is a day for sure."""
    numbers = dates.str.split("/").list.get(part).cast(pl.Int64, strict=False)
    return bool((numbers > 12).any())


def reads_dates(style: str) -> bool:
    return style in DATES


def text_as_numbers(series: pl.Series, style: str) -> pl.Series:
    """Text as float64, dates in days since 1970; what is none is missing.

    Examples
    --------
    >>> text_as_numbers(pl.Series(["1,234.5", "$7", "x"]), "signs").to_list()
    [1234.5, 7.0, None]
    >>> text_as_numbers(pl.Series(["1970-01-02", "3.1.1970", "1970-01-01T12:00:00Z", "12/31/1970"]), "dates").to_list()
    [1.0, 2.0, 0.5, None]
    """
    cells = series.str.strip_chars()
    if style in DATES:
        pattern, days = DATES[style]
        cells = cells.set(~cells.str.contains(pattern).fill_null(True), None)
        cells = cells.str.to_uppercase().str.strip_chars_end("Z").str.replace("T", " ", literal=True)
        formats = [f"{day}{time}" for day in days for time in TIME_FORMATS]
        read = [cells.str.to_datetime(known, strict=False, time_unit="us") for known in formats]
        return as_numbers(pl.select(pl.coalesce(read)).to_series().alias(series.name))
    if style != "plain":
        fits = cells.str.contains(MARKED)
        cells = cells.str.replace_all(MARKS, "").set(~fits.fill_null(True), None)
    return cells.cast(pl.Float64, strict=False).fill_nan(None)
