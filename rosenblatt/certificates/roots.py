"""Square roots of rationals as floats that err on the safe side."""

from __future__ import annotations

import math
from fractions import Fraction


def root_down(value: Fraction) -> float:
    """A float at most sqrt(value), and close to it."""
    if value <= 0:
        return 0.0
    # 2^(2 shift) · value has about 128 bits: its whole root has 64.
    shift = 64 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value.numerator << max(0, 2 * shift), value.denominator << max(0, -2 * shift)
    root = Fraction(math.isqrt(scaled[0] // scaled[1])) / (Fraction(2) ** shift)
    try:
        result = float(root)
    except OverflowError:
        return math.nextafter(math.inf, 0)
    return math.nextafter(result, 0) if Fraction(result) > root else result


def root_up(value: Fraction) -> float:
    """A float at least sqrt(value), and close to it."""
    low = root_down(value)
    for _ in range(4):
        if not math.isinf(low) and Fraction(low) ** 2 >= value:
            return low
        low = math.nextafter(low, math.inf)
    return low
