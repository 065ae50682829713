"""Bytes and sparse rows, which are not scaled: what is advised."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt.verbs import testing
from rosenblatt.verbs.tables import write_matrix


@pytest.fixture
def bright(shell, monkeypatch):
    """Dark and bright images: separable, but not learned in a few epochs, since the boundary is far from 0."""
    monkeypatch.setattr(testing, "ADVISING", 60.0)
    random = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = (random.integers(0, 100, (200, 16)) + 100 * y[:, None]).astype(np.uint8)
    np.savez("bytes.npz", X=X, y=y)
    write_matrix("sparse.libsvm", csr_array(X.astype(np.float64)), y)


@pytest.mark.parametrize("name", ["bytes.npz", "sparse.libsvm"])
def test_a_flat_boundary_is_not_called_useless_where_one_separates_the_rows(shell, bright, name):
    summary = shell.json("train", name, "-o", "/dev/null", "--advise")["summary"]
    assert not summary["beats_baseline"] and summary["separation"]["verdict"] == "separable"
    first, *others = summary["advice"]
    assert first["topic"] == "margin" and first["trial"]["accuracy"]["value"] == 1.0
    assert not any("flat boundary does not" in advice["sentence"] for advice in [first, *others])
