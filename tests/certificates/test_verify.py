"""The checker against plain fractions: what its float64 filter lets through is decided exactly, and rightly."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates import verify_numbers

SIZES = {"int8": (-(2**7), 2**7 - 1), "int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1), "uint8": (0, 255)}
HARD = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1.7976931348623157e308, -1.7976931348623157e308, 1e200, 1e-200, 1.0]


@st.composite
def tables(draw, rows=8, features=4):
    """Rows of any dtype whose numbers may be as far apart as the dtype allows."""
    n, d = draw(st.integers(1, rows)), draw(st.integers(1, features))
    dtype = draw(st.sampled_from(["float64", "float64", "float32", *SIZES]))
    if dtype == "float64":
        number = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(HARD)
    elif dtype == "float32":
        number = st.floats(width=32, allow_nan=False, allow_infinity=False)
    else:
        low, high = SIZES[dtype]
        number = st.integers(low, high) | st.sampled_from([low, high, high - 1, 0, 1])
    flat = draw(st.lists(number, min_size=n * d, max_size=n * d))
    X = np.array(flat, dtype=dtype).reshape(n, d)
    repeated = X[draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n + 2))]
    return scipy.sparse.csr_array(repeated) if draw(st.booleans()) else repeated


def as_fractions(X):
    return [[Fraction(value) for value in row] for row in (X.toarray() if scipy.sparse.issparse(X) else X).tolist()]


def signs_for(X, bits):
    return np.array([1 if bits >> i & 1 else -1 for i in range(X.shape[0])], dtype=np.int8)


numbers = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(HARD)
    | st.integers(-(2**70), 2**70)
    | st.fractions(max_denominator=1000)
)


@given(tables(), st.lists(numbers, min_size=4, max_size=4), numbers, st.integers(0, 1023))
@settings(max_examples=400)
def test_the_least_score(X, normal, offset, bits):
    signs = signs_for(X, bits)
    normal = normal[: X.shape[1]]
    scores = [
        sign * (sum(Fraction(w) * x for w, x in zip(normal, row, strict=True)) + Fraction(offset))
        for sign, row in zip(signs.tolist(), as_fractions(X), strict=True)
    ]
    plane = exactly.Plane(normal, offset)
    least, row = exactly.least(X, signs, plane)
    assert least == min(scores) and scores[row] == least
    some = np.where(np.arange(len(signs)) % 2 == 0, signs, 0)
    assert exactly.least(X, some, plane)[0] == min(scores[::2])
    for strictly in (True, False):
        right = min(scores) > 0 if strictly else min(scores) >= 0 and max(scores) > 0
        assert accepts(exactly.check_sides, X, signs, plane, strictly=strictly) == right


@st.composite
def narrow_problems(draw):
    """Rows a few units in the last place apart, and a hyperplane that goes through one of them but for rounding: in
    float64 their scores are noise."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    d, wide = draw(st.integers(2, 6)), draw(st.sampled_from([0, 3, 40]))
    dtype = draw(st.sampled_from(["float64", "float32", "int64"]))
    scale = 2.0 ** random.integers(-wide, wide + 1, d)
    base = (random.normal(size=d) * scale).astype(np.float32 if dtype == "float32" else np.float64)
    if dtype == "int64":
        X = random.integers(2**61, 2**62, d) + random.integers(-3, 4, (8, d))
    else:
        X = base + np.spacing(base) * random.integers(-3, 4, (8, d)).astype(base.dtype)
    normal = random.normal(size=d) / scale
    centre = sum(Fraction(w) * Fraction(x) for w, x in zip(normal.tolist(), X[0].tolist(), strict=True))
    offset = -centre if draw(st.booleans()) else -float(centre)
    return scipy.sparse.csr_array(X) if draw(st.booleans()) else X, normal, offset


@given(narrow_problems(), st.integers(0, 255))
@settings(max_examples=200)
def test_scores_that_float64_cannot_tell_from_0(problem, bits):
    X, normal, offset = problem
    signs = signs_for(X, bits)
    scores = [
        sum(Fraction(w) * x for w, x in zip(normal.tolist(), row, strict=True)) + Fraction(offset)
        for row in as_fractions(X)
    ]
    plane = exactly.Plane(normal, offset)
    for labels in (signs, np.where(np.array(scores) >= 0, 1, -1).astype(np.int8)):
        signed = [score * sign for score, sign in zip(scores, labels.tolist(), strict=True)]
        assert exactly.least(X, labels, plane)[0] == min(signed)
        for strictly in (True, False):
            right = min(signed) > 0 if strictly else min(signed) >= 0 and max(signed) > 0
            assert accepts(exactly.check_sides, X, labels, plane, strictly=strictly) == right


