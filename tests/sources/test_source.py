"""Sources: every format gives its rows back, whole and in batches, and every refusal is one sentence with the file."""

import bz2
import datetime as dt
import gzip
import json
import lzma
import os
import re
import threading
from contextlib import closing, suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import ColumnEncoder
from rosenblatt.sources import Matrix, delimited, open_source, read_libsvm
from rosenblatt.sources.delimited import TypesWidened
from rosenblatt.sources.dialect import MISSING

TABLE = pl.DataFrame({"a": [1, 2, 3], "b": [0.5, None, -2.0], "c": ["x", "y, z", None]})
PACKERS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstd.compress}


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "feather", "jsonl"])
def test_every_format_of_tables(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    {
        "csv": lambda: TABLE.write_csv(path),
        "tsv": lambda: TABLE.write_csv(path, separator="\t"),
        "parquet": lambda: TABLE.write_parquet(path),
        "arrow": lambda: TABLE.write_ipc(path),
        "feather": lambda: TABLE.write_ipc(path),
        "jsonl": lambda: TABLE.write_ndjson(path),
    }[ending]()
    source = open_source(path)
    assert source.kind == "frame" and source.columns == ("a", "b", "c")
    assert source.read().equals(TABLE)
    assert [batch.height for batch in source.batches(2)] == [2, 1]
    assert pl.concat(source.batches(2)).equals(TABLE)


@pytest.mark.parametrize("ending", PACKERS)
def test_compressed_tables(tmp_path, ending):
    path = write(tmp_path / f"table.csv{ending}", PACKERS[ending](TABLE.write_csv().encode()))
    assert open_source(path).read().equals(TABLE)
    path = write(tmp_path / f"table.parquet{ending}", PACKERS[ending](_parquet(tmp_path)))
    assert open_source(path).read().equals(TABLE)


def _parquet(folder):
    TABLE.write_parquet(folder / "plain")
    return (folder / "plain").read_bytes()


@pytest.mark.parametrize("ending", [ending for ending in PACKERS if ending])
def test_a_cut_file_is_refused(tmp_path, ending):
    stored = PACKERS[ending](b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(1000)))
    path = write(tmp_path / f"cut.csv{ending}", stored[:-20])
    with pytest.raises(ValueError, match="must decompress to its end"):
        open_source(path).read()


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(-(2**60), 2**60),
            st.floats(allow_nan=False, allow_infinity=False),
            st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8),
        ),
        min_size=1,
        max_size=30,
    ),
    quote_style=st.sampled_from(["necessary", "always"]),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_csv_keeps_every_bit(tmp_path_factory, rows, quote_style, separator, end):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = pl.DataFrame(rows, schema={"i": pl.Int64, "f": pl.Float64, "s": pl.String}, orient="row")
    table.write_csv(path, separator=separator, quote_style=quote_style, line_terminator=end)
    read = open_source(path, header=True, separator=separator).read()
    assert read["i"].cast(pl.Int64).to_list() == table["i"].to_list()
    assert read["f"].cast(pl.Float64).to_list() == table["f"].to_list()
    cells = [None if value in MISSING else value for value in table["s"].to_list()]
    if read["s"].dtype == pl.String:
        assert [cell or None for cell in read["s"].to_list()] == cells


def test_a_type_that_is_wider_later(tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.sources.dialect.SAMPLE_BYTES", 64)
    monkeypatch.setattr("rosenblatt.sources.delimited.BLOCK_BYTES", 256)
    lines = [f"{i},{i},{i}" for i in range(1000)] + ["1.5,word,7"] + ["3,4,5"] * 100
    path = write(tmp_path / "t.csv", "a,b,c\n" + "\n".join(lines))
    read = open_source(path).read()
    assert read.dtypes == [pl.Float64, pl.String, pl.Int64] and read.height == 1101
    assert read["b"][5] == "5" and read["b"][1000] == "word" and read["a"][1000] == 1.5
    source = open_source(path)
    with pytest.raises(TypesWidened):
        list(source.batches(10))
    assert pl.concat(source.batches(10)).equals(read.with_columns(pl.col("b").cast(pl.String)))


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("1,2\n3,4\n", False),
        ("5.1,setosa\n4.9,setosa\n", False),
        ("name,group\nx,y\nu,v\n", True),
        ("ham,hello there\nspam,win\nham,hi\n", False),
        ("when,what\n2024-01-01,x\n2024-02-01,y\n", True),
        (f"{'How often? ' * 20},age\nnever,30\nseldom,40\n", True),  # a question of a survey
        (f"{'a review ' * 20},good\nanother,bad\nyet another,good\n", False),
        (f"{'a review ' * 20},good,NA\nanother,bad,1\nyet another,good,2\n", False),
    ],
)
def test_headers_are_recognised(tmp_path, text, header):
    source = open_source(write(tmp_path / "t.csv", text))
    read = source.read()
    assert source.header is header and read.height == text.count("\n") - header
    other = open_source(tmp_path / "t.csv", header=not header).read()
    assert abs(other.height - read.height) == 1


