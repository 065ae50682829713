"""Laws over the whole table of rules."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.rules import RULES, Rule

margins = st.floats(-50, 50)
squares = st.floats(1e-3, 1e3)
positive = st.floats(1e-3, 1e3)
table = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def draw_params(data, rule):
    return tuple(data.draw(positive) for _ in rule.parameters)


@table
def test_name_is_the_key(rule):
    assert RULES[rule.name] is rule
    assert rule.formula and rule.paper
    assert len(rule.values()) == len(rule.parameters)


@table
@given(data=st.data(), m=margins, sqnorm=squares, t=st.integers(1, 10**6))
def test_step_never_points_the_wrong_way_and_only_a_prior_shrinks(rule, data, m, sqnorm, t):
    params = draw_params(data, rule)
    step, shrink = rule.function(m, sqnorm, t, params)
    assert math.isfinite(step)
    # Least squares alone pulls back a row that is right by more than 1.
    assert step >= 0 or (rule.name == "adaline" and m > 1)
    if "lam" not in rule.parameters:
        assert shrink == 1.0
    else:
        named = dict(zip(rule.parameters, params, strict=True))
        eta = named.get("learning_rate", 1 / (2 * named["lam"] * t + sqnorm))
        assert shrink == pytest.approx(1 - 2 * eta * named["lam"], rel=1e-9, abs=1e-12)


@table
@given(data=st.data(), sqnorm=squares)
def test_margin_of_zero_is_a_mistake_and_teaches(rule, data, sqnorm):
    assert rule.function(0.0, sqnorm, 1, draw_params(data, rule))[0] > 0


@pytest.mark.parametrize("rule", [r for r in RULES.values() if r.loss], ids=lambda r: r.name)
@given(data=st.data(), m=margins, sqnorm=squares)
def test_step_is_minus_the_derivative_of_the_loss(rule, data, m, sqnorm):
    params, h = draw_params(data, rule), 1e-3
    kinks = [0.0, 1.0, *params]
    assume(all(abs(m - kink) > 2 * h for kink in kinks))
    slope = (rule.loss(m + h, sqnorm, params) - rule.loss(m - h, sqnorm, params)) / (2 * h)
    assert rule.function(m, sqnorm, 1, params)[0] == pytest.approx(-slope, rel=1e-6, abs=1e-6)


def test_the_rules_with_a_loss_are_known():
    assert {name for name, rule in RULES.items() if rule.loss} >= {
        "perceptron", "margin_perceptron", "pegasos", "logistic", "adaline", "sigmoid_neuron",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["pegasos", "logistic", "adaline", "sigmoid_neuron"])
@given(seed=st.integers(0, 10**6))
def test_a_step_goes_down_the_loss_with_its_prior(name, seed):
    """w' - w = -eta times the gradient of lam ‖w‖² + loss(y w·x), by finite differences in every direction."""
    rule, random = RULES[name], np.random.default_rng(seed)
    w, x, y = random.normal(size=4), random.normal(size=4), random.choice([-1.0, 1.0])
    lam = random.uniform(0.01, 1)
    eta = 1 / (2 * lam + x @ x) if name == "pegasos" else random.uniform(0.01, 1)
    given = {"learning_rate": eta, "lam": lam}
    params = rule.values({key: value for key, value in given.items() if key in rule.parameters})
    m, h = y * (w @ x), 1e-5
    assume(abs(m - 1) > 0.01)

    def objective(v):
        return eta * lam * (v @ v) + rule.loss(y * (v @ x), x @ x, params)

    step, shrink = rule.function(m, x @ x, 1, params)
    moved = shrink * w + step * y * x
    slopes = [(objective(w + h * e) - objective(w - h * e)) / (2 * h) for e in np.eye(4)]
    np.testing.assert_allclose(moved - w, -np.array(slopes), rtol=1e-5, atol=1e-5 * eta)


@given(m=st.floats(-10, 0.99), sqnorm=st.floats(0.1, 100), lam=st.floats(1e-6, 1), t=st.integers(1, 10**6))
def test_a_pegasos_step_is_no_longer_than_its_row_needs(m, sqnorm, lam, t):
    step, shrink = RULES["pegasos"].function(m, sqnorm, t, (lam,))
    assert 0 < step * sqnorm <= 1 and 0 < shrink <= 1
    assert step <= 1 / (2 * lam * t) and step >= 1 / (2 * lam * t) / (1 + sqnorm / (2 * lam * t)) * (1 - 1e-12)


def test_the_logistic_rule_stands_any_margin():
    for m in (-1e9, -800.0, 800.0, 1e9):
        for name in ("logistic", "sigmoid_neuron"):
            rule = RULES[name]
            assert math.isfinite(rule.function(m, 1.0, 1, rule.values())[0])
            assert math.isfinite(rule.loss(m, 1.0, rule.values()))


