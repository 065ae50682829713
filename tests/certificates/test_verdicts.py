"""The verdict and its refinement are right: beside an independent exact solver, and where they are known."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from reference.separability import kind, kind_by_enumeration

from certificates.problems import (
    as_dtype,
    listed,
    overlapping_integers,
    separable_integers,
    small_problems,
    touching_integers,
    turned,
)
from rosenblatt import margin, separability
from rosenblatt.certificates.results import NotSeparable, Overlapping, QuasiComplete, Separable


def verdict(X, signs, intercept):
    """The package's word for it, after its proofs were checked."""
    found = separability(X, signs, intercept)
    checked = found.verify(X, signs)
    assert checked, checked.reason
    if isinstance(found, Separable):
        return "separable"
    assert isinstance(found, NotSeparable), found
    refined = found.refine()
    assert isinstance(refined, Overlapping | QuasiComplete), refined
    checked = refined.verify(X, signs)
    assert checked, checked.reason
    return refined.verdict


@given(small_problems(rows=7, features=3, dtypes=["int64"]))
@settings(max_examples=150)
def test_the_two_reference_solvers_agree(problem):
    X, signs, intercept = problem
    assert kind(listed(X), signs, intercept) == kind_by_enumeration(listed(X), signs, intercept)


@given(small_problems())
@settings(max_examples=400)
def test_small_problems(problem):
    X, signs, intercept = problem
    assert verdict(X, signs, intercept) == kind(listed(X), signs, intercept)


@pytest.mark.slow
@given(small_problems())
@settings(max_examples=10_000)
def test_ten_thousand_small_problems(problem):
    X, signs, intercept = problem
    assert verdict(X, signs, intercept) == kind(listed(X), signs, intercept)


@given(small_problems(rows=8, features=2, largest=1, dtypes=["int64"]))
@settings(max_examples=75)
def test_the_floating_point_way_on_small_problems(problem):
    """The way of large problems, on many copies of small ones: copies of a row change no verdict."""
    X, signs, intercept = problem
    copies = 1200 // X.size
    many, labels = np.tile(X, (copies, 1)), np.tile(signs, copies)
    assert many.shape[0] * (many.shape[1] + 1) > 1024
    assert verdict(many, labels, intercept) == kind(listed(X), signs, intercept)


# ------------------------------------------------------------------------------------------ up to 50 x 10, degenerate


