"""A complaint about a row gives the line that the row has in the file, whatever was kept aside for testing."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.sources import source as source_module
from rosenblatt.verbs import train


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
        with pytest.raises(ValueError, match=rf"'a' has an infinite one in line {spoiled + 1};"):
            train(path, "y", stream=stream)


@pytest.mark.parametrize("cell", ["", "unknown"])
def test_cells_that_must_not_be_missing(tmp_path, cell):
    for spoiled in (41, 52, 63):
        path = written(tmp_path / "t.csv", spoiled, cell)
        for stream in (False, True):
            with pytest.raises(ValueError, match=rf"in line {spoiled + 1};|line {spoiled + 1} has"):
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
        notes = train(str(path), "y", stream=stream).notes
        assert "The column 'a' holds numbers, except that line 106 has 'strange'." in notes


def test_one_of_several_files(tmp_path):
    for name, spoiled in (("a.csv", 0), ("b.csv", 33)):
        written(tmp_path / name, spoiled, "1e200")
    with pytest.raises(ValueError, match=r"has 1e\+200 in line 34 of .*b\.csv;"):
        train([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], "y", stream=True)


@pytest.mark.parametrize("gap", ["", "NaN", "nan"])
def test_a_row_whose_number_to_predict_is_missing_is_left_out(tmp_path, gap):
    lines = [f"{k % 5},{k % 7},{float(k % 5 > 2)}" for k in range(40)]
    lines[9] = f"1,2,{gap}"
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
    found = train(str(tmp_path / "rows.csv"), "y")
    assert any("1 row without a value of 'y' is left out" in note for note in found.notes)
