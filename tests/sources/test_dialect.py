"""What the first rows of a text table tell about it."""

import pytest

from rosenblatt.sources import open_source
from rosenblatt.sources.dialect import separator_of


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_a_quote_behind_a_byte_order_mark_begins_a_cell(tmp_path, separator):
    rows = [["age", "income", "answer"], *([str(k), str(k % 3), "yes" if k % 2 else "no"] for k in range(6))]
    text = "".join(separator.join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    path = tmp_path / "marked.csv"
    path.write_text(text, encoding="utf-8-sig")
    source = open_source(path)
    assert source.dialect().names == ("age", "income", "answer")
    assert source.dialect().quote == '"'
    assert source.read().rows() == [(k, k % 3, "yes" if k % 2 else "no") for k in range(6)]


def test_lines_are_counted_behind_a_byte_order_mark(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_text('"a\nb","c"\n1,2\n3,4\n', encoding="utf-8-sig")
    assert open_source(path).place_of(1) == "line 4"


def test_a_comment_or_an_attribute_may_follow_a_byte_order_mark(tmp_path):
    path = tmp_path / "marked.csv"
    path.write_text("# three rows\na,b\n1,2\n3,4\n5,6\n", encoding="utf-8-sig")
    assert open_source(path).read().rows() == [(1, 2), (3, 4), (5, 6)]
    path = tmp_path / "marked.arff"
    path.write_text("@attribute a real\n@attribute b real\n@data\n1,2\n", encoding="utf-8-sig")
    assert open_source(path).read().rows() == [(1.0, 2.0)]


@pytest.mark.parametrize("separator", [";", "|", "\t"])
def test_line_breaks_in_quotes_do_not_hide_the_separator(tmp_path, separator):
    notes = ["one two" if k % 3 == 0 else "one\ntwo" for k in range(20)]
    rows = [[f"{k},5", "2,25", f'"{note}"', "yes" if k > 9 else "no"] for k, note in enumerate(notes)]
    path = tmp_path / "notes.csv"
    path.write_text("".join(separator.join(row) + "\n" for row in [["a", "b", "note", "target"], *rows]))
    read = open_source(path).read()
    assert read.rows() == [(k + 0.5, 2.25, note, "yes" if k > 9 else "no") for k, note in enumerate(notes)]


@pytest.mark.parametrize("stray", ['"never closed', '5" disk'])
@pytest.mark.parametrize("at", [1, 2, 199])
def test_a_stray_quote_does_not_hide_the_separator(stray, at):
    lines = [f"{k},5;2,25;word;yes" for k in range(300)]
    lines[at] = lines[at].replace("word", stray)
    assert separator_of(lines) == ";"
    assert separator_of([line.replace(",", ".").replace(";", ",") for line in lines]) == ","
    assert separator_of([line.replace(";", "\t") for line in lines]) == "\t"
