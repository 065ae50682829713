"""Rows that are held out of training to decide when to stop."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.online.state import Array


def check_fraction(fraction: Any) -> None:
    """None, or a number between 0 and 1."""
    if fraction is not None and not 0.0 < as_float(fraction) < 1.0:
        raise ValueError(
            f"validation_fraction must be None or a number between 0 and 1, but got {shortened(fraction)}; 0.1 holds "
            f"out a tenth of the rows."
        )


def held_out(rows: Array, codes: Array | None, fraction: float, random: Any) -> tuple[Array, Array]:
    """(rows to validate on, rows to learn from), in proportion to the classes where `codes` are given."""
    try:
        kept, held = train_test_split(rows, test_size=float(fraction), stratify=codes, random_state=random)
    except ValueError as error:
        raise ValueError(
            f"validation_fraction={fraction} cannot divide {len(rows)} rows. {error} Pass more rows, another fraction, "
            f"or None."
        ) from None
    return np.sort(held), np.sort(kept)
