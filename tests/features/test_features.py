"""Feature maps, and the way back from scaled features."""

import os

import numpy as np
import pandas
import polars as pl
import pytest
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC

from rosenblatt import (
    HOGFeatures,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    Perceptron,
    RadialFeatures,
    to_original_space,
)

X, Y = load_breast_cancer(return_X_y=True)


def same_decisions(pipeline, rows):
    """Same answers wherever the score is beyond rounding; how many rows were within it."""
    plain = to_original_space(pipeline)
    mine, theirs = plain.decision_function(rows), pipeline.decision_function(rows)
    bound = np.full(theirs.shape, 1e-9 * np.abs(theirs).max())
    assert (np.abs(mine - theirs) <= bound).all()
    if mine.ndim == 1:
        sure = np.abs(theirs) > bound
    else:
        top = np.sort(theirs, axis=1)
        sure = top[:, -1] - top[:, -2] > 2 * bound.max(axis=1)
    np.testing.assert_array_equal(plain.predict(rows)[sure], pipeline.predict(rows)[sure])
    return int((~sure).sum())


SCALERS = [
    MinMaxScaler(), MinMaxScaler((-1, 3)), StandardScaler(), StandardScaler(with_mean=False),
    StandardScaler(with_std=False), MaxAbsScaler(), RobustScaler(), make_pipeline(MinMaxScaler(), StandardScaler()),
]  # fmt: skip


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
def test_the_same_decisions_on_unscaled_rows(scaler):
    random = np.random.default_rng(0)
    rows = random.normal(X.mean(axis=0), 3 * X.std(axis=0), (20_000, 30))
    pipeline = make_pipeline(scaler, LogisticRegression(lam=1e-3)).fit(X, Y)
    assert same_decisions(pipeline, rows) < 5
    iris = load_iris(return_X_y=True)
    several = make_pipeline(scaler, LinearSVM(lam=1e-3)).fit(*iris)
    assert same_decisions(several, random.uniform(-2, 10, (10_000, 4))) < 5


def test_a_million_random_rows():
    random = np.random.default_rng(1)
    pipeline = make_pipeline(MinMaxScaler(), LogisticRegression(lam=1e-3)).fit(X[:, :5], Y)
    rows = random.normal(X[:, :5].mean(axis=0), 2 * X[:, :5].std(axis=0), (10**6, 5))
    assert same_decisions(pipeline, rows) < 10


@pytest.mark.parametrize("scaler", [MinMaxScaler(), StandardScaler(), MaxAbsScaler()], ids=str)
def test_one_hot_columns_left_alone(scaler):
    random = np.random.default_rng(0)
    kinds = np.eye(4)[random.integers(0, 4, len(Y))]
    rows = np.column_stack([kinds[:, :2], X[:, :6], kinds[:, 2:]])
    alone = ColumnTransformer([("numbers", scaler, slice(2, 8))], remainder="passthrough")
    assert same_decisions(make_pipeline(alone, LogisticRegression(lam=1e-3)).fit(rows, Y), 2 * rows) < 3
    frame = pandas.DataFrame(rows, columns=[f"c{j}" for j in range(10)])
    named = ColumnTransformer([("numbers", scaler, ["c3", "c2"]), ("gone", "drop", ["c7"])], remainder="passthrough")
    pipeline = make_pipeline(named, LogisticRegression(lam=1e-3)).fit(frame, Y)
    plain = to_original_space(pipeline)
    assert plain.coef[0, 7] == 0.0  # dropped
    np.testing.assert_allclose(plain.decision_function(rows), pipeline.decision_function(frame), rtol=1e-9, atol=1e-9)


def test_constant_features_get_no_weight():
    rows = np.column_stack([X[:, :3], np.full(len(Y), 4.0)])
    pipeline = make_pipeline(MinMaxScaler(), Perceptron("averaged", random_state=0, max_iter=20)).fit(rows, Y)
    assert (pipeline[0].transform(rows)[:, 3] == 0).all() and to_original_space(pipeline).coef[0, 3] == 0.0


