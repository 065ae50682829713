"""Files of earlier protocols stay readable for ever, with the same decisions."""

import json
import pathlib

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import describe, load

FOLDER = pathlib.Path(__file__).parent / "golden"
CASES = [
    (protocol, name)
    for protocol in (1,)
    for name in json.loads((FOLDER / f"protocol_{protocol}" / "expected.json").read_text())["models"]
]
# A rule of the user's own is not in the file; protocol 1 did not keep how long the pocket's run was.
GOING_ON = [case for case in CASES if "own_rule" not in case[1] and case != (1, "perceptron_pocket_float32")]


def numbers(texts):
    return np.array([float.fromhex(text) for text in texts])


@pytest.mark.parametrize(("protocol", "name"), CASES)
def test_a_golden_file_decides_as_when_it_was_written(protocol, name):
    folder = FOLDER / f"protocol_{protocol}"
    expected = json.loads((folder / "expected.json").read_text())
    X = np.array([numbers(row) for row in expected["X"]])
    case = expected["models"][name]
    rows = scipy.sparse.csr_array(X) if case["rows"] == "csr" else X.astype(case["rows"])
    model = load(folder / f"{name}.safetensors")
    scores = np.asarray(model.decision_function(rows), np.float64)
    # A kernel's exp and a matrix product may round otherwise on another machine, but not by more.
    np.testing.assert_allclose(scores.ravel(), numbers(case["scores"]), rtol=1e-6, atol=1e-6)
    assert model.predict(rows).tolist() == case["labels"]
    assert describe(folder / f"{name}.safetensors")["protocol"] == protocol


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("protocol", "name"), GOING_ON)
def test_learning_goes_on_from_a_golden_file(protocol, name):
    folder = FOLDER / f"protocol_{protocol}"
    expected = json.loads((folder / "expected.json").read_text())
    X = np.array([numbers(row) for row in expected["X"]])
    case = expected["models"][name]
    rows = scipy.sparse.csr_array(X) if case["rows"] == "csr" else X.astype(case["rows"])
    model = load(folder / f"{name}.safetensors")
    labels = np.array(expected["labels"][case["y"]]) if protocol > 1 else labels_of_protocol_1(X, case)
    model.partial_fit(rows[:30], labels[:30])
    wanted = numbers(case["scores_after_partial_fit"])
    np.testing.assert_allclose(np.asarray(model.decision_function(rows)).ravel(), wanted, rtol=1e-6, atol=1e-6)


def labels_of_protocol_1(X, case):
    """Those of golden/write_protocol_1.py."""
    random = np.random.default_rng(0)
    assert np.array_equal(random.normal(size=(60, 4)), X)
    binary = np.where(X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=60) > 0, "yes", "no")
    several = np.argmax(X[:, :3] + random.normal(size=(60, 3)), axis=1) * 10
    return binary if isinstance(case["labels"][0], str) else several
