"""Files with a table of certificates: every question is there, and each is about the data."""

import json
import math
import os
import pickle

import numpy as np
import pytest

from certificates.test_files import CORNERS, NAMES, QUESTION, THREE, XOR, put, refused, same
from rosenblatt import load_certificate, separability
from rosenblatt.certificates.results import Undecided
from rosenblatt.certificates.verify import CertificateError


def test_a_table_in_one_file(tmp_path):
    table = separability(THREE, NAMES)
    assert len(table) == 6 and table.verify(THREE, NAMES)
    table.save(tmp_path / "table.json")
    found = load_certificate(tmp_path / "table.json", THREE, NAMES)
    assert str(found) == str(table) and found.records() == table.records() and found.verify(THREE, NAMES)
    for (name, one), (other_name, other) in zip(table, found, strict=True):
        assert name == other_name
        same(one, other)
    for changed in (NAMES[[1, 0, 2, 3]], np.array(["a", "b", "b", "b"])):
        with pytest.raises(CertificateError):
            load_certificate(tmp_path / "table.json", THREE, changed)
        assert not table.verify(THREE, changed)
    with pytest.raises(CertificateError):
        load_certificate(tmp_path / "table.json", THREE + 1, NAMES)


def test_a_certificate_from_a_file_knows_the_data_that_it_was_read_with(tmp_path):
    separability(CORNERS, XOR).save(tmp_path / "xor.json")
    found = load_certificate(tmp_path / "xor.json", CORNERS, XOR)
    assert found.point.tolist() == [0.5, 0.5]
    assert found.refine().verdict == found.refine(CORNERS, XOR).verdict == "overlapping"


def test_a_table_must_be_whole(tmp_path):
    y = np.array(["a", "b", "b", "c"])
    table = separability(CORNERS, y)
    table.save(tmp_path / "table.json")
    content = json.loads((tmp_path / "table.json").read_text())
    for part in ("pairs", "rest"):
        (tmp_path / "cut.json").write_text(json.dumps(content | {part: content[part][1:]}))
        with pytest.raises(CertificateError, match="every pair and every class"):
            load_certificate(tmp_path / "cut.json", CORNERS, y)
    del table.rest["a"]
    assert table.missing() == ["a against the rest"] and not table.verify(CORNERS, y)
    with pytest.raises(ValueError, match="neither yes nor no"):
        bool(table)


def test_a_table_keeps_what_is_undecided(tmp_path):
    y = np.array(["a", "b", "b", "c"])
    table = separability(CORNERS, y)
    about = table.rest["a"].about
    table.rest["a"] = Undecided("time limit", 0.5, about)
    table.save(tmp_path / "table.json")
    loaded = load_certificate(tmp_path / "table.json", CORNERS, y)
    assert loaded.rest["a"].verdict == "undecided" and loaded.rest["a"].reason == "time limit"
    assert loaded.rest["a"].margin_upper == math.inf  # a bound without its proof is not kept
    assert not loaded.verify(CORNERS, y)


def test_what_is_undecided_in_a_table_is_about_the_data(tmp_path):
    y = np.array(["a", "b", "b", "c"])
    table, path = separability(CORNERS, y), tmp_path / "table.json"
    table.rest["a"] = Undecided("time limit", 0.5, table.rest["a"].about)
    table.pairs["a", "c"] = Undecided("time limit", 0.5, table.pairs["a", "c"].about)
    table.save(path)
    content = json.loads(path.read_text())
    assert "0.5" not in json.dumps(content["rest"][0])
    wrong = {
        "classes": ["the rest", "z"],
        "shape": [1, 1],
        "digest": "",
        "fit_intercept": False,
        "margin_upper": -3,
        "reason": 7,
    }
    for part, number in (("rest", 0), ("pairs", 1)):
        for name, value in wrong.items():
            path.write_text(json.dumps(put(content, (part, number, name), value)))
            refused(path, CORNERS, y)
    path.write_text(json.dumps(put(content, ("rest", 0, "margin_upper"), 1e-9)))
    assert load_certificate(path, CORNERS, y).rest["a"].margin_upper == math.inf


