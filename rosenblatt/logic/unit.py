"""The threshold logic unit of McCulloch and Pitts: f(x) = 1 if w·x + b >= 0, else 0 (lecture row L1).

Weights and bias are rational numbers, kept as whole numbers over one denominator, and sums are sums of whole numbers:
there is nothing to round. The gates have the lectures' half in the bias, so that no row lies on the plane itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import in_thousands, shortened, yes_or_no
from rosenblatt.engine.online.state import Array
from rosenblatt.logic.function import (
    assignments,
    booleans,
    check_names,
    check_size,
    input_names,
    refuse_masked,
    truth_table,
)
from rosenblatt.stored import DIGITS, checked, flag, fraction, items, optional, text
from rosenblatt.wording import counted

HALF = Fraction(1, 2)
MOST_OF_A_GATE = 1_000_000  # inputs, which are named one by one
BLOCK = 1 << 16  # rows that are looked at together


def rational(value: Any, what: str) -> Fraction:
    """The number exactly as it is given."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | bool) or not isinstance(value, int | float | Fraction):
        raise ValueError(f"{what} must be a number, but got {shortened(value)}; pass an int, a float or a Fraction.")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what} must be finite, but got {shortened(value)}; pass a number.")
    return Fraction(value)


def number(value: Fraction) -> Any:
    """An int where it is whole, a float where that is exact, a Fraction else."""
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value) if Fraction(float(value)) == value else value
    except OverflowError:
        return value


def written(value: Fraction) -> str:
    return str(number(value))


def shown(name: str) -> str:
    """A name within a sum: in square brackets if it is not one word."""
    return name if name.isidentifier() else f"[{name}]"


def by_name(row: Any) -> Mapping[Any, Any] | None:
    """The values of a row by their names; None if they have only an order.

    Names are the keys of a mapping, the fields of a structured row, and the labels of a Series where these are texts.
    """
    if isinstance(row, Mapping):
        return row
    if isinstance(row, np.void) and row.dtype.names is not None:
        return {name: row[name] for name in row.dtype.names}
    if not hasattr(row, "to_dict") or not hasattr(row, "index") or hasattr(row, "columns"):
        return None
    labels = list(row.index) if not callable(row.index) else []
    if not any(isinstance(label, str) for label in labels):
        return None
    if len(set(labels)) != len(labels):
        raise ValueError(f"A row must have every name once, but its names are {labels}; rename the repeated ones.")
    return dict(row.to_dict())


def _in_order(named: Mapping[Any, Any], inputs: tuple[str, ...]) -> Array:
    """Values by name, or whole columns by name, in the order of the inputs."""
    missing = [name for name in inputs if name not in named]
    if missing:
        raise ValueError(
            f"A row must have the inputs {', '.join(inputs)}, but it has no {missing[0]!r}; add or rename it."
        )
    for name in inputs:
        refuse_masked(named[name], f"The input {name!r}")
    columns = [np.asarray(named[name]) for name in inputs]
    if len({column.shape for column in columns}) > 1:
        raise ValueError("All inputs must have the same number of rows, but they differ; pass whole columns.")
    return np.array(columns).T


