"""One example at a time, from rows or from dicts of named features."""

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
import pandas
import pytest
import scipy.sparse
from sklearn.utils import murmurhash3_32

from rosenblatt import (
    HalfSpace,
    KernelPerceptron,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    load,
    progressive_error,
    save,
)
from rosenblatt.estimators import one_by_one

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 6))
y = np.argmax(X[:, :3] + 0.3 * rng.normal(size=(120, 3)), axis=1)
NAMES = list("abcdef")
MODELS = [Perceptron(answer) for answer in ("last", "averaged")] + [
    Perceptron(multi_class="coupled"),
    PassiveAggressive(),
    HalfSpace("margin_perceptron", answer="averaged"),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__} {m.answer} {m.multi_class}")


def fresh(model):
    return type(model)(**model.get_params())


def as_dict(x):
    return dict(zip(NAMES, x.tolist(), strict=True))


@each_model
def test_rows_dicts_and_a_batch_make_the_same_model(model):
    batch, rows, dicts, sparse = (fresh(model) for _ in range(4))
    batch.partial_fit(X, y)
    sparse.partial_fit(scipy.sparse.csr_array(X), y)
    for x, label in zip(X, y.tolist(), strict=True):
        rows.learn_one(x, label)
        dicts.learn_one(as_dict(x), label)
    if model.multi_class == "coupled":  # a batch declares its classes, a stream meets them one by one
        batch = rows
    answers = [[rows.predict_one(x) for x in X], [dicts.predict_one(as_dict(x)) for x in X]]
    assert answers[0] == answers[1] == batch.predict(X).tolist()
    if model.multi_class != "coupled":
        np.testing.assert_allclose(rows.decision_function(X), batch.decision_function(X), rtol=1e-9, atol=1e-12)
        assert sparse.predict(X).tolist() == answers[0]


@each_model
def test_predict_one_is_predict(model):
    learned = fresh(model)
    for n, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        if n > 0:
            assert learned.predict_one(x) == learned.predict(x[None])[0]
        learned.learn_one(x, label)


def test_before_anything_was_learned_the_answer_is_none():
    assert Perceptron().predict_one([1.0]) is None
    assert Perceptron().predict_one({"a": 1.0}) is None


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [0, 1], [-1, 1], ["x", "y", "z"]], ids=str)
def test_labels_come_back_as_python_values(labels):
    model = Perceptron()
    for n, x in enumerate(X):
        model.learn_one(as_dict(x), labels[n % len(labels)])
    found = model.predict_one(as_dict(X[0]))
    assert found in labels and type(found) is type(labels[0])


def test_features_that_are_not_known_count_for_nothing():
    model = Perceptron()
    model.learn_one({"a": 1.0}, "no")
    model.learn_one({"a": -2.0}, "yes")
    assert model.predict_one({"a": 1.0, "new": 1e9}) == model.predict_one({"a": 1.0}) == "no"
    assert model.predict_one({"new": 5.0}) in ("no", "yes")
    assert model.predict_one({}) in ("no", "yes")


def test_asking_about_a_new_feature_does_not_add_it():
    model = Perceptron()
    model.learn_one({"a": 1.0}, "no")
    model.learn_one({"a": -2.0}, "yes")
    model.predict_one({"new": 5.0})
    assert model.n_features_in_ == 1


def test_features_may_be_missing_and_come_in_any_order():
    one, other = Perceptron(), Perceptron()
    for x, label in zip(X, y.tolist(), strict=True):
        full = as_dict(np.where(np.abs(x) < 0.5, 0.0, x))
        one.learn_one(full, label)
        other.learn_one({k: v for k, v in reversed(full.items()) if v}, label)
    for x in X:
        assert one.predict_one(as_dict(x)) == other.predict_one(as_dict(x))


