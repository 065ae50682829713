"""Every model after a round trip through a file: the same bits, and learning goes on as without it."""

import datetime
import importlib
import json

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, QuantileTransformer, StandardScaler

from rosenblatt import KernelPerceptron, LeastSquares, Perceptron, describe, load, save
from rosenblatt.estimators.committee import check_updates
from rosenblatt.exchange.table import MODELS, NAMES, OURS, PARTS, SCIKIT, thing_of
from rosenblatt.exchange.values import Reader, Writer
from tests.exchange import models

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The sigmoid kernel is not known"),
]


def after_a_round_trip(model, folder, about=None):
    save(model, folder / "model.safetensors", about=about)
    return load(folder / "model.safetensors")


def assert_same(first, second):
    assert first.dtype == second.dtype and first.shape == second.shape
    assert first.tolist() == second.tolist() if first.dtype == object else first.tobytes() == second.tobytes()


@pytest.mark.parametrize("name", models.EVERYTHING)
def test_answers_are_the_same_bits(name, tmp_path):
    model, rows = models.fitted(name)
    loaded = after_a_round_trip(model, tmp_path)
    for first, second in zip(models.answer_twice(model, rows), models.answer_twice(loaded, rows), strict=True):
        assert_same(first, second)
    if hasattr(model, "answers_"):
        assert set(model.answers_) == set(loaded.answers_)
    assert type(loaded) is type(model)
    # And once more: what is loaded can be saved, to the same file.
    before = (tmp_path / "model.safetensors").read_bytes()
    save(loaded, tmp_path / "model.safetensors")
    assert (tmp_path / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize("name", models.EVERYTHING)
def test_everything_that_was_learned_is_there(name, tmp_path):
    model, _ = models.fitted(name)
    loaded = after_a_round_trip(model, tmp_path)
    if not isinstance(model, BaseEstimator):
        return
    public = {key for key in vars(model) if key.endswith("_")}
    assert public <= {key for key in dir(loaded) if key.endswith("_")}
    assert repr(loaded.get_params()) == repr(model.get_params()) or "own" in name or "random" in name


LEARNED_AT_ONCE = {
    "least squares", "least squares float32", "discriminant", "layers", "threshold layer", "sign layer",
    "multi-label layer", "streamed",
} | {name for name in models.LEARNERS if "voted" in name or "pocket" in name}  # fmt: skip


@pytest.mark.parametrize("name", models.LEARNERS)
def test_who_goes_on_learning(name):
    adds_up = "least squares" in name  # which continues its own batches, not a fit
    assert hasattr(models.fitted(name)[0], "partial_fit") is (name not in LEARNED_AT_ONCE or adds_up)


def test_batches_of_least_squares_go_on_where_they_were(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(2, 20, 3))
    model = LeastSquares().partial_fit(X[:9], y[:9, 0])
    loaded = after_a_round_trip(model, tmp_path)
    for learner in (model, loaded):
        learner.partial_fit(X[9:], y[9:, 0])
    assert_same(model.coef_, loaded.coef_)


@pytest.mark.parametrize(("targets", "intercept"), [(1, np.zeros(1)), (2, 0.0)])
def test_weights_and_intercept_of_least_squares_belong_together(targets, intercept):
    X, y = np.random.default_rng(0).normal(size=(2, 20, 3))
    state = LeastSquares().fit(X, y[:, 0] if targets == 1 else y[:, :targets]).to_state()
    LeastSquares.from_state(state)
    state["fitted"]["intercept_"] = intercept
    with pytest.raises(ValueError, match="do not belong together"):
        LeastSquares.from_state(state)


@pytest.mark.parametrize(
    "name", [name for name in models.LEARNERS if name not in LEARNED_AT_ONCE | {"own rule", "precomputed"}]
)
def test_learning_goes_on_as_without_the_file(name, tmp_path):
    model, rows = models.fresh(name)
    loaded = after_a_round_trip(model, tmp_path)
    labels = np.concatenate([model.classes_, model.classes_, model.classes_, model.classes_])
    part = rows[: len(labels)]
    for learner in (model, loaded):
        for _ in range(3):
            learner.partial_fit(part, labels)
    for first, second in zip(models.answer_twice(model, rows), models.answer_twice(loaded, rows), strict=True):
        assert_same(first, second)
    assert loaded.n_iter_ == model.n_iter_ and loaded.mistakes_ == model.mistakes_


def test_a_random_state_goes_on_where_it_was(tmp_path):
    model, rows = models.fresh("random state")
    loaded = after_a_round_trip(model, tmp_path)
    for learner in (model, loaded):
        learner.fit(rows, models.BINARY)
    assert_same(model.coef_, loaded.coef_)


def test_a_warm_start_begins_where_it_would(tmp_path):
    model, rows = models.fresh("svm")
    loaded = after_a_round_trip(model, tmp_path)
    np.testing.assert_array_equal(loaded.support_, model.support_)
    np.testing.assert_array_equal(loaded.dual_coef_, model.dual_coef_)
    for learner in (model, loaded):
        learner.fit(rows, models.SEVERAL)
    assert_same(model.coef_, loaded.coef_)


@pytest.mark.parametrize("name", models.ONE_BY_ONE)
def test_features_by_name(name, tmp_path):
    model = models.ONE_BY_ONE[name]()
    loaded = after_a_round_trip(model, tmp_path)
    for learner in (model, loaded):
        learner.learn_one({"d": 2.0, "a": -1.0}, "y")
    for x in ({"a": 1.0}, {"c": 1.0}, {"word": "hello"}, {"d": 1.0}):
        assert model.predict_one(x) == loaded.predict_one(x)


def test_machines_and_rules(tmp_path):
    machine = after_a_round_trip(models.machine(), tmp_path)
    assert machine.state == {"lit": 1} and machine.step(0) == 1
    rules = models.rules()
    loaded = after_a_round_trip(rules, tmp_path)
    random = np.random.default_rng(0)
    for _ in range(50):
        row = dict(zip("abcd", random.choice([0.0, 0.25, 1.6, 3.0, 30001.0], 4), strict=True))
        assert rules.predict_one(row) == loaded.predict_one(row)


LABELS = {
    "text": ["no", "yes", "α"],
    "objects": np.array(["no", "yes", "α"], object),
    "whole": [3, -1, 7],
    "small": np.array([1, 2, 3], np.int8),
    "unsigned": np.array([1, 2, 2**63], np.uint64),
    "floats": [1.0, -2.0, 3.0],
    "Booleans": [True, False, True],
    "bytes": np.array([b"no", b"yes", b"maybe"]),
    "days": np.array(["2024-01-01", "2025-01-01", "2026-01-01"], "datetime64[D]"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_kind(kind, tmp_path):
    X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]])
    try:
        model = Perceptron(random_state=0).fit(X, LABELS[kind])
    except (ValueError, TypeError):
        assert kind in ("bytes", "days")  # labels that the learners do not take
        return
    loaded = after_a_round_trip(model, tmp_path)
    assert_same(model.predict(X), loaded.predict(X))
    json.dumps(describe(tmp_path / "model.safetensors"))