def test_matrices(tmp_path):
    X, y = np.arange(12.0).reshape(4, 3), np.array([1, 2, 1, 2])
    np.save(tmp_path / "t.npy", X)
    np.savez(tmp_path / "t.npz", X=X, y=y)
    plain, both = open_source(tmp_path / "t.npy").read(), open_source(tmp_path / "t.npz")
    assert isinstance(plain, Matrix) and np.array_equal(plain.X, X) and plain.y is None
    assert np.array_equal(both.read().y, y) and [len(batch) for batch in both.batches(3)] == [3, 1]
    assert plain.with_target(-1).y.tolist() == [2.0, 5.0, 8.0, 11.0] and plain.with_target(0).X.shape == (4, 2)
    path = write(tmp_path / "t.txt", "1 1:0.5 3:2\n-1 2:1\n")
    found = open_source(path)
    assert found.format == "libsvm" and (read_libsvm(path)[0] != found.read().X).nnz == 0
    images = b"\0\0\x08\x03" + b"\0\0\0\x02\0\0\0\x02\0\0\0\x03" + bytes(range(12))
    write(tmp_path / "x-images-idx3-ubyte", images)
    write(tmp_path / "x-labels-idx1-ubyte.gz", gzip.compress(b"\0\0\x08\x01\0\0\0\x02\x07\x09"))
    seen = open_source(tmp_path / "x-images-idx3-ubyte").read()
    assert seen.X.shape == (2, 6) and seen.image_shape == (2, 3) and seen.y.tolist() == [7, 9]


def test_several_files_and_folders(tmp_path):
    write(tmp_path / "part-1.csv", "a,b\n1,x\n")
    write(tmp_path / "part-2.csv", "b,a\ny,2\n")
    expected = {"a": [1, 2], "b": ["x", "y"]}
    assert open_source(str(tmp_path / "part-*.csv")).read().to_dict(as_series=False) == expected
    assert open_source(tmp_path).read().to_dict(as_series=False) == expected
    assert open_source([tmp_path / "part-1.csv", tmp_path / "part-2.csv"]).read().height == 2
    write(tmp_path / "part-3.csv", "a,c\n1,2\n")
    with pytest.raises(ValueError, match=r"same columns, but .*part-3.csv .* differ in 'b', 'c'"):
        open_source(tmp_path).read()


def test_the_digest_is_of_the_bytes(tmp_path):
    import hashlib

    path = write(tmp_path / "t.csv", "a\n1\n")
    assert open_source(path).digest() == hashlib.sha256(b"a\n1\n").hexdigest()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n3\n4,5\n", "Line 3 of .* has 1 column instead of 2"),
        ("a,b\n1,2\n3,4,5\n", "Line 3 of .* has 3 columns instead of 2"),
        ("# only\n# comments\n", "only comments"),
        (b"a,b\n1,2\n3,\xe4\n", "byte 0xE4 in line 3; .*--encoding latin-1"),
    ],
)
def test_refusals(tmp_path, text, message):
    path = write(tmp_path / "bad.csv", text)
    with pytest.raises(ValueError, match=message) as caught:
        open_source(path).read()
    assert "bad.csv" in str(caught.value) and "\n" not in str(caught.value)


def test_other_encodings(tmp_path):
    path = write(tmp_path / "t.csv", "näme,b\nä,1\n".encode("latin-1"))
    assert open_source(path, encoding="latin-1").read().to_dict(as_series=False) == {"näme": ["ä"], "b": [1]}
    path = write(tmp_path / "bom.csv", b"\xef\xbb\xbfa,b\r\n1,x\r\n")
    assert open_source(path).read().to_dict(as_series=False) == {"a": [1], "b": ["x"]}
    with pytest.raises(ValueError, match="encoding must be one that Python knows"):
        open_source(path, encoding="klingon")


