"""The losses of the gradient engine: slopes and bends are the derivatives that they say they are."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.engine.gradient.losses import LOSSES
from rosenblatt.rules import RULES

numbers = st.floats(-20, 20)


def evaluate(loss, scores, targets):
    slopes = np.empty(len(scores))
    return loss.value(np.asarray(scores, float), np.asarray(targets, float), slopes), slopes


@pytest.mark.parametrize("name", LOSSES)
@given(data=st.data())
def test_slopes_and_bends_are_derivatives(name, data):
    loss, h = LOSSES[name], 1e-5
    scores = np.array([data.draw(numbers) for _ in range(3)])
    if name == "squared":
        targets = np.array([data.draw(numbers) for _ in range(3)])
    elif name == "multinomial":
        targets = np.eye(3)[data.draw(st.integers(0, 2))]
    else:
        targets = np.array([data.draw(st.sampled_from([-1.0, 1.0])) for _ in range(3)])
    assume(name != "squared_hinge" or (np.abs(1 - scores * targets) > 1e-3).all())
    _, slopes = evaluate(loss, scores, targets)
    rises = [(evaluate(loss, scores + h * e, targets)[0] - evaluate(loss, scores - h * e, targets)[0]) / (2 * h)
             for e in np.eye(3)]  # fmt: skip
    np.testing.assert_allclose(slopes, rises, rtol=1e-5, atol=1e-7)
    direction, bent = np.array([1.0, -2.0, 0.5]), np.empty(3)
    loss.bend(scores, targets, direction, bent)
    ahead, behind = (evaluate(loss, scores + s * h * direction, targets)[1] for s in (1, -1))
    np.testing.assert_allclose(bent, (ahead - behind) / (2 * h), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("loss", "rule"), [("logistic", "logistic"), ("sigmoid", "sigmoid_neuron"), ("squared", "adaline")]
)
@given(s=numbers, y=st.sampled_from([-1.0, 1.0]))
def test_the_two_contracts_agree(loss, rule, s, y):
    """A margin loss is the same in the table of rules and here."""
    value, slopes = evaluate(LOSSES[loss], [s], [y])
    params = RULES[rule].values({"learning_rate": 1.0})
    assert value == pytest.approx(RULES[rule].loss(y * s, 1.0, params), rel=1e-12, abs=1e-15)
    assert -y * slopes[0] == pytest.approx(RULES[rule].function(y * s, 1.0, 1, params)[0], rel=1e-9, abs=1e-12)


@given(s=st.floats(-1e4, 1e4), y=st.sampled_from([-1.0, 1.0]))
def test_losses_stand_any_score(s, y):
    for loss in LOSSES.values():
        value, slopes = evaluate(loss, [s, 0.0], [1.0, 0.0] if loss.name == "multinomial" else [y, y])
        assert np.isfinite(value) and np.isfinite(slopes).all()
