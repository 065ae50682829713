"""The fewest errors of any hyperplane: the interval contains what brute force finds, and nothing false is accepted."""

import dataclasses
import json
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from reference.separability import greatest_least_score, signed_rows
from sklearn.datasets import load_iris

from certificates.problems import listed, small_problems
from rosenblatt import fewest_errors, load_certificate, separability
from rosenblatt.certificates.fewest import errors_at_least
from rosenblatt.certificates.verify import CertificateError
from rosenblatt.certificates.verify_errors import Cover, check_from_below

changed = dataclasses.replace
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def brute_force(X, signs, intercept):
    """The fewest rows whose removal leaves rows that some hyperplane has all right, in rational arithmetic."""
    rows = signed_rows(X, signs, intercept)
    for count in range(len(rows) + 1):
        for wrong in combinations(range(len(rows)), count):
            kept = [row for i, row in enumerate(rows) if i not in wrong]
            if not kept or greatest_least_score(kept) > 0:
                return count


def check_against_brute_force(X, signs, intercept):
    found = fewest_errors(X, signs, intercept)
    assert found.lower == found.upper == brute_force(listed(X), signs.tolist(), intercept)
    assert found.verify(X, signs) and found.closed
    kept = np.setdiff1d(np.arange(len(signs)), found.wrong)
    if len(set(signs[kept].tolist())) == 2:
        assert separability(X[kept], signs[kept], intercept)
    return found


@given(small_problems(rows=7, features=3, largest=2, dtypes=("int64", "float64", "csr")))
@settings(max_examples=40)
def test_the_interval_closes_on_the_brute_force_minimum(problem):
    check_against_brute_force(*problem)


@pytest.mark.slow
@given(small_problems(rows=12, features=2, largest=3, dtypes=("int64",)))
@settings(max_examples=300, deadline=None)
def test_the_interval_closes_up_to_twelve_rows(problem):
    check_against_brute_force(*problem)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_ten_thousand_problems(seed):
    random = np.random.default_rng(seed)
    for _ in range(2000):
        n, d = int(random.integers(2, 8)), int(random.integers(1, 4))
        X = random.integers(-2, 3, (n, d))
        signs = random.choice([-1, 1], n)
        signs[:2] = 1, -1
        check_against_brute_force(X, signs, bool(random.integers(2)))


def test_irises():
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    found = fewest_errors(X, y)
    assert (found.lower, found.upper) == (1, 1) and found.verify(X, y)
    assert "exactly 1" in str(found) and not found
    assert separability(np.delete(X, found.wrong, axis=0), np.delete(y, found.wrong))


def test_separable_rows_need_no_error():
    found = fewest_errors(CORNERS, [0, 0, 0, 1])
    assert (found.lower, found.upper, found.witnesses) == (0, 0, ()) and found
    assert found.verify(CORNERS, [0, 0, 0, 1]) and found.floats_separate


def test_equal_rows_of_opposite_classes_count_once_for_each_pair():
    X = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0)
    y = np.array([0] * 7 + [1] * 3 + [1] * 6 + [0] * 4 + [1] * 10)
    found = fewest_errors(X, y)
    assert (found.lower, found.upper) == (7, 7) and found.verify(X, y)


@pytest.mark.parametrize("sizes", [(-1000, 800), (-900, 0), (0, 1000), (-1060, -1060), (1020, 1020)])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_extreme_sizes(sizes, intercept):
    """Columns are divided by powers of two for the search, and multiplied by them again exactly."""
    random = np.random.default_rng(0)
    for _ in range(3):
        X = np.ldexp(random.integers(-2, 3, (7, 2)).astype(float), sizes)
        signs = np.array([1, -1, *random.choice([-1, 1], 5)])
        check_against_brute_force(X, signs, intercept)
        sparse = scipy.sparse.csr_array(X)
        found = fewest_errors(sparse, signs, intercept)
        assert found.closed and found.verify(sparse, signs)


def test_sparse_bytes_are_not_squared_as_bytes():
    X = np.array([[16, 0], [0, 16], [16, 16], [32, 0]], dtype=np.uint8)  # 16 · 16 is 0 among bytes
    for rows in (X, scipy.sparse.csr_array(X)):
        check = fewest_errors(rows, [0, 1, 0, 1], False)
        assert (check.lower, check.upper) == (1, 1) and check.verify(rows, [0, 1, 0, 1])


