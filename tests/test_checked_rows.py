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
BAD = {  # scikit-learn's and numpy's own words, and ours for what these would let through
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array instead"),
    "a number": (3.0, "Expected 2D array, got scalar array instead"),
    "nothing": (None, "Expected 2D array|requires|NoneType"),
    "three dimensions": (X[:, None], "Found array with dim 3"),
    "complex numbers": (X + 1j, "Complex data not supported"),
    "text": ([["a", "b"]] * 12, "could not convert string to float"),
    "dicts": ([{"a": 1.0}] * 12, "dict"),
    "rows of two lengths": ([[1.0]] * 11 + [[1.0, 2.0]], "inhomogeneous shape"),
    "a lazy frame": (pl.LazyFrame({"a": y}), r"LazyFrame, which has no rows yet. Call X.collect\(\) first"),
    "huge integers": ([[10**400]] * 12, "too large to convert to float"),
    "a structured array": (STRUCTURED, "(?s)Expected 2D array|Cannot cast"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], r"Found array with 0 feature\(s\)"),
    "dates": (np.full((12, 1), np.datetime64("2020-01-01")), "X holds dates or times .*Convert them first"),
    "dates in a frame": (
        pd.DataFrame({"day": pd.to_datetime(["2020"] * 12)}),
        "Column 'day' of X holds dates",
    ),
    "dates in polars": (pl.DataFrame({"day": pd.to_datetime(["2020"] * 12)}), "Column 'day' of X holds dates"),
    "masked numbers": (np.ma.array(X, mask=X > 1.0), r"X has \d masked values. Fill them in"),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_rows(learner, case):
    rows, words = BAD[case]
    with pytest.raises((ValueError, TypeError, OverflowError), match=words):
        LEARNERS[learner]().fit(rows, y)


def test_a_mask_that_hides_nothing_and_a_sparse_row_are_fine():
    rosenblatt.RadialFeatures().fit(np.ma.array(X))
    with pytest.raises(ValueError, match="Expected 2D"):
        rosenblatt.Perceptron().fit(scipy.sparse.coo_array(X[0]), y)


@pytest.mark.parametrize("learner", LEARNERS)
def test_other_columns_than_at_the_fit(learner):
    model = LEARNERS[learner]().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    answer = model.transform if hasattr(model, "transform") else model.predict
    for columns in (["c", "b", "a"], ["a", "b"]):
        with pytest.raises(ValueError, match="feature names should match"):
            answer(pd.DataFrame(X[:, : len(columns)], columns=columns))
    wanted = r"X has 2 features, but \w+ is expecting 3 features as input\. Pass the columns .* fitted on: a, b, c\."
    with pytest.raises(ValueError, match=wanted):
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
        with pytest.raises(ValueError, match=r"indices outside 0 to 2|must be at least 0 and below 3"):
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
    with pytest.raises(ValueError, match=r"indices outside 0 to 3, its number of features"):
        Perceptron().fit(X, [0, 1, 0, 1])


def test_indices_must_be_whole_numbers():
    X = scipy.sparse.csr_array(np.eye(4))
    X.indices = X.indices.astype(float)
    with pytest.raises(ValueError, match=r"of the sparse matrix X are float64 and int32, not integers"):
        Perceptron().fit(X, [0, 1, 0, 1])
