"""GaussianDiscriminant beside scikit-learn's, with dependent features and sparse rows."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt import GaussianDiscriminant

CANCER = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(CANCER[0]), CANCER[1]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_one_hot_columns_are_decided_as_scikit_learn_decides_them(seed, n_classes):
    random = np.random.default_rng(seed)
    kinds, numbers = random.integers(0, 4, (300, 3)), random.normal(size=(300, 2))
    y = (kinds[:, 0] + kinds[:, 1] + random.integers(0, 3, 300)) % n_classes
    rows = np.hstack([OneHotEncoder(sparse_output=False).fit_transform(kinds), numbers + y[:, None]])
    ours, theirs = GaussianDiscriminant().fit(rows, y), LinearDiscriminantAnalysis().fit(rows, y)
    assert ours.rank_ == rows.shape[1] - 3  # each of three columns sums to 1
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-9)
    sparse = GaussianDiscriminant().fit(scipy.sparse.csr_array(rows), y)
    assert sparse.rank_ == ours.rank_
    np.testing.assert_allclose(sparse.predict_proba(scipy.sparse.csr_array(rows)), ours.predict_proba(rows), atol=1e-9)


def test_constant_pixels_and_sparse_digits():
    rows, y = load_digits(return_X_y=True)
    ours, theirs = GaussianDiscriminant().fit(rows, y), LinearDiscriminantAnalysis().fit(rows, y)
    assert ours.rank_ == 61 < ours.n_features_in_
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-9)
    for shrinkage in (None, 0.1, "auto"):
        dense = GaussianDiscriminant(shrinkage=shrinkage).fit(rows, y)
        sparse = GaussianDiscriminant(shrinkage=shrinkage).fit(scipy.sparse.csr_matrix(rows), y)
        np.testing.assert_allclose(sparse.predict_proba(rows), dense.predict_proba(rows), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_feature_twice_shares_its_weight_whatever_its_unit(unit):
    once = GaussianDiscriminant().fit(X[:, :2], Y)
    twice = GaussianDiscriminant().fit(np.column_stack([X[:, :2], unit * X[:, 0]]), Y)
    assert once.rank_ == twice.rank_ == 2
    assert twice.coef_[0, 0] == pytest.approx(once.coef_[0, 0] / 2)
    assert twice.coef_[0, 2] * unit == pytest.approx(once.coef_[0, 0] / 2)
    np.testing.assert_allclose(twice.intercept_, once.intercept_)


def test_a_feature_that_is_constant_in_every_class_is_not_dropped_silently():
    rows = np.column_stack([np.arange(6.0) % 3, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]])
    y = [0, 0, 0, 1, 1, 1]
    for kind in (np.asarray, scipy.sparse.csr_array):
        with pytest.warns(UserWarning, match="most of all in feature 1"):
            model = GaussianDiscriminant().fit(kind(rows), y)
        assert model.coef_[0, 1] == 0.0 and model.rank_ == 1
    assert GaussianDiscriminant(shrinkage=0.1).fit(rows, y).score(rows, y) == 1.0


def test_more_features_than_rows():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # most directions have no variance
        model = GaussianDiscriminant().fit(X[:20], Y[:20])
    assert model.rank_ == 18 and np.isfinite(model.coef_).all()


@pytest.mark.parametrize("source", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("shrinkage", [None, 0.2, "auto"])
def test_the_discriminant_is_scikit_learns(source, shrinkage):
    rows, y = source(return_X_y=True)
    ours = GaussianDiscriminant(shrinkage=shrinkage).fit(rows, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(rows, y)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-8)
    if len(set(y)) == 2:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
        posterior = expit(rows @ ours.coef_[0] + ours.intercept_[0])
        np.testing.assert_allclose(ours.predict_proba(rows)[:, 1], posterior, atol=1e-15)


def test_the_discriminant_is_the_posterior_of_its_gaussians():
    from scipy.stats import multivariate_normal

    rows, y = load_wine(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)
    model = GaussianDiscriminant().fit(rows, y)
    dense = np.stack([multivariate_normal(m, model.covariance_).logpdf(rows) for m in model.means_], axis=1)
    joint = np.exp(dense + np.log(model.priors_))
    np.testing.assert_allclose(model.predict_proba(rows), joint / joint.sum(axis=1, keepdims=True), atol=1e-10)


def test_a_class_of_one_row_adds_nothing_to_the_covariance():
    rows, labels = np.append(X, [X[0] + 9.0], axis=0), np.append(Y, 2)
    alone = GaussianDiscriminant(shrinkage="auto").fit(X, Y)
    model = GaussianDiscriminant(shrinkage="auto").fit(rows, labels)  # any warning would be an error
    np.testing.assert_allclose(model.covariance_, alone.covariance_ * len(X) / len(rows), rtol=1e-12)


def test_the_discriminant_and_bad_input():
    rows = np.column_stack([X[:, :3], np.full(len(Y), 5.0)])
    with_constant, without = GaussianDiscriminant().fit(rows, Y), GaussianDiscriminant().fit(X[:, :3], Y)
    assert with_constant.coef_[0, 3] == 0.0
    np.testing.assert_allclose(with_constant.coef_[0, :3], without.coef_[0], rtol=1e-9)
    for wrong in ({"shrinkage": 2}, {"shrinkage": "much"}, {"priors": [1.0]}, {"priors": "even"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            GaussianDiscriminant(**wrong).fit(X, Y)
    even = GaussianDiscriminant(priors=[0.5, 0.5]).fit(X, Y)
    peer = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(X, Y)
    np.testing.assert_allclose(even.predict_proba(X), peer.predict_proba(X), atol=1e-8)