def test_larger_problems_have_an_interval_that_verifies(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] + random.normal(size=300) > 0).astype(int)
    found = fewest_errors(X, y, time_limit=1.5)
    assert 0 < found.lower <= found.upper < 100 and found.verify(X, y)
    found.save(tmp_path / "f.json")
    again = load_certificate(tmp_path / "f.json", X, y)
    assert (again.lower, again.upper, again.witnesses) == (found.lower, found.upper, found.witnesses)
    sparse = scipy.sparse.csr_array(X)
    assert fewest_errors(sparse, y, time_limit=0.5).verify(sparse, y)
    assert fewest_errors(X, y, time_limit=1e-9).verify(X, y)


# ------------------------------------------------------------------------------------------------- covers


def test_a_cover_of_few_rows():
    assert Cover([(0, 1), (1, 2), (2, 0)]).within(1) is None
    assert len(Cover([(0, 1), (1, 2), (2, 0)]).within(2)) == 2
    assert Cover([]).within(0) == set()
    check_from_below([(0, 1), (1, 2), (2, 0)], [0, 0, 0], 2, 2)  # by search: the shares prove nothing
    check_from_below([(0, 1), (1, 2), (2, 0)], [1, 1, 1], 2, 2)  # by shares of one half each
    for witnesses, shares, lower in (
        ([(0, 1), (1, 2), (2, 0)], [1, 1, 1], 3),
        ([(0, 1), (1, 2)], [2, 2], 2),
        ([(0, 1)], [1, 1], 1),
        ([(0, 1)], [-1], 1),
        ([], [], 1),
    ):
        with pytest.raises(CertificateError):
            check_from_below(witnesses, shares, 2, lower)


def test_a_search_that_is_too_long_is_refused_in_words():
    random = np.random.default_rng(0)
    witnesses = [tuple(random.choice(400, 8, replace=False).tolist()) for _ in range(400)]
    with pytest.raises(CertificateError, match="too long"):
        check_from_below(witnesses, [0] * 400, 1, 40)
    with pytest.raises(CertificateError, match="too long"):
        check_from_below(witnesses, [0] * 400, 1, 10**9)


# ------------------------------------------------------------------------------------------------- forgeries


def test_a_changed_interval(tmp_path):
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 1, 0, 1, 0, 1])
    found = fewest_errors(X, y)
    assert (found.lower, found.upper) == (2, 2) and found.verify(X, y)
    rows = found.witnesses[0].rows
    for change in (
        {"lower": 3},
        {"wrong": found.wrong[1:]},
        {"wrong": (0, 5)},
        {"wrong": (*found.wrong, 5)},
        {"plane": ((1.0,), -100.0)},
        {"shares": found.shares[1:]},
        {"shares": tuple(share + (1 << 40) for share in found.shares)},
        {"witnesses": ()},
        {"witnesses": (changed(found.witnesses[0], weights=(*found.witnesses[0].weights, 1)),)},
        {"witnesses": (changed(found.witnesses[0], rows=(0, 1)),) * len(found.witnesses)},
    ):
        assert not changed(found, **change).verify(X, y), change
    assert changed(found, lower=1).verify(X, y)  # a weaker claim is not a false one
    path = tmp_path / "f.json"
    found.save(path)
    content = json.loads(path.read_text())
    for lie in (
        {"lower": 3},
        {"lower": "2"},
        {"wrong": []},
        {"witnesses": [[0, 1]]},
        {"witnesses": [list(rows)] * len(found.witnesses), "shares": [1 << 40] * len(found.witnesses)},
        {"witnesses": [[99, 100]]},
        {"plane": {"normal": [0], "offset": 1}},
        {"shares": []},
        {"upper": 2},
    ):
        path.write_text(json.dumps(content | lie))
        with pytest.raises(CertificateError):
            load_certificate(path, X, y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fewest_errors(CORNERS, [0, 1, 2, 0]),
        lambda: fewest_errors(CORNERS, [0, 0, 0, 0]),
        lambda: fewest_errors(CORNERS, [0, 1]),
        lambda: fewest_errors(CORNERS * np.nan, XOR),
        lambda: fewest_errors(CORNERS, XOR, time_limit=0),
        lambda: fewest_errors(CORNERS, XOR, fit_intercept="yes"),
        lambda: fewest_errors([["a"], ["b"]], [0, 1]),
    ],
)
def test_bad_input_gets_a_sentence(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_a_quick_bound_from_below():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = (X[:, 0] + random.normal(size=200) > 0).astype(int)
    found = errors_at_least(X, y, True, 5, np.inf)
    assert found == 5 == errors_at_least(X, y, True, 5, np.inf)
    assert errors_at_least(X, y, True, 500, np.inf) <= fewest_errors(X, y, time_limit=1.0).upper
    assert errors_at_least(CORNERS, [0, 0, 0, 1], True, 5, np.inf) == 0
