"""The compiled reader of text tables: the same rows as polars gives, or none."""

import math
import random
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rosenblatt.sources.source as source_module
from rosenblatt.sources import number_table, open_source
from rosenblatt.sources.dialect import MISSING, Dialect
from rosenblatt.sources.number_table import NumberTable

KINDS = {"number": pl.Float64, "whole": pl.Int64, "word": pl.String}


def read(tmp_path, text: str, kinds: dict, block_bytes: int = 2**10, separator: str = ",") -> tuple:
    """The frame that the compiled reader makes of lines without a header, and where it gave up."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    table = NumberTable(Dialect(separator, names=tuple(kinds)), kinds, MISSING)
    with path.open("rb") as file:
        frames = [cells.frame() for _, cells in table.blocks(file, 0, block_bytes=block_bytes)]
    return (pl.concat(frames) if frames else None), table.stopped


def numbers(tmp_path, cells: list[str]) -> list[float] | None:
    frame, stopped = read(tmp_path, "".join(f"{cell}\n" for cell in cells), {"a": pl.Float64})
    return None if stopped is not None else frame["a"].to_list()


@pytest.fixture(scope="module")
def tmp_path(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


FORMS = ("{!r}", "{:.3f}", "{:.12e}", "{:.17g}", "{:.6g}", "{:.1f}", "{:.15f}")


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(FORMS))
@example(0.1, "{!r}")
@example(-0.0, "{!r}")
@example(9007199254740993.0, "{:.1f}")
@settings(max_examples=400)
def test_a_number_is_what_float_makes_of_it_or_none(tmp_path, value, form):
    cell = form.format(value)
    found = numbers(tmp_path, [cell])
    if found is not None:
        assert math.copysign(1.0, found[0]) == math.copysign(1.0, float(cell)) and found[0] == float(cell)


@given(st.text("0123456789", min_size=1, max_size=22), st.text("0123456789", max_size=22), st.integers(-330, 330))
@settings(max_examples=150)
def test_digits_of_any_length(tmp_path, before, after, power):
    for cell in (before, f"{before}.{after}", f"-{before}.{after}e{power}", f"{before}E+{abs(power)}"):
        found = numbers(tmp_path, [cell])
        assert found is None or found == [float(cell)], cell
        significant = cell.lstrip("-").lower().split("e")[0].replace(".", "").lstrip("0")
        if re.fullmatch(r"-?\d+(\.\d+)?([eE].*)?", cell) and len(significant) <= 15:
            assert found is not None or not 1e-307 < abs(float(cell)) < 1e300


@pytest.mark.slow
def test_a_million_numbers(tmp_path):
    """Halfway cases and their neighbours are among them, where rounding is hardest."""
    draw = random.Random(0)
    bits = np.random.default_rng(0).integers(0, 2**63, 400_000, dtype=np.uint64).view(np.float64)
    cells = [repr(float(value)) for value in bits[np.isfinite(bits)]]
    cells += [f"{draw.uniform(-1000, 1000):.{draw.randrange(1, 18)}f}" for _ in range(300_000)]
    cells += [str((2 * draw.getrandbits(53) + 1) * 2 ** draw.randrange(0, 6)) for _ in range(300_000)]  # halfway
    found, kept = [], []
    for start in range(0, len(cells), 1000):
        some = cells[start : start + 1000]
        read_here = numbers(tmp_path, some)
        if read_here is None:  # one of them is left to others: look for those it reads alone
            continue
        found += read_here
        kept += some
    assert len(kept) > 250_000 and found == [float(cell) for cell in kept]


@pytest.mark.parametrize("block_bytes", [8, 64, 2**20])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("closed", [True, False])
def test_tables(tmp_path, block_bytes, ending, closed):
    rows = [(i / 7 - 3, i * 10**9 - 5, ["red", "grün", "blue and long enough to be stored"][i % 3]) for i in range(200)]
    lines = [f"{a!r},{b},{c}" for a, b, c in rows]
    frame, stopped = read(tmp_path, ending.join(lines) + (ending if closed else ""), KINDS, block_bytes)
    assert stopped is None and frame.rows() == rows and dict(frame.schema) == KINDS


def test_words_that_mean_missing(tmp_path):
    frame, _ = read(tmp_path, "".join(f"1.5,2,{word}\n" for word in ("NA", "", "no", "?")), KINDS)
    assert frame["word"].to_list() == [None, None, "no", None]


@pytest.mark.parametrize(
    "line",
    ["1,2", "1,2,a,b", ",2,a", "1,,a", "x,2,a", "1,2.0,a", '1,2,"a"', " 1,2,a", "+1,2,a", "1.,2,a", ".5,2,a", "nan,2,a",
     "inf,2,a", "1e,2,a", "1e999,2,a", "1,9223372036854775808,a", "1_0,2,a", "", "1;2;a", "1,2,\xff" ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_others(tmp_path, line):
    before = "1.5,2,a\n" * 50
    path = tmp_path / "t.csv"
    path.write_bytes((before + line + "\n" + before).encode("latin-1"))
    table = NumberTable(Dialect(names=tuple(KINDS)), KINDS, MISSING)
    with path.open("rb") as file:
        frames = list(table.blocks(file, 0, block_bytes=128))
    assert table.stopped is not None and table.stopped.offset <= len(before)
    assert sum(frame.height for _, frame in frames) == table.stopped.offset / 8


def test_too_many_words(tmp_path):
    words = "".join(f"1,2,w{i}\n" for i in range(number_table.MOST_WORDS + 1))
    assert read(tmp_path, words, KINDS, 2**20)[1] is not None
    assert read(tmp_path, words[: words.rindex("1,2")], KINDS, 2**20)[1] is None


CELLS = st.one_of(
    st.floats(-1e6, 1e6).map(repr), st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(["", "NA", "nan", "inf", "x", '"1"', "1e5", " 7"]),
)  # fmt: skip


@given(st.lists(st.tuples(CELLS, st.integers(0, 9).map(str), st.sampled_from("abc")), max_size=12), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_a_source_reads_the_same_with_it_and_without(tmp_path, odd, where):
    """Whatever comes after plain lines: the same rows, types, notes and complaints."""
    lines = [f"{i / 3},{i},{'abc'[i % 3]}" for i in range(1200)]
    lines[1100 + where : 1100 + where] = [",".join(row) for row in odd]
    path = tmp_path / "s.csv"
    path.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    told = []
    for least in (0, 2**60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(source_module, "COMPILED_BYTES", least)
            patch.setattr(number_table, "BLOCK_BYTES", 2**12)
            source = open_source(path)
            try:
                frame = source.read()
                told.append((dict(frame.schema), frame.rows(), source.notes))
            except ValueError as error:
                told.append(str(error))
    assert repr(told[0]) == repr(told[1])  # nan is not itself


def test_blocks_in_any_order(tmp_path, monkeypatch):
    path = tmp_path / "p.csv"
    path.write_text("a,b\n" + "".join(f"{i / 3},{i}\n" for i in range(5000)))
    monkeypatch.setattr(source_module, "COMPILED_BYTES", 0)
    monkeypatch.setattr(source_module, "STREAMED_BYTES", 2**12)
    source = open_source(path)
    first = dict(source.placed_blocks(0))
    again = list(source.placed_blocks(1))
    assert [place for place, _ in again] != list(first) and len(first) > 10
    assert all(frame.equals(first[place]) for place, frame in again) and len(again) == len(first)
    assert pl.concat(first.values())["b"].to_list() == list(range(5000))
