"""Large columns of plain numbers: compiled passes beside plain numpy."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import ColumnEncoder
from rosenblatt.features import columns, number_columns, number_figures, number_rows
from rosenblatt.features.number_columns import figures, fill

numbers = st.integers(-1000, 1000) | st.just(0)  # zeros are counted
whole_numbers = st.lists(st.tuples(numbers, st.booleans()), min_size=1, max_size=200)


def in_pieces(values, cuts):
    """The same column in several chunks."""
    parts = np.split(np.asarray(values, np.float64), sorted(cut % (len(values) + 1) for cut in cuts))
    return pl.concat([pl.Series(part) for part in parts if len(part)], rechunk=False)


@given(whole_numbers, st.lists(st.integers(0, 200), max_size=4))
def test_figures_are_those_of_the_rows_that_count(rows, cuts):
    values, kept = np.array([value for value, _ in rows], float), np.array([counts for _, counts in rows])
    found, some = figures(in_pieces(values, cuts), kept), values[kept]
    if len(some) == 0:
        assert found is None
        return
    assert (found.count, found.low, found.high) == (len(some), some.min(), some.max())
    assert found.zeros == (some == 0).sum() and found.mean == some.sum() / len(some)
    assert found.squares == pytest.approx(((some - some.mean()) ** 2).sum(), rel=1e-12, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 500), max_size=4))
def test_sums_do_not_depend_on_pieces_nor_on_rows_that_do_not_count(seed, cuts):
    random = np.random.default_rng(seed)
    values, kept = random.normal(size=500) * 10.0 ** random.integers(-8, 8), random.random(500) < 0.7
    kept[0] = True
    alone = figures(pl.Series(values[kept]), np.ones(int(kept.sum()), bool))
    assert figures(in_pieces(values, cuts), kept) == alone


@pytest.mark.parametrize("wrong", [np.nan, (np.inf, -np.inf)])
def test_numbers_that_have_no_mean_are_left_to_who_looks_closer(wrong):
    values = np.ones(100)
    values[[3, 50]] = wrong
    assert figures(pl.Series(values), np.ones(100, bool)) is None


@pytest.mark.parametrize("huge", [1e160, 1e300, -1e308])
def test_huge_numbers_that_do_not_count_leave_no_trace(huge):
    values, kept = np.arange(100.0), np.ones(100, bool)
    values[40], kept[40] = huge, False
    assert figures(pl.Series(values), kept) == figures(pl.Series(np.delete(values, 40)), np.ones(99, bool))


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 9))
def test_rows_are_filled_with_the_bits_of_numpy(seed, height, width):
    random = np.random.default_rng(seed)
    table, kept = random.normal(size=(width, height)) * 1e3, random.random(height) < 0.6
    factors, shifts = random.normal(size=width), random.normal(size=width)
    learned = np.full((int(kept.sum()) + 1, width), 7, np.float32)  # one row more on either side, which must stay
    others = np.full((height - int(kept.sum()) + 1, width), 7, np.float32)
    assert fill(list(table), kept, factors, shifts, learned[:-1], others[:-1])
    expected = (table * factors[:, None] + shifts[:, None]).astype(np.float32).T
    np.testing.assert_array_equal(learned[:-1], expected[kept])
    np.testing.assert_array_equal(others[:-1], expected[~kept])
    assert (learned[-1] == 7).all() and (others[-1] == 7).all()


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 63, 64, 99])
def test_filling_tells_of_numbers_that_are_not_finite(strange, place):
    values = np.ones(100)
    values[place] = strange
    learned, others = np.empty((50, 1), np.float32), np.empty((50, 1), np.float32)
    kept = np.arange(100) % 2 == 0
    assert not fill([values], kept, np.ones(1), np.zeros(1), learned, others)


def test_names_are_the_same_in_both_halves():
    for name in ("COUNT", "TOTAL", "LOW", "HIGH", "ZEROS", "MEAN", "SQUARES"):
        assert getattr(number_figures, name) == getattr(number_columns, name)
    assert number_rows.BLOCK == number_columns.BLOCK


@pytest.mark.parametrize("missing", ["median", "indicator"])
@pytest.mark.parametrize("gap", [None, np.nan])
def test_parts_of_many_rows_are_what_fit_and_transform_give(monkeypatch, missing, gap):
    """Slices with whole numbers, with gaps and without, columns in pieces of any length, and one that is left out."""
    monkeypatch.setattr(columns, "MANY", 1000)
    monkeypatch.setattr(columns, "SLICE", 700)
    random = np.random.default_rng(1)
    n = 5_000
    gaps = [gap if i == 1234 else float(i % 29) for i in range(n)]
    frame = pl.DataFrame(random.normal(size=(n, 3)) * [1e-5, 1, 1e5], schema=list("abc")).with_columns(
        d=pl.Series(random.integers(0, 9, n)), e=pl.Series(gaps, dtype=pl.Float64, strict=False), f=pl.lit(3.0)
    )
    frame = pl.concat([frame[:1111], frame[1111:1200], frame[1200:]], rechunk=False)
    kept = random.random(n) < 0.7
    together = ColumnEncoder(dtype="float32", missing=missing)
    learned, others = together.fit_transform_parts(frame.clone(), kept, give_up=True)
    alone = ColumnEncoder(dtype="float32", missing=missing).fit(frame.filter(kept))
    assert together.to_state()[0] == alone.to_state()[0] and list(together.dropped_) == ["f"]
    np.testing.assert_array_equal(learned, alone.transform(frame.filter(kept)))
    np.testing.assert_array_equal(others, alone.transform(frame.filter(~kept)))


def test_few_rows_of_a_large_table_are_encoded_to_the_same_bits(monkeypatch):
    random = np.random.default_rng(2)
    frame = pl.DataFrame(random.normal(size=(3_000, 4)) * 50 + 7, schema=list("abcd"))
    encoder = ColumnEncoder(dtype="float32").fit(frame)
    plainly, calls = encoder.transform(frame), []
    monkeypatch.setattr(columns, "MANY", 2_000)
    monkeypatch.setattr(columns, "SLICE", 1_000)
    monkeypatch.setattr(columns, "ENOUGH", 4)
    monkeypatch.setattr(number_columns, "fill", lambda *given, do=fill: calls.append(1) or do(*given))
    np.testing.assert_array_equal(encoder.transform(frame), plainly)
    np.testing.assert_array_equal(encoder.transform(frame[:700]), plainly[:700])
    assert len(calls) == 4
    np.testing.assert_array_equal(encoder.transform(frame[:400]), plainly[:400])
    assert len(calls) == 4  # too few
    gaps = frame.with_columns(b=pl.when(pl.int_range(3_000) == 1_500).then(None).otherwise(pl.col("b")))
    expected = plainly.copy()
    expected[1_500, 1] = encoder.columns_[1].median * encoder.columns_[1].factor + encoder.columns_[1].shift
    np.testing.assert_array_equal(encoder.transform(gaps), expected)


def test_kept_machine_code_needs_no_compiler(tmp_path):
    """Once it is there, columns of numbers are encoded without numba."""
    script = (
        "import sys, numpy as np, polars as pl\n"
        "from rosenblatt.features import columns\n"
        "columns.MANY = 100\n"
        "frame = pl.DataFrame(np.random.default_rng(0).normal(size=(1000, 3)), schema=list('abc'))\n"
        "columns.ColumnEncoder(dtype='float32').fit_transform_parts(frame, np.arange(1000) % 3 > 0)\n"
        "print('numba' in sys.modules)\n"
    )
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""}
    said = [
        subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [done.stdout for done in said] == ["True\n", "False\n"]
