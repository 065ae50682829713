"""Text tables of plain numbers, and of words of which there are few: cells straight into columns, by compiled code.

It reads what is written in the plainest way and nothing else: digits with a point, a minus or an exponent, and words
without quotes. Whatever else it meets (an empty cell, a quote, a line of another width, more digits than a float64
has room for), it gives up, and `delimited` reads on from there with all its patience. So types, values and complaints
are the same as without it.

Numbers become the nearest float64 (see `parsing`); here eight digits are read at a time.

All compiled functions are in this file: numba's cache looks at the file that a function is in, and at no other.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable

from .ahead import ahead
from .delimited import Dialect, Place
from .parsing import LEAST, MOST, compile_parser, powers_of_five

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES = 2**22
BEYOND = 32  # bytes behind the last line that may be looked at
MOST_WORDS = 1000  # different ones in a column of a block
SLOTS = 4096
THREADS = 2
NUMBER, WHOLE, WORD = range(3)
NOT_PLAIN, FULL = -1, -2
LINE_END, RETURN, QUOTE, MINUS, POINT, BIG_E, SMALL_E, PLUS = 10, 13, 34, 45, 46, 69, 101, 43

ZERO, ONE, THREE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(8)
ZEROS = np.uint64(0x3030303030303030)  # eight digits 0
SIXES, UPPER_HALVES = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)
POWERS_OF_TEN = np.array([10**k for k in range(20)], np.uint64)


@intrinsic
def _eight(context: Any, text: Any, at: Any) -> Any:
    """Eight bytes from a place on, the first the lowest."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, given[0])
        place = builder.bitcast(builder.gep(array.data, [given[1]]), ir.IntType(64).as_pointer())
        found = builder.load(place)
        found.align = 1
        return found

    return types.uint64(text, at), build


@intrinsic
def _trailing_zeros(context: Any, bits: Any) -> Any:
    """Of 64 bits; 64 where all are 0."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(bits), build


@intrinsic
def _leading_zeros(context: Any, bits: Any) -> Any:
    """Of 64 bits, not all of which are 0."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctlz(given[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(bits), build


@intrinsic
def _product(context: Any, a: Any, b: Any) -> Any:
    """(high, low) 64 bits of a·b."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(given[0], wide), builder.zext(given[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)
        return context.make_tuple(builder, signature.return_type, [high, builder.trunc(product, word)])

    return types.UniTuple(types.uint64, 2)(a, b), build


@intrinsic
def _as_float(context: Any, bits: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.bitcast(given[0], ir.DoubleType())

    return types.float64(bits), build


@register_jitable(forceinline=True)
def _digits_in(eight: Any) -> Any:
    """How many of eight bytes, from the lowest on, are digits."""
    wrong = ((eight & UPPER_HALVES) ^ ZEROS) | (((eight + SIXES) & UPPER_HALVES) ^ ZEROS)
    return _trailing_zeros(wrong) >> THREE


@register_jitable(forceinline=True)
def _value_of_eight(eight: Any) -> Any:
    """Eight digits as a number: pairs, then fours, then all (Lemire 2021)."""
    pairs = eight - ZEROS
    pairs = pairs * np.uint64(10) + (pairs >> EIGHT)
    every_other = np.uint64(0x000000FF000000FF)
    first = (pairs & every_other) * np.uint64(0x000F424000000064)
    second = ((pairs >> np.uint64(16)) & every_other) * np.uint64(0x0000271000000001)
    return ((first + second) >> np.uint64(32)) & np.uint64(0xFFFFFFFF)


@register_jitable(forceinline=True)
def _value_of(eight: Any, count: Any) -> Any:
    """The first of eight bytes, at least one, as a number: noughts are put before them."""
    shift = (EIGHT - count) << THREE
    return _value_of_eight((eight << shift) | (ZEROS & ((ONE << shift) - ONE)))


@register_jitable(forceinline=True)
def _nearest(w: Any, q: Any, powers: Any) -> Any:
    """(the float64 nearest to w·10**q, whether it is certain); Eisel and Lemire's way, normal numbers only."""
    leading = _leading_zeros(w)
    w = w << leading
    place = np.uint64(q - LEAST)
    high, low = _product(w, powers[place, 0])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        more, _ = _product(w, powers[place, 1])
        low = low + more
        if more > low:
            high = high + ONE
        if low == np.uint64(0xFFFFFFFFFFFFFFFF) and not (-27 <= q <= 55):
            return 0.0, False
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    exponent = ((217706 * q) >> 16) + 63 + np.int64(upper) - np.int64(leading) + 1023
    if exponent <= 0 or exponent >= 2046:
        return 0.0, False
    if low <= ONE and -4 <= q <= 23 and (mantissa & THREE) == ONE and (mantissa << shift) == high:
        mantissa = mantissa & ~ONE  # halfway: to even
    mantissa = (mantissa + (mantissa & ONE)) >> ONE
    # A mantissa that was rounded up to 2**53 carries into the exponent, as it should.
    return _as_float((np.uint64(exponent) << np.uint64(52)) + (mantissa - np.uint64(1 << 52))), True


