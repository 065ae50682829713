"""Certificate files: what is read is what was written, and it is verified; anything else is refused in a sentence."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from certificates.problems import overlapping_integers, separable_integers, small_problems, touching_integers
from rosenblatt import load_certificate, separability
from rosenblatt.certificates.results import Separable
from rosenblatt.certificates.verify import CertificateError

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])
LINE, STEP = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
THREE, NAMES = np.array([[0.0, 1], [1, 0], [2, 5], [3, 3]]), np.array(["a", "b", "c", "b"])

QUESTION = ("classes", "fit_intercept", "shape", "digest")


def kinds():
    yield "separable", separability(CORNERS, AND), CORNERS, AND
    yield "not separable", separability(CORNERS, XOR), CORNERS, XOR
    yield "overlapping", separability(CORNERS, XOR).refine(), CORNERS, XOR
    yield "quasi-complete", separability(LINE, STEP).refine(), LINE, STEP
    X, signs = separable_integers(400, 5, 2, seed=1)
    yield "large separable", separability(X * 0.1, signs), X * 0.1, signs
    X, signs = overlapping_integers(300, 6, seed=1)
    yield "large overlapping", separability(X * 0.1, signs).refine(), X * 0.1, signs
    X, signs = touching_integers(300, 5, seed=1)
    yield "large touching", separability(X, signs).refine(), X, signs
    yield "through the origin", separability(CORNERS[1:], XOR[1:], False), CORNERS[1:], XOR[1:]


def same(one, other):
    if isinstance(one, Separable):
        assert np.array_equal(one.normal, other.normal) and np.array_equal(one.support_vectors, other.support_vectors)
        names = ("offset", "margin", "margin_upper", "radius", "gamma", "gamma_upper", "mistake_bound", "hull")
        assert all(getattr(one, name) == getattr(other, name) for name in (*names, "theorem_hull", "about"))
        for plane in ("plane", "theorem_plane"):
            assert getattr(one, plane) == getattr(other, plane)
    elif one.verdict == "quasi-complete":
        assert np.array_equal(one.normal, other.normal) and one.strictly == other.strictly
        assert (one.offset, one.plane, one.about) == (other.offset, other.plane, other.about)
        assert one.witness == other.witness
    else:
        assert one == other
    assert str(one) == str(other)


@pytest.mark.parametrize("place", range(8))
def test_what_is_read_is_what_was_written(tmp_path, place):
    name, certificate, X, y = list(kinds())[place]
    path = tmp_path / "certificate.json"
    certificate.save(path)
    found = load_certificate(str(path), X, y)
    assert found.verdict in (name, certificate.verdict)
    same(certificate, found)
    assert found.verify(X, y)
    assert os.listdir(tmp_path) == ["certificate.json"]


@given(problem=small_problems())
@settings(max_examples=60)
def test_any_small_certificate_survives_a_file(tmp_path, problem):
    X, signs, intercept = problem
    certificate = separability(X, signs, intercept)
    for each in [certificate] if certificate else [certificate, certificate.refine()]:
        each.save(tmp_path / "certificate.json")
        same(each, load_certificate(tmp_path / "certificate.json", X, signs))


def places_of(content):
    """Every object in a file, the file itself first."""
    if isinstance(content, dict):
        yield content
    for each in content.values() if isinstance(content, dict) else content if isinstance(content, list) else []:
        yield from places_of(each)


def test_what_nobody_reads_is_refused(tmp_path):
    """A claim that no one checks, in any place of any kind of file, would seem to be proven."""
    path = tmp_path / "certificate.json"
    tables = [("table", separability(THREE, NAMES), THREE, NAMES)]
    for _, certificate, X, y in [*list(kinds())[:5], *tables]:
        certificate.save(path)
        text = path.read_text()
        for place in range(len(list(places_of(json.loads(text))))):
            content = json.loads(text)
            list(places_of(content))[place]["accuracy"] = 1.0
            path.write_text(json.dumps(content))
            told = "^The certificate is damaged: 'accuracy' in .* is none of the fields that are checked, .*\\.$"
            with pytest.raises(CertificateError, match=told):
                load_certificate(path, X, y)
        path.write_text(text)
        load_certificate(path, X, y)


def test_a_part_of_a_table_is_no_file(tmp_path):
    table = separability(THREE, NAMES)
    table.save(tmp_path / "table.json")
    content = json.loads((tmp_path / "table.json").read_text())
    content["pairs"][0]["protocol"] = 2
    (tmp_path / "table.json").write_text(json.dumps(content))
    with pytest.raises(CertificateError, match="'protocol' in pairs"):
        load_certificate(tmp_path / "table.json", THREE, NAMES)


def test_the_question_is_in_the_words(tmp_path):
    X, y, path = CORNERS[1:], XOR[1:], tmp_path / "certificate.json"
    for certificate in (separability(X, y, False), separability(CORNERS, XOR, False)):
        rows = X if certificate.about.shape[0] == 3 else CORNERS
        labels = y if rows is X else XOR
        assert "hyperplane through the origin" in str(certificate)
        assert "by a hyperplane through the origin" in certificate.verify(rows, labels).reason
    certificate.save(path)
    content = json.loads(path.read_text())
    for value in (0, 0.0, "false", None):
        path.write_text(json.dumps(content | {"fit_intercept": value}))
        assert "true or false" in refused(path, CORNERS, XOR)


def test_a_witness_is_stored_as_its_rows():
    """The weights, of thousands of digits on large data, are solved for again."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(400, 30)), random.integers(0, 2, 400)
    found = separability(X, y)
    assert len(str(found.weights[0].denominator)) > 400


