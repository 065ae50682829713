"""The order in which units can be computed: each after those that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from rosenblatt.logic.unit import ThresholdUnit
from rosenblatt.wording import listed


def in_order(inputs: tuple[str, ...], units: dict[str, ThresholdUnit]) -> dict[str, ThresholdUnit]:
    """The units so that each reads only inputs and units before it: level by level, in each as they came."""
    known = set(inputs)
    for name, unit in units.items():
        if name in known:
            raise ValueError(f"A unit and an input must not have the same name, but both are {name!r}; rename one.")
        if not isinstance(unit, ThresholdUnit):
            raise ValueError(f"units must be ThresholdUnits, but {name!r} is {type(unit).__name__}; pass units.")
        for source in unit.inputs:
            if source not in known and source not in units:
                raise ValueError(
                    f"A unit reads inputs or other units, but {name!r} reads {source!r}, which is neither; the inputs "
                    f"are {', '.join(inputs) or 'none'}."
                )
    waits = {name: set(unit.inputs) - known for name, unit in units.items()}  # for other units
    readers: dict[str, list[str]] = {name: [] for name in units}
    for name, others in waits.items():
        for other in others:
            readers[other].append(name)
    ready = [name for name, others in waits.items() if not others]
    level = dict.fromkeys(ready, 1)
    for name in ready:  # which grows, level by level
        for reader in readers[name]:
            waits[reader].discard(name)
            if not waits[reader]:
                level[reader] = level[name] + 1
                ready.append(reader)
    if len(ready) < len(units):
        raise ValueError(
            f"A network must have no loops, but {listed(name for name in units if waits[name])} wait for each other; "
            f"a ThresholdMachine has loops, through a delay."
        )
    return {name: units[name] for name in sorted(units, key=level.__getitem__)}


def levels(inputs: tuple[str, ...], units: Mapping[str, ThresholdUnit]) -> dict[str, int]:
    level = dict.fromkeys(inputs, 0)
    for name, unit in units.items():
        level[name] = 1 + max((level[source] for source in unit.inputs), default=0)
    return level
