"""One Boolean function, whatever it was written as: a table, a predicate, an expression, a unit or a network.

Row i of a truth table is the number i in binary, the first input being the highest digit: for inputs a, b the rows are
00, 01, 10, 11.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.arguments import names_in, shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.logic import expression
from rosenblatt.wording import counted

MOST_INPUTS = 20  # a table of 2^20 rows


def assignments(n: int) -> Array:
    """All rows of n Booleans, in the order of a truth table: uint8, (2^n, n)."""
    rows = np.arange(1 << n, dtype=np.int64)[:, None]
    return ((rows >> np.arange(n - 1, -1, -1)) & 1).astype(np.uint8)


def input_names(n: int) -> tuple[str, ...]:
    """x1, x2, … for inputs without names."""
    return tuple(f"x{i + 1}" for i in range(n))


def check_names(inputs: Any, n: int | None = None) -> tuple[str, ...]:
    """The names of inputs as a tuple, or a refusal."""
    if isinstance(inputs, str):
        inputs = inputs.replace(",", " ").split()
    inputs = names_in("inputs", inputs)
    if not all(inputs):
        raise ValueError(f"inputs must be names, but got {shortened(inputs)}; pass texts such as ('a', 'b').")
    if len(set(inputs)) != len(inputs):
        raise ValueError(f"inputs must have different names, but got {shortened(inputs)}; rename the repeated ones.")
    if n is not None and len(inputs) != n:
        raise ValueError(f"There must be {n} names of inputs, one for each, but got {len(inputs)}; pass so many.")
    return inputs


class BooleanFunction:
    """A Boolean function of named inputs, as its truth table.

    Parameters
    ----------
    function : what to read
        A truth table (2^n answers 0/1, False/True or -1/+1, or a text such as "0110"), a mapping from assignments to
        answers, a Python predicate (called once per assignment with Booleans), an expression such as
        ``"(a & b) | ~c"``, or something of this room (`ThresholdUnit`, a `ThresholdNetwork` with one output).
    inputs : names of the inputs, in order
        Otherwise a predicate's parameters, an expression's names in the order in which they appear, or x1, x2, …

    Attributes
    ----------
    table : array of bool, 2^n
        The answers, in the order of the truth table: 00…0 first, the first input the highest digit.
    inputs : tuple of str

    Examples
    --------
    >>> BooleanFunction("a -> b").table.astype(int).tolist()
    [1, 1, 0, 1]
    >>> print(BooleanFunction(lambda a, b: a != b))
    a b |
    0 0 | 0
    0 1 | 1
    1 0 | 1
    1 1 | 0
    """

    def __init__(self, function: Any, inputs: Any = None) -> None:
        self.table, self.inputs = _read(function, None if inputs is None else check_names(inputs))
        self.table.setflags(write=False)

    @property
    def n(self) -> int:
        return len(self.inputs)

    @property
    def cube(self) -> Array:
        """The table with one axis of length 2 for each input."""
        return self.table.reshape((2,) * self.n)

    def __call__(self, *row: Any) -> int:
        if len(row) == 1 and np.ndim(row[0]) == 1:
            refuse_masked(row[0], "The values of a row")
            row = tuple(row[0])
        if len(row) != self.n:
            raise ValueError(
                f"The function has {counted(self.n, 'input')}, but got {counted(len(row), 'value')}; pass one for each."
            )
        return int(self.cube[tuple(booleans(row, "The values of a row").astype(int))])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BooleanFunction) and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash(self.table.tobytes())

    def __invert__(self) -> BooleanFunction:
        return BooleanFunction(~self.table, self.inputs)

    def __repr__(self) -> str:
        shown = "".join(map(str, self.table[:32].astype(int))) + ("…" if len(self.table) > 32 else "")
        return f"BooleanFunction({shown!r}, inputs={self.inputs!r})"

    def __str__(self) -> str:
        return truth_table(self.inputs, {"": self.table})

    def depends_on(self) -> Array:
        """Which inputs make a difference, as an array of bool."""
        halves = (np.moveaxis(self.cube, axis, 0) for axis in range(self.n))
        return np.array([bool((half[0] != half[1]).any()) for half in halves], dtype=bool)


def truth_table(inputs: Sequence[str], outputs: Mapping[str, Array], most: int = 64) -> str:
    """A truth table as text, cut after `most` rows."""
    n = len(inputs)
    lines = [" ".join([*inputs, "|", *outputs]).rstrip()]
    columns = list(zip(outputs, outputs.values(), strict=True))
    for i, row in enumerate(assignments(n)[:most]):
        left = [f"{value:>{len(name)}}" for name, value in zip(inputs, row, strict=True)]
        right = [f"{int(values[i]):>{max(1, len(name))}}" for name, values in columns]
        lines.append(" ".join([*left, "|", *right]))
    return "\n".join([*lines, f"… {(1 << n) - most:,} rows more"] if 1 << n > most else lines)


# --------------------------------------------------------------------------------------------- reading


def _read(function: Any, inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    if isinstance(function, BooleanFunction):
        return function.table.copy(), (inputs and check_names(inputs, function.n)) or function.inputs
    if hasattr(function, "truth_table") and hasattr(function, "inputs"):  # a unit or a network
        return _of_ours(function, inputs)
    if isinstance(function, str):
        stripped = function.strip()
        if len(stripped) > 1 and set(stripped) <= {"0", "1"}:
            return _from_answers([int(c) for c in stripped], inputs)
        return _from_tree(expression.parse(function), function, inputs)
    if isinstance(function, expression.Operation | expression.Name | expression.Constant):
        return _from_tree(function, str(function), inputs)
    if isinstance(function, Mapping):
        return _from_mapping(function, inputs)
    if callable(function):
        return _from_predicate(function, inputs)
    if isinstance(function, Sequence | np.ndarray) or hasattr(function, "__array__"):
        return _from_answers(function, inputs)
    raise TypeError(
        f"A Boolean function must be a truth table, a predicate, an expression, a unit or a network, but got "
        f"{type(function).__name__}; pass one of these."
    )


def _of_ours(function: Any, inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    check_size(len(function.inputs))
    if len(getattr(function, "outputs", "1")) != 1:
        raise ValueError(
            f"A Boolean function has one output, but this network has {len(function.outputs)}: "
            f"{', '.join(function.outputs)}; choose one with network.output(name)."
        )
    answers = np.asarray(function.evaluate(assignments(len(function.inputs)))).astype(bool)
    return answers.reshape(-1), (inputs and check_names(inputs, len(function.inputs))) or function.inputs


def check_size(n: int) -> None:
    if n > MOST_INPUTS:
        raise ValueError(
            f"A truth table may have at most {MOST_INPUTS} inputs (2^{MOST_INPUTS} rows), but there are {n}; split the "
            f"function, or build the network gate by gate with ThresholdNetwork.from_expression."
        )


def refuse_masked(values: Any, what: str) -> None:
    """Masked values are missing values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"{what} must have no missing values, but {int(np.asarray(values.mask).sum()):,} are masked; fill them or "
            f"leave these rows out."
        )


