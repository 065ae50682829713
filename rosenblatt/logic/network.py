"""Networks of threshold units: evaluation in bulk, composition, and the way back to an expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import mapping, names_in, shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.logic import expression
from rosenblatt.logic.function import assignments, check_names, check_size, truth_table
from rosenblatt.logic.ordering import in_order, levels
from rosenblatt.logic.trees import count_names, unit_tree, xor_tree
from rosenblatt.logic.unit import BLOCK, Bits, ThresholdUnit, by_name, fires
from rosenblatt.stored import checked, instance, items, text
from rosenblatt.stored import mapping as map_of
from rosenblatt.wording import counted

LONG, LONGEST = 1_000, 20_000  # names in an expression
DEEPEST = 100  # units one after another in an expression


class ThresholdNetwork:
    """A network of threshold units without loops (lecture row L24).

    Parameters
    ----------
    inputs : names of the inputs
    units : mapping from a name to a `ThresholdUnit`
        The names of a unit's inputs say what it reads: inputs of the network, or other units.
    outputs : names of the units (or inputs) whose values are the answer

    Attributes
    ----------
    inputs, units, outputs
        Units in an order in which each reads only what stands before it.
    depth : int
        The largest number of units on a way from an input to an output.
    n_units, n_hidden : int
        All units, and those that are not outputs.

    Examples
    --------
    Xor is no single unit, but two hidden units and an output compute it:

    >>> from rosenblatt import ThresholdNetwork
    >>> xor = ThresholdNetwork.from_function("a ^ b")
    >>> xor
    ThresholdNetwork: 2 inputs, 3 units in 2 layers, 1 output
      h1   a + b >= 0.5
      h2   a + b >= 1.5
      out  h1 - h2 >= 0.5
    >>> xor([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0, 1, 1, 0]
    >>> xor.to_expression()
    '(a | b) & ~(a & b)'
    >>> ThresholdNetwork.from_function("a ^ b ^ c ^ d ^ e ^ f ^ g ^ h", depth=None).n_units
    4
    """

    def __init__(self, inputs: Any, units: Mapping[str, ThresholdUnit], outputs: Any) -> None:
        self.inputs = check_names(inputs)
        self.units = in_order(self.inputs, mapping("units", units, "{'out': ThresholdUnit.or_(2)}"))
        self.outputs = names_in("outputs", outputs)
        for name in self.outputs:
            if name not in self.units and name not in self.inputs:
                raise ValueError(f"outputs must name units or inputs, but there is no {name!r}; correct the name.")
        if not self.outputs or len(set(self.outputs)) != len(self.outputs):
            raise ValueError(
                f"outputs must be one or more different names, but got {shortened(self.outputs)}; pass each once."
            )
        self.level = levels(self.inputs, self.units)

    # ---------------------------------------------------------------------------------------- making one

    @classmethod
    def from_function(cls, function: Any, inputs: Any = None, *, depth: int | None = 2) -> ThresholdNetwork:
        """A small network that computes a Boolean function exactly.

        Parameters
        ----------
        function : a truth table, a predicate, an expression, a unit or a network
        inputs : names of the inputs, in order
        depth : the most layers; None is any number, where the smallest network found may be deeper

        The smallest of what is tried: one unit; a function of the number of inputs that are on, with a unit for every
        change of its answer (parity of n: n hidden units); prime implicants of the function or its complement; the
        gates of the expression, if it came as one and they are not deeper; and with more depth, the digits of that
        number (parity of n: 1 + log2 n units).
        """
        from rosenblatt.logic.building import smallest

        return smallest(function, inputs, depth)

    @classmethod
    def from_expression(cls, text: Any, inputs: Any = None) -> ThresholdNetwork:
        """The gates of an expression as they are written, for any number of inputs."""
        from rosenblatt.logic.building import gates

        return gates(text, inputs)

    @classmethod
    def join(cls, parts: Mapping[str, Any], inputs: Any = None) -> ThresholdNetwork:
        """One network with several outputs: a name for each, and a network or a function that computes it.

        Inputs with the same name are the same input.
        """
        made = {name: _network(part) for name, part in mapping("parts", parts, "{'sum': 'a ^ b'}").items()}
        if inputs is None:
            inputs = tuple(dict.fromkeys(name for network in made.values() for name in network.inputs))
        book = _Book(check_names(inputs))
        taken = set(made)
        for name, network in made.items():
            if len(network.outputs) != 1:
                raise ValueError(f"Each part must have one output, but {name!r} has {len(network.outputs)}; split it.")
            unknown = [i for i in network.inputs if i not in book.inputs]
            if unknown:
                raise ValueError(f"Parts may use the inputs {book.inputs}, but {name!r} uses {unknown[0]!r}; add it.")
            book.add(network, {i: i for i in network.inputs}, {network.outputs[0]: name}, taken)
        return cls(book.inputs, book.units, tuple(parts))

    # ------------------------------------------------------------------------------------------- answers

    def evaluate(self, rows: Any, signs: bool | None = None) -> Any:
        """The outputs for every row of 0/1 (or -1/+1): one number per row for one output, else a column for each."""
        bits = Bits(rows, self.inputs, signs)
        values = self._values(bits.values, self.outputs)
        return bits.answer(values[:, 0] if len(self.outputs) == 1 else values)

    def __call__(self, *rows: Any, signs: bool | None = None) -> Any:
        if len(rows) == len(self.inputs) and all(np.ndim(row) == 0 and by_name(row) is None for row in rows):
            return self.evaluate(np.array(rows), signs)
        if len(rows) != 1:
            raise ValueError(
                f"Pass rows, or {counted(len(self.inputs), 'value')}, one for each input, but not {len(rows)}."
            )
        return self.evaluate(rows[0], signs)

    def activity(self, rows: Any) -> dict[str, Array]:
        """For every unit, whether it fires on each row."""
        bits = Bits(rows, self.inputs)
        values = self._values(bits.values, tuple(self.units))
        return {name: values[:, i] for i, name in enumerate(self.units)}

    def _values(self, bits: Array, wanted: Sequence[str]) -> Array:
        result = np.empty((len(bits), len(wanted)), dtype=np.uint8)
        for start in range(0, len(bits), BLOCK):
            block = np.empty((min(BLOCK, len(bits) - start), len(self.inputs) + len(self.units)), dtype=np.uint8)
            block[:, : len(self.inputs)] = bits[start : start + BLOCK]
            for columns, units, places in self._layers():
                block[:, places] = fires(units, block[:, columns])
            result[start : start + BLOCK] = block[:, [self._place[name] for name in wanted]]
        return result

    @property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate([*self.inputs, *self.units])}

    def _layers(self) -> list[tuple[list[int], list[ThresholdUnit], list[int]]]:
        """For each level: the columns that its units read, the units widened to these columns, and their own."""
        if self.__dict__.get("_made_of") != list(self.units.items()):  # new, or its units were edited
            self.units = in_order(self.inputs, dict(self.units))
            self.level = levels(self.inputs, self.units)
            self._made_of = list(self.units.items())
            place, layers = self._place, []
            for level in range(1, max(self.level.values(), default=0) + 1):
                names = [name for name in self.units if self.level[name] == level]
                read = list(dict.fromkeys(source for name in names for source in self.units[name].inputs))
                units = [widened(self.units[name], tuple(read)) for name in names]
                layers.append(([place[name] for name in read], units, [place[name] for name in names]))
            self._cached_layers = layers
        return self._cached_layers

    @property
    def table(self) -> Array:
        """The answers for all assignments in the order of a truth table: bool, a column for each of several outputs."""
        check_size(len(self.inputs))
        values = self._values(assignments(len(self.inputs)), self.outputs).astype(bool)
        return values[:, 0] if len(self.outputs) == 1 else values

    def truth_table(self) -> str:
        """The truth table as text."""
        table = self.table.reshape(-1, len(self.outputs))
        return truth_table(self.inputs, {name: table[:, i] for i, name in enumerate(self.outputs)})

    # ----------------------------------------------------------------------------------------- its shape

    @property
    def n_units(self) -> int:
        return len(self.units)

    @property
    def n_hidden(self) -> int:
        return sum(name not in self.outputs for name in self.units)

    @property
    def depth(self) -> int:
        return max((self.level[name] for name in self.outputs), default=0)

    def layered(self) -> ThresholdNetwork:
        """The same network with every unit reading only the layer before it: values that skip a layer get units."""
        units: dict[str, ThresholdUnit] = {}
        carried: dict[tuple[str, int], str] = {}

        def at(name: str, level: int) -> str:
            if self.level[name] == level:
                return name
            if (name, level) not in carried:
                new = f"{name}@{level}"
                units[new] = ThresholdUnit([1], Fraction(-1, 2), (at(name, level - 1),))
                carried[name, level] = new
            return carried[name, level]

        for name, unit in self.units.items():
            units[name] = renamed(unit, [at(source, self.level[name] - 1) for source in unit.inputs])
        return ThresholdNetwork(self.inputs, units, [at(name, self.depth) for name in self.outputs])

    def output(self, name: str) -> ThresholdNetwork:
        """The part of the network that one output needs."""
        if not isinstance(name, str) or (name not in self.units and name not in self.inputs):
            raise ValueError(f"There must be a unit {name!r}, but there are {', '.join(self.units)}; choose one.")
        needed = {name}
        for other in reversed(self.units):
            if other in needed:
                needed |= set(self.units[other].inputs)
        return ThresholdNetwork(self.inputs, {n: u for n, u in self.units.items() if n in needed}, (name,))

    # --------------------------------------------------------------------------------------- composition

    def of(self, **parts: Any) -> ThresholdNetwork:
        """Put networks, units or functions in the place of inputs; a text that is a name renames the input.

        >>> xor = ThresholdNetwork.from_function("a ^ b")
        >>> xor.of(a="x & y", b="z").to_expression()
        '((x & y) | z) & ~((x & y) & z)'
        """
        unknown = [name for name in parts if name not in self.inputs]
        if unknown:
            raise ValueError(
                f"The inputs are {', '.join(self.inputs)}, but got {shortened(unknown[0])}; correct the name."
            )
        made = {name: _network(part) for name, part in parts.items()}
        own = {name: made[name].inputs if name in made else (name,) for name in self.inputs}
        book = _Book(tuple(dict.fromkeys(name for names in own.values() for name in names)))
        sources = {name: name for name in self.inputs if name not in made}
        for name, network in made.items():
            if len(network.outputs) != 1:
                raise ValueError(
                    f"An input takes one output, but the part for {name!r} has {len(network.outputs)}; split it."
                )
            sources[name] = book.add(network, {i: i for i in network.inputs}, {}, set(self.outputs))[network.outputs[0]]
        places = book.add(self, sources, {name: name for name in self.outputs if name in self.units}, set())
        return ThresholdNetwork(book.inputs, book.units, [places[name] for name in self.outputs])

    def __rshift__(self, after: Any) -> ThresholdNetwork:
        """This network's outputs, in order, as the inputs of the next."""
        after = _network(after)
        if len(self.outputs) != len(after.inputs):
            raise ValueError(
                f"The first network must have as many outputs as the second has inputs, but they have "
                f"{len(self.outputs)} and {len(after.inputs)}; choose others."
            )
        book = _Book(self.inputs)
        places = book.add(self, {i: i for i in self.inputs}, {}, set(after.outputs))
        sources = {i: places[o] for i, o in zip(after.inputs, self.outputs, strict=True)}
        keep = {name: name for name in after.outputs if name in after.units}
        places = book.add(after, sources, keep, set())
        return ThresholdNetwork(book.inputs, book.units, [places[name] for name in after.outputs])

    # ------------------------------------------------------------------------------------------ in words

    def to_expression(self) -> Any:
        """What it computes as an expression, unit by unit; for several outputs a dict of expressions.

        Where that has more than 1,000 names, two units and an output that make xor are written as one.
        """
        trees = self._trees(lambda unit, trees: unit_tree(unit, trees))
        if count_names(trees, self.outputs) > LONG:
            trees = self._trees(lambda unit, trees: xor_tree(unit, trees) or unit_tree(unit, trees))
        size = count_names(trees, self.outputs)
        if size > LONGEST or self.depth > DEEPEST:
            raise ValueError(
                f"An expression may have {LONGEST:,} names and {DEEPEST} levels, but this network's would have "
                f"{size:,} and {self.depth}; print the network, or a part of it with output(name)."
            )
        if len(self.outputs) == 1:
            return str(trees[self.outputs[0]])
        return {name: str(trees[name]) for name in self.outputs}

    def _trees(self, write: Any) -> dict[str, Any]:
        trees: dict[str, Any] = {name: expression.Name(name) for name in self.inputs}
        for name, unit in self.units.items():
            trees[name] = write(unit, trees)
        return trees

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ThresholdNetwork) and (self.inputs, self.units, self.outputs) == (
            other.inputs,
            other.units,
            other.outputs,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        title = (
            f"ThresholdNetwork: {counted(len(self.inputs), 'input')}, {counted(self.n_units, 'unit')} in "
            f"{counted(self.depth, 'layer')}, {counted(len(self.outputs), 'output')}"
        )
        shown = list(self.units.items())[:40]
        width = max((len(name) for name, _ in shown), default=0)
        lines = [f"  {name:{width}}  {unit}" for name, unit in shown]
        return "\n".join([title, *lines, *(["  …"] if len(self.units) > 40 else [])])

    # ------------------------------------------------------------------------------------------------------ helpers

    def to_state(self) -> dict[str, Any]:
        """For a model file."""
        return {"inputs": list(self.inputs), "units": dict(self.units), "outputs": list(self.outputs)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> ThresholdNetwork:
        units = map_of(text, instance(ThresholdUnit))
        checked("ThresholdNetwork", state, {"inputs": items(text), "units": units, "outputs": items(text)})
        return cls(tuple(state["inputs"]), state["units"], tuple(state["outputs"]))


def renamed(unit: ThresholdUnit, sources: Sequence[str]) -> ThresholdUnit:
    """The unit with other sources; weights of a source that appears twice are added."""
    total: dict[str, Fraction] = {}
    for name, weight in zip(sources, unit.weights, strict=True):
        total[name] = total.get(name, Fraction(0)) + Fraction(weight)
    return ThresholdUnit(list(total.values()), unit.bias, tuple(total))


def widened(unit: ThresholdUnit, inputs: tuple[str, ...]) -> ThresholdUnit:
    """The unit as one that reads all these inputs, with weight 0 for those that it does not read."""
    weights = dict(zip(unit.inputs, unit.weights, strict=True))
    return ThresholdUnit([weights.get(name, 0) for name in inputs], unit.bias, inputs)


def _network(part: Any) -> ThresholdNetwork:
    if isinstance(part, ThresholdNetwork):
        return part
    if isinstance(part, ThresholdUnit):
        return ThresholdNetwork(part.inputs, {"out": part}, ("out",))
    if isinstance(part, str) and expression.PLAIN_NAME.fullmatch(part):
        return ThresholdNetwork((part,), {}, (part,))
    return ThresholdNetwork.from_function(part)


class _Book:
    """Units of several networks under names that do not clash."""

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs
        self.units: dict[str, ThresholdUnit] = {}

    def add(
        self, network: ThresholdNetwork, sources: Mapping[str, str], names: Mapping[str, str], taken: set[str]
    ) -> dict[str, str]:
        """Add a network whose inputs are `sources`; returns under which names its values are found."""
        places = dict(sources)
        for old, unit in network.units.items():
            new = names.get(old) or self._free(old, taken)
            self.units[new] = renamed(unit, [places[name] for name in unit.inputs])
            places[old] = new
        for old, new in names.items():  # an output that is an input itself needs a unit to carry its name
            if old in network.inputs:
                self.units[new] = ThresholdUnit([1], Fraction(-1, 2), (places[old],))
        return places

    def _free(self, name: str, taken: set[str]) -> str:
        used = {*self.inputs, *self.units, *taken}
        stem, number = name, 1
        while name in used:
            number += 1
            name = f"{stem}_{number}"
        return name
