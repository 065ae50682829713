"""Rows and labels are read as they are given, or refused in one sentence: nothing is rounded."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from rosenblatt import separability
from rosenblatt.certificates.reading import read_labels, read_rows

LARGE = 2**60
STAMPS = pd.to_datetime([1, 2])
NOT_NUMBERS = {
    "text in objects": np.array([["1"], ["2"]], dtype=object),
    "text": [["1"], ["2"]],
    "bytes": np.array([[b"1"], [b"2"]]),
    "bytes in objects": np.array([[b"1"], [b"2"]], dtype=object),
    "None": [[None], [2.0]],
    "a masked column": pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
    "a column with nulls": pl.DataFrame({"a": [LARGE, None]}),
    "dates": pd.DataFrame({"a": STAMPS}),
    "dates beside numbers": pd.DataFrame({"a": STAMPS, "b": [1, 2]}),
    "durations beside numbers": pd.DataFrame({"a": pd.to_timedelta([1, 2]), "b": [1, 2]}),
    "nanoseconds of polars": pl.DataFrame({"a": [1, 2], "b": [1, 2]}).with_columns(pl.col("a").cast(pl.Datetime("ns"))),
    "no date": pd.DataFrame({"a": pd.to_datetime([1, None]), "b": [1, 2]}),
    "categories": pl.DataFrame({"a": ["x", "y"]}, schema={"a": pl.Categorical}),
    "a lazy frame": pl.DataFrame({"a": [1, 2]}).lazy(),
    "decimal fractions": [[Decimal("0.1")], [Decimal("0.2")]],
    "128 bits": pl.DataFrame({"a": [2**100, 2**100 + 1]}, schema={"a": pl.Int128}),
    "128 bits beside fractions": pl.DataFrame(
        {"a": [LARGE + 1, 0], "b": [0.5, 1]}, schema={"a": pl.Int128, "b": float}
    ),
    "longer than float64": np.array([[np.longdouble(1) / 3], [2]], dtype=object),
    "very large": [[10**400], [1]],
}


@pytest.mark.parametrize("name", NOT_NUMBERS)
def test_what_is_no_number_of_64_bits_is_refused(name):
    with pytest.raises(ValueError) as caught:
        read_rows(NOT_NUMBERS[name])
    told = str(caught.value)
    assert told.endswith(".") and "\n" not in told and 20 < len(told) < 300


@pytest.mark.parametrize(
    "rows",
    [
        [[Decimal("0.5")], [Fraction(3, 4)]],
        [[2**70], [2**71]],
        [range(1), range(1, 2)],
        [np.array([LARGE]), np.array([LARGE + 1])],
        np.array([[0.5], [0.25]], dtype=np.float16),
        np.array([[LARGE], [LARGE + 1]], dtype=">i8"),
        pd.DataFrame({"a": pd.array([0.5, 0.75], dtype="Float64")}),
        pd.DataFrame({"a": [True, False], "b": pd.array([LARGE, LARGE + 1], dtype="Int64")}),
        pl.DataFrame({"a": [True, False], "b": [LARGE, LARGE + 1]}),
        pl.DataFrame({"a": [LARGE, LARGE + 1]}, schema={"a": pl.Int128}),
        scipy.sparse.coo_array(np.array([[LARGE], [LARGE + 1]])),
    ],
)
def test_numbers_stay_what_they_are(rows):
    read = read_rows(rows)
    if hasattr(rows, "toarray"):
        read, rows = read.toarray(), rows.toarray()
    given = rows.rows() if hasattr(rows, "rows") else np.array(rows, dtype=object).tolist()
    assert [[Fraction(value) for value in row] for row in read.tolist()] == [list(map(Fraction, row)) for row in given]


@pytest.mark.parametrize(
    "labels",
    [
        [2**63, 2**63 + 1, -1],
        [LARGE, LARGE + 1, 0.5],
        np.array([2**64, 2**64 + 1, 0], dtype=object),
        pd.Series([LARGE, LARGE + 1, 3], dtype="Int64"),
        np.array([1, 2, 3], dtype="M8[ns]"),
        [b"a", b"b", b"c"],
        [np.str_("a"), "b", "c"],
        pl.Series([datetime.date(2020, 1, day) for day in (1, 2, 3)]),
    ],
)
def test_three_labels_are_three_classes(labels):
    classes, codes = read_labels(labels, 3)
    assert len(classes) == 3 and sorted(codes.tolist()) == [0, 1, 2]
    X = [[0.0], [1.0], [5.0]]
    assert separability(X, labels).verify(X, labels)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([np.nan, 1.0], dtype=object),
        np.array([np.nan, "a"], dtype=object),
        np.array(["2020-01-01", "NaT"], dtype="M8[ns]"),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        [None, "a"],
        [None, 1],
        [np.inf, 1.0],
        pl.Series([1, None]),
        pl.DataFrame({"y": [0, 1]}).lazy(),
    ],
)
def test_a_missing_label_is_refused(labels):
    with pytest.raises(ValueError) as caught:
        read_labels(labels, 2)
    told = str(caught.value)
    assert told.endswith(".") and "\n" not in told and 20 < len(told) < 200


def test_dates_in_nanoseconds_are_named_by_their_text(tmp_path):
    X, y = [[0.0], [1.0]], np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]")
    found = separability(X, y)
    assert found.about.classes == ("2020-01-01T00:00:00.000000000", "2020-01-02T00:00:00.000000000")
    assert found.verify(X, y) and not found.verify(X, y.astype(np.int64))
