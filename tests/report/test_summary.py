"""`summarise`: figures against scikit-learn's, words against figures, advice that was tried."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import polars as pl
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
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from rosenblatt import ColumnEncoder, KernelPerceptron, LeastSquares, LinearSVM, Perceptron
from rosenblatt.features.anatomy import Seen
from rosenblatt.report import separation, summarise
from rosenblatt.report.advice import Judge
from rosenblatt.report.scores import Confusion, Share, area_under_roc, lead
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


def nonsense(n=80):
    random = np.random.default_rng(5)
    return halves(random.normal(size=(n, 3)), np.arange(n) % 2)


def test_a_curved_boundary_is_ruled_out_only_where_it_was_tried(monkeypatch):
    A, B, a, b = nonsense()
    model = Perceptron(answer="averaged", random_state=0).fit(A, a)
    tried = str(summarise(model, B, b, X_train=A, y_train=a, time_limit=60))
    assert "Neither a flat nor a curved boundary was found that does" in tried and "Not tried" not in tried
    assert "Neither" not in str(summarise(model, B, b))  # without training rows nothing is tried
    monkeypatch.setattr(Judge, "_out_of_time", lambda judge: True)
    late = str(summarise(model, B, b, X_train=A, y_train=a))
    assert "Neither" not in late and "Not tried, since the time for trials was up: KernelPerceptron" in late
    assert "does not beat always answering" in late


def test_a_lead_that_may_be_chance_is_called_so_by_all():
    """11 of 13 against 10 of 13."""
    y = np.array([0] * 10 + [1] * 3)
    X = np.where(np.arange(13) == 10, 1.0, -1.0)[:, None]
    model = Perceptron(random_state=0).fit(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    summary = summarise(model, X, y)
    assert (summary.accuracy.count, summary.baseline.accuracy.count) == (11, 10)
    assert summary.against_baseline().endswith("which does not beat that beyond chance.")
    assert "does not beat always answering “0” beyond chance." in summary.advice[0].sentence
    worse = summarise(model, X, y, predictions=np.ones(13, int))
    assert "beyond chance" not in str(worse) and "does not beat always answering “0”." in worse.advice[0].sentence


def test_curved_boundary_is_tried_where_a_flat_one_fails():
    A, B, a, b = halves(*rings())
    model = Perceptron(answer="averaged", random_state=0).fit(A, a)
    summary = summarise(model, B, b, X_train=A, y_train=a)
    assert (
        not summary.beats_baseline and "does not beat" in summary.against_baseline()
    ) or "chance" in summary.against_baseline()
    first = summary.advice[0]
    assert first.topic == "kernel" and first.learner == "KernelPerceptron" and first.trial.scaled
    again = make_pipeline(StandardScaler(), KernelPerceptron(**first.settings, random_state=0)).fit(A, a)
    assert again.score(B, b) == pytest.approx(first.trial.accuracy.value)
    assert f"{first.trial.accuracy.value:.1%}" in first.sentence
    assert summary.separation.verdict == "not separable"
    assert summary.separation.certificate.verify(A, a)


def test_curved_boundary_on_a_sample_is_compared_with_the_same_learner_on_it(monkeypatch):
    """With all rows a perceptron does better than a kernel with 150: the fair question is put to equals."""
    monkeypatch.setattr("rosenblatt.report.advice.ROWS_FOR_KERNEL", 150)
    data = digits(random_state=0)
    model = Perceptron(answer="averaged", max_iter=20, random_state=0).fit(data.X_train, data.y_train)
    first = summarise(model, data.X_test, data.y_test, X_train=data.X_train, y_train=data.y_train).advice[0]
    assert first.topic == "kernel" and first.trial.accuracy.value < model.score(data.X_test, data.y_test)
    assert "learning from the same 150 rows" in first.sentence


def test_separable_rows_are_told_with_their_margin():
    A, B, a, b = halves(*blobs(gap=5.0))
    summary = summarise(Perceptron(random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    assert summary.separation.verdict == "separable" and summary.separation.margin > 0
    assert summary.separation.certificate.verify(A, a)


def test_equal_rows_of_different_classes_are_told():
    A, B, a, b = halves(*blobs(gap=5.0))
    A[1], a[1] = A[0], 1 - a[0]
    summary = summarise(Perceptron(max_iter=5, random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    assert "two of them are equal but of different classes" in summary.separation.sentence


def test_overfitted_model_is_told():
    random = np.random.default_rng(0)
    X = random.normal(size=(160, 120))
    y = (X[:, 0] + random.normal(size=160) > 0).astype(int)
    A, B, a, b = halves(X, y)
    summary = summarise(Perceptron(random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    assert "overfitted" in [advice.topic for advice in summary.advice]


def test_rare_class_is_told_and_found_with_weights():
    random = np.random.default_rng(0)
    y = (random.random(3000) < 0.06).astype(int)
    X = random.normal(size=(3000, 2)) + 1.5 * y[:, None]
    A, B, a, b = halves(X, y)
    summary = summarise(LinearSVM(random_state=0).fit(A, a), B, b, X_train=A, y_train=a)
    advice = next(each for each in summary.advice if each.topic == "balance")
    again = make_pipeline(StandardScaler(), LinearSVM(class_weight="balanced", random_state=0)).fit(A, a)
    assert f"finds {(again.predict(B)[b == 1] == 1).mean():.1%}" in advice.sentence


def test_other_answer_of_the_same_fit():
    random = np.random.default_rng(1)
    y = np.arange(2000) % 2
    X = random.normal(size=(2000, 20)) + 0.25 * (2 * y - 1)[:, None]
    A, B, a, b = halves(X, y)
    model = Perceptron(answer="last", max_iter=10, random_state=0).fit(A, a)
    advice = summarise(model, B, b, X_train=A, y_train=a).advice[0]
    assert advice.topic == "answer" and advice.settings == {"answer": "averaged"}
    assert advice.trial.accuracy.value == pytest.approx(model.answers_["averaged"].score(B, b))


def test_kernel_model_is_asked_by_shuffling():
    X, y = rings()
    X = np.column_stack([X, np.random.default_rng(2).normal(size=len(X)) * 0.01])
    A, B, a, b = halves(X, y)
    summary = summarise(KernelPerceptron(random_state=0).fit(A, a), B, b, feature_names=["east", "north", "noise"])
    assert summary.drivers.kind == "shuffling" and summary.drivers.named
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
    with pytest.raises(ValueError, match="one of the classes"):
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


def test_cross_validated_rows_do_not_flatter_the_trials():
    """Labels by chance: nothing can be learned, and no trial may claim so by remembering rows."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(600, 5)), random.integers(0, 2, 600)
    learner = Perceptron(random_state=0)
    answers = cross_val_predict(learner, X, y, cv=3)
    summary = summarise(learner.fit(X, y), X, y, X_train=X, y_train=y, predictions=answers)
    assert summary.cross_validated and not summary.beats_baseline
    assert all(each.trial is None or each.trial.accuracy.value < 0.6 for each in summary.advice)


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
    assert not any(advice.trial for advice in summary.advice)


