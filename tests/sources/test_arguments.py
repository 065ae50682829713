"""Wrong arguments of what makes and reads sets get one sentence of our own."""

import numpy as np
import pytest

from rosenblatt import sources
from rosenblatt.sources import fetch

WRONG = [
    ("blobs", {"n_samples": "a"}, "n_samples must be a whole number of at least 2, but 'a'"),
    ("blobs", {"n_samples": 2.5}, "n_samples must be a whole number"),
    ("blobs", {"n_features": None}, "n_features must be a whole number of at least 1"),
    ("blobs", {"margin": "a"}, "margin must be a finite number"),
    ("blobs", {"offset": float("nan")}, "offset must be a finite number"),
    ("blobs", {"random_state": -1}, "random_state must be None"),
    ("overlapping_blobs", {"flipped": None}, "flipped must be a finite number"),
    ("overlapping_blobs", {"random_state": "x"}, "random_state must be None"),
    ("circles", {"outer": "a"}, "outer must be a finite number"),
    ("spirals", {"turns": None}, "turns must be a finite number"),
    ("spirals", {"n_samples": [3]}, "n_samples must be a whole number"),
    ("sparse_separable", {"n_features": 2.5}, "n_features must be a whole number"),
    ("sparse_separable", {"density": "a"}, "density must be a finite number"),
    ("two_points", {"a": "x"}, "a must be a finite number"),
    ("digits", {"test_size": 2.0}, "test_size must be a fraction above 0 and below 1 .* but 2.0 came"),
    ("iris", {"test_size": 0.001}, "test_size must be a fraction"),
    ("wine", {"test_size": "a"}, "test_size must be a fraction"),
    ("breast_cancer", {"random_state": 1.5}, "random_state must be None or a whole number"),
    ("a9a", {"dtype": "x"}, "dtype must be float64 or float32, but 'x' came"),
    ("newsgroups_tfidf", {"dtype": "x"}, "dtype must be float64 or float32"),
    ("locate", {"name": None}, "name must be a key of"),
    ("read_idx", {"path": None}, "A path must be"),
    ("read_idx", {"path": "no/such"}, "no/such must be a file, but there is none"),
    ("read_libsvm", {"path": "."}, r"\. must be a file, but it is a folder"),
    ("read_libsvm", {"path": "x", "dtype": int}, "dtype must be float64 or float32, but int64 came"),
    ("open_source", {"paths": None}, "paths must be names of files"),
    ("open_source", {"paths": [3]}, "paths must be names of files, but 3 came"),
    ("open_source", {"paths": "x", "separator": 3}, "separator must be one ASCII character"),
    ("open_source", {"paths": "x", "encoding": None}, "encoding must be one that Python knows"),
    ("open_source", {"paths": "x", "header": "no"}, "header must be True or False"),
    ("open_source", {"paths": "x", "n_features": "a"}, "n_features must be a whole number"),
]


@pytest.mark.parametrize(("function", "arguments", "words"), WRONG)
def test_wrong_arguments(monkeypatch, function, arguments, words):
    monkeypatch.setattr(sources.sets, "locate", lambda name: "no/such")
    monkeypatch.setattr(sources.text, "newsgroups", lambda kind: None)
    with pytest.raises((ValueError, TypeError, OSError), match=words) as raised:
        getattr(sources, function)(**arguments)
    said = str(raised.value)
    assert said.endswith(".") or "did you mean" in said
    assert "\n" not in said and ";" in said


def test_a_cache_that_is_a_file(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ROSENBLATT_DATA", "")
    with pytest.raises(NotADirectoryError, match=r"must be kept in a folder, but .*cache is a file; set"):
        fetch.locate("libsvm/a9a")


def test_numpy_numbers_are_numbers():
    toy = sources.blobs(np.int64(10), np.int32(3), np.float32(0.5), random_state=np.random.default_rng(0))
    assert toy.X.shape == (10, 3)