# Every two of a dtype, a layout and a way of several classes; each is a loop of its own to compile.
LOOPS = [
    (np.float64, False, "ovr"), (np.float64, True, "coupled"), (np.float32, False, "coupled"),
    (np.float32, True, "ovr"), (np.uint8, False, "ovr"), (np.uint8, True, "coupled"),
]  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_small_problem(tmp_path, data):
    n, d = data.draw(st.integers(2, 8)), data.draw(st.integers(1, 4))
    kind, sparse, together = data.draw(st.sampled_from(LOOPS))
    numbers = st.integers(0, 255) if kind is np.uint8 else st.floats(-100, 100, width=32)
    X = data.draw(arrays(kind, (n, d), elements=numbers))
    y = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n).filter(lambda y: len(set(y)) > 1))
    rows = scipy.sparse.csr_array(X) if sparse else X
    answer = data.draw(st.sampled_from(["last", "averaged", "voted", "pocket"]))
    if data.draw(st.booleans()):
        model = Perceptron(answer, multi_class=together, max_iter=3, random_state=0)
    else:
        model = KernelPerceptron(answer=answer, multi_class=together, gamma=0.1, max_iter=3, random_state=0)
    model.fit(rows, y)
    loaded = after_a_round_trip(model, tmp_path)
    assert_same(model.decision_function(rows), loaded.decision_function(rows))
    assert_same(model.predict(rows), loaded.predict(rows))


def test_the_file_says_what_it_is(tmp_path):
    model, _ = models.fitted("column encoder")
    save(model, tmp_path / "model.safetensors", about={"target": "label", "accuracy": np.float32(0.5), "shape": (2, 3)})
    told = describe(tmp_path / "model.safetensors")
    assert told["protocol"] == 3 and told["kind"] == "Pipeline" and told["classes"] == ["no", "yes"]
    assert [step["kind"] for step in told["steps"]] == ["ColumnEncoder", "Perceptron"]
    assert told["feature_names"] == ["a", "b", "colour", "ok", "note"] and told["n_features"] == 5
    assert {column["name"]: column["kind"] for column in told["columns"]}["note"] == "text"
    assert told["about"] == {"target": "label", "accuracy": 0.5, "shape": [2, 3]}
    assert told["trace"][0]["epoch"] == 1 and told["stop_reason"] == model[-1].stop_reason_
    assert told["params"]["answer"] == "averaged" and told["n_bytes"] > 0 and told["arrays"]
    json.dumps(told)