def test_names_that_lead_nowhere(tmp_path):
    write(tmp_path / "data.csv", "a\n1\n")
    with pytest.raises(FileNotFoundError, match=r"did you mean .*data.csv"):
        open_source(tmp_path / "dato.csv")
    with pytest.raises(FileNotFoundError, match="No file matches"):
        open_source(str(tmp_path / "*.parquet"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(IsADirectoryError, match="no tables"):
        open_source(tmp_path / "empty")
    with pytest.raises(ValueError, match="format must be one of"):
        open_source(tmp_path / "data.csv", format="word")


def test_no_permission(tmp_path, monkeypatch):
    path = write(tmp_path / "t.csv", "a\n1\n")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    with pytest.raises(PermissionError, match="No permission to read"):
        open_source(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b\n1,5;x\n2,25;y\n", {"a": [1.5, 2.25], "b": ["x", "y"]}),  # decimal commas
        ("# made by hand\na,b\n1,2\n", {"a": [1], "b": [2]}),
        ("#id,b\n1,2\n3,4\n", {"#id": [1, 3], "b": [2, 4]}),  # a header, not a comment
        ("a, b, c\n1, 2.5, x\n3, ?, y\n", {"a": [1, 3], "b": [2.5, None], "c": ["x", "y"]}),
        ('a,b\n1,"two\nlines"\n3,"say ""hi"", now"\n', {"a": [1, 3], "b": ["two\nlines", 'say "hi", now']}),
        ("\n\na,b\n1,2\n\n3,4\n\n", {"a": [1, 3], "b": [2, 4]}),
        ("zip,n\n01234,1\n99999,2\n", {"zip": ["01234", "99999"], "n": [1, 2]}),
        ("a,a,b\n1,2,3\n", {"a": [1], "a_2": [2], "b": [3]}),
        ("ok,n\ntrue,1\nFalse,2\n", {"ok": [True, False], "n": [1, 2]}),
        (
            'h\t"t\nham\t"so he said\nspam\t"x" y\nham\tz\n',
            {"h": ["ham", "spam", "ham"], '"t': ['"so he said', '"x" y', "z"]},
        ),
        ("n\n5\n\n7\n", {"n": [5, 7]}),
    ],
)
def test_what_people_write(tmp_path, text, expected):
    source = open_source(write(tmp_path / "t.csv", text))
    assert source.read().to_dict(as_series=False) == expected


def sparse_arrays(matrix, **more):
    """What SciPy's save_npz writes."""
    arrays = {"format": matrix.format.encode(), "shape": matrix.shape, "data": matrix.data}
    return {**arrays, "indices": matrix.indices, "indptr": matrix.indptr, **more}


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_sparse_rows_of_numpy_files(tmp_path, kind, dtype):
    X = np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0], [3, 0, 255]], dtype)
    np.savez(tmp_path / "t.npz", **sparse_arrays(kind(X), y=np.arange(4)))
    source = open_source(tmp_path / "t.npz")
    whole, parts = source.read(), list(source.batches(3))
    assert whole.X.format == "csr" and whole.X.dtype == {np.int64: np.float64, np.uint8: np.float32}.get(dtype, dtype)
    assert np.array_equal(whole.X.toarray(), X) and whole.y.tolist() == [0, 1, 2, 3]
    assert [part.X.toarray().tolist() for part in parts] == [X[:3].tolist(), X[3:].tolist()]
    assert sum(len(rows) for _, rows in source.placed_blocks()) == 4
    scipy.sparse.save_npz(tmp_path / "theirs.npz", kind(X))
    assert np.array_equal(open_source(tmp_path / "theirs.npz").read().X.toarray(), X)


def test_sparse_bytes_that_come_twice_are_added_up(tmp_path):
    X = scipy.sparse.csr_array((np.array([200, 100], np.uint8), [1, 1], [0, 2]), shape=(1, 2))
    np.savez(tmp_path / "t.npz", **sparse_arrays(X))
    assert open_source(tmp_path / "t.npz").read().X.toarray().tolist() == [[0.0, 300.0]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": [0, 7]}, "cannot be read as a NumPy file"),
        ({"data": [1.0, np.nan]}, "has nan in row 2, column 2; numbers must be finite"),
        ({"data": [1j, 1]}, "must hold numbers, but they hold complex128"),
        ({"shape": [2**62, 2]}, "cannot be read as a NumPy file"),
        ({"shape": [0, 2], "indptr": [0]}, "must be rows and columns"),
        ({"format": b"coo"}, "must be CSR or CSC, but they are coo"),
        ({"y": [1]}, "labels of shape"),
    ],
)
def test_wrong_sparse_rows_are_refused(tmp_path, changes, words):
    np.savez(tmp_path / "t.npz", **sparse_arrays(scipy.sparse.csr_array(np.eye(2)), **changes))
    with pytest.raises(ValueError, match=re.escape(words)):
        open_source(tmp_path / "t.npz").read()


def test_keel_headers(tmp_path):
    text = "@relation toy\n@attribute x real [0, 1]\n@attribute 'a kind' {p, n}\n@inputs x\n@data\n0.5, p\n<null>, n\n"
    source = open_source(write(tmp_path / "t.dat", text))
    assert source.format == "keel" and source.read().to_dict(as_series=False) == {
        "x": [0.5, None],
        "a kind": ["p", "n"],
    }


def test_very_long_lines(tmp_path):
    n = 5_000
    path = write(tmp_path / "wide.csv", ",".join(f"c{j}" for j in range(n)) + "\n" + ",".join(["1"] * n) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rosenblatt.sources.delimited.BLOCK_BYTES", 4096)
        patch.setattr("rosenblatt.sources.dialect.SAMPLE_BYTES", 2**22)
        assert open_source(path).read().shape == (1, n)


DATA = os.environ.get("ROSENBLATT_DATA")
SHAPES = {
    "small/banana.keel.dat": (5300, 3, False),
    "small/banknote_authentication.csv": (1372, 5, False),
    "small/breast-cancer-wisconsin.csv": (699, 11, False),
    "small/iris.csv": (150, 5, False),
    "small/pima-indians-diabetes.csv": (768, 9, False),
    "small/sonar.csv": (208, 61, False),
    "small/titanic.keel.dat": (2201, 4, False),
    "small/wdbc.keel.dat": (569, 31, False),
    "small/wine.csv": (178, 14, False),
    "sms-spam/SMSSpamCollection.xz": (5574, 2, False),
    "streams/phishing.csv.gz": (1250, 10, True),
}


@pytest.mark.skipif(DATA is None, reason="ROSENBLATT_DATA is not set")
@pytest.mark.parametrize("name", SHAPES)
def test_real_files(name):
    source = open_source(f"{DATA}/{name}")
    frame = source.read()
    assert (*frame.shape, source.header) == SHAPES[name]
    missing = frame.null_count().sum_horizontal()[0]
    assert missing == (16 if "wisconsin" in name else 0)  # its sixteen "?"
    assert all(kind.is_numeric() for kind in frame.dtypes[:-1]) or "sms" in name


def test_the_line_of_a_row(tmp_path):
    lines = [f"{i}.5,x{i % 3}" for i in range(60)]
    lines[30] = 'unknown,"x\n1"'
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["# a comment", "a,b", "", *lines[:10], '1.5,"two\nlines"', *lines[10:]]) + "\n")
    source = open_source(path)
    row = source.read()["a"].to_list().index("unknown")
    assert source.place_of(row) == "line 36" and path.read_text().splitlines()[35].startswith("unknown")


