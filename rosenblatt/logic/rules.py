"""Symbols into connections: rules over columns become a network of threshold units (lecture row L25).

    if CONDITION then DECISION; if CONDITION then DECISION; …; otherwise DECISION

The first rule whose condition holds decides. A condition is made of comparisons of a column with a number
(``>  >=  <  <=  =  !=``), of Boolean columns, and of *and*, *or*, *not* and brackets; *not* binds tightest, then *and*.

The first layer compares. A unit fires when w·x + b >= 0, so ``x >= 3`` and ``x <= 3`` are one unit each, ``x > 3`` is
the complement of the second, and ``x = 3`` is both. The layers above see only whether these fired: conditions, then
"this rule and none before it", then decisions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.logic.building import GateMaker
from rosenblatt.logic.expression import Constant, Operation, Reader, Token
from rosenblatt.logic.function import assignments, refuse_masked
from rosenblatt.logic.network import ThresholdNetwork
from rosenblatt.logic.packed import PackedNetwork
from rosenblatt.logic.unit import ThresholdUnit, by_name
from rosenblatt.stored import checked, items, text
from rosenblatt.wording import counted

BLOCK = 1 << 15  # rows that stay in the cache together
TABLED = 16  # comparisons up to which the layers above them are kept as a table
MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "=", "!=": "!="}
HALF = Fraction(1, 2)


class RuleWarning(UserWarning):
    """Rules that contradict each other, or that can never match."""


@dataclass(frozen=True)
class Comparison:
    """The unit of the first layer that fires when a column is at least (or, with `most`, at most) a number.

    >>> Comparison("income", 30000, most=True).unit
    ThresholdUnit: -income >= -30000
    """

    column: str
    level: Any
    most: bool

    @property
    def name(self) -> str:
        return f"{self.column} {'<=' if self.most else '>='} {self.level}"

    @property
    def unit(self) -> ThresholdUnit:
        sign = -1 if self.most else 1
        return ThresholdUnit([sign], -sign * Fraction(self.level), (self.column,))

    def fires(self, values: Array) -> Array:
        """Exactly, whatever the dtype: the number is moved to the nearest one that the dtype has, on the right side."""
        level = self._level(values.dtype)
        if level is None:
            return np.full(len(values), self._beyond(values.dtype))
        return np.asarray(values <= level if self.most else values >= level)

    def _level(self, dtype: Any) -> Any:
        if dtype.kind == "f":
            try:
                near = float(self.level)
            except OverflowError:  # beyond the largest float64
                near = math.inf if self.level > 0 else -math.inf
            if near != self.level:  # an int that float64 does not have
                if near > self.level and self.most:
                    near = math.nextafter(near, -math.inf)
                elif near < self.level and not self.most:
                    near = math.nextafter(near, math.inf)
            return np.float64(near)  # a scalar of float64 makes numpy compare float32 rows in float64
        whole = math.floor(self.level) if self.most else math.ceil(self.level)
        if dtype.kind == "b":
            return None if not 0 <= whole <= 1 else bool(whole)
        information = np.iinfo(dtype)
        return dtype.type(whole) if information.min <= whole <= information.max else None

    def _beyond(self, dtype: Any) -> bool:
        """The answer when no number of this dtype reaches the level: it is above or below all of them."""
        return (self.level > 0) == self.most


@dataclass(frozen=True)
class Flag:
    """A Boolean column, read as it is."""

    column: str

    @property
    def name(self) -> str:
        return self.column


@dataclass(frozen=True)
class Rule:
    """One rule: its condition as a tree, what it decides, and how it was written."""

    condition: Any
    decision: str
    text: str


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

    network = RuleNetwork(_Rules(text).read())
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
        n = len(next(iter(columns.values()))) if columns else _height(X)
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
        return self.decisions[int(self.codes(_one(row, self.columns))[0])]

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
            outputs = packed([np.packbits(_fires(atom, columns[atom.column])) for atom in self.comparisons])
            codes = np.zeros(n, dtype=self._code_dtype)
            for code, output in enumerate(outputs[1:], 1):  # exactly one of them fires
                codes += np.unpackbits(output, count=n) * self._code_dtype.type(code)
            return codes
        if table is None:
            bits = np.empty((n, len(self.comparisons)), dtype=np.uint8)
            for i, atom in enumerate(self.comparisons):
                bits[:, i] = _fires(atom, columns[atom.column])
            return self._decide(bits)
        # The layers above the comparisons, for every pattern of these, are a table: a row's pattern is its number.
        pattern = np.zeros(n, dtype=np.uint8 if len(self.comparisons) <= 8 else np.uint16)
        for atom in self.comparisons:
            np.left_shift(pattern, 1, out=pattern)
            np.bitwise_or(pattern, _fires(atom, columns[atom.column]).view(np.uint8), out=pattern)
        return np.asarray(table[pattern])

    def _decide(self, bits: Array) -> Array:
        """The number of the decision for patterns of the first layer, by the units above it."""
        answers = np.asarray(self.network.evaluate(bits, signs=False)).reshape(len(bits), len(self.decisions))
        return answers.argmax(axis=1).astype(self._code_dtype)

    @property
    def _code_dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if len(self.decisions) <= 256 else np.uint16)

    def fired(self, row: Mapping[str, Any]) -> tuple[dict[str, bool], Array]:
        """For one row: which units fired, by name, and the pattern of the first layer."""
        columns = self._read(_one(row, self.columns))
        first = {atom.name: bool(_fires(atom, columns[atom.column])[0]) for atom in self.comparisons}
        bits = np.array([list(first.values())], dtype=np.uint8)
        above = {name: bool(values[0]) for name, values in self.network.activity(bits).items()}
        return {**first, **above}, bits

    # ----------------------------------------------------------------------------------------- reading

    def _read(self, X: Any) -> dict[str, Array]:
        if isinstance(X, list | tuple):
            X = np.asarray(X)
        if hasattr(X, "collect_schema") and hasattr(X, "collect"):
            raise TypeError("Rows must be there to be read, but got a LazyFrame; call its collect() first.")
        if isinstance(X, np.ndarray) and X.dtype.names is None:
            if X.ndim != 2 or X.shape[1] != len(self.columns):
                raise ValueError(
                    f"An array must have the {counted(len(self.columns), 'column')} {', '.join(self.columns)}, but its "
                    f"shape is {X.shape}; pass "
                    f"{'these columns in this order' if len(self.columns) > 1 else 'this column'}, or a frame."
                )
            refuse_masked(X, "An array of rows")
            X = np.asarray(X)
            columns = {name: X[:, i] for i, name in enumerate(self.columns)}
        else:
            if not hasattr(X, "columns") and not isinstance(X, Mapping | np.ndarray):
                raise TypeError(
                    f"Rows must come as a frame, a mapping from columns to values or an array, but got "
                    f"{type(X).__name__}; pass one of these."
                )
            known = list(X.columns if hasattr(X, "columns") else X.dtype.names if isinstance(X, np.ndarray) else X)
            missing = [name for name in self.columns if name not in known]
            if missing:
                raise ValueError(
                    f"The rules read the columns {', '.join(self.columns)}, but there is no {missing[0]!r}; add it or "
                    f"rename a column."
                )
            repeated = [name for name in self.columns if known.count(name) > 1]
            if repeated:
                raise ValueError(f"A column must be there once, but {repeated[0]!r} is repeated; rename or drop one.")
            columns = {name: _values(X[name], name) for name in self.columns}
        booleans = {atom.column for atom in self.comparisons if isinstance(atom, Flag)}
        checked = {name: _checked(values, name, name in booleans) for name, values in columns.items()}
        if len({len(values) for values in checked.values()}) > 1:
            raise ValueError("All columns must have the same number of rows, but they differ; pass whole columns.")
        return checked

    def to_state(self) -> dict[str, Any]:
        """For a model file: the rules as text."""
        return {"rules": [rule.text for rule in self.rules]}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> RuleNetwork:
        checked("RuleNetwork", state, {"rules": items(text)})
        return cls(_Rules(";\n".join(state["rules"])).read())


def _different_from(taken: set[str], wanted: Sequence[str]) -> list[str]:
    """The wanted names, with underscores behind those that are taken."""
    chosen: list[str] = []
    for name in wanted:
        while name in taken or name in chosen:
            name += "_"
        chosen.append(name)
    return chosen


def _height(X: Any) -> int:
    """The number of rows of a table of which no column is read."""
    if not isinstance(X, Mapping):
        return len(X)
    for name, values in X.items():
        if np.ndim(values) == 0:
            raise ValueError(f"The column {name!r} must be a list of values, but it is one; use predict_one.")
        return len(values)
    return 0


def _fires(atom: Comparison | Flag, values: Array) -> Array:
    return values if isinstance(atom, Flag) else atom.fires(values)


def row_by_column(row: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    """The values that the rules read of one row: by name where it has names, else in the order of `columns`."""
    named = by_name(row)
    if named is None:
        if np.ndim(row) != 1 or len(row) != len(columns):
            raise ValueError(
                f"A row must have the {len(columns)} values {', '.join(columns)}, but its shape is {np.shape(row)}; "
                f"pass these in this order, or a mapping."
            )
        named = dict(zip(columns, row, strict=True))
    missing = [name for name in columns if name not in named]
    if missing:
        raise ValueError(f"A row must have the columns {', '.join(columns)}, but it has no {missing[0]!r}; add it.")
    return {name: named[name] for name in columns}


def _one(row: Any, columns: tuple[str, ...]) -> dict[str, Array]:
    one = {}
    for name, value in row_by_column(row, columns).items():
        if value is np.ma.masked:
            raise _missing(name, 1)
        one[name] = np.array([value])
    return one


def _values(column: Any, name: str) -> Array:
    """A column as an array, without a copy where it is one already."""
    refuse_masked(column, f"The column {name!r}")
    nulls = column.null_count() if hasattr(column, "null_count") else 0  # polars
    if not nulls and hasattr(column, "isna") and getattr(column.dtype, "kind", "O") not in "biuf":  # pandas
        nulls = int(column.isna().sum())
    if nulls:
        raise _missing(name, nulls)
    if hasattr(column, "to_numpy"):
        return np.asarray(column.to_numpy())
    return np.asarray(column)


def _missing(name: str, count: int) -> ValueError:
    return ValueError(
        f"The column {name!r} must have a value in every row, but {count:,} {'is' if count == 1 else 'are'} missing; "
        f"fill "
        f"them or leave these rows out."
    )


def _checked(values: Array, name: str, boolean: bool) -> Array:
    if values.ndim != 1:
        raise ValueError(
            f"The column {name!r} must be a list of values, but its shape is {values.shape}; "
            f"for one row use predict_one."
        )
    if values.dtype.kind == "O":
        values = _from_objects(values, name)
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise ValueError(
            f"The column {name!r} must hold numbers or Booleans, but its dtype is {values.dtype}; convert it."
        )
    if values.dtype.kind == "f":
        if values.dtype == np.float16:
            values = values.astype(np.float32)
        # A sum is not a number if one of its terms is not; or if infinities of both signs meet.
        with np.errstate(all="ignore"):
            doubtful = len(values) and math.isnan(float(values.sum()))
        if doubtful and np.isnan(values).any():
            raise _missing(name, int(np.isnan(values).sum()))
    if boolean and values.dtype.kind != "b":
        odd = (values != 0) & (values != 1)
        if odd.any():
            raise ValueError(
                f"The column {name!r} is used as true or false and must hold 0 and 1, but it holds "
                f"{values[odd][0].item()!r}; compare it with a number in the rules, or convert it."
            )
        values = values == 1
    return values


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA does not say whether it equals itself
        return True
    except ValueError:  # an array: not missing, but refused later
        return False


def _from_objects(values: Array, name: str) -> Array:
    listed = values.tolist()
    missing = sum(map(_is_missing, listed))
    if missing:
        raise _missing(name, missing)
    if all(isinstance(value, bool | np.bool_) for value in listed):
        return values.astype(bool)
    if not all(isinstance(value, int | float | np.integer | np.floating) for value in listed):
        raise ValueError(f"The column {name!r} must hold numbers or Booleans, but it holds other objects; convert it.")
    converted = np.array(listed)
    if converted.dtype.kind not in "biuf" or any(a != b for a, b in zip(converted.tolist(), listed, strict=True)):
        raise ValueError(f"The column {name!r} must hold numbers of at most 64 bits, but some are longer; round them.")
    return converted


# ------------------------------------------------------------------------------------------------------ parsing


class _Condition(Reader):
    """Reads a condition: comparisons and Boolean columns where an expression has names."""

    levels = ("or", "xor", "and")

    def operation(self) -> str | None:
        return None if self.next.text in ("=", "==", "!=") else super().operation()

    def atom(self) -> Any:
        token = self.next
        if token.kind == "name" and token.text.lower() in ("true", "false"):
            self.take()
            return Constant(token.text.lower() == "true")
        if token.kind == "name" and token.text.lower() not in RESERVED:
            self.take()
            if self.next.text in COMPARING:
                return self._compared(token, self.take())
            return Flag(_column(token))
        value = self._number()
        if value is None:
            raise self.fail(
                f"A condition must have a column or a bracket at character {token.position}, but "
                f"{'the text ends there' if token.kind == 'end' else f'there is {token.text!r}'}; complete it.",
                token,
            )
        if self.next.text not in COMPARING:
            raise self.fail("A number must be compared with a column, but it is not; write one of > >= < <= = !=.")
        sign = self.take()
        if self.next.kind != "name":
            raise self.fail(f"After {sign.text!r} there must be a column, but there is {self.next.text!r}; write one.")
        return _comparison(_column(self.take()), MIRRORED[sign.text.replace("==", "=")], value)

    def _compared(self, column: Token, sign: Token) -> Any:
        if self.next.kind == "name" and self.next.text.lower() in ("true", "false"):
            if sign.text not in ("=", "==", "!="):
                raise self.fail(
                    "A Boolean column may be compared by = and != only, but here it is not; use these.", sign
                )
            wanted = (self.take().text.lower() == "true") == (sign.text != "!=")
            return Flag(_column(column)) if wanted else Operation("not", (Flag(_column(column)),))
        value = self._number()
        if value is None:
            raise self.fail(
                f"After {sign.text!r} there must be a number at character {self.next.position}, but "
                f"{'the text ends there' if self.next.kind == 'end' else f'there is {self.next.text!r}'}; write one."
            )
        return _comparison(_column(column), sign.text.replace("==", "="), value)

    def _number(self) -> Any:
        """An int or a float as Python reads it, with its sign; None if there is none."""
        start, negative = self.place, False
        while self.next.text in ("+", "-"):
            negative ^= self.take().text == "-"
        if self.next.kind != "number":
            self.place = start
            return None
        token = self.take()
        try:
            value: Any = int(token.text)
        except ValueError:
            try:
                value = float(token.text)
            except ValueError:
                raise self.fail(
                    f"A number must be written as in Python, but got {shortened(token.text)}; correct it.", token
                ) from None
        if isinstance(value, float) and math.isinf(value):
            raise self.fail(f"A number must be finite, but {token.text!r} is too large; write a smaller one.", token)
        return -value if negative else value


RESERVED = ("if", "then", "otherwise", "else")
COMPARING = (">", ">=", "<", "<=", "=", "==", "!=")


def _column(token: Token) -> str:
    return token.text.strip("`")


def _comparison(column: str, sign: str, level: Any) -> Any:
    """A comparison out of units that fire at >= and <=."""
    if isinstance(level, float) and level.is_integer():
        level = int(level)
    least, most = Comparison(column, level, most=False), Comparison(column, level, most=True)
    if sign == ">=":
        return least
    if sign == "<=":
        return most
    if sign == ">":
        return Operation("not", (most,))
    if sign == "<":
        return Operation("not", (least,))
    both = Operation("and", (least, most))
    return both if sign == "=" else Operation("not", (both,))


class _Rules:
    """Reads a text of rules."""

    def __init__(self, text: Any) -> None:
        if not isinstance(text, str):
            raise TypeError(f"Rules must be a text, but got {type(text).__name__}; write 'if … then …; otherwise …'.")
        self.text = text
        self.reader = _Condition(text)

    def read(self) -> list[Rule]:
        rules: list[Rule] = []
        reader = self.reader
        while True:
            while reader.next.text == ";":
                reader.take()
            if reader.next.kind == "end":
                break
            if rules and isinstance(rules[-1].condition, Constant) and rules[-1].text.lower().startswith("otherwise"):
                raise reader.fail("Nothing may follow 'otherwise DECISION', but there is more; move it to the end.")
            rules.append(self._rule())
        if not rules:
            raise ValueError(
                "There must be at least one rule, but the text has none; write 'if … then …; otherwise …'."
            )
        columns: dict[str, type] = {}
        for rule in rules:
            for atom in atoms_of(rule.condition):
                if columns.setdefault(atom.column, type(atom)) is not type(atom):
                    raise ValueError(
                        f"A column is either compared with numbers or used as true or false, but {atom.column!r} is "
                        f"both; "
                        f"write '{atom.column} = 1' for the latter."
                    )
        return rules

    def _rule(self) -> Rule:
        reader, start = self.reader, self.reader.next
        word = start.text.lower() if start.kind == "name" else ""
        if word in ("otherwise", "else"):
            reader.take()
            return Rule(Constant(True), self._decision(), f"otherwise {self._since(start, skip=1)}")
        if word != "if":
            raise reader.fail(
                f"A rule must begin with 'if' or 'otherwise', but character {start.position} begins {start.text!r}; "
                f"write "
                f"'if … then …'."
            )
        reader.take()
        condition = reader.expression()
        if reader.next.kind != "name" or reader.next.text.lower() != "then":
            got = "the text ends" if reader.next.kind == "end" else f"there is {reader.next.text!r}"
            raise reader.fail(
                f"After its condition a rule must go on with 'then', but at character {reader.next.position} {got}; "
                f"write "
                f"'then DECISION', or an operator."
            )
        reader.take()
        decision = self._decision()
        return Rule(condition, decision, self._since(start))

    def _decision(self) -> str:
        """The words up to the end of the rule."""
        reader, first = self.reader, self.reader.next
        words: list[str] = []
        while reader.next.kind in ("name", "number") and not self._begins():
            words.append(reader.take().text.strip("`"))
        if not words:
            raise reader.fail(
                f"A rule must name its decision at character {first.position}, but it does not; write a word."
            )
        if reader.next.kind != "end" and reader.next.text != ";" and not self._begins():
            raise reader.fail(
                f"A decision is made of words and numbers, but character {reader.next.position} is "
                f"{reader.next.text!r}; end "
                f"the rule with ';'."
            )
        return " ".join(words)

    def _begins(self) -> bool:
        """Whether the next token begins another rule."""
        token = self.reader.next
        return token.kind == "name" and token.text.lower() in RESERVED

    def _since(self, start: Token, skip: int = 0) -> str:
        end = self.reader.tokens[self.reader.place - 1]
        text = self.text[start.position : end.position + len(end.text)]
        return " ".join(text.split()[skip:])


def atoms_of(tree: Any) -> list[Any]:
    """The comparisons and Boolean columns of a condition."""
    if isinstance(tree, Comparison | Flag):
        return [tree]
    return [atom for part in tree.operands for atom in atoms_of(part)] if isinstance(tree, Operation) else []


_NEVER = ThresholdUnit([], -HALF, ())


def _all_of(literals: Sequence[tuple[Any, bool]]) -> ThresholdUnit:
    """Fires when all literals hold; always, if there are none."""
    chosen = dict.fromkeys(literals)
    if any((source, not positive) in chosen for source, positive in chosen):
        return _NEVER
    weights = [1 if positive else -1 for _, positive in chosen]
    positive = sum(weight > 0 for weight in weights)
    return ThresholdUnit(weights, HALF - positive, tuple(str(source) for source, _ in chosen))
