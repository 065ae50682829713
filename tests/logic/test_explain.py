from __future__ import annotations

import numpy as np
import pandas
import pytest

from rosenblatt import ThresholdNetwork, ThresholdUnit, explain, from_rules
from tests.logic.test_rules import CREDIT


def test_rules() -> None:
    network = from_rules(CREDIT)
    row = {"other_delinquent_accounts": 0, "delinquent_cycles": 0, "income": 30000, "years_of_credit": 4}
    told = explain(network, row)
    assert told.answer == "accept" and "rule 2" in told.fired and "rule 1" not in told.fired
    assert "decide accept" in told.fired and "income <= 30000" in told.fired
    assert told.because is not None and told.because.startswith("rule 2, if other_delinquent_accounts = 0")
    assert "● rule 2" in str(told) and "○ rule 3" in str(told)
    assert explain(network, row | {"years_of_credit": 3}).answer == "refer"
    assert explain(network, list(row.values())).answer == "accept"
    unmatched = explain(from_rules("if a > 1 then x"), {"a": 0})
    assert unmatched.answer is None and unmatched.because == "no rule matched"


def test_networks_and_units() -> None:
    xor = ThresholdNetwork.from_function("a ^ b")
    told = explain(xor, {"b": 1, "a": 0})
    assert told.answer == 1 and told.fired == ("h1", "out")
    assert [line.sum for line in told.lines] == ["1", "1", "1"]
    assert explain(xor, [-1, 1]).fired == ("h1", "out")
    assert explain(ThresholdUnit.majority(3), [1, 1, 0]).fired == ("unit",)


def test_refuses() -> None:
    xor = ThresholdNetwork.from_function("a ^ b")
    for bad, words in (({"a": 1}, "no 'b'"), ([[1, 0], [0, 1]], "one row"), ([1], "2 values"), ([1, 3], "0 and 1")):
        with pytest.raises(ValueError, match=words):
            explain(xor, bad)
    with pytest.raises(TypeError, match="str"):
        explain("a ^ b", [0, 1])


def test_a_labelled_row_goes_by_its_names() -> None:
    rules = from_rules("if income > 30000 or years > 3 then accept; otherwise refer")
    row = pandas.DataFrame({"years": [4], "age": [50], "income": [30000]}).iloc[0]
    told = explain(rules, row)
    assert told.answer == "accept" == rules.predict_one(row)
    assert {line.sum for line in told.lines if "=" in line.sum} == {"income = 30000", "years = 4"}
    assert explain(rules, pandas.Series([30000, 4])).answer == "accept"  # no names: in order
    unit = ThresholdUnit([1, -1], -0.5, ("a", "b"))
    network = ThresholdNetwork.from_function("a & ~b")
    labelled = pandas.Series({"b": 0, "c": 1, "a": 1})
    frame = pandas.DataFrame({"b": [0], "a": [1]})
    for some in (unit, network):
        for same in (labelled, frame, {"b": 0, "a": 1}, pandas.Series([1, 0])):
            assert explain(some, same).lines[-1].fired
            assert np.ravel(some(same)).tolist() == [1]
        with pytest.raises(ValueError, match="no 'a'"):
            some(pandas.Series({"b": 0, "c": 1}))
    with pytest.raises(ValueError, match="every name once"):
        unit(pandas.Series([1, 0, 1], index=["a", "b", "a"]))
    column = pandas.Series([0, 1], index=["first", "second"])  # of one input: labels of rows
    assert ThresholdUnit.not_()(column).tolist() == [1, 0]
