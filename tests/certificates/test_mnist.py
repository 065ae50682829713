"""The table of the documentation, re-verified from its certificates by anyone who has MNIST."""

import os
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import load_certificate, separability
from rosenblatt.certificates.verify import CertificateError

STORED = Path(__file__).parents[2] / "docs" / "certificates" / "mnist.json"

pytestmark = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


@pytest.fixture(scope="module")
def digits():
    from rosenblatt.sources import mnist

    split = mnist()
    return split.X_train, split.y_train


@pytest.mark.slow
def test_every_stored_certificate_holds(digits):
    """All 45 pairs and all 10 digits against the rest, in exact arithmetic; none undecided."""
    X, y = digits
    table = load_certificate(STORED, X, y)  # verifies them all, or raises
    assert table.classes == list(range(10)) and len(table.pairs) == 45 and len(table.rest) == 10
    assert {certificate.verdict for _, certificate in table} == {"separable", "not separable"}
    assert set(table.pairs) == {(a, b) for a in range(10) for b in range(a + 1, 10)}
    for name, certificate in table:
        rows = len(y) if "rest" in name else int(np.isin(y, certificate.about.classes).sum())
        assert certificate.about.shape == (rows, 784) and certificate.about.intercept


@pytest.mark.slow
def test_one_changed_pixel_is_noticed(digits):
    X, y = digits
    X = X.copy()
    X[-1, 400] ^= 1
    with pytest.raises(CertificateError, match="digests differ"):
        load_certificate(STORED, X, y)


def test_0_against_1(digits):
    X, y = digits
    rows = y <= 1
    found = separability(X[rows], y[rows])
    assert found.verdict == "separable" and found.gap <= 0.0102 and found.verify(X[rows], y[rows])


@pytest.mark.slow
def test_3_against_5(digits):
    X, y = digits
    rows = (y == 3) | (y == 5)
    found = separability(X[rows], y[rows])
    assert found.verdict == "not separable" and found.verify(X[rows], y[rows])
    refined = found.refine()
    assert refined.verdict == "quasi-complete" and refined.verify(X[rows], y[rows])
