"""Machines of threshold units with a delay: McCulloch and Pitts's nets with circles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arguments import mapping, names_in, shortened, yes_or_no
from rosenblatt.engine.online.state import Array
from rosenblatt.logic.function import assignments, refuse_masked
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.unit import Bits, ThresholdUnit, by_name
from rosenblatt.stored import bit, checked, instance, items, text
from rosenblatt.stored import mapping as map_of
from rosenblatt.wording import counted

TABLED = 14  # inputs and memories up to which many steps go by a table


class ThresholdMachine:
    """A network whose units remember: at each step it reads its inputs and what it remembers, and then updates it.

    Parameters
    ----------
    network : ThresholdNetwork
        Its inputs are the machine's inputs and its memories.
    delays : mapping from a memory, one of the network's inputs, to the unit whose value it has one step later
    outputs : names of the units (or memories) that are seen from outside
        The network's outputs if not given.
    start : mapping from memories to 0 or 1
        What is remembered at the start; 0 if not given.

    Attributes
    ----------
    inputs : tuple of str
        The inputs from outside.
    state : dict
        What is remembered now.

    Examples
    --------
    A unit that, once lit, stays lit: it reads itself.

    >>> from rosenblatt import ThresholdMachine, ThresholdUnit
    >>> latch = ThresholdMachine.from_units(["x"], {"lit": ThresholdUnit([1, 1], -0.5, ("x", "lit"))})
    >>> [latch.step(x) for x in (0, 1, 0, 0)]
    [0, 1, 1, 1]
    """

    def __init__(
        self,
        network: ThresholdNetwork,
        delays: Mapping[str, str],
        outputs: Any = None,
        start: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(network, ThresholdNetwork):
            raise TypeError(
                f"A machine is made of a ThresholdNetwork, but got {type(network).__name__}; pass a network."
            )
        self.network, self.delays = network, mapping("delays", delays, "{'memory': 'unit'}")
        self.outputs = network.outputs if outputs is None else names_in("outputs", outputs)
        for memory, source in self.delays.items():
            if memory not in network.inputs:
                raise ValueError(f"A memory must be an input of the network, but {memory!r} is none; correct the name.")
            if source not in network.units and source not in network.inputs:
                raise ValueError(f"A delay must read a unit or an input, but there is no {source!r}; correct the name.")
        for name in self.outputs:
            if name not in network.units and name not in network.inputs:
                raise ValueError(f"outputs must name units or memories, but there is no {name!r}; correct the name.")
        self.inputs = tuple(name for name in network.inputs if name not in self.delays)
        self.start = dict.fromkeys(self.delays, 0)
        for name, value in mapping("start", {} if start is None else start, "{'memory': 1}").items():
            if name not in self.start or not isinstance(value, int | np.integer | np.bool_) or value not in (0, 1):
                raise ValueError(
                    f"start gives memories 0 or 1, but got {shortened(name)}: {shortened(value)}; name a memory."
                )
            self.start[name] = int(value)
        self._made: Any = None
        self.reset()

    @classmethod
    def from_units(
        cls,
        inputs: Any,
        units: Mapping[str, ThresholdUnit],
        outputs: Any = None,
        start: Mapping[str, Any] | None = None,
    ) -> ThresholdMachine:
        """McCulloch and Pitts's own form: every unit takes one step, and reads inputs and units as they were before it.

        The units' names say what they read; they may read each other and themselves.
        """
        inputs, units = names_in("inputs", inputs), mapping("units", units, "{'out': ThresholdUnit.or_(2)}")
        next_ = {f"{name}'": unit for name, unit in units.items()}
        network = ThresholdNetwork((*inputs, *units), next_, tuple(next_))
        seen = tuple(units) if outputs is None else names_in("outputs", outputs)
        return cls(network, {name: f"{name}'" for name in units}, [f"{name}'" for name in seen], start)

    @property
    def _network(self) -> ThresholdNetwork:
        """The network with all that a step must know as its outputs."""
        units = list(self.network.units.items())
        if self._made is None or self._made[0] != units:  # new, or its units were edited
            read = dict.fromkeys([*self.outputs, *self.delays.values()])
            self._made = units, ThresholdNetwork(self.network.inputs, self.network.units, tuple(read))
        network: ThresholdNetwork = self._made[1]
        return network

    def reset(self) -> None:
        """Go back to the start."""
        self.state = dict(self.start)

    def step(self, *row: Any, **named: Any) -> Any:
        """Read one row of inputs (values in order, one row, or by name), and give the outputs of this step."""
        values, network = self._row(row, named), self._network
        answers = network.evaluate(np.array([[{**values, **self.state}[n] for n in self.network.inputs]]), signs=False)
        seen = dict(zip(network.outputs, np.ravel(answers).tolist(), strict=True))
        self.state = {memory: seen[source] for memory, source in self.delays.items()}
        result = [seen[name] for name in self.outputs]
        return result[0] if len(result) == 1 else tuple(result)

    def run(self, rows: Any, *, reset: bool = True) -> Array:
        """The outputs of one step for each row, one column for each output; from the start, unless `reset` is False."""
        yes_or_no(reset=reset)
        if reset:
            self.reset()
        if isinstance(rows, int) and not self.inputs:
            rows = np.empty((rows, 0), dtype=np.uint8)
        if not (hasattr(rows, "to_numpy") and hasattr(rows, "columns")):  # a frame's columns are found by their names
            rows = np.asanyarray(rows)  # a mask is kept, to be refused
            if rows.ndim == 1 and len(self.inputs) == 1:
                rows = rows[:, None]
            if rows.ndim != 2:
                raise ValueError(
                    f"rows must be a table with the columns {', '.join(self.inputs)}, but got {rows.ndim} axes; "
                    f"pass a list of rows."
                )
        bits = Bits(rows, self.inputs).values
        if len(self.network.inputs) <= TABLED:
            return self._look_up(bits)
        answers = [np.atleast_1d(self.step(row)) for row in bits]
        return np.array(answers, dtype=np.uint8).reshape(len(rows), len(self.outputs))

    def _look_up(self, bits: Array) -> Array:
        """Steps by a table: what is remembered and seen after every row of inputs in every state."""
        names, memories = self.network.inputs, list(self.delays)
        network = self._network
        values = network.evaluate(assignments(len(names)), signs=False)
        answers = dict(zip(network.outputs, values.reshape(len(values), -1).T, strict=True))
        digit = {name: 1 << (len(names) - 1 - i) for i, name in enumerate(names)}
        following = np.zeros(len(values), dtype=np.int64)
        for memory, source in self.delays.items():
            following += answers[source].astype(np.int64) * digit[memory]
        inputs = (bits.astype(np.int64) @ np.array([digit[name] for name in self.inputs], dtype=np.int64)).tolist()
        state, visited, after = sum(self.state[name] * digit[name] for name in memories), [], following.tolist()
        for row in inputs:
            visited.append(row + state)
            state = after[row + state]
        self.state = {name: int(state & digit[name] > 0) for name in memories}
        seen = np.column_stack([answers[name] for name in self.outputs]).astype(np.uint8)
        return seen[np.array(visited, dtype=np.int64)].reshape(len(bits), len(self.outputs))

    def __eq__(self, other: object) -> bool:
        """The same network, delays, outputs and start; what is remembered now may differ."""
        return isinstance(other, ThresholdMachine) and (self.network, self.delays, self.outputs, self.start) == (
            other.network,
            other.delays,
            other.outputs,
            other.start,
        )

    __hash__ = None  # type: ignore[assignment]

    def _row(self, row: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, int]:
        if named and row:
            raise ValueError("Pass a step's inputs in order or by name, but not both; choose one.")
        if named:
            if set(named) != set(self.inputs):
                raise ValueError(
                    f"A step reads {', '.join(self.inputs)}, but got {', '.join(named)}; pass these inputs."
                )
            row = tuple(named[name] for name in self.inputs)
        elif len(row) == 1 and (by_its_names := by_name(row[0])) is not None:
            return self._row((), by_its_names)
        elif len(row) == 1 and np.ndim(row[0]) == 1:
            refuse_masked(row[0], "A step's inputs")
            row = tuple(np.asarray(row[0]).tolist())
        if len(row) != len(self.inputs):
            raise ValueError(
                f"A step reads {len(self.inputs)} input{'s' * (len(self.inputs) != 1)} "
                f"({', '.join(self.inputs) or 'none'}), "
                f"but got {len(row)}; pass one value for each."
            )
        if not row:
            return {}
        bits = Bits(np.array([row]), self.inputs).values[0]
        return dict(zip(self.inputs, bits.tolist(), strict=True))

    def __repr__(self) -> str:
        lines = [f"  {memory} after a step is {source}" for memory, source in self.delays.items()]
        units = repr(self.network).splitlines()[1:]
        return "\n".join(
            [
                f"ThresholdMachine: {counted(len(self.inputs), 'input')}, {counted(self.network.n_units, 'unit')}, "
                f"{counted(len(self.delays), 'delay')}, state {''.join(map(str, self.state.values()))}",
                *units,
                *lines,
            ]
        )

    def to_state(self) -> dict[str, Any]:
        """For a model file, with what the machine remembers."""
        state = {name: int(value) for name, value in self.state.items()}
        return {"network": self.network, "delays": self.delays, "outputs": list(self.outputs), "start": self.start,
                "state": state}  # fmt: skip

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> ThresholdMachine:
        kinds = {"network": instance(ThresholdNetwork), "delays": map_of(text, text), "outputs": items(text),
                 "start": map_of(text, bit), "state": map_of(text, bit)}  # fmt: skip
        checked("ThresholdMachine", state, kinds)
        machine = cls(state["network"], state["delays"], tuple(state["outputs"]), state["start"])
        if set(state["state"]) != set(machine.state):
            raise ValueError("ThresholdMachine: its state does not belong to its memories")
        machine.state = state["state"]
        return machine
