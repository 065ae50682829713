"""No false certificate verifies: whatever is changed so that it is wrong, the check says no, and why."""

import dataclasses
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certificates.problems import separable_integers, small_problems
from rosenblatt import Perceptron, certify, load_certificate, separability
from rosenblatt.certificates.problem import digest
from rosenblatt.certificates.results import Hull, NotSeparable, QuasiComplete, Separable

changed = dataclasses.replace

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])
LINE = np.array([[0.0], [1.0], [1.0], [2.0], [5.0]])
STEP = np.array([0, 0, 1, 1, 1])  # both classes at 1
NAN = float("nan")


def refused(certificate, X, y):
    found = certificate.verify(X, y)
    assert not found and found.holds is False
    assert found.reason.strip().endswith((".", "!")) and "\n" not in found.reason
    return found.reason


@pytest.fixture(scope="module")
def separable():
    return separability(CORNERS, AND)


@pytest.fixture(scope="module")
def not_separable():
    return separability(CORNERS, XOR)


@pytest.fixture(scope="module")
def overlapping(not_separable):
    return not_separable.refine()


@pytest.fixture(scope="module")
def quasi_complete():
    return separability(LINE, STEP).refine()


def test_the_originals_hold(separable, not_separable, overlapping, quasi_complete):
    assert separable.verify(CORNERS, AND)
    assert not_separable.verify(CORNERS, XOR)
    assert overlapping.verdict == "overlapping" and overlapping.verify(CORNERS, XOR)
    assert quasi_complete.verdict == "quasi-complete" and quasi_complete.verify(LINE, STEP)


