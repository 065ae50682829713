"""What `predict` and `convert` write is read by the same people as what they were given."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.sources import ReadOptions
from rosenblatt.verbs import blocks, convert, predict, train

GERMAN = "\ufeffName;Umsatz;Anteil;Code;Art\r\n" + "".join(
    f"Nr {n};{1 + n % 4} {100 + n},{n % 10}0;{'NA' if n == 3 else f'0,{n}'};0{100 + n};{['nein', 'ja'][n % 2]}\r\n"
    for n in range(40)
)


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """A file as spreadsheets write it in Germany, and a model of it."""
    folder = tmp_path_factory.mktemp("german")
    (folder / "sales.csv").write_bytes(GERMAN.encode())
    train(str(folder / "sales.csv"), "Art", learner="logistic", out=str(folder / "m.safetensors"))
    return folder


@pytest.mark.parametrize("in_blocks", [False, True])
def test_predict_adds_to_every_line_and_changes_none(german, tmp_path, monkeypatch, in_blocks):
    if in_blocks:
        monkeypatch.setattr(blocks, "WHOLE_BYTES", 0)
        monkeypatch.setattr(blocks.Blocks, "_rows_of_a_block", lambda self: 7)
    out = tmp_path / "answered.csv"
    predict(str(german / "m.safetensors"), str(german / "sales.csv"), out=str(out), probabilities=True)
    answered = out.read_bytes().decode().split("\r\n")
    given = GERMAN.split("\r\n")
    assert len(answered) == len(given)
    for before, after in zip(given[:-1], answered[:-1], strict=True):
        assert after.startswith(before + ";")
    added = answered[5].split(";")[-2:]
    assert all("," in cell and "." not in cell for cell in added)
    assert sum(float(cell.replace(",", ".")) for cell in added) == pytest.approx(1.0)


def test_convert_leaves_cells_as_they_stand(german, tmp_path):
    convert(str(german / "sales.csv"), str(tmp_path / "same.csv"))
    assert (tmp_path / "same.csv").read_bytes() == (german / "sales.csv").read_bytes()
    convert(str(german / "sales.csv"), str(tmp_path / "tabs.tsv"))
    assert (tmp_path / "tabs.tsv").read_bytes().decode() == GERMAN.replace(";", "\t")
    convert(str(tmp_path / "tabs.tsv"), str(tmp_path / "back.csv"))  # no tabs in .csv, and commas are taken
    assert (tmp_path / "back.csv").read_bytes() == (german / "sales.csv").read_bytes()


def test_other_formats_have_numbers_where_they_are_read_and_text_as_it_stands(german, tmp_path):
    convert(str(german / "sales.csv"), str(tmp_path / "rows.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert rows[2] == {"Name": "Nr 2", "Umsatz": "3 102,20", "Anteil": 0.2, "Code": "0102", "Art": "nein"}
    assert rows[3]["Anteil"] is None
    table = predict(str(german / "m.safetensors"), str(german / "sales.csv")).table
    assert table is not None and table["Umsatz"][2] == "3 102,20" and table["Anteil"][2] == 0.2


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ('a\tb\n1.50\t5" disk\n2\tx\n', 'a\tb\n1.50\t5" disk\n2\tx\n'),  # quotes that enclose nothing
        ("a,b\n1.0,x\n\n\nNA,?\n\n,\n", "a,b\n1.0,x\nNA,?\n,\n"),  # only empty lines go
        ("# a remark\na|b\n1e3|x,y\n", "a|b\n1e3|x,y\n"),
        ('a,b\n"1,5","x\n\ny"\n"2,25",z\n', 'a,b\n"1,5","x\n\ny"\n"2,25",z\n'),
        ("  x   y\n1.50 2,5\n  2   3\n", "x y\n1.50 2,5\n2 3\n"),
        ("when,ok\n2024-01-02 03:04:05,TRUE\n2024-01-02 03:04,False\n", None),
    ],
)
def test_every_kind_of_text_table_to_standard_output(tmp_path, capfdbinary, given, wanted):
    (tmp_path / "table.txt").write_bytes(given.encode())
    convert(str(tmp_path / "table.txt"), "-")
    assert capfdbinary.readouterr().out.decode() == (given if wanted is None else wanted)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00\ufeff", exclude_categories=["Cs"]), max_size=6)


@settings(deadline=None, max_examples=60)
@given(
    separator=st.sampled_from(",;|"),
    rows=st.lists(st.tuples(st.integers(0, 99).map(str), cells, cells), min_size=2, max_size=8),
)
def test_law_cells_of_any_text_come_out_as_they_went_in(tmp_path_factory, separator, rows):
    folder = tmp_path_factory.mktemp("law")
    with (folder / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL).writerows([("n", "p", "q"), *rows])
    convert(
        str(folder / "in.csv"), str(folder / "out.csv"), reading_options=ReadOptions(header=True, separator=separator)
    )
    text = (folder / "out.csv").read_bytes().decode("utf-8")
    found = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    assert found == [["n", "p", "q"], *map(list, rows)]


def test_files_that_write_numbers_in_two_ways_are_written_in_one(tmp_path):
    (tmp_path / "a.csv").write_text("x;k\n1,5;a\n2,5;b\n")
    (tmp_path / "b.csv").write_text("x;k\n3.5;a\n4.25;b\n")
    convert(str(tmp_path / "*.csv"), str(tmp_path / "both.tsv"))
    assert (tmp_path / "both.tsv").read_text() == "x\tk\n1,5\ta\n2,5\tb\n3,5\ta\n4,25\tb\n"
