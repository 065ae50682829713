"""Certificate files: what is read is what was written, and it is verified; anything else is refused in a sentence."""

import json
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from certificates.problems import overlapping_integers, separable_integers, small_problems, touching_integers
from rosenblatt import load_certificate, separability
from rosenblatt.certificates.results import Separable, Undecided
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
