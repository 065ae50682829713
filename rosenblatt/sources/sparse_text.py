"""LIBSVM and Vowpal Wabbit text in blocks: read, parsed on several threads, and handed out in order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .ahead import ahead, usual_threads
from .compressed import open_text
from .line_blocks import Block, Buffers, blocks_at, blocks_in_order
from .matrix import Matrix
from .whole_lines import Place, first_line

if TYPE_CHECKING:
    from .source import Source

BLOCK_BYTES = 2**21  # small enough that what one block becomes is still in the cache when it is used


@dataclass
class SparseBlock:
    """What a block of text became: CSR arrays, labels, importances (of VW text), and the largest index in it."""

    labels: Any
    indptr: Any
    indices: Any
    data: Any
    widest: int
    importance: Any = None
    place: Place | None = None


def libsvm_blocks(
    file: BinaryIO,
    path: str,
    name: str,
    *,
    zero_based: bool,
    dtype: Any,
    places: list[Place] | None = None,
    finite: bool = False,
) -> Iterator[SparseBlock]:
    """The rows of LIBSVM text, block by block, in order or at known places. Indices count from 0 in what comes back.

    In order, a block has `n_rows` where that can be (blank lines and comments are none, and long lines fill it sooner).
    `finite` refuses nan and inf.
    """
    from . import parsing

    first = 0 if zero_based else 1
    buffers = Buffers()

    def parse(block: Block) -> SparseBlock:
        labels, indptr = np.empty(block.lines), _starts(block.lines, block.colons)
        indices, data = np.empty(block.colons, np.int32), np.empty(block.colons, dtype)
        hard = block.buffer.room_for_notes(block.lines + block.colons)
        error, place, rows, entries, n_hard, widest = parsing.parse_libsvm(
            block.buffer.text, block.length, labels, indptr, indices, data, first, hard, *parsing.helpers()
        )
        if n_hard:
            _read_hard(block.bytes(), hard[:n_hard], data, labels, block.place, path, name, LIBSVM_FORM, finite)
        if error != parsing.OK:
            raise _wrong(block.bytes(), int(place), block.place, path, name, LIBSVM_FORM, _reasons(first)[int(error)])
        buffers.give_back(block.buffer)
        return SparseBlock(
            labels[:rows], indptr[: rows + 1], indices[:entries], data[:entries], int(widest) - first,
            place=block.place,
        )  # fmt: skip

    yield from ahead(_text_blocks(file, buffers, places), parse, usual_threads())


def vw_blocks(
    file: BinaryIO,
    path: str,
    name: str,
    *,
    bits: int,
    dtype: Any,
    places: list[Place] | None = None,
) -> Iterator[SparseBlock]:
    """The rows of Vowpal Wabbit text, block by block, hashed to 2**bits columns."""
    from . import parsing

    buffers = Buffers()

    def parse(block: Block) -> SparseBlock:
        n_rows, n_entries = block.lines, block.colons + block.gaps
        labels, importance, indptr = np.empty(n_rows), np.empty(n_rows), _starts(n_rows, n_entries)
        indices, data = np.empty(n_entries, np.int32), np.empty(n_entries, dtype)
        hard = block.buffer.room_for_notes(n_rows + n_entries)
        error, place, rows, entries, n_hard = parsing.parse_vw(
            block.buffer.text, block.length, labels, importance, indptr, indices, data, bits, hard, *parsing.helpers()
        )
        if n_hard:
            _read_hard(block.bytes(), hard[:n_hard], data, labels, block.place, path, name, VW_FORM, True)
        if error != parsing.OK:
            raise _wrong(block.bytes(), int(place), block.place, path, name, VW_FORM, _reasons(0)[int(error)])
        buffers.give_back(block.buffer)
        return SparseBlock(
            labels[:rows], indptr[: rows + 1], indices[:entries], data[:entries], 2**bits - 1, importance[:rows],
            block.place,
        )  # fmt: skip

    yield from ahead(_text_blocks(file, buffers, places), parse, usual_threads())


def _text_blocks(file: BinaryIO, buffers: Buffers, places: list[Place] | None) -> Iterator[Block]:
    return blocks_in_order(file, buffers, BLOCK_BYTES) if places is None else blocks_at(file, buffers, places)


def _starts(n_rows: int, n_entries: int) -> Any:
    """Room for the indptr of so many rows and entries, of which the first is there."""
    indptr = np.empty(n_rows + 1, np.int32 if n_entries < 2**31 else np.int64)
    indptr[0] = 0
    return indptr


LIBSVM_FORM = "A LIBSVM file must have lines of the form 'label index:value ...' with rising indices"
VW_FORM = "A Vowpal Wabbit file must have lines of the form 'label [importance] [tag]|namespace name[:value] ...'"


BEFORE_ONE = "an index before 1, the first"
FROM_ZERO = "if they start at 0, read them as zero_based (--zero-based)"  # what to do about it


def _reasons(first: int) -> dict[int, str]:
    from . import parsing

    return {
        parsing.BAD_LABEL: "where a label should be",
        parsing.BAD_INDEX: "where an index should be",
        parsing.NO_COLON: "without a colon after the index",
        parsing.BAD_VALUE: "where a number should be",
        parsing.NOT_RISING: "after an index that is not smaller",
        parsing.TOO_SMALL: BEFORE_ONE if first else "an index before 0, the first",
        parsing.TOO_LARGE: "an index beyond 2147483646",
        parsing.BAD_NAME: "where the name of a feature should be",
        parsing.NO_BAR: "without a | before the features",
    }


def _read_hard(
    block: bytes, hard: Any, data: Any, labels: Any, place_of: Place, path: str, name: str, form: str, finite: bool
) -> None:
    """Let float() read what the compiled parser left to it."""
    for begin, end, place in hard.tolist():
        token = block[begin:end]
        try:
            if b"_" in token:
                raise ValueError
            value = float(token)
        except ValueError:
            raise _wrong(block, begin, place_of, path, name, form, "where a number should be") from None
        if finite and not math.isfinite(value):
            line, column, found = _position(block, begin, place_of, path)
            raise ValueError(
                f"Numbers must be finite, but {name} has {found} in line {line}, column {column}; "
                "replace it or leave the feature out."
            )
        if place >= 0:
            data[place] = value
        else:
            labels[-1 - place] = value


def _position(block: bytes, place: int, place_of: Place, path: str) -> tuple[int, int, str]:
    """Line and column of a place in a block, and the word that stands there."""
    line = first_line(path, place_of) + block.count(b"\n", 0, place)
    column = place - (block.rfind(b"\n", 0, place) + 1) + 1
    token = (block[place : place + 200].split() or [b""])[0][:40].decode(errors="replace")
    return line, column, repr(token) if block[place : place + 1].strip() else "nothing"


def _wrong(block: bytes, place: int, place_of: Place, path: str, name: str, form: str, reason: str) -> ValueError:
    line, column, found = _position(block, place, place_of, path)
    otherwise = f"{FROM_ZERO}, or " if reason == BEFORE_ONE else ""
    where = f"{found} in line {line}, column {column}, {reason}"
    return ValueError(f"{form}, but {name} has {where}; {otherwise}correct the file.")


# ---------------------------------------------------------------------- whole files and batches


def gather(blocks: Iterable[SparseBlock], dtype: Any) -> tuple[Any, Any, Any, Any, int, Any]:
    """(data, indices, indptr, labels, width, importance or None) of all blocks together."""
    found = list(blocks)
    if not found:
        return np.empty(0, dtype), np.empty(0, np.int32), np.zeros(1, np.int32), np.empty(0), 0, None
    width = max(block.widest + 1 for block in found)
    labels = np.concatenate([block.labels for block in found])
    importance = None if found[0].importance is None else np.concatenate([block.importance for block in found])
    entries = sum(len(block.data) for block in found)
    indptr = np.zeros(len(labels) + 1, np.int32 if entries < 2**31 else np.int64)
    np.cumsum(np.concatenate([np.diff(block.indptr) for block in found]), out=indptr[1:])
    indices, data = np.empty(entries, np.int32), np.empty(entries, dtype)
    at = 0
    for number, block in enumerate(found):
        end = at + len(block.data)
        indices[at:end], data[at:end] = block.indices, block.data
        at, found[number] = end, None  # type: ignore[call-overload]  # given up once it is copied
    return data, indices, indptr, labels, width, importance


def matrices(path: str, name: str, source: Source, whole: bool) -> Iterator[Matrix]:
    """The rows of one file, whole or in blocks of megabytes."""
    if not whole:
        for _, matrix in placed_matrices(path, name, source, None):
            yield matrix
        return
    reading = source.reading
    with open_text(path) as file:
        blocks = _blocks(file, path, name, source)
        data, indices, indptr, labels, width, weights = gather(blocks, np.float64)
    if not len(labels):
        return
    if source.format == "vw":
        width = 2**reading.bits
    else:
        check_width(width, reading.n_features, name)
        width = reading.n_features or max(1, width)
    yield _matrix(SparseBlock(labels, indptr, indices, data, 0, weights), width, name, source.format)


def placed_matrices(path: str, name: str, source: Source, places: list[Place] | None) -> Iterator[tuple[Place, Matrix]]:
    """The blocks of one file and where they stand, in order or at known places."""
    width = _settled_width(source)
    with open_text(path) as file:
        for block in _blocks(file, path, name, source, places):
            if len(block.labels) and block.place is not None:
                yield block.place, _matrix(block, width, name, source.format)


def _matrix(block: SparseBlock, width: int, name: str, format: str) -> Matrix:
    from scipy.sparse import csr_array

    check_width(block.widest + 1, width, name)
    kind = np.int32 if len(block.data) < 2**31 else np.int64
    indices, indptr = (part.astype(kind, copy=False) for part in (block.indices, block.indptr))
    X = csr_array((block.data, indices, indptr), shape=(len(block.labels), width))
    return _labelled(X, block.labels, block.importance, format)


def _blocks(
    file: BinaryIO,
    path: str,
    name: str,
    source: Source,
    places: list[Place] | None = None,
) -> Iterator[SparseBlock]:
    if source.format == "vw":
        return vw_blocks(file, path, name, bits=source.reading.bits, dtype=np.float64, places=places)
    return libsvm_blocks(
        file, path, name, zero_based=source.reading.zero_based, dtype=np.float64, places=places, finite=True
    )


def _labelled(X: Any, labels: Any, weights: Any, format: str) -> Matrix:
    if format == "vw":
        X.sum_duplicates()  # names that share a column
    none = format == "vw" and bool(np.isnan(labels).all())
    plain = weights is None or bool((weights == 1.0).all())
    return Matrix(X, None if none else labels, sample_weight=None if plain else weights)


def _settled_width(source: Source) -> int:
    """The number of columns, counted in a pass of its own where nobody has given it."""
    if source.format == "vw":
        return 2**source.reading.bits
    if source.reading.n_features is None:
        width = 1
        for path in source.paths:
            with open_text(path) as file:
                width = max([width, *(block.widest + 1 for block in _blocks(file, path, path, source))])
        source.reading = replace(source.reading, n_features=width)
    assert source.reading.n_features is not None
    return source.reading.n_features


def check_width(found: int, n_features: int | None, path: str | PathLike[str]) -> None:
    """Refuse more features than were promised."""
    if n_features is not None and found > n_features:
        raise ValueError(f"{path} has {found} features, more than n_features={n_features}.")
