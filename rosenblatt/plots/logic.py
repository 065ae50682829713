"""Threshold logic, drawn: a unit's plane between corners, networks as boxes and wires, machines with loops."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.logic.comparisons import Comparison
from rosenblatt.logic.function import assignments
from rosenblatt.logic.machine import ThresholdMachine
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.rules import RuleNetwork
from rosenblatt.logic.unit import ThresholdUnit, written
from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, QUIET, axes, checked

DRAWN_WEIGHTS = 60  # wires up to which each has its weight beside it
DENSE_WEIGHTS = 12  # the same where every wire crosses others
BOX_HEIGHT, GAP = 0.56, 0.9
SCALE = 0.8  # inches of a new figure for one step of the drawing
ARROW = 0.3
LATER = (0, (4, 2))  # dashes of what arrives one step later
CUBE_LABELS = np.array([[0.0, -0.1], [0.11, -0.05], [-0.12, 0.0]])
CUBE = np.array([[1.0, 0.0], [0.45, 0.32], [0.0, 1.0]])  # where the three axes of a cube point on paper


class UnitDisplay:
    """A unit of one, two or three inputs: the corners where it fires, and its plane between them and the others.

    Parameters
    ----------
    unit : ThresholdUnit
        Of one to three inputs.

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import ThresholdUnit
    >>> from rosenblatt.plots import UnitDisplay
    >>> UnitDisplay.from_unit(ThresholdUnit.and_()).ax_.get_title()
    'x1 + x2 >= 1.5'
    """

    def __init__(self, unit: ThresholdUnit) -> None:
        if not isinstance(unit, ThresholdUnit):
            raise TypeError(f"This is the picture of a ThresholdUnit, but got {type(unit).__name__}; pass a unit.")
        if not 1 <= len(unit.inputs) <= 3:
            raise ValueError(
                f"There is a picture of units of 1 to 3 inputs, but this has {len(unit.inputs)}; use NetworkDisplay."
            )
        self.unit = unit

    @classmethod
    def from_unit(cls, unit: ThresholdUnit, *, ax: Any = None) -> Self:
        return cls(unit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        unit = self.unit
        corners = assignments(len(unit.inputs))
        if len(unit.inputs) == 3:
            self._cube(ax)
            places = corners @ CUBE
        else:
            places = np.column_stack([corners, np.zeros(len(corners))])[:, :2].astype(float)
            self._plane(ax, len(unit.inputs))
        fires = unit.table
        for value, colour, marker in ((False, NEGATIVE, "o"), (True, POSITIVE, "s")):
            rows = places[fires == value]
            label = "fires" if value else "does not fire"
            ax.scatter(*rows.T, s=90, c=colour, marker=marker, zorder=3, label=label, lw=0)
        ax.set_title(unit.inequality(), fontsize=10, color=INK)
        ax.set_aspect("equal")
        return self

    def _plane(self, ax: Any, n: int) -> None:
        weights = np.array([float(weight) for weight in self.unit.weights] + [0.0] * (2 - n))
        grid = np.linspace(-0.4, 1.4, 361)
        u, v = np.meshgrid(grid, grid if n == 2 else np.linspace(-0.3, 0.3, 61))
        scores = weights[0] * u + weights[1] * v + float(self.unit.bias)
        ax.contourf(u, v, scores, levels=[-np.inf, 0, np.inf], colors=[NEGATIVE, POSITIVE], alpha=0.12)
        if weights.any():
            ax.contour(u, v, scores, levels=[0], colors=[INK], linewidths=1.5)
        ax.set(xlim=(-0.4, 1.4), xticks=[0, 1], xlabel=self.unit.inputs[0])
        if n == 2:
            ax.set(ylim=(-0.4, 1.4), yticks=[0, 1], ylabel=self.unit.inputs[1])
        else:
            ax.set(ylim=(-0.3, 0.3), yticks=[])

    def _cube(self, ax: Any) -> None:
        corners = assignments(3)
        for i, a in enumerate(corners):
            for b in corners[i + 1 :]:
                if (a != b).sum() == 1:
                    ax.plot(*np.array([a @ CUBE, b @ CUBE]).T, color=QUIET, lw=1, zorder=1)
        # Beside the middle of the three edges that leave the corner 000, where no corner is in the way.
        for name, direction, aside in zip(self.unit.inputs, CUBE, CUBE_LABELS, strict=True):
            ax.text(*(direction / 2 + aside), name, ha="center", va="center", color=QUIET)
        cut = self._cut()
        if len(cut) >= 3:
            flat = cut @ CUBE
            middle = flat.mean(axis=0)
            order = np.argsort(np.arctan2(*(flat - middle).T[::-1]))
            ax.fill(*flat[order].T, color=ACCENT, alpha=0.25, zorder=2)
        ax.set_axis_off()

    def _cut(self) -> Array:
        """The corners of the plane's polygon within the cube: where it crosses an edge."""
        weights, bias = np.array([float(w) for w in self.unit.weights]), float(self.unit.bias)
        points = []
        for a in assignments(3).astype(float):
            for axis in np.flatnonzero(a == 0):
                if weights[axis]:
                    step = -(a @ weights + bias) / weights[axis]
                    if 0 <= step <= 1:
                        points.append(a + step * np.eye(3)[axis])
        return np.unique(np.round(points, 9), axis=0) if points else np.empty((0, 3))


