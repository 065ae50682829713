"""NaN and infinity are refused in one sentence that says where they are, by every learner."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import rosenblatt
from rosenblatt import finite

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LEARNERS = {
    "perceptron": rosenblatt.Perceptron,
    "passive-aggressive": rosenblatt.PassiveAggressive,
    "pegasos": lambda: rosenblatt.HalfSpace("pegasos"),
    "kernel": rosenblatt.KernelPerceptron,
    "svm": rosenblatt.LinearSVM,
    "logistic": rosenblatt.LogisticRegression,
    "sigmoid": rosenblatt.SigmoidNeuron,
    "least squares": rosenblatt.LeastSquares,
    "discriminant": rosenblatt.GaussianDiscriminant,
    "layer": rosenblatt.Layer,
}
X = np.random.default_rng(0).normal(size=(12, 3))
y = np.arange(12) % 2


def with_value(value, dtype=np.float64):
    rows = X.astype(dtype)
    rows[5, 2] = value
    return rows


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_rows(learner, value, word):
    told = rf"Input X contains {word}: every number must be finite, but row 5, column 2 has {value:g}; fill it in.*\.$"
    fitted = LEARNERS[learner]().fit(X, y)
    for rows in (with_value(value), with_value(value, np.float32), with_value(value).tolist()):
        for work in (lambda rows=rows: fitted.fit(rows, y), lambda rows=rows: fitted.predict(rows)):
            with pytest.raises(ValueError, match=told) as caught:
                work()
            assert "\n" not in str(caught.value)
    assert fitted.predict(X).shape == (12,)  # the earlier fit stays


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "discriminant"])
def test_sparse_rows(learner):
    with pytest.raises(ValueError, match=r"contains NaN: every number must be finite, but row 5, column 2 has nan"):
        LEARNERS[learner]().fit(scipy.sparse.csr_array(with_value(np.nan)), y)


def test_columns_have_names():
    frame = pd.DataFrame(with_value(np.nan), columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"but row 5, column 'c' has nan"):
        rosenblatt.LeastSquares().fit(frame, y)
    for learner in LEARNERS.values():
        with pytest.raises(ValueError, match=r"but row 5, column 'c' has nan"):
            learner().fit(frame, y)


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "kernel"])
def test_weights(learner):
    weights = np.where(np.arange(12) == 3, np.nan, 1.0)
    with pytest.raises(ValueError, match=r"Input sample_weight contains NaN: .*but row 3 has nan; use 0 to leave"):
        LEARNERS[learner]().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("learner", LEARNERS)
def test_targets(learner):
    targets = np.where(np.arange(12) == 3, np.inf, y)
    with pytest.raises(ValueError, match=r"Input y contains infinity: .*but row 3 has inf; leave the row out or give"):
        LEARNERS[learner]().fit(X, targets)


def test_proofs_and_features():
    for work in (
        lambda: rosenblatt.separability(with_value(np.nan), y),
        lambda: rosenblatt.PairProducts().fit(with_value(np.nan)),
        lambda: rosenblatt.RadialFeatures().fit(with_value(np.nan)),
    ):
        with pytest.raises(ValueError, match=r"row 5, column 2 has nan"):
            work()
    with pytest.raises(ValueError, match=r"row 3 has nan"):
        rosenblatt.separability(X, np.where(np.arange(12) == 3, np.nan, y))


def test_what_is_finite_or_no_number_passes():
    for values in (X, scipy.sparse.csr_array(X), X.astype(int), np.full(3, 1e308), [["a"]]):
        finite.refuse_not_finite("X", values)
        assert finite.first_not_finite(values) is None
