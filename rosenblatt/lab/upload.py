"""A CSV of one's own: two columns of numbers and a column with two classes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable

from rosenblatt.arguments import shortened
from rosenblatt.lab.state import MOST_POINTS, State
from rosenblatt.sources.dialect import MISSING

FARTHEST = 1e100  # of a coordinate
LARGEST = 16_000_000  # characters


def read(text: str) -> tuple[list[str], list[list[str]]]:
    """The names of the columns and the rows, or a sentence that says what is wrong with the file.

    >>> read("a,b,kind\\n1,2,x\\n3,4,y\\n")
    (['a', 'b', 'kind'], [['1', '2', 'x'], ['3', '4', 'y']])
    """
    if len(text) > LARGEST:
        raise ValueError(f"A file may have {LARGEST // 1_000_000} million characters, but this has {len(text):,}.")
    if "\x00" in text or "\ufffd" in text:
        raise ValueError("A CSV is text in UTF-8, but this file is something else; save the table as CSV first.")
    try:
        kind: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:10_000], ",;\t|")
    except csv.Error:
        kind = csv.excel
    try:
        lines = [line for line in csv.reader(io.StringIO(text.lstrip("\ufeff")), kind) if any(map(str.strip, line))]
    except csv.Error as error:
        raise ValueError(f"A CSV has one row on each line, but this file cannot be read ({error}).") from None
    if len(lines) < 3:
        raise ValueError(
            f"A CSV must have a line of names and at least two rows, but this has {len(lines)} lines; add rows."
        )
    width = len(lines[0])
    if width < 3:
        raise ValueError(
            f"A CSV must have at least three columns, two of numbers and the class, but this has {width}; look at what "
            f"separates the columns."
        )
    for number, line in enumerate(lines, start=1):
        if len(line) != width:
            raise ValueError(
                f"Every line must have {width} columns as the first has, but line {number} has {len(line)}."
            )
    names = [name.strip() or f"column {j + 1}" for j, name in enumerate(lines[0])]
    rows = lines[1:]
    if all(_number(name) is not None for name in names[:-1]):  # no line of names
        names, rows = [f"column {j + 1}" for j in range(width)], lines
    names = different(names)
    if len(rows) > MOST_POINTS:
        raise ValueError(f"There is room for {MOST_POINTS:,} rows, but this has {len(rows):,}; take a part of them.")
    return names, rows


def different(names: list[str]) -> list[str]:
    """Names that can be told apart: the second of a name gets its number.

    >>> different(["a", "b", "a", "a (2)", "a"])
    ['a', 'b', 'a (2)', 'a (2) (2)', 'a (3)']
    """
    made: list[str] = []
    for name in names:
        other, times = name, 1
        while other in made:
            times += 1
            other = f"{name} ({times})"
        made.append(other)
    return made


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _empty(text: str) -> bool:
    return text.strip() in MISSING


def proposal(names: list[str], rows: list[list[str]]) -> dict[str, str]:
    """Which columns it could be: the class is the last with two values, the axes the first two of numbers."""
    two = [j for j in range(len(names)) if len({row[j].strip() for row in rows if not _empty(row[j])}) == 2]
    target = two[-1] if two else len(names) - 1
    numeric = [j for j in range(len(names)) if j != target and _numbers(row[j] for row in rows)]
    x, y = [*numeric, *(j for j in range(len(names)) if j != target and j not in numeric)][:2]
    return {"x": names[x], "y": names[y], "target": names[target]}


def _numbers(cells: Iterable[str]) -> bool:
    """Whether a column holds numbers, and at least one."""
    present = [cell for cell in cells if not _empty(cell)]
    return bool(present) and all(_number(cell) is not None for cell in present)


def take(state: State, names: list[str], rows: list[list[str]], x: str, y: str, target: str) -> tuple[State, int]:
    """A state with these columns and how many rows it leaves out, or a sentence that says which cell is in the way.

    A row is left out when one of its three cells is empty.
    """
    for name in (x, y, target):
        if name not in names:
            raise ValueError(
                f"A column must be one of {', '.join(names)}, but got {shortened(name)}; choose one of them."
            )
    if len({x, y, target}) < 3:
        raise ValueError("The two axes and the class must be three different columns; choose others.")
    i, j, k = names.index(x), names.index(y), names.index(target)
    whole = [n for n, row in enumerate(rows) if not (_empty(row[i]) or _empty(row[j]) or _empty(row[k]))]
    if not whole:
        raise ValueError(f"Every row has an empty cell in {x!r}, {y!r} or {target!r}; choose other columns.")
    labels = sorted({rows[n][k].strip() for n in whole})
    if len(labels) != 2:
        shown = ", ".join(labels[:4]) + (" …" if len(labels) > 4 else "")
        raise ValueError(
            f"The class must have exactly two values, but {target!r} has {len(labels)} ({shown}); choose another one."
        )
    points = []
    for number, row in ((n + 1, rows[n]) for n in whole):
        across, up = _number(row[i]), _number(row[j])
        if across is None or up is None:
            name, cell = (x, row[i]) if across is None else (y, row[j])
            raise ValueError(f"{name!r} must hold numbers, but row {number} has {cell!r}; choose another column.")
        if max(abs(across), abs(up)) > FARTHEST:
            name, cell = (x, row[i]) if abs(across) > FARTHEST else (y, row[j])
            raise ValueError(
                f"Numbers may go up to {FARTHEST:.0e}, since squares are summed, but {name!r} has {cell!r} in row "
                f"{number}; divide the column by a constant."
            )
        points.append((across, up, 1 if row[k].strip() == labels[1] else -1))
    names_of_sides = (labels[0], labels[1])
    taken = State(state.set, state.values, tuple(points), (x, y), names_of_sides, (), state.learners, state.seed)
    return taken, len(rows) - len(whole)
