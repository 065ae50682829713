"""Stored files are opened by their content, whatever their name says."""

import bz2
import gzip
import lzma

import pytest

from rosenblatt.sources.compressed import DAMAGED, open_stored

TEXT = b"one\ntwo\n" * 5000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("name", ["plain", "named.gz", "named.xz"])
def test_the_content_decides(tmp_path, pack, name):
    path = tmp_path / name
    path.write_bytes(pack(TEXT))
    with open_stored(path) as file:
        assert file.readline() == b"one\n"
        assert file.read() == TEXT[4:]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_cut_file_raises_what_callers_catch(tmp_path, pack):
    path = tmp_path / "cut"
    path.write_bytes(pack(TEXT)[:-6])
    with open_stored(path) as file, pytest.raises(DAMAGED):
        file.read()


@pytest.mark.parametrize("content", [b"", b"\x1f", b"BZ"])
def test_short_files_are_plain(tmp_path, content):
    path = tmp_path / "short"
    path.write_bytes(content)
    with open_stored(path) as file:
        assert file.read() == content
