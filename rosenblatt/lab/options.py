"""The knobs of the lab: what may be turned, from where to where, and a sentence when it may not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt.arguments import shortened

Values = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """One knob: a number between bounds, or one of several choices.

    >>> Option("margin", "margin", 0.5, 0.05, 2.0).check(3)
    Traceback (most recent call last):
    ValueError: margin must be a number from 0.05 to 2, but got 3; choose one in between.
    """

    name: str
    label: str
    default: Any
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    choices: tuple[str, ...] = ()
    logarithmic: bool = False  # a slider that multiplies
    only: tuple[str, str] | None = None  # shown only when another option has this value ("a|b" is either)

    def check(self, value: Any) -> Any:
        """The value as it is used, or a sentence."""
        if self.choices:
            if str(value) not in self.choices:
                raise ValueError(
                    f"{self.label} must be one of {', '.join(self.choices)}, but got {shortened(value)}; take one."
                )
            return str(value)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if isinstance(value, bool) or not self.low <= number <= self.high or (self.whole and number != int(number)):
            kind = "a whole number" if self.whole else "a number"
            raise ValueError(
                f"{self.label} must be {kind} from {self.low:g} to {self.high:g}, but got {shortened(value)}; choose "
                f"one in between."
            )
        return int(number) if self.whole else number

    def describe(self) -> Values:
        """What the page needs to draw the knob."""
        return {
            "name": self.name, "label": self.label, "low": self.low, "high": self.high, "whole": self.whole,
            "choices": list(self.choices), "logarithmic": self.logarithmic, "only": self.only,
        }  # fmt: skip


def fill(options: Iterable[Option], given: Mapping[str, Any] | None = None) -> Values:
    """The values of all options, those in `given` taking the place of the defaults."""
    table = {option.name: option for option in options}
    unknown = sorted(set(given or {}) - set(table))
    if unknown:
        known = ", ".join(table) or "none"
        raise ValueError(f"An option must be one of {known}, but got {shortened(unknown[0])}; leave it out.")
    return {name: option.check((given or {}).get(name, option.default)) for name, option in table.items()}
