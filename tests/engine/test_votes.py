"""The vote of all weight vectors: the plain loop, the same for any number of threads, announced where it is long."""

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.engine.online.votes import tally
from rosenblatt.models import voted


def plain(products, rows, steps, shrinks, counts, bias, shrink_bias):
    votes = []
    for values in products:
        linear = offset = total = 0.0
        for row, step, shrink, count in zip(rows, steps, shrinks, counts, strict=True):
            linear = shrink * linear + step * values[row]
            offset = (shrink if shrink_bias else 1.0) * offset + step * bias
            total += count if linear + offset >= 0.0 else -count
        votes.append(total)
    return votes


@pytest.mark.parametrize("n_rows", [0, 1, 31, 32, 70])
@pytest.mark.parametrize("shrink_bias", [False, True])
def test_the_tally_is_the_plain_loop(n_rows, shrink_bias):
    rng = np.random.default_rng(n_rows)
    rows = rng.integers(0, 9, 50)
    steps, shrinks = rng.choice([-1.0, 1.0], 50), rng.choice([0.5, 1.0], 50)
    counts = rng.integers(1, 5, 50).astype(float)
    products = rng.integers(-4, 5, (n_rows, 9)).astype(float)
    expected = plain(products, rows, steps, shrinks, counts, 1.0, shrink_bias)
    for n_jobs in (1, 2, 16):
        found = tally(products, rows, steps, shrinks, counts, 1.0, shrink_bias, n_jobs=n_jobs)
        assert found.tolist() == expected


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_long_vote_is_announced(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    model = KernelPerceptron(answer="voted", max_iter=5, random_state=0).fit(X, y)
    monkeypatch.setattr(voted, "LONG", 1e-9)
    with pytest.warns(UserWarning, match=r"weight vectors vote on 40 rows, about 0 s on one core"):
        model.predict(X)
