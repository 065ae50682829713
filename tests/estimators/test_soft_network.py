"""Networks of threshold units that become sigmoid layers, learn on, and come back."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import GradientDescent, Layer, ThresholdNetwork, ThresholdUnit, from_rules, harden, soften
from rosenblatt.logic.circuits import adder
from rosenblatt.logic.function import assignments


@given(st.integers(1, 4), st.integers(0, 2**32))
@settings(max_examples=40)
def test_there_and_back(n: int, seed: int) -> None:
    table = np.random.default_rng(seed).random(1 << n) < 0.5
    network = ThresholdNetwork.from_function(table)
    layer = soften(network)
    np.testing.assert_array_equal(layer.predict(assignments(n).astype(float)), table)
    np.testing.assert_array_equal(harden(layer, network.inputs).table, table)


def test_several_outputs_and_skipped_layers() -> None:
    network = adder(2)
    layer = soften(network)
    np.testing.assert_array_equal(layer.predict(assignments(4).astype(float)), network(assignments(4)))
    np.testing.assert_array_equal(harden(layer).table, network.table)
    touching = ThresholdNetwork("a b", {"u": ThresholdUnit([1, 1], -1, "a b"), "v": ThresholdUnit([2], -2, "u")}, "v")
    assert soften(touching).predict(assignments(2).astype(float)).tolist() == [0, 1, 1, 1]
    single = ThresholdNetwork("a b", {}, "b")
    assert soften(single).predict(assignments(2).astype(float)).tolist() == [0, 1, 0, 1]
    assert soften(ThresholdUnit.and_(2)).predict([[1.0, 1.0], [1.0, 0.0]]).tolist() == [1, 0]


def test_learns_on() -> None:
    """From a network for a neighbouring function, in fewer steps and to the right one."""
    X = assignments(3).astype(float)
    wanted = X.sum(axis=1) % 2  # parity
    wrong = ThresholdNetwork.from_function("(a ^ b) | c")
    layer = soften(wrong, steepness=2.0)
    before = float(np.mean((layer.activate(X)[:, 0] - wanted) ** 2))
    assert layer.predict(X).tolist() != wanted.tolist()
    layer.fit(X, wanted)
    after = float(np.mean((layer.activate(X)[:, 0] - wanted) ** 2))
    assert after < before
    majority = soften(ThresholdUnit.and_(3), steepness=2.0).fit(X, X.sum(axis=1) >= 2)
    assert harden(majority) == ThresholdNetwork.from_function(ThresholdUnit.majority(3))


def test_training_starts_at_the_weights() -> None:
    layer = soften(ThresholdNetwork.from_function("a ^ b"))
    start = [layer.below_.weights_.copy(), layer.weights_.copy()]  # type: ignore[union-attr]
    layer.set_params(max_iter=1, solver=GradientDescent(batch_size=None, learning_rate=1e-9))
    with pytest.warns(UserWarning, match="max_iter"):
        layer.fit(assignments(2).astype(float), [0, 1, 1, 0])
    np.testing.assert_allclose(layer.below_.weights_, start[0], atol=1e-6)  # type: ignore[union-attr]
    np.testing.assert_allclose(layer.weights_, start[1], atol=1e-6)


def test_tanh_layers_come_back() -> None:
    X, y = assignments(2).astype(float), [0, 1, 1, 0]
    layer = Layer("sigmoid", below=Layer("tanh", units=2), random_state=0).fit(X, y)
    assert harden(layer).table.astype(int).tolist() == y


def test_refuses() -> None:
    xor = ThresholdNetwork.from_function("a ^ b")
    X = assignments(2).astype(float)
    for make, words in (
        (lambda: soften("a ^ b"), "networks of threshold units"),
        (lambda: soften(xor, steepness=0), "steepness"),
        (lambda: harden(Layer()), "fitted Layer"),
        (lambda: harden(soften(xor), inputs=("a",)), "2 names"),
        (lambda: harden(Layer.from_weights([[1.0]], [0.0], "linear")), "linear"),
        (lambda: soften(xor).fit(X[:, :1], [0, 1, 1, 0]), "2 features"),
        (lambda: soften(xor).fit(X, [0, 1, 2, 0]), "outputs"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            make()
    layer = soften(xor)
    with pytest.raises(ValueError, match="outputs"):
        layer.fit(X, [0, 1, 2, 0])
    assert layer.predict(X).tolist() == [0, 1, 1, 0]  # a refused fit leaves it as it was


def test_names_are_kept() -> None:
    network = ThresholdNetwork.from_function("rain ^ wind")
    assert harden(soften(network)) == network
    assert harden(soften(network, steepness=3.0)).inputs == ("rain", "wind")
    trained = soften(network).fit(assignments(2).astype(float), network.table)
    back = harden(trained)
    assert back.inputs == ("rain", "wind") and list(back.units) == list(network.units)
    assert harden(soften(network), inputs=("a", "b")).inputs == ("a", "b")
    assert harden(soften(network), inputs=("h1", "b")).inputs == ("h1", "b")
    sums = adder(2)
    assert set(sums.outputs) <= set(harden(soften(sums)).units) | {f"{name}@2" for name in sums.outputs}


def test_the_same_answers_are_proven_for_many_inputs() -> None:
    """One row in 2^16 fires: samples would not see it."""
    for network in (
        ThresholdNetwork.from_expression(" & ".join(f"x{i}" for i in range(16))),
        ThresholdNetwork.from_expression(" ^ ".join(f"x{i}" for i in range(16))),
        adder(8),
    ):
        layer = soften(network)
        rows = assignments(16).astype(float)
        np.testing.assert_array_equal(layer.predict(rows), network(rows.astype(int)))
    wide = soften(ThresholdUnit.majority(41))
    just = np.zeros((2, 41))
    just[0, :20], just[1, :21] = 1, 1
    assert wide.predict(just).tolist() == [0, 1]


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.integers(-20, 20))
def test_the_gap_is_a_bound(weights: list[int], bias: int) -> None:
    from rosenblatt.logic.matrices import gap_of

    unit = ThresholdUnit([w / 2 for w in weights], bias / 4)
    sums = assignments(len(weights)) @ np.array(weights) / 2 + bias / 4
    assert 0 <= gap_of(unit) <= np.abs(sums).min()


@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=4),
    st.integers(1, 7),
    st.integers(0, 15),
    st.sampled_from([None, 0.1, 1.0, 3.0]),
    st.booleans(),
)
def test_units_with_a_row_on_the_threshold_come_back(weights, denominator, row, steepness, floats) -> None:
    """Also with weights in thirds, as fractions or rounded to floats."""
    exact = [Fraction(w, denominator) for w in weights]
    bias = -sum((w for i, w in enumerate(exact) if row >> i & 1), Fraction(0))
    unit = ThresholdUnit([float(w) for w in exact], float(bias)) if floats else ThresholdUnit(exact, bias)
    assert harden(soften(unit, steepness)).table.ravel().tolist() == unit.table.tolist()


CREDIT = """
    if other_delinquent_accounts > 2 and delinquent_cycles > 1 then deny;
    if other_delinquent_accounts = 0 and (income > 30000 or years_of_credit > 3) then accept;
    otherwise refer
