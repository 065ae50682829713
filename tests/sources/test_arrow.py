"""Arrow files are read batch by batch, with plain reads."""

import gzip
import io
import os

import numpy as np
import polars as pl
import pytest

from rosenblatt.sources import arrow, open_source


@pytest.fixture
def frame():
    n = 300_000
    return pl.DataFrame(
        {
            "a": np.random.default_rng(0).normal(size=n),
            "text": np.where(np.arange(n) % 3, "x", "a longer text than twelve bytes"),
            "gap": pl.Series(np.arange(n)).set(pl.Series(np.arange(n) % 5 == 0), None),
            "kind": pl.Series(np.where(np.arange(n) % 2, "p", "q")).cast(pl.Categorical),
            "day": pl.Series(np.arange(n) % 1000).cast(pl.Date),
        }
    )


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_batches_are_what_polars_reads(tmp_path, frame, compression):
    path = tmp_path / "t.arrow"
    frame.write_ipc(path, compression=compression)
    with path.open("rb") as file:
        batches = list(arrow.record_batches(file))
    assert len(batches) > 1
    assert pl.concat(batches).equals(pl.read_ipc(path))
    assert open_source(path).read().equals(pl.read_ipc(path))


def test_compressed_streams_and_tables_without_rows(tmp_path, frame):
    few = frame.head(10)
    file = io.BytesIO()
    few.write_ipc(file)
    (tmp_path / "t.arrow.gz").write_bytes(gzip.compress(file.getvalue()))
    assert open_source(tmp_path / "t.arrow.gz").read().equals(few)
    few.write_ipc_stream(tmp_path / "s.arrow")
    assert open_source(tmp_path / "s.arrow").read().equals(few)
    few.clear().write_ipc(tmp_path / "none.arrow")
    assert open_source(tmp_path / "none.arrow").columns == tuple(frame.columns)


def test_a_file_that_is_cut_while_it_is_read_is_refused(tmp_path, frame):
    path = tmp_path / "t.arrow"
    frame.write_ipc(path, compression="uncompressed")
    batches = open_source(path).batches(1000)
    assert next(batches).height == 1000
    os.truncate(path, 4096)
    with pytest.raises(ValueError, match=r"must stay as it is while it is read, but .* was cut"):
        list(batches)


@pytest.mark.parametrize("kept", [4, 12, 1000, 0.5, -1])
def test_a_file_that_was_cut_before_is_refused(tmp_path, frame, kept):
    frame.head(1000).write_ipc(tmp_path / "t.arrow")
    content = (tmp_path / "t.arrow").read_bytes()
    kept = int(kept * len(content)) if isinstance(kept, float) else kept
    (tmp_path / "t.arrow").write_bytes(content[:kept])
    with pytest.raises(ValueError, match=r"must be|must have"):
        open_source(tmp_path / "t.arrow", format="arrow").read()


def test_a_footer_that_makes_no_sense(tmp_path, frame):
    frame.head(1000).write_ipc(tmp_path / "t.arrow")
    content = bytearray((tmp_path / "t.arrow").read_bytes())
    for place in range(len(content) - 200, len(content) - 10, 7):
        damaged = content.copy()
        damaged[place] ^= 0xFF
        try:
            list(arrow.record_batches(io.BytesIO(damaged)))
        except (arrow.NotWholeError, pl.exceptions.PolarsError):
            continue


@pytest.mark.parametrize("stream", [False, True])
def test_a_damaged_file_is_told_in_one_sentence(tmp_path, stream):
    frame, file = pl.DataFrame({"a": range(40), "b": ["x", "y"] * 20}), io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(file)
    whole, path = file.getvalue(), tmp_path / "damaged.arrow"
    random = np.random.default_rng(0)
    said = []
    for _ in range(60):
        content = bytearray(whole)
        for at in random.integers(8, len(content), 20).tolist():
            content[at] = random.integers(256)
        path.write_bytes(content)
        try:
            open_source(path).read()  # where only numbers are damaged, nobody can know
        except ValueError as error:
            said.append(str(error))
    assert len(said) > 30
    for sentence in said:
        assert "damaged.arrow must be a whole Arrow file, but is damaged" in sentence
        assert sentence.endswith("; make it again.")
        assert "{" not in sentence and "spec" not in sentence


@pytest.mark.parametrize("ending", ["arrow", "stream.arrow", "parquet", "csv", "json"])
def test_a_table_without_rows(tmp_path, ending):
    path = tmp_path / f"none.{ending}"
    frame = pl.DataFrame({"a": [1.0], "b": ["x"]}).clear()
    write = {"arrow": frame.write_ipc, "stream.arrow": frame.write_ipc_stream, "parquet": frame.write_parquet}
    {**write, "csv": frame.write_csv, "json": frame.write_json}[ending](path)
    for way in ("read", "batches", "placed_blocks"):
        with pytest.raises(ValueError, match=rf"at least one row, but .*none\.{ending} has none"):
            list(getattr(open_source(path), way)())
