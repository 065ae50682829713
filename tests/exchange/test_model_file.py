"""Model files: the same bits after a round trip, nothing run on load, the old file kept when a save fails."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import rosenblatt
from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, load, save
from rosenblatt.exchange.model_file import description
from rosenblatt.exchange.values import checked_csr
from rosenblatt.models.file import read_file, write_file
from rosenblatt.sources import overlapping_blobs
from tests.exchange.models import own_rule

TOY = overlapping_blobs(120, 5, random_state=0)


MODELS = {
    "perceptron": Perceptron(max_iter=5, random_state=0),
    "averaged": Perceptron("averaged", max_iter=5, random_state=0),
    "voted": Perceptron("voted", max_iter=5, random_state=0),
    "pocket": Perceptron("pocket", max_iter=5, random_state=0, class_weight={-1: 2.0, 1: 1.0}),
    "coupled": PassiveAggressive(variant="PA-II", multi_class="coupled", max_iter=5, random_state=0),
    "own rule": HalfSpace(rule=own_rule, params=[0.5], max_iter=5, random_state=0),
    "schedule": Perceptron(learning_rate=lambda t: 1 / t, max_iter=5, random_state=0),
}


# A file does not know which rule has made its weights: those that are compiled here alone come in one kind of rows.
ONE_KIND = {"own rule": "float64", "schedule": "float64", "coupled": "csr"}
CASES = [
    pytest.param(name, kind, marks=[pytest.mark.slow] if ONE_KIND.get(name, kind) != kind else [])
    for name in MODELS
    for kind in ("float64", "float32", "csr")
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_decisions_are_the_same_bits_after_a_round_trip(name, kind, tmp_path):
    X = scipy.sparse.csr_array(TOY.X) if kind == "csr" else TOY.X.astype(kind)
    fitted = MODELS[name].fit(X, TOY.y)
    save(fitted, tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert loaded.decision_function(X).tobytes() == fitted.decision_function(X).tobytes()
    assert loaded.predict(X).tolist() == fitted.predict(X).tolist()
    assert loaded.stop_reason_ == fitted.stop_reason_ and len(loaded.trace_) == len(fitted.trace_)
    assert set(loaded.answers_) == set(fitted.answers_)


def test_learning_goes_on_where_it_stopped(tmp_path):
    first, second = (Perceptron("averaged").partial_fit(TOY.X[:60], TOY.y[:60]) for _ in range(2))
    save(second, tmp_path / "model.safetensors")
    second = load(tmp_path / "model.safetensors")
    for model in (first, second):
        model.partial_fit(TOY.X[60:], TOY.y[60:] * 2)  # a class that is new to both
    assert first.coef_.tobytes() == second.coef_.tobytes()


def test_named_features_survive(tmp_path):
    model = Perceptron()
    for x, y in [({"a": 1.0, "b": 2.0}, "x"), ({"c": 1.0}, "y"), ({"a": 1.0, "word": "hello"}, "x")]:
        model.learn_one(x, y)
    save(model, tmp_path / "model.safetensors")
    assert load(tmp_path / "model.safetensors").predict_one({"c": 1.0}) == model.predict_one({"c": 1.0})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["own rule", "schedule"])
def test_a_function_of_the_users_own_is_asked_for_when_training_goes_on(name, tmp_path):
    save(MODELS[name].fit(TOY.X, TOY.y), tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match=r"holds no code: .* set_params\((rule|learning_rate)=...\)"):
        loaded.fit(TOY.X, TOY.y)
    loaded.predict(TOY.X)
    parameter = "rule" if name == "own rule" else "learning_rate"
    loaded.set_params(**{parameter: getattr(MODELS[name], parameter)}).fit(TOY.X, TOY.y)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        save(Perceptron().fit([[0.0], [2.0]], [0, 1]), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.safetensors"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One model file: another fit would take other seconds, and its file have another length."""
    path = tmp_path_factory.mktemp("whole") / "model.safetensors"
    save(Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"]), path)
    return path.read_bytes()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path_factory, whole, data):
    folder = tmp_path_factory.mktemp("damaged")
    content = bytearray(whole)
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    (folder / "model.safetensors").write_bytes(content)
    said = ""
    try:
        loaded = load(folder / "model.safetensors")
    except ValueError as error:
        said = str(error)
    if said:
        assert "\n" not in said
        assert "model.safetensors" in said
    else:  # the change met a number, or a name that may be any
        assert isinstance(loaded, Perceptron)


