"""The sparse toy set keeps its promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.sources import sparse_separable


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 40),
    st.integers(1, 200),
    st.floats(0.001, 1.0),
    st.floats(1e-3, 10.0),
    st.integers(0, 2**32 - 1),
)
def test_margin_and_density_are_what_was_stated(n_samples, n_features, density, margin, seed):
    toy = sparse_separable(n_samples, n_features, density, margin, random_state=seed)
    k = max(1, round(density * n_features))
    assert toy.X.shape == (n_samples, n_features) and toy.X.format == "csr"
    assert (np.diff(toy.X.indptr) == k).all()
    assert toy.X.has_canonical_format and toy.X.indices.max() < n_features
    assert abs(np.linalg.norm(toy.normal) - 1) < 1e-14
    found = toy.y * (toy.X @ toy.normal)
    for side in (-1, 1):
        assert abs(found[toy.y == side].min() - margin) < 1e-12 * (1 + margin)
    # Two rows face each other at ±margin·normal: no hyperplane does better, with or without an intercept.
    for side in (-1, 1):
        wanted = side * margin * toy.normal
        assert (np.abs(toy.X[toy.y == side].toarray() - wanted).max(axis=1) == 0).any()


def test_small_indices_take_32_bits():
    toy = sparse_separable(10, 100, 0.1, random_state=0)
    assert toy.X.indices.dtype == toy.X.indptr.dtype == np.int32


def test_the_same_seed_gives_the_same_rows():
    first, second = (sparse_separable(50, 300, 0.05, random_state=7) for _ in range(2))
    assert (first.X != second.X).nnz == 0 and np.array_equal(first.y, second.y)


@pytest.mark.parametrize("arguments", [{"density": 0}, {"density": 1.1}, {"margin": 0}, {"n_samples": 1}])
def test_what_can_not_be_built_is_refused(arguments):
    with pytest.raises(ValueError, match="must"):
        sparse_separable(**{"n_samples": 10, "n_features": 20, **arguments})