@pytest.mark.parametrize("model", MODELS[:2], ids=lambda m: m.answer)
def test_features_may_grow_without_end(model):
    """More than any first allotment: the same as if all had been there from the start."""
    learned = fresh(model)
    rows = np.zeros((150, 400))
    labels = np.arange(150) % 3
    for n in range(150):
        place = generator_places(n)
        rows[n, place] = np.arange(1, 6)
        learned.learn_one({f"f{j}": float(v) for j, v in zip(place, range(1, 6), strict=True)}, int(labels[n]))
    plain = fresh(model).partial_fit(scipy.sparse.csr_array(rows), labels)
    probes = [{f"f{j}": 1.0 for j in generator_places(n)} for n in range(400)]
    dense = np.zeros((400, 400))
    for n in range(400):
        dense[n, generator_places(n)] = 1.0
    assert [learned.predict_one(x) for x in probes] == plain.predict(dense).tolist()
    assert learned.n_features_in_ > 64


def generator_places(n):
    return np.random.default_rng(n).choice(min(400, 5 + 3 * n), 5, replace=False)


def test_a_refused_example_adds_no_features():
    model = Perceptron()
    model.learn_one({"a": 1.0}, "no")
    model.learn_one({"a": -2.0}, "yes")
    many = {f"f{n}": 1.0 for n in range(5000)}
    with pytest.raises(ValueError, match="w must be"):
        model.learn_one(many, "no", w=-1.0)
    with pytest.raises(ValueError, match="labels of one kind"):
        model.learn_one(many, 3)
    with pytest.raises(ValueError, match="'bad' must be finite"):
        model.learn_one({**many, "bad": float("nan")}, "no")
    model.learn_one(many, "no", w=0.0)
    assert model._names.width == model.n_features_in_ == 1  # else predict_one reads beyond the weights
    assert model.predict_one({"a": 1.0, "f4999": 1.0}) == "no"


def test_a_first_example_of_weight_zero_decides_nothing():
    model = Perceptron()
    model.learn_one({"a": 1.0}, "no", w=0.0)
    assert model.predict_one([1.0, 2.0]) is None
    model.learn_one([1.0, 2.0], "no")
    model.learn_one([1.0, -2.0], "yes")
    assert model.predict([[1.0, 2.0]]).tolist() == ["no"]


def test_text_is_a_feature_of_its_own():
    model, plain = Perceptron(), Perceptron()
    for colour, size, label in [("red", 1.0, 0), ("blue", 2.0, 1), ("red", 3.0, 1), ("green", 1.0, 0)] * 5:
        model.learn_one({"colour": colour, "size": size}, label)
        plain.learn_one({f"colour={colour}": 1.0, "size": size}, label)
    for colour in ("red", "blue", "green", "unknown"):
        x = {"colour": colour, "size": 2.0}
        assert model.predict_one(x) == plain.predict_one({f"colour={colour}": 1.0, "size": 2.0})


def test_hashed_features_are_the_slots_of_their_hash():
    size = 8
    model, rows = Perceptron(hash_features=size), Perceptron()
    for x, label in zip(X, (y > 0).tolist(), strict=True):
        row = np.zeros(size)
        for name, value in as_dict(x).items():
            number = murmurhash3_32(name)
            row[abs(number) % size] += value if number >= 0 else -value
        model.learn_one(as_dict(x), label)
        rows.learn_one(row, label)
        assert model.predict_one(as_dict(x)) == (rows.predict_one(row) if len(rows.classes_) > 1 else rows.classes_[0])
    np.testing.assert_allclose(model.coef_, rows.coef_, rtol=1e-9)


def test_hashing_bounds_the_memory():
    model = Perceptron(hash_features=16)
    for n in range(300):
        model.learn_one({f"f{n}": 1.0, f"g{n}": 2.0}, n % 2)
    assert model.coef_.shape == (1, 16)


@pytest.mark.parametrize("kind", ["rows", "dicts"])
def test_a_weight_multiplies_the_step_and_zero_leaves_the_example_out(kind):
    one, other = Perceptron("averaged"), Perceptron("averaged")
    convert = (lambda x: x) if kind == "rows" else as_dict
    for n, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        one.learn_one(convert(x), label, w=n % 3)
        if n % 3:
            other.learn_one(convert(x), label, w=float(n % 3))
    assert one._state.seen == other._state.seen == 80
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_class_weight_of_zero_leaves_the_class_out():
    """Without advancing any counter, online as in fit."""
    weights = {0: 0.0, 1: 1.0, 2: 2.0}
    online, batch = Perceptron("averaged", class_weight=weights), Perceptron("averaged", class_weight=weights)
    batch.partial_fit(X, y, classes=[0, 1, 2])
    online.partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    for x, label in zip(X[1:], y[1:].tolist(), strict=True):
        online.learn_one(x, label)
    np.testing.assert_allclose(online.coef_, batch.coef_, rtol=1e-9)


