"""A cell may be of any length, and the limit of the csv module is as before when we have read."""

import csv
import threading

import pytest

from rosenblatt.sources import open_source
from rosenblatt.sources.long_cells import cells_of_any_length

LIMIT, SAMPLE = 131_072, 2**20  # of csv, and of what tells how a table looks


@pytest.mark.parametrize(
    ("length", "separator", "quoted"),
    [
        *((LIMIT + 2, separator, quoted) for separator in ",\t;" for quoted in (False, True)),
        (2 * SAMPLE, ",", False),
        (2 * SAMPLE, ",", True),
        (2 * SAMPLE, "\t", False),
        (2 * SAMPLE, "\t", True),
    ],
)
def test_long_documents_are_read(tmp_path, length, separator, quoted):
    document = "w" * (length // 2) + ("\n" if quoted else "w") + "w" * (length // 2)
    cell = f'"{document}"' if quoted else document
    path = tmp_path / "long.csv"
    path.write_text(f"text{separator}label\n" + "".join(f"{cell}{separator}{label}\n" for label in "abab"))
    before = csv.field_size_limit()
    frame = open_source(path).read()
    assert frame.columns == ["text", "label"]
    assert frame["label"].to_list() == list("abab")
    assert set(frame["text"].to_list()) == {document}
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(("ending", "separator"), [("tsv", "\t"), *(("csv", separator) for separator in ",\t;")])
@pytest.mark.parametrize("before", ["", "short{0}a\n" * 3, '"short"{0}a\n' * 3])
def test_long_cells_of_many_lines_are_read(tmp_path, separator, ending, before):
    document = ("w" * 70 + "\n") * 30_000
    path = tmp_path / f"long.{ending}"
    rows = before.format(separator) + "".join(f'"{document}"{separator}{label}\n' for label in "ab")
    path.write_text(f"text{separator}label\n{rows}")
    frame = open_source(path).read()
    assert frame.columns == ["text", "label"] and frame["text"].to_list()[-2:] == [document] * 2


def test_the_cut_of_the_sample_may_be_in_a_quoted_cell(tmp_path):
    path = tmp_path / "long.tsv"
    rows = [f'{"yes" if n % 2 else "no"}\t"{"word " * 40}{n}"\n' for n in range(8_000)]
    text = "label\ttext\n" + "".join(rows)
    assert text[SAMPLE - 1] not in '"\t\n' and text[:SAMPLE].count('"') % 2
    path.write_text(text)
    assert open_source(path).read()["text"][7] == "word " * 40 + "7"


def test_quotes_in_the_text_between_tabs_stay(tmp_path):
    path = tmp_path / "sms.tsv"
    rows = [f"{'ham' if n % 2 else 'spam'}\t{'x' * 190} {n}\n" for n in range(8_000)]
    for place in (3, 5_200):  # one of them just before the sample ends, or long before
        changed = [*rows]
        changed[place] = 'ham\t"I said so\n'
        path.write_text("label\ttext\n" + "".join(changed))
        frame = open_source(path).read()
        assert frame.height == 8_000 and frame["text"][place] == '"I said so'


def test_lines_of_another_width_are_named_behind_long_cells(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("text,label\n" + f"{'w' * 200_000},a\n" * 3 + "b,c,d\n")
    with pytest.raises(ValueError, match=r"line 5 has 3: behind the last column"):
        open_source(path).read()


def test_a_quote_that_is_never_closed_is_named_behind_long_cells(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("text,label\n" + f"{'w' * 200_000},a\n" * 3 + '"b,c\n' + "d,e\n" * 50_000)
    with pytest.raises(ValueError, match=r"the one that opens in line 5, in the column 'text', is not"):
        open_source(path).read()


@pytest.mark.parametrize("content", [b"\0" * 300_000, b"a\0,\0b\0\n\0" * 3, b"\0\nx"])
def test_zero_bytes_are_no_table(tmp_path, content):
    path = tmp_path / "zeros.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"no zero bytes, but the first line of .*zeros\.csv has"):
        open_source(path).read()


def test_the_limit_is_put_back_when_the_last_reader_has_finished():
    before = csv.field_size_limit(1000)
    try:
        inside, leave = threading.Event(), threading.Event()

        def read():
            with cells_of_any_length():
                inside.set()
                leave.wait(30)

        thread = threading.Thread(target=read)
        with cells_of_any_length():
            thread.start()
            inside.wait(30)
        assert csv.field_size_limit() > 1000
        leave.set()
        thread.join()
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)
