"""LIBSVM and Vowpal Wabbit text in blocks: read, parsed on several threads, and handed out in order."""

from __future__ import annotations

import math
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
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
LARGEST_BLOCK, LEAST_ROWS = 2**23, 2**14  # of blocks that hold as many rows as a batch, or several
LIBSVM_LINE = re.compile(r"[+-]?[\d.eE+-]+(\s+qid:\d+)?(\s+\d+:[+-]?[\d.eE+-]+)*\s*(#.*)?")
VW_LINE = re.compile(r"[^|,]*\|.*")


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


def looks_like_libsvm(lines: list[str]) -> bool:
    whole = lines[:-1] or lines  # the last may be cut
    return any(":" in line for line in whole) and all(LIBSVM_LINE.fullmatch(line.strip()) for line in whole)


def looks_like_vw(lines: list[str]) -> bool:
    whole = lines[:-1] or lines
    return all(VW_LINE.fullmatch(line) and len(line.split("|")[0].split()) <= 3 for line in whole)


def libsvm_blocks(
    file: BinaryIO,
    path: str,
    name: str,
    *,
    zero_based: bool,
    dtype: Any,
    places: list[Place] | None = None,
    n_rows: int | None = None,
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

    yield from ahead(_text_blocks(file, buffers, places, n_rows), parse, usual_threads())


def vw_blocks(
    file: BinaryIO,
    path: str,
    name: str,
    *,
    bits: int,
    dtype: Any,
    places: list[Place] | None = None,
    n_rows: int | None = None,
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

    yield from ahead(_text_blocks(file, buffers, places, n_rows), parse, usual_threads())


def _text_blocks(file: BinaryIO, buffers: Buffers, places: list[Place] | None, n_rows: int | None) -> Iterator[Block]:
    if places is not None:
        return blocks_at(file, buffers, places)
    if n_rows is None:
        return blocks_in_order(file, buffers, BLOCK_BYTES)
    return blocks_in_order(file, buffers, LARGEST_BLOCK, n_rows * math.ceil(LEAST_ROWS / n_rows))


def _starts(n_rows: int, n_entries: int) -> Any:
    """Room for the indptr of so many rows and entries, of which the first is there."""
    indptr = np.empty(n_rows + 1, np.int32 if n_entries < 2**31 else np.int64)
    indptr[0] = 0
    return indptr


LIBSVM_FORM = "A LIBSVM file must have lines of the form 'label index:value ...' with rising indices"
VW_FORM = "A Vowpal Wabbit file must have lines of the form 'label [importance] [tag]|namespace name[:value] ...'"


BEFORE_ONE = "an index before 1, the first"
FROM_ZERO = "pass zero_based=True if they start at 0"  # what to do about it


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


class _Growing:
    """An array that takes more at its end; given a good guess of its size, nothing is ever moved."""

    def __init__(self, dtype: Any) -> None:
        self.values, self.used = np.empty(0, dtype), 0

    def fits(self, count: int) -> bool:
        return self.used + count <= len(self.values)

    def enlarge(self, count: int) -> None:
        larger = np.empty(max(self.used + count, 3 * len(self.values) // 2), self.values.dtype)
        larger[: self.used] = self.values[: self.used]
        self.values = larger

    def room(self, count: int) -> Any:
        """The next places, to be filled by the caller."""
        self.used += count
        return self.values[self.used - count : self.used]

    def finished(self) -> Any:
        # What was never touched was never given by the system: a view costs no memory.
        return self.values[: self.used]


def gather(blocks: Iterable[SparseBlock], n_bytes: int, dtype: Any) -> tuple[Any, Any, Any, Any, int, Any]:
    """(data, indices, indptr, labels, width, importance or None) of all blocks together.

    The system gives memory page by page when it is first written to, which takes longer than parsing: so that is done
    on several threads, too.
    """
    arrays = {name: _Growing(kind) for name, kind in (
        ("labels", np.float64), ("counts", np.int32), ("indices", np.int32), ("data", dtype), ("importance", np.float64)
    )}  # fmt: skip
    width, share = 0, 1.05 * n_bytes / BLOCK_BYTES + 1
    with ThreadPoolExecutor(usual_threads()) as pool:
        filling: deque[Future[None]] = deque()
        for block in blocks:
            parts = {"labels": block.labels, "counts": block.labels, "indices": block.indices, "data": block.data}
            if block.importance is not None:
                parts["importance"] = block.importance
            for name, part in parts.items():
                if not arrays[name].fits(len(part)):
                    wait(filling)
                    arrays[name].enlarge(int(share * len(part)))
            share = 1.0  # the guess is made by the first block
            filling.append(pool.submit(_fill, block, {name: arrays[name].room(len(parts[name])) for name in parts}))
            width = max(width, block.widest + 1)
            if len(filling) > usual_threads():
                filling.popleft().result()
        for filled in filling:
            filled.result()
    indptr = np.zeros(arrays["labels"].used + 1, np.int32 if arrays["indices"].used < 2**31 else np.int64)
    np.cumsum(arrays["counts"].finished(), out=indptr[1:])
    data, indices, labels, importance = (arrays[k].finished() for k in ("data", "indices", "labels", "importance"))
    return data, indices, indptr, labels, width, importance if len(importance) else None


def _fill(block: SparseBlock, rooms: dict[str, Any]) -> None:
    np.subtract(block.indptr[1:], block.indptr[:-1], out=rooms.pop("counts"), casting="unsafe")
    for name, room in rooms.items():
        room[:] = getattr(block, name)


def matrices(path: str, name: str, source: Source, n_rows: int | None) -> Iterator[Matrix]:
    """The rows of one file, whole or `n_rows` at a time."""
    from .libsvm import check_width

    with open_text(path) as file:
        if n_rows is not None:
            width = _settled_width(source)
            for block in recut(_blocks(file, path, name, source, n_rows=n_rows), n_rows):
                yield _matrix(block, width, name, source.format)
            return
        blocks = _blocks(file, path, name, source)
        data, indices, indptr, labels, width, weights = gather(blocks, os.path.getsize(path), np.float64)
        if not len(labels):
            return
        if source.format == "vw":
            width = 2**source.bits
        else:
            check_width(width, source.n_features, name)
            width = source.n_features or max(1, width)
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

    from .libsvm import check_width

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
    n_rows: int | None = None,
) -> Iterator[SparseBlock]:
    if source.format == "vw":
        return vw_blocks(file, path, name, bits=source.bits, dtype=np.float64, places=places, n_rows=n_rows)
    return libsvm_blocks(
        file, path, name, zero_based=source.zero_based, dtype=np.float64, places=places, n_rows=n_rows, finite=True
    )


def _labelled(X: Any, labels: Any, weights: Any, format: str) -> Matrix:
    if format == "vw":
        X.sum_duplicates()  # names that share a column
    none = format == "vw" and bool(np.isnan(labels).all())
    plain = weights is None or bool((weights == 1.0).all())
    return Matrix(X, None if none else labels, sample_weight=None if plain else weights)


def _settled_width(source: Source) -> int:
    """The number of columns, counted in a pass of its own where nobody has said it."""
    if source.format == "vw":
        return 2**source.bits
    if source.n_features is None:
        width = 1
        for path in source.paths:
            with open_text(path) as file:
                width = max([width, *(block.widest + 1 for block in _blocks(file, path, path, source))])
        source.n_features = width
    return source.n_features


def recut(blocks: Iterable[SparseBlock], n_rows: int) -> Iterator[SparseBlock]:
    """The same rows in blocks of `n_rows`."""
    waiting: list[SparseBlock] = []
    height = 0
    for block in blocks:
        start = 0
        while height + len(block.labels) - start >= n_rows:
            stop = start + n_rows - height
            yield _joined([*waiting, _sliced(block, start, stop)])
            start, waiting, height = stop, [], 0
        if start < len(block.labels):
            waiting.append(_sliced(block, start, len(block.labels)))
            height += len(block.labels) - start
    if waiting:
        yield _joined(waiting)


def _sliced(block: SparseBlock, start: int, stop: int) -> SparseBlock:
    if start == 0 and stop == len(block.labels):
        return block
    low, high = int(block.indptr[start]), int(block.indptr[stop])
    return SparseBlock(
        block.labels[start:stop], block.indptr[start : stop + 1] - low, block.indices[low:high], block.data[low:high],
        block.widest, None if block.importance is None else block.importance[start:stop],
    )  # fmt: skip


def _joined(blocks: list[SparseBlock]) -> SparseBlock:
    if len(blocks) == 1:
        return blocks[0]
    counts = np.concatenate([np.diff(block.indptr) for block in blocks])
    return SparseBlock(
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([block.indices for block in blocks]),
        np.concatenate([block.data for block in blocks]),
        max(block.widest for block in blocks),
        None if blocks[0].importance is None else np.concatenate([block.importance for block in blocks]),
    )