def test_regressors_too_and_what_has_no_way_back():
    pipeline = make_pipeline(StandardScaler(), LeastSquares()).fit(X[:, :4], X[:, 5])
    plain = to_original_space(pipeline)
    np.testing.assert_allclose(plain.decision_function(X[:, :4]), pipeline.predict(X[:, :4]), rtol=1e-9)
    for steps, told in (
        ((PolynomialFeatures(), LeastSquares()), "no way back"),
        ((MinMaxScaler(clip=True), LeastSquares()), "clip=False"),
    ):
        with pytest.raises(TypeError, match=told):
            to_original_space(make_pipeline(*steps).fit(X[:, :2], X[:, 5]))
    encoded = ColumnTransformer([("kinds", OneHotEncoder(), [0])], remainder="passthrough")
    with pytest.raises(TypeError, match="OneHotEncoder"):
        to_original_space(make_pipeline(encoded, LeastSquares()).fit(np.round(X[:, :2]), X[:, 5]))
    with pytest.raises(TypeError, match="takes a fitted Pipeline"):
        to_original_space(LeastSquares())
    with pytest.raises(TypeError, match="must be linear"):
        to_original_space(make_pipeline(StandardScaler(), RobustScaler()).fit(X))


def test_pair_products_are_products():
    rows = np.random.default_rng(0).normal(size=(20, 5))
    pairs = PairProducts(7, random_state=3).fit(rows)
    Z = pairs.transform(rows)
    np.testing.assert_array_equal(Z[:, :5], rows)
    np.testing.assert_allclose(Z[:, 5:], rows[:, pairs.left_] * rows[:, pairs.right_], rtol=1e-15)
    more = PairProducts(20, random_state=3).fit(rows)
    np.testing.assert_array_equal(more.transform(rows)[:, :12], Z)  # a larger number begins with a smaller one's
    assert pairs.get_feature_names_out()[5] == f"x{pairs.left_[0]} x{pairs.right_[0]}"
    assert PairProducts(3, keep=False).fit_transform(rows).shape == (20, 3)
    pixels = np.random.default_rng(0).integers(0, 256, (20, 5), np.uint8)
    np.testing.assert_allclose(
        PairProducts(7, random_state=3).fit_transform(pixels), pairs.transform(pixels / 255.0), rtol=1e-6
    )
    for bad in (-1, 2.5, "many"):
        with pytest.raises(ValueError, match="n_products must be"):
            PairProducts(bad).fit(rows)


def test_radial_features_are_distances():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    centres = rows[:2]
    far = np.linalg.norm(rows[:, None] - centres[None], axis=2)
    for kind, wanted in (("distance", far), ("squared", far**2), ("gaussian", np.exp(-0.5 * far**2))):
        made = RadialFeatures(kind, centres, gamma=0.5, keep=False).fit_transform(rows)
        np.testing.assert_allclose(made, wanted, atol=1e-7)
    with pytest.raises(ValueError, match="as many features"):
        RadialFeatures(centres=[[0.0]]).fit(rows)
    with pytest.raises(ValueError, match="kind must be one of"):
        RadialFeatures("cubed").fit(rows)


@pytest.mark.parametrize("norm", ["L1", "L1-sqrt", "L2", "L2-Hys"])
@pytest.mark.parametrize("kind", [np.uint8, np.float64])
def test_hog_is_scikit_images(norm, kind):
    hog = pytest.importorskip("skimage.feature", reason="scikit-image is not installed").hog
    images = np.random.default_rng(0).integers(0, 256, (5, 50, 36), np.uint8)
    images[1] = 7  # flat: no edges at all
    images[2, :, 18:] = images[2, :1, 18:]
    images = images.astype(kind) / (255 if kind is np.float64 else 1)
    images = images.astype(kind)
    for cell, block, jobs, root in (((8, 8), (2, 2), 1, False), ((7, 5), (3, 1), 2, True)):
        ours = HOGFeatures(9, cell, block, norm, root, n_jobs=jobs).fit_transform(images)
        theirs = [hog(x, 9, cell, block, norm, transform_sqrt=root) for x in images]
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    flat = HOGFeatures(image_shape=(50, 36)).fit_transform(images.reshape(5, -1))
    np.testing.assert_array_equal(flat, HOGFeatures().fit_transform(images))


def test_hog_and_bad_input():
    pytest.importorskip("skimage", reason="scikit-image is not installed")
    images = np.zeros((2, 32, 16))
    for settings, given, told in (
        ({}, images[0], "n_images, height, width"),
        ({"image_shape": (3, 3)}, images[0], "numbers per image"),
        ({"block_norm": "L3"}, images, "block_norm must be one of"),
        ({"cells_per_block": (9, 9)}, images, "must hold a block"),
        ({}, np.full((2, 32, 16), np.nan), "finite"),
    ):
        with pytest.raises(ValueError, match=told):
            HOGFeatures(**settings).fit(given)
    with pytest.raises(ValueError, match="as at the fit"):
        HOGFeatures().fit(images).transform(np.zeros((2, 40, 16)))


