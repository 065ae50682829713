"""Files of earlier protocols stay readable for ever, with the same decisions."""

import json
import pathlib

import numpy as np
import polars
import pytest
import scipy.sparse

from rosenblatt import describe, load

FOLDER = pathlib.Path(__file__).parent / "golden"
EXPECTED = {n: json.loads((FOLDER / f"protocol_{n}" / "expected.json").read_text()) for n in (1, 2)}
CASES = [(protocol, name) for protocol, expected in EXPECTED.items() for name in expected["models"]]
# A rule of the user's own is not in the file; protocol 1 did not keep how long the pocket's run was.
GOING_ON = [
    (protocol, name)
    for protocol, name in CASES
    if "scores_after_partial_fit" in EXPECTED[protocol]["models"][name]
    and "own_rule" not in name
    and (protocol, name) != (1, "perceptron_pocket_float32")
]


def numbers(texts):
    return np.array([float.fromhex(text) for text in texts])


def golden(protocol, name):
    """(model, rows, what is expected)."""
    expected = EXPECTED[protocol]
    case = expected["models"][name]
    X = np.array([numbers(row) for row in expected["X"]])
    if case["rows"] == "texts":
        rows = expected["texts"]
    else:
        rows = scipy.sparse.csr_array(X) if case["rows"] == "csr" else X.astype(case["rows"])
    return load(FOLDER / f"protocol_{protocol}" / f"{name}.safetensors"), rows, case


@pytest.mark.parametrize(("protocol", "name"), CASES)
def test_a_golden_file_decides_as_when_it_was_written(protocol, name):
    model, rows, case = golden(protocol, name)
    scores = np.asarray(model.decision_function(rows), np.float64)
    # A kernel's exp and a matrix product may round otherwise on another machine, but not by more.
    np.testing.assert_allclose(scores.ravel(), numbers(case["scores"]), rtol=1e-6, atol=1e-6)
    assert model.predict(rows).tolist() == case["labels"]
    assert describe(FOLDER / f"protocol_{protocol}" / f"{name}.safetensors")["protocol"] == protocol


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("protocol", "name"), GOING_ON)
def test_learning_goes_on_from_a_golden_file(protocol, name):
    model, rows, case = golden(protocol, name)
    kind = "binary" if isinstance(case["labels"][0], str) else "several"
    labels = np.array(EXPECTED[2]["labels"][kind])  # the same in both protocols
    model.partial_fit(rows[:30], labels[:30])
    wanted = numbers(case["scores_after_partial_fit"])
    np.testing.assert_allclose(np.asarray(model.decision_function(rows)).ravel(), wanted, rtol=1e-6, atol=1e-6)


TABLES = json.loads((FOLDER / "protocol_2_tables" / "expected.json").read_text())


@pytest.mark.parametrize("name", TABLES["models"])
def test_a_golden_model_of_a_table_decides_as_when_it_was_written(name):
    """Columns of every kind, missing values and unknown categories among them."""
    model, wanted = load(FOLDER / "protocol_2_tables" / f"{name}.safetensors"), TABLES["models"][name]
    rows = polars.DataFrame(TABLES["table"]).with_columns(polars.col("day").str.to_date())
    np.testing.assert_allclose(model.decision_function(rows), numbers(wanted["scores"]), rtol=1e-6, atol=1e-6)
    assert model.predict(rows).tolist() == wanted["labels"]
    assert model[0].get_feature_names_out().tolist() == wanted["features"]
    assert [column.kind for column in model[0].columns_] == wanted["kinds"]
    assert model[0].unknown_counts_ == wanted["unknown"]
    assert describe(FOLDER / "protocol_2_tables" / f"{name}.safetensors")["protocol"] == 2
