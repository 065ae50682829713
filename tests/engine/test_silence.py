"""From which margin on a rule is shown to be silent."""

import math
import random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.silence import Range, UndecidedError, on_ranges, silent_above
from rosenblatt.rules import RULES

TWO = 2.0


def helper(m, edge):
    return max(0.0, edge - m)


def by_helper(m, sqnorm, t, params):
    return helper(m, TWO * params[0]), 1.0


def careful(m, sqnorm, t, params):
    if m <= 0:
        return 1.0, 1.0
    return (0.5 if m < params[0] else 0.0), 1.0


def tube(m, sqnorm, t, params):
    """Also pulls back what is too far on its side."""
    return (1.0 - m if abs(1.0 - m) > 0.5 else 0.0), 1.0


def lazy(m, sqnorm, t, params):
    return (1.0 if m <= 0.0 and np.random.random() < 0.5 else 0.0), 1.0


def moody(m, sqnorm, t, params):
    return (1.0 if random.random() < 0.0 else 0.0), 1.0


def fading(m, sqnorm, t, params):
    return (1.0 / t, 1.0) if m <= 0.0 else (0.0, 1.0)


def soon_over(m, sqnorm, t, params):
    return (1.0 if t < 10 else 0.0), 1.0


def by_length(m, sqnorm, t, params):
    return (1.0 if m < sqnorm else 0.0), 1.0


def never_ends_well(m, sqnorm, t, params):
    return 1.0 / 0.0, 1.0


def shrinking(m, sqnorm, t, params):
    return (1.0 if m <= 0.0 else 0.0), 0.9


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("perceptron", 0.0), ("margin_perceptron", 1.0), ("passive_aggressive", 1.0), ("passive_aggressive_1", 1.0),
        ("passive_aggressive_2", 1.0), ("pegasos", math.inf), ("logistic", math.inf), ("adaline", math.inf),
        ("sigmoid_neuron", math.inf),
    ],
)  # fmt: skip
def test_every_rule_of_the_table(name, above):
    rule = RULES[name]
    assert silent_above(rule.function, rule.values()) == above
    assert silent_above(rule.function, rule.values(), rule.weighted_index) == above  # whatever the weight of a row


def test_there_is_an_answer_for_every_rule():
    assert {name for name, *_ in test_every_rule_of_the_table.pytestmark[0].args[1]} == set(RULES)


@pytest.mark.parametrize(
    ("function", "params", "above"),
    [
        (careful, (1.7,), 1.7), (careful, (0.0,), 0.0), (by_helper, (0.15,), 0.3), (fading, (), 0.0),
        (numba.njit(careful), (3.0,), 3.0), (careful, (1e9,), 1e9),
    ],
)  # fmt: skip
def test_rules_of_a_users_own(function, params, above):
    assert silent_above(function, params) == pytest.approx(above, rel=1e-11, abs=0)


@pytest.mark.parametrize(
    "function", [tube, lazy, moody, soon_over, by_length, never_ends_well, shrinking, lambda m, s, t, p: (m > 0, 1)]
)
def test_rules_that_are_not_shown_to_be_silent(function):
    assert silent_above(function, ()) == math.inf


def test_what_is_drawn_by_lot_is_no_proof():
    on_ranges(by_helper)
    for function in (moody, lazy, math.sqrt, print):
        with pytest.raises(UndecidedError):
            on_ranges(function)


MINUS_ONE, LARGE, LARGER = -1, 6364136223846793005, 2**62


def otherwise_in_whole_numbers(m, sqnorm, t, params):
    return (1.0 if m <= 0.0 or t * LARGE * 1e-19 < -0.9222 else 0.0), 1.0


def otherwise_in_one_rounding(m, sqnorm, t, params):
    return (1.0 if m <= (params[0] * params[0] - params[1]) * params[2] else 0.0), 1.0


def otherwise_as_a_power(m, sqnorm, t, params):
    return (1.0 if m <= 1 - 2**MINUS_ONE else 0.0), 1.0


def otherwise_turned_round(m, sqnorm, t, params):
    return (~(m <= 0) + 1) * 1.0, 1.0


def otherwise_when_too_large(m, sqnorm, t, params):
    return (1.0 if LARGER * 4 < 1 else 0.0), 1.0


def otherwise_by_local_names(m, sqnorm, t, params):
    large = 4294967296
    return (1.0 if m <= 0 or large * large < 1 else 0.0), 1.0


def otherwise_by_answers(m, sqnorm, t, params):
    two = (not m < 0) + (not m < 0)
    for_long = two * two * two
    return (1.0 if m <= 0 or for_long * for_long < 0 else 0.0), 1.0