needs_data = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


@needs_data
@pytest.mark.slow
def test_pedestrians():
    from sklearn.metrics import roc_auc_score

    from rosenblatt.sources import pedestrians

    pytest.importorskip("skimage", reason="scikit-image is not installed")
    data = pedestrians()
    hog = HOGFeatures(n_jobs=2)
    model = LinearSVM(lam=1e-2, tol=1e-3, random_state=0).fit(hog.fit_transform(data.X_train), data.y_train)
    Z = hog.transform(data.X_test)
    accuracy = model.score(Z, data.y_test)
    assert roc_auc_score(data.y_test, model.decision_function(Z)) >= 0.99 and accuracy >= 0.965
    raw, raw_test = (part.reshape(len(part), -1) / 255.0 for part in (data.X_train, data.X_test))
    pixels = LinearSVM(lam=1e-2, tol=1e-2, random_state=0).fit(raw, data.y_train)
    assert accuracy - pixels.score(raw_test, data.y_test) >= 0.08


@needs_data
@pytest.mark.slow
def test_a9a_accuracy():
    from rosenblatt.sources import a9a

    data = a9a()
    assert scipy.sparse.issparse(data.X_train)
    for model in (LogisticRegression(lam=1e-5), LinearSVM(lam=1e-5, tol=1e-3)):
        assert model.fit(data.X_train, data.y_train).score(data.X_test, data.y_test) >= 0.848


@needs_data
@pytest.mark.slow
def test_pair_products_on_mnist():
    from rosenblatt import Streamed
    from rosenblatt.sources import mnist

    data = mnist()
    eight, eight_test = data.y_train == 8, data.y_test == 8
    model = Streamed(PairProducts(20_000, random_state=0), Perceptron("averaged"), max_iter=10, random_state=0)
    assert 1 - model.fit(data.X_train, eight).score(data.X_test, eight_test) < 0.012


def test_pair_products_remember_the_scale_of_the_fit():
    numbers = np.random.default_rng(0).integers(0, 256, (20, 5))
    for kind in (np.uint8, np.float32, np.float64, np.int64):
        features = PairProducts(7, random_state=0).fit(numbers.astype(kind))
        expected = features.transform(numbers.astype(kind))
        for other in (np.uint8, np.float32, np.float64, np.int64):
            assert features.transform(numbers.astype(other)) == pytest.approx(expected, rel=1e-5)


def test_one_against_one_has_no_rows_per_class():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="one row of coef_ per class"):
        to_original_space(make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(X, y))
    two = make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(X, y == 1)
    assert (to_original_space(two).predict(X) == two.predict(X)).all()
    line = make_pipeline(StandardScaler(), LeastSquares()).fit(X, X @ [1.0, 2.0, 3.0, 4.0])
    assert to_original_space(line).predict(X) == pytest.approx(line.predict(X))


@pytest.mark.parametrize("features", [PairProducts(3, random_state=0), RadialFeatures()], ids=str)
def test_names_for_another_number_of_features_are_refused(features):
    rows = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(ValueError, match="input_features should have length equal to number of features"):
        features.fit(rows).get_feature_names_out(["a", "b"])
    assert features.get_feature_names_out().tolist()[:3] == ["x0", "x1", "x2"]


def test_pairs_that_are_drawn_again_have_names_of_their_own():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "a b": [5.0, 6.0]})
    pairs = PairProducts(40, random_state=0).set_output(transform="polars")  # of 9 pairs
    out = pairs.fit_transform(frame)
    assert out.shape == (2, 43) and len(set(out.columns)) == 43
    first = next(name for name in out.columns[3:] if name.endswith("#2"))
    assert out[first].to_list() == [a * b for a, b in zip(*(frame[n] for n in _parts(first)), strict=True)]


def _parts(name):
    """The two features of a pair's name; none of the features of the frame begins another."""
    words = name.removesuffix(" #2")
    columns = ("a b", "a", "b")
    return next((x, y) for x in columns for y in columns if f"{x} {y}" == words)