@register_jitable(forceinline=True)
def _more_digits(text: Any, at: Any, w: Any, tens: Any) -> Any:
    """(w with the digits that follow behind it, place after them), up to 24 digits."""
    eight = _eight(text, at)
    count = _digits_in(eight)
    if count == EIGHT:
        w, at = w * tens[EIGHT] + _value_of_eight(eight), at + EIGHT
        eight = _eight(text, at)
        count = _digits_in(eight)
        if count == EIGHT:
            w, at = w * tens[EIGHT] + _value_of_eight(eight), at + EIGHT
            eight = _eight(text, at)
            count = _digits_in(eight)
    if count != ZERO:
        w, at = w * tens[count] + _value_of(eight, count), at + count
    return w, at


@register_jitable(forceinline=True)
def _number(text: Any, at: Any, powers: Any, tens: Any) -> Any:
    """(value, place after it, whether it is certain)."""
    negative = text[at] == MINUS
    at += np.uint64(negative)
    first = at
    w, at = _more_digits(text, at, ZERO, tens)
    digits, q = np.int64(at - first), np.int64(0)
    if digits == 0:
        return 0.0, at, False
    if text[at] == POINT:
        at += ONE
        point = at
        w, at = _more_digits(text, at, w, tens)
        q = -np.int64(at - point)
        if q == 0:
            return 0.0, at, False
        digits -= q
    if text[at] == SMALL_E or text[at] == BIG_E:
        at += ONE
        down = text[at] == MINUS
        if down or text[at] == PLUS:
            at += ONE
        begin = at
        power, at = _more_digits(text, at, ZERO, tens)
        if at == begin or at - begin > EIGHT:
            return 0.0, at, False
        q += -np.int64(power) if down else np.int64(power)
    if digits > 19:  # noughts before the first other digit do not count
        place = first
        while digits > 19 and (text[place] == 48 or text[place] == POINT):
            if text[place] == 48:
                digits -= 1
            place += ONE
        if digits > 19:
            return 0.0, at, False
    value = 0.0
    if w != ZERO:
        if q == 0 and w <= np.uint64(1 << 53):
            value = float(np.int64(w))
        else:
            if q < LEAST or q > MOST:
                return 0.0, at, False
            value, certain = _nearest(w, q, powers)
            if not certain:
                return 0.0, at, False
    return -value if negative else value, at, True


@register_jitable(forceinline=True)
def _whole_number(text: Any, at: Any, tens: Any) -> Any:
    """(value, place after it, whether it is one of at most 18 digits)."""
    negative = text[at] == MINUS
    at += np.uint64(negative)
    first = at
    w, at = _more_digits(text, at, ZERO, tens)
    value = np.int64(w)
    return -value if negative else value, at, first < at <= first + np.uint64(18)


