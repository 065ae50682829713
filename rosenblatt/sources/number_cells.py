"""The compiled half of `number_table`: cells of text straight into columns.

Numbers become the nearest float64 (see `parsing`); here eight digits are read at a time. The machine code is kept by
`machine_code`, so that this file, and numba with it, is imported only where there is none yet. All that it is made of
is in this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.loading import collector_at_rest

with collector_at_rest():
    import numba
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, register_jitable

BEYOND = 32  # bytes behind the last line that may be looked at
MOST_WORDS = 1000  # different ones in a column of a block
SLOTS = 4096
LEAST, MOST = -342, 308  # powers of ten
NUMBER, WHOLE, WORD = range(3)
NOT_PLAIN, FULL = -1, -2
LINE_END, RETURN, QUOTE, MINUS, POINT, BIG_E, SMALL_E, PLUS = 10, 13, 34, 45, 46, 69, 101, 43

ZERO, ONE, THREE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(8)
ZEROS = np.uint64(0x3030303030303030)  # eight digits 0
SIXES, UPPER_HALVES = np.uint64(0x0606060606060606), np.uint64(0xF0F0F0F0F0F0F0F0)

BYTES, WORDS, WHOLES, NUMBERS = map(types.CPointer, (types.uint8, types.uint64, types.int64, types.float64))
SIGNATURE = types.int64(
    BYTES, types.uint64, types.uint64, types.uint8, WHOLES, types.int64, NUMBERS, WHOLES, types.int64,
    types.CPointer(types.int32), WHOLES, WHOLES, WORDS, WORDS,
)  # fmt: skip


@intrinsic
def _eight(context: Any, text: Any, at: Any) -> Any:
    """Eight bytes from a place on, the first the lowest."""

    def build(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = builder.bitcast(builder.gep(given[0], [given[1]]), ir.IntType(64).as_pointer())
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
    high, low = _product(w, powers[place + place])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        more, _ = _product(w, powers[place + place + ONE])
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
def _word(text: Any, begin: Any, end: Any, slots: Any, words: Any, column: Any, count: Any) -> Any:
    """The number of a word among those met so far, which it may be added to; MOST_WORDS if they are too many."""
    slots_at, words_at = column * np.uint64(SLOTS), column * np.uint64(2 * MOST_WORDS)
    mixed = np.uint64(0xCBF29CE484222325)
    for k in range(begin, end):
        mixed = (mixed ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    slot = (mixed ^ (mixed >> np.uint64(32))) & np.uint64(SLOTS - 1)
    while slots[slots_at + slot] >= 0:
        known = np.uint64(slots[slots_at + slot])
        start = np.uint64(words[words_at + known + known])
        if np.uint64(words[words_at + known + known + ONE]) - start == end - begin:
            same = True
            for k in range(end - begin):
                same = same and text[start + k] == text[begin + k]
            if same:
                return np.int64(known)
        slot = (slot + ONE) & np.uint64(SLOTS - 1)
    if count < MOST_WORDS:
        slots[slots_at + slot] = np.int32(count)
        place = words_at + np.uint64(2 * count)
        words[place], words[place + ONE] = np.int64(begin), np.int64(end)
    return count


def _parse_table(
    text: Any, begin: Any, length: Any, separator: Any, kinds: Any, n_columns: Any, numbers: Any, wholes: Any,
    n_rows: Any, slots: Any, words: Any, counts: Any, powers: Any, tens: Any,
) -> Any:  # fmt: skip
    """Parse whole lines into columns; how many, or NOT_PLAIN, or FULL where there is no room for all.

    `numbers` and `wholes` are the same memory, a row for each column; a word becomes its number among `words`. The
    last byte must be a line's end, and BEYOND more must be there. Arrays are pointers here.
    """
    at, end, row, width, most = begin, length, ZERO, np.uint64(n_columns), np.uint64(n_rows)
    while at < end:
        if row == most:
            return FULL
        for column in range(width):
            kind = kinds[column]
            if kind == NUMBER:
                value, at, fine = _number(text, at, powers, tens)
                numbers[column * most + row] = value
            elif kind == WHOLE:
                whole, at, fine = _whole_number(text, at, tens)
                wholes[column * most + row] = whole
            else:
                start = at
                while text[at] != separator and text[at] != LINE_END and text[at] != QUOTE:
                    at += ONE
                stop = at
                if text[at] == LINE_END and stop > start and text[stop - ONE] == RETURN:
                    stop -= ONE
                known = _word(text, start, stop, slots, words, column, counts[column])
                if known == counts[column]:
                    counts[column] += 1
                fine = known < MOST_WORDS
                wholes[column * most + row] = known
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


def compiled() -> tuple[str, str]:
    """What LLVM makes the machine code of, and the name of the function in it."""
    flags: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False}
    found = numba.njit([SIGNATURE], no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(_parse_table)
    ((signature, result),) = found.overloads.items()
    return found.inspect_llvm(signature), result.fndesc.llvm_func_name
