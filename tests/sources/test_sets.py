"""The real sets have the rows they are known for."""

import os

import numpy as np
import pytest

from rosenblatt.sources import a9a, mnist, mnist_pair, mushrooms, reuters

real_data = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


@real_data
def test_mnist():
    split = mnist()
    assert split.X_train.shape == (60_000, 784) and split.X_test.shape == (10_000, 784)
    assert {part.dtype.name for part in (split.X_train, split.y_train, split.X_test, split.y_test)} == {"uint8"}
    assert split.y_train[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert split.y_test[:10].tolist() == [7, 2, 1, 0, 4, 1, 4, 9, 5, 9]
    assert np.bincount(split.y_test).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert split.X_train.mean() / 255 == pytest.approx(0.1307, abs=5e-5)
    assert not split.X_train.flags.writeable and split.X_train.flags.c_contiguous


@real_data
def test_mnist_pair():
    split = mnist_pair(4, 9)
    assert split.X_train.shape == (5842 + 5949, 784) and split.X_test.shape == (982 + 1009, 784)
    assert set(split.y_train) == set(split.y_test) == {4, 9}
    assert split.y_train[:3].tolist() == [4, 9, 4]


@pytest.mark.parametrize(("a", "b"), [(1, 1), (-1, 3), (3, 10)])
def test_a_pair_is_two_digits(a, b):
    with pytest.raises(ValueError, match=f"but {a} and {b} came"):
        mnist_pair(a, b)


@real_data
@pytest.mark.parametrize(
    ("load", "n_features", "train", "test"),
    [
        (a9a, 123, (32_561, 7_841, 451_592), (16_281, 3_846, 225_731)),
        (mushrooms, 126, (6_513, 3_140, 6_513 * 22), (1_611, 776, 1_611 * 22)),
        (reuters, 8_315, (7_770, 538, 339_837), (3_299, 179, 136_821)),
    ],
)
def test_libsvm_sets(load, n_features, train, test):
    split = load(dtype=np.float32)
    for X, y, (rows, positive, stored) in (
        (split.X_train, split.y_train, train),
        (split.X_test, split.y_test, test),
    ):
        assert X.shape == (rows, n_features) and X.dtype == np.float32 and X.format == "csr"
        assert X.nnz == stored and X.has_canonical_format
        assert y.dtype == np.int64 and set(y) == {-1, 1} and (y == 1).sum() == positive


def test_an_explicit_zero_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "libsvm").mkdir()
    (tmp_path / "libsvm" / "a9a").write_text("+1 3:1 \n-1 4:1 \n")
    (tmp_path / "libsvm" / "a9a.t").write_text("-1 1:1 123:0 \n")
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    split = a9a()
    assert split.X_test.shape == (1, 123) and split.X_test.nnz == 1 and split.X_test.dtype == np.float64
