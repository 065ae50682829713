"""A large file is answered block by block: the same answers and the same bytes as in one piece, in bounded memory."""

import gzip
import io
import math
import os
import sys

import numpy as np
import polars
import pytest
from peak_memory import peak_within

from rosenblatt.sources import delimited
from rosenblatt.verbs import blocks, predict, train
from rosenblatt.verbs.errors import InputError

ROWS = 3000


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    age, height = random.integers(18, 80, ROWS), random.normal(170, 10, ROWS).round(2)
    city = random.choice(["Rome", "Oslo", "Lima"], ROWS)
    frame = polars.DataFrame({"age": age, "height": height, "city": city})
    noise = random.normal(0, 5, ROWS)
    return frame.with_columns(answer=polars.Series(np.where(age + (city == "Oslo") * 9 + noise > 50, "yes", "no")))


@pytest.fixture
def model(table, tmp_path):
    table.head(500).write_csv(tmp_path / "train.csv")
    path = str(tmp_path / "model.safetensors")
    train(str(tmp_path / "train.csv"), "answer", learner="logistic", out=path)
    return path


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_ROWS", 702)  # no multiple of what matrix products take at a time

    def cut(size=2**13):
        monkeypatch.setattr(blocks, "WHOLE_BYTES", 0)
        monkeypatch.setattr(delimited, "BLOCK_BYTES", size)

    return cut


def both_ways(small_blocks, model, data, folder, ending="csv", **options):
    whole, parts = folder / f"whole.{ending}", folder / f"parts.{ending}"
    first = predict(model, str(data), out=str(whole), **options)
    small_blocks()
    second = predict(model, str(data), out=str(parts), **options)
    assert first.rows == second.rows and first.counts == second.counts and sum(second.counts.values()) == second.rows
    return whole, parts, first, second


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz"])
def test_every_format_is_written_alike(ending, table, model, tmp_path, small_blocks):
    table.write_csv(tmp_path / "data.csv")
    whole, parts, *_ = both_ways(small_blocks, model, tmp_path / "data.csv", tmp_path, ending)
    if ending in ("csv", "tsv", "jsonl"):
        assert whole.read_bytes() == parts.read_bytes()
    from rosenblatt import open_source

    assert open_source(whole).read().equals(open_source(parts).read())


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_every_format_is_read_alike(ending, table, model, tmp_path, small_blocks):
    writers = {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet,
               "arrow": table.write_ipc}  # fmt: skip
    writers[ending](tmp_path / f"data.{ending}")
    whole, parts, *_ = both_ways(
        small_blocks, model, tmp_path / f"data.{ending}", tmp_path, scores=True, probabilities=True
    )
    assert whole.read_bytes() == parts.read_bytes() and polars.read_csv(whole).height == ROWS


@pytest.mark.parametrize(("ending", "classes", "files"), [("csv", 3, 3), ("npy", 2, 3)])
def test_scores_have_the_same_bits(ending, classes, files, tmp_path, small_blocks):
    """Of many columns, which matrix products add up in another order for another number of rows."""
    random = np.random.default_rng(2)
    X = random.normal(size=(ROWS, 200)).round(3)
    X[:, -1] = (X[:, :-1] @ random.normal(size=(199, classes))).argmax(axis=1)
    write = np.save if ending == "npy" else lambda path, rows: polars.DataFrame(rows).write_csv(path)
    longer = lambda: small_blocks(2**17)  # noqa: E731  of a hundred rows, not of six
    write(tmp_path / f"train.{ending}", X[:300])
    for part, rows in enumerate(np.array_split(X, files)):
        write(tmp_path / f"rows_{part}.{ending}", rows[:, :-1])
    model = str(tmp_path / "m.safetensors")
    train(str(tmp_path / f"train.{ending}"), "-1", learner="logistic", out=model)
    data = tmp_path / f"rows_*.{ending}"
    whole, parts, *_ = both_ways(longer, model, data, tmp_path, "parquet", only=True, scores=True, probabilities=True)
    one, other = polars.read_parquet(whole), polars.read_parquet(parts)
    assert one.height == ROWS and one.width == 1 + max(1, classes * (classes > 2)) + classes
    assert one.equals(other)


