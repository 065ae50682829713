from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import ThresholdNetwork, ThresholdUnit, as_threshold_unit
from rosenblatt.logic.circuits import adder
from rosenblatt.logic.function import BooleanFunction, assignments
from tests.logic.test_expression import trees
from tests.reference.logic import fires


def plainly(network: ThresholdNetwork, row: list[int]) -> list[int]:
    """The network's answer, unit by unit, in plain Python."""
    values = dict(zip(network.inputs, row, strict=True))
    for name, unit in network.units.items():
        values[name] = fires(unit.weights, unit.bias, [values[source] for source in unit.inputs])
    return [values[name] for name in network.outputs]


def check(network: ThresholdNetwork, table: np.ndarray, *, expression: bool = True) -> None:
    np.testing.assert_array_equal(network.table, table)
    if expression:
        assert BooleanFunction(network.to_expression(), network.inputs) == BooleanFunction(table)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_every_function_of_few_inputs(n: int) -> None:
    for table in assignments(1 << n).astype(bool):
        network = ThresholdNetwork.from_function(table)
        check(network, table)
        assert network.depth <= 2
        assert [plainly(network, row)[0] for row in assignments(n).tolist()] == table.tolist()
        assert (network.n_hidden == 0) == bool(as_threshold_unit(table))


def test_functions_of_four_inputs() -> None:
    for table in assignments(16)[::97].astype(bool):
        check(ThresholdNetwork.from_function(table), table)


@pytest.mark.slow
def test_every_function_of_four_inputs() -> None:
    hidden = np.zeros(17, dtype=int)
    for table in assignments(16).astype(bool):
        network = ThresholdNetwork.from_function(table)
        check(network, table, expression=False)
        assert network.depth <= 2
        hidden[network.n_hidden] += 1
    assert hidden.sum() == 65_536 and hidden[0] == 1_882
    assert hidden[7:].sum() == 0  # six hidden units are always enough


def random_table(n: int, seed: int, share: float) -> np.ndarray:
    return np.random.default_rng(seed).random(1 << n) < share


@given(st.integers(5, 9), st.integers(0, 2**32), st.floats(0.05, 0.95))
@settings(max_examples=150)
def test_random_functions(n: int, seed: int, share: float) -> None:
    table = random_table(n, seed, share)
    network = ThresholdNetwork.from_function(table)
    check(network, table, expression=n <= 6)
    assert network.depth <= 2


@pytest.mark.slow
@given(st.integers(6, 10), st.integers(0, 2**32), st.floats(0.02, 0.98))
@settings(max_examples=3000)
def test_thousands_of_random_functions(n: int, seed: int, share: float) -> None:
    table = random_table(n, seed, share)
    network = ThresholdNetwork.from_function(table)
    check(network, table, expression=False)
    assert network.depth <= 2 and network.n_hidden <= 1 << (n - 1)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8, *(pytest.param(n, marks=pytest.mark.slow) for n in (12, 16))])
def test_parity(n: int) -> None:
    table = assignments(n).sum(axis=1) % 2 == 1
    for answers in (table, ~table):
        shallow = ThresholdNetwork.from_function(answers)
        np.testing.assert_array_equal(shallow.table, answers)
        assert shallow.n_hidden == n and shallow.depth == 2
        deep = ThresholdNetwork.from_function(answers, depth=None)
        np.testing.assert_array_equal(deep.table, answers)
        assert deep.n_units == n.bit_length()


@given(st.integers(2, 8), st.data())
@settings(max_examples=60)
def test_counting_functions_need_at_most_n(n: int, data: st.DataObject) -> None:
    answers = data.draw(st.lists(st.booleans(), min_size=n + 1, max_size=n + 1))
    flipped = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    table = np.array(answers)[(assignments(n) ^ flipped).sum(axis=1)]
    network = ThresholdNetwork.from_function(table)
    check(network, table, expression=False)
    assert network.n_hidden <= n


@given(trees)
def test_gates_of_expressions(tree: object) -> None:
    f = BooleanFunction(str(tree), inputs="a b c")
    for network in (
        ThresholdNetwork.from_expression(str(tree), "a b c"),
        ThresholdNetwork.from_function(str(tree), "a b c", depth=None),
        ThresholdNetwork.from_function(str(tree), "a b c", depth=None).layered(),
    ):
        check(network, f.table)


def test_products_share_a_unit_where_one_can_hold_them() -> None:
    network = ThresholdNetwork.from_function("a & b | a & c | d & ~e & f")
    assert network.n_hidden == 2 and str(network.units["h1"]) == "2 a + b + c >= 2.5"
    check(network, BooleanFunction("a & b | a & c | d & ~e & f").table)