def test_many_rows_are_told_not_separable_from_a_few():
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 5))
    y = (X[:, 0] + 0.3 * random.normal(size=60_000) > 0).astype(int)
    model = Perceptron(answer="averaged", max_iter=2, random_state=0).fit(X, y)
    summary = summarise(model, X[:5000], y[:5000], X_train=X, y_train=y, advise=False)
    assert summary.separation.verdict == "not separable"
    assert summary.rows_train == 60_000


def test_separable_is_said_of_all_rows_or_not_at_all(monkeypatch):
    """The few that are asked first can be told apart; two that are asked later cannot."""
    X = np.append(np.arange(-20.0, 20.0) + 0.5, [7.0, 7.0])[:, None]
    y = np.append(X[:40, 0] > 0, [True, False])
    monkeypatch.setattr(separation._Question, "_few", lambda self: np.arange(40))
    summary = summarise(LinearSVM().fit(X, y), X, y, X_train=X, y_train=y, advise=False)
    assert summary.separation.verdict == "not separable" and summary.separation.witness_rows == 2
    alike = summarise(LinearSVM().fit(X[:40], y[:40]), X, y, X_train=X[:40], y_train=y[:40], advise=False)
    assert alike.separation.verdict == "separable"


def test_the_baseline_answers_what_was_commonest_in_training():
    X, y = np.arange(10.0)[:, None], np.array(["a"] * 6 + ["b"] * 4)
    model = LinearSVM().fit(X, y)
    summary = summarise(model, X[4:], y[4:], X_train=X, y_train=y, advise=False)
    assert summary.baseline.answer == "a" and summary.baseline.accuracy == Share(2, 6)
    assert summarise(model, X[4:], y[4:], advise=False).baseline.answer == "b"  # all that is known


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
        ({"y_test": None}, "one label per row, but it is None"),
        ({"X_test": np.empty((0, 2)), "y_test": []}, "at least one label"),
        ({"y_test": np.zeros((400, 2))}, "one label per row, but its shape"),
        ({"y_test": ["x"] * 400}, "labels that the model knows"),
        ({"X_train": np.zeros((3, 2))}, "belong together"),
        ({"predictions": [1, 2]}, "one prediction for each"),
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


@needs_data
def test_banana_names_the_learner_that_beats_the_largest_class():
    table = np.loadtxt(SMALL / "banana.keel.dat", delimiter=",")
    A, B, a, b = halves(table[:, :-1], table[:, -1])
    model = make_pipeline(StandardScaler(), Perceptron(answer="averaged", max_iter=20, random_state=0)).fit(A, a)
    summary = summarise(model, B, b, X_train=A, y_train=a)
    assert not summary.beats_baseline
    assert summary.advice[0].learner == "KernelPerceptron" and summary.advice[0].trial.accuracy.low > 0.85