def middling(seed):
    """Small integers, 20 to 50 rows of 4 to 10 features; half the time the labels are nearly those of a hyperplane."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(20, 51)), int(random.integers(4, 11))
    shape = seed % 4
    if shape == 0:  # of low rank
        X = random.integers(-2, 3, (n, 2)) @ random.integers(-2, 3, (2, d))
    elif shape == 1:  # few different rows
        X = random.integers(-2, 3, (6, d))[random.integers(0, 6, n)]
    elif shape == 2:  # all on one line
        X = random.integers(-9, 10, (n, 1)) * random.integers(1, 3, (1, d)) + random.integers(-3, 4, (1, d))
    else:
        X = random.integers(-2, 3, (n, d))
    scores = X @ random.integers(-2, 3, d)
    level = np.median(scores)
    noise = random.random(n) < (0.0 if seed % 8 < 4 else 0.1)
    signs = np.where((scores > level) ^ noise, 1, -1)
    signs[:2] = 1, -1
    return X, signs, bool(random.integers(2))


@pytest.mark.parametrize("seed", range(32))
def test_degenerate_problems_up_to_50_x_10(seed):
    X, signs, intercept = middling(seed)
    assert verdict(X, signs, intercept) == kind(X.tolist(), signs, intercept)


# ----------------------------------------------------------------------------- larger ones, in floating point first


@pytest.mark.parametrize("dtype", ["int64", "int16", "float32", "float64", "csr"])
@pytest.mark.parametrize(("n", "d", "gap"), [(400, 3, 1), (300, 12, 7), (1000, 2, 100), (60, 80, 3)])
def test_a_margin_known_by_construction(n, d, gap, dtype):
    X, signs = separable_integers(n, d, gap, seed=n)
    X = as_dtype(X, dtype)
    found = separability(X, signs)
    assert found.verdict == "separable" and found.verify(X, signs)
    if n > d:  # otherwise there is room for a wider margin than along x_0
        assert found.margin <= gap / 2 * (1 + 1e-12) and found.margin_upper >= gap / 2 * (1 - 1e-12)
    assert found.gap <= 0.0102
    assert margin(X, signs) == (found.margin, found.margin_upper)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "csr"])
@pytest.mark.parametrize("seed", range(3))
def test_touching_by_construction(seed, dtype, intercept):
    X, signs = touching_integers(150 + 100 * seed, 4 + seed, seed)
    assert verdict(as_dtype(turned(X, seed), dtype), signs, intercept) == "quasi-complete"
    X[:4, 0] = signs[:4]  # a step apart
    assert verdict(as_dtype(turned(X, seed), dtype), signs, intercept) == "separable"


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64", "csr"])
@pytest.mark.parametrize("seed", range(3))
def test_overlapping_by_construction(seed, dtype, intercept):
    X, signs = overlapping_integers(200 + 100 * seed, 5 + seed, seed)
    assert verdict(as_dtype(X, dtype), signs, intercept) == "overlapping"


@pytest.mark.parametrize("intercept", [True, False])
def test_floats_that_are_not_round(intercept):
    """Every float is a rational with 53 bits: the same verdict in uneven numbers, and for uneven columns."""
    random = np.random.default_rng(5)
    X = random.normal(size=(400, 6))
    normal = random.normal(size=6)
    signs = np.where(X @ normal > 0, 1, -1)
    for scale in (np.ones(6), 10.0 ** np.arange(-6, 6, 2), np.array([1e-200, 1e200, 1, 1, 1, 1])):
        assert verdict(X * scale, signs, intercept) == "separable"
        assert verdict(X * scale, random.choice([-1, 1], 400), intercept) == "overlapping"


def test_a_needle_of_one_unit_in_the_last_place():
    """Two rows that are moved to the next float decide."""
    X, signs = touching_integers(300, 4, seed=1)
    X = X.astype(np.float64)
    X[:, 0] += 1
    assert verdict(X, signs, True) == "quasi-complete"
    X[[0, 2], 0] = np.nextafter(1.0, 2.0)
    assert verdict(X, signs, True) == "separable"
    X[[0, 2], 0] = np.nextafter(1.0, 0.0)
    assert verdict(X, signs, True) == "overlapping"


def test_a_needle_of_the_smallest_float_there_is():
    X, signs = touching_integers(300, 4, seed=1)
    X = X.astype(np.float64)
    X[[0, 2], 0] = np.nextafter(0.0, 1.0)
    assert verdict(X, signs, True) == "separable"
    X[[0, 2], 0] *= -1
    found = separability(X, signs)
    assert found.verdict == "not separable" and found.verify(X, signs)


@pytest.mark.parametrize("rows", [2, 300])
def test_the_limits_of_int64(rows):
    X = np.full((rows, 2), 2**63 - 1, dtype=np.int64)
    signs = np.where(np.arange(rows) % 2 == 0, 1, -1)
    X[1::2, 0] -= 1
    X[:, 1] = -(2**63)
    assert verdict(X, signs, True) == "separable"
    assert margin(X, signs) == (0.5, 0.5)
    X[1, 0] += 1
    found = separability(X, signs)
    assert found.verdict == "not separable" and 1 in found.rows and found.verify(X, signs)


def test_a_column_of_zeros_does_no_harm():
    """In whole numbers, in floats, with and without a tight margin."""
    X, signs = separable_integers(400, 5, 2, seed=0)
    X[:, 4] = 0
    for rows in (X, X.astype(np.float64), scipy.sparse.csr_array(X.astype(np.float64))):
        for tolerance in (1.0, 0.01):
            found = separability(rows, signs, tolerance=tolerance)
            assert found.verify(rows, signs)
            assert (signs * (X @ found.normal + found.offset) > 0).all()


@given(small_problems(dtypes=["int64"]))
@settings(max_examples=100)
def test_layout_and_dtype_change_nothing(problem):
    X, signs, intercept = problem
    found = separability(X, signs, intercept)
    sparse = scipy.sparse.csr_array(X), scipy.sparse.coo_array(X)
    for other in (X.astype(np.float32), np.asfortranarray(X), X.tolist(), *sparse):
        again = separability(other, signs, intercept)
        assert type(again) is type(found) and again.about == found.about
        assert found.verify(other, signs) and again.verify(X, signs)


def test_rows_that_become_dependent_on_the_way():
    """An active set that turns singular to within rounding is the exact arithmetic's business, not a crash."""
    random = np.random.default_rng(5)
    base = random.integers(-1, 2, (4, 15))
    X = random.integers(-1, 2, (150, 4)) @ base
    y = random.integers(0, 2, 150)
    for intercept in (True, False):
        found = separability(X, y, intercept)
        assert found.verdict != "undecided" and found.verify(X, y)


def test_a_margin_below_the_smallest_float_has_a_bound_in_words():
    found = separability([[0.0], [5e-324]], [0, 1])
    assert found and found.margin == 0 and found.margin_upper == 5e-324
    assert "margin         0, rounded down, and the largest is at most 4.94e-324" in str(found)