@pytest.mark.parametrize("missing", [None, ["none"]])
def test_words_that_mean_missing_are_classes_in_the_labels(tmp_path, missing):
    path = write(tmp_path / "t.csv", "n,c,y\n1,a,None\nNA,None,mild\n3,NA,\n4,b,none\n")
    source = open_source(path, na_values=missing)
    source.labels = "y"
    found = source.read()
    if missing is None:
        assert found["n"].to_list() == [1, None, 3, 4] and found["c"].to_list() == ["a", None, None, "b"]
        assert found["y"].to_list() == ["None", "mild", None, "none"]
    else:
        assert found["n"].to_list() == ["1", "NA", "3", "4"] and found["y"].to_list() == ["None", "mild", None, None]
    numbers = write(tmp_path / "n.csv", "n,y\n1,0\n2,NA\n3,1\n")
    source = open_source(numbers)
    source.labels = "y"
    assert source.read()["y"].to_list() == [0, None, 1]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("2019,2020,2021,y\n1,2,3,a\n4,5,6,b\n4,5,6,a\n", True),
        ("0,1,2,target\n1.5,2,3,a\n4,5,6,b\n", True),
        ("1,2,3,a\n4,5,6,b\n4,5,6,a\n", False),
        ("0,1,2,a long sentence of words\n1,5,7,another one of them\n", False),
        ("7,9,2,x\n1,5,7,y\n", False),
    ],
)
def test_numbers_may_be_names_where_they_count(tmp_path, text, header):
    source = open_source(write(tmp_path / "t.csv", text))
    assert source.read().height == text.count("\n") - header and source.header is header


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_of_several_bytes(tmp_path, encoding, packed):
    text = "größe,art\n" + "".join(f"{i},{'ä' if i % 2 else 'Ĭ'}\n" for i in range(500))
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    stored = text.encode(encoding)
    path.write_bytes(gzip.compress(stored) if packed else stored)
    expected = pl.DataFrame({"größe": range(500), "art": ["Ĭ", "ä"] * 250})
    given_it = open_source(path, encoding=encoding)
    assert given_it.read().equals(expected)
    assert pl.concat(rows for _, rows in given_it.placed_blocks(seed=1)).equals(expected)
    assert pl.concat(rows for _, rows in given_it.placed_blocks(seed=2)).equals(expected)
    if not encoding.endswith("e"):  # there is a byte order mark
        assert open_source(path).read().equals(expected)


def test_a_damaged_file_in_utf_16(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,2\n".encode("utf-16") + b"\x00")
    with pytest.raises(ValueError, match=r"t\.csv is not text in utf-16: byte 0x00 in line 3"):
        open_source(path).read()
    path.write_text("a,b\n1,2\n3\n", encoding="utf-16")
    with pytest.raises(ValueError, match=r"Line 3 of .* has 1 column instead of 2\."):
        open_source(path).read()
    path.write_text("1 2:3\n-1 1:4\n", encoding="utf-16")
    assert open_source(path).read().X.toarray().tolist() == [[0.0, 3.0], [4.0, 0.0]]


ROWS = "a,b,y\n" + "".join(f"{i}.5,t{i % 3},{'yes' if i % 2 else 'no'}\n" for i in range(20))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1,x", r"Line 22 .* has 2 columns instead of 3\."),
        ("1,x,yes,7", r"Line 22 .* has 4 columns instead of 3\."),
        ('1,"x,yes', "opens in line 22 .*, in the column 'b', is never closed"),
        ('1,x,"yes', "opens in line 22 .*, in the column 'y', is never closed"),
        ('"1,x,yes', "opens in line 22 .*, in the column 'a', is never closed"),
    ],
)
def test_where_a_line_goes_wrong(tmp_path, line, complaint):
    path = tmp_path / "t.csv"
    path.write_text(ROWS + line + "\n" + "9,t1,no\n" * 3)
    with pytest.raises(ValueError, match=complaint):
        open_source(path).read()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('a,b\n1,5" disk\n2,z\n3,6" disk\n4,"x,y"\n', [(1, '5" disk'), (2, "z"), (3, '6" disk'), (4, "x,y")]),
        ('a,b\n1,5" disk\n\n2,\n3,6" disk\n4,"x,y"\n', [(1, '5" disk'), (2, None), (3, '6" disk'), (4, "x,y")]),
        ('t\n""\nhello\n""\nworld\n', [(None,), ("hello",), (None,), ("world",)]),
        ("a,b\r\n\r\n1,x\r\n\r\n\r\n2,\r\n3,z\r\n\r\n", [(1, "x"), (2, None), (3, "z")]),
        ('a,b\n\n1,"x\n\ny"\n\n2,\n', [(1, "x\n\ny"), (2, None)]),
    ],
)
def test_quotes_that_open_no_cell_and_empty_lines(tmp_path, text, rows):
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert open_source(str(tmp_path / "a.csv")).read().rows() == rows