def test_every_number_is_under_the_seal(whole, tmp_path):
    path = tmp_path / "model.safetensors"
    first = 8 + int.from_bytes(whole[:8], "little")  # where the arrays begin
    assert len(whole) - first > 100
    for place in np.linspace(first, len(whole) - 1, 40).astype(int).tolist():
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        path.write_bytes(content)
        with pytest.raises(ValueError, match="its checksum does not match"):
            load(path)


def test_an_array_that_belongs_to_nothing_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    header, arrays = description(Perceptron().fit([[0.0], [1.0]], [0, 1]))
    write_file(path, header, arrays)
    load(path)
    write_file(path, header, {**arrays, "more": np.zeros(3)})
    with pytest.raises(ValueError, match="'more' is not used"):
        load(path)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([0, 1], [1, 1, 2]), ([0, 1], [0, 1, 1]), ([0, 1], [0, 3, 2]), ([0, 1], [0, 2]), ([0, 2], [0, 1, 2]),
     ([-1, 1], [0, 1, 2]), ([0], [0, 1, 2]), ([0, 1], [0, -1, 2])],
)  # fmt: skip
def test_sparse_rows_that_would_lead_a_loop_astray_are_refused(indices, indptr):
    data = np.ones(2)
    assert checked_csr(data, np.array([0, 1]), np.array([0, 1, 2]), (2, 2)).nnz == 2
    with pytest.raises(ValueError, match="sparse matrix"):
        checked_csr(data, np.array(indices), np.array(indptr), (2, 2))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"protocol": 4, "kind": "Perceptron"}, "has protocol '?4"),
        ({"kind": "os.system"}, "does not hold a valid model"),
        ({"kind": "Perceptron", "params": {"no_such": 1}}, "does not hold a valid model"),
    ],
)
def test_what_is_not_known_is_refused(header, message, tmp_path):
    write_file(tmp_path / "model.safetensors", header, {"a": np.zeros(1)})
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "model.safetensors")


@pytest.mark.parametrize("content", [b"", b"hello", b"\x80\x04\x95", json.dumps({"a": 1}).encode()])
def test_other_files_are_refused(content, tmp_path):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a model file written by rosenblatt\.save"):
        load(tmp_path / "other")
    with pytest.raises(FileNotFoundError, match="No such file"):
        load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match="is not a file"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [(Perceptron(), "is not fitted"), ("text", "Cannot save str"), (object(), "Cannot save object")],
)
def test_only_fitted_estimators_are_saved(model, message, tmp_path):
    with pytest.raises((TypeError, ValueError), match=message):
        save(model, tmp_path / "model.safetensors")
    assert not os.listdir(tmp_path)


def test_a_loaded_model_predicts_in_another_process_without_compiling_anything(tmp_path):
    save(Perceptron("pocket", max_iter=5).fit(TOY.X, TOY.y), tmp_path / "model.safetensors")
    script = (
        "import sys, numpy, rosenblatt; model = rosenblatt.load(sys.argv[1]);"
        "print(model.predict(numpy.zeros((1, 5)))[0], 'numba' in sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "model.safetensors"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert output[1] == "False"


def test_the_header_says_what_wrote_it(tmp_path):
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "model.safetensors")
    header, arrays = read_file(tmp_path / "model.safetensors")
    assert header["protocol"] == 3 and header["version"] == rosenblatt.__version__
    assert arrays["model.fitted.classes_"].tolist() == [0, 1]
