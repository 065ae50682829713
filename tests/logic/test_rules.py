from __future__ import annotations

import math
import warnings

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import ThresholdNetwork, ThresholdUnit, explain, from_rules
from rosenblatt.logic.expression import ExpressionError
from rosenblatt.logic.function import assignments
from rosenblatt.logic.packed import PackedNetwork
from rosenblatt.logic.rules import RuleNetwork, RuleWarning
from tests.reference.logic import credit

CREDIT = """
    if other_delinquent_accounts > 2 and delinquent_cycles > 1 then deny;
    if other_delinquent_accounts = 0 and (income > 30000 or years_of_credit > 3) then accept;
    otherwise refer
"""
COLUMNS = ("other_delinquent_accounts", "delinquent_cycles", "income", "years_of_credit")


def customers(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Random customers, half of whose numbers lie on a threshold or a hair beside it."""
    random = np.random.default_rng(seed)
    data = {}
    for name, level, spread in zip(COLUMNS, (2.0, 1.0, 30000.0, 3.0), (5, 4, 60000, 10), strict=True):
        values = random.uniform(0, spread, n)
        near = [level, math.nextafter(level, math.inf), math.nextafter(level, -math.inf), 0.0]
        values[::2] = random.choice(near, size=len(values[::2]), p=[0.4, 0.15, 0.15, 0.3])
        data[name] = values
    return data


def plainly(data: dict[str, np.ndarray]) -> np.ndarray:
    return np.array([credit(*row) for row in zip(*(data[name].tolist() for name in COLUMNS), strict=True)])


def test_credit_rules_on_a_million_rows() -> None:
    network, data = from_rules(CREDIT), customers(1_000_000)
    wanted = plainly(data)
    assert set(np.unique(wanted)) == {"accept", "deny", "refer"}
    np.testing.assert_array_equal(network.predict(data), wanted)


def test_manners_of_tables() -> None:
    network, data = from_rules(CREDIT), customers(5_000, 1)
    wanted = plainly(data)
    frame = pandas.DataFrame(data)
    tables = [
        data,
        frame,
        polars.DataFrame(data),
        frame[::-1][::-1],
        np.column_stack([data[c] for c in network.columns]),
    ]
    tables += [frame.convert_dtypes(), frame.astype(object), {name: values.tolist() for name, values in data.items()}]
    for table in tables:
        np.testing.assert_array_equal(network.predict(table), wanted)
    rows = frame.to_dict("records")
    assert [network.predict_one(row) for row in rows[:300]] == wanted[:300].tolist()
    assert network.predict(frame[:0]).tolist() == []


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int8, np.int64, np.uint8, np.uint64, np.bool_, np.float16]
)
@pytest.mark.parametrize("level", ["0", "1", "-1", "0.5", "3.7", "-0.1", "300", "1e30", "-1e30", "9007199254740993"])
@pytest.mark.parametrize("sign", [">", ">=", "<", "<=", "=", "!="])
def test_comparisons_are_exact_in_every_dtype(dtype: type, level: str, sign: str) -> None:
    values = {"b": [0, 1], "i": [-128, -1, 0, 1, 3, 4, 127], "u": [0, 1, 3, 4, 255], "f": [-0.5, 0, 0.5, 1, 3.7, 1e4]}
    column = np.array(values[np.dtype(dtype).kind]).astype(dtype)
    if dtype in (np.int64, np.uint64):
        column = np.append(column, np.array([2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2], dtype=dtype))
    if dtype == np.float64:
        column = np.append(column, [2.0**53, 2.0**53 + 2, math.inf, -math.inf])
    number = int(level) if level.lstrip("-").isdigit() else float(level)
    symbol = {"=": "=="}.get(sign, sign)
    wanted = ["yes" if eval(f"x {symbol} y", {"x": x, "y": number}) else "no" for x in column.tolist()]
    got = from_rules(f"if x {sign} {level} then yes; otherwise no").predict({"x": column})
    assert got.tolist() == wanted
    mirrored = {">": "<", "<": ">", ">=": "<=", "<=": ">="}.get(sign, sign)
    assert from_rules(f"if {level} {mirrored} x then yes; otherwise no").predict({"x": column}).tolist() == wanted


atoms = st.one_of(
    st.tuples(st.sampled_from("xyz"), st.sampled_from([">", ">=", "<", "<=", "=", "!="]), st.integers(-2, 2)).map(
        lambda t: f"{t[0]} {t[1]} {t[2]}"
    ),
    st.sampled_from(["p", "q", "true", "false", "p = true", "q != true"]),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        inner.map(lambda c: f"not ({c})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        st.tuples(atoms, atoms, atoms).map(lambda t: f"{t[0]} and {t[1]} or {t[2]}"),
    ),
    max_leaves=5,
)


@given(
    st.lists(st.tuples(conditions, st.sampled_from(["red", "green", "blue"])), min_size=1, max_size=5), st.booleans()
)
@settings(max_examples=150)
def test_any_rules_decide_as_python_would(rules: list[tuple[str, str]], total: bool) -> None:
    text = "; ".join(f"if {condition} then {decision}" for condition, decision in rules)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        network = from_rules(text + ("; otherwise grey" if total else ""))
    random = np.random.default_rng(0)
    data = {name: random.integers(-3, 4, 64) / 1.0 for name in "xyz"} | {name: random.random(64) < 0.5 for name in "pq"}
    plain = [
        (c.replace(" = ", " == ").replace("true", "True").replace("false", "False"), decision) for c, decision in rules
    ]
    wanted = []
    for i in range(64):
        row = {name: values[i].item() for name, values in data.items()}
        wanted.append(next((d for c, d in plain if eval(c, {}, row)), "grey" if total else None))
    assert network.predict(data).tolist() == wanted
    assert network.predict(pandas.DataFrame(data)).tolist() == wanted
    explained = explain(network, {name: values[0] for name, values in data.items()})
    assert explained.answer == wanted[0]
    assert sum(name.startswith("rule ") for name in explained.fired) == (wanted[0] is not None)


def test_many_comparisons_go_through_the_units() -> None:
    """Above 16 comparisons there is no table: the network itself is run."""
    text = "; ".join(f"if x > {k} and x < {k + 1} then c{k}" for k in range(20)) + "; otherwise none"
    network = from_rules(text)
    assert network._prepare()[0] is None
    x = np.concatenate([np.arange(21.0), np.arange(20) + 0.5, [-1.0, 99.0]])
    wanted = [f"c{math.floor(v)}" if 0 < v < 20 and v % 1 else "none" for v in x]
    assert network.predict({"x": x}).tolist() == wanted
    many = from_rules(";".join(f"if x = {k} then d{k}" for k in range(300)) + "; otherwise none")  # codes of 16 bits
    x = np.tile(np.arange(-1.0, 302), 40)
    assert many.predict({"x": x}).tolist() == [f"d{v:.0f}" if 0 <= v < 300 else "none" for v in x]


def test_edited_units_count() -> None:
    network = from_rules("if x > 1 then a; otherwise b")
    assert network.predict({"x": [0.0, 2.0]}).tolist() == ["b", "a"]
    units = network.network.units
    units["rule 1"], units["rule 2"] = units["rule 2"], units["rule 1"]
    assert network.predict({"x": [0.0, 2.0]}).tolist() == ["a", "b"]


def test_shape_of_the_network() -> None:
    network = from_rules(CREDIT)
    assert isinstance(network, RuleNetwork)
    assert network.columns == COLUMNS and network.decisions == ("deny", "accept", "refer")
    assert len(network.comparisons) == 6 and network.network.outputs == ("decide deny", "decide accept", "decide refer")
    assert from_rules("if a > 1 then x").decisions == ("x", None)
    assert from_rules("if a > 1 then x").predict({"a": [2, 1]}).tolist() == ["x", None]


def test_ways_of_writing() -> None:
    for text in (
        "if a > 1 then x; otherwise y",
        "IF a > 1 THEN x\nOTHERWISE y",
        "if a > 1 then x otherwise y",
        "if a > 2 then x if a > 1 then x otherwise y",
        "if (1 < a) then x; else y;",
        "if not a <= +1 then x;;\n otherwise y\n",
        "if `a` > 1.0 then x; otherwise y",
        "if a > 1_0e-1 then x; otherwise y",
    ):
        assert from_rules(text).predict({"a": [1.0, 1.5]}).tolist() == ["y", "x"]
    hyphens = from_rules("if other-accounts > 2 then deny the card; otherwise go on")
    assert hyphens.predict_one({"other-accounts": 3}) == "deny the card"


def test_binding_of_and_and_or() -> None:
    """P's rule without brackets is another rule."""
    bracketed = from_rules("if a = 0 and (b > 1 or c > 1) then yes; otherwise no")
    bare = from_rules("if a = 0 and b > 1 or c > 1 then yes; otherwise no")
    row = {"a": 5, "b": 0, "c": 2}
    assert (bracketed.predict_one(row), bare.predict_one(row)) == ("no", "yes")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("if a > 2 and a < 1 then x; otherwise y", "Rule 1 .* never match: its condition contradicts itself"),
        ("if a > 1 then x; if a > 2 then y; otherwise z", "Rule 2 .* never match: wherever it holds, rule 1 decides"),
        ("if a > 1 then x; if a <= 1 then y; otherwise z", "Rule 3 .* never match"),
        ("if a > 1 then x; if a <= 1 and b then y; if not b and a < 0 or b then z", "Rules|Rule"),
        ("if a > 1 then x; if b > 1 then y; otherwise z", "Rules 1 and 2 contradict each other where a > 1, b > 1"),
        ("if p then x; if q then y", "contradict each other where p is true, q is true"),
        ("if a = 1 then x; if a = 1 then y; otherwise z", "Rule 2 .* never match"),
    ],
)
def test_warns(text: str, words: str) -> None:
    with pytest.warns(RuleWarning, match=words):
        from_rules(text)


