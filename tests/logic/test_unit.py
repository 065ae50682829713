from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas
import polars
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import ThresholdUnit
from rosenblatt.logic.function import assignments
from tests.reference.logic import fires, rows, table

GATES = {
    "or": any,
    "and": all,
    "nand": lambda row: not all(row),
    "nor": lambda row: not any(row),
    "majority": lambda row: 2 * sum(row) > len(row),
}


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("n", range(1, 6))
def test_gates(name: str, n: int) -> None:
    unit = ThresholdUnit.gate(name, n)
    assert unit.table.tolist() == [bool(GATES[name](row)) for row in rows(n)]
    sums = assignments(n) @ np.array(unit.weights) + unit.bias
    assert np.abs(sums).min() >= 0.5  # no row on the plane itself


def test_other_gates() -> None:
    assert ThresholdUnit.not_().table.tolist() == [True, False]
    assert ThresholdUnit.implies().table.tolist() == table(2, lambda a, b: not a or b)
    assert (
        ThresholdUnit.gate("implication") == ThresholdUnit.implies()
        and ThresholdUnit.gate("NOT") == ThresholdUnit.not_()
    )
    for n in range(1, 5):
        for k in range(n + 2):
            assert ThresholdUnit.at_least(k, n).table.tolist() == [sum(row) >= k for row in rows(n)]
    assert ThresholdUnit.gate("at-least-k", 3, k=2) == ThresholdUnit.majority(3)


def test_lecture_numbers() -> None:
    for unit, weights, bias in (
        (ThresholdUnit.or_(), (1, 1), -0.5),
        (ThresholdUnit.and_(), (1, 1), -1.5),
        (ThresholdUnit.not_(), (-1,), 0.5),
    ):
        assert (unit.weights, unit.bias) == (weights, bias)


numbers = st.one_of(
    st.integers(-(10**30), 10**30), st.fractions(max_denominator=97), st.floats(-1e6, 1e6), st.integers(-3, 3)
)


@given(st.lists(numbers, max_size=5), numbers)
def test_is_the_plain_sum(weights: list[object], bias: object) -> None:
    unit = ThresholdUnit(weights, bias)
    wanted = [fires(weights, bias, row) for row in rows(len(weights))]
    assert unit.evaluate(assignments(len(weights))).tolist() == wanted
    assert (~unit).table.tolist() == [not answer for answer in wanted]


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(st.lists(st.integers(-4, 4), min_size=n, max_size=n), st.integers(-6, 6))
    )
)
def test_signs_are_booleans(both: tuple[list[int], int]) -> None:
    weights, bias = both
    unit, X = ThresholdUnit(weights, bias), assignments(len(weights)).astype(int)
    np.testing.assert_array_equal(unit(2 * X - 1, signs=True), 2 * unit(X).astype(int) - 1)


def test_manners_of_rows() -> None:
    unit = ThresholdUnit.and_(2, inputs=("a", "b"))
    X = [[0, 1], [1, 1]]
    for same in (X, np.array(X, bool), np.array(X, np.float32), np.array(X, np.uint8), np.asfortranarray(X)):
        assert unit(same).tolist() == [0, 1]
    for frame in (pandas.DataFrame({"b": [1, 1], "a": [0, 1]}), polars.DataFrame({"b": [1, 1], "a": [0, 1]})):
        assert unit(frame).tolist() == [0, 1]
    assert unit([[-1, 1], [1, 1]]).tolist() == [-1, 1]
    assert unit([1, 1]) == 1 == unit(1, 1) and unit(True, False) == 0 and unit([-1, 1]) == -1
    assert unit(np.empty((0, 2))).tolist() == []
    assert ThresholdUnit.not_()(np.array([0, 1, 1])).tolist() == [1, 0, 0] and ThresholdUnit.not_()(1) == 0


def test_bulk_is_exact_beyond_floats() -> None:
    large = ThresholdUnit([2**60, -(2**60), 1], -1)
    assert large([[1, 1, 0], [1, 1, 1]]).tolist() == [0, 1]  # float64 would lose nothing here but 2^60 + 1
    assert ThresholdUnit([2**60 + 1, -(2**60)], -1)([[1, 1], [0, 0]]).tolist() == [1, 0]
    assert ThresholdUnit([0.1, 0.2], -0.3)(1, 1) == int(Fraction(0.1) + Fraction(0.2) >= Fraction(0.3))
    rows_ = np.random.default_rng(0).integers(0, 2, (200_001, 3))
    np.testing.assert_array_equal(ThresholdUnit.majority(3)(rows_), rows_.sum(axis=1) >= 2)


