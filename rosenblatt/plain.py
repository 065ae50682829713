"""Values as JSON has them, and results that say what they are in such values."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, ClassVar


def plain(value: Any) -> Any:
    """A value as JSON has it: numpy's as Python's, None for a number that is not finite, anything else as it prints.

    >>> plain({"a": float("nan"), 2: (1, True), "c": range(2)})
    {'a': None, '2': [1, True], 'c': 'range(0, 2)'}
    """
    if isinstance(value, type):  # a dtype of numpy's is one: its methods are those of its numbers
        return str(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return plain(value.to_dict()) if hasattr(value, "to_dict") else str(value)


class Figures:
    """A dataclass whose `to_dict` has its fields and the properties named in `computed`, ready for JSON."""

    computed: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Numbers, texts, lists and dictionaries."""
        names = [each.name for each in fields(self) if each.repr]  # type: ignore[arg-type]
        return {name: plain(getattr(self, name)) for name in (*names, *self.computed)}
