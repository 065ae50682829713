"""Bad input gets one sentence; hard input an answer; time limits and Ctrl-C what is known so far."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from certificates.problems import overlapping_integers
from rosenblatt import Perceptron, audit, load_certificate, margin, separability
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.prover import decide
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.certificates.table import SeparabilityTable
from rosenblatt.certificates.watching import Watcher

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def damaged_csr():
    X = scipy.sparse.csr_array(np.eye(3))
    X.indices[1] = 7
    return X


BAD_DATA = {
    "NaN": ([[1.0], [np.nan]], [0, 1]),
    "infinity": ([[1.0], [np.inf]], [0, 1]),
    "NaN in float32": (np.array([[1.0], [np.nan]], dtype=np.float32), [0, 1]),
    "NaN in CSR": (scipy.sparse.csr_array([[1.0], [np.nan]]), [0, 1]),
    "an index outside CSR": (damaged_csr(), [0, 1, 1]),
    "one class": (CORNERS, [1, 1, 1, 1]),
    "one class of text": (CORNERS, ["a", "a", "a", "a"]),
    "mixed labels": (CORNERS, [1, "a", 1, "a"]),
    "labels of any kind": (CORNERS, np.array([1, "a", None, 2], dtype=object)),
    "a label is missing": (CORNERS, [None, "a", "a", "b"]),
    "a label is NaN": (CORNERS, [0.0, 1.0, np.nan, 1.0]),
    "no rows": (np.zeros((0, 2)), []),
    "no features": (np.zeros((2, 0)), [0, 1]),
    "too few labels": (CORNERS, [0, 1]),
    "too many labels": (CORNERS, [0, 1, 0, 1, 0]),
    "labels in a table": (CORNERS, [[0, 1]] * 4),
    "no labels": (CORNERS, None),
    "sparse labels": (CORNERS, scipy.sparse.csr_array([[0], [1], [1], [0]])),
    "three dimensions": (np.zeros((2, 2, 2)), [0, 1]),
    "one dimension": ([1, 2], [0, 1]),
    "no dimensions": (3.0, [0, 1]),
    "nothing": (None, [0, 1]),
    "text": ([["a"], ["b"]], [0, 1]),
    "objects": (np.array([[object()], [1]], dtype=object), [0, 1]),
    "complex numbers": (np.array([[1j], [1]]), [0, 1]),
    "long doubles": (np.ones((2, 1), dtype=np.longdouble), [0, 1]),
    "dates": (np.array([["2020-01-01"], ["2021-01-01"]], dtype="M8[D]"), [0, 1]),
    "rows of several lengths": ([[1, 2], [1]], [0, 1]),
}


def one_sentence(caught):
    message = str(caught.value)
    assert message[0].isupper() or message[0].islower()
    assert message.endswith(".") and "\n" not in message and 20 < len(message) < 300 and "np." not in message, message
    return message


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data(name, tmp_path):
    X, y = BAD_DATA[name]
    if name == "long doubles" and np.dtype(np.longdouble).itemsize == 8:
        pytest.skip("long doubles are doubles here")
    fitted = Perceptron(max_iter=100).fit(CORNERS, AND, record="updates")
    separability(CORNERS, AND).save(tmp_path / "certificate.json")
    calls = [
        lambda: separability(X, y),
        lambda: margin(X, y),
        lambda: audit(fitted, X, y),
        lambda: load_certificate(tmp_path / "certificate.json", X, y),
        lambda: separability(CORNERS, XOR).refine(X, y),
    ]
    for call in calls:
        if X is None and call is calls[-1]:
            continue  # refine() without data uses its own
        with pytest.raises(ValueError) as caught:
            call()
        one_sentence(caught)


@pytest.mark.parametrize(
    "settings",
    [
        *({"tolerance": value} for value in (0, -1, 2, 1.0001, np.nan, np.inf, "0.01", None, [0.1])),
        *({"time_limit": value} for value in (0, -1, np.nan, "1", [1])),
    ],
    ids=str,
)
def test_bad_settings(settings):
    (name,) = settings
    fitted = Perceptron(max_iter=100).fit(CORNERS, AND, record="updates")
    calls = [separability, margin, lambda X, y, **more: audit(fitted, X, y, **more)]
    for call in calls:
        with pytest.raises(ValueError, match=name) as caught:
            call(CORNERS, AND, **settings)
        one_sentence(caught)
    if name == "time_limit":
        with pytest.raises(ValueError, match=name) as caught:
            separability(CORNERS, XOR).refine(**settings)
        one_sentence(caught)


def test_whole_numbers_that_no_dtype_holds_are_not_rounded():
    """Either an answer about these very numbers, or a refusal."""
    X = [[2**64 + 1], [2**64 + 2]]
    try:
        found = separability(X, [0, 1])
    except ValueError:
        return
    assert found.verdict == "separable"


def test_margin_is_about_two_classes():
    with pytest.raises(ValueError, match="two classes"):
        margin(np.eye(3), [0, 1, 2])


def test_refine_wants_the_same_data():
    found = separability(CORNERS, XOR)
    for X, y in ((CORNERS + 1, XOR), (CORNERS, AND), (CORNERS[:2], XOR[:2]), (CORNERS, None)):
        with pytest.raises(ValueError) as caught:
            found.refine(X, y)
        one_sentence(caught)


# ---------------------------------------------------------------------------------------------- hard, but not wrong


@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_equal_rows_of_opposite_labels_are_named(layout, intercept):
    random = np.random.default_rng(0)
    X = random.normal(size=(1000, 5))
    y = (X[:, 0] > 0).astype(int)
    X[700], y[700] = X[300], 1 - y[300]
    found = separability(layout(X), y, intercept)
    assert isinstance(found, NotSeparable) and found.rows == (300, 700) and found.verify(layout(X), y)


@pytest.mark.parametrize("n", [5, 600])
def test_constant_features(n):
    y = np.arange(n) % 2
    X = np.column_stack([np.full(n, 7.0), np.zeros(n)])
    assert separability(X, y).verdict == "not separable"
    X = np.column_stack([X, y])
    found = separability(X, y)
    assert found.verdict == "separable" and found.margin == 0.5 == found.margin_upper and found.verify(X, y)


def test_more_features_than_rows():
    random = np.random.default_rng(0)
    for shape in ((3, 50), (20, 300), (60, 500)):
        X, y = random.normal(size=shape), np.arange(shape[0]) % 2
        found = separability(X, y)
        assert found.verdict == "separable" and found.verify(X, y) and found.gap <= 0.0102


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e308])
@pytest.mark.parametrize("n", [20, 400])
def test_squares_that_overflow_or_vanish(scale, n):
    random = np.random.default_rng(1)
    X = np.clip(random.normal(size=(n, 3)), -1, 1)
    y = np.where(X[:, 0] > X[:, 1], 1, 0)
    X = X * scale
    kept = X[:, 0] != X[:, 1]  # the smallest differences are lost where there is no smaller float
    X, y = X[kept], y[kept]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = separability(X, y)
        assert found.verdict == "separable" and found.verify(X, y)
        assert 0 <= found.margin <= found.margin_upper
        other = separability(X, random.integers(0, 2, len(y)))
        assert other.verdict == "not separable"


@pytest.mark.parametrize("size", [1e12, 1e20, 1e200, 1e308])
@pytest.mark.parametrize("n", [20, 1000])
def test_a_feature_that_dwarfs_the_margin(tmp_path, size, n):
    """The bound from above is as good as the margin: its weights have as many bits as that takes."""
    random = np.random.default_rng(1)
    y = np.arange(n) % 2
    X = np.column_stack([size * random.uniform(-1, 1, n), y])
    found = separability(X, y)
    assert found.margin == 0.5 and found.gap < 1e-9 and "the largest to the last digit" in str(found)
    found.save(tmp_path / "proof.json")
    assert load_certificate(tmp_path / "proof.json", X, y).margin_upper == found.margin_upper


def test_a_bound_far_above_the_margin_is_told_as_a_number():
    found = separability([[0.0], [1.0]], [0, 1])
    near, far = replace(found, margin_upper=0.6), replace(found, margin_upper=1.2e184)
    assert "margin         0.5, the largest to within 20 %" in str(near)
    assert "margin         0.5, and the largest is at most 1.2e+184" in str(far) and far.verify([[0.0], [1.0]], [0, 1])


def test_frames_and_labels_of_all_kinds():
    import pandas
    import polars

    frame = {"a": CORNERS[:, 0], "b": CORNERS[:, 1]}
    for X in (pandas.DataFrame(frame), polars.DataFrame(frame), CORNERS.tolist(), CORNERS.astype(bool)):
        for y in (AND, AND.astype(bool), np.array(["no", "yes"])[AND], pandas.Series(AND), AND[:, None], AND * 0.5):
            found = separability(X, y)
            assert found.verdict == "separable" and found.mistake_bound == 51


def test_the_answer_to_large_random_floats_can_be_printed():
    """Its weights have more digits than Python likes to print."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(700, 260)), random.integers(0, 2, 700)
    found = separability(X, y)
    assert found.verdict == "not separable" and "digits" in str(found) and "<pre>" in found._repr_html_()


