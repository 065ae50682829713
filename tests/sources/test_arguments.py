"""Wrong arguments of what makes and reads sets get one sentence of our own."""

import numpy as np
import pytest

from rosenblatt import sources
from rosenblatt.sources import fetch

TEXTS = sources.Split(["some words", "other words"], np.array([0, 1]), ["words"], np.array([0]))
MATRIX = sources.Matrix(np.arange(6.0).reshape(3, 2), np.array([0, 1, 0]))
WRONG = [
    ("blobs", {"n_samples": "a"}, "n_samples must be a whole number of at least 2, but 'a'"),
    ("blobs", {"n_samples": 2.5}, "n_samples must be a whole number"),
    ("blobs", {"n_features": None}, "n_features must be a whole number of at least 1"),
    ("blobs", {"margin": "a"}, "margin must be a finite number"),
    ("blobs", {"offset": float("nan")}, "offset must be a finite number"),
    ("blobs", {"n_samples": 10**12}, "A set must fit into memory, but one with n_samples=1,000,000,000,000 and n_f"),
    ("blobs", {"n_features": 10**30}, "A set must fit into memory"),
    ("blobs", {"margin": 10**400}, r"margin must be a finite number, but 1000.*000 came"),
    ("blobs", {"radius": 1e300}, r"radius and offset must be at most 10\*\*12 times the margin"),
    ("blobs", {"offset": -1e14}, "radius and offset must be at most"),
    ("blobs", {"random_state": -1}, "random_state must be None"),
    ("overlapping_blobs", {"flipped": None}, "flipped must be a finite number"),
    ("overlapping_blobs", {"random_state": "x"}, "random_state must be None"),
    ("overlapping_blobs", {"twins": "a"}, "twins must be True or False, but 'a' came"),
    ("overlapping_blobs", {"twins": None}, "twins must be True or False"),
    ("circles", {"n_samples": 10**12}, "A set must fit into memory, but one with n_samples=1,000,000,000,000 does"),
    ("spirals", {"n_samples": 10**30}, "A set must fit into memory"),
    ("sparse_separable", {"n_samples": 10**12}, "A set must fit into memory"),
    ("sparse_separable", {"n_features": 10**30}, "A set must fit into memory"),
    ("circles", {"outer": "a"}, "outer must be a finite number"),
    ("spirals", {"turns": None}, "turns must be a finite number"),
    ("spirals", {"n_samples": [3]}, "n_samples must be a whole number"),
    ("sparse_separable", {"n_features": 2.5}, "n_features must be a whole number"),
    ("sparse_separable", {"density": "a"}, "density must be a finite number"),
    ("two_points", {"a": "x"}, "a must be a finite number"),
    ("two_points", {"a": 2**53 + 1, "b": 2**53}, "and 9007199254740992 came, which are the same float64;"),
    ("digits", {"test_size": 2.0}, "test_size must be a fraction above 0 and below 1, .* but 2.0 came"),
    ("iris", {"test_size": 0.001}, "test_size must be a fraction"),
    ("iris", {"test_size": 2}, "test_size must be a fraction above 0 and below 1, or a number of rows"),
    ("iris", {"test_size": 149}, "test_size must be a fraction"),
    ("iris", {"test_size": True}, "test_size must be a fraction"),
    ("blobs", {"n_samples": 10**5000}, "n_samples must|A set must fit into memory"),
    ("blobs", {"n_samples": "a" * 1000}, r"n_samples must be a whole number .* but 'a+\.\.\.a+' came"),
    ("iris", {"test_size": None}, "test_size must be a fraction"),
    ("wine", {"test_size": "a"}, "test_size must be a fraction"),
    ("breast_cancer", {"random_state": 1.5}, "random_state must be None, a whole number"),
    ("a9a", {"dtype": "x"}, "dtype must be float64 or float32, but 'x' came"),
    ("newsgroups_tfidf", {"dtype": "x"}, "dtype must be float64 or float32"),
    ("newsgroups_tfidf", {"foo": 3}, "options must be parameters of TfidfVectorizer, but 'foo' is none"),
    ("newsgroups_tfidf", {"min_df": "a"}, r"options must be .*, but {'min_df': 'a'} came, of which it says .*float"),
    ("newsgroups_tfidf", {"min_df": 9}, "options must be such that TfidfVectorizer can use them"),
    ("newsgroups_tfidf", {"token_pattern": "("}, "options must be such that TfidfVectorizer can use them"),
    ("newsgroups", {"kind": []}, "kind must be 'messages' or 'bodies'"),
    ("locate", {"name": None}, "name must be a key of"),
    ("locate", {"name": ["libsvm/a9a"]}, "name must be a key of"),
    ("download", {"file": "libsvm/a9a", "folder": "."}, "file must be a KnownFile, but 'libsvm/a9a' came"),
    ("download", {"file": sources.FILES["libsvm/a9a"], "folder": None}, "folder must be a str or a path-like"),
    ("checksum", {"path": None}, "A path must be"),
    ("checksum", {"path": "no/such"}, "no/such must be a file, but there is none"),
    ("checksum", {"path": __file__, "libsvm": "yes"}, "libsvm must be True or False"),
    ("mnist_pair", {"a": [1], "b": 2}, r"a and b must be two different digits from 0 to 9, but \[1\] and 2 came"),
    ("mnist_pair", {"a": True, "b": 2}, "a and b must be two different digits"),
    ("mnist_pair", {"a": 0, "b": np.arange(3)}, "a and b must be two different digits"),
    ("read_idx", {"path": None}, "A path must be"),
    ("read_idx", {"path": "no/such"}, "no/such must be a file, but there is none"),
    ("read_libsvm", {"path": "."}, r"\. must be a file, but it is a folder"),
    ("read_libsvm", {"path": __file__, "zero_based": 1}, "zero_based must be True or False"),
    ("read_libsvm", {"path": __file__, "n_features": 10**30}, "n_features must be a whole number from 1 to"),
    ("read_libsvm", {"path": "x", "dtype": int}, "dtype must be float64 or float32, but int64 came"),
    ("open_source", {"paths": None}, "paths must be names of files"),
    ("open_source", {"paths": [3]}, "paths must be names of files, but got 3"),
    ("open_source", {"paths": b"iris.csv"}, "paths must be names of files, but got b'iris.csv'"),
    ("open_source", {"paths": "x", "format": ["csv"]}, "format must be one of csv"),
    ("open_source", {"paths": "x", "separator": 3}, "separator must be one ASCII character"),
    ("open_source", {"paths": "x", "encoding": None}, "encoding must be one that Python knows"),
    (
        "open_source",
        {"paths": "x", "encoding": "a\0b"},
        "encoding must be .* but got 'a.x00b'",
    ),
    ("open_source", {"paths": "x", "encoding": "undefined"}, "encoding must be one that Python knows"),
    ("open_source", {"paths": "x", "header": "no"}, "header must be True or False"),
    ("open_source", {"paths": "x", "n_features": "a"}, "n_features must be a whole number"),
]


