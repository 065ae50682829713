"""What a first reviewer broke: threads, the edges of float32, damaged matrices, functions that do not compile."""

import math
import threading
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rosenblatt import GaussianDiscriminant, HalfSpace, KernelPerceptron, PassiveAggressive, Perceptron

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("kind", ["rows", "dicts"])
@pytest.mark.parametrize("answer", ["last", "averaged"])
def test_threads_may_ask_one_model_at_the_same_time(kind, answer):
    examples = list(X) if kind == "rows" else [dict(zip("abcde", row, strict=True)) for row in X.tolist()]
    model = Perceptron(answer)
    for x, label in zip(examples, y.tolist(), strict=True):
        model.learn_one(x, label)
    expected = [model.predict_one(x) for x in examples]
    wrong = []

    def ask(part):
        for _ in range(100):
            wrong.extend(n for n in part if model.predict_one(examples[n]) != expected[n])

    threads = [threading.Thread(target=ask, args=(range(start, 200, 4),)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize(
    ("model", "scale", "weights"),
    [
        (PassiveAggressive(variant="PA", fit_intercept=False, random_state=0), 1e-20, None),
        (PassiveAggressive(variant="PA", fit_intercept=False, random_state=0), 1e-25, None),
        (Perceptron(learning_rate=1e39, random_state=0), 1.0, None),
        (Perceptron(random_state=0), 1.0, np.full(200, 1e39)),
        (Perceptron(random_state=0), 1e30, None),
    ],
)
def test_weights_stay_finite_in_float32(model, scale, weights, layout):
    model.fit(layout((X * scale).astype(np.float32)), y, weights)
    for answer in model.answers_.values():
        assert np.isfinite(answer.coef).all() and np.isfinite(answer.intercept).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_example_beyond_float32_teaches_nothing():
    model = PassiveAggressive(variant="PA", fit_intercept=False)
    for row, label in zip((X[:20] * 1e-25).astype(np.float32), y[:20].tolist(), strict=True):
        model.learn_one(row, label)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("index", [5, 99, -5, 10**8])
def test_a_sparse_matrix_that_points_outside_itself_is_refused(index):
    bad = scipy.sparse.csr_array(X)
    bad.indices[3] = index
    for call in (Perceptron().fit, Perceptron().partial_fit):
        with pytest.raises(ValueError, match="indices"):
            call(bad, y)
    bad = scipy.sparse.csr_array(X)
    bad.indptr[3] = 1
    with pytest.raises(ValueError, match="indptr"):
        Perceptron().fit(bad, y)


def returns_a_list(m, sqnorm, t, params):
    return [1.0, 1.0]


def keeps_a_dict(m, sqnorm, t, params):
    return {"step": 1.0 if m <= 0 else 0.0}["step"], 1.0


def makes_a_truth(m, sqnorm, t, params):
    return float(m <= 0), 1.0


def refused(door, rule, words):
    """What is said of a rule, in one line."""
    with pytest.raises(ValueError, match=words) as caught:
        HalfSpace(rule).fit(X, y) if door == "fit" else HalfSpace(rule).learn_one(X[0], 0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("door", "rule"),
    [*(("fit", rule) for rule in (makes_a_truth, returns_a_list, keeps_a_dict, [1], 3.0)),
     *(("learn_one", rule) for rule in (makes_a_truth, returns_a_list, [1], 3.0))],
)  # fmt: skip
def test_a_rule_that_cannot_be_used_is_refused_in_a_sentence(door, rule):
    refused(door, rule, r"rule must (be|return)|must be made of what numba compiles")


LISTED, NAMED = [1.0, 2.0], {"eta": 1.0}


def reads_a_list(m, sqnorm, t, params):
    return LISTED[0] * (m <= 0), 1.0


def reads_a_dict(m, sqnorm, t, params):
    return NAMED["eta"] * (m <= 0), 1.0


def writes_a_global(m, sqnorm, t, params):
    global WRITTEN
    WRITTEN = m
    return 1.0 * (m <= 0), 1.0


def catches(m, sqnorm, t, params):
    try:
        return 1.0 / m, 1.0
    except ZeroDivisionError:
        return 1.0, 1.0


UNUSED = {
    reads_a_list: "but it is not: The use of a reflected list.* 'LISTED' in globals, is not supported",
    reads_a_dict: "but it is not: Untyped global name 'NAMED': Cannot determine Numba type of .*dict.*; write",
    writes_a_global: r"but it is not: Use of unsupported opcode \(STORE_GLOBAL\) found; write it with these",
    catches: "but it is not: UnsupportedError: Exception matching is limited to .*; write it with these",
}


@pytest.mark.parametrize(
    ("door", "rule"), [*(("fit", rule) for rule in UNUSED), ("learn_one", reads_a_dict), ("learn_one", writes_a_global)]
)
def test_what_of_a_rule_cannot_be_compiled_is_said(door, rule):
    refused(door, rule, UNUSED[rule])


def generates(m, sqnorm, t, params):
    yield 1.0
    yield 1.0


def gives_up_later(m, sqnorm, t, params):
    return None if t > 500 else (float(m <= 0), 1.0)


@pytest.mark.parametrize(
    ("rule", "params", "words"),
    [
        (
            returns_a_list,
            None,
            r"two finite numbers, but returns_a_list\(.*\) returned \[1.0, 1.0\]; return",
        ),
        (generates, None, "a tuple of two finite numbers, but generates"),
        (gives_up_later, None, r"two finite numbers, but gives_up_later\(.*t=1000.*\) returned None"),
        (lambda m, sqnorm, t, params: (math.nan, 1.0), None, r"two finite numbers, .* returned \(nan, 1.0\)"),
        (lambda m, sqnorm, t, params: (params[0], 1.0), [math.inf], r"two finite numbers, .* returned \(inf, 1.0\)"),
        (lambda m, sqnorm, t, params: (params[0], 1.0), "ab", "params must be numbers, but 'ab' came"),
        ("perceptron", {"learning_rate": "x"}, "learning_rate of the rule 'perceptron' must be a number, but got 'x'"),
        ("margin_perceptron", {"theta": math.nan}, "theta must be a finite number of at least 0, but got nan"),
        ("margin_perceptron", {"theta": -3}, "theta must be a finite number of at least 0, but got -3.0"),
    ],
)
def test_a_rule_is_tried_before_it_is_compiled(rule, params, words):
    with pytest.raises(ValueError, match=words) as caught:
        HalfSpace(rule, params).fit(X, y)
    assert "\n" not in str(caught.value)


def test_params_may_be_an_array():
    def rule(m, sqnorm, t, params):
        return (params[0] if m <= params[1] else 0.0), 1.0

    listed, array = (HalfSpace(rule, params, shuffle=False).fit(X, y) for params in ([2.0, 0.5], np.array([2.0, 0.5])))
    np.testing.assert_array_equal(listed.coef_, array.coef_)


def test_in_a_callback_the_model_is_what_it_was():
    model, seen = Perceptron("last", max_iter=3, random_state=0), []
    with pytest.raises(NotFittedError):
        model.fit(X, y, on_epoch=lambda row: seen.append(model.predict(X)))
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    before = model.predict(X).tolist()
    names = np.array(["a", "b", "c"])[np.arange(len(X)) % 3]
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model.fit(X[:, :2], names, on_epoch=lambda row: seen.append(model.predict(X).tolist()))
    assert seen == [before] * 3 and model.classes_.tolist() == ["a", "b", "c"] and model.n_features_in_ == 2


@pytest.mark.parametrize("answer", ["last", "voted"])
def test_an_answer_refuses_other_rows(answer):
    with pytest.warns(ConvergenceWarning) if answer == "last" else nullcontext():
        answered = Perceptron(answer, max_iter=2, random_state=0).fit(X, y).answers_[answer]
    assert answered.predict(X.tolist()).tolist() == answered.predict(X).tolist()
    for rows in (X[:, :1], X[0]):
        with pytest.raises(ValueError, match=rf"rows of {X.shape[1]} features, but has shape .*; pass the columns"):
            answered.predict(rows)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (GaussianDiscriminant(), "covariance of the features must be in the range of float64, .*; scale the features"),
        (KernelPerceptron(), "gamma='scale' needs squares of X in the range of float64, .*; scale the features"),
    ],
    ids=str,
)
def test_numbers_too_large_to_be_squared(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X * 1e200, y)