@given(m=margins, sqnorm=squares, eta=positive)
def test_margin_perceptron_at_theta_zero_is_the_perceptron(m, sqnorm, eta):
    margin = RULES["margin_perceptron"].function(m, sqnorm, 1, (eta, 0.0))
    assert margin == RULES["perceptron"].function(m, sqnorm, 1, (eta,))


@given(m=margins, sqnorm=squares)
def test_after_a_passive_aggressive_step_the_margin_is_one(m, sqnorm):
    step, _ = RULES["passive_aggressive"].function(m, sqnorm, 1, (1.0,))
    assert m + step * sqnorm == pytest.approx(max(1.0, m), abs=1e-12)


@given(m=margins, sqnorm=squares, C=positive)
def test_pa_1_is_pa_with_a_cap(m, sqnorm, C):
    pa, _ = RULES["passive_aggressive"].function(m, sqnorm, 1, (1.0,))
    assert RULES["passive_aggressive_1"].function(m, sqnorm, 1, (C,))[0] == min(C, pa)


@given(m=margins, sqnorm=squares, C=positive)
def test_pa_2_solves_its_softened_problem(m, sqnorm, C):
    """Stationarity of 1/2 step² ‖x‖² + C xi² with xi = 1 - m - step ‖x‖²: step = 2 C xi."""
    step, _ = RULES["passive_aggressive_2"].function(m, sqnorm, 1, (C,))
    pa, _ = RULES["passive_aggressive"].function(m, sqnorm, 1, (1.0,))
    xi = max(0.0, 1 - m) - step * sqnorm
    assert step <= pa
    assert step == pytest.approx(2 * C * xi, rel=1e-6, abs=1e-9 * (1 + 2 * C * max(0.0, 1 - m)))


@pytest.mark.parametrize("name", ["passive_aggressive", "passive_aggressive_1", "passive_aggressive_2"])
def test_a_row_of_zeros_without_bias_teaches_pa_nothing(name):
    rule = RULES[name]
    assert rule.function(0.0, 0.0, 1, rule.values()) == (0.0, 1.0)


def test_values_are_in_the_order_of_the_parameters():
    rule = RULES["margin_perceptron"]
    assert rule.values() == (1.0, 1.0)
    assert rule.values({"theta": 3, "learning_rate": 2}) == (2.0, 3.0)
    assert rule.values({"theta": 3}) == (1.0, 3.0)


def test_an_unknown_parameter_is_named_in_one_sentence():
    with pytest.raises(ValueError, match=r"'perceptron' \(learning_rate\), but got 'C'") as caught:
        RULES["perceptron"].values({"C": 1.0})
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="none"):
        Rule("bare", lambda m, sqnorm, t, params: (0.0, 1.0)).values({"C": 1.0})


def test_where_a_sample_weight_goes():
    assert RULES["perceptron"].weighted_index == -1
    assert RULES["passive_aggressive_1"].weighted_index == 0
    assert Rule("mine", RULES["perceptron"].function, {"a": 1.0, "b": 2.0}, weighted="b").weighted_index == 1


@pytest.mark.parametrize("name", ["adaline", "sigmoid_neuron"])
@given(m=margins, sqnorm=squares, eta=positive, weight=st.floats(1e-3, 1e6))
def test_a_heavy_row_is_not_thrown_beyond_its_own_loss(name, m, sqnorm, eta, weight):
    """However heavy, a row's own loss never rises by its step, where it would not with weight 1; a weight
    that the loss has room for is a factor."""
    rule, params = RULES[name], (eta, 0.0, weight)
    moved = m + rule.function(m, sqnorm, 1, params)[0] * sqnorm
    if eta * sqnorm <= 1:
        assert rule.loss(moved, sqnorm, params) <= rule.loss(m, sqnorm, params) * (1 + 1e-9)
    if max(weight, 1) * eta * sqnorm <= 1:
        assert rule.function(m, sqnorm, 1, params)[0] == pytest.approx(
            weight * rule.function(m, sqnorm, 1, (eta, 0.0, 1.0))[0]
        )


@given(m=margins, sqnorm=squares, eta=positive, weight=st.floats(1e-3, 1e6))
def test_adaline_never_steps_beyond_its_least_loss(m, sqnorm, eta, weight):
    step, _ = RULES["adaline"].function(m, sqnorm, 1, (eta, 0.0, weight))
    moved = m + step * sqnorm
    assert min(m, 1.0) - 1e-9 <= moved <= max(m, 1.0) + 1e-9
    if weight * eta * sqnorm >= 1.0:
        assert moved == pytest.approx(1.0, abs=1e-9)


@given(m=margins, sqnorm=squares, eta=positive, weight=st.floats(1.0, 1e6, exclude_min=True))
def test_a_neuron_moves_the_score_of_a_heavy_row_by_at_most_16_27(m, sqnorm, eta, weight):
    step, _ = RULES["sigmoid_neuron"].function(m, sqnorm, 1, (eta, 0.0, weight))
    assert step * sqnorm <= 16 / 27 + 1e-12
