"""One fit, four answers, and every reason to stop."""

import signal
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import perceptron as reference
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron
from rosenblatt.rules import RULES
from rosenblatt.sources import blobs, xor

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RULE = RULES["perceptron"].function
toy = blobs(60, 3, random_state=0)
hard = xor()
digits = load_digits()


def integers(seed, n_classes, n=30, d=6):
    generator = np.random.default_rng(seed)
    X, y = generator.integers(-3, 4, (n, d)).astype(float), generator.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return X, y


# ---------------------------------------------------------------------- four answers


@quiet
@pytest.mark.parametrize("sparse", [False, True])
@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3, 5]), intercept=st.booleans())
@settings(max_examples=20)
def test_the_voted_answer_is_the_references(sparse, seed, n_classes, intercept):
    X, y = integers(seed, n_classes)
    rows = scipy.sparse.csr_array(X) if sparse else X
    model = Perceptron(answer="voted", shuffle=False, max_iter=3, fit_intercept=intercept).fit(rows, y)
    spaces = reference.one_against_rest(X, y, n_classes, RULE, (1.0,), model.n_iter_, intercept=float(intercept))
    votes = reference.voted(spaces, X)
    scores = model.decision_function(rows)
    np.testing.assert_array_equal(scores if n_classes > 2 else scores[:, None], votes.T)
    expected = (votes[0] >= 0).astype(int) if n_classes == 2 else votes.argmax(axis=0)
    np.testing.assert_array_equal(model.predict(rows), expected)


@quiet
@pytest.mark.parametrize("regularize_intercept", [False, True])
def test_the_voted_answer_of_a_rule_that_shrinks(regularize_intercept):
    def rule(m, sqnorm, t, params):
        return (1.0 if m <= 0 else 0.0), (0.5 if t % 4 == 0 else 1.0)

    X, y = integers(1, 3)
    model = HalfSpace(rule, answer="voted", shuffle=False, max_iter=2, regularize_intercept=regularize_intercept)
    model.fit(X, y)
    spaces = reference.one_against_rest(X, y, 3, rule, (), model.n_iter_, shrink_intercept=regularize_intercept)
    np.testing.assert_array_equal(model.decision_function(X), reference.voted(spaces, X).T)


@quiet
def test_one_fit_computes_all_answers_and_each_is_what_its_own_fit_gives():
    X, y = digits.data, digits.target
    together = Perceptron(random_state=0, max_iter=3).fit(X[:500], y[:500], keep=("pocket", "voted"))
    assert set(together.answers_) == {"last", "averaged", "voted", "pocket"}
    for name in together.answers_:
        alone = Perceptron(answer=name, random_state=0, max_iter=3).fit(X[:500], y[:500])
        np.testing.assert_array_equal(alone.decision_function(X), together.answers_[name].decision_function(X))
        assert alone.score(X, y) == together.answers_[name].score(X, y)


@quiet
def test_the_voted_answer_must_be_asked_for_and_has_no_weights():
    model = Perceptron(random_state=0).fit(toy.X, toy.y)
    assert set(model.answers_) == {"last", "averaged"}
    with pytest.raises(AttributeError, match="fit again with answer='voted'"):
        model.set_params(answer="voted").predict(toy.X)
    model.fit(toy.X, toy.y)
    assert not hasattr(model, "coef_")
    with pytest.raises(AttributeError, match="committee"):
        model.intercept_  # noqa: B018


@quiet
def test_answer_may_be_changed_after_the_fit():
    X, y = integers(4, 2)
    model = Perceptron("last", random_state=0, max_iter=3).fit(X, y)
    last = model.coef_
    model.set_params(answer="averaged")
    assert not np.array_equal(model.coef_, last)
    np.testing.assert_array_equal(model.coef_, model.answers_["averaged"].coef)


@quiet
def test_on_digits_the_averaged_answer_is_good():
    scores = {}
    for multi in ("ovr", "coupled"):
        model = Perceptron(random_state=0, max_iter=10, multi_class=multi).fit(digits.data[:1200], digits.target[:1200])
        scores[multi] = model.answers_["averaged"].score(digits.data[1200:], digits.target[1200:])
    assert scores["ovr"] > 0.88 and scores["coupled"] > 0.9


# ---------------------------------------------------------------------- stopping


