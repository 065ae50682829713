"""Symbols into connections: rules over columns become a network of threshold units (lecture row L25).

    if CONDITION then DECISION; if CONDITION then DECISION; …; otherwise DECISION

The first rule whose condition holds decides. A condition is made of comparisons of a column with a number
(``>  >=  <  <=  =  !=``), of Boolean columns, and of *and*, *or*, *not* and brackets; *not* binds tightest, then *and*.

The first layer compares. A unit fires when w·x + b >= 0, so ``x >= 3`` and ``x <= 3`` are one unit each, ``x > 3`` is
the complement of the second, and ``x = 3`` is both. The layers above see only whether these fired: conditions, then
"this rule and none before it", then decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.logic.building import GateMaker
from rosenblatt.logic.comparisons import Comparison, Flag, Rule, atom_fires, atoms_of
from rosenblatt.logic.expression import Constant
from rosenblatt.logic.function import assignments
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.packed import PackedNetwork
from rosenblatt.logic.rule_rows import one_row, read_columns, row_count
from rosenblatt.logic.rule_text import RuleText
from rosenblatt.logic.unit import ThresholdUnit
from rosenblatt.stored import checked, items, text
from rosenblatt.wording import counted

BLOCK = 1 << 15  # rows that stay in the cache together
TABLED = 16  # comparisons up to which the layers above them are kept as a table
HALF = Fraction(1, 2)


class RuleWarning(UserWarning):
    """Rules that contradict each other, or that can never match."""


def from_rules(text: str) -> RuleNetwork:
    """Turn rules into a network of threshold units that decides every row as the rules do.

    Parameters
    ----------
    text : rules, separated by semicolons or new lines: ``if … then …``, and at the end ``otherwise …``
        The first that matches decides. Without *otherwise*, rows that no rule matches get None.

    Returns
    -------
    `RuleNetwork`

    Raises
    ------
    ExpressionError
        If a rule cannot be read; the message points at the place.

    Examples
    --------
    >>> from rosenblatt import from_rules
    >>> network = from_rules('''
    ...     if other_delinquent_accounts > 2 and delinquent_cycles > 1 then deny;
    ...     if other_delinquent_accounts = 0 and (income > 30000 or years_of_credit > 3) then accept;
    ...     otherwise refer
    ... ''')
    >>> row = {"other_delinquent_accounts": 0, "delinquent_cycles": 0, "income": 30000, "years_of_credit": 3}
    >>> network.predict_one(row), network.predict_one(row | {"income": 30000.01})
    ('refer', 'accept')
    """
    from rosenblatt.logic.rule_trouble import look_for_trouble

    network = RuleNetwork(RuleText(text).read())
    look_for_trouble(network)
    return network


class RuleNetwork:
    """Rules as a network of threshold units; made by `from_rules`.

    Attributes
    ----------
    columns : tuple of str
        The columns that it reads.
    decisions : tuple
        What can be decided; None is among them if there is no *otherwise*.
    comparisons : tuple of Comparison and Flag
        The first layer, whose units compare columns with numbers.
    network : ThresholdNetwork
        The layers above it: its inputs are the comparisons, its outputs the decisions.
    rules : tuple of Rule
    rule_units : list of str
        The name of each rule's unit, which fires when the rule holds and none before it.

    Examples
    --------
    >>> from rosenblatt import from_rules
    >>> network = from_rules("if age >= 18 then adult; otherwise child")
    >>> network.predict([[17], [18]]).tolist()
    ['child', 'adult']
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        if not isinstance(rules, Sequence) or not rules or not all(isinstance(rule, Rule) for rule in rules):
            raise TypeError(
                f"rules must be a list of at least one Rule, but {shortened(rules)} came; make a network of rules as "
                f"text with from_rules."
            )
        self.rules = tuple(rules)
        atoms = list(dict.fromkeys(atom for rule in rules for atom in atoms_of(rule.condition)))
        self.comparisons: tuple[Comparison | Flag, ...] = tuple(sorted(atoms, key=lambda atom: atom.column))
        self.columns = tuple(dict.fromkeys(atom.column for atom in atoms))
        written = [rule.decision for rule in rules]
        total = isinstance(rules[-1].condition, Constant) and rules[-1].condition.value
        self.decisions: tuple[str | None, ...] = (*dict.fromkeys(written), *(() if total else (None,)))
        self.network = self._build()
        self._prepared: Any = None
        self._names = np.array(self.decisions, dtype=object if None in self.decisions else None)

    # --------------------------------------------------------------------------------------- the units

    def _build(self) -> ThresholdNetwork:
        names = tuple(atom.name for atom in self.comparisons)
        maker = GateMaker(names)
        conditions = [maker.make(rule.condition) for rule in self.rules]
        units = maker.units
        wanted = [f"rule {n}" for n in range(1, len(self.rules) + 1)]
        wanted += ["no rule" if decision is None else f"decide {decision}" for decision in self.decisions]
        chosen = _different_from({*names, *units}, wanted)
        self.rule_units, outputs = chosen[: len(self.rules)], chosen[len(self.rules) :]
        for number, (source, positive) in enumerate(conditions, 1):
            # Fires when this condition holds and none before it.
            before = conditions[: number - 1]
            shadowed = any(s is None and p for s, p in before)
            alone = [] if source is None else [(source, positive)]
            never = shadowed or (source is None and not positive)
            units[self.rule_units[number - 1]] = (
                _NEVER if never else _all_of([*alone, *((s, not p) for s, p in before if s is not None)])
            )
        for decision, output in zip(self.decisions, outputs, strict=True):
            if decision is None:
                units[output] = ThresholdUnit.nor(len(self.rules), self.rule_units)
            else:
                pairs = zip(self.rule_units, self.rules, strict=True)
                own = [name for name, rule in pairs if rule.decision == decision]
                units[output] = ThresholdUnit.or_(len(own), own)
        return ThresholdNetwork(names, units, outputs)

    @property
    def units(self) -> dict[str, ThresholdUnit]:
        """All units, those of the first layer included."""
        first = {atom.name: atom.unit for atom in self.comparisons if isinstance(atom, Comparison)}
        return {**first, **self.network.units}

    def __repr__(self) -> str:
        lines = [f"  {rule.text}" for rule in self.rules]
        return "\n".join(
            [
                f"RuleNetwork: {counted(len(self.columns), 'column')}, {counted(len(self.units), 'unit')}, "
                f"{counted(len(self.decisions), 'decision')}",
                *lines,
            ]
        )

    # ----------------------------------------------------------------------------------------- answers

    def predict(self, X: Any) -> Array:
        """The decision for every row of a frame, of a mapping from columns to arrays, or of an array like `columns`."""
        return np.asarray(self._names[self.codes(X)])

    def codes(self, X: Any) -> Array:
        """The decisions as numbers, their places in `decisions`: uint8 (uint16 if there are more than 256)."""
        columns = self._read(X)
        n = len(next(iter(columns.values()))) if columns else row_count(X)
        result = np.empty(n, dtype=self._code_dtype)
        table, packed = self._prepare()

        def work(start: int) -> None:
            block = slice(start, start + BLOCK)
            part = {name: values[block] for name, values in columns.items()}
            result[block] = self._block(part, min(n, start + BLOCK) - start, table, packed)

        starts = range(0, n, BLOCK)
        if len(starts) < 8:
            for start in starts:
                work(start)
        else:  # numpy lets go of the lock while it compares
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(work, starts))
        return result

    def predict_one(self, row: Mapping[str, Any]) -> str | None:
        """The decision for one row, a mapping from columns to values."""
        return self.decisions[int(self.codes(one_row(row, self.columns))[0])]

    def _prepare(self) -> tuple[Array | None, PackedNetwork]:
        """The layers above the comparisons as a table, where there are few of these, and as operations on bits."""
        units = list(self.network.units.items())
        if self._prepared is None or self._prepared[0] != units:  # new, or its units were edited
            few = len(self.comparisons) <= TABLED
            table = self._decide(assignments(len(self.comparisons))) if few else None
            self._prepared = units, table, PackedNetwork(self.network)
        return self._prepared[1:]

    def _block(self, columns: Mapping[str, Array], n: int, table: Array | None, packed: PackedNetwork) -> Array:
        if table is None and packed.possible:
            outputs = packed([np.packbits(atom_fires(atom, columns[atom.column])) for atom in self.comparisons])
            codes = np.zeros(n, dtype=self._code_dtype)
            for code, output in enumerate(outputs[1:], 1):  # exactly one of them fires
                codes += np.unpackbits(output, count=n) * self._code_dtype.type(code)
            return codes
        if table is None:
            bits = np.empty((n, len(self.comparisons)), dtype=np.uint8)
            for i, atom in enumerate(self.comparisons):
                bits[:, i] = atom_fires(atom, columns[atom.column])
            return self._decide(bits)
        # The layers above the comparisons, for every pattern of these, are a table: a row's pattern is its number.
        pattern = np.zeros(n, dtype=np.uint8 if len(self.comparisons) <= 8 else np.uint16)
        for atom in self.comparisons:
            np.left_shift(pattern, 1, out=pattern)
            np.bitwise_or(pattern, atom_fires(atom, columns[atom.column]).view(np.uint8), out=pattern)
        return np.asarray(table[pattern])

    def _decide(self, bits: Array) -> Array:
        """The number of the decision for patterns of the first layer, by the units above it."""
        answers = np.asarray(self.network.evaluate(bits, signs=False)).reshape(len(bits), len(self.decisions))
        return answers.argmax(axis=1).astype(self._code_dtype)

    @property
    def _code_dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if len(self.decisions) <= 256 else np.uint16)

    def _read(self, X: Any) -> dict[str, Array]:
        return read_columns(X, self.columns, {atom.column for atom in self.comparisons if isinstance(atom, Flag)})

    def fired(self, row: Mapping[str, Any]) -> tuple[dict[str, bool], Array]:
        """For one row: which units fired, by name, and the pattern of the first layer."""
        columns = self._read(one_row(row, self.columns))
        first = {atom.name: bool(atom_fires(atom, columns[atom.column])[0]) for atom in self.comparisons}
        bits = np.array([list(first.values())], dtype=np.uint8)
        above = {name: bool(values[0]) for name, values in self.network.activity(bits).items()}
        return {**first, **above}, bits

    def to_state(self) -> dict[str, Any]:
        """For a model file: the rules as text."""
        return {"rules": [rule.text for rule in self.rules]}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> RuleNetwork:
        checked("RuleNetwork", state, {"rules": items(text)})
        return cls(RuleText(";\n".join(state["rules"])).read())


def _different_from(taken: set[str], wanted: Sequence[str]) -> list[str]:
    """The wanted names, with underscores behind those that are taken."""
    chosen: list[str] = []
    for name in wanted:
        while name in taken or name in chosen:
            name += "_"
        chosen.append(name)
    return chosen


_NEVER = ThresholdUnit([], -HALF, ())


def _all_of(literals: Sequence[tuple[Any, bool]]) -> ThresholdUnit:
    """Fires when all literals hold; always, if there are none."""
    chosen = dict.fromkeys(literals)
    if any((source, not positive) in chosen for source, positive in chosen):
        return _NEVER
    weights = [1 if positive else -1 for _, positive in chosen]
    positive = sum(weight > 0 for weight in weights)
    return ThresholdUnit(weights, HALF - positive, tuple(str(source) for source, _ in chosen))