@pytest.mark.parametrize("w", [-1.0, float("nan"), float("inf"), "heavy", None])
@pytest.mark.parametrize("kind", ["rows", "dicts"])
def test_weights_that_are_not_finite_are_refused_after_others_too(w, kind):
    convert = (lambda x: x) if kind == "rows" else as_dict
    model = Perceptron()
    for x, label in zip(X[:10], y[:10].tolist(), strict=True):
        model.learn_one(convert(x), label)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="w must be a finite weight"):
        model.learn_one(convert(X[0]), int(y[0]), w=w)
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), None, [1.0], object()], ids=["nan", "inf", "None", "list", "object"]
)
def test_values_that_are_no_numbers_are_refused_after_others_too(value):
    model = Perceptron()
    for x, label in zip(X[:10], y[:10].tolist(), strict=True):
        model.learn_one(as_dict(x), label)
    before = model.coef_.copy()
    for call in (lambda x: model.learn_one(x, 0), model.predict_one):
        with pytest.raises(ValueError, match="The feature 'b' must be") as caught:
            call({**as_dict(X[0]), "b": value})
        assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_that_are_not_finite_are_refused_after_others_too(value, dtype):
    model = Perceptron()
    for x, label in zip(X[:10].astype(dtype), y[:10].tolist(), strict=True):
        model.learn_one(x, label)
    before = model.coef_.copy()
    bad = X[0].astype(dtype)
    bad[2] = value
    for call in (lambda x: model.learn_one(x, 0), model.predict_one):
        with pytest.raises(ValueError, match="x must be finite, but feature 2 is"):
            call(bad)
    np.testing.assert_array_equal(model.coef_, before)