# ------------------------------------------------------------------------------------------------ time and Ctrl-C


@pytest.fixture(scope="module")
def large():
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 30))
    return X, np.where(X[:, 0] + X[:, 1] / 2 > 0, 1, 0), random.integers(0, 2, len(X))


def test_a_tiny_time_limit(large):
    X, halves, random = large
    for y in (halves, random):
        found = separability(X, y, time_limit=1e-6)
        assert isinstance(found, Undecided) and found.reason == "time limit" and found.margin_upper > 0
        assert margin(X, y, time_limit=1e-6) == (0.0, found.margin_upper)
    found = separability(X, random)
    assert isinstance(found, NotSeparable)
    refined = found.refine(time_limit=1e-6)
    assert isinstance(refined, Undecided) and refined.reason == "time limit"


def test_a_time_limit_holds_for_a_whole_table(large):
    X, halves, random = large
    found = separability(X, 2 * halves + random, time_limit=1e-3)
    assert isinstance(found, SeparabilityTable) and len(found) == 10
    assert all(isinstance(each, Undecided) for _, each in found)


def interrupt_when(monkeypatch, is_time):
    def bounds(self, lower, upper):
        if is_time(lower, upper):
            raise KeyboardInterrupt

    monkeypatch.setattr(Watcher, "bounds", bounds)


