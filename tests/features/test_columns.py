"""ColumnEncoder: what columns become, whole and in batches, and back from its state with the same bits."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import ColumnEncoder
from rosenblatt.features import column_figures
from rosenblatt.features.column import Column
from rosenblatt.features.words import WordColumns, _normalised, document_frequencies, vocabulary_of

TABLE = pl.DataFrame(
    {
        "age": [20.0, 30.0, 40.0, None] * 10,
        "city": ["Rome", "Oslo", "Rome", "Bonn"] * 10,
        "smokes": ["no", "yes", "no", "no"] * 10,
        "when": pl.Series(["2024-01-01", "2024-01-02", "2024-01-05", "2024-03-01"] * 10).str.to_date(),
        "same": [7] * 40,
        "void": [None] * 40,
        "key": [f"k{i:03d}" for i in range(40)],
        "row": list(range(40)),
        "note": [f"this is the note number {i} of many" for i in range(40)],
    }
)


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def test_kinds_and_names():
    encoder = ColumnEncoder(scale=None).fit(TABLE)
    kinds = {column.name: column.kind for column in encoder.columns_}
    assert kinds == {
        "age": "number", "city": "category", "smokes": "boolean", "when": "number", "same": "dropped",
        "void": "dropped", "key": "dropped", "row": "dropped", "note": "text",
    }  # fmt: skip
    assert encoder.dropped_["same"] == "it is constant" and "missing" in encoder.dropped_["void"]
    names = encoder.get_feature_names_out().tolist()
    assert names[:6] == ["age", "city=Bonn", "city=Oslo", "city=Rome", "smokes=yes", "when"]
    assert {"note: this", "note: many"} <= set(names)
    X = dense(encoder.transform(TABLE))
    assert X.shape == (40, len(names)) and X[0, :6].tolist() == [20.0, 0.0, 0.0, 1.0, 0.0, 19723.0]
    assert X[3, 0] == 30.0  # the median


def test_scaling_is_the_usual_one():
    X = dense(ColumnEncoder().fit_transform(TABLE.select("age", "when")))
    assert np.allclose(X[:, 1].mean(), 0.0) and np.allclose(X[:, 1].std(), 1.0)
    encoder = ColumnEncoder().fit(TABLE)
    factors, shifts = encoder.scaling_
    plain = dense(ColumnEncoder(scale=None).fit(TABLE).transform(TABLE))
    assert np.allclose(dense(encoder.transform(TABLE)), plain * factors + shifts)


def test_mostly_zero_numbers_keep_their_zeros():
    encoder = ColumnEncoder().fit({"x": [0.0, 0.0, 0.0, 5.0]})
    assert encoder.transform({"x": [0.0, 5.0]})[0, 0] == 0.0 and encoder.columns_[0].shift == 0.0


@pytest.mark.parametrize("missing", ["median", "indicator"])
@pytest.mark.parametrize("sparse", [True, False])
def test_batches_are_like_the_whole(missing, sparse):
    whole = ColumnEncoder(text="tfidf", missing=missing, sparse=sparse).fit(TABLE)
    cut = [TABLE[:25], TABLE[25:]]
    parts = ColumnEncoder(text="tfidf", missing=missing, sparse=sparse).fit_batches(cut)
    assert parts.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert np.allclose(dense(parts.transform(TABLE)), dense(whole.transform(TABLE)))
    pieces = np.concatenate([dense(whole.transform(part)) for part in cut])
    assert np.array_equal(pieces, dense(whole.transform(TABLE)))


def test_missing_values():
    with pytest.raises(ValueError, match=r"'age' lacks 10 of 40 values, the first in row 4"):
        ColumnEncoder(missing="error").fit(TABLE)
    encoder = ColumnEncoder(missing="indicator", scale=None).fit(TABLE.select("age", "city"))
    assert encoder.get_feature_names_out().tolist() == ["age", "age is missing", "city=Bonn", "city=Oslo", "city=Rome"]
    assert encoder.transform(TABLE)[3].tolist() == [30.0, 1.0, 1.0, 0.0, 0.0]
    strict = ColumnEncoder(missing="error", scale=None).fit({"x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="'x' lacks a value in row 2"):
        strict.transform({"x": [1.0, float("nan")]})


def test_columns_at_transform_time():
    encoder = ColumnEncoder().fit(TABLE)
    X = dense(encoder.transform(TABLE))
    other = TABLE.select(reversed(TABLE.columns)).with_columns(pl.lit(1).alias("more"))
    assert np.array_equal(dense(encoder.transform(other)), X)
    with pytest.raises(ValueError, match="lacks the columns 'age', 'city'"):
        encoder.transform(TABLE.drop("age", "city"))
    encoder.transform(TABLE.with_columns(pl.lit("Lima").alias("city")))
    assert encoder.unknown_counts_ == {"city": 40}


def test_pandas_gives_the_same():
    frame = pd.DataFrame({name: TABLE[name].to_list() for name in TABLE.columns})
    frame["when"] = pd.to_datetime(frame["when"])
    assert np.array_equal(dense(ColumnEncoder().fit_transform(frame)), dense(ColumnEncoder().fit_transform(TABLE)))


@pytest.mark.parametrize("options", [{}, {"text": "hashed"}, {"missing": "indicator", "dtype": "float32"}])
def test_the_state_gives_the_same_bits(options):
    encoder = ColumnEncoder(**options).fit(TABLE)
    again = ColumnEncoder.from_state(encoder.to_state())
    ours, theirs = encoder.transform(TABLE), again.transform(TABLE)
    assert type(ours) is type(theirs) and ours.dtype == theirs.dtype
    assert np.array_equal(dense(ours), dense(theirs))
    assert again.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()


def test_a_damaged_state_is_refused():
    encoder = ColumnEncoder().fit(TABLE)
    state = encoder.to_state()
    columns, words = state["fitted"]["columns_"], encoder.columns_[8].words.to_state()
    number, category = (columns[k].to_state() for k in (0, 1))
    for change in ({"kind": "code"}, {"width": 17}, {"categories": ["Oslo"] * 3}, {"median": "3"}):
        with pytest.raises(ValueError, match=r"[Cc]olumn"):
            Column.from_state(category | change)
    with pytest.raises(ValueError, match="median is invalid"):
        Column.from_state(number | {"median": np.nan})
    for change in ({"vocabulary": words["vocabulary"][:-1]}, {"weights": None}, {"n_slots": 4}):
        with pytest.raises(ValueError, match=r"text|invalid"):
            WordColumns.from_state(words | change)
    for change in ({"columns_": [*columns, columns[0]]}, {"columns_": []}, {"dtype_": np.dtype(object)}):
        with pytest.raises(ValueError, match="ColumnEncoder"):
            ColumnEncoder.from_state(state | {"fitted": state["fitted"] | change})
    with pytest.raises(ValueError, match="unknown parameter"):
        ColumnEncoder.from_state(state | {"parameters": state["parameters"] | {"extra": 1}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "vector"}, "text must be one of"),
        ({"missing": None}, "missing must be one of"),
        ({"scale": "min"}, "scale must be one of"),
        ({"max_categories": 0}, "max_categories must be a whole number"),
        ({"dtype": "int8"}, "dtype must be None, float32 or float64"),
        ({"kinds": {"nobody": "text"}}, "'nobody', which the table does not have"),
        ({"kinds": {"age": "text"}}, "'age' holds no text"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        ColumnEncoder(**options).fit(TABLE)


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match="'x' has an infinite number in row 2"):
        ColumnEncoder().fit({"x": [1.0, float("inf"), 2.0]})
    encoder = ColumnEncoder().fit({"x": [1.0, 2.0]})
    with pytest.raises(ValueError, match="'x' has an infinite number in row 1"):
        encoder.transform({"x": [float("-inf")]})


@parametrize_with_checks([ColumnEncoder()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_what_people_have_in_columns():
    n = 60
    frame = pl.DataFrame(
        {
            "price": [f"{i % 7 + 1},{i % 10}00.5" for i in range(n)],
            "wide": [f"w{i % 40}" for i in range(n)],
            "customer_id": [i * 17 % 61 for i in range(n)],
            "on": [True, None] * (n // 2),
            "unique words": [f"{a} {b} at the place number {i}" for i, (a, b) in enumerate([("red", "car")] * n)],
            "nan": [float("nan"), 1.0, 2.0] * (n // 3),
        }
    )
    encoder = ColumnEncoder(max_categories=30, scale=None).fit(frame)
    kinds = {column.name: column.kind for column in encoder.columns_}
    assert kinds == {
        "price": "number", "wide": "hashed", "customer_id": "dropped", "on": "boolean", "unique words": "text",
        "nan": "number",
    }  # fmt: skip
    assert any("thousands" in note for note in encoder.notes_) and any("'nan'" in note for note in encoder.notes_)
    X = dense(encoder.transform(frame))
    assert X[0, 0] == 1000.5 and X[0, -1] == 1.5
    with pytest.raises(ValueError, match="'price' holds numbers, but row 1 has 'dear'"):
        encoder.transform(frame.with_columns(pl.lit("dear").alias("price")))


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="every column is left out"):
        ColumnEncoder().fit({"a": [1, 1, 1], "b": [None, None, None]})
    with pytest.raises(ValueError, match=r"shape=\(0, 1\)"):
        ColumnEncoder().fit({"a": []})


@pytest.mark.parametrize("strange", ["unknown", "-", "1.\x005"])
def test_a_column_of_numbers_may_have_a_few_other_cells(strange):
    random = np.random.default_rng(0)
    numbers = random.normal(size=300)
    cells = [f"{number:.6f}" for number in numbers]
    cells[8] = strange
    encoder = ColumnEncoder().fit(pl.DataFrame({"a": cells, "b": numbers}))
    assert encoder.columns_[0].kind == "number" and encoder.columns_[0].missing == 1
    assert any("1 value is no number" in note and repr(strange) in note for note in encoder.notes_)
    others = np.delete(numbers, 8)
    assert encoder.columns_[0].median == pytest.approx(np.median(others), abs=1e-6)
    found = encoder.transform({"a": ["0.25", strange, None], "b": [0.0, 0.0, 0.0]})[:, 0]
    expected = (np.array([0.25, np.median(others), np.median(others)]) - others.mean()) / others.std()
    assert found == pytest.approx(expected, abs=1e-5)
    assert encoder.unknown_counts_ == {"a": 1}
    flagged = ColumnEncoder(missing="indicator").fit({"a": cells})
    assert flagged.transform({"a": ["1", strange]})[:, 1].tolist() == [0.0, 1.0]
    with pytest.raises(ValueError, match=r"'a' holds numbers, but row 9 has "):
        ColumnEncoder(missing="error").fit({"a": cells})
    cut = ColumnEncoder().fit_batches([{"a": cells[:5]}, {"a": cells[5:]}])
    assert cut.columns_[0].kind == "number" and cut.columns_[0].factor == pytest.approx(encoder.columns_[0].factor)


def test_cells_that_are_no_numbers_when_a_model_is_used():
    """A few count as missing; many are a mistake."""
    encoder = ColumnEncoder(scale=None).fit({"a": [1.0, 2.0, 4.0]})
    cells = ["5.0"] * 39 + ["none at all"]
    assert encoder.transform({"a": cells})[-2:, 0].tolist() == [5.0, 2.0]
    with pytest.raises(ValueError, match="holds numbers, but row 2 has 'x'"):
        encoder.transform({"a": ["1", "x"]})
    with pytest.raises(ValueError, match="row 40 has 'none at all'"):
        ColumnEncoder(missing="error").fit({"a": [1.0, 2.0]}).transform({"a": cells})


def test_text_that_is_no_column_of_numbers():
    codes = [f"0{i:04d}" for i in range(300)] + ["unknown"]
    half = [str(i) if i % 2 else f"n{i}" for i in range(301)]
    few = [str(i % 3) for i in range(301)]
    encoder = ColumnEncoder().fit({"codes": codes, "half": half, "few": few})
    assert [column.kind for column in encoder.columns_] == ["dropped", "dropped", "category"]


def test_numbers_with_commas_are_scaled_too():
    cells = [f"{i + 1},{i:03d}" for i in range(100)]
    values = np.array([float(cell.replace(",", "")) for cell in cells])
    found = ColumnEncoder().fit_transform({"a": [*cells, "?"]})[:100, 0]
    assert found == pytest.approx((values - values.mean()) / values.std())


def test_numbers_whose_squares_are_infinite_are_refused():
    numbers = [*range(50), 1e308, -1e308]
    with pytest.raises(ValueError, match=r"'a' has 1e\+308 in row 51, too large"):
        ColumnEncoder().fit({"a": numbers})
    with pytest.raises(ValueError, match="in row 52"):
        ColumnEncoder().fit_batches([{"a": numbers[:50]}, {"a": [1.0, -1e308]}])
    large = ColumnEncoder().fit_transform({"a": [*range(50), 1e149, -1e149]})
    assert np.isfinite(large).all() and large.std() == pytest.approx(1.0)


def test_one_word_among_many_numbers_stands_for_a_missing_value():
    numbers = [f"{n / 7:.3f}" for n in range(60)]
    words = ["-" if n % 4 == 0 else number for n, number in enumerate(numbers)]
    encoder = ColumnEncoder().fit({"a": words})
    assert encoder.columns_[0].kind == "number" and encoder.columns_[0].missing == 15
    assert encoder.columns_[0].median == np.median([float(word) for word in words if word != "-"])
    assert encoder.transform({"a": ["-"] * 3}).tolist() == encoder.transform({"a": [None] * 3}).tolist()
    batches = ColumnEncoder().fit_batches([{"a": words[:30]}, {"a": words[30:]}])
    assert batches.columns_[0].kind == "number" and batches.columns_[0].missing == 15
    many = [f"word {n}" if n % 4 == 0 else number for n, number in enumerate(numbers)]
    assert ColumnEncoder().fit({"a": many, "b": np.sin(range(60))}).columns_[0].kind != "number"
    floors = ["ground" if n % 4 == 0 else str(n % 4) for n in range(60)]
    assert ColumnEncoder().fit({"a": floors}).columns_[0].kind == "category"


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$1,234.50", "$7", "-$3.25"], [1234.5, 7, -3.25]),
        (["5%", "12.5 %", "0.25%"], [5, 12.5, 0.25]),
        (["3 €", "1,000 €", "€ 2.5"], [3, 1000, 2.5]),
    ],
)
def test_numbers_with_their_signs(cells, numbers):
    many = cells * 40
    encoder = ColumnEncoder(scale=None).fit({"a": many})
    assert encoder.transform({"a": many})[:3, 0].tolist() == numbers
    again = ColumnEncoder.from_state(encoder.to_state())
    assert again.transform({"a": cells})[:, 0].tolist() == numbers


def test_row_numbers_are_known_although_some_rows_are_kept_aside():
    random = np.random.default_rng(0)
    kept = np.sort(random.choice(500, 400, replace=False))
    table = {"row": kept, "x": random.normal(size=400), "year": 1900 + kept // 5, "shuffled": random.permutation(kept)}
    kinds = {column.name: column.kind for column in ColumnEncoder().fit(table).columns_}
    assert kinds == {"row": "dropped", "x": "number", "year": "number", "shuffled": "number"}
    halves = [{name: values[part] for name, values in table.items()} for part in (slice(0, 150), slice(150, 400))]
    assert ColumnEncoder().fit_batches(halves).columns_[0].kind == "dropped"
    assert ColumnEncoder().fit({"far": np.arange(50) * 10}).columns_[0].kind == "number"


def test_columns_of_tiny_numbers_are_scaled_alike():
    values = np.linspace(1.0, 4.0, 30)
    usual = ColumnEncoder().fit_transform(pl.DataFrame({"x": values}))
    for unit in (1e-139, 1e-145, 1e-170, 1e-300):
        encoded = ColumnEncoder().fit_transform(pl.DataFrame({"x": values * unit}))
        ratio = encoded / usual
        assert np.isfinite(encoded).all() and ratio[0, 0] == pytest.approx(ratio[-1, 0])
        assert 0.5 < ratio[0, 0] <= 1.0 + 1e-9
    below = ColumnEncoder().fit_transform(pl.DataFrame({"x": np.array([0.0, 1, 2, 3] * 5) * 5e-324}))
    assert np.isfinite(below).all()


ISO = ["2024-12-31", "2025-01-02", "2025-01-01", "2025-01-05"] * 10


@pytest.mark.parametrize(
    "written",
    [
        ISO,
        [f"{day[8:]}.{day[5:7]}.{day[:4]}" for day in ISO],
        [f"{int(day[8:])}.{int(day[5:7])}.{day[:4]} 00:00" for day in ISO],
        [f"{day}T00:00:00Z" for day in ISO],
    ],
)
def test_dates_in_text_are_dates(written):
    """As JSON has them, and as Germans write them: the same numbers as those of a column of dates."""
    expected = ColumnEncoder(scale=None).fit_transform(pl.DataFrame({"day": map(date.fromisoformat, ISO)}))
    encoder = ColumnEncoder(scale=None)
    assert encoder.fit_transform({"day": written}).tolist() == expected.tolist()
    assert "days since 1970-01-01" in encoder.columns_[0].why
    streamed = ColumnEncoder(scale=None).fit_batches([{"day": written[:20]}, {"day": written[20:]}])
    assert streamed.transform({"day": written}).tolist() == expected.tolist()
    dates = ColumnEncoder(scale=None).fit(pl.DataFrame({"day": map(date.fromisoformat, ISO)}))
    assert dates.transform({"day": written}).tolist() == expected.tolist()  # a model meets the other way to write them


def test_a_word_among_dates_is_missing_and_dates_that_are_not_sure_are_no_numbers():
    encoder = ColumnEncoder(scale=None).fit({"day": [*ISO, "soon"], "other": ["12/11/2024", "01/02/2025"] * 20 + [""]})
    assert encoder.columns_[0].why.endswith("1 value is no date ('soon') and counts as missing")
    assert encoder.columns_[1].kind == "category"
    impossible = ColumnEncoder(scale=None).fit({"day": ["31.02.2024", "32.12.2024"] * 20})
    assert impossible.columns_[0].kind != "number"


def test_what_is_said_of_dates():
    for cells in ([*ISO, None, "soon"], pl.Series([*ISO, None]).str.to_date()):
        encoder = ColumnEncoder().fit({"day": cells, "n": range(len(cells))})
        assert encoder.notes_[0].startswith("The column 'day' is taken as date: in days since 1970-01-01")
        assert "filled with the median, 2025-01-01 12:00." in encoder.notes_[1]
        assert encoder.columns_[0].unit == "day" and encoder.columns_[1].unit == ""
    with pytest.raises(ValueError, match="'day' holds dates, but row 2 has 'x'; write it as 2024-12-31"):
        encoder.transform({"day": ["2024-12-31", "x"], "n": [1, 2]})
    with pytest.raises(ValueError, match=r"'day' holds dates, but row 41 has 'soon'"):
        ColumnEncoder(missing="error").fit({"day": [*ISO, "soon"]})


def test_dates_with_slashes_are_read_where_a_day_tells_their_order():
    american = [f"{day[5:7]}/{day[8:]}/{day[:4]}" for day in ISO]
    british = [f"{day[8:]}/{day[5:7]}/{day[:4]}" for day in ISO]
    expected = ColumnEncoder(scale=None).fit_transform(pl.DataFrame({"day": map(date.fromisoformat, ISO)}))
    for written, order in ((american, "month/day/year"), (british, "day/month/year")):
        encoder = ColumnEncoder(scale=None)
        assert encoder.fit_transform({"day": written}).tolist() == expected.tolist()
        assert order in encoder.columns_[0].why
        again = ColumnEncoder.from_state(encoder.to_state())
        assert again.transform({"day": written}).tolist() == expected.tolist()


def test_filled_values_of_every_kind_are_reported():
    encoder = ColumnEncoder().fit({"b": ["yes", "no", "no", None] * 9, "c": ["x", "y", "z", None] * 9})
    assert encoder.notes_ == [
        "9 missing values of 'b' are filled with 'no', the more frequent value.",
        "9 missing values of 'c' are in none of its categories.",
    ]


def test_dates_of_two_forms():
    american = [f"{day[5:7]}/{day[8:]}/{day[:4]}" for day in ISO]
    mixed = ColumnEncoder().fit({"day": [*ISO, american[0]]})
    assert "1 value is no date ('12/31/2024') and counts as missing" in mixed.notes_[0]


def test_the_median_of_a_table_in_one_piece_is_exact(monkeypatch):
    monkeypatch.setattr(column_figures, "SAMPLE", 10)
    assert "filled with the median, 19.5." in ColumnEncoder().fit({"a": [*map(float, range(40)), None]}).notes_[0]


def test_numbers_with_spaces_between_thousands():
    numbers = [1234, 56789, 7, 1234567] * 10 + list(range(1000, 1060))
    written = [f"{number:,}".replace(",", " " if k % 2 else "\u00a0") for k, number in enumerate(numbers)]
    encoder = ColumnEncoder(scale=None)
    assert encoder.fit_transform({"n": written}).ravel().tolist() == numbers
    assert "with spaces between thousands" in encoder.columns_[0].why
    assert encoder.transform({"n": ["2 500", "12"]}).ravel().tolist() == [2500.0, 12.0]
    codes = ColumnEncoder().fit({"zip": [f"{n:03d} {n % 50:02d}" for n in range(100, 150)] * 2})
    assert codes.columns_[0].kind != "number"


def test_commas_between_thousands_that_come_late():
    """Sorted numbers: the first of them have no commas."""
    numbers = np.arange(50_000) // 45
    encoder = ColumnEncoder(scale=None).fit({"a": [f"{number:,}" for number in numbers]})
    assert encoder.columns_[0].kind == "number" and encoder.columns_[0].missing == 0
    assert encoder.transform({"a": ["7", "1,110"]})[:, 0].tolist() == [7, 1110]


def test_words_are_weighted_by_hand():
    """1 + log(count), times 1 + log((1 + texts)/(1 + texts with the word)), and every text of length 1."""
    texts = pl.Series(["red red blue", "red green", "green blue blue blue", "red"])
    words = vocabulary_of(document_frequencies(texts), 4, 10)
    assert words.vocabulary == ["blue", "green", "red"]
    blue = green = 1 + np.log(5 / 3)
    red = 1 + np.log(5 / 4)
    expected = np.array([
        [blue, 0, (1 + np.log(2)) * red], [0, green, red], [(1 + np.log(3)) * blue, green, 0], [0, 0, red],
    ])  # fmt: skip
    found = np.zeros((4, 3))
    rows, columns, values = words.transform(texts)
    found[rows, columns] = values
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-12)


def test_words_that_share_a_column_are_added_up_in_the_same_order_always():
    random = np.random.default_rng(0)
    rows, columns, values = random.integers(0, 3, 200), random.integers(0, 4, 200), random.normal(size=200)
    first = _normalised(rows, columns, values, 4)
    for _ in range(5):
        order = random.permutation(200)
        for one, other in zip(first, _normalised(rows[order], columns[order], values[order], 4), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": [10**400, 1]}, "'a' has an infinite number in row 1"),
        (pd.DataFrame({"a": [1, 10**400]}), "'a' has an infinite number in row 2"),
        (pd.DataFrame({"a": [1j, 2]}), "not 'complex': a cell must be a number, .* the column 'a' holds others; con"),
        (pd.DataFrame({"a": [b"x", b"y"]}), "not 'bytes': a cell must be a number"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=3, freq="M")}), "not 'Period': a cell must be"),
        ([[1, 2], [3]], "The rows of a table must have one length"),
        (
            {"a": [1, 2], "b": [1, 2, 3]},
            "The columns of a table must have one length and different names",
        ),
    ],
)
def test_cells_that_no_table_can_hold(table, words):
    with pytest.raises((ValueError, TypeError), match=words):
        ColumnEncoder().fit(table)


def test_wide_floats_durations_and_large_whole_numbers_are_numbers():
    wide = np.arange(6, dtype=np.longdouble).reshape(3, 2)
    assert np.allclose(ColumnEncoder(scale=None).fit_transform(wide), wide.astype(np.float64))
    for unit in ("D", "s", "ns"):
        days = np.array([1, 2, 4], "m8[D]").astype(f"m8[{unit}]")
        table = {"a": days, "b": np.array(["2024-01-01", "2024-01-03", "2024-01-02"], "M8[s]")}
        assert ColumnEncoder(scale=None).fit_transform(table).tolist() == [[1, 19723], [2, 19725], [4, 19724]]
    assert ColumnEncoder(scale=None).fit_transform({"a": [10**40, 1, None]}).tolist() == [[1e40], [1], [5e39]]
