"""The bundled sets are split by a seed, with the classes in proportion."""

import numpy as np
import pytest

from rosenblatt.sources import breast_cancer, digits, iris, wine


@pytest.mark.parametrize(
    ("load", "shape", "n_classes"),
    [(iris, (150, 4), 3), (digits, (1797, 64), 10), (wine, (178, 13), 3), (breast_cancer, (569, 30), 2)],
)
def test_split(load, shape, n_classes):
    split = load()
    assert len(split.X_train) + len(split.X_test) == shape[0] == len(split.y_train) + len(split.y_test)
    assert split.X_train.shape[1] == split.X_test.shape[1] == shape[1]
    assert len(split.X_test) == pytest.approx(shape[0] / 4, abs=1)
    assert len(split.target_names) == n_classes and all(type(name) is str for name in split.target_names)
    train, test = np.bincount(split.y_train), np.bincount(split.y_test)
    assert np.abs(test - (train + test) / 4).max() <= 1
    assert np.array_equal(split.X_train, load().X_train)
    assert not np.array_equal(split.X_train, load(random_state=1).X_train)
    assert len(load(test_size=0.5).X_test) == pytest.approx(shape[0] / 2, abs=1)