def test_converged():
    model = Perceptron(random_state=0).fit(toy.X, toy.y)
    assert model.stop_reason_ == model.trace_.stop_reason == "converged"
    assert model.trace_.epochs[-1].updates == model.trace_.epochs[-1].mistakes == 0
    assert model.score(toy.X, toy.y) == 1.0 and model.n_iter_ == len(model.trace_) < 100
    assert model.mistakes_ == model.trace_["mistakes"].sum()


def test_max_iter_is_a_result_with_one_warning():
    with pytest.warns(ConvergenceWarning, match="max_iter=7") as caught:
        model = Perceptron("last", max_iter=7, random_state=0).fit(hard.X, hard.y)
    assert model.stop_reason_ == "max_iter" and model.n_iter_ == 7
    assert len(caught) == 1 and "\n" not in str(caught[0].message)


@pytest.mark.parametrize("answer", ["auto", "averaged", "pocket", "voted"])
def test_the_answers_that_do_not_need_to_converge_do_not_warn(answer):
    assert Perceptron(answer, max_iter=7, random_state=0).fit(hard.X, hard.y).stop_reason_ == "max_iter"


def test_no_improvement():
    X, y = integers(0, 2, n=5000)
    model = Perceptron(random_state=0).fit(X, y)
    assert model.stop_reason_ == "no_improvement" and 6 <= model.n_iter_ < 100
    np.testing.assert_array_equal(model.coef_, model.answers_["averaged"].coef)
    assert Perceptron(tol=None, random_state=0).fit(X, y).stop_reason_ == "max_iter"


def test_the_automatic_answer_is_the_separating_weights_where_there_are_any():
    model = Perceptron(random_state=0).fit(toy.X, toy.y)
    assert model.stop_reason_ == "converged"
    np.testing.assert_array_equal(model.coef_, model.answers_["last"].coef)
    online = Perceptron().partial_fit(hard.X, hard.y)
    np.testing.assert_array_equal(online.coef_, online.answers_["last"].coef)
    assert not np.array_equal(online.coef_, online.answers_["averaged"].coef)


def test_time_limit():
    X, y = integers(0, 2, n=5000)
    model = Perceptron("averaged", tol=None, time_limit=0.05, max_iter=10**9, random_state=0).fit(X, y)
    assert model.stop_reason_ == "time_limit" and np.isfinite(model.coef_).all()


def test_callback():
    seen = []
    model = Perceptron("averaged", random_state=0)
    model.fit(hard.X, hard.y, on_epoch=lambda row: seen.append(row.epoch) or row.epoch == 3)
    assert model.stop_reason_ == "callback" and seen == [1, 2, 3] and model.n_iter_ == 3


def test_an_exception_in_the_callback_leaves_the_earlier_fit():
    model = Perceptron("averaged", random_state=0, max_iter=4).fit(hard.X, hard.y)
    before = model.coef_

    def fail(row):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model.fit(hard.X[::-1] * 2, hard.y, on_epoch=fail)
    np.testing.assert_array_equal(model.coef_, before)


def interrupt_by_signal(row):
    if row.epoch == 2:
        signal.raise_signal(signal.SIGINT)


def interrupt_by_exception(row):
    if row.epoch == 2:
        raise KeyboardInterrupt


@pytest.mark.parametrize("interrupt", [interrupt_by_signal, interrupt_by_exception])
def test_interrupted(interrupt):
    handler = signal.getsignal(signal.SIGINT)
    with pytest.warns(ConvergenceWarning, match="interrupted in epoch 2"):
        model = Perceptron(random_state=0).fit(hard.X, hard.y, on_epoch=interrupt)
    assert model.stop_reason_ == "interrupted" and model.n_iter_ == 2
    assert signal.getsignal(signal.SIGINT) is handler
    assert model.predict(hard.X).shape == hard.y.shape


