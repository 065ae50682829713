"""Files of numbers: gaps, numbers that are too large, and numbers whose squares vanish."""

import numpy as np
import pytest

from rosenblatt.verbs import evaluate, export, predict, train
from rosenblatt.verbs.errors import InputError


def saved(folder, X, y, name="t"):
    np.savez(folder / f"{name}.npz", X=X, y=y)
    return str(folder / f"{name}.npz")


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(size=(300, 3))
    return X, X[:, 0] > X[:, 1]


def test_numbers_whose_squares_vanish(tmp_path, rows):
    X, y = rows
    whole = train(saved(tmp_path, X, y), learner="svm").summary.accuracy.value
    tiny = train(saved(tmp_path, X * [1e-300, 1e-200, 1.0], y), learner="svm").summary.accuracy.value
    assert whole > 0.95 and tiny > 0.95


def test_gaps_are_filled(tmp_path, rows):
    X, y = rows
    X[::9, 2] = np.nan
    path, model = saved(tmp_path, X, y), str(tmp_path / "m.safetensors")
    done = train(path, out=model)
    assert "34 missing values are filled with the median of the column." in done.notes
    assert evaluate(model, path).summary.accuracy.value > 0.9
    assert predict(model, path).rows == 300
    export(model, onnx=str(tmp_path / "m.onnx"))
    for policy in ("error", "indicator"):
        with pytest.raises(InputError, match=r"in row 1, column 3 is \(NaN\); fill it in, or make a table"):
            train(path, missing=policy)


def test_what_cannot_be_computed_with(tmp_path, rows):
    X, y = rows
    model = str(tmp_path / "m.safetensors")
    train(saved(tmp_path, X, y), out=model)
    for bad, told in ((np.inf, "has inf in row 8, column 2"), (1e200, r"has 1e\+200 in row 8, column 2")):
        X[7, 1] = bad
        with pytest.raises(InputError, match=told):
            train(saved(tmp_path, X, y, "bad"))
        with pytest.raises(InputError, match=told):
            predict(model, saved(tmp_path, X, y, "bad"))
    X[7, 1] = np.nan
    with pytest.raises(InputError, match=r"row 8, column 2 is \(NaN\)"):
        predict(model, saved(tmp_path, X, y, "bad"))


@pytest.mark.parametrize(("size", "told"), [(1, False), (5000, True)])
def test_a_word_on_sparse_columns_of_uneven_size(tmp_path, size, told):
    text = "".join(f"{(-1) ** i} 1:{size + i % 3} {i % 5 + 2}:1\n" for i in range(60))
    (tmp_path / "t.libsvm").write_text(text)
    notes = train(str(tmp_path / "t.libsvm")).notes
    assert any("is 5,002 times as large as most" in note for note in notes) == told
    assert told or not notes
