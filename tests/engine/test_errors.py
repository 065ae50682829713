"""Errors of half-spaces on any rows are those of a plain count."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online.errors import count_errors
from rosenblatt.engine.online.state import SCALE, HalfSpaces

N, D = 301, 37


def plain_errors(X, codes, weights, coef, bias):
    """In float64, with whole numbers: no sum is rounded."""
    scores = X @ coef.T + bias
    if len(bias) == 1:
        answers = (scores[:, 0] >= 0).astype(int)
    elif len(bias) == 2:
        answers = (scores[:, 1] >= scores[:, 0]).astype(int)
    else:
        answers = scores.argmax(axis=1)
    wrong = answers != codes
    return float(weights[wrong].sum() if len(weights) else wrong.sum())


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("classes", [1, 2, 3, 7])
@pytest.mark.parametrize("listening", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_those_of_a_plain_count(layout, classes, listening, weighted):
    rng = np.random.default_rng(classes)
    X = rng.integers(-3, 4, (N, D)).astype(np.float32)
    rows = rows_of(X if layout == "rows" else scipy.sparse.csr_array(X))[1]
    codes = rng.integers(0, max(2, classes), N).astype(np.int32)
    weights = rng.integers(0, 9, N) / 4 if weighted else np.empty(0)
    coef, bias = rng.integers(-2, 3, (classes + listening, D)), rng.integers(-2, 3, classes + listening)
    state = HalfSpaces(classes + listening, D, np.float32, layout)
    state.set_weights(coef / 2, bias)
    state.ledger[: state.count, SCALE] = 2.0
    expected = plain_errors(X, codes, weights, coef[:classes], bias[:classes])
    task = rows, N, codes, weights, state, classes
    assert count_errors(*task) == expected > 0
    for limit in (expected, expected - 1.0, 0.0):
        found = count_errors(*task, limit=limit)
        assert found == expected if expected <= limit else found > limit