# ------------------------------------------------------------------------------------------------------- Separable


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("margin", lambda value: value * 1.001),
        ("margin", lambda value: math.nextafter(value, 1) + 1e-15),
        ("margin", lambda value: -value),
        ("margin", lambda value: NAN),
        ("margin", lambda value: math.inf),
        ("margin_upper", lambda value: value * 0.999),
        ("margin_upper", lambda value: 0.0),
        ("margin_upper", lambda value: -value),
        ("margin_upper", lambda value: NAN),
        ("gamma", lambda value: value * 1.001),
        ("gamma", lambda value: -value),
        ("gamma", lambda value: NAN),
        ("gamma", lambda value: math.inf),
        ("gamma_upper", lambda value: value * 0.999),
        ("gamma_upper", lambda value: NAN),
        ("gamma_upper", lambda value: -value),
        ("radius", lambda value: value * 0.999),
        ("radius", lambda value: value * 1.001),
        ("radius", lambda value: 1000.0),
        ("radius", lambda value: math.inf),
        ("radius", lambda value: -value),
        ("radius", lambda value: NAN),
        ("mistake_bound", lambda value: value - 1),
        ("mistake_bound", lambda value: 0),
        ("mistake_bound", lambda value: -value),
        ("plane", lambda value: (value[0], value[1] + 1)),
        ("plane", lambda value: (tuple(-w for w in value[0]), value[1])),
        ("plane", lambda value: ((0.0, 0.0), 0.0)),
        ("plane", lambda value: ((NAN, 1.0), 0.0)),
        ("plane", lambda value: (value[0][:1], value[1])),
        ("plane", lambda value: ((*value[0], 1.0), value[1])),
        ("theorem_plane", lambda value: (tuple(-w for w in value[0]), value[1])),
        ("theorem_plane", lambda value: ((0.0, 0.0), 0.0)),
        ("theorem_plane", lambda value: (value[0], -value[1])),
        ("theorem_plane", lambda value: (value[0][:1], value[1])),
        ("theorem_plane", lambda value: ((NAN, 1.0), 0.0)),
        ("hull", lambda value: None),
        ("hull", lambda value: Hull(value.rows, (*value.weights[1:], value.weights[0] + 1))),
        ("hull", lambda value: Hull(value.rows[1:], value.weights[1:])),
        ("hull", lambda value: Hull(value.rows, value.weights[1:])),
        ("hull", lambda value: Hull((0, 3), (Hull.SHARES, Hull.SHARES))),  # a point, but of a larger bound
        ("hull", lambda value: Hull((3, 99), (Hull.SHARES, Hull.SHARES))),
        ("hull", lambda value: Hull((3, -1), (Hull.SHARES, Hull.SHARES))),
        ("hull", lambda value: Hull((3, 0, 1), (Hull.SHARES, 2 * Hull.SHARES, -Hull.SHARES))),
        ("hull", lambda value: Hull((3, 3, 0), (Hull.SHARES // 2, Hull.SHARES // 2, Hull.SHARES))),
        ("hull", lambda value: Hull(value.rows, value.weights, 240)),
        ("hull", lambda value: Hull(value.rows, value.weights, 61)),
        ("hull", lambda value: Hull(value.rows, value.weights, 10**12)),
        ("hull", lambda value: Hull(value.rows, value.weights, -1)),
        ("theorem_hull", lambda value: None),
        ("theorem_hull", lambda value: Hull(value.rows, tuple(2 * weight for weight in value.weights))),
        ("theorem_hull", lambda value: Hull((0,), (Hull.SHARES,))),
    ],
)
def test_a_changed_separable(separable, name, change):
    refused(changed(separable, **{name: change(getattr(separable, name))}), CORNERS, AND)


def test_a_weaker_claim_is_not_a_false_one(separable):
    """What is stated may be less than what is proven: a smaller margin, a larger bound."""
    for name, factor in (("margin", 0.5), ("gamma", 0.5), ("margin_upper", 2), ("gamma_upper", 2)):
        assert changed(separable, **{name: getattr(separable, name) * factor}).verify(CORNERS, AND)
    assert changed(separable, mistake_bound=separable.mistake_bound + 1).verify(CORNERS, AND)


def test_infinity_bounds_nothing_and_so_is_true_or_refused_in_words(separable):
    for name in ("margin_upper", "gamma_upper"):
        assert changed(separable, **{name: math.inf}).verify(CORNERS, AND)
    for rows in ((3, 99), (0, 0, 3), tuple(range(50))):  # which would be shown as support vectors
        weights = (Hull.SHARES // len(rows),) * len(rows)
        refused(changed(separable, margin_upper=math.inf, hull=Hull(rows, weights)), CORNERS, AND)


def test_a_hyperplane_that_leaves_the_origin_is_no_proof_without_an_intercept():
    X, y = np.array([[1.0], [2.0]]), np.array([1, -1])
    assert not separability(X, y, False)
    found = separability(X, y, True)
    bare = {"hull": None, "margin_upper": math.inf, "theorem_hull": None, "gamma_upper": math.inf}
    forged = changed(found, about=changed(found.about, intercept=False), gamma=0.0, mistake_bound=10**9, **bare)
    refused(forged, X, y)


@given(small_problems(dtypes=["int64"]), st.lists(st.integers(-4, 4), min_size=5, max_size=5))
@settings(max_examples=200)
def test_a_hyperplane_of_ones_own(problem, numbers):
    """Any plane put into a true certificate verifies only if every row is on its side of it."""
    X, signs, intercept = problem
    found = separability(X, signs, intercept)
    assume(isinstance(found, Separable))
    normal = tuple(float(value) for value in numbers[: X.shape[1]])
    offset = float(numbers[-1])
    forged = changed(
        found,
        plane=(normal, offset),
        margin=0.0,
    )
    right = bool((signs * (X @ np.array(normal) + offset) > 0).all()) and (intercept or offset == 0)
    assert bool(forged.verify(X, signs)) == right


# ---------------------------------------------------------------------------------------------------- NotSeparable


@pytest.mark.parametrize(
    "change",
    [
        {"weights": (Fraction(1, 2), Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))},
        {"weights": (Fraction(1), Fraction(1), Fraction(1), Fraction(1))},
        {"weights": (Fraction(0), Fraction(1), Fraction(0), Fraction(1))},
        {"weights": (Fraction(-1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(3, 2))},
        {"weights": (Fraction(1, 2),) * 3},
        {"weights": (NAN,) * 4},
        {"weights": ()},
        {"rows": (0, 1, 2)},
        {"rows": (0, 1, 2, 2)},
        {"rows": (0, 1, 2, 4)},
        {"rows": (0, 1, 2, -1)},
        {"rows": (0.5, 1.5, 2.5, 3.5)},
        {"rows": (), "weights": ()},
        {"rows": (0, 1), "weights": (Fraction(1), Fraction(1))},
    ],
)
def test_a_changed_witness(not_separable, change):
    assert not_separable.rows == (0, 1, 2, 3) and set(not_separable.weights) == {Fraction(1, 2)}
    refused(changed(not_separable, **change), CORNERS, XOR)


def test_a_witness_without_intercept_is_none_with_one_and_the_other_way_round():
    X, y = np.array([[1.0], [2.0]]), np.array([1, -1])
    through = separability(X, y, False)
    refused(changed(through, about=changed(through.about, intercept=True)), X, y)
    crossed = separability(CORNERS, XOR)
    refused(changed(crossed, about=changed(crossed.about, intercept=False)), CORNERS, XOR)


@given(small_problems(dtypes=["int64"]), st.integers(0, 5), st.fractions(-1, 1, max_denominator=7))
@settings(max_examples=100)
def test_one_weight_that_is_different(problem, place, by):
    X, signs, intercept = problem
    found = separability(X, signs, intercept)
    assume(isinstance(found, NotSeparable) and by)
    weights = list(found.weights)
    weights[place % len(weights)] += by
    refused(changed(found, weights=tuple(weights)), X, signs)


# --------------------------------------------------------------------------------------- Overlapping, QuasiComplete


@pytest.mark.parametrize(
    "change",
    [
        {"share": Fraction(0)},
        {"share": Fraction(-1, 4)},
        {"share": NAN},
        {"weights": (Fraction(1, 2), Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))},
        {"weights": (Fraction(1), Fraction(1), Fraction(1), Fraction(1))},
        {"weights": ()},
        {"rows": (0, 1, 2, 9)},
        {"rows": (0, 1, 2, 2)},
    ],
)
def test_a_changed_overlap(overlapping, change):
    assert len(overlapping.rows) == 4
    refused(changed(overlapping, **change), CORNERS, XOR)


def test_an_overlap_of_rows_that_only_touch():
    """The witness of touching classes is no proof that all rows take part."""
    found = separability(LINE, STEP)
    overlap = separability(CORNERS, XOR).refine()
    forged = changed(overlap, rows=found.rows, weights=found.weights, about=found.about)
    for share in (Fraction(1, 4), Fraction(1, 4**10)):
        refused(changed(forged, share=share), LINE, STEP)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("strictly", lambda value: value + 1),
        ("strictly", lambda value: 0),
        ("plane", lambda value: (tuple(-w for w in value[0]), value[1])),
        ("plane", lambda value: (value[0], value[1] - 1)),
        ("plane", lambda value: (value[0], value[1] + 1)),
        ("plane", lambda value: ((0.0,), 0.0)),
        ("plane", lambda value: ((0.0,), 1.0)),
        ("plane", lambda value: ((NAN,), 0.0)),
        ("plane", lambda value: ((1.0, 1.0), 0.0)),
        ("witness", lambda value: changed(value, weights=tuple(weight / 2 for weight in value.weights))),
        ("witness", lambda value: changed(value, rows=(0, 4))),
    ],
)
def test_a_changed_touch(quasi_complete, name, change):
    refused(changed(quasi_complete, **{name: change(getattr(quasi_complete, name))}), LINE, STEP)


