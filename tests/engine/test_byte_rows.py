"""Rows of bytes: what is left out where they are zero changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.engine.layouts.byte_rows import GLANCE, REST, WORD

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
WIDTHS = [
    1,
    17,
    int(GLANCE) - 1,
    int(GLANCE),
    int(GLANCE) + 1,
    300,
    784,
    int(WORD),
    int(WORD) + 17,
    2 * int(WORD) + 300,
]


def rows_with_zeros(d: int, share: float, n: int = 120) -> np.ndarray:
    """Random bytes; about so large a share of the chunks of 16 is zeros."""
    rng = np.random.default_rng([d, int(100 * share)])
    X = rng.integers(0, 256, (n, d), dtype=np.uint8)
    X[np.repeat(rng.random((n, -(-d // 16))) < share, 16, axis=1)[:, :d]] = 0
    return X


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.95, 1.0])
def test_the_same_bits_as_rows_of_floats_in_which_nothing_is_left_out(d, share):
    X = rows_with_zeros(d, share)
    for classes in (4, 5, 11):
        y = np.arange(len(X)) % classes
        ours, floats = (
            Perceptron(max_iter=3, random_state=0).fit(rows, y, keep="pocket") for rows in (X, X.astype("float32"))
        )
        for answer in ("last", "averaged", "pocket"):
            np.testing.assert_array_equal(ours.answers_[answer].coef, floats.answers_[answer].coef)
        assert list(ours.trace_["mistakes"]) == list(floats.trace_["mistakes"])


def test_rows_without_zeros_between_rows_with_many():
    stretch = int(REST) + 5
    X = np.concatenate([rows_with_zeros(300, share, stretch) for share in (0.6, 0.0, 0.6, 0.0)])
    y = np.arange(len(X)) % 5
    ours, floats = (Perceptron(max_iter=4, shuffle=False).fit(rows, y) for rows in (X, X.astype("float32")))
    np.testing.assert_array_equal(ours.coef_, floats.coef_)
