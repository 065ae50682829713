"""Compiled parsers of LIBSVM and Vowpal Wabbit text, and of the numbers in them.

A decimal number becomes the float64 nearest to it, the same bits as Python's `float()`. Where mantissa and power of ten
are exact in float64, one multiplication or division rounds once and is right (Clinger 1990). Otherwise the first 128
bits of the power of five tell the answer but for rare cases (Lemire 2021, Number parsing at a gigabyte per second,
Software: Practice and Experience 51). Those, and what is written in another way (inf, nan, more than 19 digits), are
noted down and left to `float()` itself.

All compiled functions are in this file: numba's cache looks at the file that a function is in, and at no other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

from .powers import LEAST, MOST, powers_of_five

OK, BAD_LABEL, BAD_INDEX, NO_COLON, BAD_VALUE, NOT_RISING, TOO_SMALL, TOO_LARGE, BAD_NAME, NO_BAR = range(10)

LARGEST_INDEX = 2**31 - 2

# Places in arrays are unsigned: numba looks for a minus before it uses any other.
ONE, TWO, TEN, NOUGHT = np.uint64(1), np.uint64(2), np.uint64(10), np.uint64(48)
PIECE = np.uint64(4096)  # bytes in which line ends are counted before one of them is looked for
EXACT_POWERS = np.array([10.0**q for q in range(23)])


def _cut_lines(text: Any, length: Any, most: Any) -> Any:
    """(end, lines, colons, gaps) of the whole lines at the start of a text, at most `most` of them.

    This bounds what they hold, so that arrays for it can be made in the right size: every entry of LIBSVM text has a
    colon, every one of Vowpal Wabbit text follows a gap (white space or a bar) or a colon.
    """
    end = np.uint64(length)
    while end > np.uint64(0) and text[end - ONE] != 10:
        end -= ONE
    at, lines, colons, gaps = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    while at < end:
        upto = min(at + PIECE, end)
        ends, marks, blanks = np.uint64(0), np.uint64(0), np.uint64(0)
        for i in range(at, upto):  # only counting: the compiler takes many letters at a time
            ends += np.uint64(text[i] == 10)
            marks += np.uint64(text[i] == 58)
            blanks += np.uint64((text[i] <= 32) | (text[i] == 124))
        if lines + ends > np.uint64(most):
            break
        lines, colons, gaps = lines + ends, colons + marks, gaps + blanks
        at = upto
    while at < end and lines < np.uint64(most):
        lines += np.uint64(text[at] == 10)
        colons += np.uint64(text[at] == 58)
        gaps += np.uint64((text[at] <= 32) | (text[at] == 124))
        at += ONE
    return np.int64(at), np.int64(lines), np.int64(colons), np.int64(gaps)


@register_jitable(forceinline=True)
def _high_product(a: Any, b: Any) -> Any:
    """(high, low) 64 bits of a·b."""
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
    low, cross, other, high = a0 * b0, a1 * b0, a0 * b1, a1 * b1
    middle = (low >> half) + (cross & mask) + other
    return high + (cross >> half) + (middle >> half), (middle << half) | (low & mask)


@register_jitable(forceinline=True)
def _leading_zeros(w: Any) -> Any:
    n = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == np.uint64(0):
            w = w << np.uint64(step)
            n += step
    return n


@register_jitable(forceinline=True)
def _nearest_bits(w: Any, q: Any, powers: Any) -> Any:
    """(the bits of the float64 nearest to w·10**q, whether they are certain)."""
    zero, one = np.uint64(0), np.uint64(1)
    if q < LEAST:
        return zero, True
    if q > MOST:
        return np.uint64(0x7FF0000000000000), False  # infinite: left to float()
    leading = _leading_zeros(w)
    w = w << np.uint64(leading)
    high, low = _high_product(w, powers[np.uint64(q - LEAST), 0])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        more, _ = _high_product(w, powers[np.uint64(q - LEAST), 1])
        low = low + more
        if more > low:
            high = high + one
    if low == np.uint64(0xFFFFFFFFFFFFFFFF) and not (-27 <= q <= 55):
        return zero, False
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    mantissa = high >> shift
    exponent = ((217706 * q) >> 16) + 63 + np.int64(upper) - leading + 1023
    if exponent <= 0:
        if -exponent + 1 >= 64:
            return zero, True
        mantissa = mantissa >> np.uint64(-exponent + 1)
        mantissa = (mantissa + (mantissa & one)) >> one
        return mantissa, True  # a carry into the exponent's place is the right bits, too
    if low <= one and -4 <= q <= 23 and (mantissa & np.uint64(3)) == one and (mantissa << shift) == high:
        mantissa = mantissa & ~one  # halfway: to even
    mantissa = (mantissa + (mantissa & one)) >> one
    if mantissa >= np.uint64(1 << 53):
        mantissa = np.uint64(1 << 52)
        exponent += 1
    if exponent >= 2047:
        return np.uint64(0x7FF0000000000000), False  # infinite: left to float()
    return (np.uint64(exponent) << np.uint64(52)) | (mantissa & ~np.uint64(1 << 52)), True


@register_jitable(forceinline=True)
def _number(text: Any, at: Any, scratch: Any, bits: Any, powers: Any, exact: Any) -> Any:
    """(value, place after it, whether the value is certain); what is not certain is left to float().

    `scratch` and `bits` are the same 8 bytes, as float64 and as uint64.
    """
    letter = text[at]
    negative = letter == 45
    if negative or letter == 43:
        at += ONE
    w, first = np.uint64(0), at
    digit = np.uint64(text[at]) - NOUGHT
    while digit < TEN:
        w = w * TEN + digit
        at += ONE
        digit = np.uint64(text[at]) - NOUGHT
    digits, q = np.int64(at - first), np.int64(0)
    if text[at] == 46:
        at += ONE
        point = at
        digit = np.uint64(text[at]) - NOUGHT
        while digit < TEN:
            w = w * TEN + digit
            at += ONE
            digit = np.uint64(text[at]) - NOUGHT
        q = -np.int64(at - point)
        digits -= q
    if digits == 0:
        return 0.0, at, False
    if text[at] == 101 or text[at] == 69:
        at += ONE
        down = text[at] == 45
        if down or text[at] == 43:
            at += ONE
        power, begin = np.int64(0), at
        digit = np.uint64(text[at]) - NOUGHT
        while digit < TEN:
            if power < 100000:
                power = power * 10 + np.int64(digit)
            at += ONE
            digit = np.uint64(text[at]) - NOUGHT
        if at == begin:
            return 0.0, at, False
        q += -power if down else power
    if digits > 19:
        return 0.0, at, False
    value = 0.0
    if w <= np.uint64(9007199254740992) and -22 <= q <= 22:
        value = float(np.int64(w))
        if q < 0:
            value /= exact[np.uint64(-q)]
        elif q > 0:
            value *= exact[np.uint64(q)]
    elif w != np.uint64(0):
        found, certain = _nearest_bits(w, q, powers)
        if not certain:
            return 0.0, at, False
        bits[0] = found
        value = scratch[0]
    return -value if negative else value, at, True


@register_jitable(forceinline=True)
def _is_space(letter: Any) -> Any:
    return letter == 32 or letter == 10 or letter == 13 or letter == 9


@register_jitable
def _token_end(text: Any, at: Any) -> Any:
    while not _is_space(text[at]):
        at += ONE
    return at


@register_jitable
def _line_end(text: Any, at: Any) -> Any:
    while text[at] != 10:
        at += ONE
    return at


@register_jitable
def _is_query(text: Any, at: Any) -> Any:
    """Whether "qid:" stands here."""
    return (text[at] == 113 and text[at + ONE] == 105 and text[at + np.uint64(2)] == 100
            and text[at + np.uint64(3)] == 58)  # fmt: skip


def _parse_libsvm(
    text: Any, length: Any, labels: Any, indptr: Any, indices: Any, data: Any, first_index: Any, hard: Any,
    scratch: Any, bits: Any, powers: Any, exact: Any,
) -> Any:  # fmt: skip
    """Parse whole lines; the last byte must be a line's end, so that nothing else needs to be looked out for.

    `hard` takes (begin, end, place) of what is left to float(): place 0 and up is an entry, -1 and down a label.
    Returns (error, place of it, rows, entries, hard ones, largest index).
    """
    at, end = np.uint64(0), np.uint64(length)
    row, entry, n_hard, widest = np.uint64(0), np.uint64(0), np.uint64(0), np.int64(-1)
    while True:
        while at < end and _is_space(text[at]):
            at += ONE
        if at >= end:
            return OK, at, row, entry, n_hard, widest
        if text[at] == 35:
            at = _line_end(text, at)
            continue
        value, after, certain = _number(text, at, scratch, bits, powers, exact)
        if not (certain and _is_space(text[after])):
            after = _token_end(text, at)
            hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = at, after, -1 - np.int64(row)
            n_hard += ONE
        labels[row] = value
        at = after
        last = np.int64(-1)
        while True:
            letter = text[at]
            if letter == 32 or letter == 9 or letter == 13:
                at += ONE
                continue
            if letter == 10:
                break
            begin, index = at, np.uint64(0)
            digit = np.uint64(letter) - NOUGHT
            while digit < TEN:
                index = index * TEN + digit
                at += ONE
                digit = np.uint64(text[at]) - NOUGHT
            if text[at] != 58 or at == begin or at - begin > TEN or np.int64(index) > LARGEST_INDEX:
                if letter == 35:
                    at = _line_end(text, at)
                    break
                if _is_query(text, at):
                    at = _token_end(text, at)
                    continue
                if at == begin:
                    return BAD_INDEX, begin, row, entry, n_hard, widest
                return NO_COLON if text[at] != 58 else TOO_LARGE, begin, row, entry, n_hard, widest
            if np.int64(index) <= last or np.int64(index) < first_index:
                low = np.int64(index) < first_index
                return TOO_SMALL if low else NOT_RISING, begin, row, entry, n_hard, widest
            last = np.int64(index)
            at += ONE
            if text[at + ONE] == 32 and np.uint64(text[at]) - NOUGHT < TEN:  # one digit: most often a 1
                indices[entry] = np.int32(last - first_index)
                data[entry] = float(np.int64(text[at]) - 48)
                entry += ONE
                at += TWO
                continue
            value, after, certain = _number(text, at, scratch, bits, powers, exact)
            if not (certain and _is_space(text[after])):
                after = _token_end(text, at)
                hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = at, after, np.int64(entry)
                n_hard += ONE
            indices[entry] = np.int32(last - first_index)
            data[entry] = value
            entry += ONE
            at = after
        if last > widest:
            widest = last
        row += ONE
        indptr[row] = entry


@register_jitable(forceinline=True)
def _mixed(h: Any) -> Any:
    """The last mixing of MurmurHash3's 64 bits, which lets every bit of h change half of all."""
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


