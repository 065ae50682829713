"""Wrong arguments of feature maps get one sentence: what must hold, what came, what to do."""

import numpy as np
import polars as pl
import pytest

from rosenblatt.features import (
    ColumnEncoder,
    HOGFeatures,
    PairProducts,
    RadialFeatures,
    find_column,
    take_target,
)

X = np.arange(12.0).reshape(6, 2)
IMAGES = np.zeros((2, 32, 32), np.uint8)
FRAME = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
NAN = np.array([1.0, np.nan])

WRONG = [
    (lambda: RadialFeatures(kind=NAN).fit(X), "kind must be one of 'distance'"),
    (lambda: RadialFeatures(centres="a").fit(X), "centres must be numbers, but 'a' came"),
    (lambda: RadialFeatures(centres=NAN).fit(X), r"centres must be finite and have as many features as X \(2\)"),
    (lambda: RadialFeatures(centres=[]).fit(X), "centres must be finite and have as many features"),
    (lambda: RadialFeatures(gamma=10**400).fit(X), "gamma must be a finite number above 0"),
    (lambda: RadialFeatures(keep="a").fit(X), "keep must be True or False, but 'a' came"),
    (lambda: RadialFeatures().fit(X).get_feature_names_out("a"), r"^input_features should have .* \(2\), got 'a'"),
    (lambda: PairProducts(10**12).fit(X), "n_products must be a whole number from 0 to 100,000,000"),
    (lambda: PairProducts(keep=NAN).fit(X), "keep must be True or False"),
    (lambda: PairProducts(random_state="a").fit(X), "random_state must be None, a whole number from 0"),
    (lambda: PairProducts(3).fit(X).get_feature_names_out(["a"]), "^input_features should have length equal"),
    (lambda: PairProducts(3).fit(X).get_feature_names_out(3), r"^input_features should have .* \(2\), got 3\. Pass"),
    (lambda: HOGFeatures(orientations=10**12).fit(IMAGES), "orientations must be a whole number from 1 to 10,000"),
    (lambda: HOGFeatures(block_norm=NAN).fit(IMAGES), "block_norm must be one of 'L1'"),
    (lambda: HOGFeatures(transform_sqrt="a").fit(IMAGES), "transform_sqrt must be True or False"),
    (lambda: HOGFeatures(n_jobs=2.5).fit(IMAGES), "n_jobs must be a whole number other than 0, or None, but 2.5 came"),
    (lambda: HOGFeatures(n_jobs=np.nan).fit(IMAGES), "n_jobs must be a whole number"),
    (lambda: HOGFeatures(image_shape=3).fit(IMAGES.reshape(2, -1)), "image_shape must be a pair of whole numbers"),
    (lambda: HOGFeatures(image_shape=(2.5, 2)).fit(IMAGES.reshape(2, -1)), "image_shape must be a whole number"),
    (lambda: ColumnEncoder(text=NAN).fit(FRAME), "text must be one of 'auto'"),
    (lambda: ColumnEncoder(scale=[]).fit(FRAME), "scale must be one of 'standard', None"),
    (lambda: ColumnEncoder(sparse=NAN).fit(FRAME), "sparse must be 'auto', True or False"),
    (lambda: ColumnEncoder(dtype=3).fit(FRAME), "dtype must be None, float32 or float64, but got 3"),
    (lambda: ColumnEncoder(kinds=["number"]).fit(FRAME), r"kinds must be a mapping such as {'age': 'number'}"),
    (lambda: ColumnEncoder().fit(None), "a table must have rows and columns, but None came"),
    (
        lambda: ColumnEncoder().fit_batches(None),
        "batches must be several tables, .* but got None",
    ),
    (lambda: ColumnEncoder().fit_batches(FRAME), "batches must be several tables"),
    (lambda: find_column(None, "a"), "columns must be names, but None came"),
    (lambda: take_target({"a": [1]}, "a"), "A target is taken from a polars DataFrame, but got {'a'"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_wrong_arguments(call, words):
    with pytest.raises((ValueError, TypeError), match=words) as raised:
        call()
    said = str(raised.value)
    assert said.endswith(".") and "\n" not in said


def test_every_number_of_threads_describes_alike(monkeypatch):
    monkeypatch.setattr("rosenblatt.engine.threads.WORTH_A_THREAD", 1)  # little work is spread as well
    images = np.random.default_rng(0).integers(0, 255, (40, 32, 32)).astype(np.uint8)
    one = HOGFeatures(n_jobs=1).fit_transform(images)
    for n_jobs in (None, 2, 16, -1, np.int64(3)):
        np.testing.assert_array_equal(HOGFeatures(n_jobs=n_jobs).fit_transform(images), one)
