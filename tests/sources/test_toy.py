"""Toy sets keep their promises: the margin, where it is attained, and which labels are wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.sources import blobs, overlapping_blobs, two_points

seeds = st.integers(0, 2**32 - 1)
shapes = st.tuples(st.integers(2, 60), st.integers(1, 12))


def distances(toy):
    return toy.y * (toy.X @ toy.normal + toy.offset)


def faces_at_twice_the_margin(toy, tolerance):
    """Whether two rows of opposite classes differ by 2·margin·normal, which proves the margin the largest."""
    positive, negative = (toy.X[(toy.y == side) & (distances(toy) < toy.margin + tolerance)] for side in (1, -1))
    gaps = positive[:, None, :] - negative[None, :, :] - 2 * toy.margin * toy.normal
    return np.linalg.norm(gaps, axis=2).min() < tolerance


@settings(deadline=None, max_examples=60)
@given(shapes, st.floats(1e-3, 1.0), st.floats(1.0, 50.0), st.floats(-100, 100), seeds)
def test_blobs_have_exactly_the_stated_margin(shape, margin, radius, offset, seed):
    toy = blobs(*shape, margin, radius, offset=offset, random_state=seed)
    tolerance = 1e-13 * (radius + abs(offset))
    assert toy.X.shape == shape and set(toy.y) == {-1, 1}
    assert abs(np.linalg.norm(toy.normal) - 1) < 1e-14
    for side in (-1, 1):
        assert abs(distances(toy)[toy.y == side].min() - margin) < tolerance
    assert np.linalg.norm(toy.X + offset * toy.normal, axis=1).max() < radius + tolerance
    assert faces_at_twice_the_margin(toy, tolerance)
    assert toy.margin == margin and toy.offset == offset and len(toy.flipped) == 0


def test_the_margin_of_blobs_is_the_largest_one():
    from sklearn.svm import SVC

    toy = blobs(60, 4, margin=0.7, radius=3, offset=1.5, random_state=3)
    machine = SVC(kernel="linear", C=1e8, tol=1e-10).fit(toy.X, toy.y)
    assert 1 / np.linalg.norm(machine.coef_) == pytest.approx(0.7, rel=1e-6)


def test_a_perceptron_keeps_the_bound_that_blobs_promise():
    toy = blobs(80, 5, margin=0.5, radius=4, random_state=0)
    weights, mistakes, clean = np.zeros(5), 0, False
    while not clean:
        clean = True
        for row, label in zip(toy.X, toy.y, strict=True):
            if label * (weights @ row) <= 0:
                weights, mistakes, clean = weights + label * row, mistakes + 1, False
    assert 0 < mistakes <= (4 / 0.5) ** 2


@given(st.integers(2, 40), seeds)
def test_the_same_seed_gives_the_same_blobs(n_samples, seed):
    first, second = (blobs(n_samples, random_state=seed) for _ in range(2))
    assert np.array_equal(first.X, second.X) and np.array_equal(first.y, second.y)


def test_classes_are_balanced():
    assert blobs(100, random_state=0).y.sum() == 0
    assert blobs(101, random_state=0).y.sum() == 1


@settings(deadline=None)
@given(st.integers(4, 60), st.integers(1, 5), st.floats(0, 0.4), st.booleans(), seeds)
def test_exactly_the_flipped_rows_are_on_the_wrong_side(n_samples, n_features, fraction, twins, seed):
    wanted = round(fraction * n_samples)
    if wanted > 2 * (n_samples // 4):
        return
    toy = overlapping_blobs(n_samples, n_features, fraction, twins=twins, random_state=seed)
    assert len(toy.flipped) == wanted and toy.margin is None
    assert np.array_equal(np.flatnonzero(distances(toy) <= 0), toy.flipped)
    assert np.abs(distances(toy)).min() > 0.5 - 1e-12


@settings(deadline=None)
@given(st.integers(4, 60), seeds)
def test_twins_make_the_smallest_error_known(n_samples, seed):
    toy = overlapping_blobs(n_samples, 3, 0.25, twins=True, random_state=seed)
    # A classifier answers each distinct row once, so it errs at least on its rarer label.
    rows, which = np.unique(toy.X, axis=0, return_inverse=True)
    positive = np.bincount(which.ravel(), toy.y == 1, len(rows))
    negative = np.bincount(which.ravel(), toy.y == -1, len(rows))
    assert np.minimum(positive, negative).sum() == len(toy.flipped)


def test_two_points_are_the_hard_case_of_the_theorem():
    toy = two_points()
    assert distances(toy).tolist() == [toy.margin, toy.margin] == [1.0, 1.0]
    rows = [(100.0, 1.0), (102.0, 1.0)]
    w = b = 0.0
    mistakes, correct, i = 0, 0, 0
    while correct < 2:
        (x, one), label = rows[i % 2], (1, -1)[i % 2]
        if label * (w * x + b) <= 0:
            w, b, mistakes, correct = w + label * x, b + label * one, mistakes + 1, 0
        else:
            correct += 1
        i += 1
    assert mistakes == 20_303


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_two_points_for_any_pair(a, b):
    if a == b:
        return
    toy = two_points(a, b)
    assert distances(toy) == pytest.approx([toy.margin] * 2, abs=1e-9)
    assert toy.y.tolist() == [1, -1] and toy.margin == abs(a - b) / 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: blobs(1), "at least 2, but 1"),
        (lambda: blobs(10, 0), "n_features must be a whole number of at least 1"),
        (lambda: blobs(margin=0), "margin must be above 0"),
        (lambda: blobs(margin=2, radius=1), "at most radius"),
        (lambda: blobs(margin=float("nan")), "margin must be a finite number"),
        (lambda: overlapping_blobs(flipped=0.6), "flipped must be from 0 to 0.5"),
        (lambda: overlapping_blobs(flipped=-0.1), "flipped must be"),
        (lambda: two_points(3, 3), "must be different float64 numbers, but both are 3"),
        (lambda: two_points(3, float("inf")), "finite"),
    ],
)
def test_what_can_not_be_built_is_refused_in_one_sentence(build, message):
    with pytest.raises(ValueError, match=message):
        build()