def test_printing() -> None:
    assert str(ThresholdUnit([2, 0, -1], -1.5, "a b c")) == "2 a - c >= 1.5"
    assert str(ThresholdUnit([-1], 0.5)) == "-x1 >= -0.5"
    assert str(ThresholdUnit([0], -0.5)) == "0 >= 0.5"
    assert str(ThresholdUnit([Fraction(1, 3)], 0)) == "1/3 x1 >= 0"
    assert ThresholdUnit.or_().truth_table().splitlines()[1] == " 0  0 | 0"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ThresholdUnit([1, float("nan")], 0), "finite"),
        (lambda: ThresholdUnit([1, "x"], 0), "must be a number"),
        (lambda: ThresholdUnit([[1]], 0), "list of numbers"),
        (lambda: ThresholdUnit([1], float("inf")), "bias must be finite"),
        (lambda: ThresholdUnit([1, 1], 0, inputs=("a",)), "2 names"),
        (lambda: ThresholdUnit([1, 1], 0, inputs=("a", "a")), "different names"),
        (lambda: ThresholdUnit.gate("xor"), "one of or, and"),
        (lambda: ThresholdUnit.gate("not", 2), "1 input"),
        (lambda: ThresholdUnit.gate("at_least"), "needs k and n"),
        (lambda: ThresholdUnit.at_least(4, 2), "from 0"),
        (lambda: ThresholdUnit.or_(0), "1 or more"),
        (lambda: ThresholdUnit.or_()([[0, 2]]), "0 and 1"),
        (lambda: ThresholdUnit.or_()([[0, -1]]), "-1 and \\+1"),
        (lambda: ThresholdUnit.or_()([[0.0, float("nan")]]), "0 and 1"),
        (lambda: ThresholdUnit.or_()([[0, 1, 1]]), "2 values"),
        (lambda: ThresholdUnit.or_()([["a", "b"]]), "0 and 1"),
        (lambda: ThresholdUnit.or_()([[None, 1]]), "missing"),
        (lambda: ThresholdUnit.or_()(1, 0, 1), "but not 3"),
        (lambda: ThresholdUnit.or_()(pandas.DataFrame({"x1": [0]})), "x2"),
    ],
)
def test_refuses(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()  # type: ignore[operator]


def test_needs_no_compiler() -> None:
    code = "import sys; from rosenblatt import ThresholdUnit; ThresholdUnit.or_()(1, 0); print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_masked_values_are_missing() -> None:
    unit = ThresholdUnit.and_(2, inputs=("a", "b"))
    rows = np.ma.array([[1, 1], [1, 1]], mask=[[0, 0], [1, 0]])
    for bad in (rows, {"a": rows[:, 0], "b": rows[:, 1]}):
        with pytest.raises(ValueError, match="1 are masked"):
            unit(bad)
    assert unit(np.ma.array([[1, 1]])).tolist() == [1]


def test_frames_of_booleans_beside_numbers() -> None:
    unit = ThresholdUnit([1, -1], -0.5, ("a", "b"))
    frame = pandas.DataFrame({"b": [1, 0], "a": [True, True]})
    assert unit(frame).tolist() == [0, 1] and unit(frame.iloc[1]) == 1
    assert unit(polars.DataFrame({"b": [1, 0], "a": [True, True]})).tolist() == [0, 1]
    assert unit({"b": [1, 0], "a": [True, True]}).tolist() == [0, 1]
    with pytest.raises(ValueError, match="same number of rows"):
        unit({"a": [1, 0], "b": [1]})
    for bad in (frame.assign(a=[True, None]), frame.assign(a=["x", "y"])):
        with pytest.raises(ValueError, match="objects"):
            unit(bad)
    for bad in (scipy.sparse.csr_matrix(np.eye(2)), polars.LazyFrame({"a": [1], "b": [0]})):
        with pytest.raises(TypeError, match=type(bad).__name__):
            unit(bad)


def test_counts_of_numpy() -> None:
    assert ThresholdUnit.and_(np.int64(3)) == ThresholdUnit.and_(3)
    assert ThresholdUnit.at_least(np.int8(2), np.uint8(3)) == ThresholdUnit.at_least(2, 3)