def test_other_data_is_refused(tmp_path):
    for name, certificate, X, y in kinds():
        path = tmp_path / f"{name}.json"
        certificate.save(path)
        other = np.array(X, dtype=np.float64)
        other[0, 0] += 1
        with pytest.raises(CertificateError, match="digests differ"):
            load_certificate(path, other, y)
        with pytest.raises(CertificateError, match="is about"):
            load_certificate(path, X[1:], y[1:])


# --------------------------------------------------------------------------------------------------- damaged files


def refused(path, X, y):
    with pytest.raises(CertificateError) as caught:
        load_certificate(path, X, y)
    message = str(caught.value)
    assert message.endswith(".") and "\n" not in message and len(message) < 400
    return message


@pytest.mark.parametrize("text", ["", "{", "[]", "1", "null", '"certificate"', "\xff\xfe", "[" * 100_000, "{}", "NaN"])
def test_what_is_no_certificate(tmp_path, text):
    path = tmp_path / "certificate.json"
    path.write_bytes(text.encode("latin1"))
    assert "must be a certificate" in refused(path, CORNERS, AND)


def test_another_format_or_protocol(tmp_path):
    path = tmp_path / "certificate.json"
    separability(CORNERS, AND).save(path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"format": "something else"}))
    assert "must be a certificate of this library" in refused(path, CORNERS, AND)
    for protocol in (0, 2, None, "1"):
        path.write_text(json.dumps(content | {"protocol": protocol}))
        assert "update the library" in refused(path, CORNERS, AND)


@pytest.mark.parametrize("place", range(4))
def test_a_file_cut_short(tmp_path, place):
    _, certificate, X, y = list(kinds())[place]
    path = tmp_path / "certificate.json"
    certificate.save(path)
    text = path.read_text()
    for length in range(0, len(text.rstrip()), 7):
        path.write_text(text[:length])
        refused(path, X, y)


BAD = [None, True, "x", "", -1, 0.5, 99, 1e400, float("nan"), [], {}, [None], ["x", "y"], [0.0], {"rows": [0]}, 10**30]


def places(content, path=()):
    """The way to every value in a JSON file."""
    yield path
    children = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in children:
        yield from places(value, (*path, key))


