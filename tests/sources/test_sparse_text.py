"""LIBSVM text: the bits of float(), and the rows of a plain reference."""

import lzma
import math
import os
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt.sources import open_source, read_libsvm
from rosenblatt.sources import sparse_text as module

DATA = os.environ.get("ROSENBLATT_DATA")


def parsed(tokens, tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "n.svm"
    path.write_text("".join(f"1 1:{token}\n" for token in tokens))
    return read_libsvm(path)[0].data


def same_bits(found, tokens):
    return found.view(np.uint64).tolist() == [struct.unpack("Q", struct.pack("d", float(t)))[0] for t in tokens]


bits_of_doubles = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("d", struct.pack("Q", n))[0])
digits = st.text("0123456789", min_size=1, max_size=24)
decimals = st.builds(
    lambda sign, whole, fraction, power: f"{sign}{whole}.{fraction}e{power}",
    st.sampled_from(["", "-", "+"]),
    digits,
    digits,
    st.integers(-340, 320),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(bits_of_doubles.filter(math.isfinite).map(repr), decimals, digits), min_size=1, max_size=40))
@example(["2.2250738585072011e-308", "2.2250738585072014e-308", "5e-324", "2.4703282292062327e-324", "0.0", "-0"])
@example(["1.7976931348623157e308", "1.7976931348623159e308", "1e309", "9007199254740993", "9007199254740995"])
@example(["4503599627370497.5", "4503599627370496.5", "8.5", ".5", "5.", "1e22", "1e23", "123456789012345678901234"])
def test_numbers_have_the_bits_of_float(tmp_path_factory, tokens):
    assert same_bits(parsed(tokens, tmp_path_factory), tokens)


def test_numbers_halfway_between_two_floats(tmp_path_factory):
    random = np.random.default_rng(0)
    exact = [str(2 * int(m) + 1) for m in random.integers(2**53, 2**54, 2000)]  # odd: halfway between two floats
    near = [f"{(2 * int(m) + 1) * 10 + d - 5}e-1" for m, d in random.integers([2**53, 0], [2**54, 11], (2000, 2))]
    assert same_bits(parsed(exact + near, tmp_path_factory), exact + near)


def test_words_for_numbers(tmp_path_factory):
    assert parsed(["inf", "-inf", "1E5", "+2"], tmp_path_factory).tolist() == [np.inf, -np.inf, 1e5, 2.0]


def plain_libsvm(text):
    """LIBSVM in a few lines of plain Python."""
    rows = []
    for line in text.split("\n"):
        words = line.split("#")[0].split()
        if words:
            pairs = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
            rows.append((float(words[0]), [(int(index), float(value)) for index, value in pairs]))
    return rows


entries = st.dictionaries(st.integers(1, 500), st.floats(allow_nan=False, allow_infinity=False), max_size=6)
space = st.sampled_from([" ", "  ", "\t"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), entries, space, st.sampled_from(["", " # note", " ", "\r"])), max_size=12),
    st.booleans(),
)
def test_rows_of_the_plain_reference(tmp_path_factory, rows, last_line_ends):
    lines = [
        gap.join([f"{label:+d}", *(f"{index}:{value!r}" for index, value in sorted(pairs.items()))]) + tail
        for label, pairs, gap, tail in rows
    ]
    text = "# a comment\n" + "\n".join(["3 qid:7 1:1 2:2", "", *lines]) + ("\n" if last_line_ends else "")
    path = tmp_path_factory.mktemp("rows") / "r.svm"
    path.write_bytes(text.encode())
    X, y = read_libsvm(path)
    found = [
        (label, list(zip((row.indices + 1).tolist(), row.data.tolist(), strict=True)))
        for label, row in zip(y.tolist(), (X[[i]] for i in range(len(y))), strict=True)
    ]
    assert found == plain_libsvm(text)


@pytest.mark.parametrize("n_rows", [1, 7, 100, 10_000])
def test_batches_are_the_rows(tmp_path, monkeypatch, n_rows):
    monkeypatch.setattr(module, "BLOCK_BYTES", 300)
    lines = [f"{i % 2} " + " ".join(f"{j}:{i + j}" for j in range(1, i % 9 + 1)) for i in range(200)]
    path = tmp_path / "t.svm"
    path.write_text("\n".join(lines))
    whole = open_source(path).read()
    source = open_source(path)
    parts = list(source.batches(n_rows))
    assert source.reading.n_features == 8 and all(part.X.shape[1] == 8 for part in parts)
    assert [len(part) for part in parts[:-1]] == [n_rows] * (len(parts) - 1)
    assert np.array_equal(np.vstack([part.X.toarray() for part in parts]), whole.X.toarray())
    assert np.concatenate([part.y for part in parts]).tolist() == whole.y.tolist()


def test_an_error_names_the_line_in_any_block(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK_BYTES", 64)
    lines = ["1 1:1 2:2"] * 100
    lines[71] = "1 1:1 2;2"
    path = tmp_path / "t.svm"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match="'2;2' in line 72"):
        read_libsvm(path)


@pytest.mark.skipif(DATA is None, reason="ROSENBLATT_DATA is not set")
@pytest.mark.parametrize("name", ["a9a", "reuters-lasvm.t"])
def test_real_files_as_scikit_learn_reads_them(name):
    from sklearn.datasets import load_svmlight_file

    path = f"{DATA}/libsvm/{name}.xz"
    X, y = read_libsvm(path)
    with lzma.open(path) as file:
        theirs, labels = load_svmlight_file(file)
    assert (theirs != X).nnz == 0 and X.shape == theirs.shape and np.array_equal(y, labels)


PIECES = [
    *"12 \n:#\t-+e0x_",
    "1:2",
    "2:3 ",
    "5:1",
    "\n1 ",
    "\n-1 ",
    " qid:4",
    "\r\n",
    ".5",
    "inf",
    "nan",
    "-1:",
    "-1:3",
]
PIECES += ["2147483647:1", "2147483646:1"]


def number_of(word):
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def strict_libsvm(text):
    """The rows of LIBSVM text, word by word; None where something does not belong there."""
    rows = []
    for line in text.split("\n"):
        words = line.partition("#")[0].split()
        if not words:
            continue
        numbers, last = [number_of(words[0])], 0
        for word in words[1:]:
            if word.startswith("qid:"):
                continue
            index, colon, value = word.partition(":")
            if not colon or not index.removeprefix("+").isdigit() or not last < int(index) <= 2**31 - 2:
                return None
            last = int(index)
            numbers += [last, number_of(value)]
        if None in numbers:
            return None
        rows.append(repr(numbers))
    return rows


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_read_as_the_reference_reads_it_or_refused(text):
    expected = strict_libsvm(text)
    if expected is None:
        with pytest.raises(module._Wrong):
            module.libsvm_rows(text.encode(), 1)
        return
    found = module.libsvm_rows(text.encode(), 1)
    rows = []
    for k, label in enumerate(found.y.tolist()):
        part = slice(found.X.indptr[k], found.X.indptr[k + 1])
        pairs = zip((found.X.indices[part] + 1).tolist(), found.X.data[part].tolist(), strict=True)
        rows.append(repr([label, *(number for pair in pairs for number in pair)]))
    assert rows == expected