def test_questions_that_nobody_came_to_know_their_data(tmp_path):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(600, 8)), random.integers(0, 4, 600)
    late, whole = separability(X, y, time_limit=1e-9), separability(X, y)
    for (name, one), (_, other) in zip(late, whole, strict=True):
        assert one.verdict == "undecided" and one.about.shape == other.about.shape, name
        assert one.about.known_by() == other.about.digest and one.about.classes == other.about.classes
    assert pickle.loads(pickle.dumps(late)).rest[0].about.known_by() == whole.rest[0].about.digest
    late.rest[0] = whole.rest[0]
    late.save(tmp_path / "table.json")
    assert load_certificate(tmp_path / "table.json", X, y).proofs == 1
    with pytest.raises(CertificateError, match="digests differ"):
        load_certificate(tmp_path / "table.json", X + 1, y)


def test_a_file_that_proves_nothing_is_neither_written_nor_read(tmp_path):
    y, path = np.array(["a", "b", "b", "c"]), tmp_path / "table.json"
    table = separability(CORNERS, y)
    table.save(path)
    content = json.loads(path.read_text())
    nothing = {"verdict": "undecided", "reason": "time limit", "margin_upper": None}
    for kind in ("pairs", "rest"):
        content[kind] = [{key: part[key] for key in QUESTION} | nothing for part in content[kind]]
    path.write_text(json.dumps(content))
    assert "proves nothing" in refused(path, CORNERS, y)
    part = content["pairs"][0] | {key: content[key] for key in ("format", "protocol")}
    path.write_text(json.dumps(part))
    assert "no proof" in refused(path, CORNERS[:3], y[:3])
    for questions in (table.pairs, table.rest):
        for name, certificate in questions.items():
            questions[name] = Undecided("time limit", 0.5, certificate.about)
    with pytest.raises(ValueError, match="no proof to save"):
        table.save(tmp_path / "other.json")
    assert os.listdir(tmp_path) == ["table.json"]


def test_a_table_answers_one_question(tmp_path):
    """Answers about hyperplanes through the origin, refinements or more pairs are not put among the others."""
    y, path = np.array(["a", "a", "b", "b", "c", "c"]), tmp_path / "table.json"
    X = np.array([[1.0], [1.5], [2.0], [2.5], [3.0], [3.5]])
    with_intercept, without = separability(X, y), separability(X, y, False)
    assert without.intercept is False and with_intercept.intercept is True
    assert "through the origin" in str(without) and "through the origin" not in str(with_intercept)
    assert "through the origin" in without.verify(X, y).reason
    files = {}
    for name, table in (("with", with_intercept), ("without", without)):
        table.save(path)
        assert load_certificate(path, X, y).intercept is table.intercept
        files[name] = json.loads(path.read_text())
    for one, other in (("with", "without"), ("without", "with")):
        for part in ("pairs", "rest"):
            path.write_text(json.dumps(files[one] | {part: files[other][part]}))
            assert "mixes the two" in refused(path, X, y)
            path.write_text(json.dumps(files[one] | {part: [files[other][part][0], *files[one][part][1:]]}))
            assert "mixes the two" in refused(path, X, y)
    mixed = separability(X, y)
    mixed.pairs["a", "b"] = without.pairs["a", "b"]
    assert "mixes the two" in mixed.verify(X, y).reason

    refined = separability(X, y)
    refined.rest["b"] = refined.rest["b"].refine()
    assert "something else" in refined.verify(X, y).reason
    refined.save(path)
    assert "something else" in refused(path, X, y)

    extra = files["with"]["pairs"][0]
    for classes in (["b", "a"], ["a", "a"]):
        path.write_text(json.dumps(files["with"] | {"pairs": [*files["with"]["pairs"], extra | {"classes": classes}]}))
        refused(path, X, y)
    more = separability(X, y)
    more.pairs["b", "a"] = separability(X[:4], y[:4])
    assert "nothing else" in more.verify(X, y).reason
    more.save(path)  # by the classes of the certificate: the same question twice
    assert len(load_certificate(path, X, y)) == 6