def otherwise_when_caught(m, sqnorm, t, params):
    try:
        return (1.0 if m * m < params[0] else 0.0), 1.0
    except Exception:
        return 0.0, 1.0


def saw(m, sqnorm, t, params):
    if m <= 0.0:
        return 1.0, 1.0
    while m > 1.0:
        m = m - 1.0
    return (0.01 if m < 1e-5 else 0.0), 1.0


@pytest.mark.parametrize(
    ("function", "params"),
    [
        (otherwise_in_whole_numbers, ()), (otherwise_as_a_power, ()), (otherwise_turned_round, ()),
        (otherwise_when_too_large, ()), (otherwise_by_local_names, ()), (otherwise_by_answers, ()),
        (otherwise_when_caught, (4.0,)), (saw, ()),
    ],
)  # fmt: skip
def test_what_compiled_code_may_do_otherwise_or_for_ever_is_not_shown(function, params):
    assert silent_above(function, params) == math.inf


def test_a_threshold_that_hangs_on_a_rounding_is_shown_for_every_rounding():
    params = (0.339, 0.339 * 0.339, 1.1936389152850506e17)
    assert otherwise_in_one_rounding(1e-9, 1.0, 1, params) == (0.0, 1.0)  # in Python
    loud = numba.njit(fastmath={"contract", "reassoc"})(otherwise_in_one_rounding)(0.5, 1.0, 1, params)[0]
    assert silent_above(otherwise_in_one_rounding, params) > (0.8 if loud else 0.0)


def test_ranges_of_constants_and_of_what_is_read():
    def scaled(factor):
        return lambda m, sqnorm, t, params: ((factor * params[-1] if m < factor * 2 else 0.0), 1.0)

    assert silent_above(scaled(0.5), (1.0,)) == pytest.approx(1.0, rel=1e-9)
    assert silent_above(scaled(1), (1.0,)) == math.inf  # a whole number times another


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(1e-9, 1e9), st.integers(1, 10**9))
def test_a_rule_is_silent_where_it_was_shown_to_be(edge, beyond, sqnorm, t):
    margin = math.nextafter(silent_above(careful, (edge,)), math.inf) + beyond
    assert careful(margin, sqnorm, t, (edge,)) == (0.0, 1.0)


numbers = st.floats(-50, 50)


@given(numbers, numbers, numbers, numbers, st.floats(0, 1), st.floats(0, 1), st.sampled_from("+-*/<>≤≥=≠n|"))
def test_a_range_does_what_every_number_in_it_does(a, b, c, d, here, there, operation):
    left, right = Range(min(a, b), max(a, b)), Range(min(c, d), max(c, d))
    x = min(max(left.low + here * (left.high - left.low), left.low), left.high)
    y = min(max(right.low + there * (right.high - right.low), right.low), right.high)
    do = {
        "+": lambda p, q: p + q, "-": lambda p, q: p - q, "*": lambda p, q: p * q, "/": lambda p, q: p / q,
        "<": lambda p, q: p < q, ">": lambda p, q: p > q, "≤": lambda p, q: p <= q, "≥": lambda p, q: p >= q,
        "=": lambda p, q: p == q, "≠": lambda p, q: p != q, "n": lambda p, q: -p, "|": lambda p, q: abs(p),
    }[operation]  # fmt: skip
    for first, second in ((left, right), (left, y), (x, right)):
        try:
            found = do(first, second)
        except UndecidedError:
            continue
        expected = do(x, y)
        assert Range.of(found).low <= expected <= Range.of(found).high


def test_ranges_that_cannot_be_told():
    for undecided in (
        lambda: Range(0, 2) < 1, lambda: Range(0, 2) >= 1, lambda: Range(0, 2) == 1, lambda: bool(Range(-1, 1)),
        lambda: 1 / Range(-1, 1), lambda: Range(0, math.inf) - Range(0, math.inf), lambda: Range(0, 1) + "1",
        lambda: Range(math.nan, 1), lambda: Range(-1, 1) * Range(1, math.inf), lambda: Range(1, 1, True) * 2,
        lambda: Range(1, 2) / 1e-300, lambda: Range(1e200, math.inf) * 1e200, lambda: bool(Range(0, 1)),
        lambda: [1, 2][Range(0, 1, True)], lambda: [1, 2][Range(0, 0)], lambda: Range.of(2**53 + 1),
    ):  # fmt: skip
        with pytest.raises(UndecidedError):
            undecided()
    assert bool(Range(1, 2)) and not Range(0, 0)
    assert [1, 2][Range(1, 1, True)] == 2
    assert (Range(1e-200, 1e-200) * 1e-200).high > 0.0 and (Range(0, 0) * 5.0).high == 0.0
    with pytest.raises(UndecidedError):
        math.exp(Range(0, 1))
