"""Gates, circles and spirals are what they are called."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.sources import and_, circles, or_, spirals, xor


@pytest.mark.parametrize(
    ("gate", "truth"), [(and_, lambda a, b: a and b), (or_, lambda a, b: a or b), (xor, lambda a, b: a != b)]
)
def test_gates_follow_their_truth_table(gate, truth):
    toy = gate()
    assert toy.X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert toy.y.tolist() == [1 if truth(bool(a), bool(b)) else -1 for a, b in toy.X]


@pytest.mark.parametrize("gate", [and_, or_])
def test_the_margin_of_a_gate_is_attained_on_both_sides_and_is_the_largest(gate):
    from sklearn.svm import SVC

    toy = gate()
    found = toy.y * (toy.X @ toy.normal + toy.offset)
    assert found[toy.y == 1].min() == pytest.approx(toy.margin, abs=1e-15)
    assert found[toy.y == -1].min() == pytest.approx(toy.margin, abs=1e-15)
    machine = SVC(kernel="linear", C=1e8).fit(toy.X, toy.y)
    assert 1 / np.linalg.norm(machine.coef_) == pytest.approx(toy.margin, rel=1e-3)


def test_no_line_makes_fewer_than_one_mistake_on_xor():
    toy = xor()
    assert toy.normal is toy.offset is toy.margin is None
    angles = np.linspace(0, 2 * np.pi, 73)
    scores = toy.X @ np.stack([np.cos(angles), np.sin(angles)])
    for threshold in np.linspace(-2, 2, 81):
        assert (toy.y[:, None] * (scores - threshold) <= 0).sum(axis=0).min() >= 1


@given(st.integers(2, 80), st.floats(0.1, 5), st.floats(0, 1), st.integers(0, 1000))
def test_circles_keep_their_radii_apart(n_samples, inner, noise, seed):
    noise = min(noise, inner)
    outer = inner + 2 * noise + 0.5
    toy = circles(n_samples, inner, outer, noise, random_state=seed)
    radii = np.linalg.norm(toy.X, axis=1)
    assert np.abs(radii - np.where(toy.y == 1, inner, outer)).max() <= noise + 1e-12
    gap = ((outer - noise) ** 2 - (inner + noise) ** 2) / 2
    assert (radii[toy.y == -1].min() ** 2 - radii[toy.y == 1].max() ** 2) / 2 >= gap - 1e-9


def test_spiral_arms_mirror_each_other_and_noise_is_seeded():
    toy = spirals(201, turns=2)
    assert toy.X.shape == (201, 2) and toy.y.sum() == 1
    assert np.array_equal(toy.X[toy.y == 1][:100], -toy.X[toy.y == -1])
    noisy = spirals(201, turns=2, noise=0.1, random_state=0)
    assert np.array_equal(noisy.X, spirals(201, turns=2, noise=0.1, random_state=0).X)
    assert 0.08 < (noisy.X - toy.X).std() < 0.12


@pytest.mark.parametrize(
    "build",
    [
        lambda: circles(1),
        lambda: circles(10, inner=2, outer=1),
        lambda: circles(10, noise=0.5),
        lambda: spirals(1),
        lambda: spirals(10, turns=0),
        lambda: spirals(10, noise=-1),
    ],
)
def test_what_can_not_be_drawn_is_refused(build):
    with pytest.raises(ValueError, match=r"must.*came; "):
        build()
