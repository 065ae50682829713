"""Files that `tests/exchange/golden/write.py` wrote load, decide and go on learning as when they were written."""

import json

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import describe, load
from rosenblatt.models.file import PROTOCOL
from tests.exchange.golden.write import FOLDER, frame

EXPECTED = json.loads((FOLDER / "expected.json").read_text())
MODELS, TABLES = EXPECTED["models"], EXPECTED["tables"]


def numbers(texts):
    return np.array([float.fromhex(text) for text in texts])


def golden(name):
    """(model, rows, what is expected)."""
    case, X = MODELS[name], np.array([numbers(row) for row in EXPECTED["X"]])
    rows = EXPECTED["texts"]
    if case["rows"] != "texts":
        rows = scipy.sparse.csr_array(X) if case["rows"] == "csr" else X.astype(case["rows"])
    return load(FOLDER / f"{name}.safetensors"), rows, case


def assert_close(model, rows, wanted):
    # A kernel's exp and a matrix product may round differently on another machine, but not by more.
    np.testing.assert_allclose(np.ravel(model.decision_function(rows)), numbers(wanted), rtol=1e-6, atol=1e-6)


LEARN_ON = [
    name
    for name in MODELS
    if "scores_after_partial_fit" in MODELS[name] and "voted" not in name and "pocket" not in name
]


@pytest.mark.parametrize("name", MODELS)
def test_a_golden_file_decides_as_when_it_was_written(name):
    model, rows, case = golden(name)
    assert_close(model, rows, case["scores"])
    assert model.predict(rows).tolist() == case["labels"]
    assert describe(FOLDER / f"{name}.safetensors")["protocol"] == PROTOCOL


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", LEARN_ON)
def test_learning_goes_on_from_a_golden_file(name):
    model, rows, case = golden(name)
    model.partial_fit(rows[:30], np.array(case["y"])[:30])
    assert_close(model, rows, case["scores_after_partial_fit"])


@pytest.mark.parametrize("name", TABLES)
def test_a_golden_model_of_a_table_decides_as_when_it_was_written(name):
    """Columns of every kind, missing values and unknown categories among them."""
    model, rows = load(FOLDER / f"{name}.safetensors"), frame(EXPECTED["table"])
    assert_close(model, rows, TABLES[name]["scores"])
    assert model.predict(rows).tolist() == TABLES[name]["labels"]
    assert model[0].get_feature_names_out().tolist() == TABLES[name]["features"]
    assert [column.kind for column in model[0].columns_] == TABLES[name]["kinds"]
