"""Conversion block by block: the file that the conversion in one piece writes."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from rosenblatt.verbs import blocks, convert
from rosenblatt.verbs.errors import InputError, UsageError


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    frame = pl.DataFrame({"y": random.choice(["yes", "no"], 900), "n": np.arange(900), "a": random.normal(size=900)})
    return frame.with_columns(
        late=pl.when(pl.int_range(900) == 880).then(pl.lit("word")).otherwise(pl.lit("7")),
        gap=pl.when(pl.int_range(900) % 7 > 0).then(pl.col("n") / 2),
    )


def in_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "WHOLE_BYTES", 0)
    monkeypatch.setattr(blocks, "BLOCK_NUMBERS", 100)


@pytest.mark.parametrize("to", ["csv", "tsv.gz", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "arrow"])
def test_tables(tmp_path, monkeypatch, table, ending, to):
    path = str(tmp_path / f"t.{ending}")
    table.write_csv(tmp_path / "first.csv")
    convert(str(tmp_path / "first.csv"), path)
    one, two = str(tmp_path / f"one.{to}"), str(tmp_path / f"two.{to}")
    whole = convert(path, one, "y", drop=["n"])
    in_blocks(monkeypatch)
    parts = convert(path, two, "y", drop=["n"])
    assert (parts.rows, parts.columns) == (whole.rows, whole.columns) == (900, 4)
    if to in ("parquet", "arrow"):
        read = pl.read_parquet if to == "parquet" else pl.read_ipc
        found = read(two)
        assert found.equals(read(one)) and found.columns == ["a", "late", "gap", "y"]
    else:
        with open(one, "rb") as first, open(two, "rb") as second:
            assert first.read() == second.read()


def test_the_target_stays_whatever_it_lacks(tmp_path):
    (tmp_path / "t.csv").write_text("y,a\n1.0,2\n,3\n2.5,4\n")
    convert(str(tmp_path / "t.csv"), str(tmp_path / "o.csv"), "y")
    assert (tmp_path / "o.csv").read_text() == "a,y\n2,1.0\n3,\n4,2.5\n"
    for wrong in ({"target": "z"}, {"target": "y", "drop": ["y"]}, {"drop": ["z"]}):
        with pytest.raises(UsageError):
            convert(str(tmp_path / "t.csv"), str(tmp_path / "o.csv"), **wrong)


def test_a_fault_in_the_last_line_leaves_the_old_file(tmp_path, monkeypatch, table):
    in_blocks(monkeypatch)
    table.write_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", "a") as file:
        file.write("1,2\n")
    (tmp_path / "o.csv").write_text("old")
    with pytest.raises(InputError, match=r"Line 902 .* has 2"):
        convert(str(tmp_path / "t.csv"), str(tmp_path / "o.csv"))
    assert (tmp_path / "o.csv").read_text() == "old" and len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize("to", ["jsonl", "csv"])
def test_memory_does_not_grow_with_the_file(tmp_path, to):
    """600 MB of text by a process that may have 900 MB of data, of which importing takes a third."""
    line = ",".join(["0.123456789"] * 30) + "\n"
    with open(tmp_path / "t.csv", "w") as file:
        file.write(",".join(f"x{j}" for j in range(30)) + "\n")
        for _ in range(1700):
            file.write(line * 1000)
    script = (
        "import resource\n"
        "from rosenblatt.verbs import convert\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (900_000_000, 900_000_000))\n"
        f"assert convert({str(tmp_path / 't.csv')!r}, {str(tmp_path / f'o.{to}')!r}).rows == 1_700_000\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_gaps_of_numpy_files(tmp_path):
    rows = np.array([[1.0, 2.0, 0.0], [np.nan, 4.0, 1.0], [3.0, np.nan, 0.0]])
    np.save(tmp_path / "gaps.npy", rows)
    made = convert(str(tmp_path / "gaps.npy"), str(tmp_path / "gaps.svm"), -1)
    assert (tmp_path / "gaps.svm").read_text() == "0 1:1 2:2\n1 1:2 2:4\n0 1:3 2:3\n"
    assert any("2 missing values are filled" in note for note in made.notes)
    with pytest.raises(InputError, match="row 2"):
        convert(str(tmp_path / "gaps.npy"), str(tmp_path / "other.svm"), -1, missing="error")
    assert not (tmp_path / "other.svm").exists()
    convert(str(tmp_path / "gaps.npy"), str(tmp_path / "gaps.csv"))  # a table keeps its gaps
    assert (tmp_path / "gaps.csv").read_text().splitlines()[2] == "NaN,4.0,1.0"