def test_separators_between_quotes_do_not_hide_a_short_line(tmp_path):
    (tmp_path / "a.csv").write_text('a,b,y\n1,"x,y",p\n3,z\n4,q,p\n')
    with pytest.raises(ValueError, match=r"Line 3 of .* has 2 columns instead of 3"):
        open_source(str(tmp_path / "a.csv")).read()
    (tmp_path / "b.csv").write_text('""')
    with pytest.raises(ValueError, match=r"b\.csv has no rows"):
        open_source(str(tmp_path / "b.csv")).read()


def test_a_file_that_is_written_again_is_looked_at_again(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("alpha,beta\n1,2\n")
    source = open_source(str(path))
    assert source.read().columns == ["alpha", "beta"]
    path.write_text("a,b\n10,20\n30,40\n")
    assert source.read().rows() == [(10, 20), (30, 40)]


def test_a_quote_inside_of_a_cell_is_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(ROWS + '1,5" disk,yes\n')
    assert open_source(path).read()[-1, 1] == '5" disk'


@pytest.mark.parametrize(
    ("separator", "cells", "numbers"),
    [
        (";", ["0,126", "-1,304", "12,5"], [0.126, -1.304, 12.5]),
        (";", ["1,234", "2,345", "3,456"], [1.234, 2.345, 3.456]),
        (";", ["1,5", "2", "1,25e3"], [1.5, 2.0, 1250.0]),
        ("\t", ["0,5", "1,25", "3"], [0.5, 1.25, 3.0]),
    ],
)
def test_decimal_commas(tmp_path, separator, cells, numbers):
    path = tmp_path / ("t.tsv" if separator == "\t" else "t.csv")
    for header in ("length;kind", "length, in cm;kind"):
        rows = [f"{cell}{separator}{'ja' if i % 2 else 'nein'}" for i, cell in enumerate(cells * 9)]
        path.write_text("\n".join([header.replace(";", separator), *rows]) + "\n")
        frame = open_source(path).read()
        assert frame.columns == header.split(";") and frame.to_series(0).to_list() == numbers * 9


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
@pytest.mark.parametrize(("separator", "quote"), [(";", ""), ("\t", ""), (",", '"')])
def test_spaces_between_thousands_beside_decimal_commas(tmp_path, space, separator, quote):
    cells = [f"1{space}234,5", "987,6", f"-12{space}345,678", "12", f"2{space}345{space}678,25"]
    (tmp_path / "t.csv").write_text(
        f"a{separator}b\n" + "".join(f"{quote}{cell}{quote}{separator}x{n % 3}\n" for n, cell in enumerate(5 * cells)),
        encoding="utf-8",
    )
    encoder = ColumnEncoder(scale=None).fit(open_source(tmp_path / "t.csv").read())
    numbers = encoder.transform(open_source(tmp_path / "t.csv").read())[:5, 0]
    assert numbers.tolist() == [1234.5, 987.6, -12345.678, 12.0, 2345678.25]
    assert "The column 'a' is taken as number: read as numbers with spaces between thousands." in encoder.notes_


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1 234,50 €", "5,90 €", "12 €"], [1234.5, 5.9, 12.0]),
        (["7,5 %", "12,125 %", "0,25 %"], [7.5, 12.125, 0.25]),
        (["$1,234", "$5", "$12,345"], [1234.0, 5.0, 12345.0]),  # thousands, as before
    ],
)
def test_signs_beside_decimal_commas(tmp_path, cells, numbers):
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{cell};x{n % 3}\n" for n, cell in enumerate(5 * cells)))
    table = open_source(tmp_path / "t.csv").read()
    assert ColumnEncoder(scale=None).fit(table).transform(table)[:3, 0].tolist() == numbers


def test_spaces_between_thousands_that_come_late(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + 1500 * "987,6;x\n" + 200 * "1 234,5;y\n" + "2;y\n")
    table = open_source(tmp_path / "t.csv").read()
    numbers = ColumnEncoder(scale=None).fit(table).transform(table)[[0, -2, -1], 0]
    assert numbers.tolist() == [987.6, 1234.5, 2.0]


@pytest.mark.parametrize("block_rows", [30, 3000])  # rows of a block that did not tell the types, too
def test_dates_and_booleans_beside_decimal_commas(tmp_path, block_rows):
    path = tmp_path / "t.csv"
    lines = ["2024-02-29;2024-02-29 12:30:00;TRUE;1,5", "2023-01-31;2023-01-31 00:00:00;False;-2,25", ";;;7"]
    path.write_text("day;time;paid;price\n" + "\n".join(block_rows * lines) + "\n")
    frame = open_source(path).read()
    assert frame.schema == {"day": pl.Date, "time": pl.Datetime("us"), "paid": pl.Boolean, "price": pl.Float64}
    noon, midnight = dt.datetime(2024, 2, 29, 12, 30), dt.datetime(2023, 1, 31)
    last = [(noon.date(), noon, True, 1.5), (midnight.date(), midnight, False, -2.25), (None, None, None, 7.0)]
    assert frame.tail(3).rows() == last