class NetworkDisplay:
    """A network as boxes from left to right: inputs, units with their names and biases, wires with their weights.

    Wires of positive weight are orange, of negative weight blue.

    Parameters
    ----------
    network : ThresholdNetwork, ThresholdUnit, RuleNetwork or a fitted Layer
        Long numbers are rounded to three digits; where wires are many, they have none.

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import ThresholdNetwork
    >>> from rosenblatt.plots import NetworkDisplay
    >>> display = NetworkDisplay.from_network(ThresholdNetwork.from_function("u ^ v"))
    >>> sorted(display.network.units)
    ['h1', 'h2', 'out']
    """

    def __init__(self, network: Any) -> None:
        if isinstance(network, ThresholdUnit):
            network = ThresholdNetwork(network.inputs, {"unit": network}, ("unit",))
        if isinstance(network, RuleNetwork):
            network = _with_comparisons(network)
        self.labels = DRAWN_WEIGHTS
        if hasattr(network, "weights_") and hasattr(network, "below_"):
            network, self.labels = _of_layers(network), DENSE_WEIGHTS
        if not isinstance(network, ThresholdNetwork):
            raise TypeError(
                f"There is a picture of networks, units, rules and fitted layers, but not of "
                f"{type(network).__name__}; pass one of these."
            )
        self.network = network
        self.kept: dict[str, str] = {}  # memories of a machine, and what they remember

    @classmethod
    def from_network(cls, network: Any, *, ax: Any = None) -> Self:
        return cls(network).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        network = self.network
        self.layout_ = layout = Layout(network, [*network.outputs, *self.kept.values()], list(self.kept))
        if ax is None:
            ax = axes()
            ax.figure.set_size_inches(max(4.0, SCALE * layout.width), max(2.2, SCALE * layout.height + 0.5))
        self.ax_, self.figure_ = checked(ax), ax.figure
        wires = sum(len(unit.inputs) for unit in network.units.values())
        for name, unit in network.units.items():
            self._wires(ax, name, unit, labelled=wires <= self.labels)
        for name in [*network.inputs, *network.units]:
            self._box(ax, name)
        for name in network.outputs:
            path = layout.path(name, None)
            ax.plot(*path.T, color=INK, lw=1.1, zorder=1)
            x, y = path[-1]
            _arrow(ax, (x, y), (x + ARROW, y), INK)
            if layout.column[name] < layout.last:
                ax.text(x + 0.25, y + 0.06, name, fontsize=8, color=INK, ha="right", va="bottom")
        self._finish()
        return self

    def _finish(self) -> None:
        """The whole drawing in view, as high as it is wide, and a legend below it."""
        from matplotlib.lines import Line2D

        ax, weights = self.ax_, [weight for unit in self.network.units.values() for weight in unit.weights]
        ax.set_aspect("equal")
        ax.margins(0.02, 0.04)
        ax.autoscale_view()
        ax.set_axis_off()
        lines = [
            Line2D([], [], color=POSITIVE, lw=1.1, label="weight above 0") if any(w > 0 for w in weights) else None,
            Line2D([], [], color=NEGATIVE, lw=1.1, label="weight below 0") if any(w < 0 for w in weights) else None,
            Line2D([], [], color=ACCENT, lw=1.1, ls=LATER, label="one step later") if self.kept else None,
        ]
        ax.legend(
            handles=[line for line in lines if line is not None], loc="upper center", bbox_to_anchor=(0.5, 0.0),
            ncols=3, frameon=False, fontsize=8, handlelength=1.6, borderaxespad=0.2,
        )  # fmt: skip

    def _wires(self, ax: Any, name: str, unit: ThresholdUnit, *, labelled: bool) -> None:
        shown = [(source, weight) for source, weight in zip(unit.inputs, unit.weights, strict=True) if weight]
        paths = {source: self.layout_.path(source, name) for source, _ in shown}
        shown.sort(key=lambda pair: paths[pair[0]][-2][1])
        for rank, (source, weight) in enumerate(shown):
            path = paths[source]
            # Wires end one above the other, in the order in which they come.
            path[-1, 1] += (rank - (len(shown) - 1) / 2) * min(0.16, 0.46 / max(1, len(shown) - 1))
            colour = POSITIVE if weight > 0 else NEGATIVE
            ax.plot(*path.T, color=colour, lw=1.1, zorder=1, solid_joinstyle="round")
            if labelled:
                share = 0.55 + 0.25 * (rank % 2)
                ax.text(
                    *(path[-2] + share * (path[-1] - path[-2])), _figure(weight), fontsize=8, color=colour,
                    ha="center", va="center", zorder=2, bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"},
                )  # fmt: skip

    def _box(self, ax: Any, name: str) -> None:
        from matplotlib.patches import FancyBboxPatch

        x, y = self.layout_.place[name]
        width, unit = self.layout_.widths[name], self.network.units.get(name)
        corner = (x - width / 2, y - BOX_HEIGHT / 2)
        style = "round,pad=0,rounding_size=0.25" if unit is None else "square,pad=0"
        edge = ACCENT if name in self.kept else QUIET if unit is None else INK
        ax.add_patch(FancyBboxPatch(corner, width, BOX_HEIGHT, boxstyle=style, fc="white", ec=edge, lw=1.1, zorder=3))
        if unit is None:
            ax.text(x, y, name, ha="center", va="center", fontsize=9, color=INK, zorder=4)
            return
        ax.text(x, y + 0.12, name, ha="center", va="center", fontsize=9, color=INK, zorder=4)
        ax.text(x, y - 0.14, _bias(unit), ha="center", va="center", fontsize=7.5, color=QUIET, zorder=4)


