"""Networks for Boolean functions: what is tried, and the smallest of it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.logic import expression
from rosenblatt.logic.function import MOST_INPUTS, BooleanFunction, check_names
from rosenblatt.logic.implicants import MOST_INPUTS as MOST_FOR_IMPLICANTS
from rosenblatt.logic.implicants import cover, literals
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.one_unit import as_threshold_unit
from rosenblatt.logic.unit import ThresholdUnit

HALF = Fraction(1, 2)
SECONDS_FOR_ONE = 1.0  # to find out whether a function of many inputs is one unit


def smallest(function: Any, inputs: Any, depth: int | None) -> ThresholdNetwork:
    """The smallest network of at most `depth` layers that is tried."""
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1):
        raise ValueError(f"depth must be a number of layers, 2 or more, or None for any, but got {shortened(depth)}.")
    tree = _tree_of(function)
    many = tree is not None and len(expression.names(tree) if inputs is None else check_names(inputs)) > MOST_INPUTS
    if many:
        network = gates(tree, inputs)
        if depth is not None and network.depth > depth:
            raise ValueError(
                f"A network of at most {depth} layers is made from a truth table of at most {MOST_INPUTS} inputs, but "
                f"there are more, and the gates have {network.depth} layers; pass depth=None for these gates."
            )
        return network
    f = BooleanFunction(function, inputs)
    found = [network for network in _tries(f, tree, depth) if depth is None or network.depth <= depth]
    if not found:
        raise ValueError(
            f"No network of {depth} layer{'s' * (depth != 1)} was found for this function; pass depth=2 or more."
        )
    return min(found, key=lambda network: (network.n_units, network.depth))


def _tree_of(function: Any) -> Any:
    if isinstance(function, str) and not set(function.strip()) <= {"0", "1"}:
        return expression.parse(function)
    return function if isinstance(function, expression.Operation) else None


def _tries(f: BooleanFunction, tree: Any, depth: int | None) -> Iterator[ThresholdNetwork]:
    unit = as_threshold_unit(f, time_limit=None if f.n <= 8 else SECONDS_FOR_ONE)
    if isinstance(unit, ThresholdUnit):
        out = output_name(f.inputs)
        yield ThresholdNetwork(f.inputs, {out: _thin(unit)}, (out,))
        return  # nothing is smaller
    written = None if tree is None else gates(tree, f.inputs)
    if written is not None and depth is not None and written.depth > depth:
        written = None
    counting = Counting.of(f)
    if counting is not None:
        yield counting.steps()
        if depth is None or depth > 2:
            yield from counting.digits()
    if f.n <= MOST_FOR_IMPLICANTS:
        yield from sums_of_products(f)
    elif counting is None and (written is None or written.n_units > _changes(f).size):
        yield bands(f)
    if written is not None:
        yield written


def _thin(unit: ThresholdUnit) -> ThresholdUnit:
    """The unit without inputs of weight 0."""
    kept = [(weight, name) for weight, name in zip(unit.weights, unit.inputs, strict=True) if weight]
    return ThresholdUnit([weight for weight, _ in kept], unit.bias, tuple(name for _, name in kept))


# ----------------------------------------------------------------------------------------------- or of ands


def sums_of_products(f: BooleanFunction) -> Iterator[ThresholdNetwork]:
    """Prime implicants of a cover, several to a hidden unit where one can hold them, and an *or*; or, of the
    complement's, a *nor*."""
    for function, out in ((f, ThresholdUnit.or_), (~f, ThresholdUnit.nor)):
        products = [frozenset(literals(cube, f.inputs)) for cube in cover(function)]
        ladders = _grouped(products)
        names = _hidden(len(ladders), f.inputs)
        units = {name: ladder.unit(f.inputs) for name, ladder in zip(names, ladders, strict=True)}
        last = output_name(f.inputs)
        yield ThresholdNetwork(f.inputs, {**units, last: out(len(names), names)}, (last,))


Product = frozenset[tuple[str, bool]]  # inputs with the values that they must have


