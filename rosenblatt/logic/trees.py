"""Threshold units as expressions of what they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rosenblatt.logic import expression
from rosenblatt.logic.function import BooleanFunction
from rosenblatt.logic.implicants import cover, literals
from rosenblatt.logic.unit import ThresholdUnit

WIDEST = 12  # inputs of a unit that is written out as an expression


def unit_tree(unit: ThresholdUnit, trees: Mapping[str, Any]) -> Any:
    """A unit as an expression of what it reads."""
    read = [(name, weight) for name, weight in zip(unit.inputs, unit.weights, strict=True) if weight]
    parts = [trees[name] if weight > 0 else negated(trees[name]) for name, weight in read]
    needed = -Fraction(unit.bias) - sum(Fraction(w) for _, w in read if w < 0)  # of the sum of |w| over true parts
    sizes = [abs(Fraction(weight)) for _, weight in read]
    if needed <= 0:
        return expression.Constant(True)
    if needed > sum(sizes):
        return expression.Constant(False)
    if min(sizes) >= needed:
        return joined("or", parts)
    if sum(sizes) - min(sizes) < needed:
        return joined("and", parts)
    if len(read) > WIDEST:
        raise ValueError(
            f"A unit that is neither an and nor an or may have {WIDEST} inputs to be written out, but one has "
            f"{len(read)}; "
            f"print the network instead."
        )
    names = tuple(f"p{i}" for i in range(len(read)))
    f = BooleanFunction(ThresholdUnit(sizes, -needed, names))
    by_name = dict(zip(names, parts, strict=True))
    terms = []
    for cube in cover(f):  # a positive function: every literal is positive
        terms.append(joined("and", [by_name[name] for name, _ in literals(cube, names)]))
    return joined("or", terms)


def xor_tree(unit: ThresholdUnit, trees: Mapping[str, Any]) -> Any:
    """The tree of a unit that fires where one of two fires and not both; None of any other."""
    if len(unit.inputs) != 2 or unit.weights[0] != -unit.weights[1]:
        return None
    some, both = (trees[name] for name in (unit.inputs if unit.weights[0] > 0 else unit.inputs[::-1]))
    kinds = [tree.kind if isinstance(tree, expression.Operation) else "" for tree in (some, both)]
    size = abs(Fraction(unit.weights[0]))
    if kinds != ["or", "and"] or not -size <= Fraction(unit.bias) < 0:
        return None
    if len(some.operands) != 2 or {*map(id, some.operands)} != {*map(id, both.operands)}:
        return None
    parts: list[Any] = []
    for part in some.operands:
        inner = isinstance(part, expression.Operation) and part.kind == "xor"
        parts += part.operands if inner else [part]
    return expression.Operation("xor", tuple(parts))


def count_names(trees: Mapping[str, Any], outputs: Sequence[str]) -> int:
    """How many names the outputs would be written with; parts that they share are counted each time."""
    counted: dict[int, int] = {}
    for tree in trees.values():
        waiting = [tree]
        while waiting:
            last = waiting[-1]
            parts = last.operands if isinstance(last, expression.Operation) else ()
            missing = [part for part in parts if id(part) not in counted]
            if missing:
                waiting += missing
                continue
            counted[id(last)] = sum(counted[id(part)] for part in parts) or 1
            waiting.pop()
    return sum(counted[id(trees[name])] for name in outputs)


def negated(tree: Any) -> Any:
    if isinstance(tree, expression.Operation) and tree.kind == "not":
        return tree.operands[0]
    if isinstance(tree, expression.Constant):
        return expression.Constant(not tree.value)
    return expression.Operation("not", (tree,))


def joined(kind: str, parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else expression.Operation(kind, tuple(parts))
