"""There must be something to learn from, and something to learn."""

import pytest

from rosenblatt.verbs import train
from rosenblatt.verbs.errors import InputError, UsageError


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{i % 7}.5,{i % 5},{'yes' if i % 2 else 'no'},same" for i in range(200)]
    path.write_text("\n".join(["a,b,y,c", *rows]) + "\n")
    return str(path)


@pytest.mark.parametrize("stream", [False, True])
def test_the_target_cannot_be_dropped(table, stream):
    for target, drop in (("y", "a,y"), ("3", "y"), ("y", "3")):
        with pytest.raises(UsageError, match="'y' cannot be both the target and in --drop"):
            train(table, target, drop=[drop], stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_columns_that_are_gone_are_named(table, stream):
    with pytest.raises(UsageError, match="has no column left to learn from"):
        train(table, "y", drop=["a,c"], weights="b", stream=stream)
    with pytest.raises(UsageError, match="'b' cannot be both the weights and in --drop"):
        train(table, "y", drop=["b"], weights="b", stream=stream)
    with pytest.raises(UsageError, match="'b' cannot be both"):
        train(table, "b", weights="b", stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_columns_that_are_of_no_use_are_named(table, stream):
    with pytest.raises(InputError, match=r"every column is left out \('c': it is constant\); add columns"):
        train(table, "y", drop=["a,b"], stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_a_quantity_is_no_class(tmp_path, stream):
    path = str(tmp_path / "t.csv")

    def written(count: int, rows: int, form: str) -> str:
        lines = [f"{i % 7}.5,{i % 5}," + form.format(i * 7919 % count) for i in range(rows)]
        (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
        return path

    with pytest.raises(ValueError, match=r"'y' has 101 different numbers in 200 rows.* least-squares"):
        train(written(101, 200, "{}"), "y", stream=stream)
    for count, rows, form in ((40, 120, "{}"), (60, 600, "{}"), (60, 200, "c{}")):  # classes, the last by insisting
        assert (
            len(train(written(count, rows, form), "y", stream=stream, settings={"max_iter": 2}).summary.classes)
            == count
        )