def test_an_interrupted_search_is_undecided(large, monkeypatch):
    X, halves, random = large
    interrupt_when(monkeypatch, lambda lower, upper: True)
    for y in (halves, random):
        found = separability(X, y)
        assert isinstance(found, Undecided) and found.reason == "interrupted"


def test_an_interrupted_margin_is_still_a_proof(large, monkeypatch):
    X, halves, _ = large
    interrupt_when(monkeypatch, lambda lower, upper: lower > 0)
    found = separability(X, halves, tolerance=1e-6)
    assert isinstance(found, Separable) and found.verify(X, halves)
    assert 0 < found.margin <= found.margin_upper


def test_an_interrupted_table_ends(large, monkeypatch):
    X, halves, random = large
    interrupt_when(monkeypatch, lambda lower, upper: True)
    found = separability(X, 2 * halves + random)
    assert isinstance(found, SeparabilityTable) and len(found) == 10  # every question has its answer
    assert all(isinstance(part, Undecided) and part.reason == "interrupted" for _, part in found)


def test_an_interrupted_refinement_is_undecided(large, monkeypatch):
    X, _, random = large
    found = separability(X, random)
    interrupt_when(monkeypatch, lambda lower, upper: True)
    refined = found.refine()
    assert isinstance(refined, Undecided) and refined.reason == "interrupted"


def test_progress_is_shown_when_asked_for(large, capsys):
    X, halves, random = large
    separability(X[:500], random[:500])
    assert capsys.readouterr().out == ""
    separability(X[:500], (2 * halves + random)[:500], verbose=1)
    shown = capsys.readouterr().out
    assert "0 against 1" in shown and "3 against the rest" in shown


def test_what_time_cut_short_still_bounds_the_margin():
    """The hulls are at most as far apart as two of their points, in whatever coordinates those were found."""
    X, y = overlapping_integers(600, 30, seed=3)
    X = X * np.geomspace(1, 1e6, 30)

    class Impatient(Watcher):
        calls = 0

        def bounds(self, lower, upper):
            self.calls += 1
            if self.calls == 5:
                raise KeyboardInterrupt

    problem = Problem(X, y.astype(np.int8), (-1, 1), True)
    found = decide(problem, 0.01, np.inf, Impatient())
    assert found.verdict == "undecided" and found.reason == "interrupted"
    gap = np.linalg.norm(X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0))
    assert 0 < found.margin_upper < np.inf and found.margin_upper < gap * 1e3
