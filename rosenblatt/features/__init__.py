"""Features: maps in front of a learner, and the way back from scaled features to the original ones.

Each is loaded when it is first used: tables need polars, which those who come with arrays need not wait for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.features.column import Column
    from rosenblatt.features.columns import ColumnEncoder
    from rosenblatt.features.hog import HOGFeatures
    from rosenblatt.features.original_space import OriginalSpace, to_original_space
    from rosenblatt.features.pair_products import PairProducts
    from rosenblatt.features.radial import RadialFeatures
    from rosenblatt.features.target import Target, find_column, take_target

__all__ = [
    "Column", "ColumnEncoder", "HOGFeatures", "OriginalSpace", "PairProducts", "RadialFeatures", "Target",
    "find_column", "take_target", "to_original_space",
]  # fmt: skip

_HOMES = {
    "Column": "column",
    "ColumnEncoder": "columns",
    "HOGFeatures": "hog",
    "OriginalSpace": "original_space",
    "PairProducts": "pair_products",
    "RadialFeatures": "radial",
    "Target": "target",
    "find_column": "target",
    "take_target": "target",
    "to_original_space": "original_space",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
