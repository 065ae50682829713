"""`summarise`: figures against scikit-learn's, features, separability."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    precision_recall_fscore_support,
    r2_score,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from rosenblatt import KernelPerceptron, LeastSquares, LinearSVM, Perceptron
from rosenblatt.report import separation, summarise
from rosenblatt.report.scores import Confusion, Share, lead
from rosenblatt.sources import digits, iris

SMALL = Path(os.environ.get("ROSENBLATT_DATA", "absent")) / "small"
needs_data = pytest.mark.skipif(not SMALL.is_dir(), reason="ROSENBLATT_DATA has no folder small")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rings(n=600, seed=0):
    """A ring around a disc: no line tells them apart."""
    random = np.random.default_rng(seed)
    angle, y = random.uniform(0, 2 * np.pi, n), np.arange(n) % 2
    radius = random.uniform(0.2, 1.0, n) + 1.5 * y
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def blobs(n=400, seed=0, gap=3.0, d=2):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return random.normal(size=(n, d)) + gap * (2 * y - 1)[:, None] * (np.arange(d) == 0), y


def halves(X, y):
    return train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_is_wilsons(pair):
    count, total = pair
    share, peer = Share(count, total), binomtest(count, total).proportion_ci(method="wilson")
    assert share.low == pytest.approx(peer.low, abs=1e-12) and share.high == pytest.approx(peer.high, abs=1e-12)
    assert 0 <= share.low <= share.value <= share.high <= 1


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abc")), min_size=1, max_size=60))
def test_confusion_has_sklearns_figures(pairs):
    truth, answers = (np.array(column) for column in zip(*pairs, strict=True))
    found = Confusion.of(truth, answers, ["a", "b", "c"])
    assert found.accuracy.value == pytest.approx(accuracy_score(truth, answers))
    for each in found.per_class:
        if each.rows and each.answered:
            precision, recall, f1, _ = precision_recall_fscore_support(truth, answers, labels=[each.name])
            assert (each.precision, each.recall, each.f1) == pytest.approx((precision[0], recall[0], f1[0]))
    assert sum(count for *_, count in found.worst(most=99)) == (truth != answers).sum()


def test_several_classes():
    data = digits(random_state=0)
    model = Perceptron(answer="averaged", max_iter=20, random_state=0).fit(data.X_train, data.y_train)
    summary = summarise(model, data.X_test, data.y_test, X_train=data.X_train, y_train=data.y_train)
    answers = model.predict(data.X_test)
    assert summary.accuracy.value == pytest.approx(accuracy_score(data.y_test, answers))
    assert summary.balanced_accuracy == pytest.approx(balanced_accuracy_score(data.y_test, answers))
    assert summary.beats_baseline and summary.classes == list(range(10))
    assert set(summary.drivers.by_class) == set(range(10)) and not summary.drivers.named
    assert set(summary.separation.per_class) == set(range(10))
    read = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert read["accuracy"]["count"] == summary.accuracy.count and len(read["per_class"]) == 10


def test_weights_are_in_the_units_of_the_data():
    """The model's own scores move by the weight when a column grows by 1, whatever scalers stand between."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = blobs(d=3)
    frame = pandas.DataFrame(X * [1000.0, 0.01, 7.0] + [5.0, 3.0, 1.0], columns=["income", "rate", "age"])
    model = make_pipeline(StandardScaler(), MinMaxScaler(), Perceptron(random_state=0)).fit(frame, y)
    summary = summarise(model, frame, y, X_train=frame, y_train=y)
    assert summary.drivers.named and summary.drivers.top[0].feature == "income"
    for driver in summary.drivers.top:
        moved = frame.copy()
        moved[driver.feature] += 1.0
        change = model.decision_function(moved) - model.decision_function(frame)
        assert change == pytest.approx(np.full(len(frame), driver.weight), rel=1e-6)
        assert driver.towards == int(driver.weight > 0)
    assert sum(driver.share for driver in summary.drivers.top) == pytest.approx(1)