def accepts(check, *args, **kwargs):
    try:
        check(*args, **kwargs)
    except exactly.CertificateError:
        return False
    return True


@given(tables(), st.booleans())
@settings(max_examples=300)
def test_the_largest_square(X, constant):
    squares = [sum(value * value for value in row) for row in as_fractions(X)]
    assert exactly.largest_square(X, constant=constant) == max(squares) + constant


@given(tables(), st.integers(0, 1023), st.booleans())
@settings(max_examples=300)
def test_the_means_of_the_classes(X, bits, intercept):
    signs = signs_for(X, bits)
    if X.shape[0] > 1:
        signs[:2] = 1, -1
    elif intercept:
        return  # one row has one class
    rows = [[sign * value for value in row] for sign, row in zip(signs.tolist(), as_fractions(X), strict=True)]
    groups = [[row for row, s in zip(rows, signs, strict=True) if s == sign] for sign in (1, -1)]
    expected = {}
    for group in groups if intercept else [rows]:
        for column, values in enumerate(zip(*group, strict=True)):
            expected[column] = expected.get(column, 0) + sum(values) / len(group)
    assert exactly.class_means(X, signs, intercept=intercept) == {k: v for k, v in expected.items() if v}


@given(tables(rows=5, features=3), st.integers(0, 127), st.lists(st.fractions(-2, 2, max_denominator=9), max_size=7))
@settings(max_examples=200)
def test_combinations(X, bits, weights):
    signs = signs_for(X, bits)
    weights = weights[: X.shape[0]]
    chosen = range(len(weights))
    rows = as_fractions(X)
    expected = [sum(weights[i] * int(signs[i]) * rows[i][column] for i in chosen) for column in range(X.shape[1])]
    found = exactly.combination(X, signs, list(chosen), weights)
    assert found == {column: value for column, value in enumerate(expected) if value}
    last = sum(weights[i] * int(signs[i]) for i in chosen)
    square = exactly.squared_distance(X, signs, list(chosen), weights, constant=True)
    assert square == sum(value * value for value in expected) + last * last


