"""Rules that can never match, and rules that contradict each other: looked for when rules are read."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic import expression
from rosenblatt.logic.comparisons import Comparison, Flag, Rule, atoms_of
from rosenblatt.logic.expression import Constant, Operation
from rosenblatt.logic.rules import RuleNetwork, RuleWarning

CELLS = 1 << 20  # pieces of the space of rows that are all looked at
SHOWN = 8  # columns of an example
NODES = 100_000  # of the search, where there are more pieces

Condition = tuple[Any, bool]  # a tree, and whether it should hold
Box = dict[str, tuple[int, int]]  # the first and the last piece of every column


def look_for_trouble(network: RuleNetwork) -> None:
    """Warn of rules that never match, and of rules that contradict each other.

    The levels of a column cut its numbers into pieces: each level and what lies between. A row of pieces stands for all
    rows within. A later rule that holds everywhere an earlier one does is the usual exception-first order and no
    contradiction; two rules of different decisions that overlap in part are one (the "correlation" of Al-Shaer and
    Hamed, 2004, for firewall rules).
    """
    rules = network.rules
    last = len(rules) - 1 if isinstance(rules[-1].condition, Constant) and rules[-1].condition.value else len(rules)
    whole = _Pieces(network.comparisons)
    if whole.size > CELLS:
        _search_for_trouble(rules, last, whole)
        return
    holds = [whole.holds(rule.condition) for rule in rules]
    free = np.ones(whole.size, dtype=bool)
    never = set()
    for number, here in enumerate(holds):
        if not (here & free).any():
            never.add(number)
            _warn_never(rules, number, [i for i in range(number) if (holds[i] & here).any()], bool(here.any()))
        free = free & ~here
    clashes = []
    for i, j in itertools.combinations([i for i in range(last) if i not in never], 2):
        both = holds[i] & holds[j]
        if rules[i].decision != rules[j].decision and both.any() and (holds[i] & ~holds[j]).any():
            clashes.append((i, j, whole.example(int(np.argmax(both)))))
    _warn_contradictions(rules, clashes)


def _search_for_trouble(rules: Sequence[Rule], last: int, whole: _Pieces) -> None:
    """The same questions where there are too many pieces to look at them all."""
    search, unknown, never = _Search(whole), [], set()
    for number, rule in enumerate(rules):
        own: Condition = (rule.condition, True)
        try:
            if search.find([own, *((rules[i].condition, False) for i in range(number))]) is None:
                never.add(number)
                before = [i for i in range(number) if search.find([own, (rules[i].condition, True)]) is not None]
                _warn_never(rules, number, before, bool(before) or search.find([own]) is not None)
        except _GaveUpError:
            unknown.append(number)
    clashes, skipped = [], 0
    for i, j in itertools.combinations([i for i in range(last) if i not in never], 2):
        if rules[i].decision == rules[j].decision:
            continue
        first, second = rules[i].condition, rules[j].condition
        try:
            both = search.find([(first, True), (second, True)])
            if both is not None and search.find([(first, True), (second, False)]) is not None:
                clashes.append((i, j, whole.words(search.told_apart(both))))
        except _GaveUpError:
            skipped += 1
    _warn_contradictions(rules, clashes)
    if unknown or skipped:
        warnings.warn(
            f"There are too many cases to look at: {len(unknown)} of {len(rules)} rules were not checked for whether "
            f"they can match, and {skipped} pairs not for contradictions; the decisions are right all the same.",
            RuleWarning,
            stacklevel=4,
        )


class _GaveUpError(Exception):
    """The search has looked at as many cases as it may."""


class _Search:
    """Looks for a row that makes conditions hold or fail, by cutting columns in two until each condition is decided."""

    def __init__(self, pieces: _Pieces) -> None:
        self.pieces, self.left = pieces, NODES

    def find(self, conditions: list[Condition]) -> Box | None:
        """A box of rows that are all as wanted, or None if there is no such row."""
        whole = {column: (0, count - 1) for column, count in zip(self.pieces.levels, self.pieces.counts, strict=True)}
        waiting: list[tuple[Box, list[Condition]]] = [(whole, conditions)]
        while waiting:
            box, conditions = waiting.pop()
            self.left -= 1
            if self.left < 0:
                raise _GaveUpError
            undecided, atom = [], None
            for tree, wanted in conditions:
                value, open_atom = self._value(tree, box)
                if value is None:
                    undecided.append((tree, wanted))
                    atom = atom or open_atom
                elif value != wanted:
                    break
            else:
                if atom is None:
                    return box
                (low, high), cut = box[atom.column], self._cut(atom)
                waiting.append(({**box, atom.column: (low, cut - 1)}, undecided))
                waiting.append(({**box, atom.column: (cut, high)}, undecided))
        return None

    def told_apart(self, box: Box) -> dict[str, int]:
        """One piece of each column that the search had to look at."""
        counts = dict(zip(self.pieces.levels, self.pieces.counts, strict=True))
        return {column: low for column, (low, high) in box.items() if high - low + 1 < counts[column]}

    def _cut(self, atom: Any) -> int:
        """The first piece from which on the atom has another value."""
        if isinstance(atom, Flag):
            return 1
        place = self.pieces.place(atom)
        return place + 1 if atom.most else place

    def _value(self, tree: Any, box: Box) -> tuple[bool | None, Any]:
        """Whether the condition holds in all of the box, in none of it, or (None) it depends, and on which atom."""
        if isinstance(tree, Constant):
            return tree.value, None
        if not isinstance(tree, Operation):
            (low, high), cut = box[tree.column], self._cut(tree)
            above = low >= cut if low >= cut or high < cut else None
            falling = isinstance(tree, Comparison) and tree.most
            return (None, tree) if above is None else (above != falling, None)
        if tree.kind == "not":
            value, atom = self._value(tree.operands[0], box)
            return (None if value is None else not value), atom
        found, odd = None, False
        for part in tree.operands:
            value, atom = self._value(part, box)
            if value is None:
                found = found or atom
            elif tree.kind == "xor":
                odd ^= value
            elif value == (tree.kind == "or"):
                return value, None
        if found is not None:
            return None, found
        return (odd if tree.kind == "xor" else tree.kind == "and"), None


def _warn_never(rules: Sequence[Rule], number: int, before: list[int], alone: bool) -> None:
    if alone:
        listed = " and ".join(str(i + 1) for i in before)
        why = f"wherever it holds, rule{'s' * (len(before) > 1)} {listed} decide{'s' * (len(before) == 1)} first"
    else:
        why = "its condition contradicts itself"
    warnings.warn(
        f"Rule {number + 1} ({rules[number].text}) can never match: {why}; correct it or leave it out.",
        RuleWarning,
        stacklevel=4,
    )


def _warn_contradictions(rules: Sequence[Rule], clashes: list[tuple[int, int, str]]) -> None:
    """One warning, about the first pair; it says how many others there are."""
    if not clashes:
        return
    i, j, example = clashes[0]
    others = len(clashes) - 1
    more = "" if not others else f" (and {others} other pair{'s' * (others > 1)} of rules)"
    warnings.warn(
        f"Rules {i + 1} and {j + 1} contradict each other where {example}{more}: one decides {rules[i].decision!r}, "
        f"the other {rules[j].decision!r}; the first wins there, so make sure that it should.",
        RuleWarning,
        stacklevel=4,
    )


class _Pieces:
    """All combinations of pieces of the columns: values that stand for every row there is."""

    def __init__(self, atoms: Sequence[Any]) -> None:
        levels: dict[str, list[Any]] = {}
        for atom in dict.fromkeys(atoms):
            levels.setdefault(atom.column, [])
            if isinstance(atom, Comparison):
                levels[atom.column].append(atom.level)
        # Pieces are numbered 0 … 2k: even ones lie between levels, odd ones are levels.
        self.levels = {column: sorted(set(own)) for column, own in levels.items()}
        self.counts = [2 * len(own) + 1 if own else 2 for own in self.levels.values()]
        self.size = math.prod(self.counts)
        self.axis = {column: i for i, column in enumerate(self.levels)}

    def holds(self, condition: Any) -> Array:
        values = {atom: self._atom(atom) for atom in atoms_of(condition)}
        answer = expression.evaluate(condition, values)
        return np.ravel(np.broadcast_to(answer, self.counts))

    def _atom(self, atom: Any) -> Array:
        axis = self.axis[atom.column]
        pieces = np.arange(self.counts[axis])
        if isinstance(atom, Flag):
            answer = pieces == 1
        else:
            place = self.place(atom)
            answer = pieces <= place if atom.most else pieces >= place
        shape = [1] * len(self.counts)
        shape[axis] = -1
        return np.asarray(answer).reshape(shape)

    def place(self, atom: Comparison) -> int:
        """The piece that the level of a comparison is."""
        return 2 * self.levels[atom.column].index(atom.level) + 1

    def example(self, cell: int) -> str:
        """A row of pieces in words."""
        places = np.unravel_index(cell, self.counts) if self.counts else ()
        return self.words(dict(zip(self.levels, map(int, places), strict=True)))

    def words(self, places: dict[str, int]) -> str:
        words = []
        for column, place in places.items():
            own = self.levels[column]
            if not own:
                words.append(f"{column} is {'true' if place else 'false'}")
            elif place % 2:
                words.append(f"{column} = {own[place // 2]}")
            elif place == 0:
                words.append(f"{column} < {own[0]}")
            elif place == 2 * len(own):
                words.append(f"{column} > {own[-1]}")
            else:
                words.append(f"{own[place // 2 - 1]} < {column} < {own[place // 2]}")
        return ", ".join(words[:SHOWN]) + (", …" if len(words) > SHOWN else "")
