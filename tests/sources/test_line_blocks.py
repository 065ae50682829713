"""Blocks of whole lines: together they are the file, and what they say about themselves is so."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.sources import line_blocks as module
from rosenblatt.sources import open_source

texts = st.text(alphabet="\n\n1: |a\t", max_size=120).map(str.encode)


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(1, 40), st.integers(1, 5))
def test_blocks_are_the_file(text, n_bytes, n_lines):
    buffers, found, places = module.Buffers(), b"", []
    longest = max(len(line) + 1 for line in text.split(b"\n"))
    for block in module.blocks_in_order(io.BytesIO(text), buffers, n_bytes, n_lines):
        content = block.bytes()
        assert content.endswith(b"\n") and block.buffer.text[block.length] == module.LINE_END
        assert block.lines == content.count(b"\n") <= n_lines
        assert block.colons == content.count(b":")
        assert block.gaps == sum(content.count(letter) for letter in (b" ", b"\t", b"\n", b"|"))
        assert len(content) <= max(n_bytes, 2 * longest) + 1
        assert block.place.offset == sum(place.length for place in places)
        places.append(block.place)
        found += content
        buffers.give_back(block.buffer)
    assert found == text + (b"\n" if text and not text.endswith(b"\n") else b"")
    again = [block.bytes() for block in module.blocks_at(io.BytesIO(text), buffers, places[::-1])]
    assert b"".join(again[::-1]) == found


@pytest.mark.parametrize("n_rows", [1, 3, 64, 500])
@pytest.mark.parametrize("format", ["libsvm", "vw"])
def test_batches_of_files_with_lines_that_are_no_rows(tmp_path, monkeypatch, n_rows, format):
    monkeypatch.setattr("rosenblatt.sources.sparse_text.BLOCK_BYTES", 400)
    lines = []
    for i in range(300):
        bar = "| " if format == "vw" else ""
        lines += [f"{i} {bar}" + " ".join(f"{j}:{i * j}" for j in range(1, i % 70 + 2))]
        lines += [""] * (i % 5 == 0) + ["# one: two"] * (i % 7 == 0 and format == "libsvm")
    path = tmp_path / f"rows.{format}"
    path.write_text("\n".join(lines))
    whole = open_source(path, bits=10).read()
    parts = list(open_source(path, bits=10).batches(n_rows))
    assert [len(part) for part in parts] == [n_rows] * (300 // n_rows) + [300 % n_rows] * (300 % n_rows > 0)
    assert [label for part in parts for label in part.y] == list(range(300)) == whole.y.tolist()
    starts = [i * n_rows for i in range(len(parts))]
    assert all((whole.X[i : i + len(part)] != part.X).nnz == 0 for i, part in zip(starts, parts, strict=True))