class Bits:
    """Rows of Booleans, as they came: 0/1 or -1/+1, one row or many, an array or a frame."""

    def __init__(self, rows: Any, inputs: tuple[str, ...], signs: bool | None = None) -> None:
        if signs is not None:
            yes_or_no(signs=signs)
        if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
            missing = [name for name in inputs if name not in list(rows.columns)]
            if missing:
                raise ValueError(
                    f"The frame must have a column for every input, but it has no {', '.join(map(repr, missing))}; add "
                    f"or rename a column."
                )
            rows = rows[list(inputs)].to_numpy()
        named = by_name(rows)
        if named is not None and (isinstance(rows, Mapping) or len(inputs) != 1 or inputs[0] in named):
            rows = _in_order(named, inputs)
        refuse_masked(rows, "Rows of Booleans")
        array = np.asarray(rows)
        if array.dtype.kind == "O" and not array.ndim:
            raise TypeError(
                f"Rows of Booleans must come as an array, a frame or a mapping, but got {type(rows).__name__}; pass "
                f"one of these."
            )
        if array.dtype.kind == "O":
            if not all(
                isinstance(value, int | float | np.bool_ | np.integer | np.floating) for value in array.ravel().tolist()
            ):
                raise ValueError(
                    "Rows of Booleans must be 0 and 1 without missing values, but got objects; convert them."
                )
            array = array.astype(float)  # columns of Booleans beside columns of numbers
        self.one = array.ndim == 1
        if self.one and len(inputs) == 1 and array.size != 1:
            self.one, array = False, array[:, None]
        array = np.atleast_2d(array)
        if array.ndim != 2 or array.shape[1] != len(inputs):
            raise ValueError(
                f"Rows must have {len(inputs)} values, one for each of {', '.join(inputs) or 'no inputs'}, but got an "
                f"array of shape {np.shape(rows)}; pass rows of that length."
            )
        if array.dtype != np.bool_ and array.size:
            signed = array.dtype.kind in "if" and bool(array.min() < 0)
            values = booleans(array, "Rows of Booleans")
        else:
            signed, values = False, array.astype(bool)
        self.signs = signed if signs is None else bool(signs)
        self.values = values.view(np.uint8)

    def answer(self, bits: Array) -> Any:
        """The answers in the manner of the rows."""
        result = bits.view(np.int8) * 2 - 1 if self.signs else bits
        if not self.one:
            return result
        return int(result[0]) if result.ndim == 1 else result[0]


