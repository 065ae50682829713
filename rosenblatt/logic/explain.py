"""Which units fired: the way back from connections to symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt.logic.comparisons import Comparison
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.rule_rows import row_by_column
from rosenblatt.logic.rules import RuleNetwork
from rosenblatt.logic.unit import Bits, ThresholdUnit


@dataclass(frozen=True)
class Line:
    """One unit on one row: its inequality, the sum on its left side, and whether it fired."""

    name: str
    text: str
    sum: str
    fired: bool


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a network answered for a row, and what each unit did.

    Attributes
    ----------
    answer : the decision, or the outputs
    fired : names of the units that fired, in the order of the network
    lines : one `Line` for each unit
    because : the rule that decided, as it was written; None for a network that was not made from rules
    """

    answer: Any
    lines: tuple[Line, ...]
    because: str | None = None

    @property
    def fired(self) -> tuple[str, ...]:
        return tuple(line.name for line in self.lines if line.fired)

    def __str__(self) -> str:
        title = f"{self.answer}" + (f", because: {self.because}" if self.because else "")
        name, text, total = (
            max((len(getattr(line, part)) for line in self.lines), default=0) for part in ("name", "text", "sum")
        )
        lines = [
            f"  {'●' if line.fired else '○'} {line.name:{name}}  {line.text:{text}}  {line.sum:>{total}}".rstrip()
            for line in self.lines
        ]
        return "\n".join([title, *lines])

    __repr__ = __str__


def explain(network: Any, row: Any) -> Explanation:
    """Say which units fired for a row.

    Parameters
    ----------
    network : a network made by `from_rules`, a `ThresholdNetwork` or a `ThresholdUnit`
    row : a mapping from columns or inputs to values, or the values in order

    Examples
    --------
    >>> from rosenblatt import ThresholdNetwork, explain
    >>> explain(ThresholdNetwork.from_function("a ^ b"), {"a": 1, "b": 1})
    0
      ● h1   a + b >= 0.5    2
      ● h2   a + b >= 1.5    2
      ○ out  h1 - h2 >= 0.5  0
    """
    if isinstance(network, RuleNetwork):
        return _rules(network, row)
    if isinstance(network, ThresholdUnit):
        network = ThresholdNetwork(network.inputs, {"unit": network}, ("unit",))
    if not isinstance(network, ThresholdNetwork):
        raise TypeError(f"explain is about networks and units, but got {type(network).__name__}; pass one of these.")
    bits = Bits(row, network.inputs)
    if len(bits.values) != 1:
        raise ValueError(f"explain is about one row, but got {len(bits.values)}; choose one.")
    answer = network.evaluate(bits.values, bits.signs)[0]
    fired = {name: bool(values[0]) for name, values in network.activity(bits.values).items()}
    seen = {**dict(zip(network.inputs, bits.values[0].astype(bool).tolist(), strict=True)), **fired}
    return Explanation(answer.tolist(), tuple(_line(name, unit, seen) for name, unit in network.units.items()))


def _line(name: str, unit: ThresholdUnit, seen: Mapping[str, bool]) -> Line:
    total = sum(weight for weight, source in zip(unit.weights, unit.inputs, strict=True) if seen[source])
    return Line(name, unit.inequality(), str(total), seen[name])


def _rules(network: RuleNetwork, row: Any) -> Explanation:
    fired, bits = network.fired(row)
    values = row_by_column(row, network.columns)
    lines = []
    for atom in network.comparisons:
        text = atom.unit.inequality() if isinstance(atom, Comparison) else ""
        lines.append(Line(atom.name, text, f"{atom.column} = {values[atom.column]}", fired[atom.name]))
    lines += [_line(name, unit, fired) for name, unit in network.network.units.items()]
    decision = network.decisions[int(network._decide(bits)[0])]
    matched = [n for n, name in enumerate(network.rule_units, 1) if fired[name]]
    because = f"rule {matched[0]}, {network.rules[matched[0] - 1].text}" if matched else "no rule matched"
    return Explanation(decision, tuple(lines), because)
