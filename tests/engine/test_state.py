"""K half-spaces as arrays: copies, and what is written to files."""

import numpy as np
import pytest

from rosenblatt.engine.online.state import BIAS, SCALE, SEEN, HalfSpaces


def filled(count, layout, dtype, d=5):
    random = np.random.default_rng(count)
    state = HalfSpaces(count, d, dtype, layout)
    state.set_weights(random.normal(size=(count, d)), random.normal(size=count))
    state.ledger[:count, SEEN] = 7.0
    return HalfSpaces.from_state(state.to_state() | {"lag": random.normal(size=(count, d)).astype(dtype)})


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 5, 8, 9, 16, 17, 20, 33])
def test_what_is_stored_has_no_padding_and_comes_back(layout, dtype, count):
    state = filled(count, layout, dtype)
    stored = state.to_state()
    assert stored["vectors"].shape == stored["lag"].shape == (count, 5) and stored["ledger"]["bias"].shape == (count,)
    again = HalfSpaces.from_state(stored)
    assert again.vectors.shape == state.vectors.shape and again.seen == 7
    for one, other in zip((*state.last(), *state.averaged()), (*again.last(), *again.averaged()), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_copy_shares_nothing(layout):
    state = filled(3, layout, np.float64)
    for copy in (state.copy(), state.copy(averages=False)):
        before = copy.last()[0].copy()
        state.vectors += 1.0
        np.testing.assert_array_equal(copy.last()[0], before)


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_the_norm_is_that_of_all_weights_and_biases(layout, dtype, scale):
    state = filled(20, layout, dtype)
    state.ledger[:20, SCALE] = scale
    weights, bias = state.last()
    assert state.norm() == pytest.approx(np.hypot(np.linalg.norm(weights), np.linalg.norm(bias)), rel=1e-6)


def test_the_norm_of_huge_weights_is_finite_and_of_infinite_ones_is_not():
    state = filled(2, "rows", np.float64)
    state.vectors[...] = 1e200
    assert state.norm() == pytest.approx(1e200 * np.sqrt(10))
    state.ledger[0, BIAS] = np.inf
    assert not np.isfinite(state.norm())


@pytest.mark.parametrize(
    ("change", "message"),
    [({"vectors": np.zeros((3, 4))}, "lag is invalid"), ({"vectors": np.zeros(3)}, "vectors is invalid"),
     ({"layout": "touched"}, "layout is invalid"), ({"ledger": {}}, "a row for each half-space"),
     ({"more": 1}, "unknown"),
     ({"vectors": np.zeros((3, 5), np.float16)}, "neither float32 nor float64")],
)  # fmt: skip
def test_a_state_that_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        HalfSpaces.from_state(filled(3, "rows", np.float64).to_state() | change)