@register_jitable
def _word(text: Any, begin: Any, end: Any, slots: Any, words: Any, count: Any) -> Any:
    """The number of a word among those met so far, which it may be added to; MOST_WORDS if they are too many."""
    mixed = np.uint64(0xCBF29CE484222325)
    for k in range(begin, end):
        mixed = (mixed ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    slot = (mixed ^ (mixed >> np.uint64(32))) & np.uint64(SLOTS - 1)
    while slots[slot] >= 0:
        known = slots[slot]
        start, size = words[known, 0], words[known, 1] - words[known, 0]
        if size == np.int64(end - begin):
            same = True
            for k in range(size):
                same = same and text[np.uint64(start + k)] == text[begin + np.uint64(k)]
            if same:
                return known
        slot = (slot + ONE) & np.uint64(SLOTS - 1)
    if count < MOST_WORDS:
        slots[slot] = count
        words[count, 0], words[count, 1] = begin, end
    return count


def _parse_table(
    text: Any, begin: Any, length: Any, separator: Any, kinds: Any, numbers: Any, wholes: Any, slots: Any, words: Any,
    counts: Any, powers: Any, tens: Any,
) -> Any:  # fmt: skip
    """Parse whole lines into columns; how many, or NOT_PLAIN, or FULL where there is no room for all.

    `numbers` and `wholes` are the same memory, a row for each column; a word becomes its number among `words`. The
    last byte must be a line's end.
    """
    at, end, row, width = np.uint64(begin), np.uint64(length), np.uint64(0), np.uint64(len(kinds))
    most = np.uint64(numbers.shape[1])
    while at < end:
        if row == most:
            return FULL
        for column in range(width):
            kind = kinds[column]
            if kind == NUMBER:
                value, at, fine = _number(text, at, powers, tens)
                numbers[column, row] = value
            elif kind == WHOLE:
                whole, at, fine = _whole_number(text, at, tens)
                wholes[column, row] = whole
            else:
                start = at
                while text[at] != separator and text[at] != LINE_END and text[at] != QUOTE:
                    at += ONE
                stop = at
                if text[at] == LINE_END and stop > start and text[stop - ONE] == RETURN:
                    stop -= ONE
                known = _word(text, start, stop, slots[column], words[column], counts[column])
                if known == counts[column]:
                    counts[column] += 1
                fine = known < MOST_WORDS
                wholes[column, row] = known
            if not fine:
                return NOT_PLAIN
            if column + ONE < width:
                if text[at] != separator:
                    return NOT_PLAIN
            else:
                if text[at] == RETURN:
                    at += ONE
                if text[at] != LINE_END:
                    return NOT_PLAIN
            at += ONE
        row += ONE
    return np.int64(row)


parse_table = compile_parser(_parse_table)


def load() -> None:
    """Have the compiled code ready, for a thread that is about to need it."""
    _parsed(_Room(1, BEYOND), np.empty((1, 1)), 0, 0, ord(","), np.zeros(1, np.int64))


def _parsed(room: _Room, cells: Any, start: int, length: int, separator: int, kinds: Any) -> int:
    room.slots.fill(-1)
    room.counts.fill(0)
    return int(
        parse_table(
            room.text, start, length, separator, kinds, cells, cells.view(np.int64), room.slots, room.words,
            room.counts, powers_of_five(), POWERS_OF_TEN,
        )
    )  # fmt: skip


class NumberTable:
    """Reads the blocks of a text table while they are plain.

    Attributes
    ----------
    stopped : Place or None
        The block at which `frames` gave up; None where it came to the end.
    """

    def __init__(self, dialect: Dialect, kinds: dict[str, Any], missing: Iterable[str]) -> None:
        import polars as pl

        codes = {pl.Float64: NUMBER, pl.Int64: WHOLE, pl.String: WORD}
        self.names, self.missing = dialect.names, frozenset(missing)
        self.kinds = np.array([codes[kinds[name]] for name in self.names], np.int64)
        self.separator = ord(dialect.separator)
        self.stopped: Place | None = None
        self._rooms: deque[_Room] = deque()
        self._lines_per_byte = 0.0

    @staticmethod
    def fits(dialect: Dialect, kinds: dict[str, Any]) -> bool:
        """Whether a table is written plainly, as far as its first lines tell."""
        import polars as pl

        odd = dialect.comment or dialect.decimal_comma or dialect.spaces or dialect.runs or dialect.quoted_commas
        known = all(kinds[name] in (pl.Float64, pl.Int64, pl.String) for name in dialect.names)
        numbers = sum(kinds[name] != pl.String for name in dialect.names)
        return not odd and known and 2 * numbers > len(dialect.names) and dialect.separator not in "+-.eE0123456789"

    def frames(
        self, file: BinaryIO, start: int, places: list[Place] | None = None, block_bytes: int | None = None
    ) -> Generator[tuple[Place, pl.DataFrame], None, None]:
        """The rows in blocks, as long as these are plain; `start` bytes of the first are no rows."""
        file.seek(0)
        blocks = self._in_order(file, block_bytes or BLOCK_BYTES) if places is None else self._at(file, places)

        def parse(item: tuple[Place, _Room, int]) -> tuple[Place, pl.DataFrame | None]:
            place, room, length = item
            frame = self._frame(room, start if place.offset == 0 else 0, length)
            self._rooms.append(room)
            return place, frame

        self.stopped = None
        for place, frame in ahead(blocks, parse, THREADS):
            if frame is None:
                self.stopped = place
                return
            if frame.height:
                yield place, frame

    def _room(self, n_bytes: int) -> _Room:
        """Memory that was used before, where there is some: new memory costs more than a copy."""
        try:
            room = self._rooms.popleft()
        except IndexError:
            room = _Room(len(self.kinds), n_bytes + BEYOND)
        if len(room.text) < n_bytes + BEYOND:
            room.text = _memory(n_bytes + BEYOND)
        return room

    def _in_order(self, file: BinaryIO, n_bytes: int) -> Iterator[tuple[Place, _Room, int]]:
        offset, kept = 0, np.empty(0, np.uint8)
        while True:
            room = self._room(max(n_bytes, 2 * len(kept)))
            room.text[: len(kept)] = kept
            filled = _read_into(file, room.text, len(kept), max(n_bytes, 2 * len(kept)))
            if filled == len(kept):  # the end
                if filled:
                    room.text[filled] = LINE_END
                    yield Place(offset, filled), room, filled + 1
                return
            end = _last_line_end(room.text, filled)
            kept = room.text[end:filled].copy()
            if end:
                yield Place(offset, end), room, end
                offset += end

    def _at(self, file: BinaryIO, places: list[Place]) -> Iterator[tuple[Place, _Room, int]]:
        for place in places:
            room = self._room(place.length)
            file.seek(place.offset)
            filled = _read_into(file, room.text, 0, place.length)
            closed = bool(filled) and room.text[filled - 1] == LINE_END
            room.text[filled] = LINE_END
            yield place, room, filled + (not closed)

    def _frame(self, room: _Room, start: int, length: int) -> pl.DataFrame | None:
        import polars as pl

        cells = _cells(len(self.kinds), int(self._lines_per_byte * length) + 16)
        rows = _parsed(room, cells, start, length, self.separator, self.kinds)
        if rows == FULL:
            lines = int(np.count_nonzero(room.text[:length] == LINE_END))
            self._lines_per_byte = 1.02 * lines / length
            cells = _cells(len(self.kinds), lines)
            rows = _parsed(room, cells, start, length, self.separator, self.kinds)
        if rows < 0:
            return None
        columns = []
        for j, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            column = cells[j, :rows]
            if kind != WORD:
                columns.append(pl.Series(name, column if kind == NUMBER else column.view(np.int64)))
                continue
            try:
                words = [bytes(room.text[a:b]).decode() for a, b in room.words[j, : room.counts[j]].tolist()]
            except UnicodeDecodeError:
                return None
            known = pl.Series(name, [None if word in self.missing else word for word in words], dtype=pl.String)
            columns.append(known.gather(column.view(np.int64)))
        return pl.DataFrame(columns)


def _cells(width: int, rows: int) -> Any:
    """Memory for the columns of a block. polars may keep these very numbers, so that every block has its own."""
    return _memory(8 * width * rows).view(np.float64).reshape(width, rows)


def _memory(n_bytes: int) -> Any:
    """Noughts, asked of the system itself: they go back to it at once when nobody needs them any more."""
    if not hasattr(mmap, "MAP_ANONYMOUS"):  # Windows
        return np.zeros(n_bytes, np.uint8)
    memory = mmap.mmap(-1, max(1, n_bytes), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, np.uint8, n_bytes)


class _Room:
    """Memory for a block of text, and for the words in it."""

    def __init__(self, width: int, n_bytes: int) -> None:
        self.text = _memory(n_bytes)
        self.slots, self.words = np.empty((width, SLOTS), np.int32), np.empty((width, MOST_WORDS, 2), np.int64)
        self.counts = np.empty(width, np.int64)


def _read_into(file: BinaryIO, text: Any, filled: int, wanted: int) -> int:
    """Read until so much is there, or the file ends."""
    while filled < wanted:
        read = file.readinto(memoryview(text)[filled:wanted])  # type: ignore[attr-defined]
        if not read:
            break
        filled += read
    return filled


def _last_line_end(text: Any, filled: int) -> int:
    """Behind the last line's end; 0 if there is none."""
    step = 2**12
    for stop in range(filled, 0, -step):
        found = np.flatnonzero(text[max(0, stop - step) : stop] == LINE_END)
        if len(found):
            return max(0, stop - step) + int(found[-1]) + 1
    return 0
