"""Powers of ten and five as the compiled readers of numbers need them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

LEAST, MOST = -342, 308  # powers of ten
POWERS_OF_TEN = np.array([10**k for k in range(20)], np.uint64)


@functools.cache
def powers_of_five() -> Any:
    """The first 128 bits of 5**q for q from -342 to 308, as pairs of uint64; of a fraction, rounded up."""
    table = np.empty((MOST - LEAST + 1, 2), np.uint64)
    for q in range(LEAST, MOST + 1):
        power = 5 ** abs(q)
        if q >= 0:
            shift = power.bit_length() - 128
            bits = power >> shift if shift > 0 else power << -shift
        else:
            z = (power - 1).bit_length()
            bits = (1 << (z + 127 if q >= -27 else 2 * z + 128)) // power + 1
            bits >>= max(0, bits.bit_length() - 128)
        table[q - LEAST] = bits >> 64, bits & (2**64 - 1)
    return table
