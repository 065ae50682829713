"""Conversion block by block: the file that the conversion in one piece writes."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from rosenblatt.verbs import blocks, conversion, convert
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
    monkeypatch.setattr(blocks, "MOST_ROWS", 100)
    monkeypatch.setattr(conversion, "MOST_ROWS", 100)
    monkeypatch.setattr(conversion, "MATRIX_ROWS", 100)


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


@pytest.mark.parametrize("to", ["libsvm", "csv", "parquet"])
@pytest.mark.parametrize("ending", ["libsvm", "vw"])
def test_numbers(tmp_path, monkeypatch, ending, to):
    path = tmp_path / f"t.{ending}"
    bar = " |" if ending == "vw" else ""
    path.write_text("".join(f"{(-1) ** i}{bar} {i % 9 + 1}:{i / 4} {i % 9 + 30}:1\n" for i in range(800)))
    if ending == "vw" and to != "libsvm":
        for way in (lambda: None, lambda: in_blocks(monkeypatch)):
            way()
            with pytest.raises(InputError, match="would be huge"):
                convert(str(path), str(tmp_path / f"one.{to}"))
        return
    whole = convert(str(path), str(tmp_path / f"one.{to}"))
    in_blocks(monkeypatch)
    parts = convert(str(path), str(tmp_path / f"two.{to}"))
    assert (parts.rows, parts.columns) == (whole.rows, whole.columns)
    if to == "parquet":
        assert pl.read_parquet(tmp_path / "one.parquet").equals(pl.read_parquet(tmp_path / "two.parquet"))
    else:
        assert (tmp_path / f"one.{to}").read_bytes() == (tmp_path / f"two.{to}").read_bytes()


def numbers_table():
    random = np.random.default_rng(0)
    a = random.normal(size=900)
    return pl.DataFrame(
        {
            "a": a,
            "n": random.integers(0, 50, 900),
            "nr": np.arange(900),
            "constant": np.ones(900),
            "city": random.choice(["Rome", "Oslo", "Bonn"], 900),
            "yes": random.choice(["yes", "no"], 900),
            "kind": np.where(a > 0, "good", "bad"),
            "price": a * 3 + 1.5,
        }
    )


@pytest.mark.parametrize("to", ["libsvm", "npz"])
@pytest.mark.parametrize("target", ["kind", "price", "n"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_to_numbers(tmp_path, monkeypatch, ending, target, to):
    """In blocks, with the rows of a table that has no gaps and no long text: the same as in one piece."""
    path, one, two = tmp_path / f"t.{ending}", tmp_path / f"one.{to}", tmp_path / f"two.{to}"
    frame = numbers_table().with_columns(pl.when(pl.int_range(900) % 100 > 0).then(pl.col(target)).alias(target))
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    whole = convert(str(path), str(one), target)
    in_blocks(monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(conversion, "_whole", None)  # not asked for
        parts = convert(str(path), str(two), target)
    assert (parts.rows, parts.columns, parts.classes) == (whole.rows, whole.columns, whole.classes)
    assert parts.rows == 891 and set(parts.notes) == set(whole.notes)
    if to == "libsvm":
        assert one.read_bytes() == two.read_bytes()
    else:
        first, second = np.load(one), np.load(two)
        for key in ("X", "y"):
            assert first[key].dtype == second[key].dtype and (first[key] == second[key]).all()


@pytest.mark.parametrize("column", ["gap", "name", "words"])
def test_what_only_all_rows_tell_is_converted_in_one_piece(tmp_path, monkeypatch, column):
    frame = numbers_table().with_columns(
        gap=pl.when(pl.int_range(900) % 7 > 0).then(pl.col("a")),
        name=pl.format("n{}", pl.int_range(900) % 450),
        words=pl.format("some words {} of {}", pl.int_range(900), pl.col("n")),
    )
    frame.select("a", column, "kind").write_csv(tmp_path / "t.csv")
    convert(str(tmp_path / "t.csv"), str(tmp_path / "one.libsvm"), "kind")
    in_blocks(monkeypatch)
    convert(str(tmp_path / "t.csv"), str(tmp_path / "two.libsvm"), "kind")
    assert (tmp_path / "one.libsvm").read_bytes() == (tmp_path / "two.libsvm").read_bytes()


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
@pytest.mark.parametrize("to", ["jsonl", "parquet"])
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
