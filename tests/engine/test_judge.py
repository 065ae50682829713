"""Errors of several states at once are those of each alone, as far as they are asked for."""

import numpy as np
import pytest
import scipy.sparse

from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online import errors as judge
from rosenblatt.engine.online.errors import TOGETHER, compare_errors, count_errors
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
    passes = []

    def noting(make):
        def noted(*key):
            def count(*arguments):
                passes.append(make.__name__)
                return compiled(*arguments)

            compiled = make(*key)
            return count

        return noted

    for name in ("_count_errors", "_count_errors_alone", "_compare_errors"):
        monkeypatch.setattr(judge, name, noting(getattr(judge, name)))
    alone, several, together = "_count_errors_alone", "_count_errors", "_compare_errors"
    X = np.eye(8, dtype=np.float32)
    sparse = scipy.sparse.csr_array(X)
    few = TOGETHER // 2
    for table, count, classes, expected in (
        (X, 2, 1, [together]), (X, 2, few, [together]), (X, 2, few + 1, 2 * [together]),
        (X, 1, 1, [alone]), (X, 1, 9, [together]), (sparse, 2, 1, 2 * [alone]),
        (sparse, 2, 3, 2 * [several]),
    ):  # fmt: skip
        passes.clear()
        layout, rows = rows_of(table)
        states = [HalfSpaces(classes, 8, np.float32, layout) for _ in range(count)]
        judge.compare_errors(rows, 8, np.zeros(8, np.int32), np.empty(0), states, classes)
        assert passes == [made for made in expected for _ in range(2)]  # two halves of the rows each
