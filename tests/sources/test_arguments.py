"""Wrong arguments of what makes and reads sets get one sentence of our own."""

import numpy as np
import pytest

from rosenblatt import sources

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
    ("two_points", {"a": 2**53 + 1, "b": 2**53}, "must be different float64 numbers, but both are 9007199254740992"),
    ("blobs", {"n_samples": 10**5000}, "n_samples must|A set must fit into memory"),
    ("blobs", {"n_samples": "a" * 1000}, r"n_samples must be a whole number .* but 'a+\.\.\.a+' came"),
    ("a9a", {"dtype": "x"}, "dtype must be float64 or float32, but 'x' came"),
    ("newsgroups_tfidf", {"dtype": "x"}, "dtype must be float64 or float32"),
    ("newsgroups", {"kind": []}, "kind must be 'messages' or 'bodies'"),
    ("mnist_pair", {"a": 3, "b": 3}, "a and b must be two different digits from 0 to 9, but 3 and 3 came"),
    ("locate", {"name": None}, "name must be a key of"),
    ("locate", {"name": ["libsvm/a9a"]}, "name must be a key of"),
    ("checksum", {"path": None}, "A path must be"),
    ("checksum", {"path": "no/such"}, "no/such must be a file, but there is none"),
    ("checksum", {"path": __file__, "libsvm": "yes"}, "libsvm must be True or False"),
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


def test_numpy_numbers_are_numbers():
    toy = sources.blobs(np.int64(10), np.int32(3), np.float32(0.5), random_state=np.random.default_rng(0))
    assert toy.X.shape == (10, 3)
