"""IDX files: what was written is read, and damage is named."""

import gzip
import lzma
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rosenblatt.sources import read_idx
from rosenblatt.sources.idx import TYPES

CODES = {np.dtype(stored).newbyteorder("=").name: code for code, stored in TYPES.items()}


def encode(values):
    """Return the bytes of an IDX file."""
    header = bytes([0, 0, CODES[values.dtype.name], values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    return header + values.astype(values.dtype.newbyteorder(">")).tobytes()


def write(folder, content):
    path = Path(folder) / "file"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", CODES)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_round_trip_for_every_type_and_shape(name, data):
    shape = hnp.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
    values = data.draw(hnp.arrays(np.dtype(name), shape))
    pack = data.draw(st.sampled_from([bytes, gzip.compress, lzma.compress]))
    with tempfile.TemporaryDirectory() as folder:
        found = read_idx(write(folder, pack(encode(values))))
    assert found.dtype == values.dtype and found.dtype.isnative and found.shape == values.shape
    assert found.tobytes() == values.tobytes()
    assert not found.flags.writeable


def test_values_have_memory_of_their_own(tmp_path):
    found = read_idx(write(tmp_path, encode(np.arange(6, dtype=np.uint8).reshape(2, 3))))
    assert found.flags.owndata
    assert not found.flags.writeable


GOOD = encode(np.arange(6, dtype=np.int32).reshape(2, 3))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no IDX file"),
        (b"\0\0\x08", "is no IDX file"),
        (b"P5 28 28", "is no IDX file: it begins with b'P5 2'"),
        (b"\0\0\x0a\x01" + GOOD[4:], "unknown type, 0x0A"),
        (b"\0\0\x08\xff" + bytes(2000), "damaged header, of 255 dimensions"),
        (GOOD[:9], "damaged header, of 2 dimensions and 9 bytes"),
        (GOOD[:-1], "should have 36 bytes .*, but has 35"),
        (GOOD + b"ab", "should have 36 bytes .*, but has 38"),
        (gzip.compress(GOOD, mtime=0)[:-9], "is compressed, but damaged or cut short"),
        (lzma.compress(GOOD)[:-9], "is compressed, but damaged or cut short"),
        (lzma.compress(GOOD)[:20] + b"\xff" * 20, "is compressed, but damaged or cut short"),
        (gzip.compress(GOOD, mtime=0)[:12] + b"\xff" * 20, "is compressed, but damaged or cut short"),
    ],
)
def test_damage_is_named_in_one_sentence_with_the_file(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(ValueError, match=message) as caught:
        read_idx(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_huge_promise_costs_no_memory(tmp_path):
    with pytest.raises(ValueError, match="but has 24"):
        read_idx(write(tmp_path, b"\0\0\x0e\x03" + b"\xff" * 12 + bytes(8)))


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_idx(tmp_path / "nothing")
