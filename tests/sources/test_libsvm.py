"""LIBSVM files: rows and labels come back, and every refusal names the file."""

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.sources import read_libsvm


def write(folder, text, pack=bytes):
    path = Path(folder) / "rows"
    path.write_bytes(pack(text.encode()))
    return path


values = st.floats(-1e6, 1e6, width=32).map(lambda value: value or 0.0)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, max_examples=15)
@given(
    rows=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=values),
    zero_based=st.booleans(),
)
def test_round_trip(pack, dtype, rows, zero_based):
    first = 0 if zero_based else 1
    text = "".join(
        f"{(-1) ** i:+d} " + " ".join(f"{j + first}:{v!r}" for j, v in enumerate(row.tolist()) if v) + " \n"
        for i, row in enumerate(rows)
    )
    with tempfile.TemporaryDirectory() as folder:
        X, y = read_libsvm(write(folder, text, pack), rows.shape[1], dtype, zero_based=zero_based)
    assert X.dtype == dtype and X.format == "csr" and X.indices.dtype == X.indptr.dtype == np.int32
    assert np.array_equal(X.toarray(), rows.astype(dtype))
    assert y.tolist() == [(-1.0) ** i for i in range(len(rows))]


def test_columns_are_counted_when_not_given(tmp_path):
    X, _ = read_libsvm(write(tmp_path, "1 2:1 7:3\n-1 1:1\n"))
    assert X.shape == (2, 7)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "at least one row"),
        ("a 1:2\n", {}, "label index:value"),
        ("1 2\n", {}, "label index:value"),
        ("1 1:1\n1 3:1 2:1\n", {}, "rising indices, but .* has '2:1' in line 2;"),
        ("1 3:1 3:1\n", {}, "rising indices, but .* has '3:1' in line 1;"),
        ("1 -3:1\n", {}, "'-3:1' in line 1"),
        ("1 99999999999999999999:1\n", {}, "'9+:1' in line 1; correct the file"),
        ("1 4294967297:1\n", {}, "'4294967297:1' in line 1"),
        ("1 0:1\n", {}, "'0:1' in line 1; if they start at 0, read them as zero_based"),
        ("1 1:1\n\n1 2:x\n", {}, "'2:x' in line 3"),
        ("1 1:\n", {}, "has '1:' in line 1"),
        ("1 1:1_0\n", {}, "'1:1_0' in line 1"),
        ("1 1:0x1\n", {}, "'1:0x1' in line 1"),
        ("1 1:1:1\n", {}, "'1:1:1' in line 1"),
        ("1 :1\n", {}, "':1' in line 1"),
        ("1;2 1:1\n", {}, "'1;2' in line 1"),
        ("1 5:1\n", {"n_features": 4}, "has 5 features, more than n_features=4"),
    ],
)
def test_refusals_are_one_sentence_with_the_file(tmp_path, text, options, message):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        read_libsvm(path, **options)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_cut_file_is_refused(tmp_path, pack):
    path = tmp_path / "cut"
    path.write_bytes(pack(b"1 1:2\n" * 1000)[:-5])
    with pytest.raises(ValueError, match="must decompress to its end"):
        read_libsvm(path)


def test_other_dtypes_are_refused(tmp_path):
    with pytest.raises(ValueError, match="float64 or float32, but int64 came"):
        read_libsvm(write(tmp_path, "1 1:2\n"), dtype=np.int64)
