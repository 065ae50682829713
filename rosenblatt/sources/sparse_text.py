"""LIBSVM and Vowpal Wabbit text, parsed by polars in blocks of whole lines.

To polars, a line of LIBSVM text is a few records of two numbers that a space ends: `index:value`, and `:label` in front
of them. Its numbers have the bits of Python's `float()`. What it refuses is looked for, word by word, when there is
something to complain about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
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
VW_FORM = "A Vowpal Wabbit file must have lines of the form 'label [importance] [tag]|namespace name[:value] ...'"
FROM_ZERO = "if they start at 0, read them as zero_based (--zero-based), or "


class _Wrong(Exception):  # noqa: N818  worded by `sparse_blocks`, which knows the file
    """What is wrong with the word that begins at a byte of a block."""

    def __init__(self, start: int, reason: str) -> None:
        super().__init__(reason)
        self.start, self.reason = start, reason


def sparse_blocks(
    file: BinaryIO, path: str, name: str, format: str, reading: ReadOptions, places: Iterable[Place] | None = None,
    *, finite: bool = True,
) -> Iterator[tuple[Place, Matrix]]:  # fmt: skip
    """The rows of LIBSVM or Vowpal Wabbit text and where they stand, block by block, in order or at known places.

    Blocks of LIBSVM text are as wide as their own largest index. `finite` refuses nan and inf.
    """
    parse: Callable[[bytes], Matrix]
    if format == "vw":
        form, parse = VW_FORM, lambda text: vw_rows(text, reading.bits)
    else:
        form, parse = LIBSVM_FORM, lambda text: libsvm_rows(text, 0 if reading.zero_based else 1, finite)

    def parsed(item: tuple[Place, bytes]) -> tuple[Place, Matrix]:
        place, text = item
        try:
            return place, parse(text)
        except _Wrong as wrong:
            start, reason = wrong.start, wrong.reason
        line = first_line(path, place) + text.count(b"\n", 0, start)
        column = start - text.rfind(b"\n", 0, start)
        word = b"".join(text[start : start + 200].split(None, 1)[:1])[:40].decode(errors="replace")
        found = repr(word) if text[start : start + 1].strip() else "nothing"
        where = f"{found} in line {line}, column {column}"
        if not reason:
            raise ValueError(f"Numbers must be finite, but {name} has {where}; replace it or leave the feature out.")
        advice = FROM_ZERO if reason == "an index before 1, the first" else ""
        raise ValueError(f"{form}, but {name} has {where}, {reason}; {advice}correct the file.")

    blocks = blocks_in_order(file, None, BLOCK_BYTES) if places is None else blocks_at(file, places)
    for place, rows in ahead(blocks, parsed, 2):
        if len(rows):
            yield place, rows


# ---------------------------------------------------------------------------------------------------- LIBSVM


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


# --------------------------------------------------------------------------------------------- Vowpal Wabbit


def vw_rows(text: bytes, bits: int) -> Matrix:
    """The rows of lines `label [importance] [tag]|namespace[:factor] name[:value] ... |...`.

    A feature is in the column that murmurhash3 gives for namespace^name, of 2**bits.

    Examples
    --------
    >>> rows = vw_rows(b"1 0.5 'tag|house price:2 old\\n", 4)
    >>> rows.y, rows.sample_weight, sorted(rows.X.data.tolist())
    (array([1.]), array([0.5]), [1.0, 2.0])
    """
    import polars as pl
    from scipy.sparse import csr_array
    from sklearn.utils import murmurhash3_32

    text = text.translate(bytes.maketrans(b"\t\r", b"  "))
    lines = pl.DataFrame({"line": text.decode(errors="replace").split("\n")})
    lines = lines.filter(pl.col("line").str.strip_chars(" ") != "").with_row_index("row")
    parts = lines.select("row", pl.col("line").str.split("|")).explode("line")
    heads = parts.filter(pl.col("row").is_first_distinct())
    spaces = parts.filter(~pl.col("row").is_first_distinct()).with_columns(
        pl.col("line").str.extract(r"^([^ :]*)").alias("space"),
        pl.col("line").str.extract(r"^[^ :]*:([^ ]*)").alias("factor"),
        pl.col("line").str.replace(r"^[^ ]*", "").str.extract_all(r"[^ ]+").alias("word"),
    )
    spaces = spaces.with_columns(pl.col("factor").fill_null("1").cast(pl.Float64, strict=False))
    words = spaces.explode("word").drop_nulls("word").with_columns(
        pl.format("{}^{}", "space", pl.col("word").str.extract(r"^([^:]*)")).alias("name"),
        pl.col("word").str.extract(r":(.*)$").fill_null("1").cast(pl.Float64, strict=False).alias("value"),
    )  # fmt: skip
    known = {head: _vw_head(head) for head in heads["line"].unique().to_list()}
    found = [known[head] for head in heads["line"].to_list()]
    finite = all(each.is_finite().fill_null(False).all() for each in (spaces["factor"], words["value"]))
    if not finite or None in found or words["word"].str.starts_with(":").any() or spaces["row"].n_unique() < len(lines):
        raise _wrong_vw(text)
    names = words["name"].unique()
    hashes = [murmurhash3_32(name, positive=True) & (2**bits - 1) for name in names.to_list()]
    places = pl.DataFrame({"name": names, "place": pl.Series(hashes, dtype=pl.Int32)})
    columns = words.select("name").join(places, on="name", how="left", maintain_order="left")["place"].to_numpy()
    rows = words["row"].to_numpy()
    data = (words["value"] * words["factor"]).to_numpy()
    X = csr_array((data, (rows, columns)), shape=(len(found), 2**bits))  # adds up names that share a column
    labels, importance = np.array(found, np.float64).reshape(-1, 2).T
    y, weights = None if np.isnan(labels).all() else labels, None if (importance == 1.0).all() else importance
    return Matrix(X, y, sample_weight=weights)


def _vw_head(head: str) -> tuple[float, float] | None:
    """Label and importance of what stands before the first bar; None if there is no number where one should be."""
    words = head.split()
    if not words or words[0].startswith("'"):
        return math.nan, 1.0
    label, weight = _number(words[0].encode()), None
    if len(words) > 1 and (len(words) > 2 or head.endswith(" ")):  # a word right before the bar is a tag
        weight = _number(words[1].encode())
    return None if label is None else (label, 1.0 if weight is None else weight)


def _wrong_vw(text: bytes) -> _Wrong:
    """The first word of a block of Vowpal Wabbit text that does not belong there."""
    start = 0
    for line in text.split(b"\n"):
        head, *spaces = line.split(b"|")
        if line.strip() and _vw_head(head.decode(errors="replace")) is None:
            return _Wrong(start + len(head) - len(head.lstrip()), "where a label should be")
        if line.strip() and not spaces:
            return _Wrong(start + len(line), "without a | before the features")
        at = start + len(head) + 1
        for space in spaces:
            for found in re.finditer(rb"[^ ]+", space):
                name, colon, value = found[0].partition(b":")
                number = _number(value) if colon else 1.0
                if found.start() and not name:
                    return _Wrong(at + found.start(), "where the name of a feature should be")
                if number is None or not math.isfinite(number):
                    reason = "where a number should be" if number is None else ""
                    return _Wrong(at + found.start() + len(name) + 1, reason)
            at += len(space) + 1
        start += len(line) + 1
    return _Wrong(0, "in lines that cannot be read")