@pytest.mark.parametrize(("function", "arguments", "words"), WRONG)
def test_wrong_arguments(monkeypatch, function, arguments, words):
    monkeypatch.setattr(sources.sets, "locate", lambda name: "no/such")
    if function == "newsgroups_tfidf":
        monkeypatch.setattr(sources.text, "newsgroups", lambda kind: TEXTS)
    with pytest.raises((ValueError, TypeError, OSError, MemoryError), match=words) as raised:
        getattr(sources, function)(**arguments)
    said = str(raised.value)
    assert said.endswith(".") or "did you mean" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MATRIX.with_target("a"), "The target must be the number of a column, but 'a' came"),
        (lambda: MATRIX.with_target(True), "The target must be the number of a column"),
        (lambda: MATRIX.with_target(7), "The target must be a column from 0 to 1"),
        (lambda: MATRIX.take([7]), r"rows must be whole numbers below 3 or a mask of so many, but \[7\] came"),
        (lambda: MATRIX.take("a"), "rows must be whole numbers below 3"),
        (lambda: MATRIX.take(None), "rows must be whole numbers below 3"),
        (lambda: sources.Matrix.stacked([]), "parts must be a list of at least one Matrix"),
        (lambda: sources.Matrix.stacked([1, 2]), "parts must be a list of at least one Matrix"),
    ],
)
def test_wrong_arguments_of_a_matrix(call, words):
    with pytest.raises((ValueError, TypeError, IndexError), match=words) as raised:
        call()
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)


def test_wrong_arguments_of_a_source(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    source = sources.open_source(path)
    with pytest.raises(ValueError, match="seed must be None, a whole number of at least 0"):
        list(source.placed_blocks("a"))
    with pytest.raises(ValueError, match="row must be a whole number of at least 0, but -1 came"):
        source.place_of(-1)
    assert [len(batch) for batch in source.batches(10**30)] == [2]


def test_numbers_near_the_end_of_floats():
    far = sources.two_points(1.5e308, -1.5e308)
    assert (far.margin, far.offset) == (1.5e308, 0.0)
    assert sources.two_points(1.5e308, 1.4e308).offset == -1.45e308
    wide = sources.blobs(20, 3, margin=1e-3, radius=1e8, offset=1e8, random_state=0)
    margins = wide.y * (wide.X @ wide.normal + wide.offset)
    assert abs(margins.min() - 1e-3) < 1e-6


def test_a_cache_that_is_a_file(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ROSENBLATT_DATA", "")
    with pytest.raises(NotADirectoryError, match=r"must be kept in a folder, but .*cache is a file; set"):
        fetch.locate("libsvm/a9a")


def test_numpy_numbers_are_numbers():
    toy = sources.blobs(np.int64(10), np.int32(3), np.float32(0.5), random_state=np.random.default_rng(0))
    assert toy.X.shape == (10, 3)