class Ladder:
    """An *or* of products that is a single unit by its form: a & (b | c & (d | …)), some of the letters negated.

    With g firing when a sum of at most `total` reaches `level`: the literal l of l | g gets the weight `level`, that of
    l & g the weight total - level + 1, which is added to the level.
    """

    def __init__(self, products: list[Product], weights: dict[tuple[str, bool], int], level: int) -> None:
        self.products, self.weights, self.level = products, weights, level

    @staticmethod
    def of(products: list[Product]) -> Ladder | None:
        """The ladder that these products are, if they are one; no input appears both as it is and negated."""
        found = _rungs(products)
        return None if found is None else Ladder(products, *found)

    def unit(self, inputs: tuple[str, ...]) -> ThresholdUnit:
        read = [name for name in inputs if (name, True) in self.weights or (name, False) in self.weights]
        weights = [self.weights.get((name, True), 0) - self.weights.get((name, False), 0) for name in read]
        falling = -sum(weight for weight in weights if weight < 0)
        return ThresholdUnit(weights, HALF - self.level + falling, tuple(read))


def _rungs(products: list[Product]) -> tuple[dict[tuple[str, bool], int], int] | None:
    """Weights of the literals and the level of their sum; None if the products are no ladder."""
    if len(products) == 1:
        return dict.fromkeys(products[0], 1), len(products[0])
    common = frozenset.intersection(*products)
    if common:
        inner = _rungs([product - common for product in products])
        if inner is None:
            return None
        weights, level = inner
        for literal in sorted(common):
            weights[literal] = sum(weights.values()) - level + 1
            level += weights[literal]
        return weights, level
    single = next((product for product in products if len(product) == 1), None)
    if single is None:
        return None
    inner = _rungs([product for product in products if product != single])
    if inner is None:
        return None
    weights, level = inner
    return {**weights, next(iter(single)): level}, level


def _grouped(products: list[Product]) -> list[Ladder]:
    """Each product with the first ladder that can hold it."""
    ladders: list[Ladder] = []
    for product in sorted(products, key=lambda product: (len(product), sorted(product))):
        against = {(name, not value) for name, value in product}
        for place, ladder in enumerate(ladders):
            if not against.isdisjoint(ladder.weights):
                continue  # it would rise and fall in one input
            longer = Ladder.of([*ladder.products, product])
            if longer is not None:
                ladders[place] = longer
                break
        else:
            alone = Ladder.of([product])
            assert alone is not None  # one product is always a ladder
            ladders.append(alone)
    return ladders


def output_name(inputs: tuple[str, ...]) -> str:
    """out, or with as many underscores as make it different from every input."""
    name = "out"
    while name in inputs:
        name += "_"
    return name


def _hidden(count: int, inputs: tuple[str, ...]) -> tuple[str, ...]:
    prefix = "h"
    while any(name.startswith(prefix) and name[len(prefix) :].isdigit() for name in inputs):
        prefix += "h"
    return tuple(f"{prefix}{i + 1}" for i in range(count))


# ----------------------------------------------------------------------------------------------- counting