def test_ctrl_c_in_the_middle_of_a_long_fit():
    script = """
import os, signal, threading, warnings
import numpy as np
from rosenblatt import Perceptron
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 20)), rng.integers(0, 2, 3000)
Perceptron(max_iter=1).fit(X, y)
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
model = Perceptron(max_iter=10**9, tol=None, random_state=0).fit(X, y)
print(model.stop_reason_, model.predict(X).shape, model.n_iter_ > 1)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "interrupted (3000,) True", done.stderr


@quiet
def test_a_fit_in_another_thread_does_not_touch_signals():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        fits = list(pool.map(lambda s: Perceptron(random_state=s, max_iter=3).fit(hard.X, hard.y).coef_, [0, 0, 0, 0]))
    assert all(np.array_equal(fits[0], other) for other in fits)


# ---------------------------------------------------------------------- the trace


@quiet
def test_train_and_test_error_are_those_of_the_last_weights():
    X, y = digits.data, digits.target
    model = Perceptron("last", random_state=0, max_iter=4)
    model.fit(X[:600], y[:600], eval_set=(X[600:], y[600:]), record="train_error")
    last = model.trace_.epochs[-1]
    assert last.train_error == pytest.approx(1 - model.score(X[:600], y[:600]), abs=1e-12)
    assert last.test_error == pytest.approx(1 - model.score(X[600:], y[600:]), abs=1e-12)
    assert model.trace_.columns[-2:] == ("train_error", "test_error")
    assert model.trace_.updates is None


@quiet
def test_train_error_is_weighted_and_both_records_may_be_asked_for():
    X, y = integers(2, 2)
    weights = np.arange(30.0)
    model = Perceptron("last", random_state=0, max_iter=3).fit(X, y, weights, record=("updates", "train_error"))
    wrong = model.predict(X) != y
    assert model.trace_.epochs[-1].train_error == pytest.approx(weights[wrong].sum() / weights.sum())
    assert len(model.trace_.updates) == model.trace_["updates"].sum()


@quiet
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("multi", ["ovr", "coupled"])
def test_errors_of_rows_with_a_score_of_zero_are_those_of_predict(multi, layout):
    """Without an intercept a row of zeros has no score; it is answered with the second of two classes."""
    X, y = layout(np.array([[1.0], [-1.0], [0.0]])), np.array(["b", "a", "b"])
    model = Perceptron(fit_intercept=False, multi_class=multi, max_iter=3, shuffle=False)
    model.fit(X, y, eval_set=(X, np.array(["b", "a", "a"])), record="train_error")
    assert model.predict(X).tolist() == ["b", "a", "b"] and model.stop_reason_ == "max_iter"
    assert model.trace_["train_error"].tolist() == [0.0] * 3
    assert model.trace_["test_error"].tolist() == [1 / 3] * 3


def test_a_margin_rule_has_converged_when_it_teaches_nothing_not_when_all_answers_are_right():
    model = HalfSpace("margin_perceptron", {"theta": 5.0}, fit_intercept=False, shuffle=False)
    model.fit([[1.0], [-1.0]], [1, 0])
    assert model.coef_.tolist() == [[6.0]] and model.stop_reason_ == "converged"
    assert model.trace_["mistakes"].tolist() == [1, 0, 0, 0] and model.trace_["updates"].tolist() == [2, 2, 2, 0]


@quiet
def test_labels_that_only_the_test_set_has_are_errors():
    X, y = integers(3, 2)
    model = Perceptron(random_state=0, max_iter=2).fit(X, y, eval_set=(X, np.full(30, 7)))
    assert (model.trace_["test_error"] == 1.0).all()


# ---------------------------------------------------------------------- parameters


@quiet
@pytest.mark.parametrize("eta", [0.25, 4.0])
def test_a_constant_learning_rate_changes_nothing_but_the_scale(eta):
    X, y = integers(5, 3)
    one, other = (Perceptron(learning_rate=rate, random_state=0, max_iter=3).fit(X, y) for rate in (1.0, eta))
    np.testing.assert_array_equal(eta * one.coef_, other.coef_)


@quiet
def test_a_learning_rate_may_be_a_function_of_time():
    X, y = integers(6, 2)

    def rule(m, sqnorm, t, params):
        return (1.0 / t if m <= 0 else 0.0), 1.0

    model = Perceptron("last", learning_rate=lambda t: 1.0 / t, shuffle=False, max_iter=3).fit(X, y)
    spaces = reference.one_against_rest(X, y, 2, rule, (), model.n_iter_)
    np.testing.assert_allclose(model.coef_[0], spaces[0].w, rtol=1e-12)


@quiet
def test_class_weight_is_a_sample_weight():
    X, y = integers(7, 3)
    names = np.array(["a", "b", "c"])[y]
    by_class = Perceptron(class_weight={"a": 2.0, "b": 0.5, "c": 1.0}, random_state=0, max_iter=3).fit(X, names)
    by_row = Perceptron(random_state=0, max_iter=3).fit(X, names, np.array([2.0, 0.5, 1.0])[y])
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    balanced = Perceptron(class_weight="balanced", random_state=0, max_iter=3).fit(X, names)
    by_row.fit(X, names, (len(y) / (3 * np.bincount(y)))[y])
    np.testing.assert_allclose(balanced.coef_, by_row.coef_)


@quiet
@pytest.mark.parametrize("class_weight", [{0: 2.0, 1: 3.0}, "balanced"])
def test_class_weight_multiplies_the_sample_weight(class_weight):
    X, y = [[1.0], [-2.0], [3.0]], np.array([0, 1, 1])
    given = np.array([1.0, 2.0, 0.5])
    factors = np.array([2.0, 3.0, 3.0] if isinstance(class_weight, dict) else [1.5, 0.75, 0.75])
    model = Perceptron(shuffle=False, max_iter=2, class_weight=class_weight).fit(X, y, given, record="updates")
    rows, steps = model.trace_.updates.rows[0], model.trace_.updates.steps[0]
    assert len(rows) >= 2
    np.testing.assert_array_equal(np.abs(steps), (given * factors)[rows])


@quiet
def test_warm_start_goes_on_from_the_last_weights():
    X, y = integers(8, 3)
    model = Perceptron("last", warm_start=True, shuffle=False, max_iter=2).fit(X, y)
    again = model.fit(X, y).coef_
    np.testing.assert_array_equal(again, Perceptron("last", shuffle=False, max_iter=4).fit(X, y).coef_)
    cold = model.set_params(warm_start=False).fit(X, y).coef_
    np.testing.assert_array_equal(cold, Perceptron("last", shuffle=False, max_iter=2).fit(X, y).coef_)


@quiet
def test_warm_start_refuses_other_classes_or_features_and_keeps_the_fit():
    X, y = integers(8, 3)
    model = Perceptron(warm_start=True, max_iter=2, random_state=0).fit(X, y)
    before = model.coef_
    for rows, labels in ((X, y % 2), (X[:, :3], y)):
        with pytest.raises(ValueError, match="warm_start=True needs"):
            model.fit(rows, labels)
        np.testing.assert_array_equal(model.coef_, before)


@quiet
def test_warm_start_does_not_take_one_half_space_for_two_coupled_ones():
    X, y = integers(8, 2)
    model = Perceptron(warm_start=True, shuffle=False, max_iter=2).fit(X, y)
    scores = model.decision_function(X)
    model.set_params(multi_class="coupled", max_iter=1)
    try:
        model.fit(X, y, on_epoch=lambda row: True)
    except ValueError:
        return  # refused in a sentence: as good
    start = Perceptron(multi_class="coupled", shuffle=False, max_iter=1).fit(X, y)
    assert not np.array_equal(model.coef_, start.coef_) or np.array_equal(scores, start.decision_function(X))


@quiet
@pytest.mark.parametrize("kind", [str, bool, int, float])
def test_labels_of_every_kind_come_back_as_they_went_in(kind):
    X, y = integers(9, 2)
    labels = {str: np.array(["no", "yes"]), bool: np.array([False, True]), int: np.array([-1, 1]),
              float: np.array([1.0, 2.0])}[kind][y]  # fmt: skip
    predicted = Perceptron(random_state=0, max_iter=5).fit(X, labels).predict(X)
    assert predicted.dtype == labels.dtype and set(predicted) <= set(labels)


@quiet
def test_a_score_of_zero_predicts_the_second_class():
    model = Perceptron(fit_intercept=False, shuffle=False, max_iter=3).fit([[1.0, 0.0], [-1.0, 0.0]], ["a", "b"])
    assert model.predict([[0.0, 5.0]]).tolist() == ["b"]
    assert model.predict_one([0.0, 5.0]) == "b"


@pytest.mark.parametrize(
    "model", [Perceptron(), PassiveAggressive(variant="PA"), HalfSpace("margin_perceptron")], ids=str
)
def test_predict_does_not_change_the_model(model):
    model.set_params(random_state=0, shuffle=True).fit(toy.X, toy.y)
    before = model.coef_.copy()
    first = model.predict(toy.X)
    model.predict_one(toy.X[0])
    np.testing.assert_array_equal(model.predict(toy.X), first)
    np.testing.assert_array_equal(model.coef_, before)


def test_without_an_intercept_the_bias_stays_zero():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]])
    assert Perceptron(fit_intercept=False).fit(X, [0, 1]).intercept_.tolist() == [0.0]
