"""Features by name: where the numbers of a dict belong among the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import murmurhash3_32

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.stored import checked, names, optional, whole

REMEMBERED_HASHES = 2**16


class Names:
    """Which slot a named feature has: one of its own, or one of `size` by hashing."""

    def __init__(self, size: int | None) -> None:
        self.size = size
        self.slots: dict[str, int] = {}

    @property
    def width(self) -> int:
        return len(self.slots) if self.size is None else self.size

    def slot(self, name: str) -> tuple[int, float] | None:
        """(slot, sign), or None for a name that has no slot yet."""
        if self.size is None:
            found = self.slots.get(name)
            return None if found is None else (found, 1.0)
        if len(self.slots) >= REMEMBERED_HASHES:
            self.slots.clear()
        number = self.slots.get(name)
        if number is None:
            number = self.slots[name] = murmurhash3_32(name)
        return abs(number) % self.size, 1.0 if number >= 0 else -1.0

    def add(self, names: list[str]) -> None:
        for name in names:
            self.slots.setdefault(name, len(self.slots))

    def read(self, x: Mapping[Any, Any]) -> Reading:
        """The numbers of x, and where they belong."""
        reading = Reading()
        for name, value in x.items():
            if isinstance(value, str):
                name, value, reading.plain = f"{name}={value}", 1.0, False
            reading.names.append(str(name))
            reading.values.append(number_of(name, value))
        reading.new = [name for name in reading.names if self.slot(name) is None]
        return reading

    def place(self, reading: Reading) -> tuple[Array, Array, Array, bool]:
        """(values, slots, signs, plain): plain when every name has a number and a slot of its own."""
        found = [(value, self.slot(name)) for value, name in zip(reading.values, reading.names, strict=True)]
        known = [(value, *place) for value, place in found if place is not None]
        values, slots, signs = (np.array(column) for column in zip(*known, strict=True)) if known else ([], [], [])
        plain = reading.plain and len(known) == len(found) and len({slot for _, slot, _ in known}) == len(known)
        return np.asarray(values, np.float64), np.asarray(slots, np.int64), np.asarray(signs, np.float64), plain

    def to_state(self) -> dict[str, Any]:
        """For a model file: the names in the order of their slots."""
        slots = sorted(self.slots, key=lambda name: self.slots[name]) if self.size is None else []
        return {"size": self.size, "slots": np.array(slots, dtype=object)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Names:
        checked("Names", state, {"size": optional(whole), "slots": names("names")})
        slots = state["slots"].tolist()
        if len(set(slots)) != len(slots) or state["size"] == 0:
            raise ValueError("Names: two features have the same name")
        result = cls(state["size"])
        result.add(slots)
        return result


@dataclass
class Reading:
    """What a dict of features says, before it is decided that it is learned from."""

    names: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    plain: bool = True


def number_of(name: Any, value: Any, *, or_text: bool = True) -> float:
    """The value of a feature as a number; `or_text` says that text would have been one, too, as a name of its own."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The feature {name!r} must be a number{' or text' if or_text else ''}, but got {shortened(value)}; leave "
            f"it out or convert it."
        ) from None
    except OverflowError:
        raise ValueError(
            f"The feature {name!r} must be in the range of float64, but is larger; leave it out or scale it."
        ) from None
    if not np.isfinite(number):
        raise ValueError(
            f"The feature {name!r} must be finite, but got {shortened(value)}; leave it out or fill it in."
        )
    return number
