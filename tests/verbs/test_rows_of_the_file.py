"""A complaint about a row gives the line that the row has in the file, whatever was kept aside for testing."""

import gzip
from pathlib import Path

import numpy as np
import polars
import pytest

from rosenblatt import ColumnEncoder
from rosenblatt.sources import source as source_module
from rosenblatt.verbs import evaluate, predict, train


def written(path, spoiled: int, cell: str, unlabelled: int = 0) -> str:
    random = np.random.default_rng(0)
    lines = ["a,b,y"]
    for row, (a, b) in enumerate(random.normal(size=(120, 2)).tolist(), 1):
        label = "" if row <= unlabelled else "yes" if a > b else "no"
        lines.append(f"{cell if row == spoiled else a},{b},{label}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("spoiled", [41, 52, 63, 74, 85, 96])
@pytest.mark.parametrize("unlabelled", [0, 7])
def test_infinite_numbers(tmp_path, spoiled, unlabelled):
    path = written(tmp_path / "t.csv", spoiled, "inf", unlabelled)
    for stream in (False, True):
        with pytest.raises(ValueError, match=rf"'a' has an infinite number in line {spoiled + 1};"):
            train(path, "y", stream=stream)


@pytest.mark.parametrize("cell", ["", "unknown"])
def test_cells_that_must_not_be_missing(tmp_path, cell):
    for spoiled in (41, 52, 63):
        path = written(tmp_path / "t.csv", spoiled, cell)
        for stream in (False, True):
            with pytest.raises(ValueError, match=rf"the first in line {spoiled + 1},|line {spoiled + 1} has"):
                train(path, "y", missing="error", stream=stream)


@pytest.mark.parametrize("unlabelled", [0, 30])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_lines_in_blocks(tmp_path, monkeypatch, unlabelled, ending):
    """Of a file that is read block by block, with empty lines and a cell of two lines before."""
    monkeypatch.setattr(source_module, "STREAMED_BYTES", 1024)
    text = Path(written(tmp_path / "t.csv", 101, "strange", unlabelled)).read_text()
    lines = text.replace("\n", "\n\n", 3).splitlines()
    lines[20] = '"' + lines[20].split(",")[0] + '\n",' + lines[20].split(",", 1)[1]
    path = tmp_path / f"t.{ending}"
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    for stream in (False, True):
        notes = train(str(path), "y", stream=stream, holdout=None if stream else 0).notes
        assert "The column 'a' holds numbers, except that line 106 has 'strange'." in notes


def test_one_of_several_files(tmp_path):
    for name, spoiled in (("a.csv", 0), ("b.csv", 33)):
        written(tmp_path / name, spoiled, "1e200")
    with pytest.raises(ValueError, match=r"has 1e\+200 in row 153,"):
        train([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], "y", stream=True)


@pytest.mark.parametrize("cell", ["1e200", "-1e150", "inf"])
@pytest.mark.parametrize("words", [0, 60])  # categories, with which rows are sparse
def test_a_huge_number_is_refused_wherever_it_is(tmp_path, cell, words):
    """Whether its row is learned from or kept aside."""
    for spoiled in (3, 11, 17, 25, 38):
        lines = [f"{k % 5},w{k % words if words else k % 3},{'ab'[k % 5 > 2]}" for k in range(4 * words or 40)]
        lines[spoiled - 2] = f"{cell},w1,a"
        (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
        with pytest.raises(ValueError, match=rf"The column 'a' has .* in line {spoiled}[;,]"):
            train(str(tmp_path / "t.csv"), "y")


def test_a_number_far_beyond_what_was_learned_from(tmp_path):
    """In rows of float32 it would be infinite."""
    encoder = ColumnEncoder(dtype="float32").fit({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"'a' has 1e\+100 in row 2, far beyond"):
        encoder.transform({"a": [1.0, 1e100]})


def test_huge_numbers_of_arrays_to_test_on_or_to_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(40, 3))
    np.savez("learned.npz", X=rows, y=rows[:, 0] > 0)
    train("learned.npz", out="m.safetensors")
    rows[7, 1] = 1e200
    np.savez("other.npz", X=rows, y=rows[:, 0] > 0)
    for ask in (
        lambda: train("learned.npz", test="other.npz"),
        lambda: train("learned.npz", test="other.npz", stream=True),
        lambda: predict("m.safetensors", "other.npz"),
        lambda: evaluate("m.safetensors", "other.npz"),
    ):
        with pytest.raises(ValueError, match=r"other\.npz has 1e\+200 in row 8, column 2,"):
            ask()


@pytest.mark.parametrize("gap", ["", "NaN", "nan"])
def test_a_row_whose_number_to_predict_is_missing_is_left_out(tmp_path, gap):
    lines = [f"{k % 5},{k % 7},{float(k % 5 > 2)}" for k in range(40)]
    lines[9] = f"1,2,{gap}"
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    found = train(str(tmp_path / "rows.csv"), "y")
    assert any("1 row without a value of 'y' is left out" in note for note in found.notes)


@pytest.mark.parametrize("ending", ["arrow", "parquet", "csv"])
def test_a_file_without_rows(tmp_path, ending):
    data, model, none = written(tmp_path / "t.csv", 0, ""), str(tmp_path / "m.safetensors"), tmp_path / f"none.{ending}"
    train(data, "y", out=model)
    frame = polars.read_csv(data).clear()
    {"arrow": frame.write_ipc, "parquet": frame.write_parquet, "csv": frame.write_csv}[ending](none)
    for asked in (lambda: predict(model, str(none)), lambda: evaluate(model, str(none)), lambda: train(str(none), "y")):
        with pytest.raises(ValueError, match=rf"none\.{ending} has no rows"):
            asked()
