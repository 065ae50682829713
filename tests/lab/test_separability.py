"""The page's exact decision in the plane against the library's, and the theorem's numbers."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt import separability
from rosenblatt.certificates.results import Separable

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

DECIDE = """(sets) => sets.map((points) => {
  const data = lab.core.fromPoints(points), verdict = lab.core.separate(data.X, data.y);
  const found = verdict.separable ? lab.core.theorem(data) : null;
  return { ...verdict, bound: found && lab.core.mistakeBound(found), gamma: found && found.gamma };
})"""


def hard_sets(count, seed):
    """Clouds near each other, grids with touching hulls, points on one line, segments and single points."""
    random = np.random.default_rng(seed)
    for number in range(count):
        n = int(random.integers(2, 9))
        kind = number % 5
        if kind == 0:
            X = random.normal(size=(n, 2))
            y = X @ random.normal(size=2) > 0
        elif kind == 1:
            X, y = random.integers(-2, 3, (n, 2)), random.random(n) < 0.5
        elif kind == 2:  # on one line, with coordinates that are not exact
            t = random.integers(-4, 5, n) / 10
            X, y = np.column_stack([0.1 + t, 0.3 + 3 * t]), t > 0
        elif kind == 3:
            X, y = random.integers(-1, 2, (n, 2)) * 0.1, random.random(n) < 0.5
        else:
            X = random.normal(size=(n, 2)) + [[5.0, 0.0]] * (random.random(n) < 0.5)[:, None]
            y = X[:, 0] > 2.5
        y = np.asarray(y).copy()
        y[0], y[1] = False, True
        yield [[float(a), float(b), int(c)] for (a, b), c in zip(X, y, strict=True)]


def agree(core, sets):
    for points, found in zip(sets, core.evaluate(DECIDE, sets), strict=True):
        X, y = np.array([p[:2] for p in points]), np.array([p[2] for p in points])
        expected = separability(X, y)
        assert found["separable"] == isinstance(expected, Separable), points
        if found["separable"]:
            assert found["gap"]["distance"] / 2 == pytest.approx(expected.margin, rel=1e-6)
        else:
            check_witness(points, found["witness"])


def check_witness(points, witness):
    """In rational numbers: both mixes have weights ≥ 0 that add up to 1, and are the same point."""
    mixes = {0: [Fraction(0)] * 3, 1: [Fraction(0)] * 3}
    for row, text in zip(witness["rows"], witness["weights"], strict=True):
        weight, (x, y, side) = Fraction(text), points[row]
        assert weight > 0
        mixes[side] = [a + weight * Fraction(b) for a, b in zip(mixes[side], (x, y, 1), strict=True)]
    assert mixes[0] == mixes[1] and mixes[0][2] == 1
    assert [float(v) for v in mixes[0][:2]] == pytest.approx(witness["point"], rel=1e-12, abs=1e-300)


def test_the_page_decides_as_the_library_does(core):
    agree(core, list(hard_sets(250, seed=0)))


@pytest.mark.slow
def test_the_page_decides_as_the_library_does_on_ten_thousand_sets(core):
    agree(core, list(hard_sets(10_000, seed=1)))


def test_the_last_bit_decides(core):
    """Three points on a line but for the last bit of one."""
    a, b = [0.1, 0.1, 0], [0.3, 0.3, 0]
    for middle, separable in ((0.2, False), (np.nextafter(0.2, 1), True), (np.nextafter(0.2, 0), True)):
        (found,) = core.evaluate(DECIDE, [[a, b, [0.2, float(middle), 1]]])
        assert found["separable"] is separable


def test_the_bound_is_the_librarys(core):
    sets = [s for s in hard_sets(150, seed=3)]
    checked = 0
    for points, found in zip(sets, core.evaluate(DECIDE, sets), strict=True):
        expected = separability(np.array([p[:2] for p in points]), np.array([p[2] for p in points]))
        if isinstance(expected, Separable) and expected.gamma > 1e-3:
            checked += 1
            assert found["gamma"] == pytest.approx(expected.gamma, rel=1e-6)
            assert abs(found["bound"] - expected.mistake_bound) <= 1 + 1e-5 * expected.mistake_bound
    assert checked > 40