def _parse_vw(
    text: Any, length: Any, labels: Any, importance: Any, indptr: Any, indices: Any, data: Any, n_bits: Any,
    hard: Any, scratch: Any, bits: Any, powers: Any, exact: Any,
) -> Any:  # fmt: skip
    """Parse lines `label [importance] [tag]|namespace[:factor] name[:value] ... |...` (FNV-1a of namespace^name).

    Returns (error, place of it, rows, entries, hard ones); `hard` as above, importances are never hard.
    """
    offset, prime = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
    mask = (np.uint64(1) << np.uint64(n_bits)) - np.uint64(1)
    at, end = np.uint64(0), np.uint64(length)
    row, entry, n_hard = np.uint64(0), np.uint64(0), np.uint64(0)
    while at < end:
        while at < end and (text[at] == 32 or text[at] == 10 or text[at] == 9 or text[at] == 13):
            at += ONE
        if at >= end:
            break
        labels[row], importance[row] = np.nan, 1.0
        place = 0
        while at < end and text[at] != 124 and text[at] != 10:
            if text[at] == 32 or text[at] == 9 or text[at] == 13:
                at += ONE
                continue
            value, after, certain = _number(text, at, scratch, bits, powers, exact)
            whole = certain and (after >= end or text[after] == 32 or text[after] == 124 or text[after] == 10
                                 or text[after] == 9 or text[after] == 13)  # fmt: skip
            if place == 0:
                if not whole:
                    if text[at] == 39:  # 'tag without a label
                        place = 2
                    else:
                        return BAD_LABEL, at, row, entry, n_hard
                else:
                    labels[row] = value
                    at = after
                    place = 1
                    continue
            if place == 1 and whole and not (after < end and text[after] == 124):
                importance[row] = value
                at = after
                place = 2
                continue
            while at < end and text[at] != 32 and text[at] != 124 and text[at] != 10:
                at += ONE  # the tag
            place = 2
        if at >= end or text[at] == 10:
            return NO_BAR, at - ONE, row, entry, n_hard
        while at < end and text[at] != 10:
            at += ONE  # the bar
            space = offset
            while (
                at < end and text[at] != 32 and text[at] != 58 and text[at] != 10 and text[at] != 9 and text[at] != 13
            ):
                space = (space ^ np.uint64(text[at])) * prime
                at += ONE
            factor = 1.0
            if at < end and text[at] == 58:
                value, after, certain = _number(text, at + ONE, scratch, bits, powers, exact)
                if not certain:
                    return BAD_VALUE, at + ONE, row, entry, n_hard
                factor, at = value, after
            space = (space ^ np.uint64(94)) * prime
            while at < end and text[at] != 124 and text[at] != 10:
                if text[at] == 32 or text[at] == 9 or text[at] == 13:
                    at += ONE
                    continue
                begin, h = at, space
                while (at < end and text[at] != 32 and text[at] != 58 and text[at] != 10 and text[at] != 124
                       and text[at] != 9 and text[at] != 13):  # fmt: skip
                    h = (h ^ np.uint64(text[at])) * prime
                    at += ONE
                if at == begin:
                    return BAD_NAME, at, row, entry, n_hard
                value = 1.0
                if at < end and text[at] == 58:
                    value, after, certain = _number(text, at + ONE, scratch, bits, powers, exact)
                    if not certain:
                        stop = _token_end(text, at + ONE)
                        if stop == at + ONE or factor != 1.0:
                            return BAD_VALUE, at + ONE, row, entry, n_hard
                        hard[n_hard, 0], hard[n_hard, 1], hard[n_hard, 2] = at + ONE, stop, entry
                        n_hard += ONE
                        after = stop
                    at = after
                indices[entry] = np.int32(_mixed(h) & mask)
                data[entry] = value * factor
                entry += ONE
        row += ONE
        indptr[row] = entry
    return OK, at, row, entry, n_hard


def compile_parser(function: Callable[..., Any]) -> Any:
    """Machine code that runs beside other threads, kept on disk where there is a folder for it."""
    options: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder it may write to
        return numba.njit(**options)(function)


cut_lines = compile_parser(_cut_lines)
parse_libsvm = compile_parser(_parse_libsvm)
parse_vw = compile_parser(_parse_vw)


def helpers() -> tuple[Any, ...]:
    """The scratch space and the tables that the parsers take as their last arguments, one set per thread."""
    scratch = np.zeros(1)
    return scratch, scratch.view(np.uint64), powers_of_five(), EXACT_POWERS
