"""What two fits that should be the same have in common, whichever loop has made them."""

import numpy as np


def assert_same_fits(one, other):
    assert one.stop_reason_ == other.stop_reason_
    for name in ("updates", "mistakes", "norm"):
        np.testing.assert_array_equal(one.trace_[name], other.trace_[name])
    assert list(one.answers_) == list(other.answers_)
    for name in set(one.answers_) - {"voted"}:
        np.testing.assert_array_equal(one.answers_[name].coef, other.answers_[name].coef)
        np.testing.assert_array_equal(one.answers_[name].intercept, other.answers_[name].intercept)
