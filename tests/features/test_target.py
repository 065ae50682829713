"""The target: which column, and which labels."""

import numpy as np
import polars as pl
import pytest

from rosenblatt.features import find_column, take_target
from rosenblatt.features.target import check_classes, labels_of


def test_columns_by_name_and_number():
    names = ["age", "city", "2"]
    assert [find_column(names, wanted) for wanted in ("city", 1, "1", -1, "-1", "2")] == [
        "city", "age", "age", "2", "2", "2",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="did you mean 'city'"):
        find_column(names, "citty")
    with pytest.raises(ValueError, match="no column number 0"):
        find_column(names, 0)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["b", "a", None, "b"], ["b", "a", "b"]),
        ([1.0, -1.0, None, float("nan")], [1, -1]),
        ([True, None, False], [True, False]),
        ([3, 5, 3], [3, 5, 3]),
        ([0.5, 1.5, 0.5], [0.5, 1.5, 0.5]),
    ],
)
def test_labels_and_rows_without_one(values, labels):
    frame = pl.DataFrame({"x": range(len(values)), "y": values}, strict=False)
    found = take_target(frame, "y")
    assert found.y.tolist() == labels and len(found.rows) == len(labels)
    assert found.rows.columns == ["x"] and found.rows.height == len(labels)
    assert type(found.y.tolist()[0]) is type(labels[0])


def test_what_is_no_class():
    random = np.random.default_rng(0)
    with pytest.raises(ValueError, match="different numbers with fractions"):
        check_classes(take_target(pl.DataFrame({"y": random.normal(size=500)}), "y").y, "y")
    with pytest.raises(ValueError, match="too many for classes"):
        check_classes(take_target(pl.DataFrame({"y": [f"n{i}" for i in range(3000)]}), "y").y, "y")
    with pytest.raises(ValueError, match="Every value of the target 'y' is missing"):
        take_target(pl.DataFrame({"y": [None, None]}, schema={"y": pl.Float64}), "y")
    with pytest.raises(ValueError, match="infinite"):
        take_target(pl.DataFrame({"y": [1.0, float("inf")]}), "y")


def test_spaces_around_a_label_make_no_class():
    assert labels_of(pl.Series(["yes", "yes ", " no", "no"])).tolist() == ["yes", "yes", "no", "no"]


def test_classes_with_fractions_are_quantities():
    with pytest.raises(ValueError, match="2 different numbers with fractions in 200 rows, like a quantity"):
        check_classes(np.array([1.5, 2.5] * 100), "y")