@pytest.mark.parametrize(
    "text",
    [
        "(g1 & b) | (c & d)",
        "(g2 & b) | (c & d) | (b & c)",
        "(g1 ^ g2) | (g3 & g4)",
        "out ^ b",
        "out & out_",
        "~(out ^ out_ ^ h1 ^ hh1)",
        "(out & h1) | (c & d)",
        "((a & b) & c) ^ ((a & b) & c) ^ (a & b)",
    ],
)
def test_names_are_free_and_dead_gates_are_left_out(text: str) -> None:
    table = BooleanFunction(text).table
    for network in (
        ThresholdNetwork.from_expression(text),
        ThresholdNetwork.from_function(text),
        ThresholdNetwork.from_function(text, depth=None),
    ):
        check(network, table)
        assert network.output(network.outputs[0]).n_units == network.n_units


def test_an_expression_of_many_inputs_is_no_larger_than_its_gates() -> None:
    text = " | ".join(f"(a{i} & b{i})" for i in range(8))
    network = ThresholdNetwork.from_function(text)
    assert network.n_units == 9 and network.depth == 2
    check(network, BooleanFunction(text).table, expression=False)
    wider = " | ".join(f"(a{i} & b{i})" for i in range(12))
    assert ThresholdNetwork.from_function(wider) == ThresholdNetwork.from_expression(wider)