def test_a_touch_must_not_borrow_a_witness_of_another_question():
    """Separable rows, called touching with a witness that is about hyperplanes through the origin."""
    X, y = np.array([[1.0], [2.0]]), np.array([1, -1])
    found = separability(X, y)
    forged = QuasiComplete(
        strictly=2,
        about=found.about,
        plane=found.plane,
        witness=separability(X, y, False),
    )
    refused(forged, X, y)


def test_a_touch_through_the_origin_has_no_offset():
    X, y = np.array([[1.0], [-1.0], [0.0]]), np.array([1, 0, 1])
    found = separability(X, y, False).refine()
    assert found.verdict == "quasi-complete" and found.verify(X, y)
    refused(changed(found, plane=(found.plane[0], 0.5)), X, y)


# --------------------------------------------------------------------------------------------------- other data


def certificates():
    yield separability(CORNERS, AND), CORNERS, AND
    yield separability(CORNERS, XOR), CORNERS, XOR
    yield separability(CORNERS, XOR).refine(), CORNERS, XOR
    yield separability(LINE, STEP).refine(), LINE, STEP


@pytest.mark.parametrize("number", range(4))
def test_other_data_is_known_by_its_digest(number):
    certificate, X, y = list(certificates())[number]
    for row, column in np.ndindex(X.shape):
        other = X.astype(np.float64)
        other[row, column] = np.nextafter(other[row, column], 9)
        assert "digest" in refused(certificate, other, y)
    for row in range(len(y)):
        other = y.copy()
        other[row] = 1 - other[row]
        assert refused(certificate, X, other).endswith(("digests differ.", "pass rows of two classes."))
    for i in range(1, len(X)):
        order = np.arange(len(X))
        order[[0, i]] = i, 0
        if (X[order] != X).any() or (y[order] != y).any():
            assert "digest" in refused(certificate, X[order], y[order])
    assert "rows" in refused(certificate, X[1:], y[1:])
    assert "feature" in refused(certificate, np.hstack([X, X]), y)
    assert "classes" in refused(certificate, X, y + 1)
    assert "classes" in refused(certificate, X, np.array(["a", "b"])[y])