def test_exceptions_first_are_no_contradiction() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_rules("if a > 5 then x; if a > 1 then y; otherwise z")
        from_rules("if a > 5 then x; if b > 1 then x; otherwise z")
        from_rules(CREDIT)


def test_warns_when_there_are_many_columns() -> None:
    many = " and ".join(f"c{i} > {i}" for i in range(2, 22))
    with pytest.warns(RuleWarning, match="Rule 2 .* rule 1 decides first"):
        from_rules(f"if c1 > 0 then x; if c1 > 1 then y; if {many} and d then x; otherwise w")
    with pytest.warns(RuleWarning, match="Rule 2 .* contradicts itself"):
        from_rules(f"if {many} then x; if e > 1 and e < 1 then y; otherwise z")


def test_many_columns_are_searched_not_given_up() -> None:
    """Rules that only together leave nothing: 2^30 and more pieces."""
    wide = " or ".join(f"c{i} > {i}" for i in range(20))
    low = " and ".join(f"c{i} <= {i}" for i in range(20))
    with pytest.warns(RuleWarning, match=r"Rule 3 .* can never match: wherever it holds, rules 1 and 2 decide first"):
        from_rules(f"if {wide} then x; if {low} then x; if d > 5 then y")
    with pytest.warns(RuleWarning, match=r"Rules 1 and 2 contradict each other where c0 > 0, d > 0:"):
        from_rules(f"if {wide} then x; if d > 0 then y; otherwise z")
    from_rules(f"if ({wide}) and d > 0 then x; if ({low}) and e > 0 then y; otherwise z")  # nothing to say


