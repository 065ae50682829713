"""Features by name: which weight the number of a named feature belongs to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import murmurhash3_32

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import NOWHERE, Array
from rosenblatt.stored import checked, names, optional, whole

REMEMBERED_HASHES = 2**16


class Codes(dict[str, float]):
    """The code of every name: its slot, or, hashed into `size` slots, ~slot where the sign of the value is turned.

    Looking up an unknown name gives NOWHERE in an open vocabulary, and computes the hash in a hashed one. A name that
    is not text is the same as its text. Codes are whole numbers, as floats: that is how compiled code gets them.

    >>> open, hashed = Codes({"rain": 0.0, "sun": 1.0}), Codes()
    >>> hashed.size = 8
    >>> open["sun"], open["snow"] == NOWHERE, hashed["rain"], hashed["wind"]
    (1.0, True, 4.0, -7.0)
    """

    size: int | None = None

    def __missing__(self, name: Any) -> float:
        if self.size is None and name.__class__ is str:
            return NOWHERE
        if not isinstance(name, str):
            return self[str(name)]
        if self.size is None:
            return NOWHERE
        if len(self) >= REMEMBERED_HASHES:
            self.clear()
        number = murmurhash3_32(name)
        slot = abs(number) % self.size
        self[name] = code = float(slot if number >= 0 else ~slot)
        return code


class Names:
    """The vocabulary of a learner: open, growing with every new name, or hashed into `size` slots."""

    def __init__(self, size: int | None) -> None:
        self.codes = Codes()
        self.size = self.codes.size = size

    @property
    def width(self) -> int:
        """The number of slots."""
        return len(self.codes) if self.size is None else self.size

    def unknown(self, names: Iterable[Any]) -> list[str]:
        """The names that have no slot yet, each once."""
        if self.size is not None:
            return []
        new = [name for name in names if name not in self.codes]
        if all(name.__class__ is str for name in new):
            return list(dict.fromkeys(new))
        return list(dict.fromkeys(str(name) for name in new if str(name) not in self.codes))

    def add(self, names: list[str]) -> None:
        """Give names that are `unknown` the next slots."""
        for name in names:
            self.codes[name] = float(len(self.codes))

    def row(self, x: Mapping[Any, float]) -> tuple[Array, Array]:
        """(values, slots) of the names that are known."""
        codes = np.array([self.codes[name] for name in x], np.int64)
        values = np.array(list(x.values()), np.float64)
        kept = codes != NOWHERE
        codes, values = codes[kept], values[kept]
        return np.where(codes < 0, -values, values), np.where(codes < 0, ~codes, codes)

    def matrix(self, examples: list[Mapping[Any, float]]) -> Any:
        """The examples as CSR rows over the slots: sorted, values that share a slot added, unknown names left out."""
        codes = np.array([self.codes[name] for x in examples for name in x], np.int64)
        values = np.array([value for x in examples for value in x.values()], np.float64)
        rows = np.repeat(np.arange(len(examples)), np.array([len(x) for x in examples], np.intp))
        return self._matrix(rows, codes, values, len(examples))

    def matrix_of_columns(self, numbers: Array, columns: Iterable[Any]) -> Any:
        """As `matrix`, of a table with these columns."""
        codes = np.array([self.codes[name] for name in columns], np.int64)
        rows, places = numbers.nonzero()
        return self._matrix(rows, codes[places], numbers[rows, places], len(numbers))

    def _matrix(self, rows: Array, codes: Array, values: Array, height: int) -> Any:
        kept = (codes != NOWHERE) & (values != 0.0)
        rows, codes, values = rows[kept], codes[kept], values[kept]
        placed = np.where(codes < 0, -values, values), (rows, np.where(codes < 0, ~codes, codes))
        result = scipy.sparse.coo_array(placed, shape=(height, max(1, self.width))).tocsr()
        result.sort_indices()
        return result

    def to_state(self) -> dict[str, Any]:
        """For a model file: the names in the order of their slots."""
        return {"size": self.size, "slots": np.array(list(self.codes) if self.size is None else [], dtype=object)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Names:
        checked("Names", state, {"size": optional(whole), "slots": names("names")})
        slots = state["slots"].tolist()
        if len(set(slots)) != len(slots) or state["size"] == 0:
            raise ValueError("Names: two features have the same name")
        result = cls(state["size"])
        result.add(slots)
        return result


def numbers_of(x: Mapping[Any, Any]) -> dict[Any, float]:
    """The features of a dict as finite numbers; text is a feature of its own, "name=text", whose number is 1.

    >>> numbers_of({"size": 2, "colour": "red"})
    {'size': 2.0, 'colour=red': 1.0}
    """
    found: dict[Any, float] = {}
    for name, value in x.items():
        if isinstance(value, str):
            name, value = f"{name}={value}", 1.0
        found[name] = found.get(name, 0.0) + number_of(name, value)
    return found


def number_of(name: Any, value: Any, *, or_text: bool = True) -> float:
    """The value of a feature as a finite number; `or_text` says whether text is allowed as well, for the message."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"The feature {name!r} must be a number{' or text' if or_text else ''}, but got {shortened(value)}; leave "
            f"it out or convert it."
        ) from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(
            f"The feature {name!r} must be finite, but got {shortened(value)}; leave it out or fill it in."
        )
    return number
