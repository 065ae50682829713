"""What `certify` states about a linear model is what rational numbers say, and nothing else is accepted."""

import dataclasses
import json
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, Perceptron, certify, load_certificate
from rosenblatt.certificates.verify import CertificateError

changed = dataclasses.replace
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


@st.composite
def models(draw):
    """Small integer rows, so that rows lie on boundaries, and score functions for two to four classes."""
    n, d, k = draw(st.integers(2, 8)), draw(st.integers(1, 3)), draw(st.sampled_from([2, 2, 3, 4]))
    numbers = st.integers(-3, 3)
    X = np.reshape(draw(st.lists(numbers, min_size=n * d, max_size=n * d)), (n, d))
    y = np.array([*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=8, max_size=8))])[: max(n, k)]
    X = np.vstack([X, X])[: len(y)] if len(X) < len(y) else X
    functions = 1 if k == 2 else k
    halves = st.integers(-6, 6).map(lambda value: value / 2)
    weights = np.reshape(draw(st.lists(halves, min_size=functions * d, max_size=functions * d)), (functions, d))
    offsets = draw(st.lists(halves, min_size=functions, max_size=functions))
    return X[: len(y)], y[: len(X)], weights, offsets


def differences(row, code, weights, offsets):
    """What must be positive for a row of this class: (score, weights) as fractions, for each rival."""
    scores = [sum(Fraction(w) * int(v) for w, v in zip(line, row, strict=True)) + Fraction(b)
              for line, b in zip(weights.tolist(), offsets, strict=True)]  # fmt: skip
    if len(scores) == 1:
        sign = 1 if code == 1 else -1
        return [(sign * scores[0], [Fraction(w) for w in weights[0].tolist()])]
    return [
        (scores[code] - scores[k], [Fraction(a) - Fraction(b) for a, b in zip(weights[code], weights[k], strict=True)])
        for k in range(len(scores))
        if k != code
    ]


def reach(weights, norm, radius):
    """The square of the most that a score can fall within the radius."""
    sizes = [abs(w) for w in weights]
    if isinstance(radius, list):
        return sum(Fraction(r) * size for r, size in zip(radius, sizes, strict=True)) ** 2
    dual = {"l2": sum(s * s for s in sizes), "l1": max(sizes) ** 2, "linf": sum(sizes) ** 2}[norm]
    return Fraction(radius) ** 2 * dual


@given(models(), st.sampled_from(["l2", "l1", "linf", "box"]), st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]))
@settings(max_examples=150)
def test_certify_counts_what_fractions_count(problem, norm, radius):
    X, y, weights, offsets = problem
    if len(set(y.tolist())) < (2 if len(weights) == 1 else len(weights)):
        return
    size = [radius * (j + 1) for j in range(X.shape[1])] if norm == "box" else radius
    norm = "linf" if norm == "box" else norm
    wrong = [
        i
        for i, (row, code) in enumerate(zip(X.tolist(), y.tolist(), strict=True))
        if not all(s > 0 and s * s > reach(w, norm, size) for s, w in differences(row, code, weights, offsets))
    ]
    for rows in (X, X.astype(np.float32), scipy.sparse.csr_array(X.astype(np.float64))):
        found = certify((weights, offsets), rows, y, radius=size, norm=norm)
        assert list(found.wrong) == wrong and found.errors == len(wrong)
        assert found.verify(rows, y)
        assert bool(found) == (not wrong)


@given(models())
@settings(max_examples=60)
def test_distances_are_certified_and_close(problem):
    X, y, weights, offsets = problem
    if len(set(y.tolist())) < (2 if len(weights) == 1 else len(weights)):
        return
    found = certify((weights, offsets), X, y)
    for norm in ("l2", "l1", "linf"):
        distances = found.distances(norm)
        for i, distance in enumerate(distances.tolist()):
            exact = [(s, reach(w, norm, 1)) for s, w in differences(X[i].tolist(), int(y[i]), weights, offsets)]
            true = min(
                (math.copysign(math.sqrt(s * s / r), s) if r else math.copysign(math.inf, s) if s else 0.0)
                for s, r in exact
            )
            if math.isinf(true):
                assert distance == true
                continue
            assert distance <= true * (1 + 1e-12 * math.copysign(1, true)) and abs(distance - true) <= 1e-9 * abs(true)
            if distance > 0:
                assert i not in found.at(math.nextafter(distance, 0) * (1 - 1e-12), norm).wrong
        assert norm != "l2" or math.isinf(distances.min()) or found.margin == pytest.approx(distances.min(), rel=1e-9)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e307, 1.9e307])