def test_a_late_word_beside_decimal_commas_makes_dates_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("day;price\n" + 3000 * "2024-02-29;1,5\n" + "soon;2,5\n")
    frame = open_source(path).read()
    assert frame.row(0) == ("2024-02-29", 1.5) and frame.row(-1) == ("soon", 2.5)


def test_decimal_commas_among_other_text(tmp_path):
    """Numbers keep their value in a column that must be text."""
    path = tmp_path / "t.csv"
    path.write_text("a;b\n" + "".join(f"{i},5;1.{i:03d},25\n" for i in range(200, 300)) + "n.a.;1.300\n")
    frame = open_source(path).read()
    assert frame["a"].to_list() == [*(f"{i}.5" for i in range(200, 300)), "n.a."]
    assert frame["b"].to_list() == [*(1000 + i + 0.25 for i in range(200, 300)), 1300.0]


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-inf", "1e999"])
def test_sparse_numbers_must_be_finite(tmp_path, value):
    path = tmp_path / "t.libsvm"
    path.write_text(f"1 1:2\n-1 1:3 20:{value} 21:1\n")
    with pytest.raises(ValueError, match=rf"must be finite, but .*t.libsvm has '20:{value}' in line 2; replace"):
        open_source(path).read()
    path.write_text(f"1 1:2\n{value} 1:3\n")
    with pytest.raises(ValueError, match=rf"'{value}' in line 2;"):
        list(open_source(path).batches(1))


# ---------------------------------------------------------------------- what practitioners have


def test_columns_aligned_by_spaces(tmp_path):
    path = tmp_path / "aligned.txt"
    path.write_text("  height   weight kind\n    1.5       20 tall  \n   12.25     3   short\n\n  3.0      4  tall\r\n")
    frame = open_source(path).read()
    assert frame.columns == ["height", "weight", "kind"]
    assert frame.rows() == [(1.5, 20, "tall"), (12.25, 3, "short"), (3.0, 4, "tall")]
    path.write_text("  height   weight kind\n" + "    1.5       20 tall  \n" * 300 + " 1 2\n")
    with pytest.raises(ValueError, match=r"Line 302 .* has 2"):
        open_source(path).read()
    path.write_text("a b c\n1  2 3\n")
    assert open_source(path, separator=" ").read().rows() == [(1, 2, 3)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("price;y\n8.723,8;a\n1.000,5;b\n999,5;a\n", [8723.8, 1000.5, 999.5]),
        ("price;y\n8.723,8;a\n1.000;b\n;a\n", [8723.8, 1000.0, None]),  # beside 8.723,8 a point is no decimal one
        ("price;y\n8.723,8;a\n?;b\n-12;a\n", [8723.8, None, -12.0]),
        ("price;y\n 8.723,8 ;a\n 12 ;b\n 1.234.567,25;a\n", [8723.8, 12.0, 1234567.25]),
        ('price,y\n"8.723,8",a\n"12,5",b\n7,a\n', [8723.8, 12.5, 7.0]),
    ],
)
def test_decimal_commas_beside_points_between_thousands(tmp_path, text, numbers):
    (tmp_path / "t.csv").write_text(text)
    frame = open_source(tmp_path / "t.csv").read()
    assert frame.schema["price"] == pl.Float64
    assert frame["price"].to_list() == numbers


def test_points_between_thousands_are_text_where_a_later_cell_is_no_number(tmp_path):
    lines = [f"{i % 9 + 1}.{i % 1000:03},5;a" for i in range(1500)]
    (tmp_path / "t.csv").write_text("\n".join(["price;y", *lines, "unknown;b"]) + "\n")
    found = open_source(tmp_path / "t.csv").read()["price"]
    assert found.dtype == pl.String and (found[0], found[-1]) == ("1000.5", "unknown")