class MachineDisplay(NetworkDisplay):
    """A machine: its network, and dashed loops from what is remembered to the memory that has it one step later.

    Parameters
    ----------
    machine : ThresholdMachine
        With at least one memory.

    Examples
    --------
    >>> from rosenblatt.logic.circuits import counter
    >>> from rosenblatt.plots import MachineDisplay
    >>> MachineDisplay.from_machine(counter(2)).kept  # what each memory has one step later
    {'q1': "q1'", 'q0': "q0'"}
    """

    def __init__(self, machine: ThresholdMachine) -> None:
        if not isinstance(machine, ThresholdMachine):
            raise TypeError(
                f"This is the picture of a ThresholdMachine, but got {type(machine).__name__}; pass a machine."
            )
        if not machine.delays:
            raise ValueError("A machine must have a memory to be drawn, but this has none; draw its network instead.")
        super().__init__(ThresholdNetwork(machine.network.inputs, machine.network.units, machine.outputs))
        self.kept = machine.delays

    @classmethod
    def from_machine(cls, machine: ThresholdMachine, *, ax: Any = None) -> Self:
        return cls(machine).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        super().plot(ax)
        layout = self.layout_
        floor = min(y for _, y in layout.place.values()) - 0.7
        left = layout.place[next(iter(self.kept))][0] - max(layout.widths[name] for name in self.kept) / 2
        # The lowest ends take the innermost way, so that loops do not cross.
        ends = {memory: layout.path(source, None)[-1] for memory, source in self.kept.items()}
        for rank, memory in enumerate(sorted(self.kept, key=lambda memory: ends[memory][1])):
            way = layout.path(self.kept[memory], None)
            (x0, y0), (x1, y1) = way[-1], layout.place[memory]
            x1 -= layout.widths[memory] / 2
            low, out, back = floor - 0.2 * rank, x0 + ARROW + 0.15 + 0.16 * rank, left - 0.5 - 0.16 * rank
            path = [*way, (out, y0), (out, low), (back, low), (back, y1), (x1, y1)]
            self.ax_.plot(*np.array(path[len(way) - 1 :]).T, color=ACCENT, lw=1.1, ls=LATER, zorder=1.5)
            _arrow(self.ax_, (x1 - 0.2, y1), (x1, y1), ACCENT)
        self._finish()
        return self