@example(2**63 - 1, 2**63 - 2)
@example(2**53 + 1, 2**53)
@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
@settings(max_examples=50)
def test_whole_numbers_that_float64_cannot_tell_apart(above, below):
    X, signs = np.array([[above], [below]], dtype=np.int64), np.array([1, -1])
    middle = exactly.Plane([1], -Fraction(above + below, 2))
    assert accepts(exactly.check_sides, X, signs, middle, strictly=True) == (above > below)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_many_blocks_of_rows(monkeypatch, dtype):
    """The same whether the rows are looked at all at once or a few at a time."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(500, 7)) * 1000).astype(dtype)
    signs = np.where(random.random(500) < 0.5, 1, -1).astype(np.int8)
    plane = exactly.Plane(random.normal(size=7), 0.25)
    whole = [
        exactly.least(X, signs, plane),
        exactly.largest_square(X, constant=True),
        exactly.class_means(X, signs, intercept=True),
    ]
    monkeypatch.setattr(verify_numbers, "BLOCK", 30)
    assert whole == [
        exactly.least(X, signs, plane),
        exactly.largest_square(X, constant=True),
        exactly.class_means(X, signs, intercept=True),
    ]


def test_the_filter_leaves_little_to_exact_arithmetic(monkeypatch):
    """What makes a check of large data quick: only rows near the hyperplane are computed exactly."""
    random = np.random.default_rng(1)
    X = random.normal(size=(5000, 20))
    normal = random.normal(size=20)
    signs = np.where(X @ normal > 0, 1, -1).astype(np.int8)
    asked = []
    score = exactly.Plane.score
    monkeypatch.setattr(exactly.Plane, "score", lambda self, rows, row: asked.append(row) or score(self, rows, row))
    exactly.check_sides(X, signs, exactly.Plane(normal, 0.0), strictly=True)
    exactly.least(X, signs, exactly.Plane(normal, 0.0))
    assert len(asked) <= 4


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=3, max_size=5),
    st.integers(1, 30),
    st.booleans(),
    st.data(),
)
@settings(max_examples=200)
def test_a_witness_is_accepted_when_it_is_one(X, bits, intercept, data):
    """Weights of all kinds: right only if positive, convex, and the sum is 0."""
    signs = signs_for(np.array(X), bits)
    chosen = data.draw(st.lists(st.integers(-1, len(X)), max_size=5))
    tops = data.draw(st.lists(st.integers(-1, 3), min_size=len(chosen), max_size=len(chosen)))
    bottoms = {
        s: sum(t for r, t in zip(chosen, tops, strict=True) if 0 <= r < len(X) and signs[r] == s) for s in (1, -1)
    }
    if not intercept:
        bottoms = dict.fromkeys((1, -1), sum(bottoms.values()))
    inside = all(0 <= row < len(X) for row in chosen)
    weights = [
        Fraction(top, bottoms[int(signs[row])] or 1) if inside else Fraction(1)
        for row, top in zip(chosen, tops, strict=True)
    ]
    right = inside and len(set(chosen)) == len(chosen) and all(weight > 0 for weight in weights)
    if right:
        sums = [sum(w * int(signs[r]) * X[r][j] for r, w in zip(chosen, weights, strict=True)) for j in (0, 1)]
        totals = [sum(w for r, w in zip(chosen, weights, strict=True) if signs[r] == s) for s in (1, -1)]
        right = not any(sums) and (totals == [1, 1] if intercept else sum(totals) == 1)
        right = right and len(chosen) <= (4 if intercept else 3)
    assert accepts(exactly.check_witness, np.array(X), signs, chosen, weights, intercept=intercept) == right


def test_what_is_not_a_table_of_numbers_is_refused():
    for X in (np.zeros(3), np.array([["a"]]), np.array([[1j]]), np.array([[np.nan]]), np.array([[math.inf]])):
        with pytest.raises(ValueError, match="rows must be"):
            exactly.Rows(X)


# --------------------------------------------------------------- witnesses that are wrong by the least that there is


def witness(X, signs, weights, intercept=True):
    """Whether these weights on all rows are a proof that no hyperplane separates them."""
    chosen = list(range(len(weights)))
    return accepts(exactly.check_witness, np.array(X), np.array(signs), chosen, weights, intercept=intercept)


def test_weights_that_sum_to_2_over_both_hulls_together_are_no_witness():
    """1 and 2 are separable; 4/3 · 1 = 2/3 · 2 is a common point of two cones, not of two hulls."""
    X, signs = [[1.0], [2.0]], [1, -1]
    assert not witness(X, signs, [Fraction(4, 3), Fraction(2, 3)])
    assert witness(X, signs, [Fraction(2, 3), Fraction(1, 3)], intercept=False)


@pytest.mark.parametrize("apart", [0.0, 2.0**-52, 2.0**-1000])
def test_hulls_that_miss_each_other_by_the_last_bit_do_not_meet(apart):
    X = [[1.0, apart], [1.0, 0.0]]
    assert witness(X, [1, -1], [1, 1]) == (apart == 0.0)


def test_a_witness_names_no_row_that_it_does_not_need():
    X, signs = [[1.0], [1.0], [5.0]], [1, -1, 1]
    assert witness(X[:2], signs[:2], [1, 1])
    assert not witness(X, signs, [1, 1, 0])
    half = Fraction(1, 2)
    assert not witness([[0.0], [2.0], [0.0], [2.0]], [1, 1, -1, -1], [half] * 4)  # true, but 3 rows are enough in 1-D


def test_a_feature_that_a_sparse_row_names_twice_counts_with_its_sum():
    X = scipy.sparse.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    assert not X.has_canonical_format
    assert exactly.largest_square(X, constant=False) == 9
    assert exactly.least(X, np.array([1, 1]), exactly.Plane([1], -2)) == (-1, 1)
    assert exactly.combination(X, np.array([1, -1]), [0, 1], [1, 1]) == {0: 2}
    assert X.nnz == 3  # and the rows are left as they were
