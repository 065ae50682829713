from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import ThresholdNetwork, ThresholdUnit
from rosenblatt.logic.expression import ExpressionError
from rosenblatt.logic.function import BooleanFunction, assignments
from tests.reference.logic import rows

XOR = [False, True, True, False]


def test_order_of_rows() -> None:
    assert [tuple(row) for row in assignments(3).tolist()] == list(rows(3))
    assert assignments(0).shape == (1, 0)


@pytest.mark.parametrize(
    "same",
    [
        [0, 1, 1, 0], (False, True, True, False), np.array([-1, 1, 1, -1]), "0110", "a ^ b", lambda a, b: a != b,
        lambda p, q: int(p) ^ int(q), {(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 1): 0}, np.array([0.0, 1.0, 1.0, 0.0]),
        BooleanFunction("x ^ y"), ThresholdNetwork.from_function("a ^ b"),
    ],
)  # fmt: skip
def test_one_function_however_it_is_written(same: object) -> None:
    assert BooleanFunction(same).table.tolist() == XOR
    if not isinstance(same, str) or same == "0110":  # an expression names its inputs itself
        assert BooleanFunction(same, inputs=("p", "q")).inputs == ("p", "q")


def test_inputs() -> None:
    assert BooleanFunction("b & a").inputs == ("b", "a")
    assert BooleanFunction("b & ~a", inputs="a b").table.tolist() == [False, True, False, False]
    assert BooleanFunction([0, 1]).inputs == ("x1",)
    assert BooleanFunction(lambda rain, sun: rain).inputs == ("rain", "sun")
    assert BooleanFunction(lambda *x: sum(x) > 1, inputs=("a", "b", "c")).table.sum() == 4
    assert BooleanFunction(ThresholdUnit.and_(2)).table.tolist() == [False, False, False, True]
    assert BooleanFunction("1").n == 0 and BooleanFunction("1")() == 1
    assert BooleanFunction("a & b")(1, 1) == 1 == BooleanFunction("a & b")([1, 1])
    assert (~BooleanFunction("a & b")).table.tolist() == [True, True, True, False]
    assert BooleanFunction("a & (b | ~b)").depends_on().tolist() == [True, False]


@pytest.mark.parametrize(
    ("bad", "kind", "words"),
    [
        ([0, 1, 1], ValueError, "2\\^n answers"),
        ([], ValueError, "2\\^n answers"),
        ([0, 1, 2, 0], ValueError, "0 and 1"),
        ([0, 1, float("nan"), 0], ValueError, "0 and 1"),
        ([0, 1, -1, 1], ValueError, "-1 and \\+1"),
        (["yes", "no"], ValueError, "0 and 1"),
        ([[0, 1], [1, 0]], ValueError, "shape"),
        (lambda *x: True, ValueError, "inputs=…"),
        (lambda a: "yes", ValueError, "True or False"),
        (lambda a: 2, ValueError, "True or False"),
        ({(0, 0): 1}, ValueError, "each of the 2\\^2"),
        (None, TypeError, "NoneType"),
        (3, TypeError, "int"),
        (" & ".join(f"a{i}" for i in range(21)), ValueError, "at most 20 inputs"),
    ],
)
def test_refuses(bad: object, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        BooleanFunction(bad)


def test_names_are_checked() -> None:
    with pytest.raises(ExpressionError, match="'c'") as caught:
        BooleanFunction("a & c", inputs=("a", "b"))
    assert caught.value.position == 4
    with pytest.raises(ValueError, match="2\\^3 = 8 answers"):
        BooleanFunction([0, 1, 1, 0], inputs=("a", "b", "c"))
    for names in (("a", "a"), ("a", 1), ("a", "")):
        with pytest.raises(ValueError, match="inputs must"):
            BooleanFunction([0, 1, 1, 0], inputs=names)
    with pytest.raises(ValueError, match="one output"):
        BooleanFunction(ThresholdNetwork.join({"p": "a & b", "q": "a | b"}))


def test_printing() -> None:
    assert str(BooleanFunction("a & b")).splitlines() == ["a b |", "0 0 | 0", "0 1 | 0", "1 0 | 0", "1 1 | 1"]
    assert "rows more" in str(BooleanFunction(lambda a, b, c, d, e, f, g: a))
    assert repr(BooleanFunction("a ^ b")) == "BooleanFunction('0110', inputs=('a', 'b'))"


def test_minus_one_is_off() -> None:
    both = BooleanFunction("a & b")
    assert both(-1, 1) == 0 == both([1, -1]) and both(1, 1) == 1 == both(True, 1)
    with pytest.raises(ValueError, match="values of a row"):
        both(2, 1)
    signed = {(-1, -1): 0, (-1, 1): 0, (1, -1): 0, (1, 1): 1}
    assert BooleanFunction(signed) == both


def test_masked_values_are_missing() -> None:
    with pytest.raises(ValueError, match="1 are masked"):
        BooleanFunction(np.ma.array([0, 1, 1, 0], mask=[0, 0, 1, 0]))
    with pytest.raises(ValueError, match="1 are masked"):
        BooleanFunction("a & b")(np.ma.array([1, 1], mask=[0, 1]))
    assert BooleanFunction(np.ma.array([0, 1, 1, 0])) == BooleanFunction("a ^ b")