def test_xor() -> None:
    xor = ThresholdNetwork.from_function("a ^ b")
    assert (xor.n_hidden, xor.n_units, xor.depth) == (2, 3, 2)
    assert xor([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist() == [0, 1, 1, 0]
    assert xor([[-1, -1], [-1, 1]]).tolist() == [-1, 1] and xor(1, 0) == 1 == xor([1, 0])
    assert xor.truth_table().splitlines()[0] == "a b | out"


def test_many_inputs() -> None:
    text = " | ".join(f"(a{i} & b{i})" for i in range(20))
    network = ThresholdNetwork.from_function(text, depth=None)
    assert len(network.inputs) == 40 and network.n_units == 21
    X = np.random.default_rng(0).integers(0, 2, (1000, 40))
    np.testing.assert_array_equal(network(X), (X[:, ::2] & X[:, 1::2]).any(axis=1))
    assert ThresholdNetwork.from_function(text) == network
    with pytest.raises(ValueError, match="depth=None"):
        ThresholdNetwork.from_function(text, depth=1)


def test_bulk() -> None:
    network = ThresholdNetwork.from_function("a ^ b ^ c ^ d")
    X = np.random.default_rng(1).integers(0, 2, (300_000, 4)).astype(np.uint8)
    np.testing.assert_array_equal(network(X), X.sum(axis=1) % 2)


def test_composition() -> None:
    xor, both = ThresholdNetwork.from_function("a ^ b"), ThresholdUnit.and_(2, "p q")
    for made in (xor.of(a=both, b="r"), xor.of(a="p & q").of(b="r"), xor.of(b="r", a=lambda p, q: p and q)):
        np.testing.assert_array_equal(made.table, BooleanFunction("(p & q) ^ r", inputs=made.inputs).table)
    three = xor.of(a=xor, b="c")  # names of units clash, inputs a and b are shared
    assert BooleanFunction(three) == BooleanFunction("a ^ b ^ c")
    assert (xor >> ThresholdUnit.not_()).table.tolist() == [True, False, False, True]
    half = ThresholdNetwork.join({"sum": "a ^ b", "carry": "a & b", "same": "a"})
    assert half([[1, 1], [0, 1]]).tolist() == [[0, 1, 1], [1, 0, 0]]
    assert half.to_expression() == {"sum": "(a | b) & ~(a & b)", "carry": "a & b", "same": "a"}
    assert (half >> "x & ~y & z").inputs == ("a", "b")
    assert half.output("carry").table.tolist() == [False, False, False, True]


def test_own_units() -> None:
    units = {
        "out": ThresholdUnit([1, -1], -0.5, ("some", "both")),  # in any order
        "both": ThresholdUnit.and_(2, "a b"),
        "some": ThresholdUnit.or_(2, "a b"),
    }
    network = ThresholdNetwork("a b", units, "out")
    assert network.table.tolist() == [False, True, True, False]
    assert network.activity([[1, 1]])["both"].tolist() == [1]
    assert ThresholdNetwork("a b", {}, "b").table.tolist() == [False, True, False, True]


def test_units_come_level_by_level_and_in_each_as_they_were_given() -> None:
    random = np.random.default_rng(0)
    for count in (1, 5, 40):
        names = [f"u{n}" for n in range(count)]
        sources = {name: [names[k] for k in random.permutation(n)[:3]] + ["a"] for n, name in enumerate(names)}
        given = [names[k] for k in random.permutation(count)]
        units = {name: ThresholdUnit.or_(len(sources[name]), sources[name]) for name in given}
        known, rounds, left = {"a"}, [], given
        while left:  # whatever is ready, round by round
            ready = [name for name in left if known.issuperset(sources[name])]
            rounds, left, known = [*rounds, *ready], [name for name in left if name not in ready], known | {*ready}
        assert list(ThresholdNetwork("a", units, names[-1]).units) == rounds


def test_a_long_chain_is_put_in_order() -> None:
    names = ["a", *(f"u{n}" for n in range(20_000))]
    units = {name: ThresholdUnit.or_(1, [before]) for before, name in pairwise(names)}
    backwards = dict(reversed(units.items()))  # 20,000 rounds over what is left would take minutes
    assert list(ThresholdNetwork("a", backwards, names[-1]).units) == names[1:]
    with pytest.raises(ValueError, match="but u0, u1 wait for each other"):
        ThresholdNetwork(
            "a", {"u": units["u0"], "u0": ThresholdUnit.or_(1, ["u1"]), "u1": ThresholdUnit.or_(1, ["u0"])}, "u0"
        )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ThresholdNetwork("a", {"u": ThresholdUnit([1], 0, "b")}, "u"), "reads 'b'"),
        (lambda: ThresholdNetwork("a", {"a": ThresholdUnit([1], 0, "a")}, "a"), "same name"),
        (lambda: ThresholdNetwork("a", {"u": ThresholdUnit([1], 0, "u")}, "u"), "ThresholdMachine"),
        (lambda: ThresholdNetwork("a", {"u": ThresholdUnit([1], 0, "a")}, "v"), "no 'v'"),
        (lambda: ThresholdNetwork("a", {"u": 3}, "u"), "is int"),
        (lambda: ThresholdNetwork("a", {}, ()), "one or more"),
        (lambda: ThresholdNetwork.from_function("a ^ b", depth=0), "depth"),
        (lambda: ThresholdNetwork.from_function("a ^ b", depth=1), "1 layer"),
        (lambda: ThresholdNetwork.from_function([0, 1, 1]), "2\\^n"),
        (lambda: ThresholdNetwork.from_function("a &"), "character 3"),
        (lambda: ThresholdNetwork.from_function("a ^ b")([[1, 2]]), "0 and 1"),
        (lambda: ThresholdNetwork.from_function("a ^ b")([[1]]), "2 values"),
        (lambda: ThresholdNetwork.from_function("a ^ b").of(c="x"), "got 'c'"),
        (lambda: ThresholdNetwork.from_function("a ^ b") >> "x & y", "1 and 2"),
        (lambda: ThresholdNetwork.from_function(ThresholdUnit.majority(15)).to_expression(), "12 inputs"),
        (lambda: ThresholdNetwork.from_expression("a & c", "a b"), "'c'"),
    ],
)
def test_refuses(make: object, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()  # type: ignore[operator]


def test_edited_units_count() -> None:
    network = ThresholdNetwork.from_function("a ^ b")
    assert network.table.tolist() == [False, True, True, False]
    network.units["h2"] = ThresholdUnit([1, 1, 1], -2.5, ("a", "b", "h1"))  # reads another layer now
    assert network.table.tolist() == [False, True, True, False]
    network.units["h2"] = ThresholdUnit([0, 0], -1, ("a", "b"))
    assert network.table.tolist() == [False, True, True, True]
    network.units["h2"] = ThresholdUnit([1], -1, ("nobody",))
    with pytest.raises(ValueError, match="reads 'nobody', which is neither"):
        network.table  # noqa: B018


def test_expressions_of_deep_networks_stay_short() -> None:
    names = "abcdefghijklmnop"
    chain = ThresholdNetwork.from_expression(" ^ ".join(names))
    assert chain.to_expression() == " ^ ".join(names)  # a doubling at each step, had it been written out
    mixed = ThresholdNetwork.from_expression("(" + " ^ ".join(names) + ") & ~(q ^ r) | s")
    again = ThresholdNetwork.from_expression(mixed.to_expression(), mixed.inputs)
    rows = np.random.default_rng(0).integers(0, 2, (500, len(mixed.inputs)))
    np.testing.assert_array_equal(again(rows), mixed(rows))
    with pytest.raises(ValueError, match="An expression may have 20,000 names"):
        adder(12).to_expression()
    with pytest.raises(ValueError, match="100 levels"):
        ThresholdNetwork.from_expression(" ^ ".join(f"x{i}" for i in range(200))).to_expression()
