"""Files of numbers: gaps, and numbers that are too large."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from rosenblatt.verbs import evaluate, export, predict, train
from rosenblatt.verbs.errors import InputError


def saved(folder, X, y, name="t"):
    np.savez(folder / f"{name}.npz", X=X, y=y)
    return str(folder / f"{name}.npz")


@pytest.fixture
def rows():
    X = np.random.default_rng(0).normal(size=(300, 3))
    return X, X[:, 0] > X[:, 1]


def test_gaps_are_filled(tmp_path, rows):
    X, y = rows
    X[::9, 2] = np.nan
    path, model = saved(tmp_path, X, y), str(tmp_path / "m.safetensors")
    done = train(path, out=model)
    assert "34 missing values are filled with the median of the column." in done.notes
    assert evaluate(model, path).summary.accuracy.value > 0.9
    assert predict(model, path).rows == 300
    export(model, onnx=str(tmp_path / "m.onnx"))
    with pytest.raises(InputError, match=r"lacks a value in row 1, column 3"):
        train(path, missing="error")


@pytest.mark.parametrize("stream", [False, True])
def test_one_policy_for_gaps_in_all_sources(tmp_path, rows, stream):
    """Whichever way a file is learned from, and whether or not there were gaps in it: as with tables."""
    X, y = rows
    whole, model = saved(tmp_path, X, y, "whole"), str(tmp_path / "m.safetensors")
    holes = X.copy()
    holes[5::9, 2] = np.nan
    gaps = saved(tmp_path, holes, y, "gaps")
    for policy in ("median", "indicator"):
        for path in (whole, gaps):
            done = train(path, missing=policy, stream=stream, out=model)
            assert any("33 missing values are filled" in note for note in done.notes) == (path == gaps)
            assert evaluate(model, gaps).summary.accuracy.value > 0.9
            export(model, onnx=str(tmp_path / "m.onnx"))
        width = done.model.steps[-1][1].n_features_in_
        assert width == 3 + (policy == "indicator")
        names = [driver.feature for driver in done.summary.drivers.top]
        assert ("index 3 is missing" in names) == (policy == "indicator")
    told = r"gaps.npz lacks a value in row 6, column 3"
    with pytest.raises(InputError, match=told):
        train(gaps, missing="error", stream=stream)
    train(whole, missing="error", stream=stream, out=model)
    with pytest.raises(InputError, match=told):
        predict(model, gaps)


def test_filled_rows_are_scaled_alike_in_passes(tmp_path, rows):
    X, y = rows
    X[::9, 2], X[1::9, 0] = np.nan, np.nan
    path = saved(tmp_path, X, y)
    done = train(path, stream=True, missing="indicator").model
    filled = done.named_steps["imputer"].transform(X)
    expected = StandardScaler().fit(filled)
    scaler = done.named_steps["scaler"]
    np.testing.assert_allclose(scaler.mean_, expected.mean_, atol=1e-12)
    np.testing.assert_allclose(scaler.scale_, expected.scale_, rtol=1e-12)


@pytest.mark.parametrize("stream", [False, True])
def test_rows_without_a_label(tmp_path, rows, stream):
    X, y = rows
    labels = np.where(y, 1.0, 0.0)
    labels[[7, 11]] = np.nan
    np.save(tmp_path / "t.npy", np.column_stack([X, labels]))
    for path, target in ((saved(tmp_path, X, labels), None), (str(tmp_path / "t.npy"), -1)):
        done = train(path, target, stream=stream)
        told = "2 rows without a label are left out."
        assert told in done.notes and done.about["rows"] == 298
    labels[9] = np.inf
    with pytest.raises(InputError, match="infinite"):
        train(saved(tmp_path, X, labels), stream=stream)
    with pytest.raises(InputError, match="label"):
        train(saved(tmp_path, X, labels * np.nan), stream=stream)


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