@pytest.mark.parametrize("rate", [lambda t: None, lambda t: "a", lambda t: -1.0])
def test_a_schedule_is_tried_before_it_is_compiled(rate):
    with pytest.raises(ValueError, match="learning_rate must") as caught:
        Perceptron(learning_rate=rate).fit(X, y)
    assert "\n" not in str(caught.value)


def test_a_parameter_that_is_set_counts_from_the_next_example_on():
    model = Perceptron()
    for row, label in zip(X[:50], y[:50].tolist(), strict=True):
        model.learn_one(row, label)
    model.answer = "averaged"
    assert [model.predict_one(row) for row in X] == model.predict(X).tolist()
    before = np.abs(model.answers_["last"].coef).max()
    model.learning_rate = 1e6
    for row, label in zip(X[50:], y[50:].tolist(), strict=True):
        model.learn_one(row, label)
    assert np.abs(model.answers_["last"].coef).max() > 1e4 * before


def test_nan_is_refused_even_where_the_time_ended_before_it():
    tall = np.zeros((100_000, 50))
    tall[:, 0] = np.arange(100_000) % 2
    tall[-1, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Perceptron(time_limit=1e-9).fit(tall, tall[:, 0])


def test_a_class_weight_for_a_class_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="class_weight names '1', which is not among"):
        Perceptron(class_weight={"1": 5.0}).fit(X, y)


def test_many_dicts_are_answered_one_by_one():
    model = Perceptron()
    examples = [dict(zip("abcde", row, strict=True)) for row in X.tolist()]
    for x, label in zip(examples, y.tolist(), strict=True):
        model.learn_one(x, label)
    assert model.predict_many(examples).tolist() == [model.predict_one(x) for x in examples]


def test_two_coupled_classes_keep_finite_weights_where_their_difference_is_none():
    generator = np.random.default_rng(16)
    X = np.clip(generator.normal(size=(100, 20)) * 1e38, -3.4e38, 3.4e38).astype(np.float32)
    y = generator.integers(0, 2, 100)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model = Perceptron(multi_class="coupled", max_iter=10, shuffle=False).fit(X, y)
    for answer in model.answers_.values():
        assert np.isfinite(answer.coef).all()