@given(small_problems(dtypes=["int64"]), st.integers(0, 99), st.integers(1, 3))
@settings(max_examples=200)
def test_with_a_forged_digest_the_proof_itself_is_checked(problem, place, by):
    """The certificate is re-addressed to changed data; it may verify only where it is true of that data too."""
    X, signs, intercept = problem
    found = separability(X, signs, intercept)
    other = X.copy()
    other.flat[place % X.size] += by
    forged = changed(found, about=changed(found.about, digest=digest(other, signs.astype(np.int8))))
    truth = separability(other, signs, intercept)
    if type(truth) is not type(found):
        refused(forged, other, signs)
    elif isinstance(found, Separable) and forged.verify(other, signs):
        plane = np.array([float(w) for w in found.plane[0]])
        assert (signs * (other @ plane + float(found.plane[1])) > 0).all()
        assert found.margin <= truth.margin_upper * (1 + 1e-15)


def test_with_a_forged_digest_one_row_on_the_wrong_side_is_found():
    """In 2,000 rows of 12 features."""
    X, signs = separable_integers(2000, 12, 3, seed=0)
    found = separability(X, signs)
    assert found.verify(X, signs)
    X[1234] = X[1235]
    forged = changed(found, about=changed(found.about, digest=digest(X, signs.astype(np.int8))))
    assert "row 1234" in refused(forged, X, signs)


def test_a_digest_is_about_numbers_not_about_dtypes():
    names = {digest(CORNERS.astype(dtype), AND.astype(np.int8)) for dtype in ("u1", "i2", "i8", "f4", "f8", ">f8")}
    assert len(names) == 1
    apart = [np.array([[value]], dtype=np.int64) for value in (2**53, 2**53 + 1, 2**63 - 1, 2**63 - 2, -(2**63))]
    assert len({digest(X, np.array([1], np.int8)) for X in apart}) == 5


def test_a_file_without_a_digest_is_about_other_data(tmp_path):
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 1]
    path = tmp_path / "model.json"
    certify(Perceptron().fit(X, y), X, y).save(path)
    path.write_text(re.sub(r'"digest": "[0-9a-f]+"', '"digest": ""', path.read_text()))
    with pytest.raises(ValueError, match="digests differ"):
        load_certificate(path, X, y)


def test_certificates_can_be_compared():
    for (one, _, _), (other, _, _) in zip(certificates(), certificates(), strict=True):
        assert isinstance(one == other, bool) and one != separability(LINE, STEP)


def test_undecided_has_no_proof_and_is_neither_yes_nor_no():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(3000, 20)), random.integers(0, 2, 3000)
    found = separability(X, y, time_limit=1e-9)
    assert found.verdict == "undecided" and found.reason == "time limit"
    assert "nothing to verify" in refused(found, X, y)
    with pytest.raises(ValueError, match="neither yes nor no"):
        bool(found)