def put(content, path, value):
    if not path:
        return value
    copy = dict(content) if isinstance(content, dict) else list(content)
    copy[path[0]] = put(copy[path[0]], path[1:], value)
    return copy


@pytest.mark.parametrize("kind", [*range(4), "table"])
def test_anything_altered_is_refused_or_still_proven(tmp_path, kind):
    """Every value in turn becomes something else: a sentence, or a certificate that is true; never another error."""
    X, y = (THREE, NAMES) if kind == "table" else list(kinds())[kind][2:]
    certificate = separability(THREE, NAMES) if kind == "table" else list(kinds())[kind][1]
    path = tmp_path / "certificate.json"
    certificate.save(path)
    content = json.loads(path.read_text())
    wrong = []
    for number, place in enumerate(places(content)):
        if kind == "table" and len(place) > 1 and (place[0], place[1]) not in (("pairs", 0), ("rest", 1)):
            continue  # one of each is enough
        # A table is made of the certificates of the other kinds, where every value was tried in every place.
        for value in BAD[number % 3 :: 3] if kind == "table" and len(place) > 2 else BAD:
            path.write_text(json.dumps(put(content, place, value)))
            try:
                found = load_certificate(path, X, y)
            except CertificateError as error:
                if "\n" in str(error) or not str(error).endswith("."):
                    wrong.append((place, value, str(error)))
            except Exception as error:
                wrong.append((place, value, repr(error)))
            else:
                if not found.verify(X, y) or len(str(found)) == 0:
                    wrong.append((place, value, "loaded, but does not verify"))
    assert not wrong, f"{len(wrong)} of them, such as {wrong[:8]}"


def test_a_missing_key_is_named(tmp_path):
    for name, certificate, X, y in list(kinds())[:4]:
        path = tmp_path / f"{name}.json"
        certificate.save(path)
        content = json.loads(path.read_text())
        for key in content:
            path.write_text(json.dumps({k: v for k, v in content.items() if k != key}))
            refused(path, X, y)


@pytest.mark.parametrize(
    "changed", [{"margin": [1.0, 2.0]}, {"radius": 0.1}, {"radius": 1000}, {"mistake_bound": "3"}, {"gamma": [9, 9]}]
)
def test_an_altered_claim(tmp_path, changed):
    path = tmp_path / "certificate.json"
    separability(CORNERS, AND).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    refused(path, CORNERS, AND)


def test_rows_that_are_no_witness(tmp_path):
    path = tmp_path / "certificate.json"
    separability(CORNERS, XOR).save(path)
    content = json.loads(path.read_text())
    for rows in ([0, 1], [0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 7], [], [0, 1, 2, -1]):
        path.write_text(json.dumps(content | {"rows": rows}))
        refused(path, CORNERS, XOR)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        load_certificate(tmp_path / "none.json", CORNERS, AND)
    assert "none.json" in str(caught.value)


# ------------------------------------------------------------------------------------------------------------ saving


def test_a_failed_save_leaves_no_file_and_the_old_one_intact(tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    separability(CORNERS, AND).save(path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        separability(CORNERS, XOR).save(path)
    with pytest.raises(OSError, match="No space"):
        separability(CORNERS, XOR).save(tmp_path / "other.json")
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["certificate.json"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="could not be written"):
        separability(CORNERS, AND).save(tmp_path / "none" / "certificate.json")


def test_a_folder_in_the_place_of_the_file(tmp_path):
    with pytest.raises(OSError):
        separability(CORNERS, AND).save(tmp_path)
    assert not os.listdir(tmp_path) and not list(Path(tmp_path.parent).glob(f".{tmp_path.name}.*"))


def test_undecided_is_not_saved(tmp_path):
    random = np.random.default_rng(0)
    found = separability(random.normal(size=(3000, 20)), random.integers(0, 2, 3000), time_limit=1e-9)
    with pytest.raises(ValueError, match="no proof to save"):
        found.save(tmp_path / "certificate.json")
    assert os.listdir(tmp_path) == []