def test_distances_of_the_smallest_and_largest_rows(size):
    X = size * np.array([[5.0, -9.0], [1.0, -3.0], [3.0, 1.0], [4.0, -3.0]])
    found = certify(([-1.0, -1.0], 0.0), X, [1, 1, 0, 1])
    assert found.verify(X, [1, 1, 0, 1])
    for norm, square in (("l2", 2), ("l1", 1), ("linf", 4)):
        for row, sign, distance in zip(X.tolist(), (1, 1, -1, 1), found.distances(norm).tolist(), strict=True):
            score = -sign * sum(map(Fraction, row))
            assert square * Fraction(distance) * abs(Fraction(distance)) <= score * abs(score)
            above = Fraction(distance) + abs(Fraction(distance)) / 10**9 + Fraction(5e-324)
            assert square * above * abs(above) > score * abs(score)


def test_a_large_statement_is_verified_without_a_digest():
    """Rows at hand are compared themselves: two digests would take longer than the statement."""
    X = np.random.default_rng(0).integers(0, 9, (50, 3))
    y = X[:, 0] > 4
    found = certify(([1.0, 0, 0], -4.5), X, y)
    assert found.verify(X, y) and found.verify(X.astype(float), y) and found.verify(scipy.sparse.csr_array(X), y)
    assert not found.about.digest
    other = X.copy()
    other[0, 1] += 1
    assert "digests differ" in found.verify(other, y).reason and "digests differ" in found.verify(X, ~y).reason


@pytest.mark.filterwarnings("ignore")
def test_models_of_ours_and_of_scikit_learn():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    for model in (Perceptron(random_state=0), Logistic(), RidgeClassifier(), SVC(kernel="linear")):
        model.fit(X, y)
        found = certify(model, X, y)
        assert found.errors == int((model.predict(X) != y).sum()) and found.objective is None
        assert certify(model, X[:50], y[:50]).errors == int((model.predict(X[:50]) != y[:50]).sum())
    X, y = load_iris(return_X_y=True)
    model = Logistic(max_iter=1000).fit(X, y)
    assert certify(model, X, y).errors == int((model.predict(X) != y).sum())
    first = X[y == 0]  # rows of one class are enough, for the model knows the others
    assert certify(model, first, y[y == 0]).errors == 0


# ---------------------------------------------------------------------------------------------- the objective


@pytest.mark.parametrize("regularize_intercept", [False, True])
@pytest.mark.parametrize("kind", [LinearSVM, LogisticRegression])
def test_the_least_objective_lies_in_the_interval(kind, regularize_intercept, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:200]
    y = y[:200]
    model = kind(lam=0.01, tol=1e-8, regularize_intercept=regularize_intercept).fit(X, y)
    found = certify(model, X, y)
    assert found.objective.lower <= model.objective_ * (1 + 1e-12)  # which is rounded
    assert model.objective_ <= found.objective.upper * (1 + 1e-9)
    assert found.objective.gap < 1e-5
    signs = np.where(y == 1, 1, -1)
    random = np.random.default_rng(0)
    for scale in (0, 1e-3, 0.1):  # no other weights have a lower objective
        w = model.coef_[0] + scale * random.normal(size=30)
        b = model.intercept_[0] + scale * random.normal()
        margins = signs * (X @ w + b)
        loss = np.maximum(0, 1 - margins) if kind is LinearSVM else np.logaddexp(0, -margins)
        value = 0.01 * (w @ w + (b * b if regularize_intercept else 0)) + loss.mean()
        assert value >= found.objective.lower
    found.save(tmp_path / "f.json")
    again = load_certificate(tmp_path / "f.json", X, y)
    assert again.objective == found.objective and str(again) == str(found)
    content = json.loads((tmp_path / "f.json").read_text())
    low, high = content["objective"]["lower"], content["objective"]["upper"]
    for lie in (
        {"lower": low * 1.0001},
        {"upper": low * 0.999},
        {"lam": 0.02},
        {"loss": "squared"},
        {"intercept": "none"},
        {"bits": 61},
        {"shares": content["objective"]["shares"][:-1]},
        {"shares": [1 << 61, *content["objective"]["shares"][1:]]},
    ):
        (tmp_path / "g.json").write_text(json.dumps(content | {"objective": content["objective"] | lie}))
        with pytest.raises(CertificateError):
            load_certificate(tmp_path / "g.json", X, y)
    wider = content["objective"] | {"lower": low * 0.9, "upper": high * 1.1}
    (tmp_path / "g.json").write_text(json.dumps(content | {"objective": wider}))
    assert load_certificate(tmp_path / "g.json", X, y).objective.lower == low * 0.9


