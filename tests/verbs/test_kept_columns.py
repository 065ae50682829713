"""Columns that look like numbers or names of the rows: kept where somebody says so, and always in a proof."""

import random

import pytest

from rosenblatt import ColumnEncoder, load
from rosenblatt.verbs import convert, predict, separable, train
from rosenblatt.verbs.errors import InputError, UsageError


def written(path, columns):
    """A CSV file of columns by name."""
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def counted(tmp_path):
    """x counts from 0 and alone separates the classes; z is noise."""
    noise = random.Random(0)
    z = [round(noise.random(), 3) for _ in range(60)]
    return written(tmp_path / "t.csv", {"x": range(60), "z": z, "y": ["b" if i > 30 else "a" for i in range(60)]})


def test_a_proof_is_about_every_number_that_is_given(counted):
    found = separable(counted, "y")
    assert found.verdict == "separable" and found.features == ["x", "z"] and found.left_out == {}
    assert separable(counted, "y", drop=["x"]).verdict == "not separable"  # so that x is needed


@pytest.mark.parametrize("name", ["id", "row nr", "x"])
@pytest.mark.parametrize("form", ["{}", "$1,{:03}"])
def test_a_proof_uses_numbers_whatever_they_are_called_and_written_like(tmp_path, name, form):
    columns = {f'"{name}"': [f'"{form.format(i)}"' for i in range(60)], "z": [i % 7 for i in range(60)]}
    path = written(tmp_path / "t.csv", columns | {"y": ["b" if i > 30 else "a" for i in range(60)]})
    found = separable(path, "y")
    assert found.verdict == "separable" and found.features == [name, "z"]


def test_a_proof_uses_a_constant_without_an_intercept(tmp_path):
    path = written(tmp_path / "t.csv", {"one": [1] * 4, "x": [1, 2, 3, 4], "y": list("aabb")})
    assert separable(path, "y", intercept=False).verdict == "separable"
    assert separable(path, "y", intercept=False, drop=["one"]).verdict == "not separable"


def test_a_proof_says_which_text_it_is_not_about(tmp_path):
    names = {"name": [f"p{i * 7919 % 1000}" for i in range(60)], "z": [i % 7 for i in range(60)]}
    path = written(tmp_path / "t.csv", names | {"y": ["b" if i > 30 else "a" for i in range(60)]})
    found = separable(path, "y")
    assert found.verdict == "not separable" and list(found.left_out) == ["name"]
    assert "--keep name keeps it" in found.left_out["name"] and found.to_dict()["left_out"] == found.left_out
    kept = separable(path, "y", keep=["name"])
    assert kept.verdict == "separable" and kept.left_out == {}


@pytest.mark.parametrize("stream", [False, True])
def test_training_keeps_what_it_is_told_to(tmp_path, stream):
    path = written(tmp_path / "t.csv", {"x": range(400), "z": [i * 7919 % 101 for i in range(400)],
                                        "y": ["b" if i > 200 else "a" for i in range(400)]})  # fmt: skip
    without = train(path, "y", stream=stream)
    assert "The column 'x' is left out: it numbers the rows; --keep x keeps it." in without.notes
    for keep in (["x"], ["1"], ["z", "x"], ["z,x"]):
        found = train(path, "y", stream=stream, keep=keep, out=str(tmp_path / "m.safetensors"))
        assert [column["kind"] for column in found.about["columns"]] == ["number", "number"]
        assert not any("left out" in note for note in found.notes)
        assert found.summary.accuracy.value > 0.9 > without.summary.accuracy.value
    assert load(tmp_path / "m.safetensors").steps[0][1].kinds["x"] == "kept"
    assert predict(str(tmp_path / "m.safetensors"), path).counts["a"] in range(180, 221)


@pytest.mark.parametrize("stream", [False, True])
def test_columns_to_keep_are_checked(counted, stream):
    for keep, told in (("w", "has no column 'w'"), ("y", "'y' cannot be both the target and in --keep"),
                       ("z", "both in --drop and in --keep")):  # fmt: skip
        with pytest.raises(UsageError, match=told):
            train(counted, "y", keep=[keep], drop=["z"], stream=stream)


def test_the_only_column_may_be_kept(tmp_path):
    path = written(tmp_path / "t.csv", {"x": range(60), "y": [0.37 * i for i in range(60)]})
    with pytest.raises(InputError, match=r"every column is left out \('x': it numbers the rows\)"):
        train(path, "y", learner="least-squares")
    assert train(path, "y", learner="least-squares", keep=["x"]).summary.regression.r2 > 0.99


def test_conversion_keeps_what_it_is_told_to(counted, tmp_path):
    out = str(tmp_path / "t.libsvm")
    found = convert(counted, out, "y")
    assert found.columns == 1 and any("--keep x keeps it" in note for note in found.notes)
    assert convert(counted, out, "y", keep=["x"]).columns == 2


def test_an_encoder_keeps_columns_of_every_kind():
    table = {"n": list(range(30)), "name": [f"p{i}" for i in range(30)], "same": ["s"] * 30, "one": [1.0] * 30,
             "gone": [None] * 30}  # fmt: skip
    found = ColumnEncoder(kinds=dict.fromkeys(table, "kept")).fit(table)
    assert [column.kind for column in found.columns_] == ["number", "category", "category", "number", "dropped"]
    with pytest.raises(ValueError, match="dropped, kept, but got 'keep'"):
        ColumnEncoder(kinds={"n": "keep"}).fit(table)
