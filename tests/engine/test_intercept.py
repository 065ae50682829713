"""The best intercept is the best of all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.gradient.intercept import best_intercept


def costs(intercepts, scores, y, weights, squared, ridge):
    """What each of these intercepts costs."""
    b = np.asarray(intercepts)
    short = np.maximum(0, 1 - y * (scores + b[:, None]))
    return ridge / 2 * b**2 + (short**2 if squared else short) @ weights


@pytest.mark.parametrize("ridge", [0.0, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("squared", [False, True])
@given(seed=st.integers(0, 10**6), n=st.integers(1, 30) | st.just(700), whole=st.booleans())
def test_no_other_intercept_is_better(squared, ridge, seed, n, whole):
    random = np.random.default_rng(seed)
    scores = random.integers(-3, 4, n).astype(float) if whole else random.normal(size=n)
    y, weights = random.choice([-1.0, 1.0], n), random.integers(0, 3, n).astype(float)
    weights[0] = 1.0
    b = best_intercept(scores, y, weights, squared, ridge)
    breaks = y - scores
    near = b + np.array([-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0])
    others = [*breaks, *near, *np.linspace(breaks.min() - 1, breaks.max() + 1, 50)]
    least, *other = costs([b, *others], scores, y, weights, squared, ridge)
    assert least <= min(other) + 1e-9


@pytest.mark.parametrize("weight", [1.0, 0.1, 3.0])
def test_of_several_best_intercepts_the_middle_one(weight):
    """max(0, 1 - b) + max(0, 1 + b) is 2 from -1 to 1; with a third score the best lie between 0.5 and 1."""
    scores, y = np.zeros(2), np.array([1.0, -1.0])
    assert best_intercept(scores, y, np.full(2, weight), False) == 0.0
    scores, y = np.array([0.0, 0.0, 0.5, -1.5]), np.array([1.0, -1.0, 1.0, -1.0])
    assert best_intercept(scores, y, np.full(4, weight), False) == 0.5
