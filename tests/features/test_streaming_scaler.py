"""Standard scores of a stream."""

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from rosenblatt import StreamingScaler

X = np.random.default_rng(4).normal(1e6, [1.0, 20.0, 300.0], size=(200, 3))


@settings(max_examples=20)
@given(cuts=st.lists(st.integers(1, 199), max_size=5, unique=True))
def test_any_batches_have_the_mean_and_variance_of_all_rows(cuts):
    scaler = StreamingScaler()
    for batch in np.split(X, sorted(cuts)):
        scaler.partial_fit(batch)
    np.testing.assert_allclose(scaler.mean_, X.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(scaler.var_, X.var(axis=0), rtol=1e-9)
    assert scaler.n_samples_seen_ == 200


def test_rows_and_dicts_one_by_one_are_scikit_learns_scaler():
    rows, dicts = StreamingScaler(), StreamingScaler()
    for x in X:
        rows.learn_one(x)
        dicts.learn_one(dict(zip("abc", x.tolist(), strict=True)))
    expected = StandardScaler().fit(X).transform(X[:5])
    np.testing.assert_allclose([rows.transform_one(x) for x in X[:5]], expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(
        [list(dicts.transform_one(dict(zip("abc", x, strict=True))).values()) for x in X[:5]],
        expected, rtol=1e-7, atol=1e-7,
    )  # fmt: skip
    np.testing.assert_allclose(rows.transform(X[:5]), expected, rtol=1e-7, atol=1e-7)


def test_every_name_counts_for_itself_and_text_passes():
    scaler = StreamingScaler()
    for n in range(10):
        scaler.learn_one({"every": float(n), "town": "Ulm"} | ({"second": 2.0 * n} if n % 2 else {}))
    assert scaler.mean_ == {"every": 4.5, "second": 10.0} and scaler.var_["second"] == pytest.approx(32.0)
    found = scaler.transform_one({"second": 10.0, "town": "Bonn", "unknown": 7.0, "every": 4.5})
    assert found == {"second": 0.0, "town": "Bonn", "unknown": 0.0, "every": 0.0}
    assert StreamingScaler().transform_one({"a": 3.0}) == {"a": 0.0}


def test_a_feature_that_never_varied_is_zero():
    scaler = StreamingScaler().fit(np.ones((5, 2)))
    assert scaler.transform([[1.0, 2.0]]).tolist() == [[0.0, 0.0]]
    assert scaler.fit(X[:, :1]).n_samples_seen_ == 200  # afresh


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # the array API is not switched on
def test_scikit_learns_checks():
    check_estimator(StreamingScaler())
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    assert clone(StreamingScaler()).fit(frame).get_feature_names_out().tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), [1.0], 10**400], ids=str)
def test_values_that_are_no_numbers(value):
    scaler = StreamingScaler()
    scaler.learn_one({"a": 1.0})
    for call in (scaler.learn_one, scaler.transform_one):
        with pytest.raises(ValueError, match="The feature 'b' must be "):
            call({"a": 2.0, "b": value})
    assert scaler.mean_ == {"a": 1.0}


def test_rows_and_dicts_do_not_mix():
    rows, dicts = StreamingScaler().fit(X), StreamingScaler()
    dicts.learn_one({"a": 1.0})
    for call in (lambda: rows.learn_one({"a": 1.0}), lambda: rows.transform_one({"a": 1.0})):
        with pytest.raises(ValueError, match="has seen rows, but got a dict; use one scaler for each"):
            call()
    for call in (lambda: dicts.learn_one(X[0]), lambda: dicts.transform(X), lambda: dicts.partial_fit(X)):
        with pytest.raises(ValueError, match="has seen dicts, but got rows"):
            call()