def booleans(values: Any, what: str) -> Array:
    """Answers 0/1, False/True or -1/+1 as an array of bool."""
    refuse_masked(values, what)
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return np.array(array)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{what} must be 0 and 1 (or -1 and +1), but got {array.dtype} values; convert them.")
    signed = bool((array == -1).any())
    odd = ~((array == 1) | (array == (-1 if signed else 0)))
    if odd.any():
        raise ValueError(
            f"{what} must be {'-1 and +1' if signed else '0 and 1 (or -1 and +1)'}, but got "
            f"{array[odd].ravel()[0].item()!r}; convert it."
        )
    return np.asarray(array == 1)


def _from_answers(answers: Any, inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    table = booleans(answers, "The answers of a truth table")
    n = len(inputs) if inputs is not None else max(0, table.size.bit_length() - 1)
    if table.ndim != 1 or table.size != 1 << n:
        wanted = (
            f"2^{n} = {1 << n} answers for {counted(n, 'input')}"
            if inputs is not None
            else "2^n answers (2, 4, 8, 16, …)"
        )
        got = f"{table.size}" if table.ndim == 1 else f"an array of shape {table.shape}"
        raise ValueError(f"A truth table must have {wanted}, but got {got}; give one answer for every assignment.")
    check_size(n)
    return table, inputs if inputs is not None else input_names(n)


def _from_mapping(function: Mapping[Any, Any], inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    rows = [tuple(key) if isinstance(key, tuple | list) else (key,) for key in function]
    n = len(rows[0]) if rows else 0
    check_size(n)
    even = rows if all(len(row) == n for row in rows) else []
    bits = booleans(even, "The assignments of a truth table").astype(int).tolist()
    by_row = dict(zip(map(tuple, bits), function.values(), strict=False))
    if len(by_row) != 1 << n:
        raise ValueError(
            f"A truth table must name each of the 2^{n} = {1 << n} assignments once, but got {len(function)} entries."
        )
    return _from_answers([by_row[tuple(row)] for row in assignments(n).tolist()], inputs or input_names(n))


def _from_tree(tree: Any, text: str, inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    found = expression.names(tree)
    if inputs is None:
        inputs = tuple(found)
    for name in found:
        if name not in inputs:
            known = ", ".join(inputs) or "none"
            raise expression.ExpressionError(
                f"An expression may use the inputs {known}, but it uses {name!r}; add it to inputs or correct the "
                f"name.",
                text,
                _place(text, name),
            )
    check_size(len(inputs))
    columns = assignments(len(inputs)).astype(bool)
    values = {name: columns[:, i] for i, name in enumerate(inputs)}
    return np.array(np.broadcast_to(expression.evaluate(tree, values), len(columns))), inputs


def _place(text: str, name: str) -> int:
    places = [t.position for t in expression.tokens(text) if t.kind == "name" and t.text.strip("`") == name]
    return places[0] if places else 0


def _from_predicate(predicate: Callable[..., Any], inputs: tuple[str, ...] | None) -> tuple[Array, tuple[str, ...]]:
    if inputs is None:
        try:
            parameters: Any = inspect.signature(predicate).parameters.values()
        except (TypeError, ValueError):
            parameters = None
        if parameters is None or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
            raise ValueError(
                "A predicate must have one parameter for each input, but this one does not say how many; pass the "
                "names of the inputs with inputs=…"
            )
        inputs = tuple(p.name for p in parameters)
    check_size(len(inputs))
    answers = []
    for row in assignments(len(inputs)).astype(bool).tolist():
        try:
            answer = predicate(*row)
        except TypeError as error:
            raise TypeError(
                f"A predicate must take {len(inputs)} Booleans, one for each input, but it failed on them ({error}); "
                f"correct it or pass other inputs."
            ) from error
        if not isinstance(answer, bool | int | np.bool_ | np.integer) or int(answer) not in (0, 1):
            raise ValueError(
                f"A predicate must answer True or False, but for {tuple(map(int, row))} it answered {answer!r}; "
                f"make it do so."
            )
        answers.append(bool(answer))
    return np.array(answers, dtype=bool), inputs
