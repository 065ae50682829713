"""Rows that cannot be used: one sentence, by every learner and feature map, instead of scikit-learn's paragraphs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone

import rosenblatt
from rosenblatt import KernelPerceptron, LeastSquares, LinearSVM, LogisticRegression, Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 2

LEARNERS = {
    "perceptron": lambda: rosenblatt.Perceptron(),
    "kernel": lambda: rosenblatt.KernelPerceptron(),
    "least squares": lambda: rosenblatt.LeastSquares(),
    "discriminant": lambda: rosenblatt.GaussianDiscriminant(),
    "layer": lambda: rosenblatt.Layer(),
    "products": lambda: rosenblatt.PairProducts(),
    "radial": lambda: rosenblatt.RadialFeatures(),
}

STRUCTURED = np.zeros(12, dtype=[("a", int), ("b", float)])
BAD = {
    "one dimension": (X[:, 0], r"rows by features, but has shape \(12,\) .*Reshape your data: X.reshape\(-1, 1\)"),
    "a number": (3.0, r"rows by features, but has shape \(\)"),
    "nothing": (None, "X must be rows of numbers, but got None"),
    "three dimensions": (X[:, None], r"dim 3, .*\. Make a row of every example, with X.reshape\(len\(X\), -1\)"),
    "complex numbers": (X + 1j, "X must hold real numbers, but has complex ones; pass their real"),
    "text": ([["a", "b"]] * 12, r"X must hold numbers, but has text .*'a'.*; turn text into numbers first"),
    "dicts": ([{"a": 1.0}] * 12, r"X must hold numbers, but has other things .*'dict'.*; turn dicts into rows"),
    "rows of two lengths": ([[1.0]] * 11 + [[1.0, 2.0]], "row 0 has 1 numbers and row 11 has 2; make them equal"),
    "a lazy frame": (pl.LazyFrame({"a": y}), r"in memory, but got LazyFrame; call X.collect\(\) first"),
    "huge integers": ([[10**400]] * 12, "in the range of float64, but has larger ones; scale"),
    "a structured array": (STRUCTURED, "one type for all columns, but is a structured array; convert"),
    "no rows": (X[:0], r"0 sample\(s\) .*Pass at least one row\."),
    "no columns": (X[:, :0], r"0 feature\(s\) .*Pass at least one column\."),
    "dates": (np.full((12, 1), np.datetime64("2020-01-01")), "but it holds dates or times .*; turn them into numbers"),
    "dates in a frame": (pd.DataFrame({"day": pd.to_datetime(["2020"] * 12)}), "column 'day' holds dates or times"),
    "dates in polars": (pl.DataFrame({"day": pd.to_datetime(["2020"] * 12)}), "column 'day' holds dates or times"),
    "masked numbers": (np.ma.array(X, mask=X > 1.0), r"no masked numbers, but \d are masked; fill them in"),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_rows(learner, case):
    rows, words = BAD[case]
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        LEARNERS[learner]().fit(rows, y)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_a_mask_that_hides_nothing_and_a_sparse_row_are_fine():
    rosenblatt.RadialFeatures().fit(np.ma.array(X))
    with pytest.raises(ValueError, match=r"rows by features, but has shape \(3,\)"):
        rosenblatt.Perceptron().fit(scipy.sparse.coo_array(X[0]), y)


@pytest.mark.parametrize("learner", LEARNERS)
def test_other_columns_than_at_the_fit(learner):
    model = LEARNERS[learner]().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    answer = model.transform if hasattr(model, "transform") else model.predict
    for columns in (["c", "b", "a"], ["a", "b"]):
        with pytest.raises(ValueError, match=r"should match.*\n(.*\n)+Pass the columns .* in their order: a, b, c\."):
            answer(pd.DataFrame(X[:, : len(columns)], columns=columns))
    with pytest.warns(UserWarning, match="names"), pytest.raises(ValueError, match="fitted on: a, b, c"):
        answer(X[:, :2])


@pytest.mark.parametrize("place", [7, -1, 2**31 - 5])
@pytest.mark.parametrize(
    "learner", [Perceptron(), LinearSVM(), LogisticRegression(), LeastSquares(), KernelPerceptron()]
)
def test_indices_outside_a_sparse_matrix_are_refused_at_every_door(learner, place):
    X = scipy.sparse.csr_matrix(np.random.default_rng(0).normal(size=(30, 3)))
    y = np.arange(30) % 2
    fitted = clone(learner).fit(X, y)
    X.indices[3] = place
    for door in (lambda: clone(learner).fit(X, y), lambda: fitted.predict(X)):
        with pytest.raises(ValueError, match=r"indices of a sparse matrix must be at least 0 and below 3"):
            door()


@pytest.mark.parametrize("learner", [Perceptron(), LinearSVM(), LogisticRegression(), KernelPerceptron()])
def test_masked_labels_are_refused(learner):
    y = np.ma.masked_array(np.arange(30) % 2, np.arange(30) == 4)
    with pytest.raises(ValueError, match="the label of row 4 is masked"):
        learner.fit(np.random.default_rng(0).normal(size=(30, 3)), y)


@pytest.mark.parametrize("learner", [Perceptron, KernelPerceptron, LinearSVM])
@pytest.mark.parametrize("layout", ["csr_array", "csr_matrix", "csc_array"])
def test_indices_of_any_whole_type_give_the_same_bits(learner, layout):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 37)) * (generator.random((40, 37)) < 0.3)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    plain = getattr(scipy.sparse, layout)(X)
    wanted = learner(random_state=0, max_iter=3).fit(plain, y).decision_function(plain)
    for index, pointer in (
        ("int16", "uint16"),
        ("uint32", "int32"),
        ("uint64", "uint64"),
        (">i4", ">i8"),
        ("u1", "i8"),
    ):
        other = getattr(scipy.sparse, layout)(X)
        other.indices, other.indptr = other.indices.astype(index), other.indptr.astype(pointer)
        model = learner(random_state=0, max_iter=3).fit(other, y, eval_set=(other, y))
        np.testing.assert_array_equal(model.decision_function(other), wanted)
        assert other.indices.dtype == index and other.indptr.dtype == pointer


@pytest.mark.parametrize("index", ["int16", ">i4", "uint32"])
def test_indices_of_any_whole_type_must_be_within_the_matrix(index):
    X = scipy.sparse.csr_array(np.eye(4))
    X.indices = X.indices.astype(index)
    X.indices[2] = 4 if index == "uint32" else -1
    with pytest.raises(ValueError, match=r"at least 0 and below 4, but X has others"):
        Perceptron().fit(X, [0, 1, 0, 1])


def test_indices_must_be_whole_numbers():
    X = scipy.sparse.csr_array(np.eye(4))
    X.indices = X.indices.astype(float)
    with pytest.raises(ValueError, match=r"must be whole numbers, but those of X are float64 and int32; build"):
        Perceptron().fit(X, [0, 1, 0, 1])
