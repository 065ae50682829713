"""`Streamed` with parts that draw random numbers."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_fit_idempotent

from rosenblatt import PairProducts, Perceptron, Streamed


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_equal_seeds_give_equal_fits_whatever_the_parts_draw():
    check_fit_idempotent("Streamed", Streamed(PairProducts(5), Perceptron()))
    X, y = np.random.default_rng(0).normal(size=(60, 6)), np.arange(60) % 2
    one, same, other = (
        Streamed(PairProducts(5), Perceptron(), max_iter=2, random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.decision_function(X), same.decision_function(X))
    assert not np.array_equal(one.decision_function(X), other.decision_function(X))
    own = Streamed(PairProducts(5, random_state=7), Perceptron(), max_iter=2, random_state=1).fit(X, y)
    assert own.features_.random_state == 7  # a seed that was given stays
