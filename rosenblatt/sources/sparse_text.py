"""LIBSVM text, parsed by polars in blocks of whole lines.

To polars, a line of LIBSVM text is a few records of two numbers that a space ends: `index:value`, and `:label` in front
of them. Its numbers have the bits of Python's `float()`. What it refuses is looked for, word by word, when there is
something to complain about.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .ahead import ahead
from .matrix import Matrix
from .reading import ReadOptions
from .whole_lines import Place, blocks_at, blocks_in_order, first_line

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**22
LARGEST_INDEX = 2**31 - 2
LIBSVM_FORM = "A LIBSVM file must have lines of the form 'label index:value ...' with rising indices"
FROM_ZERO = "if they start at 0, read them as zero_based (--zero-based), or "


class _Wrong(Exception):  # noqa: N818  worded by `sparse_blocks`, which knows the file
    """Something in a block does not belong there."""


def sparse_blocks(
    file: BinaryIO, path: str, name: str, reading: ReadOptions, places: Iterable[Place] | None = None,
    *, finite: bool = True,
) -> Iterator[tuple[Place, Matrix]]:  # fmt: skip
    """The rows of LIBSVM text and where they stand, block by block, in order or at known places.

    Blocks are as wide as their own largest index. `finite` refuses nan and inf.
    """

    def parsed(item: tuple[Place, bytes]) -> tuple[Place, Matrix]:
        place, text = item
        first = 0 if reading.zero_based else 1
        try:
            return place, libsvm_rows(text, first, finite)
        except _Wrong:
            number, word = _wrong_word(text, first, finite)
        where = f"{name} has {word[:40].decode(errors='replace')!r} in line {first_line(path, place.offset) + number}"
        if finite and _is_infinite(word.rpartition(b":")[2]):
            raise ValueError(f"Numbers must be finite, but {where}; replace it or leave the feature out.")
        advice = FROM_ZERO if word.startswith(b"0:") else ""
        raise ValueError(f"{LIBSVM_FORM}, but {where}; {advice}correct the file.")

    blocks = blocks_in_order(file, None, BLOCK_BYTES) if places is None else blocks_at(file, places)
    for place, rows in ahead(blocks, parsed, 2):
        if len(rows):
            yield place, rows


class _Growing:
    """An array that grows at its end: the system moves its pages, so that nothing is held twice."""

    def __init__(self, kind: Any) -> None:
        self.array, self.length = np.empty(0, kind), 0

    def append(self, values: Any) -> None:
        start, self.length = self.length, self.length + len(values)
        if self.length > len(self.array):
            self.array.resize(self.length + self.length // 8, refcheck=False)
        self.array[start : self.length] = values

    def whole(self) -> Any:
        self.array.resize(self.length, refcheck=False)
        return self.array


def gathered(blocks: Iterable[tuple[Place, Matrix]]) -> Iterator[tuple[Place, Matrix]]:
    """The rows of all blocks of LIBSVM text as one, if there are any."""
    from scipy.sparse import csr_array

    y, data, places, ends = (_Growing(kind) for kind in (np.float64, np.float64, np.int32, np.int64))
    ends.append([0])
    width = 0
    for _, rows in blocks:
        ends.append(rows.X.indptr[1:] + np.int64(data.length))
        for array, more in ((y, rows.y), (data, rows.X.data), (places, rows.X.indices)):
            array.append(more)
        width = max(width, rows.X.shape[1])
    if y.length:
        kind = np.int32 if data.length < 2**31 else np.int64
        parts = data.whole(), places.whole().astype(kind, copy=False), ends.whole().astype(kind)
        yield Place(0, 0), Matrix(csr_array(parts, shape=(y.length, width)), y.whole())


def libsvm_rows(text: bytes, first: int, finite: bool = False) -> Matrix:
    """The rows of whole lines of LIBSVM text whose smallest index is `first`.

    Examples
    --------
    >>> rows = libsvm_rows(b"+1 1:0.5 3:2 # note\\n-1 qid:4 2:1\\n", 1)
    >>> rows.X.toarray().tolist(), rows.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """
    from polars.exceptions import PolarsError
    from scipy.sparse import csr_array

    try:
        words, n_rows = _words(text.rstrip())
    except (PolarsError, _Wrong):
        try:  # comments, query numbers, and spaces where they need not be
            words, n_rows = _words(_plain_lines(text))
        except (PolarsError, _Wrong):
            raise _Wrong from None
    indices, values = words["index"].to_numpy(), words["value"].to_numpy()
    (starts,) = np.nonzero(indices < 0)
    within = indices[1:] <= indices[:-1]
    within[starts[1:] - 1] = False
    largest = int(indices.max(initial=first - 1))
    lengths = np.diff(starts, append=len(indices)) - 1
    smallest = indices[starts[lengths > 0] + 1].min(initial=first)
    wrong = len(starts) != n_rows or smallest < first or largest > LARGEST_INDEX or within.any()
    if wrong or (finite and not np.isfinite(values).all()):
        raise _Wrong
    kept = np.ones(len(indices), bool)
    kept[starts] = False
    places = indices[kept]
    places -= np.int32(first)
    indptr = np.append(0, np.cumsum(lengths)).astype(np.int32)
    X = csr_array((values[kept], places, indptr), shape=(n_rows, max(1, largest - first + 1)))
    return Matrix(X, values[starts])


def _words(lines: bytes) -> tuple[pl.DataFrame, int]:
    """The words of lines as pairs of index and value, a label with the index -1; and how many lines there are."""
    import polars as pl

    words = pl.read_csv(
        b"-1:" + lines.replace(b"\n", b" -1:") + b" " if lines else b"", has_header=False, separator=":", eol_char=" ",
        quote_char=None, schema={"index": pl.Int32, "value": pl.Float64}, raise_if_empty=False,
    )  # fmt: skip
    n_lines = lines.count(b"\n") + bool(lines)
    gaps = words.null_count().row(0)
    if gaps[0] == gaps[1] > 0:  # two spaces between two words, or one at the end of a line
        words = words.drop_nulls("value")
        gaps = words.null_count().row(0)
    if any(gaps) or len(words) != lines.count(b":") + n_lines:
        raise _Wrong
    return words, n_lines


def _plain_lines(text: bytes) -> bytes:
    """The lines that hold rows, with nothing but spaces between the words."""
    text = text.translate(bytes.maketrans(b"\t\r", b"  "))
    text = re.sub(rb"#[^\n]*|(?<=[^ \n]) +qid:[^ \n#]*", b"", text)
    return re.sub(rb"\n[ \n]+", b"\n", text).strip(b" \n")


def _wrong_word(text: bytes, first: int, finite: bool) -> tuple[int, bytes]:
    """The number of the first line, from 0, with a word that does not belong there, and that word."""

    def fails(part: bytes) -> bool:
        try:
            libsvm_rows(part, first, finite)
        except _Wrong:
            return True
        return False

    lines = text.split(b"\n")
    number = bisect_left(range(len(lines)), True, key=lambda n: fails(b"\n".join(lines[: n + 1])))
    words = lines[number].split()
    return number, words[bisect_left(range(len(words) - 1), True, key=lambda n: fails(b" ".join(words[: n + 1])))]


def _is_infinite(number: bytes) -> bool:
    try:
        return not math.isfinite(float(number))
    except ValueError:
        return False