@pytest.mark.parametrize("block", [2000, delimited.BLOCK_BYTES])
@pytest.mark.parametrize(
    ("first", "later", "numbers"),
    [
        (["1,5"], ["1.234,5", "2.345", "7"], [1234.5, 2345.0, 7.0]),
        (["1,5"], ["1,5", "1.234", "7"], [1.5, 1234.0, 7.0]),
        (["1,5", "1.234"], ["2.345"], [2345.0]),
        (["1,5", "1.5"], ["1.234", "7"], [1.234, 7.0]),
        (["12"], ["1,5", "1.234,5", "1.234"], [1.5, 1234.5, 1234.0]),
        (["1.5"], ["1,5", "1.5", "7"], [1.5, 1.5, 7.0]),
    ],
)
def test_the_first_rows_tell_what_points_mean(tmp_path, monkeypatch, block, first, later, numbers):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", block)
    lines = ["a;b", *(f"{cell};2,5" for cell in first * 1500), *(f"{cell};2,5" for cell in later)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    source = open_source(tmp_path / "t.csv")
    found = source.read()["a"]
    assert found.dtype == pl.Float64 and found[-len(later) :].to_list() == numbers


@pytest.mark.parametrize("rows", [30, 300, 1000])
@pytest.mark.parametrize(
    ("separator", "usual", "odd", "found"),
    [
        (";", "1.5", "2,5", (1.5, 2.5)),
        (";", "1,5", "2.5", (1.5, 2.5)),
        ("\t", "1.5", "2,5", (1.5, 2.5)),
        (";", "12", "1,234", (12.0, 1.234)),
        (",", '"1.5"', '"2,5"', (1.5, 2.5)),
        (";", "1,5", "1,234.5", (1.5, None)),  # in two ways
        (";", "1.5", "1,234", (1.5, None)),  # a thousand, or a little more than 1
    ],
)
def test_commas_mean_the_same_in_small_and_large_files(tmp_path, rows, separator, usual, odd, found):
    lines = [f"{odd if i == rows - 20 else usual}{separator}x" for i in range(rows)]
    (tmp_path / "t.csv").write_text("\n".join([f"a{separator}b", *lines]) + "\n")
    source = open_source(tmp_path / "t.csv")
    column = source.read()["a"].cast(float, strict=False)
    assert (column[0], column[rows - 20]) == found


def test_decimal_commas_between_quotes(tmp_path):
    path = tmp_path / "quoted.csv"
    path.write_text('a,b,kind\n"0,25","1,234",x\n"-1,5","2,5",y\n3,"1,000",x\n')
    source = open_source(path)
    assert source.read()["a"].cast(float).to_list() == [0.25, -1.5, 3.0]
    assert source.read()["b"].cast(float).to_list() == [1.234, 2.5, 1.0]
    path.write_text('a,b,kind\n"1,250","1,234",x\n"3,500","2,500",y\n')  # thousands
    assert open_source(path).read()["a"].to_list() == ["1,250", "3,500"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b\r1,2\r3,4\r", "carriage returns"),
        ("Results of May\n\na,b,kind\n1,2,x\n3,4,y\n", "Line 3 of .* has 3 columns instead of 1"),
    ],
)
def test_sentences_about_what_spreadsheets_and_people_write(text, told, tmp_path):
    path = tmp_path / "given.csv"
    path.write_bytes(text.encode())
    with pytest.raises(ValueError, match=told):
        open_source(path).read()


def test_a_list_of_json_objects(tmp_path):
    rows = [{"a": 1, "kind": "x"}, {"a": 2.5, "kind": None}]
    for name in ("rows.json", "rows.jsonl", "rows"):
        (tmp_path / name).write_text(json.dumps(rows, indent=1))
        assert open_source(tmp_path / name).read().rows() == [(1.0, "x"), (2.5, None)]
    (tmp_path / "rows.json").write_text('[{"a": 1}, 5')
    with pytest.raises(ValueError, match="list of JSON objects"):
        open_source(tmp_path / "rows.json").read()


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"PK\x03\x04\x14\0\0\0\0\0\0\0!\0photo.jpg", "a ZIP archive, not a file of rows; unpack it"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old spreadsheet"),
        (b"\n<!DOCTYPE html><html>", "a web page"),
        (b"\x80\x04\x95\x10\0\0\0", "a pickle"),
        (b"SQLite format 3\0", "an SQLite database"),
    ],
)
def test_what_is_no_file_of_rows(start, what, tmp_path):
    path = tmp_path / "thing"
    path.write_bytes(start)
    with pytest.raises(ValueError, match=what):
        open_source(path)


@pytest.fixture
def address(tmp_path):
    """A folder that is served over http."""
    served = tmp_path / "served"
    served.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=str(served))

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield served, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_an_address_is_read_like_a_file(address):
    folder, url = address
    (folder / "rows.csv").write_text("a;b\n1,5;x\n2,5;y\n")
    (folder / "rows.tsv.gz").write_bytes(gzip.compress(b"a\tb\n3.5\tz\n"))
    source = open_source(f"{url}/rows.csv?raw=1")
    assert source.read().rows() == [(1.5, "x"), (2.5, "y")] and source.name == f"{url}/rows.csv?raw=1"
    kept = Path(source.paths[0])
    source.close()
    assert not kept.exists()
    with closing(open_source(f"{url}/rows.tsv.gz")) as packed:
        assert packed.read().rows() == [(3.5, "z")]
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    with (
        closing(open_source(f"{url}/ragged.csv")) as ragged,
        pytest.raises(ValueError, match=rf"Line 3 of {url}/ragged.csv"),
    ):
        ragged.read()


def test_a_store_is_read_like_a_file():
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    fsspec.filesystem("memory").pipe("/rows.csv", b"a;b\n1,5;x\n2,5;y\n")
    with closing(open_source("memory://rows.csv")) as source:
        assert source.read().rows() == [(1.5, "x"), (2.5, "y")] and source.name == "memory://rows.csv"
    with pytest.raises(FileNotFoundError):
        open_source("memory://none.csv")
    with pytest.raises(ValueError, match=r"nowhere://rows.csv cannot be opened"):
        open_source("nowhere://rows.csv")


