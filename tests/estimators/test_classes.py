"""The places of labels among classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.estimators.classes import classes_of, codes_of

values = st.one_of(st.integers(-5, 30), st.sampled_from([-0.5, 0.25, 1e300, float("nan"), float("inf")]))


@given(st.sets(st.integers(-5, 30), min_size=1, max_size=16), st.lists(values, max_size=30), st.booleans())
def test_places_of_the_plain_reference(classes, labels, as_floats):
    known = np.array(sorted(classes), np.float64 if as_floats else np.int64)
    found = codes_of(known, np.array(labels, np.float64))
    if all(label in classes for label in labels):
        assert found.tolist() == [sorted(classes).index(label) for label in labels] and found.dtype == np.int8
    else:
        assert found is None


KINDS = ["bool", "int8", "uint8", "int16", "int64", ">i4", "uint64", "float32", "U2"]


@given(st.lists(st.integers(-140, 300), max_size=30), st.sampled_from(KINDS), st.sampled_from([0, 2**40, 2**63 - 400]))
def test_classes_are_the_sorted_labels(values, kind, start):
    labels = (np.array(values, np.int64) + (start if kind.endswith("64") else 0)).astype(kind)
    found, expected = classes_of(labels), np.unique(labels)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    codes = codes_of(found, labels)
    assert not len(labels) or ((found[codes] == labels).all() and codes.dtype == np.int8)


@pytest.mark.parametrize("labels", [[-128, 127] * 200, [0, 255] * 200, [2**64 - 1, 2**64 - 3, 2**64 - 2] * 9])
def test_classes_at_the_ends_of_a_dtype(labels):
    labels = np.array(labels, "int8" if min(labels) < 0 else "uint8" if max(labels) < 256 else "uint64")
    found = classes_of(labels)
    assert found.tolist() == sorted(set(labels.tolist())) and found.dtype == labels.dtype


@pytest.mark.parametrize(("n_classes", "kind"), [(3, "int8"), (128, "int8"), (129, "int16"), (40_000, "int32")])
def test_codes_of_many_classes(n_classes, kind):
    labels = np.random.default_rng(0).permutation(2**15 + n_classes) % n_classes * 3 - 7
    found = classes_of(labels)
    assert found.tolist() == [3 * n - 7 for n in range(n_classes)]
    codes = codes_of(found, labels)
    assert codes.dtype == kind and np.array_equal(found[codes], labels)
    labels[-1] += 1
    assert codes_of(found, labels) is None


def test_text_and_numbers_are_never_each_other():
    assert codes_of(np.array(["a", "b"]), np.array(["b", "a", "b"])).tolist() == [1, 0, 1]
    assert codes_of(np.array(["a", "b"]), np.array(["c"])) is None
    assert codes_of(np.array(["1", "2"]), np.array([1, 2])) is None
    assert codes_of(np.array([1, 2]), np.array(["1"])) is None
    assert codes_of(np.empty(0, object), np.array([1, 2])) is None


@pytest.mark.parametrize("bad", [[0.0, np.nan], [0.5, 1.0], ["a", "b"], [[0, 1], [1, 0]]])
def test_a_batch_of_other_labels_is_refused_and_changes_nothing(bad):
    X = np.eye(2)
    model = Perceptron().partial_fit(X, [0.0, 1.0])
    before = model.coef_.copy()
    with pytest.raises(ValueError):
        model.partial_fit(X, bad)
    with pytest.raises(ValueError, match="same number of rows"):
        model.partial_fit(X, [1.0])
    assert np.array_equal(model.coef_, before)
    model.partial_fit(X, [2.0, 0.0])
    assert model.classes_.tolist() == [0.0, 1.0, 2.0]
