"""Random expressions and rules, printed by a writer of its own and read plainly, beside the parser and the networks."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import BooleanFunction, ExpressionError, RuleWarning, ThresholdNetwork, explain, from_rules

# What the page docs/logic.md says: the first binds tightest; n-ary but for "not".
LEVELS = ("not", "and", "xor", "or", "implies", "equals")
WRITTEN = {
    "not": ("~", "!", "not ", "NOT "),
    "and": ("&", "&&", "and", "AND"),
    "xor": ("^", "xor", "!=", "Xor"),
    "or": ("|", "||", "or"),
    "implies": ("->", "=>", "implies"),
    "equals": ("==", "<->", "<=>"),
}
NAMES = ("a", "b", "c_1", "d", "`two words`", "`if`", "é")


def trees(leaves: Any, kinds: tuple[str, ...]) -> Any:
    def deeper(children: Any) -> Any:
        negations = st.tuples(st.just("not"), children, st.integers(0, 9))
        others = st.tuples(st.sampled_from(kinds), st.lists(children, min_size=2, max_size=3), st.integers(0, 9))
        return negations | others

    return st.recursive(leaves, deeper, max_leaves=10)


def printed(tree: Any, leaf: Any, above: int = 9, brackets: bool = False) -> str:
    """With no more brackets than the levels need, or with all."""
    if not (isinstance(tree, tuple) and tree[0] in LEVELS):
        return leaf(tree)
    kind, parts, choice = tree
    own, word = LEVELS.index(kind), WRITTEN[kind][choice % len(WRITTEN[kind])]
    if kind == "not":
        text = word + printed(parts, leaf, own + 1, brackets)
    else:
        text = f" {word} ".join(printed(part, leaf, own, brackets) for part in parts)
    return f"({text})" if own >= above or (brackets and kind != "not") else text


def truth(tree: Any, leaf: Any) -> bool:
    if not (isinstance(tree, tuple) and tree[0] in LEVELS):
        return bool(leaf(tree))
    kind, parts, _ = tree
    if kind == "not":
        return not truth(parts, leaf)
    values = [truth(part, leaf) for part in parts]
    if kind in ("and", "or"):
        return all(values) if kind == "and" else any(values)
    if kind == "xor":
        return sum(values) % 2 == 1
    result = values[-1] if kind == "implies" else values[0]
    for value in reversed(values[:-1]) if kind == "implies" else values[1:]:
        result = (not value or result) if kind == "implies" else value == result
    return result


@given(trees(st.sampled_from([*NAMES, "0", "1", "true", "False"]), LEVELS[1:]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_expressions_are_read_as_the_table_says(tree: Any, brackets: bool) -> None:
    text = printed(tree, str, brackets=brackets)
    function = BooleanFunction(text)
    names = [name.strip("`") for name in NAMES]

    def plain(row: dict[str, int]) -> bool:
        fixed = {"0": False, "1": True, "true": True, "False": False}
        return truth(tree, lambda leaf: fixed[leaf] if leaf in fixed else row[leaf.strip("`")])

    rows = [dict(zip(names, map(int, f"{code:07b}"), strict=True)) for code in range(128)]
    wanted = [int(plain(row)) for row in rows]
    bits = [[row[name] for name in function.inputs] for row in rows]
    gates = ThresholdNetwork.from_expression(text)
    assert [function(*row) for row in bits] == wanted if function.inputs else len(set(wanted)) == 1
    if gates.inputs:
        assert np.ravel(gates.evaluate(np.array(bits), signs=False)).tolist() == wanted
        again = BooleanFunction(gates.to_expression(), inputs=gates.inputs)
        assert np.array_equal(again.table, gates.table)


SIGNS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne}
NUMBERS = {
    "1e3": 1000.0, "-2": -2, "- 2": -2, "+3": 3, "0.5": 0.5, ".5": 0.5, "1_000": 1000, "2.": 2.0, "-1.5e-1": -0.15,
    "0": 0, "9007199254740993": 9007199254740993, "1E+2": 100.0,
}  # fmt: skip
COLUMNS = ("x", "`net income`", "`then`", "y2", "Or_else")
FLAGS = ("member", "`if ever`")


def leaf_text(leaf: Any) -> str:
    if len(leaf) == 1:
        return leaf[0]
    column, sign, number, mirrored = leaf
    if number in ("true", "False"):
        return f"{column} {'!=' if sign == '!=' else '='} {number}"
    turned = {">": "<", "<": ">", ">=": "<=", "<=": ">="}.get(sign, sign)
    return f"{number} {turned} {column}" if mirrored else f"{column}{sign}{number}"


def leaf_truth(leaf: Any, row: dict[str, Any]) -> bool:
    value = row[leaf[0].strip("`")]
    if len(leaf) == 1:
        return bool(value)
    if leaf[2] in ("true", "False"):
        return (bool(value) == (leaf[2] == "true")) != (leaf[1] == "!=")
    return bool(SIGNS[leaf[1]](value, NUMBERS[leaf[2]]))


LEAVES = (
    st.tuples(st.sampled_from(COLUMNS), st.sampled_from(list(SIGNS)), st.sampled_from(list(NUMBERS)), st.booleans())
    | st.tuples(st.sampled_from(FLAGS))
    | st.tuples(
        st.sampled_from(FLAGS), st.sampled_from(["=", "!="]), st.sampled_from(["true", "False"]), st.just(False)
    )
)


@given(
    st.lists(st.tuples(trees(LEAVES, ("and", "or", "xor")), st.sampled_from("pqr")), min_size=1, max_size=5),
    st.booleans(), st.integers(0, 10**6), st.sampled_from([np.float64, np.float32, np.int64]),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_rules_decide_as_a_plain_reading(rules: Any, total: bool, seed: int, dtype: Any) -> None:
    """Signs of xor that compare numbers ("!=") are written as words; numbers lie on levels and a hair beside them."""

    def worded(tree: Any) -> Any:
        if isinstance(tree, tuple) and tree[0] in LEVELS:
            kind, parts, choice = tree
            if kind == "not":
                return kind, worded(parts), choice
            return kind, [worded(part) for part in parts], (1 if kind == "xor" else choice)
        return tree

    text = "; ".join(f"if {printed(worded(tree), leaf_text)} then {decision}" for tree, decision in rules)
    text += "; otherwise rest" if total else ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        network = from_rules(text)
    random = np.random.default_rng(seed)
    levels = np.array([float(value) for value in NUMBERS.values()])
    near = np.concatenate([levels, np.nextafter(levels, np.inf), np.nextafter(levels, -np.inf)])
    data: dict[str, Any] = {name.strip("`"): random.choice(near, 40).astype(dtype) for name in COLUMNS}
    data |= {name.strip("`"): random.integers(0, 2, 40).astype([bool, np.int8][seed % 2]) for name in FLAGS}
    wanted = []
    for i in range(40):
        row = {name: values[i].item() for name, values in data.items()}
        found = (decision for tree, decision in rules if truth(tree, lambda leaf, row=row: leaf_truth(leaf, row)))
        wanted.append(next(found, "rest" if total else None))
    assert network.predict(data).tolist() == wanted
    bits = [_bits(atom, data) for atom in network.comparisons]
    patterns = np.column_stack(bits) if bits else np.zeros((40, 0), np.uint8)
    assert network._decide(patterns).tolist() == network.codes(data).tolist()
    row = {name: values[0].item() for name, values in data.items()}
    assert network.predict_one(row) == wanted[0] and explain(network, row).answer == wanted[0]


def _bits(atom: Any, data: dict[str, Any]) -> Any:
    from rosenblatt.logic.comparisons import atom_fires
    from rosenblatt.logic.rule_rows import checked_column

    values = checked_column(data[atom.column], atom.column, not hasattr(atom, "level"))
    return atom_fires(atom, values).astype(np.uint8)


@pytest.mark.parametrize("text", ["if 1 < x < 3 then a", "if x > 1 > 0 then a", "if x = 1 = 1 then a"])
def test_chained_comparisons_are_refused_where_they_go_on(text: str) -> None:
    with pytest.raises(ExpressionError):
        from_rules(text)


@pytest.mark.parametrize("word", ["==", "->", "^", "&", "|", "xor", "implies"])
def test_long_chains(word: str) -> None:
    names = [f"x{i}" for i in range(1100)]  # more than Python's limit of calls inside calls
    network = ThresholdNetwork.from_expression(f" {word} ".join(names))
    rows = np.random.default_rng(0).random((5, len(names))) < 0.5
    for row in rows:
        if word in ("==", "^", "xor"):
            wanted = row[0]
            for bit in row[1:]:
                wanted = (wanted == bit) if word == "==" else (wanted != bit)
        elif word in ("->", "implies"):
            wanted = row[-1] or not row[:-1].all()
        else:
            wanted = row.all() if word == "&" else row.any()
        assert bool(network.evaluate(row[None, :].astype(np.uint8), signs=False)[0]) == bool(wanted)


def test_brackets_as_deep_as_they_may_be() -> None:
    assert BooleanFunction("(" * 100 + "a" + ")" * 100).table.tolist() == [False, True]
    with pytest.raises(ExpressionError, match="nested 100 deep"):
        BooleanFunction("(" * 101 + "a" + ")" * 101)
