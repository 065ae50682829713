"""Wrong arguments in the room of logic get one sentence: what must hold, what came, what to do."""

import numpy as np
import pytest

from rosenblatt import (
    BooleanFunction,
    RuleNetwork,
    ThresholdMachine,
    ThresholdNetwork,
    ThresholdUnit,
    as_threshold_unit,
)
from rosenblatt.logic.circuits import adder, counter

OR = ThresholdUnit.or_(2, ("a", "b"))
XOR = ThresholdNetwork.from_function("a ^ b")
LATCH = ThresholdMachine.from_units(["x"], {"lit": ThresholdUnit.or_(2, ("x", "lit"))})

WRONG = [
    (lambda: ThresholdUnit([1, 1], 0, 3), "inputs must be names, but 3 came"),
    (lambda: ThresholdUnit([1, 1], 0, ("a", "b", "c")), "There must be 2 names of inputs"),
    (lambda: ThresholdUnit.or_(inputs=2.5), "inputs must be names, but 2.5 came"),
    (lambda: ThresholdUnit.or_(10**12), "at most 1,000,000 inputs, since each has a name and .* got 1,000,000,000,000"),
    (lambda: ThresholdUnit.or_("a"), "n must be the number of inputs, 1 or more, but got 'a'"),
    (lambda: ThresholdUnit.gate("or", k=2), "k must be left out for the gate or, but got 2"),
    (lambda: OR.evaluate([[0, 1]], signs="yes"), "signs must be True or False, but 'yes' came"),
    (lambda: BooleanFunction(len), "A predicate must take 1 Booleans, .* but it failed on them"),
    (lambda: BooleanFunction(lambda a, b: a, inputs="a"), "A predicate must take 1 Booleans"),
    (lambda: ThresholdNetwork(None, {"u": OR}, "u"), "inputs must be names, but None came"),
    (lambda: ThresholdNetwork("a b", [OR], "u"), r"units must be a mapping such as .*, but \[ThresholdUnit"),
    (lambda: ThresholdNetwork("a b", {"u": OR}, 3), "outputs must be names, but 3 came"),
    (lambda: ThresholdNetwork("a b", {"u": OR}, ["u", "u"]), "outputs must be one or more different names"),
    (lambda: ThresholdNetwork.from_expression(None), "An expression must be a text such as 'a & b', but None came"),
    (lambda: ThresholdNetwork.join("a ^ b"), r"parts must be a mapping such as {'sum': 'a \^ b'}"),
    (lambda: XOR.output(["a"]), r"There must be a unit \['a'\], but there are"),
    (lambda: RuleNetwork("if x > 3 then red"), "rules must be a list of at least one Rule, but 'if x > 3"),
    (lambda: RuleNetwork([]), "rules must be a list of at least one Rule"),
    (lambda: adder(10**12), "bits must be a whole number from 1 to 1,000, but 1000000000000 came"),
    (lambda: adder(1001), r"the effort grows with its square; serial_adder\(\) adds numbers of any length"),
    (lambda: counter(1001), "bits must be a whole number from 1 to 1,000, but 1001 came; .* grows with its square"),
    (lambda: counter("a"), "bits must be a whole number from 1 to 1,000, but 'a' came"),
    (lambda: ThresholdMachine(LATCH.network, ["lit"]), r"delays must be a mapping such as .*, but \['lit'\] came"),
    (lambda: ThresholdMachine(LATCH.network, LATCH.delays, 3), "outputs must be names, but 3 came"),
    (lambda: ThresholdMachine(LATCH.network, LATCH.delays, start=3), "start must be a mapping such as"),
    (lambda: ThresholdMachine(LATCH.network, LATCH.delays, start={"lit": "a"}), "start gives memories 0 or 1"),
    (lambda: ThresholdMachine(LATCH.network, LATCH.delays, start={"lit": np.ones(3)}), "start gives memories 0 or 1"),
    (lambda: ThresholdMachine.from_units(3, {"u": OR}), "inputs must be names, but 3 came"),
    (lambda: ThresholdMachine.from_units("x", None), "units must be a mapping such as"),
    (lambda: LATCH.run([[0]], reset="no"), "reset must be True or False, but 'no' came"),
    (lambda: LATCH.run(np.zeros((1, 1, 1))), "rows must be a table with the columns x, but got 3 axes"),
    (lambda: as_threshold_unit("a ^ b").side("true"), "answer must be True or False, but 'true' came"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_wrong_arguments(call, words):
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        call()
    said = str(raised.value)
    assert said.endswith(".") and "\n" not in said and ";" in said
