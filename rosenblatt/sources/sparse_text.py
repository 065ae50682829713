"""LIBSVM text, parsed by polars in blocks of whole lines.

To polars, a line of LIBSVM text is a few records of two numbers that a space ends: `index:value`, and `:label` in front
of them. Its numbers have the bits of Python's `float()`. What it refuses is looked for, word by word, when there is
something to complain about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO

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
    """What is wrong with the word that begins at a byte of a block."""

    def __init__(self, start: int, reason: str) -> None:
        super().__init__(reason)
        self.start, self.reason = start, reason


def sparse_blocks(
    file: BinaryIO, path: str, name: str, reading: ReadOptions, places: Iterable[Place] | None = None,
    *, finite: bool = True,
) -> Iterator[tuple[Place, Matrix]]:  # fmt: skip
    """The rows of LIBSVM text and where they stand, block by block, in order or at known places.

    Blocks are as wide as their own largest index. `finite` refuses nan and inf.
    """

    def parsed(item: tuple[Place, bytes]) -> tuple[Place, Matrix]:
        place, text = item
        try:
            return place, libsvm_rows(text, 0 if reading.zero_based else 1, finite)
        except _Wrong as wrong:
            start, reason = wrong.start, wrong.reason
        line = first_line(path, place.offset) + text.count(b"\n", 0, start)
        column = start - text.rfind(b"\n", 0, start)
        word = b"".join(text[start : start + 200].split(None, 1)[:1])[:40].decode(errors="replace")
        found = repr(word) if text[start : start + 1].strip() else "nothing"
        where = f"{found} in line {line}, column {column}"
        if not reason:
            raise ValueError(f"Numbers must be finite, but {name} has {where}; replace it or leave the feature out.")
        advice = FROM_ZERO if reason == "an index before 1, the first" else ""
        raise ValueError(f"{LIBSVM_FORM}, but {name} has {where}, {reason}; {advice}correct the file.")

    blocks = blocks_in_order(file, None, BLOCK_BYTES) if places is None else blocks_at(file, places)
    for place, rows in ahead(blocks, parsed, 2):
        if len(rows):
            yield place, rows


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
            raise _wrong_word(text, first, finite) from None
    indices, values = words["index"].to_numpy(), words["value"].to_numpy()
    (starts,) = np.nonzero(indices < 0)
    within = indices[1:] <= indices[:-1]
    within[starts[1:] - 1] = False
    largest = int(indices.max(initial=first - 1))
    lengths = np.diff(starts, append=len(indices)) - 1
    smallest = indices[starts[lengths > 0] + 1].min(initial=first)
    wrong = len(starts) != n_rows or smallest < first or largest > LARGEST_INDEX or within.any()
    if wrong or (finite and not np.isfinite(values).all()):
        raise _wrong_word(text, first, finite)
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
        raise _Wrong(0, "where an index or a number is missing")
    return words, n_lines


def _plain_lines(text: bytes) -> bytes:
    """The lines that hold rows, with nothing but spaces between the words."""
    text = text.translate(bytes.maketrans(b"\t\r", b"  "))
    text = re.sub(rb"#[^\n]*|(?<=[^ \n]) +qid:[^ \n#]*", b"", text)
    return re.sub(rb"\n[ \n]+", b"\n", text).strip(b" \n")


def _wrong_word(text: bytes, first: int, finite: bool) -> _Wrong:
    """The first word of a block of LIBSVM text that does not belong there."""
    start = 0
    for line in text.split(b"\n"):
        last, label = first - 1, True
        for found in re.finditer(rb"[^ \t\r]+", line.partition(b"#")[0]):
            at, word = start + found.start(), found[0]
            if label:
                index, value, value_at = last + 1, word, at
            elif word.startswith(b"qid:"):
                continue
            else:
                written, colon, value = word.partition(b":")
                if not written.removeprefix(b"+").isdigit():
                    return _Wrong(at, "where an index should be")
                if not colon:
                    return _Wrong(at, "without a colon after the index")
                index, value_at = int(written), at + len(written) + 1
            if index < first:
                return _Wrong(at, f"an index before {first}, the first")
            if index > LARGEST_INDEX:
                return _Wrong(at, f"an index beyond {LARGEST_INDEX}")
            if index <= last and not label:
                return _Wrong(at, "after an index that is not smaller")
            number = _number(value)
            if number is None:
                return _Wrong(value_at, "where a number should be")
            if finite and not math.isfinite(number):
                return _Wrong(value_at, "")
            last, label = (last if label else index), False
        start += len(line) + 1
    return _Wrong(0, "in lines that cannot be read")


def _number(word: bytes) -> float | None:
    try:
        return None if b"_" in word else float(word)
    except ValueError:
        return None