def test_a_label_that_cannot_be_one_is_refused_after_others_too():
    model = Perceptron()
    for x, label in zip(X[:10], y[:10].tolist(), strict=True):
        model.learn_one(x, label)
    for label in ([1], np.array([1, 2]), {"a": 1}):
        with pytest.raises(ValueError):
            model.learn_one(X[0], label)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_dicts_after_rows_and_rows_after_dicts_are_refused():
    rows, dicts = Perceptron(), Perceptron()
    for x, label in zip(X[:10], y[:10].tolist(), strict=True):
        rows.learn_one(x, label)
        dicts.learn_one(as_dict(x), label)
    for call in (lambda: rows.learn_one(as_dict(X[0]), 0), lambda: rows.predict_one(as_dict(X[0]))):
        with pytest.raises(ValueError, match="learned from rows, but got dicts"):
            call()
    for call in (lambda: dicts.learn_one(X[0], 0), lambda: dicts.predict_one(X[0]), lambda: dicts.predict(X),
                 lambda: dicts.decision_function(X), lambda: dicts.partial_fit(X, y)):  # fmt: skip
        with pytest.raises(ValueError, match="learned from dicts of named features, but got rows"):
            call()
    assert rows.predict_one(X[0]) == dicts.predict_one(as_dict(X[0]))
    assert dicts.fit(X, y).predict(X).shape == (120,)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([1.0, 2.0], "x has 2 features, but Perceptron is expecting 6"),
        ([[1.0] * 6], "x must be one row"),
        (3.0, "x must be one row"),
        ("text", "x must be a row of numbers or a dict"),
        (["a"] * 6, "x must be a row of numbers or a dict"),
    ],
    ids=str,
)
def test_rows_of_another_shape_are_refused(x, words):
    model = Perceptron().partial_fit(X, y)
    for call in (lambda: model.learn_one(x, 0), lambda: model.predict_one(x)):
        with pytest.raises(ValueError, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_learn_many_is_partial_fit_and_goes_by_name_after_dicts():
    frame = pandas.DataFrame(X, columns=NAMES)
    many, part, one = Perceptron(), Perceptron(), Perceptron()
    many.learn_many(frame, y)
    part.partial_fit(frame, y)
    np.testing.assert_array_equal(many.coef_, part.coef_)
    assert many.predict_many(frame).tolist() == part.predict(frame).tolist()
    for x, label in zip(X[:20], y[:20].tolist(), strict=True):
        one.learn_one(as_dict(x), label)
    one.learn_many(frame[NAMES[::-1]][20:], y[20:])
    np.testing.assert_allclose(one.coef_, part.coef_, rtol=1e-9, atol=1e-12)
    assert list(one.predict_many(frame)) == part.predict(frame).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_frame_after_dicts_is_checked_as_rows_are(bad):
    model = Perceptron()
    for x, label in zip(X[:20], y[:20].tolist(), strict=True):
        model.learn_one(as_dict(x), label)
    before = model.coef_.copy()
    frame = pandas.DataFrame(X, columns=NAMES)
    frame.loc[3, "c"] = bad
    with pytest.raises(ValueError):
        model.learn_many(frame, y)
    with pytest.raises(ValueError):
        model.predict_many(frame)
    np.testing.assert_array_equal(model.coef_, before)


def test_new_columns_of_a_frame_are_new_features():
    model = Perceptron()
    model.learn_one({"a": 1.0}, 0)
    model.learn_one({"a": -1.0}, 1)
    model.learn_many(pandas.DataFrame({f"c{n}": [1.0, 2.0] for n in range(100)}), [0, 1])
    assert model.n_features_in_ == 101
    assert len(model.predict_many(pandas.DataFrame({"zzz": [1.0], "a": [2.0]}))) == 1


def test_a_late_class_in_a_stream_is_where_it_would_be():
    labels = np.where(np.arange(120) < 60, y % 2, y)
    stream, batch = Perceptron("averaged"), Perceptron("averaged")
    for x, label in zip(X, labels.tolist(), strict=True):
        stream.learn_one(x, label)
    batch.partial_fit(X, labels, classes=[0, 1, 2])
    np.testing.assert_allclose(stream.coef_, batch.coef_, rtol=1e-12)


def test_parameters_that_change_take_effect_at_once():
    model = Perceptron(learning_rate=1.0)
    model.learn_one([1.0], 0)
    model.learn_one([1.0], 1)
    model.set_params(learning_rate=10.0)
    before = float(model.coef_[0, 0])
    model.learn_one([-1.0], 1)
    model.learn_one([-1.0], 1)
    assert abs(float(model.coef_[0, 0]) - before) in (10.0, 20.0)


def test_a_fitted_model_learns_on_one_by_one():
    model, batch = (Perceptron("averaged", shuffle=False, max_iter=1).fit(X, y) for _ in range(2))
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn_one(x, label)
    np.testing.assert_array_equal(model.coef_, batch.partial_fit(X, y).coef_)


def test_a_list_of_dicts_is_learned_one_after_another():
    examples, labels, weights = (
        [{"a": 1.0}, {"b": 2.0, "c": "red"}, {"a": -1.0, "b": 1.0}],
        ["u", "v", "u"],
        [1, 2, 0.5],
    )
    one, many = Perceptron("averaged"), Perceptron("averaged")
    for x, label, weight in zip(examples, labels, weights, strict=True):
        one.learn_one(x, label, weight)
    many.learn_many(examples, labels, weights)
    np.testing.assert_array_equal(one.coef_, many.coef_)
    before = many.coef_.copy()
    for bad, words in (({"a": None}, "'a' must be a number or text"), ([1.0], "learned from dicts .* but got rows")):
        with pytest.raises(ValueError, match=words):
            many.learn_many([examples[0], bad], ["u", "v"])
    with pytest.raises(ValueError, match="2 and 1; pass one label per row"):
        many.learn_many(examples[:2], ["u"])
    np.testing.assert_array_equal(many.coef_, before)


@pytest.mark.parametrize("weight", ["2", None, 1j, -1.0, float("nan")])
def test_a_weight_is_a_number(weight):
    for model in (Perceptron(), KernelPerceptron()):
        with pytest.raises(ValueError, match="w must be a finite weight of at least 0, but got"):
            model.learn_one([1.0, 2.0], 0, weight)


def test_complex_numbers_are_not_cut():
    with pytest.raises(ValueError, match="x must be a row of numbers"):
        Perceptron().learn_one([1.0 + 1j, 2.0], 0)


@pytest.mark.parametrize("named", [False, True])
def test_probabilities_of_one_example(named):
    rows, labels = np.random.default_rng(0).normal(size=(60, 3)), ["a", "b", "c"] * 20
    examples = [dict(zip("xyz", row, strict=True)) for row in rows.tolist()] if named else list(rows)
    model = LogisticRegression()
    assert model.predict_proba_one(examples[0]) == {}
    model.learn_one(examples[0], "a")
    assert model.predict_proba_one(examples[1]) == {"a": 1.0}
    for x, label in zip(examples, labels, strict=True):
        model.learn_one(x, label)
    found = model.predict_proba_one(examples[5])
    assert list(found) == ["a", "b", "c"] and sum(found.values()) == pytest.approx(1.0)
    assert max(found, key=found.get) == model.predict_one(examples[5])
    if not named:
        np.testing.assert_array_equal(list(found.values()), model.predict_proba(rows[5:6])[0])


def test_after_one_more_example_probabilities_are_those_of_one_class_against_the_rest():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    by_row, by_batch = (LogisticRegression().fit(rows, np.arange(60) % 3) for _ in range(2))
    by_row.learn_one(rows[0], 1)
    by_batch.partial_fit(rows[:1], [1])
    np.testing.assert_array_equal(by_row.predict_proba(rows), by_batch.predict_proba(rows))
    assert by_row.predict_proba_one(rows[0]) == dict(enumerate(by_batch.predict_proba(rows[:1])[0].tolist()))


def test_points_of_no_curve():
    with pytest.raises(ValueError, match="every must be a whole number above 0, but got 'a'"):
        progressive_error(Perceptron(), [], every="a")


@pytest.mark.parametrize("multi", ["ovr", "coupled"])
@pytest.mark.parametrize("answer", ["last", "averaged"])
def test_a_score_of_zero_is_the_second_of_two_classes_one_by_one_too(answer, multi):
    rows, dicts = (Perceptron(answer, fit_intercept=False, multi_class=multi) for _ in range(2))
    for x, y in [(1.0, "b"), (-1.0, "a"), (2.0, "b")]:
        rows.learn_one(np.array([x]), y)
        dicts.learn_one({"x": x}, y)
    assert [rows.predict_one(np.array([x])) for x in (0.0, 1.0, -1.0)] == ["b", "b", "a"]
    assert [dicts.predict_one({"x": x}) for x in (0.0, 1.0, -1.0)] == ["b", "b", "a"]


@pytest.mark.parametrize("kind", ["row", "dict"])
@pytest.mark.parametrize("multi", ["ovr", "coupled"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_mistakes_are_counted_one_by_one_too(kind, multi, n_classes):
    """They are those that a batch of the same rows meets."""
    generator = np.random.default_rng(5)
    Y, y = generator.integers(-2, 3, (80, 3)).astype(float), np.arange(80) % n_classes
    single, batch = Perceptron(multi_class=multi), Perceptron(multi_class=multi)
    for model in (single, batch):
        if kind == "dict":
            for x, label in zip(Y[:8], y[:8], strict=True):
                model.learn_one(dict(zip("abc", x, strict=True)), int(label))
        else:
            model.partial_fit(Y[:8], y[:8], classes=range(n_classes))
    before = single.mistakes_
    for x, label in zip(Y[8:], y[8:], strict=True):
        single.learn_one(dict(zip("abc", x, strict=True)) if kind == "dict" else x, int(label))
    batch.learn_many(pandas.DataFrame(Y[8:], columns=list("abc")) if kind == "dict" else Y[8:], y[8:])
    assert single.mistakes_ == batch.mistakes_ > before


def test_a_progressive_error_asks_before_it_teaches():
    """Labels that change every time are never foreseen, and always known afterwards."""
    stream = [([1.0], label) for label in ["a", "b"] * 10]
    found = progressive_error(Perceptron(), stream, every=5)
    assert (found.examples, found.mistakes) == (20, 20) and found.curve == [(n, 1.0) for n in (5, 10, 15, 20)]
    told = []
    progressive_error(Perceptron(), stream, every=5, on_progress=lambda result: told.append(result.examples) or True)
    assert told == [5]


def test_hashed_features_have_their_signs_after_others_too():
    """Parameters that are set send the next example the careful way."""
    generator = np.random.default_rng(0)
    quick, careful = Perceptron(hash_features=64), Perceptron(hash_features=64)
    names = list("abcdefgh")
    assert {murmurhash3_32(name) < 0 for name in names} == {True, False}
    for _ in range(30):
        x = dict(zip(names, generator.integers(-3, 4, 8).astype(float).tolist(), strict=True))
        label = int(sum(x.values()) > 0)
        assert quick.predict_one(x) == careful.set_params(hash_features=64).predict_one(x)
        quick.learn_one(x, label)
        careful.set_params(hash_features=64).learn_one(x, label)
    np.testing.assert_array_equal(quick.coef_, careful.coef_)


@pytest.mark.parametrize("learner", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "dok_array", "dok_matrix", "coo_array"])
def test_a_sparse_row_is_neither_a_row_nor_a_dict(learner, kind):
    x = getattr(scipy.sparse, kind)(np.array([[0.0, 1.0, 2.0]]))
    with pytest.raises(ValueError, match=rf"but got {kind}; pass x\.toarray\(\)\.ravel\(\), or use partial_fit"):
        learner().learn_one(x, 1)
    model = learner().fit([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]], [0, 1])
    with pytest.raises(ValueError, match=rf"but got {kind}; pass x\.toarray"):
        model.predict_one(x)


@pytest.mark.parametrize("learner", [Perceptron, KernelPerceptron])
def test_whole_numbers_beyond_the_floats_are_refused_in_one_sentence(learner):
    huge = 10**400
    for warm in (False, True):  # the careful way and the quick way
        model = learner()
        if warm:
            for label in (0, 1, 0):
                model.learn_one({"a": 1.0, "b": -1.0}, label)
        with pytest.raises(ValueError, match=r"^The feature 'a' must be finite, but got"):
            model.learn_one({"a": huge, "b": 1}, 1)
        with pytest.raises(ValueError, match=r"^w must be a finite weight of at least 0, but got .*;"):
            model.learn_one({"a": 1.0, "b": -1.0}, 1, huge)
    with pytest.raises(ValueError, match=r"^x must be a row of numbers"):
        learner().learn_one([huge, 1], 1)
    with pytest.raises(
        ValueError, match=r"^x must be a row of numbers.*but got object; make it a one-dimensional array"
    ):
        learner().learn_one(object(), 1)


@pytest.mark.parametrize("model", MODELS[:4], ids=lambda m: f"{type(m).__name__} {m.answer} {m.multi_class}")
def test_any_names_in_any_order_learn_the_bits_of_sparse_rows(model):
    """Names appear, are missing, come in another order, and have zeros among them: a dict is a row of a CSR matrix."""
    generator = np.random.default_rng(11)
    rows = np.where(generator.random((90, 300)) < 0.04, generator.integers(-3, 4, (90, 300)) / 7, 0.0)
    labels = (np.arange(90) % 3).tolist()
    stream = []
    for row in rows:
        place = generator.permutation(np.flatnonzero(row))
        stream.append({f"f{j}": row[j] for j in place} | {"always 0": 0.0})
    order = list(dict.fromkeys(name for x in stream for name in x))  # the vocabulary, as the stream meets it
    known = np.zeros((90, len(order)))
    for n, x in enumerate(stream):
        for name, value in x.items():
            known[n, order.index(name)] = value
    dicts, sparse, many = fresh(model), fresh(model), fresh(model)
    for n, (x, label) in enumerate(zip(stream, labels, strict=True)):
        dicts.learn_one(x, label)
        sparse.partial_fit(scipy.sparse.csr_array(known[n : n + 1]), [label])
    many.learn_many(stream, labels)
    if model.answer not in ("voted", "pocket"):
        np.testing.assert_array_equal(dicts.coef_, sparse.coef_)
        np.testing.assert_array_equal(dicts.intercept_, sparse.intercept_)
        if model.multi_class != "coupled":  # a batch declares its classes
            np.testing.assert_array_equal(dicts.coef_, many.coef_)
    assert dicts.predict(stream).tolist() == sparse.predict(known).tolist()
    assert [dicts.predict_one(x) for x in stream] == dicts.predict(stream).tolist()
    if model.multi_class != "coupled":
        assert dicts.mistakes_ == sparse.mistakes_


def test_names_that_change_all_the_time_need_no_second_preparation(monkeypatch):
    """The compiled step is prepared anew for a new class and for a doubled vocabulary, not for other names."""
    made = []
    prepare = one_by_one.OneByOne.__init__
    monkeypatch.setattr(
        one_by_one.OneByOne, "__init__", lambda self, *given: (made.append(1), prepare(self, *given))[1]
    )
    model = Perceptron()
    for n in range(1500):
        x = {f"name {(7 * n + 13 * j) % 5000}": 1.0 + j for j in range(1 + n % 20)}
        model.predict_one(x | {"never learned": 1.0})
        model.learn_one(x, n % 3)
    assert model.n_features_in_ > 3000 and len(made) <= 3 + np.log2(5000 / one_by_one.FIRST_CAPACITY) + 1


def test_a_dict_wider_than_every_one_before_it():
    model, rows = Perceptron(), Perceptron()
    for width in (1, 3, 700, 2, 1500):
        x = {f"f{j}": (-1.0) ** j * (1 + j % 5) for j in range(width)}
        model.learn_one(x, width % 2)
        rows.learn_one(np.array([x.get(f"f{j}", 0.0) for j in range(1500)]), width % 2)
        if width != 1:
            assert model.predict_one(x) == width % 2
    np.testing.assert_allclose(model.coef_, rows.coef_, rtol=1e-12)


def test_names_that_are_numbers_are_their_text():
    numbers, text = Perceptron(), Perceptron()
    for n in range(12):
        numbers.learn_one({1: float(n), 2.5: 1.0, "1": 2.0}, n % 2)
        text.learn_one({"1": n + 2.0, "2.5": 1.0}, n % 2)
    np.testing.assert_array_equal(numbers.coef_, text.coef_)
    assert numbers.n_features_in_ == 2 and numbers.predict_one({1: 3.0}) == text.predict_one({"1": 3.0})


def test_other_mappings_are_dicts():
    model, other = Perceptron(), Perceptron()
    for n, x in enumerate(X):
        model.learn_one(as_dict(x), n % 2)
        other.learn_one(MappingProxyType(as_dict(x)) if n % 3 else Counter(as_dict(x)), n % 2)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    assert other.predict_one(MappingProxyType(as_dict(X[0]))) == model.predict_one(as_dict(X[0]))


def test_threads_that_learn_at_once_lose_nothing():
    """Every example counts once, whoever learns it; the features of one dict never mix with another's."""
    model = Perceptron(learning_rate=1.0, fit_intercept=False)
    model.learn_many([{"a0": -1.0}, {"a0": 1.0}], [0, 1])

    def work(number):
        for n in range(300):
            model.predict_one({f"a{number}": 1.0, f"other {number} {n}": 5.0})
            model.learn_one({f"a{number}": 1.0, f"b{number} {n % 40}": 1.0}, n % 2)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert model._state.seen == 2 + 1200 and model.n_features_in_ == len(set(model._names.codes.values())) == 4 + 4 * 40


@pytest.mark.parametrize("kind", ["row", "dict"])
def test_nothing_is_compiled_to_predict(kind, tmp_path):
    """A loaded model answers without numba: the first answer of a service waits for no compiler."""
    model = Perceptron("averaged")
    for x, label in zip(X, y.tolist(), strict=True):
        model.learn_one(x if kind == "row" else as_dict(x), label)
    save(model, tmp_path / "model.rosenblatt")
    expected = [model.predict_one(x if kind == "row" else as_dict(x)) for x in X[:20]]
    script = f"""
import sys, numpy, rosenblatt
model = rosenblatt.load({str(tmp_path / "model.rosenblatt")!r})
rows = numpy.array({X[:20].tolist()!r})
examples = list(rows) if {kind == "row"} else [dict(zip("abcdef", row)) for row in rows.tolist()]
print([model.predict_one(x) for x in examples])
print([model.predict(examples).tolist(), "numba" in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    one, many = ran.stdout.splitlines()
    assert one == str(expected) and many == str([expected, False])


@pytest.mark.parametrize("kind", ["row", "dict"])
def test_class_weights_with_a_late_class(kind):
    """As if it had been declared, and without another preparation for every example that it leaves out."""
    weights = {0: 2.0, 1: 1.0, 2: 0.5}
    labels = np.where(np.arange(120) < 60, y % 2, y)
    late, declared = (Perceptron("averaged", class_weight=weights) for _ in range(2))
    convert = as_dict if kind == "dict" else (lambda x: x)
    for n, x in enumerate(X):
        if n == 0 and kind == "row":
            declared.partial_fit(X[:1], labels[:1], classes=[0, 1, 2])
        elif kind == "row":
            declared.learn_one(x, int(labels[n]))
        late.learn_one(convert(x), int(labels[n]))
    if kind == "dict":
        declared.learn_many([as_dict(x) for x in X], labels)
    np.testing.assert_array_equal(late.coef_, declared.coef_)


def test_a_late_class_that_weighs_nothing_leaves_an_answer():
    model = Perceptron(class_weight={2: 0.0})
    for n, x in enumerate(X):
        model.learn_one(as_dict(x), int(y[n]))
        assert model.predict_one(as_dict(x)) in (0, 1, 2)


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize("answer", ["voted", "pocket"])
def test_answers_that_need_all_rows_are_not_there_online(kind, answer):
    fitted = kind(answer=answer, max_iter=2, random_state=0).fit(X, y)
    for model in (kind(answer=answer), fitted):
        for call in (lambda m=model: m.learn_many([{"a": 1.0}], [0]), lambda m=model: m.learn_one(X[0], 0)):
            with pytest.raises(ValueError, match=f"answer='{answer}' needs all rows of a fit"):
                call()
        assert not hasattr(model, "partial_fit")
    assert set(fitted.predict(X)) <= {0, 1, 2}


def test_dict_models_predict_score_and_have_scores():
    examples, labels = [as_dict(x) for x in X], y.tolist()
    dicts, rows = Perceptron("averaged"), Perceptron("averaged")
    dicts.learn_many(examples, labels)
    rows.partial_fit(X, y)
    np.testing.assert_allclose(dicts.decision_function(examples), rows.decision_function(X), rtol=1e-9, atol=1e-12)
    assert dicts.predict(examples).tolist() == rows.predict(X).tolist()
    assert dicts.score(examples, labels) == rows.score(X, y)
    frame = pandas.DataFrame(X, columns=NAMES)
    assert dicts.predict(frame).tolist() == dicts.predict(examples).tolist()
    with pytest.raises(ValueError, match="'b' must be finite"):
        dicts.predict([{"b": float("nan")}])
    with pytest.raises(ValueError, match="'b' must be a number or text"):
        dicts.decision_function([{"b": None}])


def test_a_model_file_has_32_bytes_for_a_name_of_two_classes(tmp_path):
    """Weights and their sums, of the half-space and of the shadow that a late class starts from: no room to grow."""
    sizes = []
    for count in (10, 3010):
        model = Perceptron()
        for n in range(count):
            model.learn_one({f"{n:04}": 1.0}, n % 2)
        save(model, tmp_path / f"{count}")
        sizes.append((tmp_path / f"{count}").stat().st_size)
        loaded = load(tmp_path / f"{count}")
        for again in (model, loaded):
            again.learn_one({"0003": -2.0, "and more": 1.0}, 1)
        np.testing.assert_array_equal(model.coef_, loaded.coef_)
    assert (sizes[1] - sizes[0]) / 3000 < 32 + 16  # and the name itself


@pytest.mark.parametrize("kind", ["row", "dict"])
def test_on_a_stream_auto_is_the_last_weights_which_follow_a_drift(kind):
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(2000, 6))
    labels = ((rows[:, 0] + rows[:, 1] > 0) ^ (np.arange(2000) >= 1000)).tolist()
    stream = list(zip(rows if kind == "row" else [as_dict(x) for x in rows], labels, strict=True))
    error = {answer: progressive_error(Perceptron(answer), stream).error for answer in ("auto", "last", "averaged")}
    assert error["auto"] == error["last"] < 0.1 < 0.2 < error["averaged"]
