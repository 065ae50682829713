"""Mistakes met while learning, and the runs of correct answers between them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.online.mistakes import find_runs


def is_mistake(scores, code):
    """A margin of at most 0, or a true class that is not strictly the best."""
    if len(scores) == 1:
        return scores[0] * (1 if code == 1 else -1) <= 0
    return any(score >= scores[code] for k, score in enumerate(scores) if k != code)


def runs_of(wrong, run):
    """(the longest run that a mistake ended, where, the one that goes on)."""
    longest, end = -1, -1
    for r, met in enumerate(wrong):
        if met and run > longest:
            longest, end = run, r
        run = 0 if met else run + 1
    return longest, end, run


@pytest.mark.parametrize("classes", [1, 2, 5])
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 40), run=st.integers(0, 9), right=st.floats(0, 1))
def test_mistakes_and_runs_are_those_of_the_plain_reading(classes, seed, n, run, right):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, max(2, classes), n + 3)
    order = rng.permutation(n + 3)[:n].astype(np.int32)
    scores = rng.integers(-2, 3, (classes, n)).astype(np.float32)
    for r in np.flatnonzero(rng.random(n) < right):  # few mistakes leave long runs
        if classes == 1:
            scores[0, r] = 1.0 if codes[order[r]] == 1 else -1.0
        else:
            scores[codes[order[r]], r] = 3.0
    expected = [bool(is_mistake(scores[:, r], codes[order[r]])) for r in range(n)]
    found = find_runs(scores, codes, order, classes, run)
    assert found == (sum(expected), *runs_of(expected, run))


def test_a_single_class_is_never_wrong():
    assert find_runs(np.zeros((1, 4)), np.zeros(4, int), np.arange(4), 0, 3) == (0, -1, -1, 7)