class Counting:
    """A function of a weighted sum of its inputs: `answers[s]` where the sum is s, with weights +1, -1 and 0."""

    def __init__(self, f: BooleanFunction, signs: list[int], answers: list[bool]) -> None:
        self.f, self.answers = f, answers
        self.inputs = tuple(name for name, sign in zip(f.inputs, signs, strict=True) if sign)
        self.signs = [sign for sign in signs if sign]
        self.falling = sum(sign < 0 for sign in self.signs)  # a complement counts 1 - x

    @staticmethod
    def of(f: BooleanFunction) -> Counting | None:
        """How the function counts its inputs or their complements, if it looks at nothing but that number."""
        matters = np.flatnonzero(f.depends_on())
        if len(matters) < 2:
            return None
        first, signs = matters[0], [0] * f.n
        signs[first] = 1
        for other in matters[1:]:
            quarters = np.moveaxis(f.cube, (first, other), (0, 1))
            if np.array_equal(quarters[0, 1], quarters[1, 0]):
                signs[other] = 1
            elif np.array_equal(quarters[0, 0], quarters[1, 1]):
                signs[other] = -1
            else:
                return None
        answers, row = [], [1 if sign < 0 else 0 for sign in signs]
        for count, axis in enumerate([None, *matters.tolist()]):
            if axis is not None:
                row[axis] = 1 - row[axis]
            assert count == sum((value == 1) == (sign > 0) for value, sign in zip(row, signs, strict=True) if sign)
            answers.append(bool(f.cube[tuple(row)]))
        return Counting(f, signs, answers)

    def at_least(self, k: int) -> ThresholdUnit:
        return ThresholdUnit(self.signs, HALF - k + self.falling, self.inputs)

    def steps(self) -> ThresholdNetwork:
        """A hidden unit for every count at which the answer changes, added with alternating signs."""
        changes = [k for k in range(1, len(self.answers)) if self.answers[k] != self.answers[k - 1]]
        names = _hidden(len(changes), self.f.inputs)
        units = {name: self.at_least(k) for name, k in zip(names, changes, strict=True)}
        weights = [1 if self.answers[k] else -1 for k in changes]
        out = output_name(self.f.inputs)
        units[out] = ThresholdUnit(weights, int(self.answers[0]) - HALF, names)
        return ThresholdNetwork(self.f.inputs, units, (out,))

    def digits(self) -> Iterator[ThresholdNetwork]:
        """Where the answer is a binary digit of the count: the digits above it, the highest first, each a unit.

        W. H. Kautz (1961). The realization of symmetric switching functions with linear-input logical elements. IRE
        Transactions on Electronic Computers 10.
        """
        top = (len(self.answers) - 1).bit_length() - 1
        for digit in range(top):
            wanted = [bool(count >> digit & 1) for count in range(len(self.answers))]
            if wanted not in (self.answers, [not answer for answer in self.answers]):
                continue
            names, out = _hidden(top - digit, self.f.inputs), output_name(self.f.inputs)
            units: dict[str, ThresholdUnit] = {}
            for place, name in zip(range(top, digit - 1, -1), [*names, out], strict=True):
                above = list(units)
                weights = [*self.signs, *(-(1 << (top - i)) for i in range(len(above)))]
                units[name] = ThresholdUnit(weights, HALF - (1 << place) + self.falling, (*self.inputs, *above))
            if wanted != self.answers:
                units[out] = ~units[out]
            yield ThresholdNetwork(self.f.inputs, units, (out,))


def _changes(f: BooleanFunction) -> Array:
    """The rows of the truth table whose answer is not that of the row before."""
    return np.flatnonzero(f.table[1:] != f.table[:-1]) + 1


def bands(f: BooleanFunction) -> ThresholdNetwork:
    """A hidden unit for every row of the truth table at which the answer changes: the row read as a binary number."""
    changes = _changes(f)
    names, out = _hidden(len(changes), f.inputs), output_name(f.inputs)
    digits = [1 << (f.n - 1 - i) for i in range(f.n)]
    units = {
        name: ThresholdUnit(digits, HALF - row, f.inputs) for name, row in zip(names, changes.tolist(), strict=True)
    }
    weights = [1 if f.table[row] else -1 for row in changes]
    units[out] = ThresholdUnit(weights, int(f.table[0]) - HALF, names)
    return ThresholdNetwork(f.inputs, units, (out,))


# ----------------------------------------------------------------------------------------------- gates


def gates(function: Any, inputs: Any = None) -> ThresholdNetwork:
    """The gates of an expression: one unit for each *and*, *or*, implication, two and an output for each xor.

    A *not* costs nothing: it is a negative weight of the unit that reads it.
    """
    tree = expression.parse(function) if isinstance(function, str) else function
    if not isinstance(tree, expression.Operation | expression.Name | expression.Constant):
        raise TypeError(
            f"An expression must be a text such as 'a & b', but {shortened(function)} came; for a function in another "
            f"form, use ThresholdNetwork.from_function."
        )
    found = expression.names(tree)
    inputs = tuple(found) if inputs is None else check_names(inputs)
    unknown = [name for name in found if name not in inputs]
    if unknown:
        raise ValueError(f"An expression may use the inputs {', '.join(inputs)}, but it uses {unknown[0]!r}; add it.")
    maker = GateMaker(inputs)
    source, positive = maker.make(tree)
    out = output_name(inputs)
    units = maker.needed(source)
    if source in inputs or source is None or not positive:
        units[out] = maker.literal(source, positive)
    else:
        units[out] = units.pop(source)  # nothing that it needs reads it
    return ThresholdNetwork(inputs, units, (out,))