def test_an_address_that_sends_nothing(address):
    url = address[1]
    with pytest.raises(ConnectionError, match=r"nothing.csv could not be downloaded \(404"):
        open_source(f"{url}/nothing.csv")
    with pytest.raises(ValueError, match=rf"{url}/ is a web page"):
        open_source(f"{url}/")
    with pytest.raises(ConnectionError, match="check the address"):
        open_source("http://127.0.0.1:9/rows.csv")


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_damaged_arrays_are_refused_with_a_sentence(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    np.save(path, np.eye(9)) if ending == "npy" else np.savez(path, X=np.eye(9), y=np.arange(9))
    whole = path.read_bytes()
    for at in range(8, len(whole), 11):
        for damaged in (whole[:at], whole[:at] + b"(" + whole[at + 1 :], whole[:at] + b"\xff\xfe" + whole[at:]):
            path.write_bytes(damaged)
            with suppress(ValueError):  # and nothing else, for what can no longer be read
                open_source(path, format=ending).read()


def test_thousands_of_names(tmp_path):
    """Names of columns are told apart quickly, however many there are."""
    names = [f"f{j}" for j in range(3000)] + ["f7", "f7"]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * 3002) + "\n")
    source = open_source(tmp_path / "t.csv")
    assert source.read().columns == [*names[:3000], "f7_2", "f7_3"] and len(source.notes) == 2


LINES = "a,b\n" + "".join(f"{i},{i % 2}\n" for i in range(4000))


@pytest.mark.parametrize("way", ["read", "batches", "placed_blocks"])
@pytest.mark.parametrize("kept", [0.9, 0.0])
def test_a_file_that_is_cut_while_it_is_read_is_refused(tmp_path, monkeypatch, way, kept):
    path = write(tmp_path / "t.csv", LINES)
    source = open_source(path)
    os.truncate(path, int(len(LINES) * kept))
    told = rf"t.csv was cut from {len(LINES):,} to {int(len(LINES) * kept):,} bytes while it was read"
    with pytest.raises(ValueError, match=told):
        list(getattr(source, way)())


def test_a_file_that_is_cut_between_two_passes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.sources.source.STREAMED_BYTES", 4096)
    path = write(tmp_path / "t.csv", LINES)
    source = open_source(path)
    assert sum(rows.height for _, rows in source.placed_blocks()) == 4000
    os.truncate(path, 20_000)
    with pytest.raises(ValueError, match=r"t.csv was cut"):
        list(source.placed_blocks(seed=1))


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_that_is_cut_while_it_is_read(tmp_path, order):
    """What was read stays; the rest is refused. A map of the file would end the process."""
    values = np.asarray(np.random.default_rng(0).normal(size=(1000, 5)), order=order)
    np.save(tmp_path / "a.npy", values)
    whole = open_source(tmp_path / "a.npy").read().X
    batches = open_source(tmp_path / "a.npy").batches(100)
    first = next(batches).X
    os.truncate(tmp_path / "a.npy", 1000)
    assert np.array_equal(whole, values) and np.array_equal(first, values[:100])
    assert not isinstance(whole, np.memmap) and not isinstance(first, np.memmap)
    with pytest.raises(ValueError, match=r"was cut"):
        list(batches)


def test_an_arrow_file_that_is_cut_later(tmp_path):
    table = pl.DataFrame({"a": np.arange(100_000.0)})
    table.write_ipc(tmp_path / "a.arrow")
    whole = open_source(tmp_path / "a.arrow").read()
    os.truncate(tmp_path / "a.arrow", 1000)
    assert whole.equals(table)


def test_an_array_without_rows(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((0, 3)))
    with pytest.raises(ValueError, match="has no rows"):
        open_source(tmp_path / "a.npy").read()


@pytest.mark.parametrize("name", ["rows", "rows.txt", "rows.data", "rows.csv"])
def test_tabs_are_told_by_what_is_in_the_file(tmp_path, name):
    (tmp_path / name).write_text("a\tb, c\n" + 5 * "1\t2,5\n3\t4,5\n")
    source = open_source(tmp_path / name)
    assert source.format == "tsv" and source.read().rows() == 5 * [(1, 2.5), (3, 4.5)]
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    assert open_source(tmp_path / "other.csv").format == "csv"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a;b\n1'234.5;x\n12'345'678.25;y\n7;x\n-1'000;y\n", [1234.5, 12345678.25, 7.0, -1000.0]),
        ("a;b\n1’234.5;x\n980;y\n7.5;x\n", [1234.5, 980.0, 7.5]),
        ("a;b\n1'234,5;x\n980,25;y\n7,5;x\n", [1234.5, 980.25, 7.5]),
        ("a,b\nCHF 1'234.50,x\n1'980,y\n7.5,x\n", None),
    ],
)
def test_apostrophes_between_thousands(tmp_path, text, numbers):
    (tmp_path / "t.csv").write_text(text)
    rows = open_source(tmp_path / "t.csv").read()
    encoder = ColumnEncoder(scale=None).fit(rows)
    if numbers is None:  # two ways of writing at once stay words
        assert encoder.columns_[0].kind != "number"
        return
    assert encoder.transform(rows)[:, 0].tolist() == numbers
    assert "with apostrophes between thousands" in encoder.columns_[0].why


def test_labels_of_true_and_false_are_the_words_of_the_file(tmp_path):
    (tmp_path / "t.csv").write_text("x,smokes,y\n" + "1.5,TRUE,TRUE\n2.5,FALSE,FALSE\n" * 3)
    source = open_source(tmp_path / "t.csv")
    source.labels = "y"
    found = source.read()
    assert found["y"].unique(maintain_order=True).to_list() == ["TRUE", "FALSE"]
    assert found.schema["smokes"] == pl.Boolean