def test_separable_rows_have_a_proven_margin():
    A, B, a, b = halves(*blobs(gap=5.0))
    summary = summarise(Perceptron(random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    assert summary.separation.verdict == "separable" and summary.separation.margin > 0
    assert summary.separation.certificate.verify(A, a)


def test_identical_rows_of_different_classes():
    A, B, a, b = halves(*blobs(gap=5.0))
    A[1], a[1] = A[0], 1 - a[0]
    summary = summarise(Perceptron(max_iter=5, random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    assert "two identical rows have different classes" in summary.separation.sentence


def test_a_kernel_model_has_permutation_importance():
    X, y = rings()
    X = np.column_stack([X, np.random.default_rng(2).normal(size=len(X)) * 0.01])
    A, B, a, b = halves(X, y)
    summary = summarise(KernelPerceptron(random_state=0).fit(A, a), B, b, feature_names=["east", "north", "noise"])
    assert summary.drivers.kind == "permutation" and summary.drivers.named
    assert {driver.feature for driver in summary.drivers.top[:2]} == {"east", "north"}
    assert all(driver.weight is None for driver in summary.drivers.top)


@pytest.mark.parametrize(
    ("vectorizer", "named"), [(TfidfVectorizer(), True), (HashingVectorizer(n_features=512), False)]
)
def test_text(vectorizer, named):
    texts = np.array(["win a prize now", "see you at lunch", "free prize call now", "lunch at noon then"] * 20, object)
    y = np.array(["spam", "ham"] * 40)
    model = make_pipeline(vectorizer, Perceptron(random_state=0)).fit(texts, y)
    summary = summarise(model, texts, y, X_train=texts, y_train=y)
    assert summary.drivers.named is named
    if named:
        assert {driver.feature for driver in summary.drivers.top} <= set(vectorizer.get_feature_names_out())
    else:
        assert "no names" in summary.drivers.note


def test_regression():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = X @ [3.0, -1.0, 0.0] + random.normal(size=200) * 0.1
    model = make_pipeline(StandardScaler(), LeastSquares()).fit(X, y)
    summary = summarise(model, X, y, X_train=X, y_train=y)
    assert summary.kind == "regression" and summary.beats_baseline and summary.accuracy is None
    assert summary.regression.r2 == pytest.approx(r2_score(y, model.predict(X)))
    assert summary.baseline.answer == pytest.approx(y.mean())
    assert [driver.feature for driver in summary.drivers.top[:2]] == ["feature 0", "feature 1"]
    assert summary.drivers.top[0].weight == pytest.approx(3, abs=0.05)
    json.dumps(summary.to_dict(), allow_nan=False)


def test_positive_class():
    A, B, a, b = halves(*blobs(gap=0.5))
    names = np.array(["no", "yes"])
    model = LinearSVM(random_state=0).fit(A, names[a])
    usual = summarise(model, B, names[b])
    assert usual.positive == "yes" == usual.positive_figures.name
    assert usual.roc_auc == pytest.approx(roc_auc_score(b, model.decision_function(B)))
    other = summarise(model, B, names[b], positive="no")
    assert other.positive_figures.recall == pytest.approx((model.predict(B)[b == 0] == "no").mean())
    assert other.roc_auc == pytest.approx(usual.roc_auc)
    with pytest.raises(ValueError, match="There is no class"):
        summarise(model, B, names[b], positive="maybe")


def test_a_class_of_several_is_judged_by_its_lead_over_the_others():
    """Coupled scores of iris, taken one by one, put versicolor below guessing, though nearly all of it is found."""
    data = iris(random_state=0)
    model = make_pipeline(StandardScaler(), Perceptron(multi_class="coupled", answer="averaged", random_state=0))
    model.fit(data.X_train, data.y_train)
    scores = model.decision_function(data.X_test)
    alone = roc_auc_score(data.y_test == 1, scores[:, 1])
    summary = summarise(model, data.X_test, data.y_test, positive=1)
    assert summary.positive_figures.recall > 0.7 and alone < 0.7
    assert summary.roc_auc > 0.95
    for k in range(3):
        by_hand = [row[k] - max(score for j, score in enumerate(row) if j != k) for row in scores.tolist()]
        assert lead(scores, [0, 1, 2], k).tolist() == by_hand
        answered = model.predict(data.X_test) == k
        assert np.array_equal(np.array(by_hand) > 0, answered)


def test_predictions_made_elsewhere_are_judged():
    X, y = blobs()
    model = Perceptron(random_state=0).fit(X, y)
    summary = summarise(model, X, y, predictions=1 - y, held_out="5-fold cross-validation")
    assert summary.accuracy.count == 0 and summary.held_out == "5-fold cross-validation"


def test_class_that_the_model_does_not_know():
    X, y = blobs()
    model = Perceptron(random_state=0).fit(X, y)
    summary = summarise(model, X, np.where(np.arange(len(y)) < 10, 7, y))
    assert summary.confusion.classes == [0, 1, 7] and summary.confusion.per_class[2].recall == 0


def test_no_time_is_undecided_not_long():
    data = digits(random_state=0)
    model = Perceptron(max_iter=2, random_state=0).fit(data.X_train, data.y_train)
    summary = summarise(model, data.X_test, data.y_test, X_train=data.X_train, y_train=data.y_train, time_limit=1e-9)
    assert summary.separation.verdict == "undecided" and "not decided" in summary.separation.sentence
    assert not summary.advice


def test_many_rows_are_told_not_separable_from_a_few():
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 5))
    y = (X[:, 0] + 0.3 * random.normal(size=60_000) > 0).astype(int)
    model = Perceptron(answer="averaged", max_iter=2, random_state=0).fit(X, y)
    summary = summarise(model, X[:5000], y[:5000], X_train=X, y_train=y)
    assert summary.separation.verdict == "not separable"
    assert summary.rows_train == 60_000


def test_separable_is_said_of_all_rows_or_not_at_all(monkeypatch):
    """The few that are asked first can be told apart; two that are asked later cannot."""
    X = np.append(np.arange(-20.0, 20.0) + 0.5, [7.0, 7.0])[:, None]
    y = np.append(X[:40, 0] > 0, [True, False])
    monkeypatch.setattr(separation._Test, "_few", lambda self: np.arange(40))
    summary = summarise(LinearSVM().fit(X, y), X, y, X_train=X, y_train=y)
    assert summary.separation.verdict == "not separable" and summary.separation.witness_rows == 2
    alike = summarise(LinearSVM().fit(X[:40], y[:40]), X, y, X_train=X[:40], y_train=y[:40])
    assert alike.separation.verdict == "separable"


def test_the_baseline_answers_what_was_commonest_in_training():
    X, y = np.arange(10.0)[:, None], np.array(["a"] * 6 + ["b"] * 4)
    model = LinearSVM().fit(X, y)
    summary = summarise(model, X[4:], y[4:], X_train=X, y_train=y)
    assert summary.baseline.answer == "a" and summary.baseline.accuracy == Share(2, 6)
    assert summarise(model, X[4:], y[4:]).baseline.answer == "b"  # all that is known


def test_sparse_rows():
    X, y = blobs(d=4)
    rows = scipy.sparse.csr_matrix(np.where(np.abs(X) < 0.5, 0, X))
    summary = summarise(Perceptron(random_state=0).fit(rows, y), rows, y, X_train=rows, y_train=y)
    dense = summarise(Perceptron(random_state=0).fit(rows, y), rows.toarray(), y, X_train=rows.toarray(), y_train=y)
    assert [d.feature for d in summary.drivers.top] == [d.feature for d in dense.drivers.top]
    assert summary.separation.verdict == dense.separation.verdict


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y_test": [0]}, "same number of rows"),
        ({"y_test": None}, "the target y is None; pass one label per row"),
        ({"X_test": np.empty((0, 2)), "y_test": []}, "at least one label"),
        ({"y_test": np.zeros((400, 2))}, "at least one label, but its shape"),
        ({"y_test": ["x"] * 400}, "no label that the model knows"),
        ({"X_train": np.zeros((3, 2))}, "passed together"),
        ({"predictions": [1, 2]}, "expected one for each"),
        ({"time_limit": 0}, "time_limit must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"most": 0}, "most must be"),
    ],
)
def test_bad_input(change, sentence):
    X, y = blobs()
    given = {"X_test": X, "y_test": y} | change
    model = Perceptron(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=sentence):
        summarise(model, given.pop("X_test"), given.pop("y_test"), **given)


def test_what_is_no_fitted_model():
    X, y = blobs()
    with pytest.raises(TypeError, match="fitted estimator"):
        summarise("perceptron", X, y)
    with pytest.raises(NotFittedError):
        summarise(Perceptron(), X, y)


def two_clouds(n, seed, spread=1.0):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return random.normal(size=(n, 3)) * spread + np.where(y == 1, 1.0, -1.0)[:, None], y


def test_only_all_is_a_hundred_per_cent():
    X, y = two_clouds(4000, 0, spread=0.2)
    model = Perceptron(max_iter=5, random_state=0).fit(X, y)
    y = y.copy()
    y[0] = 1 - y[0]
    summary = summarise(model, X, y)
    assert summary.accuracy.count == 3999
    assert summary.headline().startswith("Accuracy >99.9% (95% interval ")


def test_sentences_have_the_words_of_the_field():
    A, B, a, b = halves(*blobs(gap=0.5))
    summary = summarise(Perceptron(max_iter=7, random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    found = summary.confusion.of_class(1)
    assert f"Class “1”: precision {found.precision:.1%}, recall {found.recall:.1%}, F1 {found.f1:.3f}." in str(summary)
    assert summary.sentences()[-1] == "Training: 7 epochs, max_iter reached."


def test_a_lead_that_may_be_chance_is_not_significant():
    """11 of 13 against 10 of 13."""
    y = np.array([0] * 10 + [1] * 3)
    X = np.where(np.arange(13) == 10, 1.0, -1.0)[:, None]
    model = Perceptron(random_state=0).fit(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    summary = summarise(model, X, y)
    assert (summary.accuracy.count, summary.baseline.accuracy.count) == (11, 10)
    assert summary.against_baseline() == "Baseline, always “0”: 76.9%. The model is not significantly better."
    worse = summarise(model, X, y, predictions=np.ones(13, int))
    assert worse.against_baseline() == "Baseline, always “0”: 76.9%. The model is not better."