Literal = tuple[str | None, bool]  # the source, None for a constant; whether it is taken as it is


class GateMaker:
    """Turns trees into units, one gate after the other; the same gate is made once."""

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs
        self.units: dict[str, ThresholdUnit] = {}
        self.known: dict[Any, str] = {}

    def add(self, unit: ThresholdUnit) -> str:
        key = (unit.weights, unit.bias, unit.inputs)
        if key not in self.known:
            number = len(self.units) + 1
            while f"g{number}" in self.inputs or f"g{number}" in self.units:
                number += 1
            self.known[key] = f"g{number}"
            self.units[f"g{number}"] = unit
        return self.known[key]

    def needed(self, source: str | None) -> dict[str, ThresholdUnit]:
        """The units that a source needs, itself included; gates that cancelled out are left behind."""
        wanted = {source}
        for name in reversed(self.units):  # a gate reads only gates made before it
            if name in wanted:
                wanted.update(self.units[name].inputs)
        return {name: unit for name, unit in self.units.items() if name in wanted}

    @staticmethod
    def literal(source: str | None, positive: bool) -> ThresholdUnit:
        if source is None:
            return ThresholdUnit([], HALF if positive else -HALF, ())
        return ThresholdUnit([1 if positive else -1], -HALF if positive else HALF, (source,))

    def make(self, tree: Any) -> Literal:
        if isinstance(tree, expression.Constant):
            return None, tree.value
        if not isinstance(tree, expression.Operation):
            return self.atom(tree), True
        if tree.kind == "not":
            source, positive = self.make(tree.operands[0])
            return source, not positive
        parts = [self.make(part) for part in tree.operands]
        if tree.kind == "implies":
            return self.either([*((source, not positive) for source, positive in parts[:-1]), parts[-1]], all_=False)
        if tree.kind in ("and", "or"):
            return self.either(parts, all_=tree.kind == "and")
        result = parts[0]
        for part in parts[1:]:
            result = self.different(result, part)
        return (result[0], result[1] ^ (len(parts) % 2 == 0)) if tree.kind == "equals" else result

    def atom(self, tree: Any) -> str:
        return str(tree.name)

    def either(self, parts: list[Literal], *, all_: bool) -> Literal:
        """The and (`all_`) or the or of literals."""
        if any(source is None and positive != all_ for source, positive in parts):
            return None, not all_
        literals_ = dict.fromkeys(part for part in parts if part[0] is not None)
        if any((source, not positive) in literals_ for source, positive in literals_):
            return None, not all_
        if not literals_:
            return None, all_
        if len(literals_) == 1:
            return next(iter(literals_))
        falling = sum(not positive for _, positive in literals_)
        least = len(literals_) if all_ else 1
        weights = [1 if positive else -1 for _, positive in literals_]
        return self.add(ThresholdUnit(weights, HALF - least + falling, tuple(str(s) for s, _ in literals_))), True

    def different(self, a: Literal, b: Literal) -> Literal:
        """a xor b, with two hidden units."""
        differ = a[1] ^ b[1]
        if a[0] == b[0]:  # also when both are constants
            return None, differ
        if a[0] is None or b[0] is None:
            return a[0] or b[0], differ
        return self.xor(a[0], b[0]), not differ

    def xor(self, a: str, b: str) -> str:
        some, both = (self.add(ThresholdUnit([1, 1], level, (a, b))) for level in (-HALF, -HALF - 1))
        return self.add(ThresholdUnit([1, -1], -HALF, (some, both)))