def test_says_what_was_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.logic.rule_trouble.NODES", 3)
    wide = " or ".join(f"c{i} > {i}" for i in range(20))
    with pytest.warns(RuleWarning, match="rules were not checked for whether they can match"):
        network = from_rules(f"if {wide} then x; if d > 0 then y; otherwise z")
    assert network.predict_one({**{f"c{i}": 0 for i in range(20)}, "d": 1}) == "y"


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_the_search_finds_what_a_look_at_all_pieces_does(seed: int) -> None:
    from rosenblatt.logic import rule_trouble

    random = np.random.default_rng(seed)

    def condition(depth: int) -> str:
        if depth == 0 or random.random() < 0.3:
            flag = random.random() < 0.2
            sign = random.choice([">", ">=", "<", "<=", "=", "!="])
            return "f" if flag else f"{random.choice(list('xyz'))} {sign} {random.integers(0, 3)}"
        parts = [condition(depth - 1) for _ in range(2)]
        joined = f" {random.choice(['and', 'or', 'xor'])} ".join(f"({part})" for part in parts)
        return f"not ({joined})" if random.random() < 0.2 else joined

    text = "; ".join(f"if {condition(2)} then {random.choice(list('pq'))}" for _ in range(4)) + "; otherwise r"
    said = []
    for cells in (1 << 20, 0):
        with warnings.catch_warnings(record=True) as caught, pytest.MonkeyPatch.context() as patch:
            warnings.simplefilter("always")
            patch.setattr(rule_trouble, "CELLS", cells)
            from_rules(text)
        said.append([str(one.message).split(" where ")[0] for one in caught])
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("if a > then x", 7), ("if a > 2 accept", 9), ("when a > 2 then x", 0), ("if a ? 2 then x", 5),
        ("if (a > 2 then x", 3), ("if a > 1 then x; otherwise y; if b > 1 then z", 30), ("if a > 1 then", 13),
        ("if a > 1 then x then y", 16),
        ("if a >> 3 then x", 6), ("if then x", 3), ("if a > 1 then x & y", 16), ("if 3 then x", 5),
        ("if 3 > 4 then x", 7),
        ("if a > b then x", 7), ("if a > 1 and then x", 13), ("if a > 1e999 then x", 7), ("if a > 'b' then x", 7),
        ("if a < true then x", 5), ("if a > 1 then x;\nif b >\n then y", 25),
    ],
)  # fmt: skip
def test_points_at_the_character(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        from_rules(text)
    assert caught.value.position == position, str(caught.value)


def test_refuses_texts() -> None:
    for bad, words in (("", "at least one rule"), (" ;; ", "at least one rule"), ("if a and a > 2 then x", "is both")):
        with pytest.raises(ValueError, match=words):
            from_rules(bad)
    with pytest.raises(TypeError, match="text"):
        from_rules(3)  # type: ignore[arg-type]


def test_refuses_tables() -> None:
    network = from_rules("if a > 1 and b then x; otherwise y")
    whole = {"a": [1.0, 2.0], "b": [True, False]}
    assert network.predict(whole).tolist() == ["y", "y"] == network.predict([[1.0, 1], [2.0, 0]]).tolist()
    structured = np.array([(2.0, True)], dtype=[("a", float), ("b", bool)])
    assert network.predict(structured).tolist() == ["x"]
    for bad, words in (
        ({"a": [1.0, math.nan], "b": [1, 0]}, "'a' must have a value in every row, but 1 is missing"),
        ({"a": [1.0, None], "b": [1, 0]}, "1 is missing"),
        ({"a": [None, None], "b": [1, 0]}, "2 are missing"),
        (pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64"), "b": [1, 0]}), "1 is missing"),
        (polars.DataFrame({"a": [1, None], "b": [True, False]}), "1 is missing"),
        (polars.DataFrame({"a": [1, 2], "b": [True, None]}), "'b' .* 1 is missing"),
        ({"a": [1.0, 2.0]}, "no 'b'"),
        ({"a": [1.0, 2.0], "b": [0, 2]}, "must hold 0 and 1, but it holds 2"),
        ({"a": ["x", "y"], "b": [0, 1]}, "numbers or Booleans"),
        ({"a": [[1.0], [2.0]], "b": [0, 1]}, "list of values"),
        ({"a": [1.0, 2.0], "b": [0]}, "same number of rows"),
        ({"a": [10**30, 1], "b": [0, 1]}, "64 bits"),
        (np.zeros((3, 5)), "2 columns a, b"),
        ([[1.0], [2.0]], "2 columns a, b"),
        ({"a": 1.0, "b": 1}, "list of values"),
        (None, "NoneType"),
        ("ab", "str"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            network.predict(bad)
    with pytest.raises(ValueError, match="no 'b'"):
        network.predict_one({"a": 3})
    with pytest.raises(ValueError, match="missing"):
        network.predict_one({"a": math.nan, "b": 1})
    infinite = np.array([math.inf, -math.inf])  # their sum is no number, but none is missing
    assert network.predict({"a": infinite, "b": [1, 1]}).tolist() == ["x", "y"]


def test_names_of_gates_may_be_columns() -> None:
    network = from_rules("if (g1 and b) or (c and d) then yes; otherwise no")
    assert network.predict({"g1": [1, 0], "b": [1, 1], "c": [0, 0], "d": [0, 1]}).tolist() == ["yes", "no"]


@pytest.mark.parametrize("level", ["1e308", "-1e308", "8.98846567431158e307", "1" + "0" * 309, "-1" + "0" * 309])
@pytest.mark.parametrize("sign", [">", ">=", "<", "<="])
def test_levels_as_large_as_floats_go(level: str, sign: str) -> None:
    values = [-math.inf, -1.7e308, -1.5e308, -1e308, 0.0, 1e307, 8.98846567431158e307, 1e308, 1.5e308, math.inf]
    number = float(level) if "e" in level else int(level)
    wanted = [
        {">": value > number, ">=": value >= number, "<": value < number, "<=": value <= number}[sign]
        for value in values
    ]
    network = from_rules(f"if x {sign} {level} then yes; otherwise no")
    assert (network.predict({"x": values}) == "yes").tolist() == wanted


def test_refuses_in_a_sentence() -> None:
    network, constant = from_rules("if a > 1 or c > 3 then x; otherwise y"), from_rules("otherwise y")
    masked = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    repeated = pandas.DataFrame([[1, 2, 3]], columns=["a", "c", "a"])
    lazy = polars.LazyFrame({"a": [1], "c": [2]})
    for act, words in (
        (lambda: network.predict(masked), "1 are masked"),
        (lambda: network.predict({"a": masked[:, 0], "c": masked[:, 1]}), "'a' .* masked"),
        (lambda: network.predict_one(masked[0]), "'a' .* 1 is missing"),
        (lambda: network.predict({"a": 3, "c": 4}), "predict_one"),
        (lambda: constant.predict({"a": 3}), "predict_one"),
        (lambda: network.predict_one([1, 2, 3]), "2 values a, c"),
        (lambda: network.predict_one({"a": pandas.NA, "c": 1}), "'a' .* 1 is missing"),
        (lambda: network.predict(scipy.sparse.csr_matrix(np.eye(2))), "csr_matrix"),
        (lambda: network.predict(repeated), "'a' is repeated"),
        (lambda: network.predict(lazy), "LazyFrame"),
        (lambda: constant.predict(lazy), "LazyFrame"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            act()
    assert network.predict(np.ma.array([[2.0, 2.0]])).tolist() == ["x"]


def test_names_of_rules_and_decisions_may_be_columns() -> None:
    with pytest.warns(RuleWarning, match="contradict"):
        network = from_rules("if `rule 1` and not `no rule` then a; if `decide a` then a_")
    rows = {"rule 1": [1, 1, 0, 0], "no rule": [0, 1, 1, 1], "decide a": [0, 1, 0, 1]}
    assert network.predict(rows).tolist() == ["a", "a_", None, "a_"]
    assert explain(network, {name: values[0] for name, values in rows.items()}).because.startswith("rule 1, if")
    assert explain(network, {name: values[2] for name, values in rows.items()}).because == "no rule matched"


def test_packed_bits_are_for_ands_and_ors_alone() -> None:
    """Of three inputs, two of which are enough, neither is what a majority computes."""
    table = assignments(3)
    inputs = [np.packbits(column) for column in table.T]
    gates = {"and": True, "or": True, "nand": True, "nor": True, "majority": False}
    for name, possible in gates.items():
        unit = ThresholdUnit.gate(name, 3, inputs=("a", "b", "c"))
        packed = PackedNetwork(ThresholdNetwork(("a", "b", "c"), {"out": unit}, ("out",)))
        assert packed.possible is possible
        if possible:
            np.testing.assert_array_equal(np.unpackbits(packed(inputs)[0], count=8), unit(table))