def test_types_that_the_last_lines_change(table, model, tmp_path, small_blocks):
    age = table["age"].cast(polars.String).to_list()
    age[-3:] = ["40.5", "unknown", ""]
    table.with_columns(age=polars.Series(age), more=polars.Series([*range(ROWS - 1), None])).write_csv(
        tmp_path / "late.csv"
    )
    whole, parts, first, second = both_ways(small_blocks, model, tmp_path / "late.csv", tmp_path)
    assert whole.read_bytes() == parts.read_bytes()
    told = "1 row has a value of 'age' that is no number and counts as missing."
    assert told in first.notes and told in second.notes
    assert any("'more'" in note or "more" in note for note in second.notes)


def test_words_among_numbers_are_refused_where_they_are_many(table, model, tmp_path, small_blocks):
    age = table["age"].cast(polars.String).to_list()
    age[1000:1030] = ["-"] * 30
    data = tmp_path / "words.csv"
    table.with_columns(age=polars.Series(age)).write_csv(data)
    whole, parts, *_ = both_ways(small_blocks, model, data, tmp_path)
    assert whole.read_bytes() == parts.read_bytes()
    age[1030:1300] = ["-"] * 270
    table.with_columns(age=polars.Series(age)).write_csv(data)
    with pytest.raises(InputError, match=r"line 1,002 has '-'"):
        predict(model, str(data), out=str(parts))


def test_matrices_and_several_files(tmp_path, small_blocks, monkeypatch):
    random = np.random.default_rng(1)
    lines = [f"{1 if a > 0 else -1} 1:{a:.3f} 3:{b:.3f}\n" for a, b in random.normal(size=(2000, 2))]
    (tmp_path / "one.libsvm").write_text("".join(lines[:900]))
    (tmp_path / "two.libsvm").write_text("".join(lines[900:]))
    model = str(tmp_path / "m.safetensors")
    train(str(tmp_path / "one.libsvm"), out=model)
    whole, parts, *_ = both_ways(small_blocks, model, tmp_path / "*.libsvm", tmp_path, only=True)
    assert whole.read_bytes() == parts.read_bytes() and whole.read_text().count("\n") == 2001


def test_a_fault_at_the_end_is_found_before_anything_is_written(table, model, tmp_path, small_blocks, monkeypatch):
    table.write_csv(tmp_path / "cut.csv")
    with (tmp_path / "cut.csv").open("a") as file:
        file.write("1,2\n")
    (tmp_path / "out.csv").write_text("old")
    small_blocks()
    printed = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(printed))
    for out in ("-", str(tmp_path / "out.csv")):
        with pytest.raises(InputError, match=f"Line {ROWS + 2} of .* has 2 columns instead of 4"):
            predict(model, str(tmp_path / "cut.csv"), out=out)
    assert printed.getvalue() == b"" and (tmp_path / "out.csv").read_text() == "old"
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def test_labels_that_are_no_classes_do_not_hinder_an_answer(table, model, tmp_path):
    table.with_columns(answer=polars.Series([f"no idea {n}" for n in range(ROWS)])).write_csv(tmp_path / "data.csv")
    assert predict(model, str(tmp_path / "data.csv"), only=True).rows == ROWS


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux gives it")
def test_memory_does_not_grow_with_the_file(model, table, tmp_path):
    """Four times the rows need less than a quarter more; held in memory, those that are added would double it."""
    text = table.write_csv(include_header=False).encode() * 40
    code = (
        "import resource, sys; from rosenblatt.verbs import predict; "
        "print(predict(sys.argv[1], sys.argv[2], out=sys.argv[3]).rows, "
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for times in (30, 120):  # 90 and 360 MB
        with gzip.open(tmp_path / "data.csv.gz", "wb", 1) as file:
            file.write(",".join(table.columns).encode() + b"\n")
            for _ in range(times):
                file.write(text)
        bound = 1.25 * peaks[0] if peaks else math.inf
        (rows,), peak = peak_within(bound, code, model, tmp_path / "data.csv.gz", tmp_path / "out.csv")
        assert rows == times * 40 * ROWS
        peaks.append(peak)
    assert peaks[1] < 1.25 * peaks[0], peaks