"""


def test_rules_become_layers() -> None:
    rules = from_rules(CREDIT)
    random = np.random.default_rng(0)
    ranges = {"other_delinquent_accounts": 5, "delinquent_cycles": 4, "income": 60_001, "years_of_credit": 7}
    rows = np.column_stack([random.integers(0, ranges[name], 3000) for name in rules.columns])
    rows[:500, rules.columns.index("income")] = 30_000 + random.integers(-1, 2, 500)  # on the edge
    for steepness in (None, 64.0):
        layer = soften(rules, steepness)
        assert layer.predict(rows.astype(float)).tolist() == rules.predict(rows).tolist()
    fine = soften(rules, resolution={"income": 0.01})
    edge = np.array([[0.0 if "accounts" in n else 30000.01 if n == "income" else 0.0 for n in rules.columns]])
    assert fine.predict(edge).tolist() == ["accept"] and fine.predict(np.floor(edge)).tolist() == ["refer"]


def test_rules_of_two_decisions_learn_on() -> None:
    rules = from_rules("if member and age >= 18 then yes; otherwise no")
    rows = np.array([[m, a] for m in (0.0, 1.0) for a in range(10, 30)])
    rows = rows if rules.columns == ("member", "age") else rows[:, ::-1]
    layer = soften(rules, 2.0)
    assert layer.predict(rows).tolist() == rules.predict(rows).tolist()
    member, age = rows.T if rules.columns == ("member", "age") else rows.T[::-1]
    wanted = np.where((member == 1) & (age >= 20), "yes", "no")
    assert layer.score(rows, wanted) < 1.0
    assert layer.fit(rows, wanted).score(rows, wanted) == 1.0  # it continues from the rules
    for make in (
        lambda: harden(soften(rules)),
        lambda: soften(from_rules("if a > 1 then x")),
        lambda: soften(rules, resolution=0),
    ):
        with pytest.raises(ValueError, match=r"Boolean inputs|add 'otherwise'|resolution must be"):
            make()