def two_clouds(n, seed, spread=1.0):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return random.normal(size=(n, 3)) * spread + np.where(y == 1, 1.0, -1.0)[:, None], y


def test_only_all_is_a_hundred_per_cent():
    X, y = two_clouds(4000, 0, spread=0.2)
    model = Perceptron(max_iter=5, random_state=0).fit(X, y)
    y = y.copy()
    y[0] = 1 - y[0]
    summary = summarise(model, X, y, advise=False)
    assert summary.accuracy.count == 3999
    assert "this model is in >99.9%" in summary.against_baseline() and "100.0%" not in str(summary.accuracy)[:6]


def test_a_learner_is_suggested_only_when_it_is_better_beyond_chance():
    """On clouds that overlap, others are better or worse by a few rows: no reason to try them."""
    for seed in range(4):
        X, y = two_clouds(500, seed, spread=1.5)
        model = LinearSVM(random_state=0).fit(X[:400], y[:400])
        for each in summarise(model, X[400:], y[400:], X_train=X[:400], y_train=y[:400], time_limit=60).advice:
            assert each.learner is None or each.topic == "epochs", each.sentence


def test_a_trial_that_the_clock_ends_is_named_and_not_used(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 2))
    y = ((X**2).sum(axis=1) < 1.4).astype(int)
    model = Perceptron(max_iter=5, random_state=0).fit(X[:400], y[:400])
    asked = {"X_train": X[:400], "y_train": y[:400]}
    whole = summarise(model, X[400:], y[400:], **asked, time_limit=60).advice
    again = summarise(model, X[400:], y[400:], **asked, time_limit=90).advice
    assert [each.sentence for each in whole] == [each.sentence for each in again]
    assert whole[0].topic == "kernel" and "time" not in [each.topic for each in whole]

    from rosenblatt import KernelPerceptron

    fit = KernelPerceptron.fit

    def ended(self, *arguments, **options):
        self.time_limit = 1e-9
        return fit(self, *arguments, **options)

    monkeypatch.setattr(KernelPerceptron, "fit", ended)
    cut = summarise(model, X[400:], y[400:], **asked, time_limit=60).advice
    assert cut[-1].topic == "time" and "KernelPerceptron(kernel='rbf')" in cut[-1].sentence
    assert "kernel" not in [each.topic for each in cut]


def test_figures_of_another_fit_are_not_called_this_models():
    random = np.random.default_rng(0)
    y = (random.random(9000) < 0.1).astype(int)
    X = random.normal(size=(9000, 3)) + 1.2 * y[:, None]
    model = LinearSVM(random_state=0).fit(X[:3000], y[:3000])
    summary = summarise(model, X[3000:], y[3000:], X_train=X[:3000], y_train=y[:3000], time_limit=60)
    (advice,) = (each for each in summary.advice if each.topic == "balance")
    found = summary.confusion.of_class(1).recall
    assert f"this model finds {found:.1%}; a second fit with class_weight='balanced' finds" in advice.sentence


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.5, 0.5000001, 2.0])), min_size=2, max_size=60))
def test_area_under_roc(rows):
    hits, scores = np.array([hit for hit, _ in rows]), np.array([score for _, score in rows])
    if hits.all() or not hits.any():
        return
    assert area_under_roc(hits, scores) == pytest.approx(roc_auc_score(hits, scores), abs=1e-12)


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_chance_of_a_difference_is_the_binomial_test(lost, gained):
    asked = np.arange(lost + gained)
    truth, ours = np.ones(len(asked)), np.repeat([0.0, 1.0], [gained, lost])
    judge = Judge(*[None] * 2, truth, *[None] * 13)
    better = judge._better(1.0 - ours, asked, ours)
    assert better == (gained > lost and binomtest(lost, gained + lost).pvalue < 0.05)


def test_rows_that_are_encoded_already_are_judged_alike():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3)) * [1, 10, 100]
    table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    y = np.where(X @ [1.0, 0.1, 0.01] + random.normal(size=400) > 0, "yes", "no")
    model = make_pipeline(ColumnEncoder(), Perceptron("averaged", max_iter=5, random_state=0)).fit(table[:300], y[:300])
    encoded = Seen(model[:-1].transform(table), table.columns)
    assert encoded.shape == table.shape and len(encoded[:7]) == 7
    told = summarise(model, table[300:], y[300:], X_train=table[:300], y_train=y[:300]).to_dict()
    also = summarise(model, encoded[300:], y[300:], X_train=encoded[:300], y_train=y[:300]).to_dict()
    told["separation"].pop("seconds"), also["separation"].pop("seconds")
    assert told == also