class Layout:
    """Where boxes stand and wires run: columns from left to right, with a place kept for wires that pass a column.

    The order within a column follows what its boxes read and what reads them (Sugiyama, Tagawa and Toda 1981).
    """

    def __init__(self, network: ThresholdNetwork, reaching: list[str], first: list[str]) -> None:
        self.network = network
        self.widths = _widths(network)
        self.column = self._columns(first)
        self.last = max(self.column.values())
        ends = {name: self.column[name] for name in self.column}
        for name, unit in network.units.items():
            for source in unit.inputs:
                ends[source] = max(ends[source], self.column[name] - 1)
        ends |= dict.fromkeys(reaching, self.last)
        self.slots: list[list[Any]] = [[] for _ in range(self.last + 1)]
        for name, column in self.column.items():
            self.slots[column].append(name)
            for passed in range(column + 1, ends[name] + 1):
                self.slots[passed].append((name, passed))
        self._arrange()

    def _columns(self, first: list[str]) -> dict[str, int]:
        """Units by their level; inputs just before the first unit that reads them, memories at the left."""
        level = self.network.level
        column = {name: level[name] for name in self.network.units}
        for name in self.network.inputs:
            readers = [column[reader] for reader, unit in self.network.units.items() if name in unit.inputs]
            column[name] = 0 if name in first else min(readers, default=1) - 1
        return {name: column[name] for name in [*self.network.inputs, *self.network.units]}

    def _at(self, name: str, column: int) -> Any:
        return name if self.column[name] == column else (name, column)

    def _arrange(self) -> None:
        before: dict[Any, list[Any]] = {}
        for column in range(1, self.last + 1):
            for slot in self.slots[column]:
                unit = self.network.units.get(slot) if isinstance(slot, str) else None
                sources = [slot[0]] if isinstance(slot, tuple) else list(unit.inputs) if unit else []
                before[slot] = [self._at(source, column - 1) for source in sources]
        after: dict[Any, list[Any]] = {}
        for slot, sources in before.items():
            for source in sources:
                after.setdefault(source, []).append(slot)
        heights: dict[Any, float] = {}
        for column in range(self.last + 1):
            self._stack(column, heights)
        for sweep in range(12):
            near, order = (before, range(self.last + 1)) if sweep % 2 == 0 else (after, range(self.last, -1, -1))
            for column in order:
                own = self.slots[column]
                wanted = {s: np.mean([heights[n] for n in near[s]]) if near.get(s) else heights[s] for s in own}
                own.sort(key=lambda slot: -float(wanted[slot]))
                self._stack(column, heights)
        x = 0.0
        self.place: dict[Any, tuple[float, float]] = {}
        self.edges: list[tuple[float, float]] = []
        for own in self.slots:
            wide = max([self.widths[slot] for slot in own if isinstance(slot, str)], default=0.4)
            x += wide / 2
            self.place |= {slot: (x, heights[slot]) for slot in own}
            self.edges.append((x - wide / 2, x + wide / 2))
            x += wide / 2 + 1.3
        ys = [y for _, y in self.place.values()]
        self.width, self.height = x, max(ys) - min(ys) + 1.0

    def _stack(self, column: int, heights: dict[Any, float]) -> None:
        """Boxes take a whole step, passing wires a part of one; the column is centred."""
        y, previous = 0.0, None
        own = self.slots[column]
        for slot in own:
            if previous is not None:
                y -= GAP if isinstance(slot, str) and isinstance(previous, str) else 0.66 * GAP
            heights[slot], previous = y, slot
        middle = y / 2
        for slot in own:
            heights[slot] -= middle

    def path(self, source: str, target: str | None) -> Array:
        """The corners of the wire from a box to another, or to the right end if there is no target."""
        x, y = self.place[source]
        points = [(x + self.widths[source] / 2, y)]
        end = self.last + 1 if target is None else self.column[target]
        for column in range(self.column[source] + 1, end):
            height = self.place[source, column][1]
            points += [(edge, height) for edge in self.edges[column]]
        if target is None:
            points.append((self.edges[-1][1] + 0.3, points[-1][1]))
        else:
            x, y = self.place[target]
            points.append((x - self.widths[target] / 2, y))
        return np.array(points)


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """A line with a head; the axes make room for both ends."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": colour, "shrinkA": 0, "shrinkB": 0, "lw": 1.1})
    ax.update_datalim([start, end])


def _figure(value: Any) -> str:
    text = written(Fraction(value))
    if len(text) <= 6:
        return text
    return f"{float(value):.3g}" if abs(value) < 1000 else f"{float(value):,.0f}"


def _bias(unit: ThresholdUnit) -> str:
    return f"b = {_figure(unit.bias)}"


def _with_comparisons(rules: RuleNetwork) -> ThresholdNetwork:
    """The whole network of rules, from columns to decisions: to look at, as its inputs are not Boolean."""
    first = {atom.name: atom.unit for atom in rules.comparisons if isinstance(atom, Comparison)}
    return ThresholdNetwork(rules.columns, {**first, **rules.network.units}, rules.network.outputs)


def _of_layers(top: Any) -> ThresholdNetwork:
    """The units of a fitted `Layer` and of those below it: to look at, as they do not answer by thresholds."""
    stack = [top]
    while stack[0].below_ is not None:
        stack.insert(0, stack[0].below_)
    features = stack[0].weights_.shape[1]
    inputs = below = [str(name) for name in getattr(top, "feature_names_in_", [f"x{j + 1}" for j in range(features)])]
    units: dict[str, ThresholdUnit] = {}
    for depth, layer in enumerate(stack, 1):
        hidden = "h" if len(stack) <= 2 else f"h{depth}."
        letter = "y" if layer is top else hidden
        names = [f"{letter}{k + 1}" if len(layer.bias_) > 1 else letter for k in range(len(layer.bias_))]
        for name, weights, bias in zip(names, layer.weights_, layer.bias_, strict=True):
            units[name] = ThresholdUnit(weights, bias, inputs=below)
        below = names
    return ThresholdNetwork(inputs, units, below)


def _widths(network: ThresholdNetwork) -> dict[str, float]:
    letters = {name: len(name) for name in network.inputs}
    letters |= {name: max(len(name), int(0.85 * len(_bias(unit)))) for name, unit in network.units.items()}
    return {name: max(0.7, 0.105 * count + 0.25) for name, count in letters.items()}
