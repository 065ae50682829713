"""Errors of several states at once are those of each alone, as far as they are asked for."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.engine import judge
from rosenblatt.engine.judge import TOGETHER, compare_errors, count_errors
from rosenblatt.engine.rows import rows_of
from rosenblatt.engine.state import SCALE, HalfSpaces

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
def test_errors_of_several_states_are_those_of_a_plain_count(layout, classes, listening, weighted):
    rng = np.random.default_rng(classes)
    X = rng.integers(-3, 4, (N, D)).astype(np.float32)
    rows = rows_of(X if layout == "rows" else scipy.sparse.csr_array(X))[1]
    codes = rng.integers(0, max(2, classes), N).astype(np.int32)
    weights = rng.integers(0, 9, N) / 4 if weighted else np.empty(0)
    states, expected = [], []
    for _ in range(3):
        coef, bias = rng.integers(-2, 3, (classes + listening, D)), rng.integers(-2, 3, classes + listening)
        state = HalfSpaces(classes + listening, D, np.float32, layout)
        state.set_weights(coef / 2, bias)
        state.ledger[: state.count, SCALE] = 2.0
        states.append(state)
        expected.append(plain_errors(X, codes, weights, coef[:classes], bias[:classes]))
    assert len(set(expected)) > 1
    task = rows, N, codes, weights
    assert [count_errors(*task, state, classes) for state in states] == expected
    assert [compare_errors(*task, [state], classes)[0] for state in states] == expected
    for several in ([0, 1], [1, 0], [0, 1, 2], [2, 1, 0]):
        wanted = [expected[n] for n in several]
        for limit in (np.inf, max(wanted), min(wanted), min(wanted) - 1.0, 0.0):
            found = compare_errors(*task, [states[n] for n in several], classes, limit=limit)
            for place, (count, right) in enumerate(zip(found, wanted, strict=True)):
                asked_for = min([limit, *wanted[:place]])
                assert count == right if right <= asked_for else count > asked_for


def test_a_few_half_spaces_of_dense_rows_are_judged_in_one_pass(monkeypatch):
    """And others in a pass each, which ends early."""
    passes, count = [], judge._count_errors

    def noting(key, layout):
        compiled = count(key, layout)

        def note(*arguments):
            passes.append(len(arguments[-1]))
            compiled(*arguments)

        return note

    monkeypatch.setattr(judge, "_count_errors", noting)
    X = np.eye(8, dtype=np.float32)
    for classes, expected in ((1, [2, 2]), (TOGETHER // 2, [2, 2]), (TOGETHER // 2 + 1, [1, 1, 1, 1])):
        passes.clear()
        states = [HalfSpaces(classes, 8, np.float32, "rows") for _ in range(2)]
        judge.compare_errors((X,), 8, np.zeros(8, np.int32), np.empty(0), states, classes)
        assert passes == expected  # two halves of the rows each