def test_a_dual_point_must_balance_a_free_intercept():
    """Without the balance the bound would be wrong: rows of one class alone can have any objective by moving b."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    model = LinearSVM(lam=0.1, tol=1e-9).fit(X, y)
    found = certify(model, X, y)
    shares = list(found.objective.shares)
    shares[0] += 1
    assert not changed(found, objective=changed(found.objective, shares=tuple(shares))).verify(X, y)


# ----------------------------------------------------------------------------------------------------- forgeries


@pytest.mark.parametrize(
    "change",
    [
        {"wrong": ()},
        {"wrong": (0, 3)},
        {"wrong": (2,)},
        {"wrong": (3, 3)},
        {"margin": 0.0},
        {"margin": -1.0},
        {"margin": math.nan},
        {"margin": math.inf},
        {"radius": 0.6},
        {"radius": -1.0},
        {"radius": (0.5, 0.5)},
        {"norm": "l3"},
    ],
)
def test_a_changed_statement(change):
    found = certify(([1.0, 1.0], -0.5), CORNERS, XOR)
    assert found.wrong == (3,) and found.verify(CORNERS, XOR)
    assert not changed(found, **change).verify(CORNERS, XOR)
    assert not found.verify(CORNERS, 1 - XOR) and not found.verify(CORNERS + 1, XOR)
    assert not found.verify(CORNERS[:3], XOR[:3])


def test_files(tmp_path):
    path = tmp_path / "f.json"
    for model, radius in ((([1.0, 1.0], -0.5), 0.0), (([Fraction(1, 3), 1], Fraction(-1, 7)), [0.1, 0.2])):
        found = certify(model, CORNERS, XOR, radius=radius)
        found.save(path)
        again = load_certificate(path, CORNERS, XOR)
        assert str(again) == str(found) and again.model == found.model and again.radius == found.radius
        content = json.loads(path.read_text())
        for lie in (
            {"wrong": []},
            {"wrong": [0]},
            {"weights": [[1, 2]], "offsets": [9]},
            {"weights": [[1]]},
            {"offsets": [1, 2]},
            {"classes": [1, 0]},
            {"classes": [[0, 1, 1, 0], 1]},
            {"classes": [0, 1, 2]},
            {"radius": 3},
            {"radius": -1},
            {"norm": 2},
            {"margin": 5},
            {"accuracy": 1.0},
        ):
            path.write_text(json.dumps(content | lie))
            with pytest.raises(CertificateError):
                load_certificate(path, CORNERS, XOR)


# ----------------------------------------------------------------------------------------------------- bad input

X, Y = CORNERS.astype(float), XOR
BAD = {
    "a pipeline": lambda: certify(make_pipeline(StandardScaler(), Logistic()).fit(X, Y), X, Y),
    "a kernel": lambda: certify(KernelPerceptron("rbf").fit(X, Y), X, Y),
    "not fitted": lambda: certify(Logistic(), X, Y),
    "three parts": lambda: certify(([1, 1], 0, 0), X, Y),
    "another width": lambda: certify(([1, 1, 1], 0), X, Y),
    "two intercepts": lambda: certify(([1, 1], [0, 0]), X, Y),
    "NaN": lambda: certify(([1, np.nan], 0), X, Y),
    "text": lambda: certify((["a", "b"], 0), X, Y),
    "nothing": lambda: certify(None, X, Y),
    "ragged": lambda: certify(([[1], [1, 2]], 0), X, Y),
    "other labels": lambda: certify(Logistic().fit(X, Y), X, [2, 3, 2, 3]),
    "one class and a pair": lambda: certify(([1, 1], 0), X, [0, 0, 0, 0]),
    "too few labels": lambda: certify(([1, 1], 0), X, [0, 1]),
    "rows with NaN": lambda: certify(([1, 1], 0), X * np.nan, Y),
    "votes": lambda: certify(SVC(kernel="linear").fit(X, [0, 1, 2, 0]), X, [0, 1, 2, 0]),
    "a radius below 0": lambda: certify(([1, 1], 0), X, Y, radius=-1),
    "a radius that is NaN": lambda: certify(([1, 1], 0), X, Y, radius=np.nan),
    "a box of another width": lambda: certify(([1, 1], 0), X, Y, radius=[1, 2, 3]),
    "another norm": lambda: certify(([1, 1], 0), X, Y, norm="l3"),
    "objective": lambda: certify(([1, 1], 0), X, Y, objective="yes"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.filterwarnings("ignore")
def test_bad_input_gets_a_sentence(name):
    with pytest.raises(ValueError) as caught:
        BAD[name]()
    told = str(caught.value)
    assert told.endswith(".") and "\n" not in told and 20 < len(told) < 300