class Subclass(Perceptron):
    pass


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: make_pipeline(FunctionTransformer(np.log1p), Perceptron()).fit(np.abs(models.X), models.BINARY),
         "holds no code, but func of FunctionTransformer is a function"),
        (lambda: CountVectorizer(tokenizer=str.split, token_pattern=None).fit(models.TEXTS),
         "holds no code, but tokenizer of CountVectorizer is a function"),
        (lambda: make_pipeline(QuantileTransformer(n_quantiles=5), Perceptron()).fit(models.X, models.BINARY),
         "sklearn's QuantileTransformer"),
        (lambda: Subclass().fit(models.X, models.BINARY), "Cannot save Subclass"),
        (lambda: make_pipeline(StandardScaler(), Perceptron()), "not fitted"),
        (lambda: Perceptron().fit(models.X, models.BINARY).set_params(multi_class="coupled"), "do not match its fit"),
        (lambda: 3, "Cannot save int"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_and_nothing_written(model, message, tmp_path):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        save(model(), tmp_path / "model.safetensors")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_an_attribute_that_is_not_known_is_not_lost_in_silence(tmp_path):
    model = StandardScaler().fit(models.X)
    model.note = "mine"
    with pytest.raises(TypeError, match="does not know the attribute note"):
        save(model, tmp_path / "model.safetensors")


@pytest.mark.parametrize("about", [{"a": object()}, {"a": {1, 2}}, {"when": datetime.date(2026, 1, 1)}])
def test_about_must_be_plain(about, tmp_path):
    with pytest.raises(TypeError, match="about must be a dict of numbers, text, lists and dicts"):
        save(models.fitted("perceptron")[0], tmp_path / "model.safetensors", about=about)


def test_many_words_are_kept_in_arrays(tmp_path):
    words = [f"word{n}é" for n in range(3000)]
    model = CountVectorizer().fit(words)
    loaded = after_a_round_trip(model, tmp_path)
    assert loaded.vocabulary_ == model.vocabulary_
    assert any(name.endswith("letters") for name in describe(tmp_path / "model.safetensors")["arrays"])


def test_every_class_of_the_table_says_what_it_keeps():
    from rosenblatt.exchange.scikit import FORMS

    assert set(FORMS) == set(SCIKIT) and set(MODELS) < set(NAMES)
    for name, module in {**OURS, **PARTS}.items():
        kind = getattr(importlib.import_module(module), name)
        assert kind.__module__ == module and hasattr(kind, "to_state") and hasattr(kind, "from_state")
    with pytest.raises(ValueError, match="unknown class"):
        thing_of("os.system", {})


NUMBERS = st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(), st.text(), st.binary())
ARRAYS = st.sampled_from(["f8", "f4", "i8", "u1", "?", "u8", "i2"]).flatmap(
    lambda kind: arrays(kind, st.tuples(st.integers(0, 3), st.integers(0, 3)))
)
VALUES = st.recursive(
    st.one_of(NUMBERS, ARRAYS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.tuples(inner, inner), st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_any_value_comes_back_as_it_was(value):
    writer = Writer(lambda thing: False, lambda thing: {})
    code = json.loads(json.dumps(writer.value(value, "value")))
    reader = Reader(writer.arrays, [])
    back = reader.value(code)
    assert not reader.unread
    np.testing.assert_equal(back, value)
    assert repr(type(back)) == repr(type(value))


def test_named_features_keep_their_places(tmp_path):
    model = Perceptron()
    for x, label in [({"z": 1.0, "a": 2.0}, "up"), ({"m": 3.0, "z": -1.0}, "down"), ({"a": -1.0, "m": 1.0}, "up")]:
        model.learn_one(x, label)
    loaded = after_a_round_trip(model, tmp_path)
    for x in ({"z": 5.0}, {"a": 5.0}, {"m": 5.0}, {"z": -5.0}, {"a": -5.0}, {"m": -5.0}):
        assert loaded.predict_one(x) == model.predict_one(x)
    for learner in (model, loaded):
        learner.learn_one({"a": 1.0, "new": -4.0, "z": 2.0}, "down")
    assert loaded.coef_.tolist() == model.coef_.tolist()


@pytest.mark.parametrize("row", [-1, 3])
def test_updates_name_rows_that_are_there(row):
    check_updates(np.array([0, 2]), np.ones((2, 3)), 3)
    with pytest.raises(ValueError, match="a row that is not there"):
        check_updates(np.array([0, row]), np.ones((2, 3)), 3)


@pytest.mark.parametrize("name", ["perceptron", "svm", "rbf", "layers", "column encoder"])
def test_two_equal_trainings_give_the_same_file(name, tmp_path):
    for path in ("a", "b"):
        save(models.fresh(name)[0], tmp_path / path)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