class ThresholdUnit:
    """A unit that fires, f(x) = 1, when w·x + b >= 0 (McCulloch and Pitts 1943, lecture row L1).

    Parameters
    ----------
    weights : sequence of numbers, one for each input
        Rational numbers: ints, Fractions, or floats, which are taken exactly as they are.
    bias : number
    inputs : names of the inputs
        x1, x2, … if not given.

    Attributes
    ----------
    weights, bias : the numbers, as ints where they are whole
    integers : (tuple of int, int)
        Weights and bias multiplied by their common denominator: what sums are made of.
    proven_minimal : bool or None
        Whether no whole-number weights with a smaller sum of sizes compute the same function; None if not searched for.

    Examples
    --------
    >>> from rosenblatt import ThresholdUnit
    >>> unit = ThresholdUnit([1, 1], -1.5, inputs=("a", "b"))
    >>> unit
    ThresholdUnit: a + b >= 1.5
    >>> unit([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [0, 0, 0, 1]
    >>> unit([[-1, 1], [1, 1]]).tolist(), unit(1, 1)
    ([-1, 1], 1)
    >>> ThresholdUnit.at_least(2, 3)
    ThresholdUnit: x1 + x2 + x3 >= 1.5
    >>> print(ThresholdUnit.not_().truth_table())
    x1 |
     0 | 1
     1 | 0

    References
    ----------
    W. S. McCulloch, W. Pitts (1943). A logical calculus of the ideas immanent in nervous activity. Bulletin of
    Mathematical Biophysics 5.
    """

    def __init__(self, weights: Sequence[Any] | Array, bias: Any, inputs: Any = None) -> None:
        if np.ndim(weights) != 1:
            raise ValueError(
                f"weights must be a list of numbers, but got {shortened(weights)}; pass one for each input."
            )
        exact = [rational(weight, "A weight") for weight in weights]
        exact_bias = rational(bias, "The bias")
        self.inputs = input_names(len(exact)) if inputs is None else check_names(inputs, len(exact))
        self.weights = tuple(number(weight) for weight in exact)
        self.bias = number(exact_bias)
        self.denominator = math.lcm(exact_bias.denominator, *(weight.denominator for weight in exact))
        self.integers = (tuple(int(w * self.denominator) for w in exact), int(exact_bias * self.denominator))
        self.proven_minimal: bool | None = None

    # -------------------------------------------------------------------------------------------- gates

    @classmethod
    def at_least(cls, k: int, n: int, inputs: Any = None) -> ThresholdUnit:
        """Fires when k or more of its n inputs are on."""
        n = _count(n)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k <= n + 1:
            raise ValueError(
                f"k must be a whole number from 0 (always) to {n + 1} (never) for {counted(n, 'input')}, but got "
                f"{shortened(k)}; choose one."
            )
        return cls([1] * n, HALF - int(k), inputs)

    @classmethod
    def or_(cls, n: int = 2, inputs: Any = None) -> ThresholdUnit:
        """Fires when any input is on: w = 1, b = -0.5."""
        return cls.at_least(1, n, inputs)

    @classmethod
    def and_(cls, n: int = 2, inputs: Any = None) -> ThresholdUnit:
        """Fires when all inputs are on: w = 1, b = 0.5 - n."""
        return cls.at_least(_count(n), n, inputs)

    @classmethod
    def not_(cls, inputs: Any = None) -> ThresholdUnit:
        """Fires when its one input is off: w = -1, b = 0.5."""
        return cls([-1], HALF, inputs)

    @classmethod
    def nand(cls, n: int = 2, inputs: Any = None) -> ThresholdUnit:
        """Fires unless all inputs are on."""
        return ~cls.and_(n, inputs)

    @classmethod
    def nor(cls, n: int = 2, inputs: Any = None) -> ThresholdUnit:
        """Fires when no input is on."""
        return ~cls.or_(n, inputs)

    @classmethod
    def majority(cls, n: int = 3, inputs: Any = None) -> ThresholdUnit:
        """Fires when more than half of its inputs are on."""
        return cls.at_least(_count(n) // 2 + 1, n, inputs)

    @classmethod
    def implies(cls, inputs: Any = None) -> ThresholdUnit:
        """Fires unless its first input is on and its second off: w = (-1, 1), b = 0.5."""
        return cls([-1, 1], HALF, inputs)

    @classmethod
    def gate(cls, name: str, n: int | None = None, *, k: int | None = None, inputs: Any = None) -> ThresholdUnit:
        """A gate by its name: or, and, not, nand, nor, majority, implies, at_least (with k)."""
        key = str(name).lower().replace("-", "_").replace(" ", "_").strip("_")
        key = {"implication": "implies", "at_least_k": "at_least"}.get(key, key)
        if key not in GATES:
            raise ValueError(
                f"A gate must be one of {', '.join(GATES)}, but got {shortened(name)}; choose one of these."
            )
        if k is not None and key != "at_least":
            raise ValueError(f"k must be left out for the gate {key}, but got {shortened(k)}; it is for at_least.")
        if key == "at_least":
            if k is None or n is None:
                raise ValueError("The gate at_least needs k and n: how many of how many; pass both.")
            return cls.at_least(k, n, inputs)
        if key in ("not", "implies"):
            wanted = 1 if key == "not" else 2
            if n not in (None, wanted):
                raise ValueError(f"The gate {key} has {wanted} input{'s' * (wanted > 1)}, but n is {n!r}; leave n out.")
            return cls.not_(inputs) if key == "not" else cls.implies(inputs)
        makers = {"or": cls.or_, "and": cls.and_, "nand": cls.nand, "nor": cls.nor, "majority": cls.majority}
        return makers[key](inputs=inputs) if n is None else makers[key](n, inputs)

    # -------------------------------------------------------------------------------------------- answers

    def evaluate(self, rows: Any, signs: bool | None = None) -> Any:
        """Whether it fires, for every row of 0/1 (or -1/+1, where -1 is off); a single row gives a single answer.

        The answers are 0 and 1, or -1 and +1 if a row has a -1; `signs` decides it whatever is in the rows.
        """
        bits = Bits(rows, self.inputs, signs)
        return bits.answer(fires([self], bits.values)[:, 0])

    def __call__(self, *rows: Any, signs: bool | None = None) -> Any:
        if len(rows) == len(self.inputs) and all(np.ndim(row) == 0 and by_name(row) is None for row in rows):
            return self.evaluate(np.array(rows), signs)
        if len(rows) != 1:
            raise ValueError(
                f"Pass rows, or {counted(len(self.inputs), 'value')}, one for each input, but not {len(rows)}."
            )
        return self.evaluate(rows[0], signs)

    @property
    def table(self) -> Array:
        """The answers for all assignments, in the order of a truth table, as an array of bool."""
        check_size(len(self.inputs))
        return np.asarray(fires([self], assignments(len(self.inputs)))[:, 0]).astype(bool)

    def truth_table(self) -> str:
        """The truth table as text."""
        return truth_table(self.inputs, {"": self.table})

    def __invert__(self) -> ThresholdUnit:
        """The unit that fires exactly when this one does not."""
        weights, bias = self.integers
        step = math.gcd(*weights) or 1  # sums are whole multiples of it
        on_the_plane = bias % step == 0
        nearer = Fraction(step, 2 * self.denominator) if on_the_plane else Fraction(0)
        return ThresholdUnit([-Fraction(w) for w in self.weights], -Fraction(self.bias) - nearer, self.inputs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ThresholdUnit) and (self.weights, self.bias, self.inputs) == (
            other.weights,
            other.bias,
            other.inputs,
        )

    def __hash__(self) -> int:
        return hash((self.weights, self.bias, self.inputs))

    # -------------------------------------------------------------------------------------------- in words

    def inequality(self) -> str:
        """When it fires, as text: 2 a + b - c >= 1.5."""
        return f"{self._sum()} >= {written(-Fraction(self.bias))}"

    def _sum(self) -> str:
        text = ""
        for weight, name in zip(self.weights, self.inputs, strict=True):
            if weight:
                sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
                text += sign + ("" if abs(weight) == 1 else f"{abs(weight)} ") + shown(name)
        return text or "0"

    def __str__(self) -> str:
        return self.inequality()

    def __repr__(self) -> str:
        proven = {True: "   (smallest whole weights, proven)", False: "   (smallest whole weights found)", None: ""}
        return f"ThresholdUnit: {self}{proven[self.proven_minimal]}"

    def to_state(self) -> dict[str, Any]:
        """For a model file: weights are fractions, as text."""
        exact = [Fraction(weight) for weight in (*self.weights, self.bias)]
        if max(max(abs(one.numerator), one.denominator).bit_length() for one in exact) > 3.3 * DIGITS:
            raise ValueError(f"A model file holds numbers of up to {DIGITS} digits; round the weights.")
        *weights, bias = map(str, exact)
        return {"weights": weights, "bias": bias, "inputs": list(self.inputs), "proven_minimal": self.proven_minimal}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> ThresholdUnit:
        kinds = {"weights": items(fraction), "bias": fraction, "inputs": items(text), "proven_minimal": optional(flag)}
        checked("ThresholdUnit", state, kinds)
        unit = cls([Fraction(one) for one in state["weights"]], Fraction(state["bias"]), tuple(state["inputs"]))
        unit.proven_minimal = state["proven_minimal"]
        return unit


GATES = ("or", "and", "not", "nand", "nor", "majority", "implies", "at_least")


def _count(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"n must be the number of inputs, 1 or more, but got {shortened(n)}; pass a whole number.")
    if n > MOST_OF_A_GATE:
        raise ValueError(
            f"A gate must have at most {MOST_OF_A_GATE:,} inputs, since each has a name and an exact weight of its "
            f"own, but got {in_thousands(int(n))}; build a network of smaller gates."
        )
    return int(n)


def fires(units: Sequence[ThresholdUnit], bits: Array) -> Array:
    """Which of the units, all with the same inputs, fire: uint8 (rows, units) for bits uint8 (rows, inputs).

    Sums of whole numbers. Below 2^53 float64 holds every one of them exactly, and multiplies matrices fast; above,
    Python's integers take over.
    """
    largest = max((sum(map(abs, unit.integers[0])) + abs(unit.integers[1]) for unit in units), default=0)
    kind: Any = np.float32 if largest < 1 << 24 else np.float64 if largest < 1 << 53 else object
    weights = np.array([unit.integers[0] for unit in units], dtype=kind).reshape(len(units), bits.shape[1]).T
    levels = np.array([-unit.integers[1] for unit in units], dtype=kind)
    result = np.empty((len(bits), len(units)), dtype=np.uint8)
    for start in range(0, len(bits), BLOCK):
        block = bits[start : start + BLOCK].astype(kind)
        sums = block @ weights if bits.shape[1] else np.zeros((len(block), len(units)), dtype=kind)
        result[start : start + BLOCK] = sums >= levels
    return result
